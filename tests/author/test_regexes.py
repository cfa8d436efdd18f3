"""Regexes match exactly where patterns match, with code that the engines do not share."""

import re
from itertools import count
from urllib.parse import quote, unquote_to_bytes

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import canfetch
from canfetch.author.regexes import application_regex, atomic_regex, matches_target, path_regex, target_regex

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
def test_rfc9309_2_2_2_regexes_match_like_patterns(pattern: str, target: str) -> None:
    if has_dot_segments(target) or target.startswith("//"):
        reject()
    robots = canfetch.parse(f"User-agent: *\nDisallow: {pattern}\n")
    assert matches_target(pattern, target) is not robots.allows(target, agent="ExampleBot")


@given(pattern=PATTERNS, data=st.data())
def test_rfc9309_2_2_2_regexes_match_like_patterns_for_similar_targets(pattern: str, data: st.DataObject) -> None:
    parts = pattern.removesuffix("$").split("*")
    fillings = [data.draw(st.sampled_from(["", "a", "/b", "?"])) for _ in parts]
    target = "".join(part + filling for part, filling in zip(parts, fillings, strict=True))
    if has_dot_segments(target) or target.startswith("//"):
        reject()
    robots = canfetch.parse(f"User-agent: *\nDisallow: {pattern}\n")
    assert matches_target(pattern, target) is not robots.allows(target, agent="ExampleBot")


@given(pattern=PATTERNS, data=st.data())
def test_atomic_regexes_match_the_same(pattern: str, data: st.DataObject) -> None:
    fillings = ["", "a", "/b", "?", "//", "%2F"]
    parts = pattern.removesuffix("$").split("*")
    target = "".join(part + data.draw(st.sampled_from(fillings)) for part in parts)
    for regex in (target_regex(pattern), application_regex(pattern)):
        is_match = re.match(regex, target, re.DOTALL) is not None
        for atomic in (atomic_regex(regex), atomic_regex(regex, count(1))):
            assert (re.match(atomic, target, re.DOTALL) is not None) is is_match


@pytest.mark.parametrize(
    "pattern, target",
    [
        ("/*a*a*a*a*a*b", "/" + "a" * 8_000),
        ("/*?*s=*s=*s=*&page=", "/q" + "?" * 2_000 + "s=" * 3_000),
        ("/*a*b*c*d*e$", "/" + "a" * 2_000 + "b" * 2_000 + "c" * 2_000 + "d" * 2_000 + "e" * 2_000 + "/"),
        ("/a////////////////b", "/a" + "/" * 8_000 + "c"),
        ("/index.php*?a=*b", "/index.php" + "/" * 200_000),
    ],
)
def test_long_targets_take_linear_time(pattern: str, target: str) -> None:
    # With backtracking, none of them would end.
    for regex in (target_regex(pattern), application_regex(pattern)):
        for atomic in (atomic_regex(regex), atomic_regex(regex, count(1))):
            assert re.match(atomic, target, re.DOTALL) is None
    assert not matches_target(pattern, target)


@given(pattern=PATTERNS, target=IN_TARGETS.map(lambda rest: "/" + "".join(rest)), slashes=st.integers(0, 2))
def test_application_regexes_match_whatever_an_application_may_route(pattern: str, target: str, slashes: int) -> None:
    path, mark, query = target.partition("?")
    read = quote(re.sub(rb"/{2,}", b"/", unquote_to_bytes(path)), safe="/!$&'()*+,;=:@") + mark + query
    if has_dot_segments(read) or "%00" in path:
        reject()
    regex = re.compile(application_regex(pattern), re.DOTALL)
    robots = canfetch.parse(f"User-agent: *\nDisallow: {pattern}\n")
    sent = path.replace("/", "/" * (slashes + 1)) + mark + query
    if matches_target(pattern, target):
        assert regex.match(target)
    if not robots.allows(read, agent="ExampleBot"):
        assert regex.match(sent)
    assert not set("\"'`{}# \t\n") & set(regex.pattern)


@pytest.mark.parametrize(
    "pattern, target, is_match",
    [
        ("/private/", "/private%2Fx", True),
        ("/private/", "//private/", True),
        ("/private/$", "/private//", True),
        ("/a.pdf$", "/a.pdf/", True),
        ("/a.pdf$", "/a.pdf%2F/", True),
        ("/*.pdf$", "/a.pdf//", True),
        ("/a.pdf?", "/a.pdf/?x", True),
        ("/a.pdf$", "/a.pdf/x", False),
        ("/page$", "/page/", False),
        ("/a:b", "/a%3Ab", True),
        ("/a%3Ab", "/a:b", True),
        ("/a?b", "/a?b", True),
        ("/shop/?id=", "/shop//?id=1", True),
        ("/shop/?id=", "/shop%2F/?id=1", True),
        ("/shop/?id=", "/shop/x?id=1", False),
        ("/a?b", "/a%3Fb", False),
        ("/a%3Fb", "/a?b", False),
        ("/100%25", "/100%25", True),
        ("/100%25", "/100%41", False),
        ("/private/", "/open/private/", False),
        ("/*/x/*", "/a//x//", True),
    ],
)
def test_application_regexes(pattern: str, target: str, is_match: object) -> None:
    assert (re.match(application_regex(pattern), target) is not None) is is_match


@given(pattern=PATTERNS)
def test_regexes_contain_no_characters_with_a_meaning_in_servers(pattern: str) -> None:
    regex = target_regex(pattern)
    re.compile(regex)
    assert regex.isascii()
    assert not set("\"'`{}# \t\n") & set(regex)
    assert "\\\\" not in regex
    assert "(?=" not in regex


def test_path_regexes_match_decoded_paths() -> None:
    assert path_regex("/a.b/*.gif$") == r"/a\x2Eb/.*\x2Egif$"
    assert re.match(path_regex("/f%C3%BCr%20x"), "/f\u00fcr x")
    assert path_regex("/a%2Ab%2F%3A:") == r"/a(?:\x2A|%2A)b%2F%3A\x3A"


@pytest.mark.parametrize(
    "pattern, path, is_match",
    [
        ("/a.pdf$", "/a.pdf/%2F", True),
        ("/a.pdf$", "/a.pdf/x", False),
        ("/page$", "/page/", False),
        ("/a:b", "/a%3Ab", True),
        ("/100%25", "/100%25", True),
        ("/100%25", "/100%2Fx", False),
        ("/a*secret", "/a\nsecret", True),
    ],
)
def test_path_regexes_match_what_applications_route(pattern: str, path: str, is_match: object) -> None:
    assert (re.match(f"(?s){path_regex(pattern, as_application=True)}", path) is not None) is is_match


@pytest.mark.parametrize("pattern", ["/a//b", "//", "/*//$"])
@pytest.mark.parametrize("as_application", [False, True])
def test_path_regexes_reject_slashes_that_traefik_merges(pattern: str, *, as_application: bool) -> None:
    with pytest.raises(canfetch.errors.InvalidSitePolicy, match="Traefik merges the slashes"):
        path_regex(pattern, as_application=as_application)


@pytest.mark.parametrize("pattern", ["/a?b", "/*?", "/a%2F?", "/a?b//c"])
def test_path_regexes_reject_queries(pattern: str) -> None:
    with pytest.raises(canfetch.errors.InvalidSitePolicy, match="Traefik does not match queries"):
        path_regex(pattern)


@pytest.mark.slow
def test_path_regexes_reject_invalid_utf_8() -> None:
    with pytest.raises(canfetch.errors.InvalidSitePolicy, match="Traefik requires paths in UTF-8"):
        path_regex("/%E9")
