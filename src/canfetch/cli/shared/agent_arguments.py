"""Agents on the command line: product tokens, looked up in the registry unless `--exact` is passed."""

from collections.abc import Iterable
from typing import Final, NamedTuple

import click

from canfetch.agents import REGISTRY, Crawler, Registry
from canfetch.agents.nameable import check_nameable
from canfetch.cli.shared.command_errors import CommandError
from canfetch.core.agent import Agent
from canfetch.core.quoting import quoted
from canfetch.core.tokens import product_token
from canfetch.errors import InvalidProductToken

# A shorter token is too often one letter away from another.
_MIN_MISSPELT_CHARACTERS: Final = 5


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
    Raises: CommandError: `name` is not a product token, or no user-agent line can name it.
    """
    try:
        agent = Agent(name) if exact else registry.agent(name)
    except InvalidProductToken as error:
        if not name:
            raise CommandError(f"{location}{error}") from None
        raise CommandError(f"{location}invalid agent {quoted(name)}: expected {_expected(name)}") from None
    crawler = None if exact else registry.get_crawler(name)
    if crawler is None:
        try:
            check_nameable(name)
        except InvalidProductToken as error:
            raise CommandError(f"{location}{error}") from None
    return RequestedAgent(name, agent, crawler)


def misspelling_note(agent: RequestedAgent, registry: Registry = REGISTRY) -> str | None:
    """Return a note if a token is unknown, and one typing error away from the token of a known crawler.

    Args: agent: An agent that was looked up in the registry.
    Cost: O(crawlers).
    """
    if agent.crawler is not None or len(agent.name) < _MIN_MISSPELT_CHARACTERS:
        return None
    name = agent.name.lower()
    known = (token for crawler in registry.crawlers for token in (crawler.name, *crawler.agent.tokens))
    nearest = next((token for token in known if _is_one_edit(name, token.lower())), None)
    return None if nearest is None else f"unknown crawler {quoted(agent.name)}: did you mean {nearest!r}?"


def print_misspelling_notes(agents: Iterable[RequestedAgent], registry: Registry = REGISTRY) -> None:
    """Print a note on standard error about each agent that `misspelling_note` has one about, once for each name."""
    for agent in {agent.name: agent for agent in agents}.values():
        note = misspelling_note(agent, registry)
        if note is not None:
            click.echo(f"canfetch: note: {note}", err=True)


def _is_one_edit(left: str, right: str) -> bool:
    """Return whether one inserted, deleted, replaced or swapped character makes the texts equal."""
    if left == right or abs(len(left) - len(right)) > 1:
        return False
    start = _common_length(left, right)
    end = _common_length(left[start:][::-1], right[start:][::-1])
    left, right = left[start : len(left) - end], right[start : len(right) - end]
    return max(len(left), len(right)) == 1 or (len(left) == 2 and left == right[::-1])


def _common_length(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(left), len(right)))


def _expected(header: str) -> str:
    if "/" in header or "(" in header:
        try:
            return f"only the product token of that User-Agent header, {quoted(product_token(header))}"
        except InvalidProductToken:
            pass
    return "a product token without spaces, '/' and control characters, such as 'GPTBot'"
