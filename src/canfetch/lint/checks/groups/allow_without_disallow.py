"""A group with `Allow` rules only."""

from collections.abc import Iterator

from canfetch.agents import REGISTRY
from canfetch.core.keys import RecordKind
from canfetch.lint.analysis.asset_patterns import names_assets
from canfetch.lint.analysis.canonical_rules import matches_everything
from canfetch.lint.analysis.named_engines import main_crawlers
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.linted_file import LintedFile, LintedGroup, LintedRule
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find groups that allow some paths and disallow nothing."""
    # A crawler follows the rules of all its groups.
    others = {name for group in file.groups if not all(map(_allows_a_part, group.rules)) for name in group.names}
    for group in file.groups:
        if not group.names or not group.rules or not group.names.isdisjoint(others):
            continue
        first = group.rules[0]
        yield Occurrence(
            file.text_span(first.record),
            {"token": group.first_token, "pattern": file.text(first.value)},
            VerdictQuery("/"),
            lines=tuple(rule.line for rule in group.rules),
            harmless=not _was_meant_to_be_closed(file, group),
        )


def _allows_a_part(rule: LintedRule) -> bool:
    return rule.allow and rule.value[:1] in (b"/", b"*") and not matches_everything(rule.value)


def _was_meant_to_be_closed(file: LintedFile, group: LintedGroup) -> bool:
    """Return whether the author hardly wanted the crawlers of a group to fetch everything.

    Others, such as those for link previews, ads and images, get a group because they may fetch more.
    """
    if "*" in group.names:
        return not all(names_assets(rule.value) for rule in group.rules)
    crawlers = filter(None, map(REGISTRY.get_crawler, group.names))
    return bool(main_crawlers(file, group.names)) or any("training" in crawler.purposes for crawler in crawlers)


CHECK = Check(
    code="CF314",
    name="allow-without-disallow",
    severities=everywhere(Severity.WARNING),
    title="A group with `Allow` rules only",
    message="without a `Disallow` rule in the same group, `{token}` may fetch everything else too",
    why="Everything is allowed unless a rule of the crawler's own group disallows it. `Allow` makes exceptions from a "
    "`Disallow` of the same group: it does not close the rest, and `Disallow` rules of the `*` group do not count.",
    how_to_fix="Add `Disallow: /` to the group to close the rest, or repeat the rules of the `*` group. If nothing "
    "should be closed, write an empty `Disallow:` instead of the `Allow` lines.",
    source="RFC 9309 sections 2.2.1 and 2.2.2",
    bad=b"User-agent: *\nAllow: /catalogue/\n",
    good=b"User-agent: *\nAllow: /catalogue/\nDisallow: /\n",
    find=find,
    needs=(RecordKind.ALLOW,),
    supersedes=("CF428",),
)
