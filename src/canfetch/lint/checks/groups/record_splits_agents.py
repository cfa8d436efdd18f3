"""`User-agent` lines with another line between them."""

from collections.abc import Iterator
from functools import partial
from itertools import accumulate
from typing import Final

from canfetch.lint.analysis.canonical_rules import matches_everything
from canfetch.lint.analysis.example_paths import example_path
from canfetch.lint.analysis.line_fixes import line_end
from canfetch.lint.analysis.misread_groups import Split, find_splits, listed_names, star_disallows
from canfetch.lint.analysis.named_engines import main_crawlers
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import VARIANT, Check, Occurrence, Variant, VerdictQuery
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.linted_file import LintedFile, LintedGroup, LintedToken
from canfetch.lint.severity import Severity, everywhere

_MAX_CRAWLERS: Final = 64
# At most this many rules that close the site are explained.
_MAX_LINES: Final = 8


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find groups with records, such as a crawl-delay, between user-agent lines."""
    for group in file.groups:
        if not group.others or len(group.tokens) < 2:
            continue
        splits = list(find_splits(group))
        if splits:
            yield _occurrence(file, group, splits)


def _occurrence(file: LintedFile, group: LintedGroup, splits: list[Split]) -> Occurrence:
    disallows = any(rule.specificity and not rule.allow for rule in group.rules)
    harmful = _first_harmful(group.tokens, splits) if disallows else None
    shown = harmful or splits[0]
    before, following = group.tokens[shown.position], group.tokens[shown.position + 1]
    details = {
        "key": file.text(file.key(shown.record)),
        "before": before.token or "*",
        "after": following.token or "*",
    }
    if len(splits) > 1:
        details |= {VARIANT: "several", "names": _names(group, splits)}
    elif before.token.lower() == following.token.lower():
        details[VARIANT] = "named-again"
    elif not group.rules:
        details[VARIANT] = "no-rules"
    lost = star_disallows(file)
    if lost and harmful is not None:
        details["value"] = file.text(lost[0].value)
    return Occurrence(
        file.text_span(shown.record),
        details,
        None if harmful is None else _query(group, splits),
        # An empty `Disallow:` would exempt the crawlers from the rules for `*`.
        None if lost else partial(_fix, file, group, splits),
        lines=() if harmful is None else _explained_lines(file, group, splits),
        harmless=harmful is None,
    )


def _first_harmful(tokens: tuple[LintedToken, ...], splits: list[Split]) -> Split | None:
    """Return the first split above which a crawler is named that the rules below are not meant for."""
    names = [token.token.lower() for token in tokens]
    last = {name: position for position, name in enumerate(names)}
    # The names above a split are also named below it if the last position of each one is below.
    first_end = list(accumulate((last[name] for name in names), min))
    first_star = names.index("*") if "*" in last else len(names)
    for split in splits:
        # The rules for `*` are those that a crawler follows without a group of its own.
        is_star_below = first_star > split.position and "*" in last
        if first_end[split.position] <= split.position and not is_star_below:
            return split
    return None


def _names(group: LintedGroup, splits: list[Split]) -> str:
    """Return the first name of each part of the group."""
    starts = (0, *(split.position + 1 for split in splits))
    return listed_names(group.tokens[start].token or "*" for start in starts)


def _query(group: LintedGroup, splits: list[Split]) -> VerdictQuery | None:
    """Return the query about the crawlers that are named above the last split only."""
    rules = (rule for rule in group.rules if not rule.allow and rule.value.startswith(b"/"))
    rule = next(rules, None)
    path = None if rule is None else example_path(rule.value)
    below = {token.token.lower() for token in group.tokens[splits[-1].position + 1 :]}
    above = [token.token for token in group.tokens[: splits[-1].position + 1] if token.token not in {"", "*"}]
    crawlers = [name for name in dict.fromkeys(above) if name.lower() not in below][:_MAX_CRAWLERS]
    return VerdictQuery(path, (rule.line,), crawlers=tuple(crawlers)) if rule and path and crawlers else None


def _explained_lines(file: LintedFile, group: LintedGroup, splits: list[Split]) -> tuple[int, ...]:
    """Return the lines of the rules that close the site to crawlers for which they are not meant."""
    below = {token.token.lower() for token in group.tokens[splits[-1].position + 1 :]}
    if main_crawlers(file, below):
        return ()
    return tuple([rule.line for rule in group.rules if not rule.allow and matches_everything(rule.value)][:_MAX_LINES])


def _fix(file: LintedFile, group: LintedGroup, splits: list[Split]) -> Fix | None:
    if len(group.names) != len(group.tokens):
        return None
    offsets = (_end_of_part(file, group, split) for split in splits)
    edits = tuple(Edit(end, end, line_end(file) + b"Disallow:") for end in offsets if end is not None)
    return Fix(edits, changes_verdicts=True) if edits else None


def _end_of_part(file: LintedFile, group: LintedGroup, split: Split) -> int | None:
    """Return the end of the last line above a blank line, or None if no group was meant to end there."""
    record, before, following = split.record, group.tokens[split.position], group.tokens[split.position + 1]
    after = range(record.line, following.line - 1)
    if not any(map(file.is_blank, after)) or any(map(file.is_blank, range(before.line, record.line))):
        return None
    # Two groups are intended, and the first of them lacks rules.
    between = map(file.records.__getitem__, reversed(after))
    last = next((one for one in between if one.kind is not None), record)
    return last.span[0] + len(file.line_content(last))


CHECK = Check(
    code="CF308",
    name="record-splits-agents",
    severities=everywhere(Severity.ERROR),
    title="`User-agent` lines with another line between them",
    message="`{key}` does not separate `{before}` from `{after}`: the rules below apply to both",
    why="Only a rule ends the `User-agent` lines of a group. So the rules for the second crawler apply to the first "
    "one too, and a `Crawl-delay` for the first crawler applies to the second one. Some parsers end the group at this "
    "line instead.",
    how_to_fix="Write the rules of each crawler below its own `User-agent` line; an empty `Disallow:` allows "
    "everything. If all of them should have the same rules, move this line below all `User-agent` lines.",
    how_to_fix_here="A crawler with an empty `Disallow:` does not follow the rules of the `*` group, such as "
    "`{value}`: repeat those that should apply to it.",
    variants={
        "several": Variant("`{key}` does not separate `{names}`: all of them are in one group"),
        "named-again": Variant("`{key}` does not end the group of `{before}`, which is named again below it"),
        "no-rules": Variant("`{key}` does not separate `{before}` from `{after}`: both are in one group without rules"),
    },
    source="RFC 9309 sections 2.2 and 2.2.4; google/robotstxt; Google, grouping of lines and rules",
    bad=b"User-agent: FooBot\nCrawl-delay: 5\n\nUser-agent: BarBot\nDisallow: /\n",
    good=b"User-agent: FooBot\nCrawl-delay: 5\nDisallow:\n\nUser-agent: BarBot\nDisallow: /\n",
    find=find,
    needs=(Trait.SEVERAL_AGENTS,),
    fixable=True,
    # The search engine is blocked by the rules of another crawler.
    supersedes=("CF702",),
)
