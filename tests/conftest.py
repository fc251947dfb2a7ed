"""Fixtures of all tests that need Envoy."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.gateways import Gateways
from harness.mock import MockUpstream
from harness.net import ROOT, WASM
from harness.stack import Stack


def pytest_configure() -> None:
    """Stop every process also when the run is ended from outside."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def built() -> None:
    if not WASM.exists():
        pytest.exit(f"{WASM.relative_to(ROOT)} is missing: run `make build` first", returncode=1)


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """The published example; its records are put back by `library`."""
    running = Stack().wait_ready()
    yield running
    running.stop()


@pytest.fixture
def mock() -> Iterator[MockUpstream]:
    upstream = MockUpstream()
    yield upstream
    upstream.close()


@pytest.fixture
def gateway() -> Iterator[Gateways]:
    gateways = Gateways()
    yield gateways
    gateways.stop()


@pytest.fixture(scope="module")
def module_gateway() -> Iterator[Gateways]:
    gateways = Gateways()
    yield gateways
    gateways.stop()


@pytest.fixture(scope="session")
def real_documents() -> Path:
    """Folder of real documents that are not part of the repository."""
    folder = Path(os.environ.get("OPENAPI_MCP_SHARED", ROOT.parent / "shared")) / "openapi"
    if not folder.is_dir():
        pytest.skip(f"no real documents: {folder} is missing; OPENAPI_MCP_SHARED names the folder above `openapi`")
    return folder
