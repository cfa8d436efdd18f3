"""A name close to that of a known crawler."""

from collections.abc import Iterator

from canfetch.lint.analysis.agent_names import named_agents
from canfetch.lint.analysis.crawler_suggestions import suggest_crawler
from canfetch.lint.analysis.group_assignment import can_assign_group
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find names close to a known one. Other unknown names are legal, and may belong to any crawler."""
    for name in named_agents(file):
        near = None if b"*" in name.raw else suggest_crawler(name.text)
        if near is None:
            continue
        is_fixable = not name.in_list and name.span == name.record.value and can_assign_group(file, name.record, near)
        fix = replace_span(*name.span, near.encode(), changes_verdicts=True) if is_fixable else None
        yield Occurrence(name.span, {"name": name.text, "near": near}, VerdictQuery(None), fix)


CHECK = Check(
    code="CF501",
    name="unknown-agent",
    severities=everywhere(Severity.WARNING),
    title="A name close to that of a known crawler",
    message="no known crawler is named `{name}`; it may be a misspelling of `{near}`",
    why="A crawler looks for its exact name, in any letter case. It does not find a group under a different spelling, "
    "and follows the `*` group instead.",
    how_to_fix="Write the name exactly as the crawler's operator documents it.",
    source="RFC 9309 section 2.2.1; the canfetch crawler registry",
    bad=b"User-agent: Google-bot\nDisallow: /private/\n",
    good=b"User-agent: Googlebot\nDisallow: /private/\n",
    find=find,
    needs=(Trait.OTHER_AGENT,),
    fixable=True,
)
