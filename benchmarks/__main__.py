"""Measure canfetch beside its peers and print one table: `python -m benchmarks --help`."""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Callable

from benchmarks import child, contenders, peers, table, timing
from benchmarks.bench import OURS, Bench
from benchmarks.rows.agreement import agreement_rows
from benchmarks.rows.decide import batch_rows, decide_rows, many_rules_rows, named_agent_rows
from benchmarks.rows.hostile import hostile_rows
from benchmarks.rows.lint import lint_rows
from benchmarks.rows.memory import memory_rows
from benchmarks.rows.parse import one_shot_rows, parse_rows
from benchmarks.rows.startup import startup_rows
from benchmarks.rows.warm import warm_memory_rows, warm_rows
from canfetch.core.choices import unknown_choice

QUICK = 0.06
TINY = 0.002
ROWS: dict[str, tuple[Callable[[Bench], None], ...]] = {
    "parse": (parse_rows, one_shot_rows),
    "decide": (decide_rows, named_agent_rows, many_rules_rows, batch_rows),
    "warm": (warm_rows, warm_memory_rows),
    "memory": (memory_rows,),
    "startup": (startup_rows,),
    "hostile": (hostile_rows,),
    "lint": (lint_rows,),
    "answers": (agreement_rows,),
}


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--format", choices=("table", "markdown", "json"), default="table", help="how to print it")
    parser.add_argument("--quick", action="store_true", help="under a minute: short races, few hostile files")
    parser.add_argument("--tiny", action="store_true", help="seconds: shows that it works, measures nothing")
    parser.add_argument("--no-peers", action="store_true", help="canfetch alone; installs nothing")
    parser.add_argument(
        "--cpu-time", action="store_true", help="count processor time: for a machine that others use too"
    )
    parser.add_argument("--rows", default=",".join(ROWS), help=f"which of {','.join(ROWS)}, separated by commas")
    chosen = parser.parse_args()
    unknown = set(chosen.rows.split(",")) - set(ROWS)
    if unknown:
        parser.error(unknown_choice("row", min(unknown), ROWS))
    return chosen


def header(bench: Bench, missing: dict[str, str]) -> list[str]:
    """Say what was measured, on what, and who is absent."""
    libraries = [chosen.title for chosen in (*bench.engines.values(), *bench.peers.values())]
    lines = [
        f"{platform.python_implementation()} {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores; load {os.getloadavg()[0]:.1f} at the start"
        if hasattr(os, "getloadavg")
        else f"{platform.python_implementation()} {platform.python_version()}, {platform.platform()}",
        "Libraries: " + "; ".join(libraries),
        "A ratio (x) is the median over rounds of theirs / ours, both measured within one round.",
        "Times are "
        + ("processor time (two threads: time that passes)." if timing.by_processor() else "time that passes."),
    ]
    lines += [f"NOT MEASURED: {name}: {reason}" for name, reason in missing.items()]
    return lines


def prepare(chosen: argparse.Namespace) -> Bench:
    """Load everyone who can be loaded."""
    missing: dict[str, str] = {}
    here: dict[str, contenders.Contender] = {}
    if not chosen.no_peers:
        outcomes = peers.prepare()
        peers.activate()
        here, missing = contenders.available(contenders.PEER_KEYS)
        for key in missing:
            outcome = outcomes.get(contenders.DISTRIBUTIONS[key])
            if outcome and outcome.reason:
                missing[key] = f"{outcome.name} {outcome.version} would not install: {outcome.reason}"
    ours, absent = contenders.available(tuple(OURS + engine for engine in contenders.ENGINES))
    engines = {key.removeprefix(OURS): found for key, found in ours.items()}
    titles = {key: found.column for key, found in here.items()} | {key: f"{key} (absent)" for key in missing}
    version = next(iter(engines.values())).title.split()[1] if engines else ""
    report = table.Report(f"canfetch {version}".strip(), titles)
    bench = Bench(engines, {key.removeprefix(OURS): reason for key, reason in absent.items()}, here, report)
    bench.scale = TINY if chosen.tiny else QUICK if chosen.quick else 1.0
    bench.tiny = chosen.tiny
    report.header += header(
        bench, missing | {f"canfetch, {key}": reason for key, reason in bench.absent_engines.items()}
    )
    return bench


def main() -> int:
    """Measure and print."""
    chosen = arguments()
    if os.environ.get("PYTHONHASHSEED") != "0":
        # robotspy's answers and times depend on the seed of hashes: everyone gets the same one.
        command = [sys.executable, "-m", "benchmarks", *sys.argv[1:]]
        return subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": "0"}, cwd=child.ROOT, check=False
        ).returncode
    if chosen.cpu_time:
        os.environ[timing.CLOCK] = "cpu"
    bench = prepare(chosen)
    if not bench.engines:
        reasons = "; ".join(f"{engine}: {reason}" for engine, reason in bench.absent_engines.items())
        print(
            f"python -m benchmarks: no engine of canfetch can be imported ({reasons}); run `make bench`",
            file=sys.stderr,
        )
        return 2
    for kind in chosen.rows.split(","):
        for measure in ROWS[kind]:
            measure(bench)
    table.show(bench.report, chosen.format)
    return 0


if __name__ == "__main__":
    sys.exit(main())
