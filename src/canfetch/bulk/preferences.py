"""Preferences of files on the use of content, for columns of contents, agents and URLs."""

from typing import Any

from canfetch.bulk.arguments import AnyColumn, as_agents, as_column
from canfetch.bulk.column import Column
from canfetch.bulk.decisions import shared_kernel
from canfetch.bulk.kernels import KernelOptions, kernel_options
from canfetch.core.agent import Agent
from canfetch.core.extensions.index import parse_purpose
from canfetch.core.limits import DEFAULT_MAX_BYTES


def usage(
    content: AnyColumn,
    agent: AnyColumn | Agent,
    url: AnyColumn,
    *,
    purpose: str,
    profile: str | None = None,
    edition: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    use_registry: bool = False,
    engine: str | None = None,
) -> Column:
    """Return the preference of each file on using content that an agent fetches from a URL for `purpose`.

    These are the records in the agent's groups. `may_use` also counts rules and control tokens.

    Args:
        content, agent, url, profile, edition, max_bytes, use_registry, engine: As for `allows`.
        purpose: `training`, `search` or `ai-use`.
    Returns: A column of structs: `preference` is `allow`, `disallow` or `unknown`, with the `explanation` and the
        first 100 `lines` of `RobotsTxt.usage`. `allowed` is whether the agent may fetch the URL, and `reason` is
        that of `decide`. `kind` is `rule` if a rule disallows the URL, or else the kind of the first record that
        decides the preference, with its `line`. The other fields are null if there is no verdict.
    Raises: As `allows`; InvalidOption: `purpose` is unknown.
    Cost: As `allows` for each row, plus the matching records, and all records of each distinct file and selection of
        groups.
    """
    options = kernel_options(profile, edition, max_bytes=max_bytes, use_registry=use_registry, engine=engine)
    return _usage(options, content, agent, url, parse_purpose(purpose))


def usage_by_purpose(
    content: AnyColumn, agent: AnyColumn | Agent, url: AnyColumn, purpose: AnyColumn, **options: Any
) -> Column:
    """As `usage`, with a column of purposes. All fields of a row are null if its purpose is null or empty.

    Raises: As `usage`; InvalidColumn: `purpose` is not text or bytes.
    """
    return _usage(kernel_options(**options), content, agent, url, as_column(purpose))


def _usage(
    options: KernelOptions, content: AnyColumn, agent: AnyColumn | Agent, url: AnyColumn, purpose: Any
) -> Column:
    agents = as_agents(agent, use_registry=options.use_registry)
    return Column(shared_kernel(options).usage(as_column(content), agents, as_column(url), purpose))
