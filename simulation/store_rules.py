"""The rules for clients that share a store: when a site may be asked, and what a verdict may be based on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from canfetch import ClientVerdict
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.transports import TransportRequest
from canfetch.core.verdict import Access, Effect
from simulation.machine import Machine
from simulation.plans import Plan
from simulation.processes import Process
from simulation.rules import DAY, BrokenRule
from simulation.sites import Network

_MIN_BACKOFF: Final = 30.0
_NOT_SENT_DELAY: Final = 10.0
_TOLERANCE: Final = 0.01
# The timeout of a fetch and a margin.
_LEASE: Final = 35.0
# A client waits for two owners of a lease, and then for its own fetch.
_LONGEST_WAIT: Final = 2 * _LEASE + 30.0 + 5.0
# The last good copy is used for 30 days.
_COPY_LIFETIME: Final = 29 * DAY


def lifetime(answer: Response | Failure) -> tuple[float, str]:
    """Return for how long an answer serves at least, and why the next request is sent then."""
    if isinstance(answer, Failure):
        if answer.kind is FailureKind.LOCAL:
            return 0.0, "the last one could not be sent"
        return _MIN_BACKOFF, "the last one failed"
    if answer.status >= 500 or answer.status == 429:
        return _MIN_BACKOFF, "the last one failed"
    if 300 <= answer.status < 400:
        # The origin to which it leads may fail.
        return _MIN_BACKOFF, "the answer of the last one expired"
    return (600.0 if answer.header("cache-control") else DAY), "the answer of the last one expired"


class _Request(NamedTuple):
    """A request that has no answer yet, sent at a true time."""

    at: float
    process: Process


class _Answer(NamedTuple):
    """The last answer that a process received, and whether the process said so.

    Attributes:
        at: When it was received, in true time.
        received_at: The same by the wall clock.
        process: The process.
        seconds: How long it serves.
        is_acknowledged: Whether the process has based a verdict on it.
    """

    at: float
    received_at: float
    process: Process
    seconds: float
    is_acknowledged: bool


class _Known(NamedTuple):
    """What the last verdict about an origin was based on.

    Attributes:
        at: When it was given, in true time.
        has_copy: Whether it was based on a copy.
        copied_at: The time of the copy by the wall clock, unless that was set back since.
        copy_since: When a verdict was first based on this copy, in true time.
    """

    at: float
    has_copy: bool
    copied_at: float | None
    copy_since: float


class StoreRules:
    """The rules, and what the world outside knows.

    Args:
        plan: What happens.
        network: The sites.
        machine: The machine of all processes.
    """

    def __init__(self, plan: Plan, network: Network, machine: Machine) -> None:
        self._plan = plan
        self._network = network
        self._now = machine.monotonic
        self._world = machine.world
        self._wall = machine.wall
        self._in_flight: dict[str, _Request] = {}
        self._answers: dict[str, _Answer] = {}
        self._known: dict[str, _Known] = {}
        self._not_sent_at: dict[str, float] = {}
        # The time of the copy that a process uses for an origin, and since when, in true time.
        self._used: dict[tuple[str, str], tuple[float | None, float]] = {}

    @contextmanager
    def asking(self, request: TransportRequest, process: Process) -> Iterator[Callable[[Response | Failure], None]]:
        """Check that a request may be sent, and yield the function that notes its answer.

        Raises: BrokenRule.
        """
        origin = origin_of(request.url)
        if request.cross_origin or request.url != f"{origin}/robots.txt":
            yield lambda _: None
            return
        self._check_request(origin, process)
        asked = self._in_flight[origin] = _Request(self._world(), process)

        def note_answer(answer: Response | Failure) -> None:
            seconds = min(lifetime(answer)[0], self._target_lifetime(answer))
            self._answers[origin] = _Answer(self._world(), self._wall(), process, seconds, is_acknowledged=False)
            if isinstance(answer, Failure) and answer.kind is FailureKind.LOCAL:
                self._not_sent_at[origin] = self._now()

        try:
            yield note_answer
        finally:
            # It may have been cancelled.
            if self._in_flight.get(origin) is asked:
                del self._in_flight[origin]

    def _target_lifetime(self, answer: Response | Failure) -> float:
        """Return for how long the copy of the origin to which a redirect leads is still fresh, or else a day."""
        location = answer.header("location") if isinstance(answer, Response) else None
        target = None if location is None else self._answers.get(origin_of(location))
        # A copy that has expired is fetched again.
        left = 0.0 if target is None else target.at + target.seconds - self._world()
        return left if left > 0 else DAY

    def _check_request(self, origin: str, process: Process) -> None:
        now = self._world()
        other = self._in_flight.get(origin)
        # A process that waits for two leases asks without one. Only processes that cannot send requests hold several
        # leases one after another without an answer.
        has_waited = self._now() - self._not_sent_at.get(origin, -DAY) < 2 * _LEASE
        # A lease can expire while the machine sleeps, just before its owner sends the request.
        wakes = self._plan.clocks.wakes
        just_woke = other is not None and any(abs(wake - other.at) < _TOLERANCE for wake in wakes)
        is_owned = other is not None and other.process.is_alive and self._is_undisturbed(other.at)
        if other is not None and is_owned and not just_woke and not has_waited:
            raise BrokenRule(
                f"at {now:.3f} s: {process.name} asks {origin}, which {other.process.name} has asked since "
                f"{other.at:.3f} s"
            )
        answer = self._answers.get(origin)
        if answer is not None and answer.is_acknowledged and self._is_undisturbed(answer.at):
            elapsed = now - answer.at
            if elapsed < answer.seconds - _TOLERANCE:
                raise BrokenRule(
                    f"at {now:.3f} s: {process.name} asks {origin} {elapsed:.3f} s after an answer that serves for "
                    f"{answer.seconds:g} s"
                )

    def forget(self) -> None:
        """Forget everything: the store is gone."""
        self._in_flight.clear()
        self._answers.clear()
        self._known.clear()
        self._not_sent_at.clear()

    def check_wait(self, started: float, what: str) -> None:
        """Check that a call that has ended did not wait for too long.

        Raises: BrokenRule.
        """
        now = self._now()
        slept = sum(seconds for at, seconds in self._plan.clocks.jumps if started - _TOLERANCE <= at <= now)
        if now - started > _LONGEST_WAIT + slept:
            raise BrokenRule(f"at {now:.3f} s: {what} took {now - started:.0f} s")

    def check_verdict(self, origin: str, verdict: ClientVerdict, process: Process) -> None:
        """Check what a verdict is based on, and note that it was given.

        Raises: BrokenRule.
        """
        at = f"at {self._now():.3f} s: {process.name}: {origin}"
        answer = self._answers.get(origin)
        if answer is not None and answer.process is process:
            self._answers[origin] = answer._replace(is_acknowledged=True)
        access, known = verdict.access, self._known.get(origin)
        is_certain = known is not None and self._is_undisturbed(known.at)
        if access.access is Access.UNREACHABLE:
            if origin not in self._network.failed:
                raise BrokenRule(f"{at} was never asked, and is called unreachable")
            if access.effect is Effect.FULL_DISALLOW and is_certain and known is not None:
                age = self._world() - known.at
                # A clock that is set forward also lets the entry of the store expire.
                if known.has_copy and age < _COPY_LIFETIME and self._is_undisturbed(known.copy_since):
                    raise BrokenRule(f"{at} is unreachable, and its copy of {age:.0f} s ago is lost")
                return
        copied_at = known.copied_at if known is not None and is_certain else None
        used, used_since = self._used.get((process.name, origin), (None, 0.0))
        if used != access.fetched_at:
            used_since = self._world()
            self._used[process.name, origin] = access.fetched_at, used_since
        # Two processes may have asked in the time of one lease, for example one of them for an origin that redirects
        # here. Each uses its own copy while that is fresh.
        # After the clock was set back, a process that slept can have an older copy with a later time. The copy of the
        # last answer is never the older one. A copy from before the clock was set and set again can be fresh for one
        # process, while the others have replaced it.
        is_last = answer is not None and abs((access.fetched_at or 0.0) - answer.received_at) < _LEASE
        is_earlier = access.fetched_at is not None and copied_at is not None and access.fetched_at < copied_at - _LEASE
        if is_earlier and not is_last and self._is_undisturbed(used_since):
            raise BrokenRule(f"{at}: a copy of {access.fetched_at} replaced that of {copied_at}")
        has_copy = access.sha256 is not None
        is_past = access.fetched_at is not None and access.fetched_at <= self._wall()
        new_copied_at = access.fetched_at if has_copy and is_past else None
        is_same = known is not None and known.has_copy and known.copied_at == new_copied_at
        copy_since = known.copy_since if known is not None and is_same else self._world()
        self._known[origin] = _Known(self._world(), has_copy, new_copied_at, copy_since)

    def _is_undisturbed(self, since: float) -> bool:
        """Return whether no clock was set and the machine did not sleep since a true time, and a little before.

        Leases and the age of files are times of the wall clock, so nothing else can be expected of them.
        """
        clocks = self._plan.clocks
        changes = [at for at, _ in clocks.steps] + clocks.wakes
        return not any(since - 60.0 <= at <= self._world() for at in changes)


def origin_of(url: str) -> str:
    """Return the origin of a URL."""
    return "/".join(url.split("/", 3)[:3])
