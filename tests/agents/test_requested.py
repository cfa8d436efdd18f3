"""Names of agents, as every interface accepts them."""

import pytest

from canfetch.agents import REGISTRY, Crawler
from canfetch.agents.operator_names import CRAWLERS_BY_OPERATOR, STAR_TOKENS
from canfetch.agents.requested import requested_agent, unknown_agent_note, unknown_agent_notes
from canfetch.core.agent import Agent
from canfetch.errors import InvalidProductToken


@pytest.mark.parametrize("exact", [False, True], ids=["registry", "exact"])
@pytest.mark.parametrize(
    "name, expected",
    [
        ("", "invalid agent '': expected a product token such as 'GPTBot', or '*'"),
        ("https://example.com/", "expected a product token such as 'GPTBot', not a URL"),
        ("Mozilla/5.0 (compatible; GPTBot/1.0; +https://openai.com/gptbot)", "User-Agent header, 'GPTBot'"),
        ("a b", "expected a product token without spaces"),
        ("GPTBot/1.0", "expected only the product token of that User-Agent header, 'GPTBot'"),
        ("GPTBot,CCBot", "one name without ',', '*' and '#', such as 'GPTBot'; pass several names separately"),
        ("GPTBot, CCBot", "such as 'GPTBot'; pass several names separately"),
        ("GPTBot*", "such as 'GPTBot'; pass"),
        ("ExampleBot#1", "such as 'ExampleBot'; pass"),
        (" , ", "such as 'GPTBot'; pass"),
    ],
)
def test_name_that_no_user_agent_line_can_have(name: str, expected: str, *, exact: bool) -> None:
    with pytest.raises(InvalidProductToken, match=r"^invalid agent ") as raised:
        requested_agent(name, exact=exact)
    assert expected in str(raised.value)


def test_valid_names() -> None:
    assert requested_agent("googlebot-image").agent == REGISTRY.agent("Googlebot-Image")
    assert requested_agent("googlebot-image", exact=True).agent == Agent("googlebot-image")
    assert requested_agent("*").agent == Agent("*")
    assert requested_agent("Example:Bot").crawler is None


def test_a_misspelt_name_is_noted_unless_it_is_exact() -> None:
    assert unknown_agent_note(requested_agent("GPTBto")) == "unknown crawler 'GPTBto': did you mean 'GPTBot'?"
    assert unknown_agent_note(requested_agent("GPTBto", exact=True)) is None
    assert unknown_agent_note(requested_agent("GPTBot")) is None
    assert unknown_agent_note(requested_agent("bto")) is None
    assert unknown_agent_note(requested_agent("GPTBot" * 100)) is None


@pytest.mark.parametrize(
    "name, meant",
    [
        ("OpenAI", "'GPTBot', 'OAI-SearchBot' or 'ChatGPT-User'"),
        ("Google", "'Googlebot' or 'Google-Extended'"),
        ("bing", "'bingbot'"),
        ("ArchiveTeam", "'ArchiveBot'"),
        ("all", "'*'"),
    ],
)
def test_an_operator_or_a_product_is_noted_with_its_crawlers(name: str, meant: str) -> None:
    assert unknown_agent_note(requested_agent(name)) == f"unknown crawler {name!r}: did you mean {meant}?"
    assert unknown_agent_note(requested_agent(name, exact=True)) is None
    own = Crawler((name,), operator="Own", purposes=("research",), source="https://example.com")
    registry = REGISTRY.with_crawlers(own)
    assert unknown_agent_note(requested_agent(name, registry=registry), registry) is None


def test_operator_names_are_not_tokens_of_the_registry() -> None:
    tokens = {token.lower() for crawler in REGISTRY.crawlers for token in crawler.tokens}
    assert tokens.isdisjoint(CRAWLERS_BY_OPERATOR)
    meant = {token for names in CRAWLERS_BY_OPERATOR.values() if names != STAR_TOKENS for token in names}
    assert all(REGISTRY.get_crawler(token) is not None for token in meant)


def test_each_name_is_noted_once_with_the_crawlers_of_a_registry() -> None:
    registry = REGISTRY.with_crawlers(
        Crawler(("OwnCrawler",), operator="Own", purposes=("research",), source="https://example.com")
    )
    agents = [requested_agent(name, registry=registry) for name in ("OwnCrawlr", "owncrawler", "OwnCrawlr")]
    assert unknown_agent_notes(agents, registry) == ["unknown crawler 'OwnCrawlr': did you mean 'OwnCrawler'?"]
    assert unknown_agent_notes(agents) == []
