"""A site closed to all crawlers."""

from collections.abc import Iterator

from canfetch.lint.analysis.needs import Trait
from canfetch.lint.analysis.site_blocks import find_site_block, opens_to_engine
from canfetch.lint.analysis.unread_lines import unread_agent_above
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find a rule that blocks the whole site for `*`, without exceptions."""
    rule = find_site_block(file, "*")
    if rule is not None:
        details = {"pattern": file.text(rule.value)}
        unread = unread_agent_above(file, rule.line)
        yield Occurrence(file.text_span(rule.record), details, VerdictQuery("/"), None, unread, opens_to_engine(file))


CHECK = Check(
    code="CF701",
    name="whole-site-blocked",
    severities=everywhere(Severity.ERROR),
    title="A site closed to all crawlers",
    message="`{pattern}` blocks the whole site for every crawler without its own group",
    why="Such a rule is meant for sites that are not yet published. If it remains after publication, search engines "
    "cannot read the pages. They may still list the URLs, without a description, if other sites link to them.",
    how_to_fix="Remove the rule, or disallow only the intended paths. "
    "If a group is left without rules, write an empty `Disallow:` there. "
    "To keep pages out of search results, allow crawling and serve `noindex`, or require a password.",
    source="RFC 9309 section 2.2.2; Google, create a robots.txt file",
    bad=b"User-agent: *\nDisallow: /\n",
    good=b"User-agent: *\nDisallow: /private/\n",
    find=find,
    needs=(Trait.SITE_BLOCK,),
    supersedes=("CF403", "CF411", "CF707"),
    notable=True,
)
