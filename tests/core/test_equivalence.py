"""Whether two files say the same: what may differ, what must not, and that equal meanings are equal verdicts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canfetch import PROFILES, parse
from canfetch.core.equivalence import comparison_key, differing_profiles

RULES = "User-agent: *\nDisallow: /a/\nAllow: /a/b\n"


@pytest.mark.parametrize(
    "other",
    [
        "user-agent:*\r\nDISALLOW:/a/  # why\r\nallow: /a/b",
        "# head\nUser-agent: *\nComment: for people\nDisallow: /a/\nDisallow: /a/\nAllow: /a/b\n",
        "\nUser-agent: *\nUser-agent: *\nDisallow: /a/\nAllow: /a/b\n\n",
    ],
)
def test_the_same_in_other_words(other: str) -> None:
    assert differing_profiles(RULES.encode(), other.encode()) == ()


@pytest.mark.parametrize(
    "other, differ",
    [
        ("User-agent: *\nAllow: /a/b\nDisallow: /a/\n", {"draft1996", "cpython-old"}),
        ("User-agent: *\n\nDisallow: /a/\nAllow: /a/b\n", {"yandex", "draft1996", "original1994", "cpython-old"}),
        ("User-agent: *\nDisalow: /a/\nAllow: /a/b\n", {"yandex", "strict", "google2019", "draft1996"}),
        ("User-agent: *\nDisallow: /A/\nAllow: /a/b\n", set(PROFILES)),
        ("User-agent: b\nDisallow: /a/\nAllow: /a/b\n", set(PROFILES)),
        ("User-agent: *\nDisallow: /a/\nAllow: /a/b\nCrawl-delay: 1\n", set(PROFILES)),
        ("User-agent: *\nDisallow: /a/\nAllow: /a/b\nSitemap: https://a.example/s.xml\n", set(PROFILES)),
    ],
)
def test_what_differs_is_told_by_profile(other: str, differ: set[str]) -> None:
    assert differ <= set(differing_profiles(RULES.encode(), other.encode()))


def test_one_file_differs_in_nothing() -> None:
    assert differing_profiles(RULES.encode(), RULES.encode()) == ()


def test_letter_case_of_a_token_counts_where_the_profile_says_so() -> None:
    upper, lower = b"User-agent: A\nDisallow: /\n", b"User-agent: a\nDisallow: /\n"
    assert differing_profiles(upper, lower) == ("google2019",)


def test_groups_of_one_token_are_read_together() -> None:
    apart = b"User-agent: a\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\nCrawl-delay: 2\n"
    together = b"User-agent: a\nDisallow: /x\nDisallow: /y\nCrawl-delay: 2\n"
    differ = differing_profiles(apart, together)
    assert "rfc9309" not in differ
    assert "draft1996" in differ


def test_an_empty_rule_says_nothing_and_a_group_without_rules_may_be_none() -> None:
    assert comparison_key(b"User-agent: a\nDisallow:\n", "rfc9309") == comparison_key(b"User-agent: a\n", "rfc9309")
    assert comparison_key(b"User-agent: a\n", "draft1996") == comparison_key(b"", "draft1996")
    assert comparison_key(b"User-agent: a\n", "rfc9309") != comparison_key(b"", "rfc9309")


def test_engines_find_the_same_meaning(engine: str) -> None:
    for profile, flags in PROFILES.items():
        if not flags.robotparser:
            assert comparison_key(RULES.encode(), profile, engine=engine) == comparison_key(RULES.encode(), profile)


LINES = st.lists(
    st.sampled_from(
        [b"User-agent: a", b"User-agent: b", b"User-agent: *", b"Disallow: /x", b"Allow: /x/y", b"Disallow:", b""]
        + [b"Disallow: /*y$", b"Disalow: /x", b"Disallow /x", b"allow: /x", b"# c", b"Disallow: x", b"Crawl-delay: 1"]
    ),
    max_size=9,
).map(b"\n".join)


@given(LINES, LINES)
def test_one_meaning_is_one_verdict(one: bytes, other: bytes) -> None:
    for profile in PROFILES:
        if comparison_key(one, profile) == comparison_key(other, profile):
            first, second = (parse(octets, profile=profile) for octets in (one, other))
            for agent in ("a", "b", "c"):
                for url in ("/", "/x", "/x/y", "/z/y", "/robots.txt", "/xy"):
                    assert first.allows(url, agent=agent) == second.allows(url, agent=agent), (profile, agent, url)


@given(LINES)
def test_a_change_that_keeps_the_meaning_keeps_all_verdicts(octets: bytes) -> None:
    """Two files made apart seldom mean the same; one with a comment put in always does."""
    other = octets.replace(b"Disallow: /x", b"Disallow:   /x  # why")
    for profile in PROFILES:
        assert comparison_key(octets, profile) == comparison_key(other, profile)
