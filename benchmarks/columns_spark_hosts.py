"""URLs of very many hosts in Spark: `PartitionedFiles` on two local cores, with the memory of all processes.

    python -m benchmarks.columns_spark_hosts [--hosts 1000000] [--urls 10000000] [--bytes 5000] [--memory 3g]

The files are generated, and each host has as many URLs on average. A tenth of all URLs has one host. The URLs are in
random order. The run counts the allowed rows, and compares those of some hosts with single decisions. Memory is the
resident memory of the driver, Spark and its workers together, sampled each half second.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from canfetch import agent, parse
from canfetch.bulk.spark import PartitionedFiles

_ROWS = 50_000
_SHIFT = 7_919
_COMPARED = 50


def content_of(host: int, size: int) -> str:
    """Return a file of about `size` bytes."""
    numbers = random.Random(host)  # noqa: S311 - generated files
    lines = ["User-agent: *", f"Disallow: /{host % 10}/"]
    length = sum(map(len, lines)) + 2
    while length < size:
        lines.append(f"Disallow: /{numbers.getrandbits(32):x}/{host}/*.html")
        length += len(lines[-1]) + 1
    return "\n".join(lines)


def write_inputs(folder: Path, hosts: int, urls: int, size: int) -> None:
    """Write Parquet files, unless they exist."""
    if folder.exists():
        return
    (folder / "files").mkdir(parents=True)
    (folder / "urls").mkdir()
    for first in range(0, hosts, _ROWS):
        numbers = range(first, min(first + _ROWS, hosts))
        columns = {
            "id": [f"https://h{number}.example" for number in numbers],
            "content": [content_of(number, size) for number in numbers],
        }
        pq.write_table(pa.table(columns), folder / "files" / f"{first:09}.parquet", compression="zstd")
    for first in range(0, urls, 10 * _ROWS):
        pages = range(first, min(first + 10 * _ROWS, urls))
        of_pages = [0 if page % 10 == 0 else page * _SHIFT % hosts for page in pages]
        columns = {
            "id": [f"https://h{host}.example" for host in of_pages],
            "url": [f"https://h{host}.example/{page % 13}/{page}" for page, host in zip(pages, of_pages, strict=True)],
        }
        pq.write_table(pa.table(columns), folder / "urls" / f"{first:09}.parquet", compression="zstd")


class PeakMemory:
    """The largest sum of the resident memory of this process and its descendants, in bytes."""

    def __init__(self) -> None:
        self.peak = 0
        self._is_ended = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_ended.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._is_ended.wait(0.5):
            self.peak = max(self.peak, sum(map(resident, descendants(os.getpid()))))


def descendants(process: int) -> list[int]:
    """Return a process and its descendants."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found = [process]
    for one in found:
        found += parents.get(one, [])
    return found


def resident(process: int) -> int:
    """Return the resident memory of a process. Pages that it shares with others count in parts."""
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith("Pss:")), 0)


def start_session(folder: Path, memory: str) -> Any:
    """Return a session of two local cores."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    settings = {
        "spark.driver.memory": memory,
        "spark.local.dir": str(folder),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[2]").appName("hosts")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def run(options: argparse.Namespace, folder: Path) -> None:
    """Generate the inputs, decide, and print the time and the memory."""
    inputs = folder / f"{options.hosts}-{options.urls}-{options.bytes}"
    write_inputs(inputs, options.hosts, options.urls, options.bytes)
    print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    spark = start_session(folder / "local", options.memory)
    with PeakMemory() as memory:
        start = time.perf_counter()
        files = PartitionedFiles(spark.read.parquet(str(inputs / "files")))
        read = time.perf_counter()
        frame = files.allows(spark.read.parquet(str(inputs / "urls")), agent="GPTBot")
        output = folder / "decided"
        frame.write.mode("overwrite").parquet(str(output))
        end = time.perf_counter()
    print(f"{options.hosts:,} hosts of {options.bytes:,} bytes, {options.urls:,} URLs: {end - start:.0f} s", end=", ")
    print(f"of which {read - start:.0f} s for the size; {memory.peak / 1e9:.2f} GB; broadcast: {files.is_broadcast}")
    decided = spark.read.parquet(str(output))
    print(f"{decided.count():,} rows, {decided.where('allowed').count():,} allowed; load {os.getloadavg()[0]:.1f}")
    wanted = [f"https://h{host}.example" for host in range(1, options.hosts, max(options.hosts // _COMPARED, 1))]
    rows = decided.where(decided["id"].isin(wanted)).collect()
    for row in rows:
        host = int(row["id"].removeprefix("https://h").removesuffix(".example"))
        expected = parse(content_of(host, options.bytes)).allows(row["url"], agent=agent("GPTBot"))
        assert row["allowed"] == expected, row
    print(f"{len(rows):,} rows are those of single decisions")
    spark.stop()


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=1_000_000)
    parser.add_argument("--urls", type=int, default=10_000_000)
    parser.add_argument("--bytes", type=int, default=5_000)
    parser.add_argument("--memory", default="3g", help="memory of the JVM")
    parser.add_argument("--folder", type=Path, help="where the inputs are kept for other runs")
    options = parser.parse_args()
    if options.folder is not None:
        run(options, options.folder)
        return
    with TemporaryDirectory() as folder:
        run(options, Path(folder))


if __name__ == "__main__":
    main()
