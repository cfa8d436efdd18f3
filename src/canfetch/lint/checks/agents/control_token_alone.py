"""A group for a name under which nobody fetches."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.known_agents import known_agents
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# Of these, the name says what becomes of content; the others are words for crawlers that do fetch.
_PURPOSES: Final = frozenset({"training", "answers"})


def find(file: LintedFile) -> Iterator[Found]:
    """Look for groups that bar such names."""
    for agent, crawler, bars in known_agents(file):
        if crawler.token_only and crawler.purpose in _PURPOSES and bars:
            yield Found(agent.span, {"name": crawler.name, "operator": crawler.operator})


CHECK = Check(
    code="CF504",
    name="control-token-alone",
    severities=everywhere(Severity.INFO),
    title="A group for a name under which nobody fetches",
    message="`{name}` fetches nothing: the group says what {operator} may use pages for, and keeps no crawler away",
    why="The operator's crawlers fetch pages under other names, and look at this group to learn for what the content "
    "may be used. Search is not touched by it.",
    mend="Keep it if that is meant; to keep pages from being fetched, name the crawlers that fetch.",
    source="the operator's list of crawlers, as in the registry of canfetch",
    bad=Given(b"User-agent: Google-Extended\nDisallow: /\n"),
    good=Given(b"User-agent: GPTBot\nDisallow: /\n"),
    find=find,
)
