"""Expressions match where patterns match: a second opinion that shares no matching with the engines."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import canfetch
from canfetch.author.regexes import matches_target, path_regex, target_regex

PIECES = [
    *"abA/?=&:;,@+!'()[]-._~",
    "%41",
    "%2F",
    "%2f",
    "%3A",
    "%3a",
    "%3F",
    "%20",
    "%C3%A9",
    "%c3%a9",
    "%26",
    "%2A",
    "%24",
]
IN_PATTERNS = st.lists(st.sampled_from([*PIECES, "*", "*", '"', "{", "\\", "|"]), max_size=7)
IN_TARGETS = st.lists(st.sampled_from([*PIECES, "*", "$", '"', "{", "\\", "|"]), max_size=9)
PATTERNS = st.builds(lambda rest, end: "/" + "".join(rest) + end, IN_PATTERNS, st.sampled_from(["", "$"]))


def has_dot_segments(target: str) -> bool:
    path = target.partition("?")[0].replace("%2E", ".").replace("%2e", ".")
    return bool({".", ".."} & set(path.split("/")))


@given(pattern=PATTERNS, target=IN_TARGETS.map(lambda rest: "/" + "".join(rest)))
def test_rfc9309_2_2_2_expressions_match_where_patterns_do(pattern: str, target: str) -> None:
    if has_dot_segments(target) or target.startswith("//"):
        return
    robots = canfetch.parse(f"User-agent: *\nDisallow: {pattern}\n")
    assert matches_target(pattern, target) is not robots.allows(target, agent="ExampleBot")


@given(pattern=PATTERNS, data=st.data())
def test_rfc9309_2_2_2_expressions_match_what_a_pattern_was_made_of(pattern: str, data: st.DataObject) -> None:
    # The same, with targets that are near.
    parts = pattern.removesuffix("$").split("*")
    fillings = [data.draw(st.sampled_from(["", "a", "/b", "?"])) for _ in parts]
    target = "".join(part + filling for part, filling in zip(parts, fillings, strict=True))
    if has_dot_segments(target) or target.startswith("//"):
        return
    robots = canfetch.parse(f"User-agent: *\nDisallow: {pattern}\n")
    assert matches_target(pattern, target) is not robots.allows(target, agent="ExampleBot")


@given(pattern=PATTERNS)
def test_expressions_hold_nothing_that_servers_give_a_meaning(pattern: str) -> None:
    expression = target_regex(pattern)
    re.compile(expression)
    assert expression.isascii()
    assert not set("\"'`{}# \t\n") & set(expression)
    assert "\\\\" not in expression
    assert "(?=" not in expression


def test_expressions_of_decoded_paths() -> None:
    assert path_regex("/a.b/*.gif$") == r"/a\x2Eb/.*\x2Egif$"
    assert re.match(path_regex("/f%C3%BCr%20x"), "/f\u00fcr x")
    assert path_regex("/a%2Ab%2F%3A:") == r"/a(?:\x2A|%2A)b%2F%3A\x3A"


@pytest.mark.parametrize("pattern", ["/a?b", "/*?", "/a%2F?"])
def test_expressions_of_decoded_paths_refuse_what_is_not_in_one(pattern: str) -> None:
    with pytest.raises(canfetch.errors.InvalidSitePolicy, match="cannot be told from a path"):
        path_regex(pattern)


def test_expressions_of_decoded_paths_refuse_what_is_no_text() -> None:
    with pytest.raises(canfetch.errors.InvalidSitePolicy, match="is not UTF-8"):
        path_regex("/%E9")
