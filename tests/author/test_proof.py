"""Whose intent is whose, and the proof that the file says so."""

import json

import pytest
from tests.author.policies import POLICIES

import canfetch
from canfetch.author.proof import CURRENT_PROFILES
from canfetch.author.resolution import resolve
from canfetch.core.engines import native_module


def intents_of(toml: str) -> dict[str, str]:
    return {
        meant.name: str(meant.intent and meant.intent.audience)
        for meant in resolve(canfetch.author.parse_policy(toml)).crawlers
    }


def test_the_most_specific_intent_is_whose_it_is() -> None:
    whose = intents_of(POLICIES["chains"])
    assert whose["Googlebot"] == whose["Googlebot-Image"] == whose["Google-InspectionTool"] == "crawler.Googlebot"
    # It listens to Googlebot's group, and is somebody else's.
    assert whose["Applebot"] == "everyone"
    assert whose["bingbot"] == "crawler.msnbot"
    assert whose["YandexBot"] == "crawler.Yandex"
    assert whose["AhrefsBot"] == "purpose.seo"
    assert whose["AdsBot-Google"] == "None"
    assert whose["GPTBot"] == "everyone"
    robots = canfetch.parse(canfetch.author.render_policy(canfetch.author.parse_policy(POLICIES["chains"])))
    assert robots.allows("/google/", agent=canfetch.agent("Applebot"))
    assert not robots.allows("/google/", agent=canfetch.agent("Googlebot-Image"))
    assert not robots.allows("/msn/", agent=canfetch.agent("bingbot"))


def test_who_ignores_the_star_is_named_where_that_is_wanted() -> None:
    unnamed = "[everyone]\nfetch = 'none'\n"
    for names, allowed in ((False, True), (True, False)):
        policy = canfetch.author.parse_policy(unnamed + f"include_star_ignorers = {str(names).lower()}")
        robots = canfetch.parse(canfetch.author.render_policy(policy))
        assert robots.allows("/", agent=canfetch.agent("AdsBot-Google")) is allowed
        assert not robots.allows("/", agent="ExampleBot")
        assert any("AdsBot-Google" in note for note in canfetch.author.prove(policy).limitations) is not names


@pytest.mark.parametrize("name", POLICIES)
def test_every_intent_is_met_on_every_profile_of_today(name: str) -> None:
    proof = canfetch.author.prove(canfetch.author.parse_policy(POLICIES[name]))
    assert proof.holds, [str(shortfall) for shortfall in proof.shortfalls if shortfall.is_fault][:5]
    asked = {(row.profile, engine) for row in proof.intents for engine in row.engines}
    engines = {"python"} if native_module() is None else {"python", "native"}
    assert {engine for profile, engine in asked if profile == "rfc9309"} == engines
    assert {profile for profile, _ in asked} == set(canfetch.PROFILES)
    for row in proof.intents:
        assert row.checked == row.crawlers * row.targets * len(row.engines) > 0
        short = [
            shortfall
            for shortfall in proof.shortfalls
            if (shortfall.profile, shortfall.intent) == (row.profile, row.intent)
        ]
        assert row.is_met is (not short)
    # What is left is about histories and names beyond the grammar, and says so.
    whys = {(shortfall.profile in CURRENT_PROFILES, shortfall.reason) for shortfall in proof.shortfalls}
    assert {why for binding, why in whys if binding} <= {"this reading takes letters, '-' and '_' alone for a name"}


def test_a_proof_tells_what_history_reads_otherwise() -> None:
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
    whys = {(shortfall.profile, shortfall.reason) for shortfall in proof.shortfalls}
    assert ("original1994", "this reading knows no Allow") in whys
    assert ("cpython-old", "this reading knows neither '*' nor '$'") in whys
    assert ("google", "this reading takes letters, '-' and '_' alone for a name") in whys
    with pytest.raises(TypeError, match=r"ask its \.holds"):
        bool(proof)


def test_google_an_index_page_cannot_be_allowed_without_its_folder() -> None:
    proof = canfetch.author.prove(
        canfetch.author.parse_policy(
            "[everyone]\nfetch = 'none'\n[crawler.ExampleBot]\nfetch = 'none'\nallow_pages = ['/a/index.html']"
        )
    )
    assert not proof.holds
    faults = [shortfall for shortfall in proof.shortfalls if shortfall.is_fault]
    assert {(fault.profile, fault.subject, fault.reason) for fault in faults} == {
        (profile, "/a/", "this reading takes an Allow of index.html for one of its folder, too")
        for profile in ("google", "googlebot")
    }


def test_a_proof_finds_what_a_file_does_not_say(monkeypatch: pytest.MonkeyPatch) -> None:
    # A renderer that forgets half of the file.
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


def test_a_proof_in_plain_values() -> None:
    proof = canfetch.author.prove(canfetch.author.parse_policy(POLICIES["training"]))
    shape = json.loads(json.dumps(proof.to_json()))
    assert shape["schema"] == "canfetch.proof/2"
    assert shape["holds"] is True
    assert shape["robots_txt"].endswith("User-agent: *\nDisallow:\n")
    assert {row["intent"] for row in shape["intents"]} == {"purpose.training", "everyone"}


def test_notes_say_what_no_file_can_do() -> None:
    notes = canfetch.author.prove(
        canfetch.author.parse_policy("""
        [purpose.training]
        fetch = "none"
        [purpose.user-triggered]
        fetch = "none"
        [crawler.NobodyKnowsBot]
        fetch = "none"
        [[page]]
        paths = ["/drafts/"]
        rules = ["noindex"]
        crawler = "GPTBot"
    """)
    ).limitations
    assert any(note.startswith("words in robots.txt that never fetch") and "Google-Extended" in note for note in notes)
    assert any(note.startswith("may not obey robots.txt") and "ChatGPT-User" in note for note in notes)
    assert any(note.startswith("not in the registry") and "NobodyKnowsBot" in note for note in notes)
    assert any(note.startswith("X-Robots-Tag 'gptbot: noindex'") and "never seen" in note for note in notes)
