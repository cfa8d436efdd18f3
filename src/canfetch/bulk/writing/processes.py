"""Parts of an output, written by several processes."""

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from typing import Any, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_tasks(
    function: Callable[[Task], Result], tasks: Iterable[Task], *, processes: int
) -> Iterator[tuple[Task, Result]]:
    """Yield tasks and their results as they are completed.

    Args:
        function: A function of a module, which is called in other processes if there are several.
        tasks: Taken as processes become free, so that few of them are in memory.
        processes: The number of processes. One means this process.
    """
    if processes == 1:
        for task in tasks:
            yield task, function(task)
        return
    remaining = iter(tasks)
    # Forked processes would share open SQLite files and locks.
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_ignore_interrupts)
    running: dict[Future[Any], Task] = {}
    try:
        while True:
            for task in remaining:
                running[pool.submit(function, task)] = task
                if len(running) >= 2 * processes:
                    break
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _ignore_interrupts() -> None:
    # Ctrl-C reaches all processes of a terminal. The first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
