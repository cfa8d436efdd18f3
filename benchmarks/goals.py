"""Measure the goals of the project several times, and print each with its minimum, median and maximum.

    CANFETCH_CORPUS=FOLDER python -m benchmarks.goals     # three runs, in less than four minutes

The other programs measure more; this one is short enough to be repeated. Times are processor time, except for the
threads and the processes. A goal is met if it is met in every run.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks import child, contenders, inputs, peers, timing, warm
from benchmarks.bench import CANFETCH_PREFIX
from benchmarks.contenders import Contender
from benchmarks.hostile import linting
from benchmarks.rows.decide import Parallel
from benchmarks.rows.parse import make_parse, make_parse_and_check
from benchmarks.rows.startup import time_above_empty
from benchmarks.rows.warm import make_inputs
from benchmarks.table import format_duration, format_ratio
from benchmarks.timing import Race, Task

RUNS = 3
RACE_SECONDS = 2.0
REAL_SECONDS = 4.0
MANY_OPERATIONS = 500
QUICK_FILE_STEP = 50
HOSTILE_SECONDS = 60.0
# The slowest that a whole run of `python -m benchmarks` has found.
SLOW_TRAPS = {
    "native": ("dollars_and_accent", "encoded_rules", "two_byte_segments"),
    "python": ("all_skipped_two_forms", "dollars_and_accent", "encoded_rules"),
}
SLOW_LINT_FILES = ("unknown keys", "an invisible character on each line", "rules with a space", "sitemaps")


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal: what is measured, and the limit of the figure."""

    what: str
    limit: float
    limit_text: str
    format: Callable[[float], str] = format_duration
    at_least: bool = False

    def is_met(self, value: float) -> bool:
        """Return whether a figure meets the goal."""
        return value >= self.limit if self.at_least else value <= self.limit


Measured = Iterator[tuple[Goal, float]]


@dataclass(slots=True)
class Run:
    """The contenders, and the length of a run."""

    native: Contender
    peers: dict[str, Contender]
    tiny: bool

    def race(self, tasks: list[Task], seconds: float = RACE_SECONDS) -> Race:
        """Measure the tasks in turns."""
        return timing.race(tasks, seconds * (0.01 if self.tiny else 1), min_rounds=1 if self.tiny else 5)

    def against(
        self, what: str, peer: str, limit: float, work: Callable[[Contender], object], operations: int
    ) -> Measured:
        """Measure the same work of canfetch and of another library. Yield nothing without that library."""
        seconds = REAL_SECONDS if operations > MANY_OPERATIONS else RACE_SECONDS
        if peer not in self.peers:
            return
        contestants = {"canfetch": self.native, peer: self.peers[peer]}
        tasks = [Task(key, work(each), operations) for key, each in contestants.items()]  # type: ignore[arg-type]
        race = self.race(tasks, seconds)
        goal = Goal(f"{what}, against {self.peers[peer].column}", limit, f"{limit:g}x", format_ratio, at_least=True)
        yield goal, timing.ratio(race["canfetch"], race[peer])


def parsing(run: Run) -> Measured:
    """Parsing, and parsing with one decision."""
    files = inputs.real_files()[0][:: QUICK_FILE_STEP if run.tiny else 1]
    urls = [inputs.sample_url(file) for file in files]
    yield from run.against("parse real files", "protego", 100, make_parse(files), len(files))
    first = make_parse_and_check(files, urls)
    yield from run.against("parse real files and decide once", "jwm", 15, first, len(files))
    file = inputs.generate(inputs.SIZES["5 KB"])
    urls = inputs.urls(file, 20)
    first = make_parse_and_check([file], urls)
    yield from run.against("parse 5 KB and decide once", "fast-robotstxt", 2.5, first, len(urls))
    copies = 100
    work = make_parse([inputs.generate(inputs.SIZES["300 B"])] * copies)
    yield from run.against("parse 300 B", "fastrobots", 1, work, copies)


def deciding(run: Run) -> Measured:
    """Decisions with a parsed file."""
    file = inputs.generate(inputs.SIZES["5 KB"])
    urls = inputs.urls(file, 100 if run.tiny else 1000)
    robots = run.native.parse_file(file)
    rules = robots.rules_for(inputs.AGENT)

    def decide() -> None:
        for url in urls:
            rules.decide(url)

    tasks = [Task("allows", run.native.loop(robots, inputs.AGENT, urls), len(urls)), Task("decide", decide, len(urls))]
    race = run.race(tasks)
    count = len(file.star_patterns)
    yield Goal(f"`rules.allows(url)`, {count} rules", 100, "100 ns"), race["allows"].median
    yield Goal(f"`rules.decide(url)`, {count} rules", 1000, "1 us"), race["decide"].median
    ratio = timing.ratio(race["allows"], race["decide"])
    yield Goal("`rules.decide(url)`, relative to `rules.allows(url)`", 8, "8x", format_ratio), ratio
    with Parallel(run.native, file, urls, tiny=run.tiny) as parallel:
        race = parallel.race(RACE_SECONDS * (0.01 if run.tiny else 2), min_rounds=1 if run.tiny else 5)
    threads = Goal("`allows_many` on two threads, relative to one", 1.5, "1.5x", format_ratio, at_least=True)
    yield threads, timing.ratio(race["two threads"], race["one thread"])
    processes = Goal("the same work in two processes, relative to one", 0, "", format_ratio, at_least=True)
    yield processes, timing.ratio(race["two processes"], race["one process"])


def warm_clients(run: Run) -> Measured:
    """Decisions of the clients about cached origins."""
    files, urls = make_inputs("5 KB", *((3, 5) if run.tiny else (100, 20)))
    cache = warm.get_filler(CANFETCH_PREFIX + "native")(files)
    assert cache.loop
    assert cache.async_loop
    tasks = [Task("sync", cache.loop(urls), len(urls)), Task("async", cache.async_loop(urls), len(urls))]
    race = run.race(tasks)
    yield Goal("`client.allows(url)`, cached origin", 500, "500 ns"), race["sync"].median
    yield Goal("`await client.allows(url)`, cached origin", 600, "600 ns"), race["async"].median


def hostile_files(run: Run) -> Measured:
    """The slowest hostile files."""
    for engine, limit in (("native", 10.0), ("python", 800.0)):
        slowest = 0.0
        for trap in SLOW_TRAPS[engine][: 1 if run.tiny else None]:
            arguments: dict[str, object] = {"key": CANFETCH_PREFIX + engine, "trap": trap, "seconds": HOSTILE_SECONDS}
            values = child.run("hostile_file", arguments, HOSTILE_SECONDS).values
            slowest = max(slowest, values.get("first", float("inf")), values.get("slowest", float("inf")))
        yield Goal(f"slowest hostile file of 500 KiB, {engine} engine", limit * 1e6, f"{limit:g} ms"), slowest


def linting_files(run: Run) -> Measured:
    """Linting a large file, and the slowest hostile ones."""
    from canfetch.lint import Linter

    lint = Linter().lint
    content = inputs.generate(inputs.SIZES["5 KB" if run.tiny else "500 KB"]).content
    elapsed = statistics.median(timing.measure(partial(lint, content)) for _ in range(1 if run.tiny else 3))
    yield Goal("lint 500 KB", 0.25e9, "250 ms"), elapsed
    traps = [linting.FILES[name]() for name in SLOW_LINT_FILES[: 0 if run.tiny else None]]
    slowest = max((timing.measure(partial(lint, content)) for content in traps), default=0)
    yield Goal("lint the slowest hostile file of 500 KiB", 1e9, "1 s"), slowest


def startup(run: Run) -> Measured:
    """Starting an interpreter that uses canfetch."""
    with tempfile.TemporaryDirectory() as folder:
        robots = Path(folder) / "robots.txt"
        robots.write_bytes(inputs.generate(inputs.SIZES["5 KB"]).content)
        script = Path(sysconfig.get_path("scripts")) / "canfetch"
        start = [str(script)] if script.exists() else [sys.executable, "-m", "canfetch"]
        commands = {
            "import": [sys.executable, "-c", "import canfetch"],
            "check": [*start, "check", inputs.ORIGIN + "/a", "--agent", inputs.AGENT, "--robots", str(robots)],
        }
        found = time_above_empty(commands, 1 if run.tiny else 7, child.environment())
    for name, what, limit in (("import", "`import canfetch`", 20), ("check", "`canfetch check` on a local file", 80)):
        if name in found:
            yield (
                Goal(f"{what}, above an empty interpreter", limit * 1e6, f"{limit} ms"),
                statistics.median(found[name]),
            )


MEASURES = (parsing, deciding, warm_clients, hostile_files, linting_files, startup)


def to_markdown(figures: dict[Goal, list[float]]) -> str:
    """Format the figures of all runs as a Markdown table."""
    lines = ["| measurement | goal | minimum | median | maximum | met |", "| --- | ---: | ---: | ---: | ---: | --- |"]
    for goal, values in figures.items():
        cells = [goal.format(value) for value in (min(values), statistics.median(values), max(values))]
        met = sum(map(goal.is_met, values))
        verdict = "" if not goal.limit_text else "yes" if met == len(values) else f"in {met} of {len(values)} runs"
        lines.append(f"| {' | '.join([goal.what, goal.limit_text, *cells, verdict])} |")
    return "\n".join(lines)


def main() -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.goals", description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N", help="Number of runs. Default: 3.")
    parser.add_argument("--no-peers", action="store_true", help="Measure canfetch only, and install nothing.")
    parser.add_argument("--tiny", action="store_true", help="Take seconds: a test of the program itself.")
    options = parser.parse_args()
    os.environ[timing.CLOCK] = "cpu"
    found: dict[str, Contender] = {}
    if not options.no_peers:
        peers.prepare()
        peers.activate()
        found, missing = contenders.available(("protego", "jwm", "fast-robotstxt", "fastrobots"))
        for name, reason in missing.items():
            print(f"not measured: {name}: {reason}", file=sys.stderr)
    run = Run(contenders.get_contender(CANFETCH_PREFIX + "native"), found, options.tiny)
    figures: dict[Goal, list[float]] = {}
    for number in range(options.runs):
        for measure in MEASURES:
            print(f"run {number + 1}: {measure.__name__}", file=sys.stderr, flush=True)
            for goal, value in measure(run):
                figures.setdefault(goal, []).append(value)
    loads = ", ".join(f"{load:.1f}" for load in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"
    print(f"{options.runs} runs; load at the end: {loads}\n\n{to_markdown(figures)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
