"""A star within a name."""

from collections.abc import Iterator

from canfetch.agents import REGISTRY
from canfetch.lint.analysis.agent_names import named_agents
from canfetch.lint.check import Check, Found
from canfetch.lint.fixing import replacing
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Look for names with a star that are not the star itself."""
    for name in named_agents(file):
        octets = name.octets
        if b"*" not in octets or octets == b"*" or octets[:2] in (b"* ", b"*\t"):
            continue
        crawler = REGISTRY.named(file.text(octets.rstrip(b"*"))) if octets.endswith(b"*") else None
        alone = crawler is not None and not name.in_list
        fix = replacing(*name.span, octets.rstrip(b"*"), changes_verdicts=True) if alone else None
        yield Found(name.span, {"name": name.text}, fix=fix)


CHECK = Check(
    code="CF509",
    name="star-in-agent",
    severities=everywhere(Severity.WARNING)._replace(google=Severity.INFO),
    title="A star within a name",
    message="`{name}` is no pattern: the star stands for all crawlers only by itself",
    why="Crawlers compare names to the letter. A name ends at its star, and one that begins with a star names nobody.",
    mend="Write each crawler's name on a line of its own.",
    source="RFC 9309 section 2.2.1; google/robotstxt, ExtractUserAgent",
    bad=Given(b"User-agent: GPTBot*\nDisallow: /\n"),
    good=Given(b"User-agent: GPTBot\nDisallow: /\n"),
    find=find,
    fixable=True,
)
