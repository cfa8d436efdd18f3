"""`canfetch/robots-parser` answers as robots-parser does, except where docs/javascript.md lists a difference."""

import json
from typing import Any

import pytest
from tests.npm.conftest import ROOT, Project

pytestmark = pytest.mark.service

FILES = 5000
# The differences of the documentation, and what generated files need to show them.
FEATURES = ["escapes", "groups", "empty groups", "robots.txt"]


def test_the_tests_of_robots_parser_pass(with_robots_parser: Project) -> None:
    results = json.loads(with_robots_parser.run("node", "suite.cjs", "node_modules/robots-parser/test/Robots.js"))
    assert results["failed"] == []
    assert len(results["passed"]) == 41


def test_generated_files_have_the_same_answers(with_robots_parser: Project) -> None:
    found = compare(with_robots_parser)
    assert found["different"] == 0, found["examples"]
    assert found["decisions"] == FILES * 12


@pytest.mark.parametrize("feature", FEATURES)
def test_only_listed_features_of_files_differ(with_robots_parser: Project, feature: str) -> None:
    assert compare(with_robots_parser, feature)["different"] > 0


def compare(project: Project, *features: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(project.run("node", "differences.mjs", ".", str(FILES), *features))
    return found


def test_the_documentation_lists_each_difference(with_robots_parser: Project) -> None:
    """The table of docs/javascript.md has the answers of both packages."""
    listed = json.loads(with_robots_parser.run("node", "listed.cjs"))
    text = (ROOT / "docs" / "javascript.md").read_text(encoding="utf-8")
    table = text.partition("| a file with | robots-parser | canfetch |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in row.strip("| ").split("|")] for row in table.splitlines()[2:]]
    assert [row[0] for row in rows] == [one["title"] for one in listed]
    for one in listed:
        assert one["theirs"] == one["expectedTheirs"], one
        assert one["ours"] == one["expectedOurs"], one
