"""A site where crawlers may fetch only a few URLs."""

from collections.abc import Iterator

from canfetch.lint.analysis.needs import Trait
from canfetch.lint.analysis.site_blocks import find_near_site_block, opens_to_engine
from canfetch.lint.analysis.unread_lines import unread_agent_above
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find a rule that blocks the whole site for `*`, with exceptions for single URLs only."""
    block = find_near_site_block(file, "*")
    if block is None:
        return
    details = {
        "pattern": file.text(block.rule.value),
        "count": str(len(block.exceptions)),
        "path": file.text(block.exceptions[0].value),
    }
    record = block.rule.record
    unread = unread_agent_above(file, record.line)
    yield Occurrence(file.text_span(record), details, VerdictQuery("/page"), None, unread, opens_to_engine(file))


CHECK = Check(
    code="CF710",
    name="nearly-whole-site-blocked",
    severities=everywhere(Severity.ERROR),
    title="A site of which crawlers may fetch only a few URLs",
    message="`{pattern}` blocks almost the whole site: {count|exception|exceptions}, such as `{path}`",
    why="Search engines may fetch these URLs, but nothing else of the site. Its other pages can only be listed without "
    "a description. Such a file often remains from the time before the site was published.",
    how_to_fix="Remove the rule, or disallow only the intended paths.",
    source="RFC 9309 section 2.2.2",
    bad=b"User-agent: *\nAllow: /ads.txt\nDisallow: /\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Trait.SITE_BLOCK,),
    supersedes=("CF403", "CF411", "CF707"),
    notable=True,
)
