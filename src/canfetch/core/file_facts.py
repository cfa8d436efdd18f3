"""What a file computes on first use, beside verdicts."""

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from canfetch.core.content_formats import foreign_content_note
from canfetch.core.extensions.crawl_delay import KEY as CRAWL_DELAY_KEY
from canfetch.core.extensions.crawl_delay import parse_crawl_delay
from canfetch.core.extensions.document_urls import parse_sitemap
from canfetch.core.extensions.request_rate import KEY as REQUEST_RATE_KEY
from canfetch.core.extensions.request_rate import RequestRate, parse_request_rate
from canfetch.core.extensions.windows import VISIT_TIME, DailyWindow, parse_daily_window
from canfetch.core.groups import Group, build_group
from canfetch.core.keys import RecordKind
from canfetch.core.profiles import Profile
from canfetch.core.records import Record, Records
from canfetch.core.tokens import token_matches

if TYPE_CHECKING:
    from canfetch.core.contract import CompiledFile
    from canfetch.core.extensions.index import ExtensionIndex


class FileFacts:
    """The groups, records, extensions and notes of a file.

    It holds the compiled file but not the `RobotsTxt`: a reference cycle with the rules of an agent would delay
    freeing the memory.
    """

    def __init__(self, compiled: "CompiledFile", content: bytes, profile: Profile) -> None:
        self._compiled = compiled
        self._content = content
        self._profile = profile

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The groups as written, in file order."""
        return tuple(build_group(*rows, self._profile) for rows in self._compiled.group_table())

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """All lines with their records."""
        return tuple(Records(self._content, self._profile))

    @cached_property
    def extension_index(self) -> "ExtensionIndex":
        """The records other than rules and user-agent lines."""
        from canfetch.core.extensions.index import ExtensionIndex  # noqa: PLC0415 - few callers need it

        return ExtensionIndex(self._content, self._compiled.other_records(), self._profile)

    def sitemaps(self) -> tuple[str, ...]:
        """Return the values of all sitemap records, in file order."""
        values = (
            parse_sitemap(self._content[value_start:value_end])
            for _, kind, _, _, value_start, value_end, _ in self._compiled.other_records()
            if kind == RecordKind.SITEMAP
        )
        return tuple(value for value in values if value is not None)

    def longest_delay(self, groups: Collection[int]) -> float | None:
        """Return the longest valid Crawl-delay of these groups, or None."""
        delays = map(parse_crawl_delay, self._values(CRAWL_DELAY_KEY, groups))
        return max((delay for delay in delays if delay is not None), default=None)

    def request_rates(self, groups: Collection[int]) -> tuple[RequestRate, ...]:
        """Return the valid Request-rate values of these groups, in file order."""
        rates = map(parse_request_rate, self._values(REQUEST_RATE_KEY, groups))
        return tuple(rate for rate in rates if rate is not None)

    def visit_times(self, groups: Collection[int]) -> tuple[DailyWindow, ...]:
        """Return the valid Visit-time values of these groups, in file order."""
        windows = map(parse_daily_window, self._values(VISIT_TIME, groups))
        return tuple(window for window in windows if window is not None)

    def _values(self, key: bytes, groups: Collection[int]) -> Iterator[bytes]:
        """Yield the values of the records with `key`, in lower case, in these groups."""
        for _, _, key_start, key_end, value_start, value_end, group in self._compiled.other_records():
            if group in groups and self._content[key_start:key_end].lower() == key:
                yield self._content[value_start:value_end]

    @cached_property
    def content_notes(self) -> tuple[str, ...]:
        """Notes on content that is not a robots.txt.

        Cost: O(bytes) at the first call, if the content starts like another format.
        """
        note = foreign_content_note(self._content)
        return () if note is None else (note,)

    @cached_property
    def _user_agents(self) -> list[list[tuple[bytes, int]]]:
        return [user_agents for user_agents, _ in self._compiled.group_table()]

    def lines_for(self, token: bytes, groups: Iterable[int]) -> tuple[int, ...]:
        """Return the line numbers of the user-agent lines in these groups that apply to `token`.

        Cost: O(user-agent lines of the groups), and O(rules and user-agent lines of the file) at the first call.
        """
        indices = list(groups)
        # Many groups may have the same name.
        names = {named for index in indices for named, _ in self._user_agents[index]}
        matching = {named for named in names if token_matches(named, token, self._profile)}
        return tuple(line for index in indices for named, line in self._user_agents[index] if named in matching)
