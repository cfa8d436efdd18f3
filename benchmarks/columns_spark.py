"""Columns in Spark on two local cores: functions of columns, and Parquet files that workers read, beside Protego.

    python -m benchmarks.columns_spark [--rows 8000000] [--files 4000]

Both forms run canfetch, Protego with a cache of its parsed files, and a function that returns a constant, which is the
limit of the form. Each counts the allowed rows of Parquet files. They take turns, after one run of each, so that
workers have started and files are parsed. Slower functions get fewer rows: each run takes some seconds, so that the
start of a job, which is printed, matters little. Figures are decisions in a second of wall time. A ratio is the median
over rounds. `CANFETCH_CORPUS=FOLDER` takes real files.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.caching_protego import instance_of_process
from benchmarks.columns import AGENTS, Result, Rows, constant, make_rows, measure, print_results
from canfetch.bulk.spark import BroadcastFiles
from canfetch.bulk.spark.arrow_functions import spark_function
from canfetch.bulk.spark.parquet_rows import DecidedColumns, decide_rows, split_files
from canfetch.bulk.types import BOOL

CORES = 2
PARTS = 4
NAMES = ("id", "agent", "url")


def write_parts(folder: Path, rows: Rows) -> list[str]:
    """Write rows to Parquet files of the same size."""
    folder.mkdir()
    table = rows.table()
    size = table.num_rows // PARTS
    paths = [str(folder / f"{part}.parquet") for part in range(PARTS)]
    for part, path in enumerate(paths):
        pq.write_table(table.slice(part * size, size), path)
    return paths


def read_by_workers(session: Any, paths: list[str], decide: Callable[[Any, Any, Any], Any]) -> Any:
    """Return the frame of `BroadcastFiles.allows_parquet` with another function in the place of canfetch."""
    tasks = split_files(paths, 2 * CORES)
    columns = DecidedColumns(*NAMES, pa.schema([]))

    def read(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from decide_rows(
                    tasks[number], columns, lambda *rows: pa.record_batch([decide(*rows)], ["allowed"])
                )

    return session.range(0, len(tasks), 1, len(tasks)).mapInArrow(read, "allowed boolean")


class ArrowResult:
    """An array of pyarrow as `spark_function` expects a result."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def to_pyarrow(self) -> Any:
        """Return the array."""
        return self._array


def measure_spark(session: Any, rows: Rows, folder: Path) -> list[Result]:
    """Measure both forms."""
    counts = {"paths": len(rows.ids), "function": len(rows.ids) // 4, "Protego": len(rows.ids) // 20}
    paths = {name: write_parts(folder / name, rows.first(count)) for name, count in counts.items()}
    files = BroadcastFiles(session, rows.contents)
    sent = session.sparkContext.broadcast(rows.contents)

    def by_protego(*columns: Any) -> Any:
        return instance_of_process(sent).column(*columns)

    def function(name: str, called: Any) -> Callable[[], object]:
        return lambda: session.read.parquet(*paths[name]).where(called).count()

    def udf(decide: Callable[..., Any]) -> Any:
        return spark_function("decided", BOOL, 3, lambda *columns: ArrowResult(decide(*columns)))(*NAMES)

    from pyspark.sql.functions import col

    none = [str(folder / "none.parquet")]
    pq.write_table(rows.first(0).table(), none[0])
    empty = files.allows_parquet(none, columns=[])
    frames = {
        "Protego, paths": (read_by_workers(session, paths["Protego"], by_protego), "Protego", ""),
        "constant, paths": (read_by_workers(session, paths["paths"], constant), "paths", ""),
        "canfetch, allows_parquet without columns": (files.allows_parquet(paths["paths"], columns=[]), "paths", "25x"),
        "canfetch, allows_parquet": (files.allows_parquet(paths["paths"]), "paths", ""),
        "canfetch, decide_parquet without columns": (files.decide_parquet(paths["paths"], columns=[]), "paths", ""),
        "canfetch, decide_parquet": (files.decide_parquet(paths["paths"]), "paths", ""),
    }
    results = measure(
        time.perf_counter,
        {
            "Protego, Arrow UDF": (function("Protego", udf(by_protego)), counts["Protego"], ""),
            "constant, Arrow UDF": (function("function", udf(constant)), counts["function"], ""),
            "canfetch, UDF by ID": (
                function("function", files.allows_at(col("id"), col("agent"), col("url"))),
                counts["function"],
                "",
            ),
            **{
                name: (frame.where("allowed").count, counts[rows_of], target)
                for name, (frame, rows_of, target) in frames.items()
            },
        },
    )
    start = time.perf_counter()
    empty.where("allowed").count()
    print(f"A job without rows takes {time.perf_counter() - start:.2f} s.")
    return results


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=8_000_000, help="rows; UDFs get a quarter, Protego a twentieth")
    parser.add_argument("--files", type=int, default=4_000, help="distinct files")
    options = parser.parse_args()
    # Otherwise, workers run the first python3 of the PATH, which may lack canfetch.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    rows = make_rows(options.rows, options.files, 3_000, text_ids=False)
    packages = ("canfetch", "protego", "pyarrow", "pyspark")
    print(", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages))
    mean = sum(map(len, rows.contents.values())) // len(rows.contents)
    print(f"{len(rows.contents):,} files of {mean:,} bytes, {len(AGENTS)} agents, {options.rows:,} rows")
    builder = SparkSession.builder.master(f"local[{CORES}]").config("spark.ui.enabled", "false")
    session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    with TemporaryDirectory() as folder:
        print(f"load before: {os.getloadavg()[0]:.1f}")
        results = measure_spark(session, rows, Path(folder))
        print(f"load after: {os.getloadavg()[0]:.1f}")
    session.stop()
    print_results(f"Spark, {CORES} cores, wall time", results)


if __name__ == "__main__":
    main()
