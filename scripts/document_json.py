"""Write the JSON form of an OpenAPI document kept as YAML: `document_json.py openapi.yaml openapi.json`."""

import json
import pathlib
import sys

import yaml


def json_form(source: str) -> str:
    return json.dumps(yaml.safe_load(source), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    source, target = map(pathlib.Path, sys.argv[1:])
    target.write_text(json_form(source.read_text(encoding="utf-8")), encoding="utf-8")
