"""Side-by-side timing on a noisy machine.

1. The contenders of a race are sampled in turns (A B C, B C A, ...), so that a slow machine slows all of them.
2. A ratio is the median over rounds of peer time / canfetch time within one round, never the quotient of two medians.
3. The garbage collector is off during a sample and runs between samples, outside the measured time. No contender pays
   for the objects of another.
4. Fast work is repeated until a sample is long enough, and longer next to slow contenders, so that disturbances affect
   samples of similar length. Slow work leaves the race when its share of the time is used up, but not before
   `min_rounds` rounds.
5. `CANFETCH_BENCH_CLOCK=cpu` counts the thread's processor time instead of wall time, for a machine that has other
   work to do.
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
WARM_NS = 100_000_000  # one call that takes longer is enough to warm up
MIN_ROUNDS = 5
MAX_ROUNDS = 61


@dataclass(frozen=True, slots=True)
class Task:
    """The work of one contender: `run()` performs `operations` operations."""

    name: str
    run: Callable[[], object]
    operations: int = 1


@dataclass(slots=True)
class Samples:
    """The time of one operation of a contender, by round."""

    name: str
    nanoseconds: dict[int, float] = field(default_factory=dict)

    @property
    def median(self) -> float:
        """The median time of one operation in nanoseconds."""
        return statistics.median(self.nanoseconds.values())


Race = dict[str, Samples]


@contextmanager
def collector_off() -> Iterator[None]:
    """Freeze the existing objects and disable the garbage collector."""
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


def uses_cpu_time() -> bool:
    """Return whether processor time is measured instead of wall time."""
    return os.environ.get(CLOCK) == "cpu"


def measure(run: Callable[[], object], repeats: int = 1, *, wall: bool = False) -> int:
    """Return the nanoseconds of `repeats` calls. `wall` measures wall time in any case."""
    now = time.thread_time_ns if uses_cpu_time() and not wall else time.perf_counter_ns
    turns = range(repeats)
    start = now()
    for _ in turns:
        run()
    return now() - start


def _cost(task: Task) -> int:
    """Warm up the task and return the nanoseconds of one call."""
    calls, spent = 1, measure(task.run)
    if spent < WARM_NS:
        gc.collect()
        spent = measure(task.run)
    while spent < SAMPLE_NS // 8:
        calls *= 4
        spent = measure(task.run, calls)
    return max(1, spent // calls)


def race(
    tasks: Sequence[Task],
    seconds: float,
    *,
    min_rounds: int = MIN_ROUNDS,
    max_rounds: int = MAX_ROUNDS,
    wall: bool = False,
) -> Race:
    """Sample the tasks in turns until the time is used up.

    Args:
        tasks: The work of each contender.
        seconds: Time for all tasks together, without warm-up.
        min_rounds: Number of rounds for every contender, however slow.
        max_rounds: Number of rounds after which the race ends.
        wall: Measure wall time in any case, because the work uses several threads.
    """
    samples = {task.name: Samples(task.name) for task in tasks}
    with collector_off():
        costs = {task.name: _cost(task) for task in tasks}
        share = seconds * 1e9 / max(1, len(tasks))
        slowest = max(costs.values(), default=0)
        sample = min(max(SAMPLE_NS, slowest // 4), LONG_SAMPLE_NS, max(SAMPLE_NS, int(share) // min_rounds))
        repeats = {name: math.ceil(sample / cost) for name, cost in costs.items()}
        spent = dict.fromkeys(samples, 0)
        for turn in range(max_rounds):
            running = [task for task in tasks if turn < min_rounds or spent[task.name] < share]
            if not running:
                break
            first = turn % len(running)
            for task in running[first:] + running[:first]:
                gc.collect()
                elapsed = measure(task.run, repeats[task.name], wall=wall)
                spent[task.name] += elapsed
                samples[task.name].nanoseconds[turn] = elapsed / (repeats[task.name] * task.operations)
    return samples


def ratios(canfetch: Samples, peer: Samples) -> list[float]:
    """Return peer time / canfetch time for each round in which both ran, sorted."""
    common = canfetch.nanoseconds.keys() & peer.nanoseconds.keys()
    return sorted(peer.nanoseconds[turn] / canfetch.nanoseconds[turn] for turn in common)


def ratio(canfetch: Samples, peer: Samples) -> float:
    """Return the median of `ratios`."""
    return statistics.median(ratios(canfetch, peer))


def difference(canfetch: Samples, peer: Samples) -> float:
    """Return the median over rounds of peer time minus canfetch time, in nanoseconds."""
    common = canfetch.nanoseconds.keys() & peer.nanoseconds.keys()
    return statistics.median(peer.nanoseconds[turn] - canfetch.nanoseconds[turn] for turn in common)


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """Return the first and third quartile of the values."""
    if len(values) < 2:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4)
    return low, high
