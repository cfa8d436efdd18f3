"""A `*` inside a name."""

from collections.abc import Iterator

from canfetch.agents import REGISTRY
from canfetch.lint.analysis.agent_names import named_agents
from canfetch.lint.check import Check, Found
from canfetch.lint.fixing import replacing
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Found]:
    """Find names that contain a `*` and something else."""
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
    title="A `*` inside a name",
    message="`{name}` is not a pattern: `*` means all crawlers only on its own",
    why="Crawlers compare exact names. A name ends at the `*`, and a name that starts with `*` matches no crawler.",
    mend="Write each crawler's name on its own `User-agent` line.",
    source="RFC 9309 section 2.2.1; google/robotstxt, ExtractUserAgent",
    bad=Given(b"User-agent: GPTBot*\nDisallow: /\n"),
    good=Given(b"User-agent: GPTBot\nDisallow: /\n"),
    find=find,
    fixable=True,
)
