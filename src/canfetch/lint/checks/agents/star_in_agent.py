"""A `*` inside a name."""

from collections.abc import Iterator

from canfetch.agents import REGISTRY
from canfetch.lint.analysis.agent_names import named_agents
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find names that contain a `*` and something else."""
    for name in named_agents(file):
        raw = name.raw
        if b"*" not in raw or raw == b"*" or raw[:2] in (b"* ", b"*\t"):
            continue
        crawler = REGISTRY.get_crawler(file.text(raw.rstrip(b"*"))) if raw.endswith(b"*") else None
        is_fixable = crawler is not None and not name.in_list
        fix = replace_span(*name.span, raw.rstrip(b"*"), changes_verdicts=True) if is_fixable else None
        # Google's parser ends a name at the `*`, and its documentation once had such names.
        is_harmless = crawler is not None and crawler.operator == "Google"
        yield Occurrence(name.span, {"name": name.text}, fix=fix, harmless=is_harmless)


CHECK = Check(
    code="CF509",
    name="star-in-agent",
    severities=everywhere(Severity.ERROR),
    title="A `*` inside a name",
    message="`{name}` is not a pattern: `*` means all crawlers only on its own",
    why="Crawlers compare exact names. A name ends at the `*`, and a name that starts with `*` matches no crawler.",
    how_to_fix="Write each crawler's name on its own `User-agent` line.",
    source="RFC 9309 section 2.2.1; google/robotstxt, ExtractUserAgent",
    bad=b"User-agent: GPTBot*\nDisallow: /\n",
    good=b"User-agent: GPTBot\nDisallow: /\n",
    find=find,
    needs=(Trait.OTHER_AGENT,),
    fixable=True,
    supersedes=("CF501", "CF502"),
)
