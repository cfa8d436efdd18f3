"""Answers for every user agent and URL that other libraries accept, where canfetch itself raises.

They match any text, such as a whole User-Agent header or the relative URL `fish.html`.
"""

from collections.abc import Callable
from typing import Final

from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.urls import AnyURL, plain_url
from canfetch.errors import InvalidURL
from canfetch.integrations.user_agents import agent_from

_CACHED_AGENTS_LIMIT: Final = 256


class LenientAnswers:
    """The answers of one file.

    Attributes:
        by_user_agent: `AgentRules.allows` of the latest user agents. It raises for a URL that is not valid.
    """

    __slots__ = ("_robots", "by_user_agent")

    def __init__(self, robots: RobotsTxt) -> None:
        self._robots = robots
        self.by_user_agent: dict[str | Agent, Callable[[AnyURL], bool]] = {}

    def agent(self, user_agent: str | Agent) -> Agent:
        """Return the agent of a user agent.

        Raises: TypeError.
        """
        return agent_from(user_agent)

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
