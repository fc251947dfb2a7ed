"""Example values for JSON Schemas: the same for the same seed, checked by an independent validator."""

from __future__ import annotations

import copy
import json
import random
import re
from re import _constants as sre
from re import _parser as sre_parser
from typing import Any

from jsonschema import Draft202012Validator

FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "uuid": "4bf92f35-77b3-4da6-a3ce-929d0e0e4736",
    "email": "a@example.org",
    "uri": "https://example.org/a",
    "url": "https://example.org/a",
    "uri-reference": "/a",
    "hostname": "example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "byte": "aGVsbG8=",
    "duration": "P1D",
}
TEXTS = ["a", "b c", "x/y", "é", "1&2=3", "50%", "a;b", "~._-", "q?#", "+1"]
DEEPEST = 5
ATTEMPTS = 40


class Generator:
    """Values for the schemas in one document, which is a self-contained JSON Schema."""

    def __init__(self, root: dict[str, Any], seed: int = 0):
        self._root = root
        self._random = random.Random(seed)
        self._validator = Draft202012Validator(root)

    def is_valid(self, value: Any) -> bool:
        return self._validator.is_valid(value)

    def valid(self, every: bool = False) -> Any:
        """A valid value, or None when none was found; `every` asks for all optional members at the top."""
        for attempt in range(ATTEMPTS):
            value = self._value(self._root, 0, every and attempt < ATTEMPTS // 2)
            if self.is_valid(value):
                return value
        return None

    def invalid(self) -> Any:
        """A value that is not valid, near one that is; None when none was found."""
        for _ in range(ATTEMPTS):
            value = self._broken(copy.deepcopy(self.valid() or {}))
            if not self.is_valid(value):
                return value
        return None

    def _broken(self, value: dict[str, Any]) -> Any:
        properties = self._root.get("properties", {})
        ways = [lambda: {**value, "noSuchArgument": 1}]
        for name in self._root.get("required", []):
            if "default" not in properties.get(name, {}):
                ways.append(lambda name=name: {key: item for key, item in value.items() if key != name})
        for name in properties:
            wrong = self._random.choice([{"a": {"b": []}}, [[[]]], "\u0000\r\nx: y", -(10**30), 1.5, True, None, ""])
            ways.append(lambda name=name, wrong=wrong: {**value, name: wrong})
        return self._random.choice(ways)()

    def _value(self, schema: Any, depth: int, every: bool = False) -> Any:
        if not isinstance(schema, dict):
            return self._random.choice(TEXTS)
        schema = self._merged(schema, depth)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return self._random.choice(schema["enum"])
        kind = self._kind(schema)
        if depth > DEEPEST and kind in ("object", "array") and not schema.get("required"):
            return {} if kind == "object" else []
        if kind == "string" and "pattern" in schema and schema.get("examples"):
            return self._random.choice(schema["examples"])
        return getattr(self, f"_{kind}")(schema, depth, every)

    def _merged(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        """The schema with its references, `allOf` and one of its alternatives taken in."""
        merged: dict[str, Any] = {}
        parts = [schema]
        for _ in range(64):
            if not parts:
                break
            part = parts.pop(0)
            if not isinstance(part, dict):
                continue
            if "$ref" in part:
                parts.append(self._target(part["$ref"]))
            parts += part.get("allOf", [])
            for key in ("oneOf", "anyOf"):
                if part.get(key):
                    parts.append(part[key][0] if depth > DEEPEST else self._random.choice(part[key]))
            for key, value in part.items():
                if key == "properties":
                    known = merged.get(key, {})
                    both = {name: {"allOf": [known[name], value[name]]} for name in value if name in known}
                    merged[key] = {**known, **value, **both}
                elif key == "required":
                    merged[key] = list(dict.fromkeys(merged.get(key, []) + value))
                elif key not in ("$ref", "allOf", "oneOf", "anyOf", "$defs"):
                    merged.setdefault(key, value)
        return merged

    def _target(self, pointer: str) -> Any:
        value: Any = self._root
        for token in pointer.removeprefix("#").split("/")[1:]:
            token = token.replace("~1", "/").replace("~0", "~")
            value = value[int(token)] if isinstance(value, list) else value[token]
        return value

    def _kind(self, schema: dict[str, Any]) -> str:
        kinds = schema.get("type")
        if isinstance(kinds, list):
            kinds = self._random.choice([kind for kind in kinds if kind != "null"] or ["null"])
        if kinds:
            return kinds
        if "properties" in schema or "additionalProperties" in schema:
            return "object"
        if "items" in schema or "prefixItems" in schema:
            return "array"
        return "number" if "minimum" in schema or "maximum" in schema else "string"

    def _null(self, *_: Any) -> None:
        return None

    def _boolean(self, *_: Any) -> bool:
        return self._random.random() < 0.5

    def _integer(self, schema: dict[str, Any], *_: Any) -> int:
        low, high = _bounds(schema, 1)
        step = int(schema.get("multipleOf", 1)) or 1
        return self._random.randint(-(-low // step), max(high // step, -(-low // step))) * step

    def _number(self, schema: dict[str, Any], *_: Any) -> float | int:
        low, high = _bounds(schema, 0)
        if high - low < 1 or "multipleOf" in schema:
            return low if schema.get("minimum") == low else high if "maximum" in schema else (low + high) / 2
        return self._random.choice([low + 0.5, int(high)])

    def _string(self, schema: dict[str, Any], *_: Any) -> str:
        shortest, longest = schema.get("minLength", 0), schema.get("maxLength", 10**6)
        if schema.get("contentEncoding") == "base64":
            return "aGVsbG8="
        if "pattern" in schema:
            return self._matching(schema["pattern"])[:longest].ljust(shortest, "a")
        text = FORMATS.get(schema.get("format", ""), self._random.choice(TEXTS))
        return text[:longest].ljust(shortest, "a")

    def _array(self, schema: dict[str, Any], depth: int, _: bool) -> list[Any]:
        fixed = [self._value(item, depth + 1) for item in schema.get("prefixItems", [])]
        least = max(schema.get("minItems", 0), 0 if depth > DEEPEST else 1)
        wanted = min(self._random.randint(least, least + 1), schema.get("maxItems", 10**6))
        items = fixed[:wanted]
        for _ in range(4 * wanted):
            if len(items) >= wanted or schema.get("items") is False:
                break
            item = self._value(schema.get("items", {}), depth + 1)
            if not schema.get("uniqueItems") or json.dumps(item) not in map(json.dumps, items):
                items.append(item)
        return items

    def _object(self, schema: dict[str, Any], depth: int, every: bool) -> dict[str, Any]:
        required = schema.get("required", [])
        share = 1.0 if every else 0.5 / (depth + 1)
        names = [name for name in schema.get("properties", {}) if name in required or self._random.random() < share]
        if not names and depth <= DEEPEST:
            names = list(schema.get("properties", {}))[:1]
        value = {name: self._value(schema["properties"][name], depth + 1) for name in names}
        for name in required:
            if name not in value:
                value[name] = self._value(schema.get("additionalProperties", {}), depth + 1)
        extra = schema.get("additionalProperties")
        while isinstance(extra, dict) and len(value) < max(schema.get("minProperties", 0), 0 if depth > 2 else 1):
            value[f"key{len(value)}"] = self._value(extra, depth + 1)
        return value

    def _matching(self, pattern: str) -> str:
        """A text that a regular expression matches, as far as its kind is known here."""
        try:
            tree = sre_parser.parse(re.sub(r"\(\?<([A-Za-z])", r"(?P<\1", pattern))
        except (re.error, OverflowError):
            return "a"
        return "".join(self._piece(*node) for node in tree)

    def _piece(self, op: Any, argument: Any) -> str:
        if op is sre.LITERAL:
            return chr(argument)
        if op is sre.ANY or op is sre.NOT_LITERAL:
            return "a" if argument != ord("a") else "b"
        if op is sre.IN:
            return self._member(argument)
        if op is sre.BRANCH:
            return "".join(self._piece(*node) for node in self._random.choice(argument[1]))
        if op is sre.SUBPATTERN:
            return "".join(self._piece(*node) for node in argument[3])
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            least, most, body = argument
            times = self._random.randint(least, min(int(most), max(least, 2)))
            return "".join(self._piece(*node) for _ in range(times) for node in body)
        return ""

    def _member(self, choices: list[tuple[Any, Any]]) -> str:
        if choices[0][0] is sre.NEGATE:
            excluded = {argument for op, argument in choices if op is sre.LITERAL}
            return next(c for c in "ab1_-X" if ord(c) not in excluded)
        op, argument = self._random.choice(choices)
        if op is sre.RANGE:
            return chr(self._random.randint(*argument))
        if op is sre.CATEGORY:
            return {sre.CATEGORY_DIGIT: "7", sre.CATEGORY_SPACE: " "}.get(argument, "w")
        return chr(argument)


def _bounds(schema: dict[str, Any], step: int) -> tuple[Any, Any]:
    """Lowest and highest value; `step` keeps off exclusive bounds."""
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    if low is None:
        low = min(1, high) if high is not None else 1
    elif "minimum" not in schema:
        low += step or 0.5
    if high is None:
        high = max(low, 100)
    elif "maximum" not in schema:
        high -= step or 0.5
    return (low, high) if not step else (int(-(-low // 1)), int(high // 1))
