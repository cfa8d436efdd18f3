"""Rules bound to one agent: the selected groups, and decisions."""

import gc
import re

import pytest

import canfetch
from canfetch.core.agent import Agent
from canfetch.core.agent_rules import find_deciding_rule, find_matching_rules
from canfetch.core.verdict import GroupChoice, GroupSelection, Reason, Rule

FILE = b"""User-agent: googlebot-news
User-agent: GoogleBot-News
Disallow: /fish
User-agent: *
Disallow: /carrots
User-agent: Googlebot-News
Disallow: /shrimp
User-agent: FooBot
"""


@pytest.fixture(scope="module")
def robots(engine: str) -> canfetch.RobotsTxt:
    return canfetch.parse(FILE, engine=engine)


@pytest.mark.parametrize(
    "agent, chosen, indices",
    [
        ("Googlebot-News", GroupSelection(GroupChoice.OWN_TOKEN, "Googlebot-News", (1, 2, 6)), [0, 2]),
        ("foobot", GroupSelection(GroupChoice.OWN_TOKEN, "foobot", (8,)), [3]),
        (Agent(["a", "FooBot"]), GroupSelection(GroupChoice.FALLBACK, "FooBot", (8,)), [3]),
        # Only the groups of the first token with a group apply.
        (Agent(["FooBot", "Googlebot-News"]), GroupSelection(GroupChoice.OWN_TOKEN, "FooBot", (8,)), [3]),
        ("Googlebot", GroupSelection(GroupChoice.STAR, "*", (4,)), [1]),
        ("*", GroupSelection(GroupChoice.STAR, "*", (4,)), [1]),
        (Agent(["a", "*"], star_applies=False), GroupSelection(GroupChoice.STAR, "*", (4,)), [1]),
        (Agent("Googlebot", star_applies=False), GroupSelection(GroupChoice.NONE, None, ()), []),
    ],
)
def test_rfc9309_2_2_1_groups_of_an_agent(
    robots: canfetch.RobotsTxt, agent: str | Agent, chosen: GroupSelection, indices: list[int]
) -> None:
    rules = robots.rules_for(agent)
    assert rules.group == chosen
    assert rules.group_indices == indices
    # The property is cached.
    assert rules.group == chosen


def test_google2019_groups_of_googlebot_news_merge_in_any_case(engine: str) -> None:
    rules = canfetch.parse(FILE, profile="google2019", engine=engine).rules_for("Googlebot-News")
    assert rules.group == GroupSelection(GroupChoice.OWN_TOKEN, "Googlebot-News", (1, 2, 6))
    assert not rules.allows("/fish")
    assert not rules.allows("/shrimp")


def test_tokens_that_are_not_utf8_select_their_group(engine: str) -> None:
    robots = canfetch.parse(b"User-agent: caf%E9\nUser-agent: caf\xe9\nDisallow: /", engine=engine)
    # Both tokens look the same when displayed.
    assert robots.rules_for("caf\udce9").group == GroupSelection(GroupChoice.OWN_TOKEN, "caf%E9", (2,))
    assert robots.rules_for("caf%E9").group == GroupSelection(GroupChoice.OWN_TOKEN, "caf%E9", (1,))
    assert robots.rules_for("caf\u00e9").group.choice is GroupChoice.NONE


def test_other_matching_rules_are_listed_in_order_of_precedence(engine: str) -> None:
    body = b"User-agent: *\nDisallow: /a*\nAllow: /a/b\nAllow: /\nDisallow: /\nDisallow: /x\nAllow: /a/b/c\nDisallow: *"
    verdict = canfetch.parse(body, engine=engine).decide("/a/b/c", agent="x")
    assert verdict.reason is Reason.ALLOW_RULE
    assert verdict.rule == Rule(True, b"/a/b/c", 7, 6)
    # The highest specificity first, then allow before disallow, then the first line.
    assert [(rule.line, rule.specificity) for rule in verdict.also_matched] == [(3, 4), (2, 3), (4, 1), (5, 1), (8, 1)]


def test_rules_that_match_robots_txt_are_listed_although_none_decides(engine: str) -> None:
    verdict = canfetch.parse(b"User-agent: *\nDisallow: /", engine=engine).decide("/robots.txt", agent="x")
    assert (verdict.allowed, verdict.reason, verdict.rule) == (True, Reason.ROBOTS_TXT, None)
    assert verdict.also_matched == (Rule(False, b"/", 2, 1),)


def test_google_index_html_has_the_specificity_of_the_matching_text(engine: str) -> None:
    robots = canfetch.parse(b"User-agent: *\nDisallow: /\nAllow: /d/index.html", profile="google", engine=engine)
    verdict = robots.decide("/d/", agent="x")
    assert verdict.rule == Rule(True, b"/d/index.html", 3, 4)
    # A rule is listed once, with its most specific matching text.
    assert robots.decide("/d/index.html", agent="x").rule == Rule(True, b"/d/index.html", 3, 13)
    assert [rule.line for rule in verdict.also_matched] == [2]


def test_repr_contains_agent_and_profile(robots: canfetch.RobotsTxt) -> None:
    assert repr(robots.rules_for("FooBot")) == "<AgentRules of Agent(['FooBot']), profile rfc9309>"


def test_an_unreferenced_file_is_freed_without_the_garbage_collector(engine: str) -> None:
    def use() -> None:
        robots = canfetch.parse(FILE, url="https://example.com/robots.txt", engine=engine)
        robots.allows("https://example.com/fish", agent="FooBot")
        robots.decide("/fish", agent="Googlebot-News")

    use()
    gc.collect()
    gc.disable()
    try:
        use()
        # Reference cycles would delay freeing the memory.
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.parametrize("url", ["/", "/private", "/private/x", "/private/press", "/robots.txt", "/else"])
def test_the_deciding_and_matching_rules_are_those_of_the_verdict(engine: str, url: str) -> None:
    rules = canfetch.parse(
        b"User-agent: *\nDisallow: /private\nAllow: /private/press\nDisallow: /p\n", engine=engine
    ).rules_for("x")
    verdict = rules.decide(url)
    assert find_deciding_rule(rules, url) == (verdict.allowed, verdict.rule)
    assert find_matching_rules(rules, url) == (verdict.allowed, verdict.rule, verdict.also_matched)


@pytest.mark.parametrize("profile", ["rfc9309", "google", "draft1996"])
def test_repeated_decisions_are_equal(engine: str, profile: str) -> None:
    content = b"".join(
        b"%s: %s\n" % (key, value)
        for key in (b"Disallow", b"Allow")
        for value in (b"/a", b"/a*c", b"/*b", b"/*?q=/", b"/a/index.html", b"/a", b"/a/b$", b"*", b"/*c$")
    )
    robots = canfetch.parse(b"User-agent: *\n" + content, profile=profile, engine=engine)
    urls = ["/a/b/c", "/a/b", "/a?q=/", "/a/", "/a/index.html", "/x", "/robots.txt"]
    first = [robots.decide(url, agent="x") for url in urls]
    assert any(len(verdict.also_matched) > 4 for verdict in first)
    # An engine may build indexes and share objects on the way.
    for _ in range(40):
        assert [robots.decide(url, agent="x") for url in urls] == first
    for url, verdict in zip(urls, first, strict=True):
        assert robots.allows(url, agent="x") is verdict.allowed
        assert isinstance(verdict.rule, Rule | None)
        assert all(isinstance(rule, Rule) for rule in verdict.also_matched)


def test_more_matching_rules_than_are_shared_are_all_returned(engine: str) -> None:
    content = b"User-agent: *\n" + b"".join(b"Disallow: /%s\n" % (b"a" * length) for length in range(1, 300))
    rules = canfetch.parse(content, engine=engine).rules_for("x")
    for _ in range(20):
        verdict = rules.decide("/" + "a" * 400)
        assert [rule.line for rule in (verdict.rule, *verdict.also_matched) if rule] == list(range(300, 1, -1))


@pytest.mark.parametrize("url", ["/", "/fish", b"/fish", "https://example.com/"])
def test_one_url_is_not_a_batch(engine: str, url: str | bytes) -> None:
    rules = canfetch.parse(FILE, engine=engine).rules_for("foobot")
    with pytest.raises(TypeError, match=re.escape(f"expected an iterable of URLs, such as [{url!r}]")):
        rules.allows_many(url)  # type: ignore[arg-type]  # bytes are not an iterable of URLs
