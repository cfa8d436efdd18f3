"""The agents to decide for, from `--agent` and `--agents-file`."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from canfetch.agents import Registry
from canfetch.agents.requested import RequestedAgent
from canfetch.cli.shared.agent_arguments import resolve_agent
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.input_files import read_list
from canfetch.cli.shared.registry_files import load_registry
from canfetch.cli.shared.terminal import Palette, printable
from canfetch.core.quoting import quoted


class AgentOptions(Protocol):
    """The values of the options that select agents."""

    @property
    def agents(self) -> tuple[str, ...]:
        """The values of `--agent`."""

    @property
    def agents_file(self) -> str | None:
        """The value of `--agents-file`."""

    @property
    def agents_registry(self) -> str | None:
        """The value of `--agents-registry`."""

    @property
    def exact(self) -> bool:
        """Whether `--exact` is passed."""


class AgentList(NamedTuple):
    """The agents in order, without duplicates, and the registry in which they were looked up."""

    agents: list[RequestedAgent]
    registry: Registry


def requested_agents(options: AgentOptions) -> AgentList:
    """Return the agents that options select.

    Raises: CommandError: No agent is given, or one is not a product token.
    """
    agents: dict[str, RequestedAgent] = {}
    registry = load_registry(options.agents_registry)
    for name, location in _names(options):
        if name not in agents:
            agents[name] = resolve_agent(name, exact=options.exact, registry=registry, location=location)
    if not agents and options.agents_file is not None:
        raise CommandError(f"--agents-file {quoted(options.agents_file)} is empty: expected one product token per line")
    if not agents:
        raise CommandError("no agent: pass --agent TOKEN, such as --agent GPTBot, or --agents-file FILE")
    return AgentList(list(agents.values()), registry)


def chain_lines(agents: list[RequestedAgent], palette: Palette) -> Iterator[str]:
    """Yield a line for each agent whose fallback tokens come from the registry."""
    for agent in agents:
        if agent.is_chain:
            yield palette.faint(f"# {printable(agent.name)} is matched as {printable(agent.chain)}") + "\n"


def _names(options: AgentOptions) -> Iterator[tuple[str, str]]:
    for name in options.agents:
        yield name, ""
    if options.agents_file is not None:
        # A # starts a comment in robots.txt as well, so no token that can match contains one.
        for line in read_list(options.agents_file, "--agents-file", comments=True):
            yield line.text, line.location
