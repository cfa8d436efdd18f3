"""Measure exact comparisons: the processor time of `diff` for 20 agents, of other questions, and of hostile files.

    python -m benchmarks.comparison                         # generated files, about a minute
    CANFETCH_CORPUS=FOLDER python -m benchmarks.comparison  # and pairs of real files of similar size

A pair is a file and the same file with five edited lines, or two unrelated files, which differ in nearly all rules. The
times are those of one call, without parsing. Each hostile pair runs in a process of its own, for its memory.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import canfetch
from benchmarks.inputs import AGENT, CORPUS, CRAWLERS, Dice, generate, pattern, star_file
from canfetch import RobotsTxt
from canfetch.compare import coverage, dead_rules, diff, minimize
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.errors import Undecided

AGENTS = (*CRAWLERS[:19], AGENT)
EDITED_LINES = 5
# Real files of about 5 KB and of about 100 KB.
SIZES = {"5 KB": (4_000, 6_000), "100 KB": (60_000, 200_000)}
Pair = tuple[RobotsTxt, RobotsTxt]


def edited(content: bytes, seed: int) -> bytes:
    """Return a file with some rules changed, added or left out."""
    dice = Dice(seed)
    lines = content.splitlines()
    rules = [number for number, line in enumerate(lines) if line.lower().startswith((b"allow:", b"disallow:"))]
    if not rules:
        return content + b"\nUser-agent: *\nDisallow: /new/\n"
    for _ in range(EDITED_LINES):
        number = rules[dice.below(len(rules))]
        rule = b"%s: %s" % (b"Allow" if dice.chance(0.3) else b"Disallow", pattern(dice).encode())
        kind = dice.below(3)
        lines[number] = b"" if kind == 0 else rule if kind == 1 else lines[number] + b"\n" + rule
    return b"\n".join(lines) + b"\n"


def generated_pairs(size: int, count: int) -> Iterator[tuple[str, Pair]]:
    """Yield pairs of generated files of one size, each with its kind."""
    for seed in range(count):
        content, other = (generate(size, seed=each).content for each in (seed, seed + 1_000_000))
        yield "generated, edited", (canfetch.parse(content), canfetch.parse(edited(content, seed)))
        yield "generated, unrelated", (canfetch.parse(content), canfetch.parse(other))


def real_pairs(folder: Path, smallest: int, largest: int, count: int) -> Iterator[tuple[str, Pair]]:
    """Yield pairs of real files of similar size, each with its kind."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    contents = [path.read_bytes() for path in paths if smallest <= path.stat().st_size <= largest][: count + 1]
    for seed, (content, other) in enumerate(itertools.pairwise(contents)):
        yield "real, edited", (canfetch.parse(content), canfetch.parse(edited(content, seed)))
        yield "real, unrelated", (canfetch.parse(content), canfetch.parse(other))


def hostile_rules() -> dict[str, Iterable[str]]:
    """Return rules for which searches are large, by their kind."""
    letters = "abcdefgh"
    triples = ["*".join(each) for each in itertools.product(letters, repeat=3)]
    return {
        "three wildcards": (f"/*{each}" for each in itertools.cycle(triples)),
        "many wildcards": (f"/*{'*'.join(each)}" for each in itertools.product("ab", repeat=12)),
        "anchored ends": (f"/*{''.join(each)}*{each[0]}$" for each in itertools.product("ab", repeat=12)),
        "overlapping runs": (f"/*{'a' * (number % 400)}b*{'a' * (number % 13)}" for number in itertools.count()),
        "queries": (f"/*?*{one}=*&{other}=" for one, other in itertools.product(map(str, range(300)), repeat=2)),
    }


def hostile_pair(kind: str, size: int) -> Pair:
    """Return two files of about `size` bytes that differ in every second rule."""
    contents: list[str] = []
    for allowed in (0, 1):
        lines = ["User-agent: *"]
        length = 0
        for number, value in enumerate(hostile_rules()[kind]):
            lines.append(f"{'Allow' if number % 2 == allowed else 'Disallow'}: {value}")
            length += len(lines[-1]) + 1
            if length > size:
                break
        contents.append("\n".join(lines))
    return canfetch.parse(contents[0]), canfetch.parse(contents[1])


class Times:
    """The times of one kind of call."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.undecided = 0

    def measure(self, call: Callable[[], object]) -> None:
        """Call once, and add its time."""
        started = time.process_time()
        try:
            call()
        except Undecided:
            self.undecided += 1
        self.seconds.append(time.process_time() - started)

    def row(self, name: str) -> str:
        """Return a row of the table."""
        times = sorted(self.seconds)
        at_95 = times[math.ceil(len(times) * 0.95) - 1]
        figures = " | ".join(f"{one * 1000:.1f}" for one in (times[len(times) // 2], at_95, times[-1]))
        return f"| {name} | {len(times)} | {figures} | {self.undecided} |"


def measure_pairs(size: str, pairs: Iterable[tuple[str, Pair]]) -> None:
    """Print a row for each kind of pair."""
    kinds: dict[str, Times] = {}
    for kind, (old, new) in pairs:
        kinds.setdefault(kind, Times()).measure(partial(diff, old, new, agents=AGENTS))
    for kind, times in kinds.items():
        print(times.row(f"`diff`, {size}, {kind}"), flush=True)


def measure_questions(rules: Sequence[int]) -> None:
    """Print a row for each question about one large file."""
    for count in rules:
        content = star_file(count).content
        robots = canfetch.parse(content, max_bytes=max(DEFAULT_MAX_BYTES, len(content)))
        calls: dict[str, Callable[[], object]] = {
            "coverage": partial(coverage, robots, agent=AGENT),
            "dead_rules": partial(dead_rules, robots, agent=AGENT),
            "minimize": partial(minimize, robots),
        }
        for name, call in calls.items():
            times = Times()
            times.measure(call)
            print(times.row(f"`{name}`, {count:,} generated rules"), flush=True)


def measure_hostile(kind: str, size: int) -> None:
    """Print a row for a hostile pair, with the memory that it takes in this process."""
    old, new = hostile_pair(kind, size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times = Times()
    times.measure(partial(diff, old, new, agents=AGENTS))
    times.measure(partial(coverage, old, agent=AGENT))
    times.measure(partial(dead_rules, old, agent=AGENT))
    times.measure(partial(minimize, old))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(times.row(f"hostile: {kind}, {size // 1000} KB, {(after - before) / 1000:.0f} MB"), flush=True)


def main() -> None:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.comparison", description=__doc__)
    parser.add_argument("--pairs", type=int, default=40, help="the number of pairs of each kind")
    parser.add_argument("--rules", type=int, nargs="*", default=(1_000, 20_000), help="the sizes of large files")
    parser.add_argument("--hostile", help="measure one hostile pair in this process")
    parser.add_argument("--hostile-size", type=int, default=100_000, help="the size of hostile files in bytes")
    options = parser.parse_args()
    if options.hostile:
        measure_hostile(options.hostile, options.hostile_size)
        return
    print("| call | calls | median (ms) | 95 % | worst | undecided |\n" + "| --- " * 6 + "|", flush=True)
    for size, (smallest, largest) in SIZES.items():
        count = options.pairs if largest < 10_000 else max(1, options.pairs // 4)
        measure_pairs(size, generated_pairs(5_000 if largest < 10_000 else 100_000, count))
        if folder := os.environ.get(CORPUS):
            measure_pairs(size, real_pairs(Path(folder), smallest, largest, count))
    measure_questions(options.rules)
    for kind in hostile_rules():
        command = [sys.executable, "-m", "benchmarks.comparison", "--hostile", kind]
        subprocess.run([*command, "--hostile-size", str(options.hostile_size)], check=True)


if __name__ == "__main__":
    main()
