"""Agents on the command line: their errors, and notes about unknown names."""

from collections.abc import Iterable
from typing import Final

from canfetch.agents import REGISTRY, Registry
from canfetch.agents.operator_names import CRAWLERS_BY_OPERATOR, STAR_TOKENS
from canfetch.agents.requested import RequestedAgent, alternatives, requested_agent, unknown_agent_notes
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.terminal import print_notes
from canfetch.core.choices import unknown_choice
from canfetch.core.document import RobotsTxt
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidProductToken

_LIST: Final = "canfetch agents list"


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


def resolve_agents(names: Iterable[str], *, exact: bool, registry: Registry = REGISTRY) -> list[RequestedAgent]:
    """Resolve the values of `--agent`, each once. See `resolve_agent`.

    Raises: CommandError.
    """
    return [resolve_agent(name, exact=exact, registry=registry) for name in dict.fromkeys(names)]


def unknown_crawler(name: str, shown: str, registry: Registry = REGISTRY) -> str:
    """Return the message for a name that is not in the registry.

    Args: shown: The name as the message shows it.
    """
    tokens = CRAWLERS_BY_OPERATOR.get(name.lower(), STAR_TOKENS)
    if tokens == STAR_TOKENS:
        return unknown_choice("crawler", shown, [crawler.name for crawler in registry.crawlers], listed_by=_LIST)
    names = alternatives([repr(token) for token in tokens])
    return f"unknown crawler {quoted(shown)}: did you mean {names}? (run '{_LIST}' to list them)"


def print_unknown_agent_notes(
    agents: Iterable[RequestedAgent], registry: Registry = REGISTRY, files: Iterable[RobotsTxt] = ()
) -> None:
    """Print a note on standard error about each unknown name that probably refers to known crawlers.

    Args: files: A name in a user-agent line of one of these files needs no note.
    """
    print_notes(unknown_agent_notes(agents, registry, files))


def print_notes_about_names(names: Iterable[str]) -> None:
    """Print the notes of `print_unknown_agent_notes` about valid names, such as those of a file to write."""
    print_unknown_agent_notes(requested_agent(name) for name in names)
