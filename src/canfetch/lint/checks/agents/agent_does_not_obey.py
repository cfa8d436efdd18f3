"""A group for a crawler that might ignore it."""

from collections.abc import Iterator

from canfetch.lint.analysis.agent_names import known_agents
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find the names of such crawlers in groups that disallow something."""
    for agent, crawler, blocks in known_agents(file):
        if blocks and crawler.obeys in {"no", "might-ignore"}:
            yield Occurrence(agent.span, {"name": crawler.name, "operator": crawler.operator, "source": crawler.source})


CHECK = Check(
    code="CF506",
    name="agent-does-not-obey",
    severities=everywhere(Severity.INFO),
    title="A group for a crawler that might ignore it",
    message="`{name}` ({operator}) might ignore robots.txt",
    why="The operator documents this, or the crawler is known for it. Fetchers that act on a person's request, such "
    "as link previews and AI assistants, usually fetch the requested page in any case.",
    how_to_fix="Keep the group as a request. To keep the crawler out, block it on the server.",
    source="the canfetch crawler registry, which names the source of each entry",
    bad=b"User-agent: ChatGPT-User\nDisallow: /\n",
    good=b"User-agent: GPTBot\nDisallow: /\n",
    find=find,
    needs=(Trait.OTHER_AGENT,),
)
