"""Agents from the user agents that other libraries accept: product tokens, whole headers, and any other text."""

from canfetch.core.agent import Agent
from canfetch.core.tokens import product_token
from canfetch.errors import InvalidProductToken

_STAR = Agent("*")


def agent_from(user_agent: str | Agent) -> Agent:
    """Return the agent of a product token or a whole User-Agent header. No text makes this raise.

    A token ends where it ends in a user-agent line: `ExampleBot*` is `ExampleBot`. The agent of a header that
    identifies no crawler, such as a browser's, is its first product. Without any product it is `*`.

    Raises: TypeError: `user_agent` is neither a str nor an `Agent`.
    Cost: O(characters).
    """
    if isinstance(user_agent, Agent):
        return user_agent
    if not isinstance(user_agent, str):
        raise TypeError(f"user agent must be a str or a canfetch.Agent, not {type(user_agent).__name__}")
    for find_token in (_token_of_line, _token_of_header, _first_word):
        try:
            return Agent(find_token(user_agent))
        except InvalidProductToken:
            continue
    return _STAR


def _token_of_line(user_agent: str) -> str:
    """Return the token of a user-agent line with this value.

    Raises: InvalidProductToken: The text contains white space or a slash, as headers do.
    """
    (name,) = Agent(user_agent).tokens
    return name if name == "*" else name.replace(",", "*").partition("*")[0]


def _token_of_header(user_agent: str) -> str:
    """Return the token of a whole header.

    Raises: InvalidProductToken: The header identifies no crawler.
    """
    return _token_of_line(product_token(user_agent))


def _first_word(user_agent: str) -> str:
    return "".join(user_agent.replace("/", " ").split()[:1])
