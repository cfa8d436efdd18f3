"""`canfetch/robots-parser` answers as robots-parser does, except where docs/javascript.md lists a difference."""

import json
import re
from typing import Any

import pytest
from tests.docs.blocks import blocks
from tests.npm.conftest import ROOT, Project, Runtime

pytestmark = pytest.mark.service

PAGE = ROOT / "docs" / "javascript.md"
FILES = 5000
# The differences of the documentation, and what generated files need to show them.
FEATURES = ["escapes", "groups", "empty groups", "robots.txt"]


def test_the_tests_of_robots_parser_pass(runtime: Runtime) -> None:
    results = json.loads(runtime.run("suite.cjs", "node_modules/robots-parser/test/Robots.js"))
    assert results["failed"] == []
    assert len(results["passed"]) == 41


def test_generated_files_have_the_same_answers(with_robots_parser: Project) -> None:
    found = compare(with_robots_parser)
    assert found["different"] == 0, found["examples"]
    assert found["decisions"] == FILES * 12


@pytest.mark.parametrize("feature", FEATURES)
def test_only_listed_features_of_files_differ(with_robots_parser: Project, feature: str) -> None:
    assert compare(with_robots_parser, feature)["different"] > 0


def test_delays_are_those_of_the_groups_whose_rules_apply(runtime: Runtime) -> None:
    assert runtime.run("delays.cjs") == "done\n"


def compare(project: Project, *features: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(project.run("node", "differences.mjs", ".", str(FILES), *features))
    return found


def test_the_documentation_lists_each_difference(with_robots_parser: Project) -> None:
    """The table of docs/javascript.md has the answers of both packages."""
    listed = json.loads(with_robots_parser.run("node", "listed.cjs"))
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition("| a file with | robots-parser | canfetch | reason |\n")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in table.splitlines()[1:]]
    by_title = {row[0]: row for row in rows}
    assert [row[0] for row in rows] == list(dict.fromkeys(one["title"] for one in listed))
    for one in listed:
        _, theirs, ours, reason = by_title[one["title"]]
        assert (one["theirs"], one["ours"]) == (one["expectedTheirs"], one["expectedOurs"]), one
        assert "section 2." in reason
        for answer, shown in ((one["theirs"], theirs), (one["ours"], ours)):
            assert shown.startswith("the rule") or ("allowed" in shown and answer is not ("disallowed" in shown))


def test_the_programs_of_the_documentation(with_robots_parser: Project) -> None:
    """They print what their comments say. The crawler has the same output with both packages."""
    programs = [block for block in blocks(PAGE) if block.language == "js"]
    assert len(programs) == 7
    for number, block in enumerate(programs):
        name = block.file or f"program{number}.mjs"
        (with_robots_parser.folder / name).write_text(block.text, encoding="utf-8")
        expected = re.findall(r"console\.log\(.*\); // (.*)$", block.text, re.MULTILINE)
        if block.file is None:
            assert with_robots_parser.run("node", name).splitlines() == expected
    folder = with_robots_parser.folder
    assert (folder / "engine.wasm").read_bytes() == (ROOT / "build" / "engine.wasm").read_bytes()

    after = with_robots_parser.run("node", "--import", "./site.mjs", "crawler.mjs")
    # robots-parser takes text only.
    crawler = (folder / "crawler.mjs").read_text(encoding="utf-8").replace("canfetch/robots-parser", "robots-parser")
    (folder / "before.mjs").write_text(crawler.replace("robots-file.mjs", "robots-text.mjs"), encoding="utf-8")
    file = (folder / "robots-file.mjs").read_text(encoding="utf-8")
    (folder / "robots-text.mjs").write_text(file.replace("arrayBuffer()", "text()"), encoding="utf-8")
    assert after == with_robots_parser.run("node", "--import", "./site.mjs", "before.mjs")
    assert after.splitlines() == [
        "https://example.com/: 200",
        "https://example.com/sitemap.xml: 200",
        "https://example.com/fish: 200",
        "https://example.com/private/: line 2",
        "https://example.com/private/press: 200",
        "https://example.com/more: 404",
        "https://example.com/moved: 301",
        "https://example.com/private/secret: line 2",
    ]


@pytest.mark.parametrize(
    "delay, milliseconds", [("2", "2000"), ("2147484", "86400000"), ("Infinity", "86400000"), ("-5", "0")]
)
def test_the_crawler_of_the_documentation_limits_delays(
    with_robots_parser: Project, delay: str, milliseconds: str
) -> None:
    for block in blocks(PAGE):
        if block.file in ("crawler.mjs", "robots-file.mjs"):
            (with_robots_parser.folder / block.file).write_text(block.text, encoding="utf-8")
    site = ("env", f"DELAY={delay}", "node", "--import", "./site.mjs")
    waits = [line for line in with_robots_parser.run(*site, "crawler.mjs").splitlines() if ":" not in line]
    assert waits == [milliseconds] * 6


@pytest.mark.parametrize(
    "status, allows",
    [("200", True), ("404", True), ("403", True), ("429", False), ("500", False), ("503", False), ("0", False)],
)
def test_the_file_that_stands_for_a_status(with_robots_parser: Project, status: str, *, allows: bool) -> None:
    """The programs of the documentation follow RFC 9309 section 2.3.1."""
    folder = with_robots_parser.folder
    for block in blocks(PAGE):
        if block.language == "js" and block.file is not None:
            (folder / block.file).write_text(block.text, encoding="utf-8")
    site = ("env", f"STATUS={status}", "node", "--import", "./site.mjs")
    (line,) = with_robots_parser.run(*site, "decide.mjs").splitlines()
    assert line.startswith("allowed: " if allows else "disallowed: line 2")
    crawled = with_robots_parser.run(*site, "crawler.mjs").splitlines()
    assert crawled[0] == f"https://example.com/: {'200' if allows else 'line 2'}"
    assert (len(crawled) > 1) is allows
