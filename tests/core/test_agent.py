"""Agents: immutable chains of product tokens."""

import copy
import pickle

import pytest

from canfetch.core.agent import Agent, as_agent
from canfetch.errors import InvalidProductToken


def test_agent_has_one_token_or_a_chain() -> None:
    assert Agent("ExampleBot").tokens == ("ExampleBot",)
    chain = Agent(iter(["Googlebot-Image", "caf\u00e9"]), star_applies=False)
    assert chain.tokens == ("Googlebot-Image", "caf\u00e9")
    assert chain.encoded_tokens == (b"Googlebot-Image", b"caf\xc3\xa9")
    assert not chain.star_applies


@pytest.mark.parametrize("tokens", [[], "", ["a", ""], ["a", "b c"], "a/1"])
def test_agent_needs_valid_tokens(tokens: str | list[str]) -> None:
    with pytest.raises(InvalidProductToken):
        Agent(tokens)


def test_agent_without_tokens() -> None:
    with pytest.raises(InvalidProductToken, match="an Agent requires at least one product token"):
        Agent([])


@pytest.mark.parametrize("tokens", [b"ExampleBot", ["a", b"b"], [None]])
def test_tokens_must_be_str(tokens: object) -> None:
    with pytest.raises(TypeError, match="product token must be a str"):
        Agent(tokens)  # type: ignore[arg-type]


def test_agents_compare_by_value() -> None:
    agent = Agent(["a", "b"])
    assert agent == Agent(("a", "b"))
    assert hash(agent) == hash(Agent(("a", "b")))
    assert agent != Agent(["b", "a"])
    assert agent != Agent(["a", "b"], star_applies=False)
    # Agents keep their case, because it counts in some profiles.
    assert Agent("a") != Agent("A")
    # A str is one exact token and not an Agent.
    assert Agent("a") != "a"


def test_agent_is_immutable() -> None:
    agent = Agent("a")
    with pytest.raises(AttributeError, match="cannot set 'star_applies'"):
        agent.star_applies = False
    with pytest.raises(AttributeError, match="cannot delete 'tokens'"):
        del agent.tokens
    assert agent == Agent("a")


@pytest.mark.parametrize("agent", [Agent("caf\u00e9\udcff"), Agent(["a", "b"], star_applies=False)])
def test_agent_can_be_copied_and_pickled(agent: Agent) -> None:
    for twin in (pickle.loads(pickle.dumps(agent)), copy.copy(agent), copy.deepcopy(agent)):  # noqa: S301
        assert twin == agent
        assert twin.encoded_tokens == agent.encoded_tokens
        assert twin.star_applies is agent.star_applies


@pytest.mark.parametrize("agent", [Agent("a"), Agent(["a", "b"], star_applies=False)])
def test_repr_evaluates_to_the_agent(agent: Agent) -> None:
    assert eval(repr(agent), {"Agent": Agent}) == agent  # noqa: S307


def test_as_agent_accepts_str_and_agent_only() -> None:
    agent = Agent("a")
    assert as_agent(agent) is agent
    assert as_agent("a") == agent
    with pytest.raises(TypeError, match="not bytes"):
        as_agent(b"a")  # type: ignore[arg-type]
