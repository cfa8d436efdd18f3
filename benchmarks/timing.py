"""Side-by-side timing on a noisy machine: samples taken in turns, ratios of neighbours, medians of both.

1. Contenders of one race are sampled A B C, B C A, ...: what slows the machine slows them alike.
2. A ratio is the median over rounds of (theirs / ours) within one round, never the quotient of two medians.
3. The garbage collector is off inside a sample and runs between samples, outside the clock: each contender pays for
   its own objects, and none for another's.
4. Work that is too quick to clock is repeated until a sample is long enough, and longer where others are slow, so that
   what disturbs weighs on samples of like length. Work that is slow leaves the race once its share of the time is
   spent, though not before `least` rounds.
5. On a machine that others use, `CANFETCH_BENCH_CLOCK=cpu` counts this thread's processor time instead of the time
   that passes: what others take is then no part of it.
"""

from __future__ import annotations

import gc
import math
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

CLOCK = "CANFETCH_BENCH_CLOCK"
SAMPLE_NS = 4_000_000
LONG_SAMPLE_NS = 150_000_000
WARM_NS = 100_000_000  # what takes longer is warm after once
LEAST_ROUNDS = 5
MOST_ROUNDS = 61


@dataclass(frozen=True, slots=True)
class Task:
    """One contender's work: `run()` does `operations` operations."""

    name: str
    run: Callable[[], object]
    operations: int = 1


@dataclass(slots=True)
class Track:
    """What one contender of a race took, by round."""

    name: str
    nanoseconds: dict[int, float] = field(default_factory=dict)

    @property
    def median(self) -> float:
        """The median of one operation, in nanoseconds."""
        return statistics.median(self.nanoseconds.values())


Race = dict[str, Track]


@contextmanager
def collector_off() -> Iterator[None]:
    """Set what exists apart, and keep the garbage collector from running by itself."""
    was_on = gc.isenabled()
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if was_on:
            gc.enable()


def by_processor() -> bool:
    """Whether processor time counts."""
    return os.environ.get(CLOCK) == "cpu"


def clock(run: Callable[[], object], repeats: int = 1, *, wall: bool = False) -> int:
    """Give the nanoseconds that `repeats` calls took; `wall`: of the time that passes, whatever else is chosen."""
    now = time.thread_time_ns if by_processor() and not wall else time.perf_counter_ns
    turns = range(repeats)
    began = now()
    for _ in turns:
        run()
    return now() - began


def _cost(task: Task) -> int:
    """Warm the task up; give the nanoseconds of one call."""
    calls, spent = 1, clock(task.run)
    if spent < WARM_NS:
        gc.collect()
        spent = clock(task.run)
    while spent < SAMPLE_NS // 8:
        calls *= 4
        spent = clock(task.run, calls)
    return max(1, spent // calls)


def race(
    tasks: Sequence[Task], seconds: float, *, least: int = LEAST_ROUNDS, most: int = MOST_ROUNDS, wall: bool = False
) -> Race:
    """Sample the tasks in turns until the time is spent.

    Args:
        tasks: the contenders; with the same name twice, the second replaces the first.
        seconds: the time for all of them together, warm-up not counted.
        least: rounds that every contender takes, however slow it is.
        most: rounds after which the race ends, however quick they are.
        wall: the work runs on several threads, so the time that passes counts in any case.
    """
    tracks = {task.name: Track(task.name) for task in tasks}
    with collector_off():
        costs = {task.name: _cost(task) for task in tasks}
        share = seconds * 1e9 / max(1, len(tasks))
        slowest = max(costs.values(), default=0)
        sample = min(max(SAMPLE_NS, slowest // 4), LONG_SAMPLE_NS, max(SAMPLE_NS, int(share) // least))
        repeats = {name: math.ceil(sample / cost) for name, cost in costs.items()}
        spent = dict.fromkeys(tracks, 0)
        for turn in range(most):
            running = [task for task in tasks if turn < least or spent[task.name] < share]
            if not running:
                break
            first = turn % len(running)
            for task in running[first:] + running[:first]:
                gc.collect()
                took = clock(task.run, repeats[task.name], wall=wall)
                spent[task.name] += took
                tracks[task.name].nanoseconds[turn] = took / (repeats[task.name] * task.operations)
    return tracks


def ratios(ours: Track, theirs: Track) -> list[float]:
    """How many times longer theirs took, for each round in which both ran."""
    common = ours.nanoseconds.keys() & theirs.nanoseconds.keys()
    return sorted(theirs.nanoseconds[turn] / ours.nanoseconds[turn] for turn in common)


def ratio(ours: Track, theirs: Track) -> float:
    """The median of `ratios`."""
    return statistics.median(ratios(ours, theirs))


def difference(ours: Track, theirs: Track) -> float:
    """The median over rounds of theirs less ours, in nanoseconds."""
    common = ours.nanoseconds.keys() & theirs.nanoseconds.keys()
    return statistics.median(theirs.nanoseconds[turn] - ours.nanoseconds[turn] for turn in common)


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """The middle half of the values: how much the machine let them spread."""
    if len(values) < 2:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4)
    return low, high
