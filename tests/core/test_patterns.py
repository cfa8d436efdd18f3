"""Patterns: RFC 9309 sections 2.2.2 and 2.2.3, Google's tables, and the behaviour of Google's parser."""

import pytest

from canfetch.core.patterns import PatternText, is_void, matches, parse_pattern, specificity, split_segments
from canfetch.core.profiles import PROFILES

RFC9309, GOOGLE = PROFILES["rfc9309"], PROFILES["google"]


@pytest.mark.parametrize(
    "pattern, matching, other",
    [
        (b"/", [b"/", b"/fish"], []),
        (b"/*", [b"/", b"/fish"], []),
        (b"/$", [b"/"], [b"/fish", b"/?"]),
        (
            b"/fish",
            [b"/fish", b"/fish.html", b"/fish/salmon.html", b"/fishheads", b"/fishheads/yummy.html", b"/fish.php?id=x"],
            [b"/Fish.asp", b"/catfish", b"/?id=fish", b"/desert/fish"],
        ),
        (b"/fish*", [b"/fish", b"/fish.html", b"/fishheads/yummy.html"], [b"/Fish.asp", b"/catfish", b"/?id=fish"]),
        (b"/fish/", [b"/fish/", b"/fish/?id=x", b"/fish/salmon.htm"], [b"/fish", b"/fish.html", b"/Fish/Salmon.asp"]),
        (b"/fish/*", [b"/fish/", b"/fish/?id=x", b"/fish/salmon.htm"], [b"/fish", b"/fish.html"]),
        (
            b"/*.php",
            [b"/index.php", b"/folder/filename.php?a", b"/folder/any.php.file.html", b"/filename.php/"],
            [b"/", b"/windows.PHP"],
        ),
        (
            b"/*.php$",
            [b"/filename.php", b"/folder/filename.php", b"/.php", b"/a.php.php"],
            [b"/filename.php?a", b"/filename.php/", b"/filename.php5", b"/windows.PHP"],
        ),
        (b"/fish*.php", [b"/fish.php", b"/fishheads/catfish.php?a"], [b"/Fish.PHP", b"/fish.ph"]),
    ],
)
def test_google_table_of_path_matches(pattern: bytes, matching: list[bytes], other: list[bytes]) -> None:
    assert [target for target in matching if not matches(pattern, target)] == []
    assert [target for target in other if matches(pattern, target)] == []


@pytest.mark.parametrize(
    "pattern, target, expected",
    [
        # `*` matches any bytes or none, including slashes and question marks.
        (b"/a*b", b"/ab", True),
        (b"/a*b", b"/a/?/b/c", True),
        (b"/a**b", b"/ab", True),
        (b"*", b"/", True),
        (b"*gif$", b"/a.gif", True),
        (b"*gif$", b"/a.gif/", False),
        # Segments do not overlap.
        (b"/ab*bc", b"/abc", False),
        (b"/ab*bc", b"/abbc", True),
        (b"/*aa*aa", b"/aaa", False),
        (b"/*aa*aa", b"/aaaa", True),
        (b"/a*x*b", b"/a/b", False),
        # The last segment before `$` must be at the end, not at its first occurrence.
        (b"/*ab$", b"/abab", True),
        (b"/a*a$", b"/a", False),
        (b"/a*a$", b"/aa", True),
        (b"/a*bc*c$", b"/abc", False),
        (b"/a*bc*c$", b"/abcc", True),
        # `$` is special only at the end, and redundant after `*`.
        (b"/a$b", b"/a$b/c", True),
        (b"/a$b", b"/a", False),
        (b"/a*$", b"/abc", True),
        (b"/$$", b"/$", True),
        (b"/$$", b"/$/", False),
        (b"$", b"/", False),
        (b"*$", b"/", True),
        (b"", b"/", True),
    ],
)
def test_rfc9309_2_2_3_star_and_dollar(pattern: bytes, target: bytes, expected: bool) -> None:  # noqa: FBT001
    assert matches(pattern, target) is expected


def test_repeated_stars_collapse_and_matching_does_not_backtrack() -> None:
    assert split_segments(b"/a" + b"*" * 1000 + b"b") == split_segments(b"/a*b")
    # A backtracking matcher would try about 10^40 combinations.
    assert not matches(b"/" + b"*a" * 40 + b"*b", b"/" + b"a" * 2000)


@pytest.mark.parametrize("value", [b"", b"fish", b"$", b"?a", b"%2Ffish", b"\xef\xbb\xbf/", b"/a\0b", b"*\0"])
def test_rfc9309_2_2_invalid_patterns_are_void(value: bytes) -> None:
    assert is_void(value, RFC9309)
    assert parse_pattern(value, allow=False, profile=RFC9309) == ()


@pytest.mark.parametrize("value", [b"/", b"*.gif$", b"*"])
def test_rfc9309_erratum_7995_a_pattern_may_start_with_a_star(value: bytes) -> None:
    assert not is_void(value, RFC9309)


@pytest.mark.parametrize("value", [b"", b"fish", b"$", b"/a\0b"])
def test_google_every_value_is_a_pattern(value: bytes) -> None:
    assert parse_pattern(value, allow=False, profile=GOOGLE) == (PatternText(value, len(value), form_b=False),)


@pytest.mark.parametrize(
    "value, text, specificity",
    [
        (b"/fish", b"/fish", 5),
        (b"/fish*", b"/fish*", 6),
        (b"/fish$", b"/fish$", 6),
        # Encoded bytes count, not characters, and not the bytes as written.
        ("/\u30c4".encode(), b"/%E3%83%84", 10),
        (b"/%e3%83%84", b"/%E3%83%84", 10),
        (b"/%62%61%7A", b"/baz", 4),
        (b"/a b", b"/a%20b", 6),
        (b"/%zz", b"/%zz", 4),
        # A `$` before the end is literal: it counts as one byte and is compared as `%24`.
        (b"/a$b", b"/a%24b", 4),
        (b"/fish$$", b"/fish%24$", 7),
        (b"/a%24b", b"/a%24b", 6),
        (b"/a%2ab", b"/a%2Ab", 6),
    ],
)
def test_rfc9309_2_2_2_specificity_is_the_length_of_form_a(value: bytes, text: bytes, specificity: int) -> None:
    assert parse_pattern(value, allow=False, profile=RFC9309) == (PatternText(text, specificity, form_b=False),)


@pytest.mark.parametrize(
    "value, text_a, text_b, specificity",
    [
        (b"/s?u=a:b", b"/s?u=a:b", b"/s?u=a%3Ab", 8),
        (b"/s?u=a%3ab", b"/s?u=a%3Ab", b"/s?u=a%3Ab", 10),
        (b"/s?u=a$:$", b"/s?u=a%24:$", b"/s?u=a%24%3A$", 9),
        (b"/*?u=*/", b"/*?u=*/", b"/*?u=*%2F", 7),
    ],
)
def test_form_b_has_the_specificity_of_form_a(value: bytes, text_a: bytes, text_b: bytes, specificity: int) -> None:
    assert parse_pattern(value, allow=True, profile=RFC9309) == (
        PatternText(text_a, specificity, form_b=False),
        PatternText(text_b, specificity, form_b=True),
    )


@pytest.mark.parametrize(
    "value, allow, texts",
    [
        (b"/d/index.html", True, [(b"/d/index.html", 13), (b"/d/$", 4)]),
        (b"/index.htm", True, [(b"/index.htm", 10), (b"/$", 2)]),
        (b"/index.html$", True, [(b"/index.html$", 12), (b"/$", 2)]),
        ("/\u00e9/index.htm".encode(), True, [(b"/%C3%A9/index.htm", 17), (b"/%C3%A9/$", 9)]),
        (b"/d/index.html", False, [(b"/d/index.html", 13)]),
        (b"/d/index.php", True, [(b"/d/index.php", 12)]),
        (b"/d/index.html/", True, [(b"/d/index.html/", 14)]),
        (b"/d/my-index.html", True, [(b"/d/my-index.html", 16)]),
        (b"index.html", True, [(b"index.html", 10)]),
    ],
)
def test_google_index_html_equals_slash(value: bytes, allow: bool, texts: list[tuple[bytes, int]]) -> None:  # noqa: FBT001
    found = parse_pattern(value, allow=allow, profile=GOOGLE)
    assert [(text.text, text.specificity) for text in found] == texts
    assert len(parse_pattern(value, allow=allow, profile=RFC9309)) <= 1


def test_original1994_star_and_dollar_are_literal() -> None:
    for profile in ("original1994", "draft1996"):
        flags = PROFILES[profile]
        assert parse_pattern(b"/a*b$", allow=False, profile=flags) == (PatternText(b"/a\x01sb\x01d", 5, form_b=False),)
        assert parse_pattern(b"*.gif", allow=False, profile=flags)[0].text == b"\x01s.gif"
        assert parse_pattern(b"/a\0b", allow=False, profile=flags) == ()
    assert parse_pattern(b"/%7Ea", allow=False, profile=PROFILES["original1994"])[0].text == b"/%7Ea"
    assert parse_pattern(b"/%7Ea", allow=False, profile=PROFILES["draft1996"]) == (
        PatternText(b"/~a", 5, form_b=False),
    )


def test_yandex_compares_one_form() -> None:
    assert len(parse_pattern(b"/a?b=:", allow=False, profile=PROFILES["yandex"])) == 1
    assert len(parse_pattern(b"/a?b=:", allow=False, profile=PROFILES["bing"])) == 2


@pytest.mark.parametrize(
    "value, expected, of_google",
    [(b"", 0, 0), (b"fish", 0, 4), (b"/fish", 5, 5), (b"/a%2Fb", 6, 6), (b"/\xe3\x83\x84", 10, 10), (b"/a%2fb", 6, 6)],
)
def test_specificity_of_rules_as_written(value: bytes, expected: int, of_google: int) -> None:
    assert (specificity(value, RFC9309), specificity(value, PROFILES["google"])) == (expected, of_google)
