"""The agent of a request: the product token in its User-Agent header, unless a setting names another."""

import logging
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from canfetch.core.agent import Agent
from canfetch.core.tokens import product_token
from canfetch.errors import InvalidProductToken
from canfetch.integrations.lenient_answers import agent_from

if TYPE_CHECKING:
    from scrapy import Request

_LOGGER: Final = logging.getLogger(__name__)
_USER_AGENT: Final = b"User-Agent"


def header_text(value: str | bytes) -> str:
    """Return the value of a User-Agent header as text."""
    return value if isinstance(value, str) else value.decode("utf-8", "replace")


@lru_cache(maxsize=1024)
def agent_of_header(user_agent: str) -> Agent:
    """Return the agent that a product token or a User-Agent header names."""
    return agent_from(user_agent)


class RequestAgents:
    """The agents of the requests of a crawl.

    Args:
        fixed: The agent of all requests, or None if their headers decide.
        user_agent: The User-Agent header of requests without one.

    Attributes:
        default: The agent of requests without a User-Agent header.
    """

    def __init__(self, fixed: Agent | None, user_agent: str) -> None:
        self._fixed = fixed
        self.default = agent_of_header(user_agent) if fixed is None else fixed
        if fixed is None and not _names_crawler(user_agent):
            _LOGGER.warning(
                "The User-Agent %r names no crawler, so usually the rules for '*' apply: set ROBOTSTXT_USER_AGENT or "
                "CANFETCH_AGENT to a product token such as 'ExampleBot'",
                user_agent,
            )

    def find(self, request: "Request") -> Agent:
        """Return the agent of a request."""
        if self._fixed is not None:
            return self._fixed
        header = request.headers.get(_USER_AGENT)
        return self.default if header is None else agent_of_header(header_text(header))


def _names_crawler(user_agent: str) -> bool:
    try:
        product_token(user_agent)
    except InvalidProductToken:
        return False
    return True
