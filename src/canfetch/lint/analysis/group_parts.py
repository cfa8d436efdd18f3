"""The parts of a group between which other records stand, such as a crawl delay: many authors take them for groups."""

from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from canfetch.core.records import Record
from canfetch.lint.linted_file import LintedGroup

# A message names at most this many crawlers.
_MAX_NAMES: Final = 6


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
