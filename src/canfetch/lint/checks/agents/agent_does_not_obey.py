"""A group for a crawler that does not, or may not, follow it."""

from collections.abc import Iterator

from canfetch.lint.analysis.known_agents import known_agents
from canfetch.lint.check import Check, Found
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Look for names of such crawlers whose group bars something."""
    for agent, crawler, bars in known_agents(file):
        if bars and crawler.obeys in {"no", "may-not"}:
            yield Found(agent.span, {"name": crawler.name, "operator": crawler.operator, "source": crawler.source})


CHECK = Check(
    code="CF506",
    name="agent-does-not-obey",
    severities=everywhere(Severity.INFO),
    title="A group for a crawler that may not follow it",
    message="`{name}` of {operator} does not always follow robots.txt",
    why="The operator says so, or is known for it. Fetchers that a person sets off, such as previews and assistants, "
    "commonly fetch what that person asks for.",
    mend="Keep the group as a request; to keep the crawler out, the server must refuse it.",
    source="the operator's page, as in the registry of canfetch",
    bad=Given(b"User-agent: ChatGPT-User\nDisallow: /\n"),
    good=Given(b"User-agent: GPTBot\nDisallow: /\n"),
    find=find,
)
