"""The options of `canfetch page`."""

from typing import NamedTuple

from canfetch.agents.requested import RequestedAgent
from canfetch.cli.shared.agent_arguments import resolve_agents
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.network_options import NetworkOptions


class PageOptions(NamedTuple):
    """The values of the options."""

    url: str | None
    agents: tuple[str, ...]
    exact: bool
    html: str | None
    response_headers: tuple[str, ...]
    robots: str | None
    tdm_file: str | None
    resources: bool
    dialect: str | None
    profile: str
    now: str | None
    max_bytes: int
    format: str
    no_color: bool
    quiet: bool
    network: NetworkOptions


def requested_agents_of(options: PageOptions) -> list[RequestedAgent]:
    """Return the agents that the options name.

    Raises: CommandError: There is none, or a name is invalid.
    """
    agents = resolve_agents(options.agents, exact=options.exact)
    if not agents:
        raise CommandError("no agent: pass --agent TOKEN, such as --agent Googlebot")
    return agents
