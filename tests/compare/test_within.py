"""Questions about the URLs that match a pattern."""

import pytest

import canfetch
from canfetch import compare
from canfetch.errors import InvalidOption

RULES = "User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize(
    "profile, within, reason",
    [
        ("rfc9309", "/shop/#x", "because '#' starts a comment; write %23 for the character"),
        ("rfc9309", "/a*#", "because '#' starts a comment"),
        ("google", "/#", "because '#' starts a comment"),
        ("rfc9309", "/a/../b", "because '.' and '..' in paths are resolved"),
        ("rfc9309", "/./", "because '.' and '..' in paths are resolved"),
        ("rfc9309", "/a/..$", "because '.' and '..' in paths are resolved"),
        ("rfc9309", "/.?q", "because '.' and '..' in paths are resolved"),
        ("rfc9309", "/a\0", "in the profile rfc9309"),
        ("googlebot", "/a b", "in the profile googlebot"),
        ("draft1996", "*", "in the profile draft1996"),
        ("draft1996", "*/../", "in the profile draft1996"),
    ],
)
@pytest.mark.parametrize("allowed", [True, False])
def test_a_pattern_that_matches_no_url_is_refused(profile: str, within: str, reason: str, *, allowed: bool) -> None:
    robots = canfetch.parse(RULES, profile=profile)
    with pytest.raises(InvalidOption, match="it matches no URL") as raised:
        compare.find_url(robots, agent="GPTBot", allowed=allowed, within=within)
    assert reason in str(raised.value)
    with pytest.raises(InvalidOption, match="it matches no URL"):
        compare.find_changed_url(robots, robots, agent="GPTBot", allowed=allowed, within=within)


@pytest.mark.parametrize(
    "profile, within",
    [
        ("rfc9309", "/%23"),
        ("rfc9309", "/.well-known/"),
        ("rfc9309", "/..."),
        # A path may still go on after the dots, and a query is not resolved.
        ("rfc9309", "/.."),
        ("rfc9309", "/?/../"),
        ("rfc9309", "*/../"),
        ("rfc9309", "/%"),
        ("rfc9309", "/%zz"),
        ("rfc9309", "/a b"),
        ("rfc9309", "/robots.txt"),
        ("rfc9309", "/robots.txt*$"),
        ("google", "/robots.txt$"),
        ("google", "/a/../b"),
        ("draft1996", "/#"),
    ],
)
def test_a_pattern_that_matches_some_url_is_accepted(profile: str, within: str) -> None:
    robots = canfetch.parse("User-agent: GPTBot\nDisallow: /\n", profile=profile)
    assert compare.find_url(robots, agent="GPTBot", allowed=True, within=within) is None


@pytest.mark.parametrize(
    "profile, within",
    [("rfc9309", "/robots.txt$"), ("rfc9309", "/%72obots.txt$"), ("googlebot", "/robots.txt$")],
)
@pytest.mark.parametrize("allowed", [True, False])
def test_a_pattern_that_matches_only_robots_txt_is_refused_if_that_is_always_allowed(
    profile: str, within: str, *, allowed: bool
) -> None:
    robots = canfetch.parse(RULES, profile=profile)
    other = canfetch.parse(RULES, profile="google")
    reason = "it matches no URL but /robots.txt, which is always allowed"
    with pytest.raises(InvalidOption, match=reason):
        compare.find_url(robots, agent="GPTBot", allowed=allowed, within=within)
    with pytest.raises(InvalidOption, match=reason):
        compare.find_changed_url(robots, robots, agent="GPTBot", allowed=allowed, within=within)
    # In one of these profiles, the rules decide about `/robots.txt`.
    assert compare.find_changed_url(robots, other, agent="GPTBot", allowed=True, within=within) is None


@pytest.mark.parametrize("within", ["*", "*.php", "/a b", "/a\t", "/a\x01", "", "a"])
def test_the_profile_strict_refuses_patterns_that_it_would_ignore_in_a_file(within: str) -> None:
    robots = canfetch.parse(RULES, profile="strict")
    with pytest.raises(InvalidOption, match="expected a path pattern that starts with '/' and has no white space"):
        compare.find_url(robots, agent="GPTBot", allowed=True, within=within)


@pytest.mark.parametrize("within", ["/*", "/a%20b", "/caf\u00e9", "/a$"])
def test_the_profile_strict_accepts_patterns_of_the_grammar(within: str) -> None:
    assert (
        compare.find_url(canfetch.parse(RULES, profile="strict"), agent="GPTBot", allowed=True, within=within) is None
    )


def test_other_texts_are_refused() -> None:
    with pytest.raises(InvalidOption, match="invalid pattern 'blog': expected a path pattern that starts with"):
        compare.find_url(canfetch.parse(RULES), agent="GPTBot", allowed=True, within="blog")


@pytest.mark.slow
def test_arguments_of_other_types_are_named() -> None:
    robots = canfetch.parse("User-agent: *\nDisallow: /a\n")
    with pytest.raises(TypeError, match="allowed must be a bool, not str"):
        compare.find_url(robots, agent="GPTBot", allowed="no")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="allowed must be a bool, not str"):
        compare.find_changed_url(robots, robots, agent="GPTBot", allowed="no")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="steps must be a whole number or None, not str"):
        compare.find_url(robots, agent="GPTBot", allowed=False, steps="many")  # type: ignore[arg-type]


def test_a_url_is_found_whose_verdict_differs_between_two_files() -> None:
    open_file, closed = canfetch.parse("User-agent: *\nAllow: /\n"), canfetch.parse(RULES)
    assert compare.find_changed_url(open_file, closed, agent="GPTBot", allowed=False, within="/shop/*") == "/shop/"
    assert compare.find_changed_url(open_file, closed, agent="GPTBot", allowed=True, within="/shop/*") is None
    assert compare.find_changed_url(closed, open_file, agent="GPTBot", allowed=True, within="/shop/*") == "/shop/"
