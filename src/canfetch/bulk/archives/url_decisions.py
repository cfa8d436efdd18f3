"""Decisions about URLs of any origin, by the captures in a store: those in force at the time of each URL."""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import islice
from math import inf, isnan
from operator import itemgetter
from typing import Final, NamedTuple

from canfetch.access.policies import AccessPolicy
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.decisions import (
    INVALID_TIME,
    INVALID_URL,
    NO_ROBOTS,
    REDIRECT_UNRESOLVED,
    Decision,
    FileDecisions,
    Provenance,
    is_truncated,
)
from canfetch.bulk.archives.resolution import FileState, final_outcome, state_after
from canfetch.bulk.reading.captures import PLAIN_ORIGIN, Capture
from canfetch.bulk.url_origins import origin_of_beginning, url_beginning
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin
from canfetch.core.urls import AnyURL, url_bytes
from canfetch.core.verdict import Access, Effect

# Captures before the one in force that are replayed: the last good copy may be one of them.
_REPLAYED: Final = 32
_MAX_OWNERS: Final = 20_000
# The content of files in memory, of states and again of sites. Compiled files take a few times as much.
_MAX_CONTENT_BYTES: Final = 128 << 20
# A site takes about 600 bytes besides the content of its file.
_MAX_SITES: Final = 200_000
_MAX_STATES: Final = 20_000
# Each capture may have a content of a megabyte.
_BEGINNINGS_PER_QUERY: Final = 64
# A capture of a host is for both.
_HOST_SCHEMES: Final = frozenset(["http", "https"])


class _History(NamedTuple):
    """The times and numbers of captures in order, and what they belong to: an origin, or a host for both schemes."""

    owner: str
    captures: list[tuple[float, int]]


class _State(NamedTuple):
    """A state, and its decisions by access and effect."""

    state: FileState
    decisions: dict[tuple[Access, Effect], FileDecisions]
    size: int


class KeptFiles:
    """The histories and files of the last origins of a store, by one access policy, profile and answer if missing."""

    def __init__(self) -> None:
        self.sites = _Sites()
        self.histories: OrderedDict[Origin, _History] = OrderedDict()
        self.states: OrderedDict[tuple[str, int], _State] = OrderedDict()
        self.bytes = 0


class _Sites:
    """The decisions by the last captures, by the beginnings of URLs. Those that were added first are removed first."""

    def __init__(self) -> None:
        self._files: OrderedDict[bytes, FileDecisions | Decision] = OrderedDict()
        self._bytes = 0
        self.find = self._files.get

    def add(self, beginning: bytes, file: FileDecisions | Decision) -> None:
        self._files[beginning] = file
        self._bytes += _size(beginning, file)
        while len(self._files) > 1 and (self._bytes > _MAX_CONTENT_BYTES or len(self._files) > _MAX_SITES):
            self._bytes -= _size(*self._files.popitem(last=False))


def _size(beginning: bytes, file: FileDecisions | Decision) -> int:
    return len(beginning) + (0 if isinstance(file, Decision) else file.content_size)


class URLDecisions:
    """Decides about URLs. The histories and files of the last origins are kept.

    Args:
        store: The captures.
        policy: The access policy.
        profile: The parsing profile.
        missing: The answer for URLs whose robots.txt is unknown.
        kept: Histories and files of the same store, policy, profile and answer.
    """

    def __init__(
        self,
        store: CaptureStore,
        *,
        policy: AccessPolicy,
        profile: str,
        missing: bool | None,
        kept: KeptFiles | None = None,
    ) -> None:
        self._store = store
        self._policy = policy
        self._profile = profile
        self._missing = missing
        self._kept = KeptFiles() if kept is None else kept

    def decide(self, url: AnyURL, agent: Agent, at: float | None) -> Decision:
        """Decide whether an agent may fetch an absolute URL.

        Args: at: The time in seconds since the epoch, None for the last capture, or NaN for a value that is not a time.
        """
        found = self.find(url, at)
        return found if isinstance(found, Decision) else found.decide(url, agent)

    def find(self, url: object, at: float | None) -> FileDecisions | Decision:
        """Return the decisions about the origin of a URL at a time, or the only one if its file is unknown.

        Args:
            url: An absolute URL. Other values are invalid.
            at: As for `decide`.
        """
        if not isinstance(url, str | bytes):
            return _INVALID
        beginning = url_beginning(url_bytes(url))
        if at is None:
            return self.find_last(beginning)
        origin = origin_of_beginning(beginning)
        if origin is None:
            return _INVALID
        if isnan(at):
            return Decision(None, INVALID_TIME)
        return self._by_state(self._state_at(origin, at), at)

    def find_all(self, beginnings: Iterable[bytes]) -> Iterator[FileDecisions | Decision]:
        """Yield the decisions by the last captures about each `url_beginning`, as `find_last` does."""
        remaining = iter(beginnings)
        while some := list(islice(remaining, _BEGINNINGS_PER_QUERY)):
            self._load(some)
            yield from map(self.find_last, some)

    def _load(self, beginnings: Iterable[bytes]) -> None:
        """Keep the decisions about beginnings of URLs whose last capture needs no other one, with one query."""
        sites = self._kept.sites
        unknown = ((one, _owners_of_beginning(one)) for one in beginnings if sites.find(one) is None)
        names = {beginning: owners for beginning, owners in unknown if owners}
        last = self._store.last_files({owner for owners in names.values() for owner in owners}) if names else {}
        for beginning, owners in names.items():
            # At the same time, that of the origin is the last one.
            captures = [last[owner] for owner in reversed(owners) if owner in last]
            file = self._by_capture(max(captures, key=_time, default=None))
            if file is not None:
                sites.add(beginning, file)

    def _by_capture(self, capture: Capture | None) -> FileDecisions | Decision | None:
        """Return the decisions by the last capture of an origin, or None if they depend on other captures."""
        if capture is None:
            return Decision(self._missing, NO_ROBOTS)
        outcome = final_outcome(capture, self._policy)
        if outcome is None:
            return None
        has_rules = outcome.effect is Effect.CONDITIONAL_ALLOW
        content, detail = (capture.content, None) if has_rules else (None, outcome.detail)
        provenance = Provenance(capture.time, capture.url, is_truncated(content, self._profile), detail)
        return FileDecisions(outcome.access, outcome.effect, content, self._profile, provenance)

    def find_last(self, beginning: bytes) -> FileDecisions | Decision:
        """Return the decisions by the last captures about all URLs with a `url_beginning`, as `find` does."""
        known = self._kept.sites.find(beginning)
        if known is not None:
            return known
        origin = origin_of_beginning(beginning)
        if origin is None:
            return _INVALID
        history = self._read_history(origin)
        file = self._by_state(self._read_state(history, len(history.captures)) if history.captures else None, None)
        self._kept.sites.add(beginning, file)
        return file

    def _by_state(self, found: _State | None, at: float | None) -> FileDecisions | Decision:
        """Return the decisions in a state, or the only one if there is none."""
        if found is None:
            return Decision(self._missing, NO_ROBOTS)
        decisions, state = found.decisions, found.state.as_of(at)
        access = state.access(self._policy, at)
        if access is None:
            return Decision(self._missing, REDIRECT_UNRESOLVED, provenance=state.provenance(None))
        key = access.access, access.effect
        file = decisions.get(key)
        if file is None:
            content = None if access.copy is None else access.copy.content
            provenance = state.provenance(access)._replace(is_truncated=is_truncated(content, self._profile))
            file = FileDecisions(access.access, access.effect, content, self._profile, provenance)
            decisions[key] = file
        return file

    def state_at(self, url: AnyURL, at: float) -> FileState | None:
        """Return what was known about the origin of a URL at a time, or None if nothing was.

        Raises: InvalidURL.
        """
        found = self._state_at(Origin.from_url(url), at)
        return None if found is None else found.state.as_of(at)

    def _state_at(self, origin: Origin, at: float | None) -> _State | None:
        history = self._history(origin)
        captures = history.captures
        index = len(captures) if at is None else bisect_right(captures, (at, _LAST))
        return self._state(history, index) if index else None

    def next_at(self, url: AnyURL, at: float) -> float | None:
        """Return the time of the first capture after a time, or None.

        Raises: InvalidURL.
        """
        captures = self._history(Origin.from_url(url)).captures
        index = bisect_right(captures, (at, _LAST))
        return captures[index][0] if index < len(captures) else None

    def _history(self, origin: Origin) -> _History:
        history = self._kept.histories.get(origin)
        if history is not None:
            self._kept.histories.move_to_end(origin)
            return history
        history = self._kept.histories[origin] = self._read_history(origin)
        if len(self._kept.histories) > _MAX_OWNERS:
            self._kept.histories.popitem(last=False)
        return history

    def _read_history(self, origin: Origin) -> _History:
        owners = _owners(origin)
        found = self._store.histories(*owners)
        # At the same time, the capture of the origin is the last one, because it is more specific.
        captures = list(merge(*(found[owner] for owner in owners if owner in found), key=itemgetter(0)))
        return _History(owners[-1] if owners[-1] in found else owners[0], captures)

    def _state(self, history: _History, index: int) -> _State:
        # The captures of a host may follow others in the histories of its origins.
        key = (history.owner, history.captures[index - 1][1])
        found = self._kept.states.get(key)
        if found is not None:
            self._kept.states.move_to_end(key)
            return found
        kept = self._kept
        found = kept.states[key] = self._read_state(history, index)
        kept.bytes += found.size
        while (kept.bytes > _MAX_CONTENT_BYTES or len(kept.states) > _MAX_STATES) and len(kept.states) > 1:
            kept.bytes -= kept.states.popitem(last=False)[1].size
        return found

    def _read_state(self, history: _History, index: int) -> _State:
        """Return the state after the first captures of a history, of which there is at least one."""
        replayed = history.captures[max(0, index - _REPLAYED) : index]
        captures = [self._store.file(number) for _, number in replayed]
        state = state_after(captures, self._store, self._policy)
        copy = None if state.entry is None else state.entry.copy
        # The last capture and the copy: the others are not kept.
        size = len(state.capture.content) + (0 if copy is None else len(copy.content))
        return _State(state, {}, size)


def _owners(origin: Origin) -> tuple[str, ...]:
    """Return whose captures count for an origin: those of its host, which are for http and https, and its own."""
    owner = str(origin)
    return (owner.partition("://")[2], owner) if origin.scheme in _HOST_SCHEMES else (owner,)


def _owners_of_beginning(beginning: bytes) -> tuple[str, ...]:
    """Return those of the origin of a `url_beginning`, or nothing if it is not valid."""
    text = beginning.decode("latin-1")
    if PLAIN_ORIGIN.fullmatch(text):
        return text.partition("://")[2], text
    origin = origin_of_beginning(beginning)
    return () if origin is None else _owners(origin)


def _time(capture: Capture) -> float:
    return -inf if capture.time is None else capture.time


_LAST: Final = 1 << 62
_INVALID: Final = Decision(None, INVALID_URL)
