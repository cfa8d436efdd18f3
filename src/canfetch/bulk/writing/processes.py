"""Parts of an output, written by several processes, on this machine or on the workers of Spark."""

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Final, TypeVar

from canfetch.bulk.extras import import_extra
from canfetch.errors import WorkerKilled

DUCKDB: Final = "duckdb"
ENGINES: Final = ("local", DUCKDB, "spark")

Task = TypeVar("Task")
Result = TypeVar("Result")


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_duckdb() -> None:
    """Check that DuckDB can be used.

    Raises: MissingExtra: DuckDB or pyarrow is not installed.
    """
    import_extra("duckdb", "duckdb", "for --engine duckdb")
    import_extra("pyarrow", "duckdb", "for --engine duckdb")


def run_tasks(
    function: Callable[[Task], Result], tasks: Iterable[Task], *, processes: int, engine: str = "local"
) -> Iterator[tuple[Task, Result]]:
    """Yield tasks and their results as they are completed.

    Args:
        function: A function of a module, which is called in other processes if there are several.
        tasks: Taken as processes become free, so that few of them are in memory.
        processes: The number of processes. One means this process.
        engine: `local`, or `spark` for the workers of Spark, which have processes of their own.
    Raises: WorkerKilled: A process was killed. The tasks that are complete have been yielded. MissingExtra: PySpark is
        not installed.
    """
    if engine == "spark":
        # Loads Spark, which few runs need.
        from canfetch.bulk.spark.tasks import run_spark_tasks  # noqa: PLC0415

        yield from run_spark_tasks(function, tasks)
        return
    if processes == 1:
        for task in tasks:
            yield task, function(task)
        return
    yield from _run_processes(function, iter(tasks), processes)


def _run_processes(
    function: Callable[[Task], Result], remaining: Iterator[Task], processes: int
) -> Iterator[tuple[Task, Result]]:
    # Forked processes would share open SQLite files and locks.
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=_start_process, initargs=(receiver,))
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
    except BrokenProcessPool:
        raise WorkerKilled(
            "a worker process was killed, maybe because memory ran out: pass fewer --jobs if necessary"
        ) from None
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        # Otherwise, the processes would complete their tasks, which can take minutes.
        sender.close()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        sender.close()
        receiver.close()


def _start_process(receiver: Connection) -> None:
    # Ctrl-C reaches all processes of a terminal. The first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_at_end, args=(receiver,), daemon=True).start()


def _exit_at_end(receiver: Connection) -> None:
    """End this process when the first one closes its end of the pipe, or is killed."""
    with suppress(OSError, EOFError):
        receiver.poll(None)
    os._exit(1)
