"""`canfetch bulk filter` for URLs of many origins in random order, beside the column functions for the same work.

    python -m benchmarks.large_lists [--origins 50000] [--urls 500000] [--rounds 2]

Each way is a process that reads a Parquet file of responses and a text file of URLs, and writes a CSV file with the
decisions: the command with the local engine and with DuckDB, and `origins` and `Files.decide_at` with the CSV writer of
pyarrow. The columns need a table of resolved responses, which `canfetch bulk parse` writes before. They take turns.
Printed are the processor time and the peak memory of each process, and the median of the ratio to the local engine. The
engines must write the same bytes, and all ways the same decisions.

A tenth of the responses are redirects to another origin, a fifth have the status 404, and a fiftieth 503.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = """
import sys
import pyarrow as pa, pyarrow.csv as csv, pyarrow.parquet as pq
from canfetch import bulk
urls = pa.array(open(sys.argv[1]).read().splitlines())
files = bulk.Files(pq.read_table(sys.argv[2]), id="origin")
decided = pa.table(files.decide_at(bulk.origins(urls), "GPTBot", urls))
csv.write_csv(decided.drop_columns("specificity").add_column(0, "url", urls), sys.argv[3])
"""


def write_inputs(folder: Path, origins: int, urls: int) -> None:
    """Write a table of files, and a list of URLs in random order."""
    numbers = random.Random(9309)  # noqa: S311 - generated rows
    statuses = numbers.choices([200, 404, 301, 503], [68, 20, 10, 2], k=origins)
    columns = {
        "origin": [f"https://h{number}.example" for number in range(origins)],
        "status": statuses,
        "location": [
            f"https://h{numbers.randrange(origins)}.example/robots.txt" if status == 301 else None
            for status in statuses
        ],
        "content": [f"User-agent: *\nDisallow: /{number}\n{numbers.random()}" for number in range(origins)],
    }
    pq.write_table(pa.table(columns), folder / "files.parquet")
    with (folder / "urls.txt").open("w", encoding="ascii") as stream:
        for number in range(urls):
            host, path = numbers.randrange(origins), numbers.randrange(origins)
            stream.write(f"https://h{host}.example/{path}/x{number}?q={number % 7}\n")


def measure(command: list[str], folder: Path) -> tuple[float, float]:
    """Run a command, and return its processor time in seconds and its peak memory in MB."""
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def decisions(path: Path) -> list[list[str]]:
    """Return the cells of a CSV file, without its header."""
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))[1:]


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--origins", type=int, default=50_000)
    parser.add_argument("--urls", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    python = sys.executable
    bulk = [python, "-m", "canfetch", "bulk"]
    always = ["-j1", "--force", "--restart"]
    run = [*bulk, "filter", "urls.txt", "--robots", "files.parquet", "--agent", "GPTBot", *always]
    ways = {
        "local": [*run, "-o", "local.csv"],
        "duckdb": [*run, "--engine", "duckdb", "-o", "duckdb.csv"],
        "parse": [*bulk, "parse", "files.parquet", *always, "-o", "parsed.parquet"],
        "columns": [python, "-c", COLUMNS, "urls.txt", "parsed.parquet", "columns.csv"],
    }
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder, options.origins, options.urls)
        found: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
        for _ in range(options.rounds):
            for way, command in ways.items():
                found[way].append(measure(command, folder))
        assert (folder / "local.csv").read_bytes() == (folder / "duckdb.csv").read_bytes()
        assert decisions(folder / "local.csv") == decisions(folder / "columns.csv")
    found["parse and columns"] = [
        (first[0] + second[0], max(first[1], second[1]))
        for first, second in zip(found["parse"], found["columns"], strict=True)
    ]
    for way, runs in found.items():
        ratios = [seconds / local for (seconds, _), (local, _) in zip(runs, found["local"], strict=True)]
        seconds, memory = (statistics.median(values) for values in zip(*runs, strict=True))
        print(f"{way}: {seconds:.1f} s, {memory:.0f} MB, {statistics.median(ratios):.2f} of the time of local")
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
