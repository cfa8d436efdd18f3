"""The linter and the formatter, with generated and hostile files."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from functools import partial

from benchmarks import hostile, inputs, timing
from benchmarks.bench import Bench
from benchmarks.hostile import linting
from benchmarks.table import format_duration
from canfetch.author.formatting import format_robots

SECTION = "Lint and format one file, with all checks"
RUNS = 5
TINY_TRAPS = ("blank_lines",)
TINY_FILES = ("comments",)


def lint_rows(bench: Bench) -> None:
    """Measure linting and formatting generated files, and linting the slowest hostile file."""
    from canfetch.core.engines import engine_name
    from canfetch.lint import Linter

    engine = engine_name()
    linter = Linter()
    runs = 1 if bench.tiny else RUNS
    sizes = {name: size for name, size in inputs.SIZES.items() if not bench.tiny or size < 10_000}
    for name, size in sizes.items():
        file = inputs.generate(size).content
        bench.log(f"lint: {name}")
        elapsed = statistics.median(timing.measure(partial(linter.lint, file)) for _ in range(runs))
        limit = (1e9, "1 s") if size >= 400_000 else None
        bench.figure(
            SECTION, f"lint {name}", engine, text=format_duration(elapsed), value=elapsed, at_most=limit, peers={}
        )
        elapsed = statistics.median(timing.measure(partial(format_robots, file)) for _ in range(runs))
        bench.figure(
            SECTION, f"format {name}", engine, text=format_duration(elapsed), value=elapsed, at_most=None, peers={}
        )
    slowest, name = 0.0, ""
    for trap_name, content in _hostile_files(bench):
        bench.log(f"lint: {trap_name}")
        elapsed = timing.measure(partial(linter.lint, content))
        slowest, name = max((slowest, name), (elapsed, trap_name))
    bench.figure(
        SECTION,
        f"lint the slowest hostile file: {name}",
        engine,
        text=format_duration(slowest),
        value=slowest,
        at_most=None,
        peers={},
    )


def _hostile_files(bench: Bench) -> Iterator[tuple[str, bytes]]:
    for key in TINY_TRAPS if bench.tiny else tuple(hostile.TRAPS):
        trap = hostile.TRAPS[key]()
        yield trap.name, trap.content
    for name in TINY_FILES if bench.tiny else tuple(linting.FILES):
        yield name, linting.FILES[name]()
