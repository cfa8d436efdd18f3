"""Answers for every user agent and URL that other libraries accept, where canfetch itself raises.

They match any text, such as a whole User-Agent header or the relative URL `fish.html`.
"""

from collections.abc import Callable
from typing import Final

from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.tokens import product_token
from canfetch.core.urls import AnyURL, plain_url
from canfetch.errors import InvalidProductToken, InvalidURL

_CACHED_AGENTS_LIMIT: Final = 256
_STAR: Final = Agent("*")


class LenientAnswers:
    """The answers of one file.

    Attributes:
        by_user_agent: `AgentRules.allows` of the latest user agents. It raises for a URL that is not valid.
    """

    __slots__ = ("_robots", "by_user_agent")

    def __init__(self, robots: RobotsTxt) -> None:
        self._robots = robots
        self.by_user_agent: dict[str | Agent, Callable[[AnyURL], bool]] = {}

    def allows(self, url: AnyURL, user_agent: str | Agent) -> bool:
        """Return whether `user_agent` may fetch `url`.

        Raises: TypeError; ValueError: `urllib.parse` cannot split the URL either.
        """
        allows = self._robots.rules_for(agent_from(user_agent)).allows
        if len(self.by_user_agent) >= _CACHED_AGENTS_LIMIT:
            self.by_user_agent.clear()
        self.by_user_agent[user_agent] = allows
        try:
            return allows(url)
        except InvalidURL:
            return allows(_target(plain_url(url)))

    def __reduce__(self) -> tuple[object, ...]:
        # Bound rules belong to the process. They are created again when they are needed.
        return LenientAnswers, (self._robots,)


def _target(url: str | bytes) -> str:
    """Return the path and query of a URL that canfetch rejects, such as `fish.html` or `mailto:fish@example.com`."""
    from urllib.parse import urlsplit  # noqa: PLC0415 - few programs need it

    parts = urlsplit(url if isinstance(url, str) else url.decode("utf-8", "surrogateescape"))
    path = parts.path.lstrip("/") + (f"?{parts.query}" if parts.query else "")
    return f"/{path}"


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
