"""Run clients and crawls in simulated time.

python -m simulation                    run 20,000 seeds
python -m simulation --seeds 500        run 500
python -m simulation --backend postgresql --seeds 500   run 500 on a PostgreSQL server, which it starts
python -m simulation --backend urlfrontier --seeds 500  run 500 on a model of a URLFrontier service
python -m simulation --first 1234 --seeds 1     run one again
python -m simulation --shrink 1234      make the plan of a seed that breaks a rule smaller, and print it
python -m simulation --trace 1234       print the hash of all events of a seed
python -m simulation --defects          put defects back one at a time, and print how many seeds it takes to find each
python -m simulation --month            crawl a million URLs for a month
python -m simulation --month --sites 1000 --workers 2   crawl a tenth of them
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from itertools import islice, repeat
from typing import get_args

from simulation.defects import DEFECTS, Defect, with_defect
from simulation.month import Size, run_month
from simulation.plans import Backend, make_plan
from simulation.rules import no_warnings
from simulation.seeds import run_plan, run_seed
from simulation.shrinking import describe, shrink

_CHUNK = 50
_DEFECT_SEEDS = 2_000


def _run_chunk(backend: Backend, first: int, number: int) -> list[tuple[int, str]]:
    with no_warnings():
        seeds = range(first, first + number)
        return [(seed, broken) for seed in seeds if (broken := run_seed(seed, backend)) is not None]


def _find(defect: Defect) -> tuple[int, str] | None:
    """Return the first seed that finds a defect, and the rule that does not hold."""
    with no_warnings(), with_defect(defect):
        for seed in range(defect.first_seed, defect.first_seed + _DEFECT_SEEDS):
            if (broken := run_seed(seed, defect.backend)) is not None:
                return seed, broken
    return None


@contextmanager
def _pool(backend: Backend, jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Yield processes that can run seeds of a back end."""
    if backend != "postgresql":
        with ProcessPoolExecutor(jobs) as pool:
            yield pool
        return
    from simulation.postgres import start_server, use_database  # noqa: PLC0415 - files need no server

    with start_server() as url, ProcessPoolExecutor(jobs, initializer=use_database, initargs=(url,)) as pool:
        yield pool


def _run_seeds(backend: Backend, first: int, number: int, jobs: int) -> Iterator[tuple[int, str]]:
    started = time.monotonic()
    done = 0
    with _pool(backend, jobs) as pool:
        starts = range(first, first + number, _CHUNK)
        sizes = [min(_CHUNK, first + number - start) for start in starts]
        for size, found in zip(sizes, pool.map(_run_chunk, repeat(backend), starts, sizes), strict=True):
            done += size
            if sys.stderr.isatty():
                print(f"\r{done:,} of {number:,} seeds, {time.monotonic() - started:.0f} s", end="", file=sys.stderr)
            yield from found
    print(f"{number:,} seeds in {time.monotonic() - started:.0f} s", file=sys.stderr)


def _print_defects(backend: Backend, jobs: int) -> int:
    missed = 0
    defects = [defect for defect in DEFECTS if defect.backend == backend]
    with _pool(backend, jobs) as pool:
        print("| defect | what is wrong | seeds | the rule that shows it |\n|---|---|---|---|")
        for defect, found in zip(defects, pool.map(_find, defects), strict=True):
            missed += found is None
            seeds, rule = (f"more than {_DEFECT_SEEDS:,}", "") if found is None else (f"{found[0] + 1:,}", found[1])
            print(f"| `{defect.name}` | {defect.description} | {seeds} | {rule} |", flush=True)
    return int(missed > 0)


def _smallest(backend: Backend, seed: int) -> str | None:
    """Return the smallest plan that breaks a rule, with the rule, or None."""
    plan = make_plan(seed, backend)
    with no_warnings():
        if run_plan(plan).broken is None:
            return None
    smallest = shrink(plan)
    with no_warnings():
        return f"{describe(smallest)}\n{run_plan(smallest).broken}"


def _trace(backend: Backend, seed: int) -> str:
    with no_warnings():
        return run_plan(make_plan(seed, backend)).trace


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m simulation", description="Run crawls in simulated time.")
    parser.add_argument(
        "--backend", choices=get_args(Backend), default="sqlite", help="where the URLs are (default: sqlite)"
    )
    parser.add_argument("--seeds", type=int, default=20_000, help="how many (default: 20000)")
    parser.add_argument("--first", type=int, default=0, help="the first one (default: 0)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    parser.add_argument("--shrink", type=int, metavar="SEED", help="print the smallest plan that breaks a rule")
    parser.add_argument("--trace", type=int, metavar="SEED", help="print the hash of all events")
    parser.add_argument("--defects", action="store_true", help="put defects back one at a time")
    parser.add_argument("--month", action="store_true", help="crawl a million URLs for a month")
    size = Size()
    parser.add_argument("--sites", type=int, default=size.sites, help="of the month's crawl (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=size.workers, help="of the month's crawl (default: %(default)s)")
    return parser.parse_args()


def main() -> int:
    """Run the command, and return its exit code."""
    options = _parse_options()
    if options.backend != "postgresql":
        return _run(options)
    import pytest  # noqa: PLC0415 - it starts the server

    try:
        return _run(options)
    except (pytest.skip.Exception, pytest.fail.Exception) as missing:
        print(missing, file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    backend: Backend = options.backend
    if options.defects:
        return _print_defects(backend, options.jobs)
    if options.month:
        with no_warnings():
            return run_month(options.first, Size(sites=options.sites, workers=options.workers))
    if options.shrink is not None:
        with _pool(backend, 1) as pool:
            smallest = pool.submit(_smallest, backend, options.shrink).result()
        print(smallest or f"seed {options.shrink}: all rules hold")
        return int(smallest is not None)
    if options.trace is not None:
        with _pool(backend, 1) as pool:
            print(pool.submit(_trace, backend, options.trace).result())
        return 0
    broken = 0
    for seed, rule in islice(_run_seeds(backend, options.first, options.seeds, options.jobs), 100):
        broken += 1
        print(f"seed {seed}: {rule}", flush=True)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
