"""Every statement of the five documents, and the page that lists them."""

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
from tests.cli.conftest import RunCommand
from tests.documents.checks import CHECKS
from tests.documents.table import SECTIONS, TABLE

import canfetch
from canfetch.access.fetch_plan import FetchResult, first_request, next_step
from canfetch.access.policies import get_policy
from canfetch.access.responses import Response
from canfetch.lint import Linter, LintInput

ROOT: Final = Path(__file__).parents[2]
ORIGIN: Final = canfetch.Origin.from_url("https://example.com/")
# What a statement needs to be checked.
KINDS: Final = frozenset(
    ("allowed", "disallowed", "groups", "lint", "without", "fixed", "run", "statuses", "cases", "check")
)
KEYS: Final = KINDS | {"says", "robots", "profile", "path", "url", "code", "shows", "policy"}
STATEMENTS: Final = [
    pytest.param(statement, id=f"{section.document}-section-{place}-statement-{number}")
    for place, section in enumerate(SECTIONS, 1)
    for number, statement in enumerate(section.statements, 1)
]


def statements_with(*kinds: str) -> pytest.MarkDecorator:
    found = [parameters for parameters in STATEMENTS if any(kind in parameters.values[0] for kind in kinds)]  # type: ignore[operator]
    return pytest.mark.parametrize("statement", found)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_statement_has_a_check(statement: dict[str, Any]) -> None:
    assert set(statement) <= KEYS
    assert KINDS & set(statement)
    assert statement["says"].endswith(".")


@statements_with("allowed", "disallowed", "groups")
def test_verdicts_of_documents(statement: dict[str, Any], engine: str) -> None:
    robots = canfetch.parse(statement["robots"], profile=statement.get("profile", "rfc9309"), engine=engine)
    for agent, url in statement.get("allowed", ()):
        assert robots.allows(url, agent=agent), (agent, url)
    for agent, url in statement.get("disallowed", ()):
        assert not robots.allows(url, agent=agent), (agent, url)
    if "groups" in statement:
        assert {" ".join(group.tokens): len(group.rules) for group in robots.groups} == statement["groups"]


@statements_with("lint", "without", "fixed")
def test_findings_and_fixes_of_documents(statement: dict[str, Any]) -> None:
    given = LintInput(statement["robots"].encode(), path=statement.get("path"), url=statement.get("url"))
    linter = Linter()
    codes = {finding.check.code for finding in linter.lint(given).findings}
    assert codes >= set(statement.get("lint", ()))
    assert not codes & set(statement.get("without", ()))
    if "fixed" in statement:
        assert linter.fix(given, unsafe=True).content.decode() == statement["fixed"]


@statements_with("run")
def test_commands_of_documents(statement: dict[str, Any], run: RunCommand) -> None:
    ran = run(*statement["run"], stdin=statement.get("robots", "").encode())
    assert ran.code == statement.get("code", 0), ran.err
    for text in statement["shows"]:
        assert text in ran.out + ran.err


@statements_with("statuses")
def test_statuses_of_documents(statement: dict[str, Any]) -> None:
    policy = get_policy(statement["policy"])
    misconfigured = str(ORIGIN) in policy.misconfigured_origins
    for status, effect in statement["statuses"].items():
        step = next_step(
            first_request(ORIGIN, misconfigured=misconfigured),
            Response(ORIGIN.robots_url, int(status), (), b""),
            policy,
        )
        assert isinstance(step, FetchResult)
        # Without a copy, the first phase of an unreachable origin decides.
        found = step.outcome.effect or policy.while_unreachable[0].without_copy
        assert found == effect, status


@statements_with("cases")
def test_cases_of_documents_exist(statement: dict[str, Any]) -> None:
    assert set(statement["cases"]) <= CASES


@statements_with("check")
def test_checks_of_documents(statement: dict[str, Any]) -> None:
    CHECKS[statement["check"]]()


def test_every_check_is_for_a_statement() -> None:
    assert set(CHECKS) == {one["check"] for section in SECTIONS for one in section.statements if "check" in one}


def _all_cases() -> frozenset[str]:
    paths = (ROOT / "conformance").rglob("*.toml")
    return frozenset(
        case["id"]
        for path in paths
        for case in tomllib.loads(path.read_bytes().decode("utf-8", "replace")).get("case", [])
    )


CASES: Final = _all_cases()


def test_page_lists_every_section() -> None:
    page = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
    for document in TABLE["document"]:
        assert f"[{document['title']}]({document['url']})" in page
        assert document["language"] in page
    rows = re.findall(r"^\| (.+) \| (.+) \| (\d+) \|$", page, re.MULTILINE)
    expected = [(section.name, section.use, str(len(section.statements))) for section in SECTIONS]
    # The page has the documents in the order of their readers.
    assert sorted(rows) == sorted(expected)
    total = sum(len(section.statements) for section in SECTIONS)
    assert f"{total} statements" in page
