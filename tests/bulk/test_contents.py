"""Rules, sitemaps and counts of files."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.strategies import any_content

from canfetch import parse
from canfetch.bulk import metrics, rules, sitemaps
from canfetch.errors import InvalidColumn

CONTENT = """User-agent: a
User-agent: B
Disallow: /x
Allow: /é

User-agent: *
Content-Signal: ai-train=no
Disallow:
Sitemap: https://example.com/s.xml
Sitemap: https://example.com/t.xml
"""


def test_rules_are_the_lines_of_groups(engine: str) -> None:
    found = rules([CONTENT, None, ""], engine=engine).to_pylist()
    names = ["group", "agent", "kind", "pattern", "line"]
    expected = [
        (0, "a", "user-agent", None, 1),
        (0, "B", "user-agent", None, 2),
        (0, None, "disallow", "/x", 3),
        (0, None, "allow", "/é", 4),
        (1, "*", "user-agent", None, 6),
        (1, None, "disallow", "", 8),
    ]
    assert found == [[dict(zip(names, row, strict=True)) for row in expected], None, []]


@pytest.mark.slow
@given(contents=st.lists(any_content(), max_size=4))
def test_rules_and_sitemaps_are_those_of_parse(contents: list[bytes], engine: str) -> None:
    for content, found in zip(contents, rules(contents, engine=engine), strict=True):
        lines: list[int] = []
        for group in parse(content, engine=engine).groups:
            lines += [user_agent.line for user_agent in group.user_agents]
            lines += [rule.line for rule in group.rules]
        assert [row["line"] for row in found] == lines
    assert sitemaps(contents, engine=engine).to_pylist() == [list(parse(content).sitemaps) for content in contents]


def test_sitemaps_of_each_file(engine: str) -> None:
    assert sitemaps([CONTENT, None, CONTENT, ""], engine=engine).to_pylist() == [
        ["https://example.com/s.xml", "https://example.com/t.xml"],
        None,
        ["https://example.com/s.xml", "https://example.com/t.xml"],
        [],
    ]


def test_columns_of_integers_raise(engine: str) -> None:
    with pytest.raises(InvalidColumn):
        rules([1], engine=engine)
    with pytest.raises(InvalidColumn):
        metrics([1])


def metrics_of(content: str | bytes) -> dict[str, Any]:
    """Return the counts of one file."""
    row: dict[str, Any] = metrics([content]).to_pylist()[0]
    return row


def test_httparchive_metrics_of_an_ordinary_file() -> None:
    found = metrics_of(CONTENT + "# a comment\nDisallow: /y # another\nNoindex: /z\n")
    counts = found.pop("record_counts")
    assert found == {
        "size": len(CONTENT) + 47,
        "size_kib": (len(CONTENT) + 47) / 1024,
        "over_google_limit": False,
        "comment_count": 2,
    }
    assert counts["by_type"] == {
        "sitemap": 2,
        "user_agent": 3,
        "allow": 1,
        "disallow": 3,
        "crawl_delay": 0,
        "noindex": 1,
        "other": 1,
    }
    agents = {row.pop("user_agent"): row for row in counts["by_useragent"]}
    assert agents["a"] == agents["b"] == {"allow": 1, "disallow": 1, "crawl_delay": 0, "noindex": 0, "other": 0}
    assert agents["*"] == {"allow": 0, "disallow": 2, "crawl_delay": 0, "noindex": 1, "other": 1}


@pytest.mark.parametrize(
    "content, other, comments",
    [
        ("words", 1, 0),
        (" allow: /", 0, 0),
        ("a: b\n allow: /", 2, 0),
        ("a: b\n  \nc: d", 3, 0),
        ("a: b\n  \n # c\nc: d", 2, 1),
        ("a: b\n  \n# c\n# d", 1, 2),
        ("a: b#c", 1, 0),
        ("a: b #c #d", 1, 1),
        ("al low: /", 1, 0),
        ("allow : /", 0, 0),
        ("crawl_delay: 1", 0, 0),
    ],
)
def test_httparchive_lines_count_by_their_key(content: str, other: int, comments: int) -> None:
    found = metrics_of(content)
    assert (found["record_counts"]["by_type"]["other"], found["comment_count"]) == (other, comments)


def test_httparchive_size_is_in_utf_16() -> None:
    assert metrics_of("\ufeff\U0001f600é".encode())["size"] == 3
    assert metrics_of(b"\xff" * 5)["size"] == 5
    large = metrics_of(b"#" * 512_001)
    assert (large["over_google_limit"], large["size_kib"]) == (True, 512_001 / 1024)


@pytest.mark.slow
@given(content=any_content())
def test_metrics_never_raise(content: bytes) -> None:
    by_type = metrics_of(content)["record_counts"]["by_type"]
    assert all(count >= 0 for count in by_type.values())
