"""Groups that many authors misread.

A record such as a crawl delay between two user-agent lines does not end a group, although its parts look like groups.
A crawler with its own group does not follow the rules for `*`, even if its group has no rules.
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice, pairwise
from typing import Final, NamedTuple

from canfetch.core.records import Record
from canfetch.lint.analysis.example_paths import example_path
from canfetch.lint.linted_file import LintedFile, LintedGroup, LintedRule

# A message names at most this many crawlers.
_MAX_NAMES: Final = 6
# The name of a crawler that no group names.
_WITHOUT_GROUP: Final = "*"
# Each one costs a decision.
_MAX_TRIED: Final = 8
_STARTS: Final = (b"/", b"*")


class Split(NamedTuple):
    """The first record between two user-agent lines of a group, and the position of the first of these two lines."""

    record: Record
    position: int


def find_splits(group: LintedGroup) -> Iterator[Split]:
    """Yield the places at which the parts of a group meet.

    Cost: O(lines of the group).
    """
    others = group.other_records
    record = next(others, None)
    for position, (before, following) in enumerate(pairwise(group.tokens)):
        while record is not None and record.line < before.line:
            record = next(others, None)
        if record is None:
            return
        if record.line < following.line:
            yield Split(record, position)


def listed_names(names: Iterable[str], preferred: Collection[str] = ()) -> str:
    """Return different names as a list. Of more than six, it has the first ones and three dots.

    Args: preferred: Names in lower case that come first if there are more.
    """
    distinct = list(dict.fromkeys(names))
    if len(distinct) > _MAX_NAMES:
        distinct = [*sorted(distinct, key=lambda name: name.lower() not in preferred)[:_MAX_NAMES], "..."]
    return ", ".join(distinct)


class StarExample(NamedTuple):
    """A path that `*` may not fetch, and the line that decides this."""

    path: str
    line: int


def star_disallows(file: LintedFile) -> tuple[LintedRule, ...]:
    """Return the rules of the `*` group that disallow a path, except those that lose to an `Allow` of the same path."""
    return file.compute_once(_disallows)


def _disallows(file: LintedFile) -> tuple[LintedRule, ...]:
    rules = [rule for group in file.groups_named("*") for rule in group.rules if rule.value[:1] in _STARTS]
    allowed = {rule.value for rule in rules if rule.allow}
    disallowed = {rule.value: rule for rule in rules if rule.value not in allowed and b" " not in rule.value}
    return tuple(disallowed.values())


def star_example(file: LintedFile) -> StarExample | None:
    """Return the first of the rules for `*` that decides a path that looks real, or None.

    Cost: A few decisions at the first call.
    """
    return file.compute_once(_example)


def _example(file: LintedFile) -> StarExample | None:
    for rule in islice(star_disallows(file), _MAX_TRIED):
        path = example_path(rule.value)
        if path is not None and file.robots.decide(path, agent=_WITHOUT_GROUP).line == rule.line:
            return StarExample(path, rule.line)
    return None
