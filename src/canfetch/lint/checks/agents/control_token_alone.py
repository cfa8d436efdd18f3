"""A group for a name that never fetches pages."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.agent_names import known_agents
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# Tokens with these purposes control how content is used. Tokens with other purposes represent crawlers that fetch.
_PURPOSES: Final = frozenset({"training", "answers"})


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find names of control tokens in groups that disallow something."""
    for agent, crawler, blocks in known_agents(file):
        if crawler.token_only and blocks and not _PURPOSES.isdisjoint(crawler.purposes):
            yield Occurrence(agent.span, {"name": crawler.name, "operator": crawler.operator})


CHECK = Check(
    code="CF504",
    name="control-token-alone",
    severities=everywhere(Severity.INFO),
    title="A group for a name that never fetches pages",
    message="`{name}` fetches nothing: for this name, the rules control how {operator} may use pages, and block no "
    "crawler",
    why="The operator's crawlers fetch pages under other names. The group only controls how their content may be "
    "used, and does not affect search.",
    how_to_fix="Keep the group if that is intended. To stop pages from being fetched, name the crawlers that fetch "
    "them.",
    source="The operator's documentation, linked in the canfetch crawler registry",
    bad=b"User-agent: Google-Extended\nDisallow: /\n",
    good=b"User-agent: GPTBot\nDisallow: /\n",
    find=find,
    needs=(Trait.OTHER_AGENT,),
)
