"""The answers behind openapi.yaml."""

from __future__ import annotations

import base64
import struct
import zlib

from harness.mock import Answer, MockUpstream

BOUNDARY = "part"


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png() -> bytes:
    """One red pixel."""
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"\x00\xff\x00\x00")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def wav() -> bytes:
    """A hundredth of a second of silence."""
    samples = b"\x80" * 80
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8)
    body = b"WAVE" + form + struct.pack("<4sI", b"data", len(samples)) + samples
    return struct.pack("<4sI", b"RIFF", len(body)) + body


def mixed() -> bytes:
    parts = [
        ("text/plain", b"Several kinds of content:"),
        ("image/png", base64.b64encode(png())),
        ("application/octet-stream", base64.b64encode(b"\x00\x01\x02")),
    ]
    out = b""
    for kind, body in parts:
        encoding = "" if kind.startswith("text/") else "content-transfer-encoding: base64\r\n"
        out += f"--{BOUNDARY}\r\ncontent-type: {kind}\r\n{encoding}\r\n".encode() + body + b"\r\n"
    return out + f"--{BOUNDARY}--\r\n".encode()


def text(value: str) -> Answer:
    return Answer(200, value.encode(), "text/plain")


def serve(upstream: MockUpstream) -> None:
    upstream.on("/simple-text", text("This is a simple text response for testing."))
    upstream.on("/image", Answer(200, png(), "image/png"))
    upstream.on("/audio", Answer(200, wav(), "audio/wav"))
    upstream.on("/file", Answer(200, b"\x00\x01\x02\x03", "application/octet-stream"))
    upstream.on("/mixed", Answer(200, mixed(), f"multipart/mixed; boundary={BOUNDARY}"))
    upstream.on("/failure", Answer(500, b"This tool intentionally returns an error for testing", "text/plain"))
    upstream.on("/streaming", text("Done."))
    upstream.on("/logging", text("Done."))
    upstream.on("/regional", text("Done."))
    upstream.on("/contact", text("Done."))
