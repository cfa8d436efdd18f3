"""The cases of extension records, with both engines, and the schema of their files."""

import json
import tomllib
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from conformance.cases import ROOT
from tests.missing import in_ci

import canfetch
from canfetch.extensions import ExtensionNote

FILES = sorted((ROOT / "extensions").glob("*.toml"))
CASES: list[dict[str, Any]] = [case for path in FILES for case in tomllib.loads(path.read_bytes().decode())["case"]]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.name))
def test_file_matches_schema(path: Path) -> None:
    if in_ci() and find_spec("jsonschema") is None:
        pytest.fail("jsonschema is not installed, but CI requires it")
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    schema = json.loads((ROOT / "extensions" / "schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)

    errors = jsonschema.Draft202012Validator(schema).iter_errors(tomllib.loads(path.read_bytes().decode()))

    assert [f"{error.json_path}: {error.message}" for error in errors] == []


def test_ids_are_unique() -> None:
    assert [name for name, times in Counter(case["id"] for case in CASES).items() if times > 1] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_case(case: dict[str, Any], engine: str) -> None:
    robots = canfetch.parse(case["robots"], engine=engine)
    for expected in case.get("usage", ()):
        usage = robots.usage(expected["url"], agent=expected["agent"], purpose=expected["purpose"])
        assert (str(usage.preference), list(usage.lines)) == (expected["preference"], expected["lines"]), expected
    for expected in case.get("canonical", ()):
        assert robots.canonical(expected["url"]) == expected["is"]
        assert robots.canonical(expected["is"]) == expected["is"]
    for expected in case.get("licenses", ()):
        urls = [found.parsed.url for found in robots.licenses(agent=expected["agent"])]
        assert urls == expected["urls"], expected
    for expected in case.get("delays", ()):
        assert robots.crawl_delay(agent=expected["agent"]) == expected.get("seconds"), expected
    if "records" in case:
        assert [
            {
                "line": record.line,
                "name": record.name,
                "scope": str(record.scope),
                "readable": ExtensionNote.UNREADABLE not in record.notes,
                "known": ExtensionNote.UNKNOWN_RECORD not in record.notes,
            }
            for record in robots.extensions
        ] == [{"readable": True, "known": True, **record} for record in case["records"]]
