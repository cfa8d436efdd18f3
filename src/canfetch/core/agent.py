"""Agents: one or more product tokens to try in order, and whether the `*` groups apply.

Source: RFC 9309 section 2.2.1; Google's and Yandex's lists of crawlers, for chains and for crawlers that ignore `*`.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Self

from canfetch.core._tables import STAR_IGNORERS
from canfetch.core.tokens import encode_product_token
from canfetch.errors import InvalidProductToken

__all__ = ["STAR_IGNORERS", "Agent", "as_agent", "cached_agent"]

_CACHED_AGENTS: Final = 1024
# Longer tokens are not kept.
_MAX_CACHED_CHARACTERS: Final = 64


class Agent:
    """A chain of product tokens. The groups of the first token that has any apply, or else the `*` groups.

    A `str` that is passed as an agent is one token; only an `Agent` is a chain. Immutable and hashable.

    Args:
        tokens: A product token, or several in the order in which they are tried.
        star_applies: Whether the `*` groups apply if no token has a group. By default, they apply unless the first
            token is the name of a crawler that ignores them, such as AdsBot-Google.
    Raises: InvalidProductToken: there is no token, or a token is empty, or contains white space, `/` or a control
        character; TypeError: a token is not a str.

    >>> Agent(["Googlebot-Image", "Googlebot"])
    Agent(['Googlebot-Image', 'Googlebot'])
    >>> Agent("AdsBot-Google")
    Agent(['AdsBot-Google'], star_applies=False)
    """

    __slots__ = ("_hash", "encoded_tokens", "star_applies", "tokens")

    tokens: tuple[str, ...]
    star_applies: bool
    encoded_tokens: tuple[bytes, ...]
    _hash: int

    def __new__(cls, tokens: str | Iterable[str], *, star_applies: bool | None = None) -> Self:
        """Validate the tokens and create the agent."""
        agent = super().__new__(cls)
        chain = (tokens,) if isinstance(tokens, str) else tuple(tokens)
        if not chain:
            raise InvalidProductToken("an Agent requires at least one product token")
        encoded = tuple(encode_product_token(token) for token in chain)
        agent._set(chain, encoded, star_applies=_star_applies(chain) if star_applies is None else star_applies)
        return agent

    def _set(self, tokens: tuple[str, ...], encoded_tokens: tuple[bytes, ...], *, star_applies: bool) -> None:
        object.__setattr__(self, "tokens", tokens)
        object.__setattr__(self, "star_applies", star_applies)
        object.__setattr__(self, "encoded_tokens", encoded_tokens)
        object.__setattr__(self, "_hash", hash((tokens, star_applies)))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"cannot set {name!r}: an Agent is immutable")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"cannot delete {name!r}: an Agent is immutable")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Agent):
            return NotImplemented
        return (self.tokens, self.star_applies) == (other.tokens, other.star_applies)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        is_default = self.star_applies and _star_applies(self.tokens)
        return f"Agent({list(self.tokens)!r}{'' if is_default else f', star_applies={self.star_applies}'})"

    def __reduce__(self) -> tuple[object, ...]:
        return _agent, (self.tokens, self.star_applies)


def _agent(tokens: tuple[str, ...], star_applies: bool) -> Agent:  # noqa: FBT001 - called by pickle
    return Agent(tokens, star_applies=star_applies)


def _star_applies(tokens: tuple[str, ...]) -> bool:
    return tokens[0].lower() not in STAR_IGNORERS


def as_agent(agent: str | Agent) -> Agent:
    """Return `agent` as an `Agent`. A `str` is one token, and the `*` groups apply as for `Agent(token)`.

    Raises: InvalidProductToken; TypeError: `agent` is neither a str nor an `Agent`.
    """
    if isinstance(agent, str):
        return cached_agent(agent) if len(agent) <= _MAX_CACHED_CHARACTERS else Agent(agent)
    if isinstance(agent, Agent):
        return agent
    raise TypeError(f"agent must be a str or an Agent, not {type(agent).__name__}")


# Programs ask for a few agents again and again, and validating a token takes longer than most decisions.
@lru_cache(_CACHED_AGENTS)
def cached_agent(tokens: str | tuple[str, ...], star_applies: bool | None = None) -> Agent:  # noqa: FBT001 - a cached function is faster with positional arguments
    """Return an `Agent` that is created once for the same arguments.

    Raises: InvalidProductToken.
    """
    return Agent(tokens, star_applies=star_applies)
