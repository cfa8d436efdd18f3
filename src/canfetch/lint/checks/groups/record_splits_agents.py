"""`User-agent` lines with another line between them."""

from collections.abc import Iterator
from itertools import pairwise

from canfetch.core.records import Record
from canfetch.lint.analysis.example_paths import query_for
from canfetch.lint.analysis.line_ends import line_end
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.fixes import Fix, replace_span
from canfetch.lint.linted_file import LintedFile, LintedToken
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find records, such as a crawl-delay, between user-agent lines of the same group."""
    for group in file.groups:
        if not group.others or len(group.tokens) < 2:
            continue
        others = group.other_records
        record = next(others, None)
        named_once = len(group.names) == len(group.tokens)
        rule = next((rule for rule in group.rules if not rule.allow and rule.value.startswith(b"/")), None)
        disallows = any(rule.specificity and not rule.allow for rule in group.rules)
        for before, following in pairwise(group.tokens):
            # The first record between two user-agent lines is reported for all of them.
            while record is not None and record.line < before.record.line:
                record = next(others, None)
            if record is None:
                break
            if record.line < following.record.line:
                fix = _fix(file, record, before, following) if named_once else None
                has_effect = rule is not None and before.token not in {"", "*"}
                yield Occurrence(
                    file.text_span(record),
                    {
                        "key": file.text(file.key(record)),
                        "before": before.token or "*",
                        "after": following.token or "*",
                    },
                    query_for(rule.value, rule.line) if rule is not None and has_effect else None,
                    fix,
                    harmless=not disallows or _would_follow_them_anyway(group.tokens, record),
                )


def _would_follow_them_anyway(tokens: tuple[LintedToken, ...], record: Record) -> bool:
    """Return whether the rules below are meant for each crawler above the record too."""
    above = {token.token.lower() for token in tokens if token.record.line < record.line}
    below = {token.token.lower() for token in tokens if token.record.line > record.line}
    # The rules for `*` are those that a crawler follows without a group of its own.
    return above <= below or ("*" in below and "*" not in above)


def _fix(file: LintedFile, record: Record, before: LintedToken, following: LintedToken) -> Fix | None:
    between = file.records[record.line : following.record.line - 1]
    if not any(map(file.is_blank, between)) or any(map(file.is_blank, file.records[before.record.line : record.line])):
        return None
    # Two groups are intended, and the first of them lacks rules.
    last = next((one for one in reversed((record, *between)) if one.kind is not None), record)
    end = last.span[0] + len(file.line_content(last))
    return replace_span(end, end, line_end(file) + b"Disallow:", changes_verdicts=True)


CHECK = Check(
    code="CF308",
    name="record-splits-agents",
    severities=everywhere(Severity.ERROR),
    title="`User-agent` lines with another line between them",
    message="`{key}` does not separate `{before}` from `{after}`: the rules below apply to both",
    why="Only a rule ends the `User-agent` lines of a group, so the rules for the second crawler apply to the first "
    "one too. Some parsers end the group at this line instead.",
    how_to_fix="Write an empty `Disallow:` into the first group if it has no rules, or move this line below all "
    "`User-agent` lines.",
    source="RFC 9309 sections 2.2 and 2.2.4; google/robotstxt; Google, grouping of lines and rules",
    bad=b"User-agent: FooBot\nCrawl-delay: 5\n\nUser-agent: BarBot\nDisallow: /\n",
    good=b"User-agent: FooBot\nCrawl-delay: 5\nDisallow:\n\nUser-agent: BarBot\nDisallow: /\n",
    find=find,
    needs=(Trait.SEVERAL_AGENTS,),
    fixable=True,
)
