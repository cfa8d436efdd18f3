"""Measure canfetch and other libraries, and print the results as a table."""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks import child, contenders, peers, table, timing
from benchmarks.bench import CANFETCH_PREFIX, Bench
from benchmarks.rows.agreement import agreement_rows
from benchmarks.rows.command import command_rows
from benchmarks.rows.decide import batch_rows, decide_rows, many_rules_rows, named_agent_rows, verdict_rows
from benchmarks.rows.hostile import hostile_rows
from benchmarks.rows.http_clients import http_client_rows
from benchmarks.rows.interfaces import interface_rows
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
    "decide": (decide_rows, verdict_rows, named_agent_rows, many_rules_rows, batch_rows),
    "warm": (warm_rows, warm_memory_rows),
    "memory": (memory_rows,),
    "startup": (startup_rows,),
    "interfaces": (interface_rows,),
    "hostile": (hostile_rows,),
    "lint": (lint_rows,),
    "command": (command_rows,),
    "clients": (http_client_rows,),
    "agreement": (agreement_rows,),
}


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--format", choices=("table", "markdown", "json"), default="table", help="Output format.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="Also write the results as JSON to FILE.")
    parser.add_argument("--quick", action="store_true", help="Take less than a minute: short races, few hostile files.")
    parser.add_argument(
        "--tiny", action="store_true", help="Take seconds, without usable figures: a test of the benchmark itself."
    )
    parser.add_argument("--no-peers", action="store_true", help="Measure canfetch only, and install nothing.")
    parser.add_argument(
        "--cpu-time", action="store_true", help="Measure processor time, for a machine that has other work to do."
    )
    parser.add_argument("--rows", default=",".join(ROWS), help=f"Comma-separated row kinds, from {', '.join(ROWS)}.")
    options = parser.parse_args()
    unknown = set(options.rows.split(",")) - set(ROWS)
    if unknown:
        parser.error(unknown_choice("row", min(unknown), ROWS))
    return options


def header(bench: Bench, missing: dict[str, str]) -> list[str]:
    """Return the lines above the table: the machine, the libraries, and the missing libraries."""
    libraries = [options.title for options in (*bench.engines.values(), *bench.peers.values())]
    lines = [
        f"{platform.python_implementation()} {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores; load {os.getloadavg()[0]:.1f} at the start"
        if hasattr(os, "getloadavg")
        else f"{platform.python_implementation()} {platform.python_version()}, {platform.platform()}",
        "Libraries: " + "; ".join(libraries),
        "A ratio (x) is the median over rounds of peer time / canfetch time within one round.",
        "Times are " + ("processor time (wall time for two threads)." if timing.uses_cpu_time() else "wall time."),
    ]
    lines += [f"Not measured: {name}: {reason}" for name, reason in missing.items()]
    return lines


def prepare(options: argparse.Namespace) -> Bench:
    """Install and load the contenders."""
    missing: dict[str, str] = {}
    loaded: dict[str, contenders.Contender] = {}
    if not options.no_peers:
        outcomes = peers.prepare()
        peers.activate()
        loaded, missing = contenders.available(contenders.PEER_KEYS)
        for key in missing:
            outcome = outcomes.get(contenders.DISTRIBUTIONS[key])
            if outcome and outcome.reason:
                missing[key] = f"{outcome.name} {outcome.version} could not be installed: {outcome.reason}"
    found_engines, absent = contenders.available(tuple(CANFETCH_PREFIX + engine for engine in contenders.ENGINES))
    engines = {key.removeprefix(CANFETCH_PREFIX): found for key, found in found_engines.items()}
    titles = {key: found.column for key, found in loaded.items()} | {key: f"{key} (absent)" for key in missing}
    version = next(iter(engines.values())).title.split()[1] if engines else ""
    report = table.Report(f"canfetch {version}".strip(), titles)
    bench = Bench(
        engines, {key.removeprefix(CANFETCH_PREFIX): reason for key, reason in absent.items()}, loaded, report
    )
    bench.scale = TINY if options.tiny else QUICK if options.quick else 1.0
    bench.tiny = options.tiny
    report.header += header(
        bench, missing | {f"canfetch, {key}": reason for key, reason in bench.absent_engines.items()}
    )
    return bench


def main() -> int:
    """Run the benchmark."""
    options = arguments()
    if os.environ.get("PYTHONHASHSEED") != "0":
        # The results of robotspy depend on the hash seed.
        command = [sys.executable, "-m", "benchmarks", *sys.argv[1:]]
        return subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": "0"}, cwd=child.ROOT, check=False
        ).returncode
    if options.cpu_time:
        os.environ[timing.CLOCK] = "cpu"
    bench = prepare(options)
    if not bench.engines:
        reasons = "; ".join(f"{engine}: {reason}" for engine, reason in bench.absent_engines.items())
        print(
            f"python -m benchmarks: cannot import any engine of canfetch ({reasons}): run `make bench`",
            file=sys.stderr,
        )
        return 2
    for kind in options.rows.split(","):
        for measure in ROWS[kind]:
            measure(bench)
    if options.json is not None:
        options.json.write_text(table.to_json(bench.report) + "\n", encoding="utf-8")
    table.print_report(bench.report, options.format)
    return 0


if __name__ == "__main__":
    sys.exit(main())
