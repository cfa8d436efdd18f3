"""Equivalence of two files: what may differ, what may not, and that equal keys imply equal verdicts."""

import sys
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canfetch import PROFILES, parse
from canfetch.core.equivalence import comparison_key, differing_profiles, have_equal_extensions
from canfetch.core.patterns import parse_pattern

RULES = "User-agent: *\nDisallow: /a/\nAllow: /a/b\n"


@pytest.mark.parametrize(
    "other",
    [
        "user-agent:*\r\nDISALLOW:/a/  # why\r\nallow: /a/b",
        "# head\nUser-agent: *\nComment: for people\nDisallow: /a/\nDisallow: /a/\nAllow: /a/b\n",
        "\nUser-agent: *\nUser-agent: *\nDisallow: /a/\nAllow: /a/b\n\n",
    ],
)
def test_equivalent_spellings_do_not_differ(other: str) -> None:
    assert differing_profiles(RULES.encode(), other.encode()) == ()


@pytest.mark.parametrize(
    "other, differ",
    [
        ("User-agent: *\nAllow: /a/b\nDisallow: /a/\n", {"draft1996"}),
        ("User-agent: *\n\nDisallow: /a/\nAllow: /a/b\n", {"yandex", "draft1996", "original1994"}),
        ("User-agent: *\nDisalow: /a/\nAllow: /a/b\n", {"yandex", "strict", "google2019", "draft1996"}),
        ("User-agent: *\nDisallow: /A/\nAllow: /a/b\n", set(PROFILES)),
        ("User-agent: b\nDisallow: /a/\nAllow: /a/b\n", set(PROFILES)),
        ("User-agent: *\nDisallow: /a/\nAllow: /a/b\nCrawl-delay: 1\n", set(PROFILES)),
        ("User-agent: *\nDisallow: /a/\nAllow: /a/b\nSitemap: https://a.example/s.xml\n", set(PROFILES)),
    ],
)
def test_differences_are_reported_for_each_profile(other: str, differ: set[str]) -> None:
    assert differ <= set(differing_profiles(RULES.encode(), other.encode()))


@pytest.mark.parametrize("other", ["Disallow: /b%7e\n", "Disallow: /b~\nAllow: /b\n", "Allow: /c\n"])
def test_files_differ_where_their_keys_do(other: str) -> None:
    first, second = f"{RULES}Disallow: /b~\n".encode(), f"{RULES}{other}".encode()
    expected = tuple(name for name in PROFILES if comparison_key(first, name) != comparison_key(second, name))
    assert differing_profiles(first, second) == expected


def test_texts_are_computed_once_and_only_for_rules_that_are_written_differently() -> None:
    def texts(other: bytes) -> int:
        calls = 0

        def count(frame: FrameType, event: str, _: object) -> None:
            nonlocal calls
            calls += event == "call" and frame.f_code is parse_pattern.__code__

        sys.setprofile(count)
        try:
            differing_profiles(repeated, other)
        finally:
            sys.setprofile(None)
        return calls

    rules = b"".join(b"Disallow: /%d\n" % number for number in range(100))
    repeated = b"User-agent: *\n" + rules + rules
    assert texts(b"User-agent: *\n" + rules) == 0
    assert texts(b"User-agent: *\n" + rules + b"Disallow: /x\n") == 101 * len(PROFILES)


def test_a_file_does_not_differ_from_itself() -> None:
    assert differing_profiles(RULES.encode(), RULES.encode()) == ()


def test_tokens_that_differ_in_case_are_equal_in_every_profile() -> None:
    upper, lower = b"User-agent: A\nDisallow: /\n", b"User-agent: a\nDisallow: /\n"
    assert differing_profiles(upper, lower) == ()


def test_groups_with_the_same_token_are_merged() -> None:
    apart = b"User-agent: a\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\nCrawl-delay: 2\n"
    together = b"User-agent: a\nDisallow: /x\nDisallow: /y\nCrawl-delay: 2\n"
    differ = differing_profiles(apart, together)
    assert "rfc9309" not in differ
    assert "draft1996" in differ


def test_empty_rules_and_groups_without_rules() -> None:
    assert comparison_key(b"User-agent: a\nDisallow:\n", "rfc9309") == comparison_key(b"User-agent: a\n", "rfc9309")
    assert comparison_key(b"User-agent: a\n", "draft1996") == comparison_key(b"", "draft1996")
    assert comparison_key(b"User-agent: a\n", "rfc9309") != comparison_key(b"", "rfc9309")


def test_comparison_keys_do_not_depend_on_the_engine(engine: str) -> None:
    for profile in PROFILES:
        assert comparison_key(RULES.encode(), profile, engine=engine) == comparison_key(RULES.encode(), profile)


LINES = st.lists(
    st.sampled_from(
        [b"User-agent: a", b"User-agent: b", b"User-agent: *", b"Disallow: /x", b"Allow: /x/y", b"Disallow:", b""]
        + [b"Disallow: /*y$", b"Disalow: /x", b"Disallow /x", b"allow: /x", b"# c", b"Disallow: x", b"Crawl-delay: 1"]
    ),
    max_size=9,
).map(b"\n".join)


@given(LINES, LINES)
def test_equal_comparison_keys_imply_equal_verdicts(one: bytes, other: bytes) -> None:
    for profile in PROFILES:
        if comparison_key(one, profile) == comparison_key(other, profile):
            first, second = (parse(content, profile=profile) for content in (one, other))
            for agent in ("a", "b", "c"):
                for url in ("/", "/x", "/x/y", "/z/y", "/robots.txt", "/xy"):
                    assert first.allows(url, agent=agent) == second.allows(url, agent=agent), (profile, agent, url)


@given(LINES)
def test_comments_and_spaces_do_not_change_the_comparison_key(content: bytes) -> None:
    # Two independent files are rarely equivalent, but a file with added comments always is.
    other = content.replace(b"Disallow: /x", b"Disallow:   /x  # why")
    for profile in PROFILES:
        assert comparison_key(content, profile) == comparison_key(other, profile)


@pytest.mark.parametrize(
    "one, other, equal",
    [
        ("Disallow: /a\nDisallow: /ab\n", "Disallow: /a\n", True),
        ("Disallow: /a\nSitemap: /s\n", "Sitemap: /s\n", True),
        ("Allow: /a\nAllow: /ab\nDisallow: /\n", "Allow: /a\nDisallow: /\n", True),
        ("Sitemap: /s\n", "Sitemap: /t\n", False),
        ("Crawl-delay: 5\nDisallow: /a\nDisallow: /ab\n", "Crawl-delay: 5\nDisallow: /a\n", True),
        ("Crawl-delay: 5\n", "Crawl-delay: 6\n", False),
        ("Crawl-delay: 5\n", "\n", False),
        # The crawler `b` no longer reads the delay of `*`.
        ("Crawl-delay: 5\n", "Crawl-delay: 5\nUser-agent: b\nDisallow:\n", False),
    ],
)
def test_other_records_are_compared(one: str, other: str, *, equal: bool) -> None:
    before, after = (f"User-agent: *\n{rules}".encode() for rules in (one, other))
    assert have_equal_extensions(before, after) is equal
    assert have_equal_extensions(after, before) is equal
