"""The conformance cases of page-level rules, and the schema of their files."""

import json
import tomllib
from collections import Counter
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.missing import in_ci

from canfetch import Agent, parse
from canfetch.pages import PAGE_DIALECTS, PageRules, PageSource, parse_page
from canfetch.pages.directives import note_names
from canfetch.pages.verdict import DECISION_NAMES

pytest.importorskip("lxml", reason="lxml is not installed")

FOLDER = Path(__file__).parents[2] / "conformance" / "pages"
FILES = sorted(FOLDER.glob("*.toml"))
CASES: list[dict[str, Any]] = [case for path in FILES for case in tomllib.loads(path.read_bytes().decode())["case"]]
# The keys that describe the parsed page.
PAGE_KEYS = {"directives", "notes", "lines", "qualifiers", "no_snippets"}
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def page_of(case: dict[str, Any], url: str | None) -> PageRules:
    html = case.get("html")
    encoding = case.get("html_encoding", "utf-8")
    return parse_page(
        None if html is None else html.encode(encoding),
        headers=[tuple(part.strip() for part in line.split(":", 1)) for line in case.get("headers", ())],
        url=url,
        tdm_file=case.get("tdm_file"),
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_file_follows_the_schema(path: Path) -> None:
    if in_ci() and find_spec("jsonschema") is None:
        pytest.fail("jsonschema is not installed, but CI requires it")
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    schema = json.loads((FOLDER / "schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    errors = jsonschema.Draft202012Validator(schema).iter_errors(tomllib.loads(path.read_bytes().decode()))
    assert [f"{error.json_path}: {error.message}" for error in errors] == []


def test_schema_and_readme_list_every_decision_and_dialect() -> None:
    schema = json.loads((FOLDER / "schema.json").read_text("utf-8"))
    readme = (FOLDER / "README.md").read_text("utf-8")
    assert tuple(schema["$defs"]["decision"]["enum"]) == DECISION_NAMES
    assert schema["$defs"]["expect"]["properties"]["dialect"]["enum"] == list(PAGE_DIALECTS)
    assert [name for name in (*DECISION_NAMES, *PAGE_DIALECTS) if f"`{name}`" not in readme] == []


def test_every_id_is_unique() -> None:
    assert [name for name, times in Counter(case["id"] for case in CASES).items() if times > 1] == []


@pytest.mark.parametrize("case", [case for case in CASES if PAGE_KEYS & case.keys()], ids=lambda case: case["id"])
def test_parsed_page(case: dict[str, Any]) -> None:
    page = page_of(case, case.get("url"))

    if "directives" in case:
        assert [str(directive) for directive in page.directives] == case["directives"]
    if "notes" in case:
        notes = {str(number): note_names(one.notes) for number, one in enumerate(page.directives, 1) if one.notes}
        assert notes == case["notes"]
    if "lines" in case:
        positions = [one.position for one in page.directives if one.position.source is PageSource.META]
        assert [position.line for position in positions] == case["lines"]
    if "qualifiers" in case:
        assert [list(link.qualifiers) for link in page.links] == case["qualifiers"]
    if "no_snippets" in case:
        assert [element.valid for element in page.no_snippets] == case["no_snippets"]


@pytest.mark.parametrize(
    "case, expected",
    [
        pytest.param(case, expected, id=f"{case['id']}-{number}")
        for case in CASES
        for number, expected in enumerate(case["expect"])
    ],
)
def test_decisions(case: dict[str, Any], expected: dict[str, Any]) -> None:
    url: Any = expected.get("url", case.get("url"))
    agent = Agent(expected["agent"], star_applies=expected.get("star_applies", True))
    robots = parse(case["robots"]).decide(url, agent=agent) if "robots" in case else None

    verdict = page_of(case, url).decide(
        agent=agent,
        now=expected.get("now", NEW_YEAR).timestamp(),
        robots=robots,
        dialect=expected["dialect"],
    )

    assert verdict.fetch_allowed is expected.get("fetch_allowed", True)
    names = [name for name in DECISION_NAMES if name in expected]
    assert {name: getattr(verdict, name).allowed for name in names} == {name: expected[name] for name in names}
    limits = expected.get("limits", {})
    assert {name: getattr(verdict, name).limit for name in limits} == limits
    for name, decider in expected.get("decided_by", {}).items():
        decision = getattr(verdict, name)
        assert decider == (str(decision.reason) if decision.directive is None else str(decision.directive))
