"""The records directly below the user-agent lines of an agent.

In RFC 9309, a record that is not a rule does not end a run of user-agent lines. In Protego and urllib.robotparser, it
does:

    User-agent: one
    Request-rate: 1/10
    User-agent: two
    Disallow: /private/

Here, the rule is for both agents, and the rate is for `one` only.
"""

from collections.abc import Iterator
from operator import itemgetter

from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.record import ExtensionScope


def values_directly_below(robots: RobotsTxt, agent: Agent, name: str) -> list[bytes]:
    """Return the values of the records `name` that are directly below user-agent lines for `agent`, in file order.

    Only the groups that apply to the agent count, and only the last user-agent lines before each record.

    Cost: O(bytes of the rules and records) at the first call, then O(records and user-agent lines).
    """
    rules = robots.rules_for(agent)
    own_lines = frozenset(rules.group.lines)
    values = []
    is_own = is_ended = False
    for line, record_name, value in _lines_in_groups(robots, rules.group_indices):
        if record_name is not None:
            is_ended = True
            if is_own and record_name == name:
                values.append(value)
        else:
            # A user-agent line adds to the lines above it, unless a record is between them.
            is_own = line in own_lines or (is_own and not is_ended)
            is_ended = False
    return values


def _lines_in_groups(robots: RobotsTxt, indices: list[int]) -> Iterator[tuple[int, str | None, bytes]]:
    """Yield the user-agent lines of groups, and the records in them as (line, name, value), by line."""
    groups = frozenset(indices)
    lines = [(user_agent.line, None, b"") for index in indices for user_agent in robots.groups[index].user_agents]
    records = [
        (record.line, record.name, record.value)
        for record in robots.extensions
        if record.group in groups and record.scope is not ExtensionScope.FILE
    ]
    return iter(sorted([*lines, *records], key=itemgetter(0)))
