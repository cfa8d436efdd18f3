"""Hover describes who reads a line and what it does, from the engine."""

import pytest

from canfetch.agents import REGISTRY
from canfetch.core.agent_rules import AgentRules
from canfetch.core.extensions.known_records import KNOWN_RECORDS
from canfetch.core.profiles import PROFILES
from canfetch.core.verdict import Verdict
from canfetch.lsp.file_view import FileView
from canfetch.lsp.hover import hover_at, plain_text
from canfetch.lsp.key_meanings import KEY_MEANINGS

FILE = b"""\
User-agent: *
Disallow: /shop/
Allow: /shop/*.html$
Crawl-delay: 3

User-agent: GPTBot
User-agent: FooBot
Disalow /a
Disallow: /a
Foo: 3
Sitemap: https://example.com/s.xml
Disallow:
# comment
User-agent: ???
Disallow: /`x`
Dissalow: /y
"""


def hover(line: int, content: bytes = FILE) -> str:
    """Return the hover of a line, which counts from 1."""
    found = hover_at(FileView(content, "rfc9309"), line - 1)
    assert found is not None
    return found.text


@pytest.mark.parametrize("line", [5, 13, 17, 99])
def test_lines_without_a_record_have_none(line: int) -> None:
    assert hover_at(FileView(FILE, "rfc9309"), line - 1) is None


def test_a_rule_names_its_readers_and_an_example() -> None:
    text = hover(2)
    assert text.startswith("**`Disallow: /shop/`**")
    assert "Read by Google (Googlebot," in text
    assert "and by all other crawlers without a group of their own." in text
    assert "it decides `/shop/` (no other rule matches): these crawlers may not fetch it." in text
    assert "in the group for `*` (lines 1 to 4)" in text
    assert "(RFC 9309 section 2.2.2)" in text


def test_a_rule_that_another_one_overrides_names_it() -> None:
    text = hover(2, b"User-agent: *\nDisallow: /a\nAllow: /a\n")
    winner = "line 3, `Allow: /a`, wins (of equally specific rules, allow wins)"
    assert f"it matches `/a`, but {winner}: these crawlers may fetch it" in text


def test_a_path_is_decided_once_for_crawlers_that_read_the_same_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    decided: list[str] = []
    decide = AgentRules.decide

    def counting_decide(rules: AgentRules, url: str) -> Verdict:
        decided.append(str(rules.agent))
        return decide(rules, url)

    monkeypatch.setattr(AgentRules, "decide", counting_decide)
    text = hover(2, b"User-agent: *\n" + b"Disallow: /x\n" * 1_000)
    assert "it decides `/x` (the most specific matching rule wins): these crawlers may not fetch it." in text
    assert len(decided) <= len(PROFILES)


def test_rules_that_match_are_collected_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = [crawler.agent for crawler in REGISTRY.crawlers if not crawler.retired and crawler.obeys != "no"][:20]
    names = b"".join(b"User-agent: %b\n" % str(token).encode() for token in tokens)
    # Each selects the first group and one of its own.
    own = b"".join(b"User-agent: %b\nAllow: /y\n" % str(token).encode() for token in tokens)
    content = names + b"Disallow: /x\n" * 1_000 + own
    collected: list[int] = []
    decide = AgentRules.decide

    def counting_decide(rules: AgentRules, url: str) -> Verdict:
        verdict = decide(rules, url)
        collected.append(len(verdict.also_matched))
        return verdict

    monkeypatch.setattr(AgentRules, "decide", counting_decide)
    monkeypatch.setattr("canfetch.lsp.hover._MAX_COLLECTED_RULES", 3_000)
    text = hover(len(tokens) + 1, content)
    assert 0 < sum(collected) < 5_000
    assert "- this line decides (the most specific matching rule wins): " in text
    assert "- this line decides: " in text


def test_crawlers_that_decide_differently_are_listed_by_the_line_that_decides() -> None:
    # Yandex does not read a line without a colon.
    text = hover(3, b"User-agent: GPTBot\nUser-agent: YandexBot\nDisallow: /a\nAllow /a\n")
    assert "For example, it matches `/a`:" in text
    assert "- this line decides (no other rule matches): Yandex (YandexBot) may not fetch it" in text
    assert "- line 4, `Allow: /a`, wins (of equally specific rules, allow wins): OpenAI (GPTBot) may fetch it" in text


def test_crawlers_that_ignore_a_misspelt_or_incomplete_rule_are_named() -> None:
    text = hover(2, b"User-agent: *\nDisallow /a\n")
    assert "Read by Google" in text
    assert "Not read as a rule by Yandex (" in text


def test_unknown_tokens_are_readers() -> None:
    assert "Read by OpenAI (GPTBot), and by any crawler named `FooBot`." in hover(9)


def test_user_agent_lines_describe_the_crawler() -> None:
    known, unknown, star, invalid = hover(6), hover(7), hover(1), hover(14)
    assert (
        "`GPTBot` of OpenAI, for training. It obeys robots.txt, according to its operator. [Documentation](https://"
        in known
    )
    assert "Read by OpenAI (GPTBot)." in known
    assert "`FooBot` is not in the registry." in unknown
    assert "of the" in star
    assert "crawlers in the registry do not read it" in star
    assert "not a product token" in invalid


def test_records_beyond_the_rfc_name_their_readers() -> None:
    assert "Documented for `bingbot`" in hover(4)
    assert "It applies to all crawlers" in hover(11)
    invalid = hover(2, b"User-agent: *\nCrawl-delay: soon\n")
    assert "The value is invalid, so the record has no effect." in invalid
    assert "outside of all groups, so it has no effect" in hover(1, b"Crawl-delay: 3\n")


def test_unknown_keys_have_a_suggestion() -> None:
    assert "No crawler is known to read a record with the key `foo`." in hover(10)
    assert "Did you mean `Disallow`?" in hover(1, b"Dissalowed: /\n")


def test_rules_outside_of_groups_are_read_by_none() -> None:
    assert "outside of all groups, so no crawler reads it" in hover(1, b"Disallow: /\n")


def test_a_value_with_backticks_is_one_code_span() -> None:
    assert hover(15).startswith("**`` Disallow: /`x` ``**")


def test_plain_text_has_no_marks() -> None:
    assert plain_text("**`Disallow: /`**") == "Disallow: /"


@pytest.mark.parametrize("profile", ["yandex", "original1994"])
def test_every_line_has_a_hover_in_every_profile(profile: str) -> None:
    view = FileView(FILE, profile)
    assert any(hover_at(view, line) for line in range(16))


def test_every_known_record_has_a_meaning() -> None:
    # An old spelling of `Content-Signal`.
    assert {key.decode() for key in KNOWN_RECORDS} - KEY_MEANINGS.keys() == {"content-signals"}
