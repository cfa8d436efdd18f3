"""Facts about single comparisons."""

from collections.abc import Callable
from typing import Any

import pytest

from canfetch import Agent, parse
from canfetch.compare import (
    CoverageKind,
    coverage,
    dead_rules,
    diff,
    difference,
    equivalent,
    find_changed_url,
    find_minimization,
    find_url,
    minimize,
    rule_effects,
)
from canfetch.errors import Undecided

AGENT = "ExampleBot"


def group(*rules: str, name: str = "*") -> str:
    return "\n".join([f"User-agent: {name}", *rules]) + "\n"


@pytest.mark.parametrize(
    "rules, kind, allowed, disallowed",
    [
        ([], CoverageKind.ALL, "/", None),
        (["Disallow:"], CoverageKind.ALL, "/", None),
        (["Disallow: /"], CoverageKind.NONE, None, "/"),
        (["Disallow: *"], CoverageKind.NONE, None, "/"),
        (["Disallow: /", "Allow: /$"], CoverageKind.SOME, "/", "/x"),
        (["Disallow: /", "Allow: /robots.txt$"], CoverageKind.NONE, None, "/"),
        (["Disallow: /", "Allow: /*.."], CoverageKind.SOME, "/x..", "/"),
        (["Disallow: /", "Allow: /../"], CoverageKind.NONE, None, "/"),
        (["Disallow: /", "Allow: /?x/../"], CoverageKind.SOME, "/?x/../", "/"),
        (["Disallow: /", "Allow: /%zz"], CoverageKind.SOME, "/%zz", "/"),
        (["Disallow: /", "Allow: /*%41"], CoverageKind.SOME, "/A", "/"),
        (["Disallow: /*a", "Disallow: /*b", "Allow: /*a*b", "Disallow: /*b*a*b"], CoverageKind.SOME, "/", "/a"),
    ],
)
def test_coverage(rules: list[str], kind: CoverageKind, allowed: str | None, disallowed: str | None) -> None:
    assert coverage(parse(group(*rules)), agent=AGENT) == (kind, allowed, disallowed)


def test_robots_txt_does_not_count_for_coverage_in_any_profile() -> None:
    robots = parse(group("Disallow: /", "Allow: /robots.txt$"), profile="google")
    assert coverage(robots, agent=AGENT).kind is CoverageKind.NONE


def test_robots_txt_counts_for_differences_if_the_rules_apply_to_it() -> None:
    first, second = parse(group("Disallow: /x")), parse(group("Disallow: /x", "Disallow: /robots.txt$"))
    assert equivalent(first, second, agent=AGENT)
    found = difference(first.with_profile("google"), second.with_profile("google"), agent=AGENT)
    assert found is not None
    assert found.url == "/robots.txt"


@pytest.mark.parametrize(
    "first, second, url",
    [
        (["Disallow: /a"], ["Disallow: /a*"], None),
        (["Disallow: /a"], ["Disallow: /a$"], "/ax"),
        (["Disallow: /caf\u00e9"], ["Disallow: /caf%c3%a9"], None),
        (["Disallow: /?u=:"], ["Disallow: /?u=%3A"], None),
        (["Disallow: /?u=:"], ["Disallow: /?u=:", "Allow: /?u=%3A/"], "/?u=:/"),
        (["Disallow: /*a*b"], ["Disallow: /*b"], "/b"),
        (["Disallow: /a", "Disallow: /b"], ["Disallow: /b", "Disallow: /a"], None),
        (["Disallow: /.."], [], "/..x"),
        (["Disallow: /./"], [], None),
        (["Disallow: //"], [], "https://example.com//"),
        (["Disallow: /index.html", "Allow: /index.html"], [], None),
        (["Disallow: a", "Disallow: /\0"], [], None),
    ],
)
def test_differences_in_the_default_profile(first: list[str], second: list[str], url: str | None) -> None:
    found = difference(parse(group(*first)), parse(group(*second)), agent=AGENT)
    assert (None if found is None else found.url) == url


@pytest.mark.parametrize(
    "profile, first, second, url",
    [
        (
            "google",
            ["Disallow: /", "Allow: /d/index.html"],
            ["Disallow: /", "Allow: /d/index.html", "Allow: /d/$"],
            None,
        ),
        ("google", ["Disallow: /a"], ["Disallow: a"], "/a"),
        ("google", ["Disallow: /%61"], [], "/%61"),
        ("googlebot", ["Disallow: /\u00e9"], [], "/%C3%A9"),
        ("yandex", ["Disallow: /?u=:"], ["Disallow: /?u=%3A"], "/?u=:"),
        ("draft1996", ["Disallow: /a", "Allow: /a/b"], ["Disallow: /a"], None),
        ("draft1996", ["Allow: /a/b", "Disallow: /a"], ["Disallow: /a"], "/a/b"),
        ("draft1996", ["Disallow: /%23"], [], "/%23"),
        ("draft1996", ["Disallow: /*"], [], "/*"),
        ("original1994", ["Disallow: /%61"], ["Disallow: /a"], "/a"),
    ],
)
def test_differences_in_other_profiles(profile: str, first: list[str], second: list[str], url: str | None) -> None:
    found = difference(parse(group(*first), profile=profile), parse(group(*second), profile=profile), agent=AGENT)
    assert (None if found is None else found.url) == url


@pytest.mark.parametrize(
    "first, second, rules, url",
    [
        ("rfc9309", "google", ["Disallow: /a"], None),
        ("rfc9309", "google", ["Disallow: /"], "/robots.txt"),
        ("rfc9309", "googlebot", ["Disallow: /"], None),
        ("rfc9309", "googlebot", ["Disallow: a"], None),
        ("rfc9309", "googlebot", ["Disallow: /", "Allow: /x/index.html"], "/x/"),
        ("rfc9309", "draft1996", ["Disallow: /a*b"], "/ab"),
    ],
)
def test_differences_between_profiles(first: str, second: str, rules: list[str], url: str | None) -> None:
    robots = parse(group(*rules))
    found = difference(robots.with_profile(first), robots.with_profile(second), agent=AGENT)
    assert (None if found is None else found.url) == url


def test_two_agents_of_one_file_are_compared() -> None:
    robots = parse(group("Disallow: /a") + group("Disallow: /a*", name="GPTBot") + group("Disallow: /b", name="Other"))
    assert equivalent(robots, robots, agent=AGENT, other_agent="GPTBot")
    found = difference(robots, robots, agent=AGENT, other_agent="Other")
    assert found is not None
    assert (found.url, found.first.allowed, found.second.allowed) == ("/b", True, False)


def test_chains_and_agents_without_a_fallback_are_compared() -> None:
    robots = parse(group("Disallow: /"))
    found = difference(robots, robots, agent=AGENT, other_agent=Agent(AGENT, star_applies=False))
    assert found is not None
    assert found.second.allowed


def test_bytes_that_are_not_utf_8_are_not_escapes_where_escapes_are_compared_as_written() -> None:
    for profile, pattern in (("original1994", "/\udcc3"), ("draft1996", "/%C3"), ("rfc9309", "/%C3")):
        old, new = (parse(content, profile=profile) for content in (b"", b"User-agent: *\nDisallow: /\xc3\n"))
        (change,) = diff(old, new, agents=["ExampleBot"])
        lost = change.newly_disallowed
        assert lost.patterns == (pattern,)
        assert all(not new.allows(url, agent="ExampleBot") for url in (*lost.patterns, *lost.examples))
        # JSON has no surrogates.
        assert lost.to_dict() == {"patterns": ["/%C3"], "partial_patterns": [], "examples": ["/%C3"]}
        assert repr(lost) == "<URLSet: /%C3>"


def test_only_the_part_within_the_size_limit_is_compared() -> None:
    rules = group("Disallow: /a") + "#" * 600_000 + "\n"
    assert equivalent(parse(rules), parse(rules + "Disallow: /b\n"), agent=AGENT)


def test_dead_rules_have_the_rules_that_always_win() -> None:
    robots = parse(group("Allow: /a", "Disallow: /a", "Disallow: /*b", "Allow: /c/*b", "Disallow: /c/b", "Disallow: x"))
    dead = dead_rules(robots, agent=AGENT)
    assert [(one.rule.line, [rule.line for rule in one.winners]) for one in dead] == [(3, [2]), (6, [5]), (7, [])]


def test_rules_that_together_cover_a_rule_are_its_winners() -> None:
    robots = parse(group("Allow: /*.$", "Disallow: /*.*", "Allow: *"))
    assert [one.rule.line for one in dead_rules(robots, agent=AGENT)] == []
    robots = parse(group("Disallow: /a", "Allow: /a$", "Allow: /a/", "Disallow: /a/b", "Disallow: /a/b"))
    assert [(one.rule.line, one.winners[0].line) for one in dead_rules(robots, agent=AGENT)] == [(6, 5)]


def test_a_rule_for_robots_txt_alone_is_dead() -> None:
    robots = parse(group("Disallow: /robots.txt$"))
    assert [one.winners for one in dead_rules(robots, agent=AGENT)] == [()]
    assert dead_rules(robots.with_profile("google"), agent=AGENT) == ()


def test_diff_describes_changes_as_patterns() -> None:
    old = parse(group("Disallow: /old/", "Disallow: /both/"))
    new = parse(group("Disallow: /both/", "Disallow: /new/", "Allow: /new/public/"))
    (change,) = diff(old, new, agents=[AGENT, "OtherBot"])
    assert change.agents == (Agent(AGENT), Agent("OtherBot"))
    assert change.newly_allowed.patterns == ("/old/",)
    assert change.newly_allowed.is_exact
    assert change.newly_disallowed.patterns == ()
    assert change.newly_disallowed.partial_patterns == ("/new/",)
    assert change.newly_disallowed.examples == ("/new/",)
    assert change.newly_disallowed.contains("https://example.com/new/x")
    assert not change.newly_disallowed.contains("https://example.com/new/public/x")


def test_closing_a_site_is_one_pattern() -> None:
    (change,) = diff(parse(group("Disallow: /a")), parse(group("Disallow: /")), agents=[AGENT])
    assert change.newly_disallowed.partial_patterns == ("/",)
    (change,) = diff(parse(group("Disallow:")), parse(group("Disallow: /")), agents=[AGENT])
    assert (change.newly_disallowed.patterns, change.newly_disallowed.is_exact) == (("/",), True)
    assert not change.newly_allowed


def test_minimize_leaves_out_rules_that_change_nothing() -> None:
    content = (
        b"# The whole folder.\nUser-agent: *\nDisallow: /a/\n\n# Part of it.\nDisallow: /a/b\n\n\nAllow: /c\n"
        b"Disallow: /a/*.php$ # covered\nSitemap: https://example.com/map.xml\n"
    )
    found = find_minimization(parse(content))
    assert found.content == (
        b"# The whole folder.\nUser-agent: *\nDisallow: /a/\n\nSitemap: https://example.com/map.xml\n"
    )
    assert [rule.line for rule in found.removed] == [6, 9, 10]
    assert found.saved_bytes == len(content) - len(found.content)


def test_minimize_proves_a_file_with_a_higher_size_limit() -> None:
    comments = "".join(f"# {'x' * 1000}\n" for _ in range(600))
    robots = parse(f"User-agent: *\n{comments}Disallow: /a\nDisallow: /a/b\n", max_bytes=1 << 20)
    assert minimize(robots).endswith(b"x\nDisallow: /a\n")


def test_minimize_keeps_a_rule_in_each_group_and_rules_that_another_selection_needs() -> None:
    content = (
        group("Allow: /a", "Allow: /", name="A") + group("Disallow: /", name="B") + group("Disallow: /b", name="B")
    )
    assert (
        minimize(parse(content))
        == (group("Allow: /", name="A") + group("Disallow: /", name="B") + group("Disallow: /b", name="B")).encode()
    )


def test_minimize_keeps_the_verdicts_of_further_profiles() -> None:
    robots = parse(group("Disallow: /a", "Allow: /a*", "Disallow: /a/b"))
    assert minimize(robots) == group("Disallow: /a/b").encode()
    assert minimize(robots, profiles=["draft1996"]) == group("Disallow: /a", "Allow: /a*", "Disallow: /a/b").encode()


def test_a_comparison_that_is_too_large_is_undecided() -> None:
    rules = [f"Disallow: /*{first}*{second}*{third}" for first in "abcdef" for second in "ghijk" for third in "lmnop"]
    first = parse(group(*rules, *(f"Allow: /*{number}*{number + 1}*{number}" for number in range(10, 40))))
    second = parse(group(*rules[::-1][1:]))
    with pytest.raises(Undecided, match=r"the rules are too large for a limit of 10 steps") as caught:
        coverage(first, agent=AGENT, steps=10)
    assert caught.value.states >= 0
    with pytest.raises(Undecided):
        equivalent(first, second, agent=AGENT, steps=10)


def test_an_escape_of_reserved_data_may_be_one_byte_of_the_shortest_url() -> None:
    robots = parse(group("Disallow: /?u=%3A", "Disallow: /*?v=%2C"))
    assert [effect.example for effect in rule_effects(robots, agent=AGENT)] == ["/?u=:", "/?v=,"]


def test_hundreds_of_rules_with_several_wildcards_are_decided() -> None:
    words = [f"{first}{second}" for first in "abcdefghij" for second in "klmnopqrst"]
    rules = [f"Disallow: /*{one}=*&{other}=" for one, other in zip(words, words[7:] + words[:7], strict=True)]
    robots = parse(group(*rules, "Allow: /*ak=1*&br=", "Disallow: /x*&zz=*ak=1*&br=2"))
    assert [dead.rule.line for dead in dead_rules(robots, agent=AGENT)] == []
    assert find_minimization(robots).removed == ()
    smaller = parse(group(*rules[1:], "Allow: /*ak=1*&br=", "Disallow: /x*&zz=*ak=1*&br=2"))
    found = difference(robots, smaller, agent=AGENT)
    assert found is not None
    assert found.url == "/ak=&ar="


def test_changes_are_described_by_the_rules_that_changed() -> None:
    rules = ["Disallow: /a/", "Disallow: /b/", "Allow: /b/c/"]
    (change,) = diff(parse(group(*rules)), parse(group(*rules, "Disallow: /*.pdf")), agents=[AGENT])
    assert change.newly_disallowed.patterns == ()
    assert change.newly_disallowed.partial_patterns == ("/*.pdf",)
    assert not change.newly_allowed


def changed_patterns(old: str, new: str, profile: str) -> list[tuple[tuple[str, ...], ...]]:
    files = [parse(text, profile=profile) for text in (old, new)]
    return [
        (urls.patterns, urls.partial_patterns, urls.examples)
        for change in diff(*files, agents=[AGENT])
        for urls in (change.newly_allowed, change.newly_disallowed)
        if urls
    ]


@pytest.mark.parametrize(
    "value, patterns, examples",
    [
        ("/a/index.html", ("/a/$", "/a/index.html"), ("/a/", "/a/index.html")),
        ("/a/index.htm", ("/a/$", "/a/index.htm"), ("/a/", "/a/index.htm")),
        ("/index.html$", ("/$", "/index.html$"), ("/", "/index.html")),
        ("/a*/index.html", ("/a*/$", "/a*/index.html"), ("/a/", "/a/index.html")),
    ],
)
@pytest.mark.parametrize("profile", ["google", "googlebot"])
def test_an_allowed_index_html_is_listed_with_the_folder_that_it_allows(
    value: str, patterns: tuple[str, ...], examples: tuple[str, ...], profile: str
) -> None:
    closed, opened = group("Disallow: /"), group("Disallow: /", f"Allow: {value}")
    assert changed_patterns(closed, opened, profile) == [(patterns, (), examples)]
    assert changed_patterns(opened, closed, profile) == [(patterns, (), examples)]


def test_a_folder_is_listed_once() -> None:
    closed, folder = group("Disallow: /"), group("Disallow: /", "Allow: /a/$")
    both = group("Disallow: /", "Allow: /a/$", "Allow: /a/index.html")
    assert changed_patterns(closed, both, "google") == [(("/a/$", "/a/index.html"), (), ("/a/", "/a/index.html"))]
    assert changed_patterns(folder, both, "google") == [(("/a/index.html",), (), ("/a/index.html",))]


@pytest.mark.parametrize("value", ["/robots.txt", "/robots.txt*", "/robots*.txt", "*robots.txt"])
def test_an_exempt_robots_txt_is_not_listed_as_gained(value: str) -> None:
    closed, opened = group("Disallow: /"), group("Disallow: /", f"Allow: {value}")
    ((whole, part, _),) = changed_patterns(closed, opened, "rfc9309")
    assert (whole, part) == ((), (value,))
    # There, the rules apply to it.
    ((whole, part, examples),) = changed_patterns(closed, opened, "google")
    assert (whole, part, examples) == ((value,), (), ("/robots.txt",))
    assert changed_patterns(closed, group("Disallow: /", "Allow: /robots.txt$"), "rfc9309") == []


def test_rules_that_were_needed_only_because_of_others_are_left_out() -> None:
    lines = ["Disallow: /a", "Disallow: /a/b", "Allow: /a/b/c/d", "Disallow: /a/b/c"]
    rules = [*lines, *(f"Allow: /x{number}" for number in range(20)), "Disallow: /y/*z", "Disallow: /y/*z/z"]
    found = find_minimization(parse(group(*rules)))
    assert found.content.decode() == group("Disallow: /a", "Allow: /a/b/c/d", "Disallow: /y/*z")


FILE = parse("")
CALLS_WITH_FILES: dict[str, Callable[[Any], object]] = {
    "robots of coverage": lambda file: coverage(file, agent=AGENT),
    "robots of dead_rules": lambda file: dead_rules(file, agent=AGENT),
    "robots of rule_effects": lambda file: rule_effects(file, agent=AGENT),
    "robots of minimize": minimize,
    "robots of find_url": lambda file: find_url(file, agent=AGENT, allowed=True),
    "old of find_changed_url": lambda file: find_changed_url(file, FILE, agent=AGENT, allowed=True),
    "new of find_changed_url": lambda file: find_changed_url(FILE, file, agent=AGENT, allowed=True),
    "first of difference": lambda file: difference(file, FILE, agent=AGENT),
    "second of difference": lambda file: difference(FILE, file, agent=AGENT),
    "first of equivalent": lambda file: equivalent(file, FILE, agent=AGENT),
    "old of diff": lambda file: diff(file, FILE, agents=[]),
    "new of diff": lambda file: diff(FILE, file, agents=[]),
}


@pytest.mark.parametrize("content", ["", b""], ids=["str", "bytes"])
@pytest.mark.parametrize("call", CALLS_WITH_FILES)
def test_content_must_be_parsed_first(call: str, content: str | bytes) -> None:
    expected = f"{call.split(maxsplit=1)[0]} must be a RobotsTxt, not {type(content).__name__}: pass canfetch.parse"
    with pytest.raises(TypeError, match=expected):
        CALLS_WITH_FILES[call](content)


def test_an_undecided_change_names_the_agent() -> None:
    files = [parse(group("Disallow: /x", *(f"Disallow: /*{n}*a{n}*b" for n in range(40)), name="b")), parse("")]
    with pytest.raises(Undecided, match=r"^undecided: the rules are too large for a limit of 10 steps, for b$"):
        diff(*files, agents=["b", "a"], steps=10)


def test_a_change_of_several_agents_names_the_first() -> None:
    (change,) = diff(parse(""), parse(group("Disallow: /")), agents=["ABot", "BBot"])
    assert [agent.tokens for agent in change.agents] == [("ABot",), ("BBot",)]
    assert change.agent == change.agents[0]
