"""The published examples are complete and agree with each other."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
import yaml

from document_json import json_form
from harness.envoy import validate
from harness.net import ROOT, free_port
from harness.stack import EXAMPLES, example, example_bootstrap


def plugin_text(config: Any) -> dict[str, Any]:
    """The filter configuration inside an example."""
    if isinstance(config, dict) and "configuration" in config:
        return yaml.safe_load(config["configuration"]["value"])
    for value in config.values() if isinstance(config, dict) else config if isinstance(config, list) else []:
        found = plugin_text(value)
        if found:
            return found
    return {}


@pytest.mark.parametrize("leader", [False, True])
def test_envoy_accepts_the_example(leader: bool) -> None:
    validate(example_bootstrap(free_port(), free_port(), leader))


def test_the_leader_has_the_configuration_of_the_filter() -> None:
    leader = plugin_text(example("leader.yaml"))
    assert leader.pop("role") == "leader"
    assert leader == plugin_text(example("envoy.yaml"))


def test_the_filter_waits_for_bodies_and_reloads() -> None:
    text = (EXAMPLES / "envoy.yaml").read_text()
    assert "allow_on_headers_stop_iteration: true" in text
    assert "failure_policy: FAIL_RELOAD" in text


def test_compose_mounts_what_envoy_reads() -> None:
    services = example("compose.yaml")["services"]
    assert set(services) == {"envoy", "upstream"}
    targets = [volume.split(":")[1] for volume in services["envoy"]["volumes"]]
    assert targets == ["/etc/envoy/envoy.yaml", "/etc/envoy/openapi-mcp-filter.wasm"]
    for target in targets[1:]:
        assert target in (EXAMPLES / "envoy.yaml").read_text()
    for service in services.values():
        assert set(service) <= {"build", "image", "command", "ports", "expose", "volumes", "depends_on", "healthcheck"}
        assert service["healthcheck"]["test"][0] == "CMD"
    for volume in services["envoy"]["volumes"]:
        source = (EXAMPLES / volume.split(":")[0]).resolve()
        assert source.exists() or source.parts[-2] == "dist"
    assert services["envoy"]["depends_on"] == {"upstream": {"condition": "service_healthy"}}


def test_the_image_holds_every_file_of_the_upstream() -> None:
    recipe = (EXAMPLES / "upstream" / "Dockerfile").read_text()
    for path in (EXAMPLES / "upstream").iterdir():
        if path.suffix in (".py", ".json", ".yaml"):
            assert path.name in recipe


def test_both_forms_of_the_document_are_one() -> None:
    folder = EXAMPLES / "upstream"
    text = json_form((folder / "openapi.yaml").read_text(encoding="utf-8"))
    assert text == (folder / "openapi.json").read_text(encoding="utf-8"), "run `make envoy/upstream/openapi.json`"


def test_the_document_describes_the_operations_of_the_upstream() -> None:
    from server import Api

    document = json.loads((EXAMPLES / "upstream" / "openapi.json").read_text())
    described = {
        (method.upper(), path.split("{")[0])
        for path, item in document["paths"].items()
        for method in item
        if method != "parameters"
    }
    served = {(method, pattern.pattern.split("(")[0]) for method, pattern, _ in Api(library=None)._routes}  # type: ignore[arg-type]
    assert described == served


def test_kong_has_the_routes_its_chains_name() -> None:
    config = example("kong/kong.yaml")
    routes = {route["name"] for service in config["services"] for route in service["routes"]}
    for chain in config["filter_chains"]:
        assert chain["route"] in routes
        assert [one["name"] for one in chain["filters"]] == ["openapi-mcp-filter"]


def test_kongs_metadata_accepts_the_examples_configuration() -> None:
    import jsonschema

    schema = json.loads((EXAMPLES / "kong" / "openapi-mcp-filter.meta.json").read_text())["config_schema"]
    config = example("kong/kong.yaml")["filter_chains"][0]["filters"][0]["config"]
    jsonschema.Draft4Validator(schema).validate(config)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft4Validator(schema).validate({**config, "upstream": []})


def test_the_demo_shows_a_list_and_a_call() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "demo.py"), "--once"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert "library_search_books(query?" in shown.stdout
    assert "| b11 | The Quiet Harbour |" in shown.stdout
