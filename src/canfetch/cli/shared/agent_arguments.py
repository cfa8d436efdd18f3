"""Agents on the command line: their errors, and notes about misspelt names."""

from collections.abc import Iterable

import click

from canfetch.agents import REGISTRY, Registry
from canfetch.agents.requested import RequestedAgent, misspelling_notes, requested_agent
from canfetch.cli.shared.command_errors import CommandError
from canfetch.errors import InvalidProductToken


def resolve_agent(name: str, *, exact: bool, registry: Registry = REGISTRY, location: str = "") -> RequestedAgent:
    """Resolve a product token.

    Args:
        exact: Use the token alone, without the registry.
        registry: Where to look the token up.
        location: Prefix of the error message, such as `agents.txt:3: `.
    Raises: CommandError: `name` is not a product token, or no user-agent line can name it.
    """
    try:
        return requested_agent(name, exact=exact, registry=registry)
    except InvalidProductToken as error:
        raise CommandError(f"{location}{error}") from None


def print_misspelling_notes(agents: Iterable[RequestedAgent], registry: Registry = REGISTRY) -> None:
    """Print a note on standard error about each agent whose name seems to be misspelt, once for each name."""
    print_notes(misspelling_notes(agents, registry))


def print_notes(notes: Iterable[str]) -> None:
    """Print different notes on standard error, each once."""
    for note in dict.fromkeys(notes):
        click.echo(f"canfetch: note: {note}", err=True)
