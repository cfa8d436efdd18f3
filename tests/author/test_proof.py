"""The intent for each crawler, and the proof that the rendered file matches it."""

import json

import pytest
from tests.author.policies import POLICIES

import canfetch
from canfetch.author.proof import CURRENT_PROFILES
from canfetch.author.resolution import resolve
from canfetch.core.engines import native_module
from canfetch.core.profiles import PROFILES


def intents_of(toml: str) -> dict[str, str]:
    return {
        crawler.name: str(crawler.intent and crawler.intent.audience)
        for crawler in resolve(canfetch.author.parse_policy(toml)).crawlers
    }


def test_most_specific_intent_applies() -> None:
    audiences = intents_of(POLICIES["chains"])
    assert (
        audiences["Googlebot"]
        == audiences["Googlebot-Image"]
        == audiences["Google-InspectionTool"]
        == "crawler.Googlebot"
    )
    # Applebot falls back on Googlebot's group, but has another operator.
    assert audiences["Applebot"] == "everyone"
    assert audiences["bingbot"] == "crawler.msnbot"
    assert audiences["YandexBot"] == "crawler.Yandex"
    assert audiences["AhrefsBot"] == "purpose.seo"
    assert audiences["AdsBot-Google"] == "None"
    assert audiences["GPTBot"] == "everyone"
    robots = canfetch.parse(canfetch.author.render_policy(canfetch.author.parse_policy(POLICIES["chains"])))
    assert robots.allows("/google/", agent=canfetch.agent("Applebot"))
    assert not robots.allows("/google/", agent=canfetch.agent("Googlebot-Image"))
    assert not robots.allows("/msn/", agent=canfetch.agent("bingbot"))


@pytest.mark.parametrize(
    "tables, audience, allowed",
    [
        ("[purpose.training]\nfetch = 'none'", "purpose.training", False),
        ("[purpose.archive]\nfetch = 'all'\n[purpose.training]\nfetch = 'none'", "purpose.training", False),
        ("[purpose.archive]\nfetch = 'none'\n[purpose.training]\nfetch = 'all'", "purpose.archive", False),
        ("[purpose.training]\ndisallow = ['/x']\n[purpose.archive]\ndisallow = ['/y']", "purpose.archive", True),
        ("[crawler.CCBot]\nfetch = 'all'\n[purpose.training]\nfetch = 'none'", "crawler.CCBot", True),
    ],
    ids=["one", "second-closed", "first-closed", "none-closed", "named"],
)
def test_crawler_with_several_purposes(tables: str, audience: str, *, allowed: bool) -> None:
    assert intents_of(tables)["CCBot"] == audience
    robots = canfetch.parse(canfetch.author.render_policy(canfetch.author.parse_policy(tables)))
    assert robots.allows("/", agent=canfetch.agent("CCBot")) is allowed


@pytest.mark.slow
def test_crawlers_that_ignore_star_are_named_on_request() -> None:
    toml = "[everyone]\nfetch = 'none'\n"
    for include, allowed in ((False, True), (True, False)):
        policy = canfetch.author.parse_policy(toml + f"include_star_ignorers = {str(include).lower()}")
        robots = canfetch.parse(canfetch.author.render_policy(policy))
        assert robots.allows("/", agent=canfetch.agent("AdsBot-Google")) is allowed
        assert not robots.allows("/", agent="ExampleBot")
        assert any("AdsBot-Google" in text for text in canfetch.author.prove(policy).limitations) is not include


@pytest.mark.slow
@pytest.mark.parametrize("name", POLICIES)
def test_every_intent_is_met_on_all_current_profiles(name: str) -> None:
    proof = canfetch.author.prove(canfetch.author.parse_policy(POLICIES[name]))
    assert proof.holds, [str(shortfall) for shortfall in proof.shortfalls if shortfall.is_fault][:5]
    checked = {(row.profile, engine) for row in proof.intents for engine in row.engines}
    engines = {"python"} if native_module() is None else {"python", "native"}
    assert {engine for profile, engine in checked if profile == "rfc9309"} == engines
    assert {profile for profile, _ in checked} == set(canfetch.PROFILES)
    for row in proof.intents:
        assert row.checked == row.crawlers * row.targets * len(row.engines) > 0
        shortfalls = [
            shortfall
            for shortfall in proof.shortfalls
            if (shortfall.profile, shortfall.intent) == (row.profile, row.intent)
        ]
        assert row.is_met is (not shortfalls)
    # On current profiles, only names outside the grammar fall short.
    reasons = {shortfall.reason for shortfall in proof.shortfalls if shortfall.profile in CURRENT_PROFILES}
    assert reasons <= {"this profile reads only letters, '-' and '_' of a name"}


@pytest.mark.slow
def test_proof_explains_shortfalls_of_historical_profiles() -> None:
    proof = canfetch.author.prove(
        canfetch.author.parse_policy("""
        [everyone]
        fetch = "none"
        allow = ["/press/"]
        [crawler.GPTBot]
        disallow_file_types = ["gif"]
        [crawler.MJ12bot]
        fetch = "none"
    """)
    )
    assert proof.holds
    reasons = {(shortfall.profile, shortfall.reason) for shortfall in proof.shortfalls}
    assert ("original1994", "this profile does not support Allow") in reasons
    assert ("original1994", "this profile supports neither '*' nor '$'") in reasons
    assert ("google", "this profile reads only letters, '-' and '_' of a name") in reasons
    with pytest.raises(TypeError, match=r"use \.holds"):
        bool(proof)


@pytest.mark.slow
def test_google_allowing_an_index_page_allows_its_folder() -> None:
    proof = canfetch.author.prove(
        canfetch.author.parse_policy(
            "[everyone]\nfetch = 'none'\n[crawler.ExampleBot]\nfetch = 'none'\nallow_pages = ['/a/index.html']"
        )
    )
    assert not proof.holds
    faults = [shortfall for shortfall in proof.shortfalls if shortfall.is_fault]
    assert {(fault.profile, fault.subject, fault.reason) for fault in faults} == {
        (profile, "/a/", "this profile applies an Allow of index.html to its folder, too")
        for profile in ("google", "googlebot")
    }


@pytest.mark.slow
def test_proof_finds_missing_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    # `holds` ignores the other profiles.
    monkeypatch.setattr("canfetch.author.proof.PROFILES", {name: PROFILES[name] for name in CURRENT_PROFILES})
    # The renderer is replaced by one that drops lines.
    policy = canfetch.author.parse_policy(POLICIES["search-but-private"])
    whole = canfetch.author.Draft.render
    monkeypatch.setattr(
        canfetch.author.Draft, "render", lambda draft: whole(draft).replace(b"Disallow: /private/\n", b"")
    )
    proof = canfetch.author.prove(policy)
    assert not proof.holds
    assert any(shortfall.subject == "/private/" and shortfall.profile == "rfc9309" for shortfall in proof.shortfalls)
    for lost in (b"Sitemap:", b"License:", b"Crawl-delay:", b"Content-"):
        monkeypatch.setattr(canfetch.author.Draft, "render", lambda draft, lost=lost: whole(draft).replace(lost, b"#"))
        assert not canfetch.author.prove(policy).holds, lost


def test_proof_to_json() -> None:
    proof = canfetch.author.prove(canfetch.author.parse_policy(POLICIES["training"]))
    shape = json.loads(json.dumps(proof.to_json()))
    assert shape["schema"] == "canfetch.proof/2"
    assert shape["holds"] is True
    assert shape["robots_txt"].endswith("User-agent: *\nDisallow:\n")
    assert {row["intent"] for row in shape["intents"]} == {"purpose.training", "everyone"}


@pytest.mark.slow
def test_limitations() -> None:
    limitations = canfetch.author.prove(
        canfetch.author.parse_policy("""
        [purpose.training]
        fetch = "none"
        [purpose.user-triggered]
        fetch = "none"
        [crawler.UnknownBot]
        fetch = "none"
        [[page]]
        paths = ["/drafts/"]
        rules = ["noindex"]
        crawler = "GPTBot"
    """)
    ).limitations
    assert any(text.startswith("tokens that never send requests") and "Google-Extended" in text for text in limitations)
    might_ignore = [text for text in limitations if text.startswith("crawlers that might ignore robots.txt")]
    operators, third_parties = might_ignore
    assert "according to their operators" in operators
    assert "ChatGPT-User" in operators
    assert "according to third parties" in third_parties
    assert "img2dataset" in third_parties
    assert any(
        text.startswith("crawlers that are not in the registry") and "UnknownBot" in text for text in limitations
    )
    assert any(text.startswith("X-Robots-Tag 'gptbot: noindex'") and "never read" in text for text in limitations)
