"""Decisions on columns of contents, agents and URLs."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from canfetch.bulk.arguments import AnyColumn, Chain, as_agents, as_chain, as_column
from canfetch.bulk.column import Column
from canfetch.bulk.kernels import Kernel, KernelOptions, create_kernel, kernel_options
from canfetch.core.agent import Agent
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.lists import check_list
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

AnyAgents = Iterable[str | Agent] | Mapping[str, str | Agent]
"""Agents of a matrix, or the name of each column with its agent."""

# Combinations of options whose compiled files are kept. Programs use one or two.
_KERNELS: Final = 8


@lru_cache(_KERNELS)
def shared_kernel(options: KernelOptions) -> Kernel:
    """Return the kernel that all calls with these options share. Rows contain the files.

    Raises: UnknownProfile, InvalidLimit, EngineError.
    """
    return create_kernel(options, by_id=False)


def clear_cache() -> None:
    """Release all compiled files, which are otherwise kept for later calls in about 256 MiB of memory."""
    shared_kernel.cache_clear()


def allows(
    content: AnyColumn,
    agent: AnyColumn | Agent,
    url: AnyColumn,
    *,
    profile: str | None = None,
    edition: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    use_registry: bool = False,
    engine: str | None = None,
) -> Column:
    """Return whether each agent may fetch each URL, according to the robots.txt in the same row.

    A row is null if one of its inputs is null, or if its agent or its URL is invalid; `decide` returns the reason. The
    rows of a URL and its robots.txt belong together: origins are not compared.

    Args:
        content: The content of robots.txt files. Equal contents are parsed once, in any order.
        agent: Product tokens, or an `Agent`.
        url: Absolute URLs, `//host/path` or paths.
        profile, max_bytes, engine: As for `parse`.
        edition: Name of an edition in `EDITIONS`, whose profile is used. It cannot be combined with `profile`.
        use_registry: Whether an agent is the name of a crawler in the registry, with all its product tokens.
    Returns: A column of booleans. A column with one row, or a single value, is repeated for all rows.
    Raises: InvalidColumn: a column is not text or bytes, its Arrow data is invalid, the numbers of rows differ, or the
            result has more than 2 GiB of text;
        InvalidProductToken: a single agent is invalid; InvalidOption: both `profile` and `edition` are set;
        UnknownEdition, UnknownProfile, InvalidLimit, EngineError, TypeError.
    Cost: As `AgentRules.allows` for each row, plus parsing each distinct file.
    """
    kernel = shared_kernel(
        kernel_options(profile, edition, max_bytes=max_bytes, use_registry=use_registry, engine=engine)
    )
    agents = as_agents(agent, use_registry=use_registry)
    return Column(kernel.allows(as_column(content), agents, as_column(url)))


def decide(
    content: AnyColumn,
    agent: AnyColumn | Agent,
    url: AnyColumn,
    *,
    profile: str | None = None,
    edition: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    use_registry: bool = False,
    engine: str | None = None,
) -> Column:
    """Return the verdict on each URL, with the rule that decides.

    Args: content, agent, url, profile, edition, max_bytes, use_registry, engine: As for `allows`.
    Returns: A column of structs. `allowed` is null if there is no verdict. `reason` is a `Reason`, or `invalid-agent`
        or `invalid-url`, or null if an input is null. `rule`, such as `Disallow: /private`, its `line` and its
        `specificity` are null if no rule decides. A `rule` of more than 256 bytes is cut and ends in `…`.
    Raises: As `allows`.
    Cost: As `allows`.
    """
    kernel = shared_kernel(
        kernel_options(profile, edition, max_bytes=max_bytes, use_registry=use_registry, engine=engine)
    )
    agents = as_agents(agent, use_registry=use_registry)
    return Column(kernel.decide(as_column(content), agents, as_column(url)))


def matrix(
    content: AnyColumn,
    agents: AnyAgents,
    url: AnyColumn,
    *,
    profile: str | None = None,
    edition: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    use_registry: bool = False,
    engine: str | None = None,
) -> Column:
    """Return for each URL which of many agents may fetch it.

    Agents with the same groups share their decisions, so this is faster than a call of `allows` for each agent.

    Args:
        content, url, profile, edition, max_bytes, use_registry, engine: As for `allows`.
        agents: Product tokens or `Agent` objects, the same for all rows. A mapping also names the fields.
    Returns: A column of structs, with a boolean for each agent. All are null if there is no verdict.
    Raises: As `allows`; InvalidOption: there is no agent, or two have the same name.
    Cost: As `allows` for each row and each distinct selection of groups.
    """
    kernel = shared_kernel(
        kernel_options(profile, edition, max_bytes=max_bytes, use_registry=use_registry, engine=engine)
    )
    names, chains = named_chains(agents, use_registry=use_registry)
    return Column(kernel.matrix(as_column(content), names, chains, as_column(url)))


def named_chains(agents: AnyAgents, *, use_registry: bool) -> tuple[list[str], list[Chain]]:
    """Return the names of the fields of a matrix, and their agents.

    Raises: InvalidProductToken, InvalidOption, TypeError.
    """
    check_list("agents", agents)
    if isinstance(agents, Mapping):
        pairs = [(name, _matrix_agent(agent)) for name, agent in agents.items()]
    else:
        found = [_matrix_agent(agent) for agent in agents]
        pairs = [(agent if isinstance(agent, str) else agent.tokens[0], agent) for agent in found]
    names = [name for name, _ in pairs]
    invalid = [name for name in names if not isinstance(name, str)]
    if invalid:
        raise TypeError(f"invalid name of a column {invalid[0]!r}: expected a str")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if not names or repeated:
        fault = f"two agents are named {repeated[0]!r}" if repeated else "the list is empty"
        raise InvalidOption(f"invalid agents: {fault}; expected at least one, with different names")
    return names, [as_chain(agent, use_registry=use_registry) for _, agent in pairs]


def _matrix_agent(agent: object) -> str | Agent:
    if hasattr(agent, "as_py"):
        # A scalar of pyarrow, which iterating an array yields.
        agent = agent.as_py()
    if not isinstance(agent, str | Agent):
        raise TypeError(f"invalid agent {quoted(agent)}: expected a str or an Agent")
    return agent
