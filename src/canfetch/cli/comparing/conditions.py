"""`--fail-on`: conditions on the changes between two files."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from canfetch.agents import Registry
from canfetch.agents.requested import RequestedAgent
from canfetch.cli.comparing.inputs import find_agent
from canfetch.cli.shared.command_errors import CommandError
from canfetch.compare import find_changed_url
from canfetch.core.document import RobotsTxt
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

ANY: Final = "any"
_VERBS: Final = {"loses": (False,), "gains": (True,), "changes": (False, True)}
_EXPECTED: Final = "expected AGENT loses|gains|changes [PATTERN], such as 'Googlebot loses /blog/' or 'any loses'"


class Condition(NamedTuple):
    """A condition that holds if some agent loses or gains a URL that matches a pattern.

    Attributes:
        text: The condition as written.
        agent: The name of an agent, or `ANY`.
        allowed: For each kind of change, whether the URL is allowed afterwards.
        pattern: The pattern.
    """

    text: str
    agent: str
    allowed: tuple[bool, ...]
    pattern: str


class Failure(NamedTuple):
    """A condition that holds, with an agent and a URL for which it does.

    Attributes:
        condition: The condition.
        agent: The name of the agent.
        allowed: Whether the agent gains the URL. Otherwise, it loses it.
        url: The URL.
    """

    condition: Condition
    agent: str
    allowed: bool
    url: str


def parse_condition(text: str) -> Condition:
    """Parse a condition.

    Raises: CommandError: It is invalid.
    """
    words = text.split()
    if len(words) not in (2, 3) or words[1] not in _VERBS:
        raise CommandError(f"invalid --fail-on {quoted(text)}: {_EXPECTED}")
    agent = ANY if words[0].lower() == ANY else words[0]
    return Condition(text, agent, _VERBS[words[1]], words[2] if len(words) == 3 else "/")


def find_failure(
    condition: Condition, files: tuple[RobotsTxt, RobotsTxt], agents: Sequence[RequestedAgent], registry: Registry
) -> Failure | None:
    """Return why a condition holds, or None if it does not.

    Raises: CommandError: The agent or the pattern is invalid; Undecided: The rules are too large.
    """
    chosen = agents if condition.agent == ANY else [find_agent(condition.agent, agents, registry)]
    # Agents with the same groups have the same verdicts.
    seen: set[tuple[tuple[int, ...], ...]] = set()
    for agent in chosen:
        key = tuple(tuple(robots.rules_for(agent.agent).group_indices) for robots in files)
        if key in seen:
            continue
        seen.add(key)
        for allowed in condition.allowed:
            try:
                url = find_changed_url(*files, agent=agent.agent, allowed=allowed, within=condition.pattern)
            except InvalidOption as error:
                raise CommandError(f"--fail-on {quoted(condition.text)}: {error}") from None
            if url is not None:
                return Failure(condition, agent.name, allowed, url)
    return None
