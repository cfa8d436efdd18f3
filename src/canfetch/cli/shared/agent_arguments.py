"""Agents on the command line: product tokens, looked up in the registry unless `--exact` is passed."""

from typing import NamedTuple

from canfetch.agents import REGISTRY, Crawler, Registry
from canfetch.cli.shared.command_errors import CommandError
from canfetch.core.agent import Agent
from canfetch.core.quoting import quoted
from canfetch.core.tokens import product_token
from canfetch.errors import InvalidProductToken


class RequestedAgent(NamedTuple):
    """A product token as typed, its Agent, and its registry entry if that was used."""

    name: str
    agent: Agent
    crawler: Crawler | None

    @property
    def chain(self) -> str:
        """The tokens that are tried, in order."""
        tokens = ", then ".join(self.agent.tokens)
        if not self.agent.star_applies:
            return f"{tokens}, and never *"
        return tokens if "*" in self.agent.tokens else f"{tokens}, then *"

    @property
    def is_chain(self) -> bool:
        """Whether the registry changes the tokens that are tried."""
        return self.agent != Agent(self.name)


def resolve_agent(name: str, *, exact: bool, registry: Registry = REGISTRY, location: str = "") -> RequestedAgent:
    """Resolve a product token.

    Args:
        exact: Use the token alone, without the registry.
        registry: Where to look the token up.
        location: Prefix of the error message, such as `agents.txt:3: `.
    Raises: CommandError: `name` is not a product token.
    """
    try:
        if exact:
            return RequestedAgent(name, Agent(name), None)
        return RequestedAgent(name, registry.agent(name), registry.get_crawler(name))
    except InvalidProductToken as error:
        if not name:
            raise CommandError(f"{location}{error}") from None
        raise CommandError(f"{location}invalid agent {quoted(name)}: expected {_expected(name)}") from None


def _expected(header: str) -> str:
    if "/" in header or "(" in header:
        try:
            return f"only the product token of that User-Agent header, {quoted(product_token(header))}"
        except InvalidProductToken:
            pass
    return "a product token without spaces, '/' and control characters, such as 'GPTBot'"
