"""The records of a robots.txt on the use of content, and those of them that others override for a URL and an agent."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from canfetch.consent.statements import (
    ALL_CRAWLERS,
    FOR_NO_CRAWLER,
    FOR_OTHERS,
    PREFERENCE_RECORDS,
    Listing,
    record_statement,
    states_use,
    with_place,
)
from canfetch.consent.verdict import MAX_STATEMENTS, Precedence, UseStatement
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.extensions.content_signal import ContentSignal
from canfetch.core.extensions.index import PathRecords
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.extensions.record import Extension, ExtensionScope
from canfetch.core.extensions.usage import Usage
from canfetch.core.extensions.usage_records import statements_of
from canfetch.core.profiles import get_profile

_EVERY_PATH = b"/"


class GroupedRecords(NamedTuple):
    """The first 100 records of each group, and the number of the others for each purpose.

    The group None has those outside of groups.
    """

    first: dict[int | None, list[Extension[Any]]]
    others: Counter[tuple[int | None, UsagePurpose]]

    def of(self, groups: Iterable[int | None], purpose: UsagePurpose, listing: Listing) -> Iterator[Extension[Any]]:
        """Yield the first records of groups, and count the others as not listed."""
        for group in groups:
            yield from self.first.get(group, ())
            listing.unlisted += self.others[group, purpose]


def group_records(records: Iterable[Extension[Any]], *, stating: bool) -> GroupedRecords:
    """Group records.

    Args: stating: Whether the records that state something on a purpose count for it, or the others.
    """
    grouped = GroupedRecords({}, Counter())
    for record in records:
        own = grouped.first.setdefault(record.group, [])
        if len(own) < MAX_STATEMENTS:
            own.append(record)
        else:
            stated = (purpose for purpose in UsagePurpose if states_use(record, purpose) is stating)
            grouped.others.update((record.group, purpose) for purpose in stated)
    return grouped


def _has_effect(record: Extension[Any]) -> bool:
    return record.parsed.has_effect if isinstance(record.parsed, ContentSignal) else record.parsed is not None


class PreferenceRecords:
    """The records of a robots.txt that state preferences.

    Args: robots: The file, or None.
    """

    def __init__(self, robots: RobotsTxt | None) -> None:
        self._robots = robots
        records = () if robots is None else robots.extensions
        stating = [one for one in records if one.name in PREFERENCE_RECORDS and _has_effect(one)]
        self._grouped = group_records(stating, stating=True)
        self.count = len(stating)
        self.have_paths = any((one.parsed.path or _EVERY_PATH) != _EVERY_PATH for one in stating)
        """Whether one of them is only for some URLs."""

    def overridden(self, agent: Agent, usage: Usage, listing: Listing) -> Iterator[UseStatement]:
        """Yield the records on a use that others override, as facts: a reader of the file may expect them to apply.

        Args: usage: What the file states on the use of the URL by the agent.
        Cost: As matching 100 patterns of each group.
        """
        if self._robots is None:
            return
        applying = {one.line: one.record for one in usage.statements}
        own, every = self._robots.rules_for(agent).group_indices, self._robots.rules_for(ALL_CRAWLERS)
        groups = dict.fromkeys((None, *own, *every.group_indices))
        first = list(self._grouped.of(groups, usage.purpose, listing))
        # Those that apply are counted by their own listing.
        beyond_first = applying.keys() - {record.line for record in first}
        listing.unlisted -= len(beyond_first)
        stated = (one for one in first if one.line not in applying and states_use(one, usage.purpose))
        overridden = list(listing.first(stated))
        if not overridden:
            return
        paths = [(record.parsed.path or _EVERY_PATH, record) for record in overridden]
        target = usage.verdict.target
        deciding: dict[type, tuple[int | None, bool]] = {}
        for record in sorted(PathRecords(paths, self._profile).matching(target), key=lambda one: one.line):
            note, group, outside = "", usage.verdict.group, FOR_OTHERS
            precedence: Precedence | None = Precedence.GROUP
            if record.scope is ExtensionScope.NONE:
                outside, precedence = FOR_NO_CRAWLER, None
            elif record.group is None or record.group in own:
                kind = type(record.parsed)
                if kind not in deciding:
                    deciding[kind] = self._deciding_line(kind, own, target)
                line, is_in_group = deciding[kind]
                note = f"{'another line' if line is None else f'line {line}'} overrides it"
                if record.group is not None or not is_in_group:
                    precedence = Precedence.PATH
            else:
                note = f"in the group for {ALL_CRAWLERS}, which does not apply to {agent.tokens[0]}"
                group = every.group
            for statement in statements_of(record, usage.purpose):
                fact = record_statement(statement, self._robots)._replace(
                    preference=Preference.UNKNOWN, note=note, precedence=precedence
                )
                yield with_place(fact, record, group, outside)

    @property
    def _profile(self) -> Any:
        assert self._robots is not None
        return get_profile(self._robots.profile)

    def _deciding_line(self, kind: type, groups: Iterable[int], target: bytes) -> tuple[int | None, bool]:
        """Return the line of the record of a kind that decides, and whether it is in a group of the agent.

        The line is None if it is not among the first ones.

        Cost: As matching 100 patterns for each group.
        """
        of_groups = chain.from_iterable(self._grouped.first.get(group, ()) for group in groups)
        rivals = [record for record in of_groups if type(record.parsed) is kind]
        is_in_group = bool(rivals)
        if not is_in_group:
            rivals = [record for record in self._grouped.first.get(None, ()) if type(record.parsed) is kind]
        paths = [(record.parsed.path or _EVERY_PATH, record) for record in rivals]
        found = PathRecords(paths, self._profile).most_specific(target) or rivals
        return (found[0].line if found else None), is_in_group
