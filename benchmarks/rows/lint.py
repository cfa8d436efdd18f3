"""The linter and the formatter: how long a file of 500 KB takes, generated and hostile."""

from __future__ import annotations

import statistics

from benchmarks import hostile, inputs, timing
from benchmarks.bench import Bench
from benchmarks.table import duration
from canfetch.author.formatting import format_robots

SECTION = "Linting and formatting one file, all checks, in this process"
RUNS = 5
TINY_TRAPS = ("blank_lines",)


def lint_rows(bench: Bench) -> None:
    """Lint and format generated files, and lint the hostile ones: the worst of them has a row."""
    from canfetch.core.engines import engine_name
    from canfetch.lint import Linter

    engine = engine_name()
    linter = Linter()
    runs = 1 if bench.tiny else RUNS
    sizes = {name: octets for name, octets in inputs.SIZES.items() if not bench.tiny or octets < 10_000}
    for name, octets in sizes.items():
        file = inputs.generate(octets).octets
        bench.say(f"lint: {name}")
        took = statistics.median(timing.clock(lambda file=file: linter.lint(file)) for _ in range(runs))
        limit = (1e9, "1 s") if octets >= 400_000 else None
        bench.figure(SECTION, f"lint {name}", engine, text=duration(took), value=took, at_most=limit, peers={})
        took = statistics.median(timing.clock(lambda file=file: format_robots(file)) for _ in range(runs))
        bench.figure(SECTION, f"format {name}", engine, text=duration(took), value=took, at_most=None, peers={})
    worst, name = 0.0, ""
    for trap in TINY_TRAPS if bench.tiny else tuple(hostile.TRAPS):
        met = hostile.TRAPS[trap]()
        bench.say(f"lint: {met.name}")
        took = timing.clock(lambda octets=met.octets: linter.lint(octets))
        worst, name = max((worst, name), (took, met.name))
    bench.figure(
        SECTION,
        f"lint the worst hostile file: {name}",
        engine,
        text=duration(worst),
        value=worst,
        at_most=None,
        peers={},
    )
