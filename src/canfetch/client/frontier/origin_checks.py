"""The robots.txt files of a frontier's origins: obtained in the background, and held for the next turns."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from math import inf
from typing import Final, NamedTuple, TypeVar

from canfetch.access.effective_access import FetchNeed
from canfetch.access.outcomes import OutcomeKind
from canfetch.access.pacing import Pace
from canfetch.client.async_client import AsyncClient
from canfetch.client.fetch_tasks import send_refusal
from canfetch.client.frontier.awaited_files import AwaitedFile, AwaitedFiles, CheckedOrigin
from canfetch.client.frontier.clocks import Moment
from canfetch.client.frontier.queue_values import QueuedOrigin
from canfetch.client.origin_pace import declared_pace
from canfetch.client.origin_state import OriginState
from canfetch.core.agent import Agent
from canfetch.core.origin import find_origin
from canfetch.core.text import printable_text
from canfetch.core.verdict import Access, Effect
from canfetch.errors import CanfetchError, ClientClosed, RequestNotSent

_Value = TypeVar("_Value")
# Limits of the states that are held after their turn. The client caches the same objects.
_MAX_HELD_STATES: Final = 2000
_MAX_HELD_BYTES: Final = 32 * 1024 * 1024
# The number of failing or unreachable origins for which it is known since when they are. For the oldest of more, the
# time begins anew.
_MAX_FAILING: Final = 100_000
# The shortest time before an unreachable origin is checked again.
_MIN_RECHECK_DELAY: Final = 1.0
# Seconds until a robots.txt is requested again that could not be, for a reason of this machine or after an unexpected
# exception. After an exception, the delay doubles up to the maximum.
_NOT_SENT_DELAY: Final = 10.0
_MAX_EXCEPTION_DELAY: Final = 3600.0
# Seconds for which the file of an origin can be used once, even if it has expired: until a task is free for its turn.
_USABLE_SECONDS: Final = 60.0
_NOT_OURS: Final = "another process has the group of its origin"


class CheckResult(NamedTuple):
    """The end of a check.

    Attributes:
        origin: The origin.
        is_known: Whether its file is known: False after an exception, or if the check was cancelled.
        error: The exception, or None.
        problem: Why the file is not known.
        failing_seconds: Seconds since the first of the checks that have failed without another result in between, or
            None for that one.
        pace: The limits that the file sets, or None if it is not known, or unreachable without a copy.
        newest_url: The ID of the newest URL before the check. Later ones wait for the next check.
        targets: The other origins to which its robots.txt was redirected in this check.
    """

    origin: QueuedOrigin
    is_known: bool
    error: BaseException | None
    problem: str = ""
    failing_seconds: float | None = None
    pace: Pace | None = None
    newest_url: float = inf
    targets: Sequence[str] = ()


class RequestPermission(NamedTuple):
    """Whether the robots.txt of a group may be requested.

    Attributes:
        begin: Notes that it is requested now. Returns False if it may not be.
        is_valid: Returns whether it may still be sent.
    """

    begin: Callable[[], bool]
    is_valid: Callable[[], bool]


class _Check(NamedTuple):
    """A check that runs.

    Attributes:
        origin: The origin.
        started_at: When it was started, by the wall clock.
        newest_url: The ID of the newest URL at that time.
    """

    origin: QueuedOrigin
    started_at: float
    newest_url: float


class _Unreachable(NamedTuple):
    """An origin whose robots.txt is unreachable, without a usable copy.

    Attributes:
        since: When a check found that first, in the time of the frontier.
        requested_at: When the last request ended.
        is_given_up: Whether the last request was made long enough after that.
        newest_url: The ID of the newest URL before the last request. Later ones wait for the next request.
    """

    since: float
    requested_at: float
    is_given_up: bool
    newest_url: float


class OriginChecks:
    """The checks of a frontier.

    Args:
        client: The client that obtains the files.
        agent: The agent whose limits count.
        bounds: The crawler's own limits.
        max_checks: The number of origins whose files are being obtained, or were obtained for their next turn.
        max_unreachable: Seconds after which an unreachable origin is given up.
        notify: Called after each check.
        now: Returns the present moment.
        of_groups: Whether origins are those of groups. Their names identify them then, instead of their IDs in the
            queue, and the turns for which their files were obtained are after the delay of their group.
    """

    def __init__(
        self,
        client: AsyncClient,
        agent: Agent,
        bounds: Pace,
        *,
        max_checks: int,
        max_unreachable: float,
        notify: Callable[[], None],
        now: Callable[[], Moment],
        of_groups: bool,
    ) -> None:
        self._client = client
        self._agent = agent
        self._bounds = bounds
        self._max_checks = max_checks
        self._max_unreachable = max_unreachable
        self._notify = notify
        self._now = now
        self._of_groups = of_groups
        # When the checks of origins began to fail. In the order of their last failure.
        self._failing_since: OrderedDict[int | str, float] = OrderedDict()
        # In the order of their last check.
        self._unreachable: OrderedDict[int | str, _Unreachable] = OrderedDict()
        self._tasks: dict[asyncio.Task[OriginState], _Check] = {}
        # Each with the wall time of its end. It can be collected much later: when a task next asks for a turn.
        self._ended: list[tuple[asyncio.Task[OriginState], float]] = []
        self._usable_seconds = 2 * bounds.max_delay + _MIN_RECHECK_DELAY if of_groups else _USABLE_SECONDS
        # Origins that were checked for their next turn.
        self._checked: dict[int | str, CheckedOrigin] = {}
        # The same for groups.
        self._awaited = AwaitedFiles(max_checks)
        # Origins that were lost during their check.
        self._released: set[int] = set()
        # In the order of their last use.
        self._held: OrderedDict[int | str, CheckedOrigin] = OrderedDict()
        self._held_bytes = 0

    @property
    def free_slots(self) -> int:
        """The number of checks that can be started."""
        if self._of_groups and self._awaited.is_full(self._now().at):
            return 0
        return self._max_checks - len(self._tasks) - len(self._checked)

    def start(self, origin: QueuedOrigin, newest_url: float, permission: RequestPermission | None = None) -> None:
        """Obtain the robots.txt of an origin in the background.

        Args:
            newest_url: The ID of its newest URL. If this check gives up the origin, newer ones are not skipped.
            permission: Asked before a request is sent.
        """
        url = f"{origin.name}/"
        obtaining = self._client.origin_state(url) if permission is None else self._obtain(url, permission)
        task = asyncio.create_task(obtaining, name=f"canfetch check {origin.name}")
        self._tasks[task] = _Check(origin, self._now().wall, newest_url)
        task.add_done_callback(self._end)

    def collect(self) -> list[CheckResult]:
        """Return the checks that have ended since the last call."""
        results = []
        while self._ended:
            task, ended_at = self._ended.pop()
            check = self._tasks.pop(task)
            origin = check.origin
            if not task.cancelled() and task.exception() is None:
                state = task.result()
                pace = declared_pace(state, self._agent, self._bounds)
                checked = CheckedOrigin(state, pace, ended_at + self._usable_seconds)
                if origin.id in self._released:
                    self._hold(self._key(origin), checked)
                elif self._of_groups:
                    self._hold_awaited(self._awaited.add(origin.id, AwaitedFile(origin.name, checked)))
                else:
                    self._checked[origin.id] = checked
                self._failing_since.pop(self._key(origin), None)
                self._note_unreachable(check, state)
                targets = self._targets(check, state) if self._of_groups else ()
                known = None if _is_unreachable(state, self._now().wall) else pace
                results.append(CheckResult(origin, True, None, pace=known, targets=targets))
            else:
                error = None if task.cancelled() else task.exception()
                results.append(self.note_failure(origin, error, check.newest_url))
            self._released.discard(origin.id)
        return results

    async def _obtain(self, url: str, permission: RequestPermission) -> OriginState:
        state = await self._client.origin_state(url, offline=True)
        need = FetchNeed.NOW
        if state.entry.outcome.kind is not OutcomeKind.OFFLINE:
            need = state.fetch_need(self._now().wall)
        if need is FetchNeed.NO:
            return state
        if not permission.begin():
            raise RequestNotSent(f"{url}robots.txt is not requested: {_NOT_OURS}")
        # The calls of the store and of a shared queue can take longer than the lease of the group.
        send_refusal.set(lambda: None if permission.is_valid() else _NOT_OURS)
        # A request in the background would be one that is not counted.
        return await self._client.origin_state(url, refresh=need is FetchNeed.SOON)

    def _targets(self, check: _Check, state: OriginState) -> list[str]:
        entry = state.entry
        if entry.fetched_at < check.started_at:
            return []
        targets = {str(find_origin(hop.location)) for hop in entry.hops}
        return sorted(targets - {check.origin.name, "None"})

    def _key(self, origin: QueuedOrigin) -> int | str:
        return origin.name if self._of_groups else origin.id

    def note_failure(self, origin: QueuedOrigin, error: BaseException | None, newest_url: float) -> CheckResult:
        """Note that the check of an origin raised an exception, or was cancelled. Also for the address of a host.

        Args: newest_url: See `start`.
        """
        if isinstance(error, RequestNotSent | ClientClosed):
            # That says nothing about the site, and other checks would fail as well.
            return CheckResult(origin, False, error, str(error))
        now = self._now().at
        key = self._key(origin)
        since = self._failing_since.pop(key, None)
        _keep_newest(self._failing_since, key, now if since is None else since)
        seconds = None if since is None else now - since
        return CheckResult(origin, False, error, _describe(error), seconds, newest_url=newest_url)

    def _note_unreachable(self, check: _Check, state: OriginState) -> None:
        now = self._now()
        key = self._key(check.origin)
        before = self._unreachable.pop(key, None)
        if not _is_unreachable(state, now.wall):
            return
        if before is not None and not self._of_groups and (check.origin.last_request_at or -inf) > before.requested_at:
            # Another process has had a turn since.
            before = None
        noted = before or _Unreachable(now.at, now.at, False, -inf)
        # The client may have answered from its cache.
        if state.entry.fetched_at >= check.started_at:
            is_given_up = now.at - noted.since >= self._max_unreachable
            noted = _Unreachable(noted.since, now.at, is_given_up, check.newest_url)
        _keep_newest(self._unreachable, key, noted)

    def retry_at(self, origin: int | str, state: OriginState, now: Moment) -> float | None:
        """Return when an unreachable origin without a usable copy is checked again, in the time of the frontier.

        Return None for other origins.

        Args: origin: Its ID in the queue, or its name if it is one of a group.
        """
        if not _is_unreachable(state, now.wall):
            return None
        if origin not in self._unreachable:
            # Its copy has expired since the check.
            _keep_newest(self._unreachable, origin, _Unreachable(now.at, now.at, False, -inf))
        return now.from_wall(max(state.next_fetch_at, now.wall + _MIN_RECHECK_DELAY))

    def is_given_up(self, origin: int | str, url: int) -> bool:
        """Return whether a URL of an unreachable origin is skipped.

        Args:
            origin: As for `retry_at`, which has returned a time.
            url: The ID of the URL.
        """
        noted = self._unreachable[origin]
        return noted.is_given_up and url <= noted.newest_url

    def is_known(self, origin: int | str, now: float) -> bool:
        """Return whether an origin needs no check.

        Args:
            origin: As for `use`.
            now: The epoch time by the wall clock.
        """
        return self._is_usable_once(origin, now) or self._find_fresh(origin, now) is not None

    def use(self, origin: int | str, now: float) -> CheckedOrigin | None:
        """Return a checked origin for its next turn, or None if it has to be checked.

        Args:
            origin: Its ID in the queue, or its name if it is one of a group.
            now: The epoch time by the wall clock. If it was set back after the check, the ages are wrong.
        """
        is_usable = self._is_usable_once(origin, now)
        checked = self._checked.pop(origin, None) or self._held.get(origin)
        if checked is None:
            return None
        self._hold(origin, checked._replace(usable_until=-inf))
        return checked if is_usable else self._find_fresh(origin, now)

    def last_pace(self, origin: int | str, now: float) -> Pace | None:
        """Return the limits of the last known file of an origin, which may have expired, or None.

        Args: As for `use`.
        """
        checked = self._held.get(origin)
        if checked is None or now < checked.state.valid_from or self._is_replaced(checked):
            return None
        return checked.pace

    def _is_usable_once(self, origin: int | str, now: float) -> bool:
        """Return whether the file of an origin was obtained for its next turn, so that it can have expired by then."""
        checked = self._checked.get(origin) or self._held.get(origin)
        if checked is None or self._is_replaced(checked):
            return False
        return checked.state.valid_from <= now < checked.usable_until

    def _is_replaced(self, checked: CheckedOrigin) -> bool:
        """Return whether the client has a newer file of an origin. The clock may have been set since the check."""
        state = checked.state
        name = state.entry.origin
        known = self._client.cached_state(f"{name}/", offline=True)
        return state.number < max(self._client.refreshed.get(name, 0), 0 if known is None else known.number)

    def set_due(self, group: int, due_at: float) -> None:
        """Note when a group that was checked can have its turn, in the time of the frontier."""
        self._awaited.set_due(group, due_at)

    def use_awaited(self, group: int, now: float) -> dict[str, CheckedOrigin]:
        """Return the file that was obtained for the turn of a group that is due, by the name of its origin.

        Args: now: As for `use`.
        """
        file = self._awaited.pop(group)
        if file is None:
            return {}
        self._hold(*file)
        checked = self.use(file.name, now)
        return {} if checked is None else {file.name: checked}

    def release(self, origins: Iterable[int]) -> None:
        """Keep the files of origins that have no next turn now."""
        released = set(origins)
        if released:
            self._released |= {check.origin.id for check in self._tasks.values() if check.origin.id in released}
        for origin_id in released:
            checked = self._checked.pop(origin_id, None)
            if checked is not None:
                self._hold(origin_id, checked)
            self._hold_awaited(self._awaited.pop(origin_id))

    def forget(self) -> None:
        """Check all origins again before their next turn, because the wall clock was set back.

        Other processes may store files that are newer than the held ones, and are stamped earlier.
        """
        self._checked.clear()
        self._awaited.clear()
        self._held.clear()
        self._held_bytes = 0

    @property
    def tasks(self) -> Collection[asyncio.Task[OriginState]]:
        """The checks that run. If they are cancelled, the fetches of the client continue for other tasks."""
        return self._tasks.keys()

    def _end(self, task: asyncio.Task[OriginState]) -> None:
        self._ended.append((task, self._now().wall))
        self._notify()

    def _find_fresh(self, origin: int | str, now: float) -> CheckedOrigin | None:
        checked = self._held.get(origin)
        if checked is None or not checked.state.valid_from <= now < checked.state.next_fetch_at:
            return None
        if self._is_replaced(checked):
            return None
        self._held.move_to_end(origin)
        return checked

    def _hold_awaited(self, file: AwaitedFile | None) -> None:
        if file is not None:
            self._hold(*file)

    def _hold(self, origin: int | str, checked: CheckedOrigin) -> None:
        previous = self._held.pop(origin, None)
        if previous is not None:
            self._held_bytes -= previous.memory_bytes
        self._held[origin] = checked
        self._held_bytes += checked.memory_bytes
        while len(self._held) > _MAX_HELD_STATES or self._held_bytes > _MAX_HELD_BYTES:
            _, oldest = self._held.popitem(last=False)
            self._held_bytes -= oldest.memory_bytes


def recheck_delay(result: CheckResult) -> float:
    """Return the seconds until an origin is checked again whose robots.txt is not known."""
    if result.error is None and result.failing_seconds is None:
        # The event loop of the check was stopped.
        return 0.0
    # As long as the checks have failed for, which doubles the time.
    return min(max(_NOT_SENT_DELAY, result.failing_seconds or 0.0), _MAX_EXCEPTION_DELAY)


def _keep_newest(origins: OrderedDict[int | str, _Value], key: int | str, value: _Value) -> None:
    """Add what is known of an origin, and forget the oldest one of too many."""
    origins[key] = value
    if len(origins) > _MAX_FAILING:
        origins.popitem(last=False)


def _is_unreachable(state: OriginState, now: float) -> bool:
    """Return whether a robots.txt is unreachable and no copy of it can be used.

    Args: now: The epoch time by the wall clock.
    """
    access = state.effective_access(now)
    return access.access is Access.UNREACHABLE and access.effect is Effect.FULL_DISALLOW


def _describe(error: BaseException | None) -> str:
    """Return why the robots.txt of an origin is not known."""
    if error is None:
        return "the check was cancelled"
    return printable_text(str(error) if isinstance(error, CanfetchError) else f"{type(error).__name__}: {error}")
