"""Who asks: one or more product tokens to try in order, and whether `*` applies.

Source: RFC 9309 section 2.2.1; Google's list of crawlers for chains and for crawlers that ignore `*`.
"""

from collections.abc import Iterable
from typing import Self

from canfetch.core.tokens import encode_product_token


class Agent:
    """A chain of product tokens: the first that has a group decides, then `*` where it applies.

    A `str` as agent is one exact token and never a chain; only this is one. Immutable and hashable.

    Args:
        tokens: one product token, or several in the order in which they are tried.
        star_applies: whether the `*` group decides where no token has one.
    Raises: InvalidProductToken: a token is empty, or holds white space, `/` or a control character;
        TypeError: a token is no str.

    >>> Agent(["Googlebot-Image", "Googlebot"])
    Agent(['Googlebot-Image', 'Googlebot'])
    """

    __slots__ = ("encoded_tokens", "star_applies", "tokens")

    tokens: tuple[str, ...]
    star_applies: bool
    encoded_tokens: tuple[bytes, ...]

    def __new__(cls, tokens: str | Iterable[str], *, star_applies: bool = True) -> Self:
        """Check the tokens, and bind them to an object that stays as it is."""
        agent = super().__new__(cls)
        given = (tokens,) if isinstance(tokens, str) else tuple(tokens)
        encoded = tuple(encode_product_token(token) for token in given or ("",))
        object.__setattr__(agent, "tokens", given)
        object.__setattr__(agent, "star_applies", star_applies)
        object.__setattr__(agent, "encoded_tokens", encoded)
        return agent

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an Agent never changes; make another with Agent(..., {name}=...)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an Agent never changes: {name} stays")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Agent):
            return NotImplemented
        return (self.tokens, self.star_applies) == (other.tokens, other.star_applies)

    def __hash__(self) -> int:
        return hash((self.tokens, self.star_applies))

    def __repr__(self) -> str:
        star = "" if self.star_applies else ", star_applies=False"
        return f"Agent({list(self.tokens)!r}{star})"

    def __reduce__(self) -> tuple[object, ...]:
        return _agent, (self.tokens, self.star_applies)


def _agent(tokens: tuple[str, ...], star_applies: bool) -> Agent:  # noqa: FBT001 - what a pickle calls
    return Agent(tokens, star_applies=star_applies)


def as_agent(agent: str | Agent) -> Agent:
    """Give the Agent that a caller means; a `str` is one token.

    Raises: InvalidProductToken; TypeError: it is neither.
    """
    if isinstance(agent, Agent):
        return agent
    if isinstance(agent, str):
        return Agent(agent)
    raise TypeError(f"agent is a product token or an Agent, not {type(agent).__name__}")
