"""Agents: a chain of product tokens that never changes."""

import copy
import pickle

import pytest

from canfetch.core.agent import Agent, as_agent
from canfetch.errors import InvalidProductToken


def test_one_token_or_a_chain() -> None:
    assert Agent("ExampleBot").tokens == ("ExampleBot",)
    chain = Agent(iter(["Googlebot-Image", "caf\u00e9"]), star_applies=False)
    assert chain.tokens == ("Googlebot-Image", "caf\u00e9")
    assert chain.encoded_tokens == (b"Googlebot-Image", b"caf\xc3\xa9")
    assert not chain.star_applies


@pytest.mark.parametrize("tokens", [[], "", ["a", ""], ["a", "b c"], "a/1"])
def test_no_agent_without_tokens(tokens: str | list[str]) -> None:
    with pytest.raises(InvalidProductToken):
        Agent(tokens)


@pytest.mark.parametrize("tokens", [b"ExampleBot", ["a", b"b"], [None]])
def test_tokens_are_text(tokens: object) -> None:
    with pytest.raises(TypeError, match="product token must be a str"):
        Agent(tokens)  # type: ignore[arg-type]


def test_agents_are_values() -> None:
    agent = Agent(["a", "b"])
    assert agent == Agent(("a", "b"))
    assert hash(agent) == hash(Agent(("a", "b")))
    assert agent != Agent(["b", "a"])
    assert agent != Agent(["a", "b"], star_applies=False)
    # Letter case is kept, and compared by the file's profile.
    assert Agent("a") != Agent("A")
    # A str is one exact token, and no Agent.
    assert Agent("a") != "a"


def test_an_agent_never_changes() -> None:
    agent = Agent("a")
    with pytest.raises(AttributeError, match="cannot set 'star_applies'"):
        agent.star_applies = False
    with pytest.raises(AttributeError, match="cannot delete 'tokens'"):
        del agent.tokens
    assert agent == Agent("a")


@pytest.mark.parametrize("agent", [Agent("caf\u00e9\udcff"), Agent(["a", "b"], star_applies=False)])
def test_an_agent_survives_copies_and_processes(agent: Agent) -> None:
    for twin in (pickle.loads(pickle.dumps(agent)), copy.copy(agent), copy.deepcopy(agent)):  # noqa: S301
        assert twin == agent
        assert twin.encoded_tokens == agent.encoded_tokens
        assert twin.star_applies is agent.star_applies


@pytest.mark.parametrize("agent", [Agent("a"), Agent(["a", "b"], star_applies=False)])
def test_an_agent_shows_how_it_is_made(agent: Agent) -> None:
    assert eval(repr(agent), {"Agent": Agent}) == agent  # noqa: S307


def test_a_str_is_an_agent_and_octets_are_none() -> None:
    agent = Agent("a")
    assert as_agent(agent) is agent
    assert as_agent("a") == agent
    with pytest.raises(TypeError, match="not bytes"):
        as_agent(b"a")  # type: ignore[arg-type]
