"""A name that the crawlers of its operator no longer use."""

from collections.abc import Iterator
from typing import Final

from canfetch.lint.analysis.agent_names import named_agents
from canfetch.lint.analysis.group_assignment import can_assign_group
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.fixes import replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere

# Names that many files list, but that the operator does not document, and the crawler that it documents instead.
_REPLACED: Final = {
    "anthropic-ai": ("Anthropic", "ClaudeBot"),
    "claude-web": ("Anthropic", "ClaudeBot"),
}


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find such names in files that do not name the current crawler, not even in a list that no crawler reads."""
    names = list(named_agents(file))
    present = {name.text.lower() for name in names}
    for name in names:
        operator, current = _REPLACED.get(name.text.lower(), ("", ""))
        if not current or current.lower() in present or file.groups_named(current):
            continue
        is_first = not any(file.groups_named(old) for old in _earlier(name.text.lower(), current))
        is_fixable = is_first and not name.in_list and can_assign_group(file, name.record, current)
        fix = replace_span(*name.span, current.encode(), changes_verdicts=True) if is_fixable else None
        details = {"name": name.text, "operator": operator, "current": current}
        yield Occurrence(name.span, details, VerdictQuery(None), fix)


def _earlier(name: str, current: str) -> Iterator[str]:
    """Yield the other names for the same crawler that come first in the table: only one of them is rewritten."""
    for old, (_, other) in _REPLACED.items():
        if old == name:
            return
        if other == current:
            yield old


CHECK = Check(
    code="CF513",
    name="replaced-agent",
    severities=everywhere(Severity.WARNING),
    title="A name that the crawlers of its operator no longer use",
    message="{operator} does not crawl as `{name}`, and the file does not name its crawler `{current}`",
    why="The operator documents other names today. Its crawler looks for its own name, does not find it, and follows "
    "the `*` group.",
    how_to_fix="Name the current crawler. The old name may stay on a line of its own, but it has no effect.",
    source="Anthropic, Does Anthropic crawl data from the web",
    bad=b"User-agent: anthropic-ai\nDisallow: /\n",
    good=b"User-agent: ClaudeBot\nDisallow: /\n",
    find=find,
    needs=(b"anthropic-ai", b"claude-web"),
    fixable=True,
    supersedes=("CF506", "CF507"),
)
