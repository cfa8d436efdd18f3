"""Many agents and all files: one run of `canfetch bulk matrix`, beside one process for each verdict.

    CANFETCH_CORPUS=FOLDER python -m benchmarks.agents_by_files [--sample 20]

The agents are the 24 of IMC 2025. A process for one verdict starts Python, reads a file and decides about `/`: with
canfetch, with Protego, or with Google's parser. These processes get a sample of the pairs of file and agent, and the
last column counts the verdicts that differ from those of the matrix. Processor time is that of all processes.
"""

import argparse
import csv
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Final, NamedTuple

from benchmarks.inputs import real_files
from canfetch.bulk.studies.recipes import IMC_2025_AGENTS

_URL: Final = "https://www.example.com/"
_CANFETCH: Final = """
import sys, canfetch
content = open(sys.argv[1], "rb").read()
print(canfetch.allows(content, sys.argv[2], agent=sys.argv[3], profile="google"))
"""
_PROTEGO: Final = """
import sys, protego
content = open(sys.argv[1], "rb").read().decode("utf-8", "replace")
print(protego.Protego.parse(content).can_fetch(sys.argv[2], sys.argv[3]))
"""
_GOOGLE: Final = """
import sys
from jwm.robotstxt.googlebot import RobotsMatcher
content = open(sys.argv[1], "rb").read()
print(RobotsMatcher().AllowedByRobots(content, [sys.argv[3].encode()], sys.argv[2].encode()))
"""


class Measured(NamedTuple):
    """The time of a run, in seconds."""

    name: str
    verdicts: int
    wall: float
    processor: float
    differences: int


def measured(name: str, verdicts: int, run: Callable[[], int]) -> Measured:
    """Measure a function that starts processes and returns the number of different verdicts."""
    wall, used = time.perf_counter(), getrusage(RUSAGE_CHILDREN)
    differences = run()
    after = getrusage(RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    return Measured(name, verdicts, time.perf_counter() - wall, processor, differences)


def matrix(folder: Path, output: Path) -> dict[tuple[str, str], bool]:
    """Decide for all files and agents, and return the verdicts by the name of the file and the agent."""
    agents = [option for agent in IMC_2025_AGENTS for option in ("--agent", agent)]
    command = [sys.executable, "-m", "canfetch", "bulk", "matrix", str(folder), "--exact", "--profile", "google"]
    subprocess.run([*command, *agents, "-o", str(output)], check=True, stderr=subprocess.DEVNULL)
    with output.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {
        (row["origin"].removeprefix("https://"), agent): row[agent] == "true"
        for row in rows
        for agent in IMC_2025_AGENTS
    }


def one_by_one(
    program: str, folder: Path, pairs: Sequence[tuple[str, str]], expected: dict[tuple[str, str], bool]
) -> int:
    """Start a process for each pair, and return how many verdicts differ."""
    differences = 0
    for host, agent in pairs:
        command = [sys.executable, "-c", program, str(folder / host), _URL, agent]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        differences += (answer == "True") is not expected[host, agent]
    return differences


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=20, help="pairs of file and agent, each in a process of its own")
    sample = parser.parse_args().sample
    files, description = real_files()
    with tempfile.TemporaryDirectory() as name:
        folder, output = Path(name, "files"), Path(name, "matrix.csv")
        folder.mkdir()
        hosts = [f"h{number}.example" for number in range(len(files))]
        for host, file in zip(hosts, files, strict=True):
            (folder / host).write_bytes(file.content)
        verdicts: dict[tuple[str, str], bool] = {}

        def decide_all() -> int:
            verdicts.update(matrix(folder, output))
            return 0

        count = len(hosts) * len(IMC_2025_AGENTS)
        rows = [measured("`canfetch bulk matrix`", count, decide_all)]
        dice = random.Random(9309)  # noqa: S311 - not for cryptography
        pairs = dice.sample(sorted(verdicts), min(sample, len(verdicts)))
        for label, program in {"canfetch": _CANFETCH, "Protego": _PROTEGO, "Google's parser": _GOOGLE}.items():
            run = measured(
                f"a process each: {label}",
                len(pairs),
                lambda program=program: one_by_one(program, folder, pairs, verdicts),
            )
            rows.append(run)
    print(f"{description}; {len(IMC_2025_AGENTS)} agents\n")
    print("| run | verdicts | wall time | processor time | for all verdicts | different |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        total = row.processor / row.verdicts * rows[0].verdicts
        shown = f"{total:,.1f} s" if total < 100 else f"{total / 60:,.0f} min"
        times = f"{row.wall:.1f} s | {row.processor:.1f} s | {shown}"
        print(f"| {row.name} | {row.verdicts:,} | {times} | {row.differences} |")


if __name__ == "__main__":
    main()
