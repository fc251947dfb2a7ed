"""The official MCP conformance suite against Envoy.

The expected-failures files name, for each entry, the feature that is missing. The suite fails when a scenario that
stands there passes, so the files never lag behind.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import upstream as answers
from harness.documents import filter_config
from harness.envoy import Envoy
from harness.gateways import Gateways
from harness.mock import MockUpstream
from harness.net import HOST, ROOT

HERE = Path(__file__).resolve().parent
NODE = ROOT / ".tools" / "node" / "bin" / "node"
SUITE = HERE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
UNSCORED = ["http-header-validation", "http-custom-header-server-validation", "json-schema-2020-12"]


@pytest.fixture(scope="module")
def endpoint(module_gateway: Gateways) -> Iterator[str]:
    mock = MockUpstream()
    mock.serve_document((HERE / "openapi.yaml").read_bytes(), "/openapi.yaml", content_type="application/yaml")
    answers.serve(mock)
    document = {"path": "/openapi.yaml", "refresh": 0}
    config = filter_config({"document": document}, {"schemaProfile": "full"})
    envoy: Envoy = module_gateway(config, {"api": mock.port})
    yield f"http://{HOST}:{envoy.port}/mcp"
    mock.close()


def suite(endpoint: str, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(NODE), str(SUITE), "server", "--url", endpoint, "-o", str(tmp_path), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=400, check=False, stdin=subprocess.DEVNULL, cwd=tmp_path
    )


@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
def test_required_scenarios(endpoint: str, tmp_path: Path, revision: str) -> None:
    expected = HERE / f"expected-failures-{revision}.yaml"
    done = suite(endpoint, tmp_path, "--requirements", revision, "--expected-failures", str(expected))
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-4000:]


@pytest.mark.parametrize("scenario", UNSCORED)
def test_scenarios_that_the_suite_does_not_score_yet(endpoint: str, tmp_path: Path, scenario: str) -> None:
    done = suite(endpoint, tmp_path, "--scenario", scenario, "--spec-version", "2026-07-28")
    expected = yaml.safe_load((HERE / "expected-failures-unscored.yaml").read_text())["server"]
    failed = done.returncode != 0
    assert failed == (scenario in expected), done.stdout[-6000:] + done.stderr[-4000:]


def test_every_expected_failure_names_its_reason() -> None:
    for path in HERE.glob("expected-failures-*.yaml"):
        for line in path.read_text().splitlines():
            if line.strip().startswith("- "):
                assert "#" in line, f"{path.name}: {line.strip()} has no reason"
