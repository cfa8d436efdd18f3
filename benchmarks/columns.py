"""Columns: the kernel alone, and inside pandas, Polars and DuckDB, beside functions in Python.

    python -m benchmarks.columns [--rows 10000000] [--files 4000] [--file-bytes 3000] [--text-ids]
                                 [--sections Kernel Preferences pandas Polars DuckDB]

Each engine runs three functions on the same rows: canfetch, Protego with a cache of its parsed files, and a function
that returns a constant, which is the limit of the engine. They take turns in one process. Figures are decisions in a
second of processor time of all threads. A ratio is the median over rounds. `CANFETCH_CORPUS=FOLDER` takes real files.
`benchmarks.columns_spark` measures Spark.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa

from benchmarks.caching_protego import CachingProtego
from benchmarks.inputs import CORPUS, KEYS, ORIGIN, Dice, generate, real_files, segment
from canfetch import bulk, parse

AGENTS = ["Googlebot", "GPTBot", "ExampleBot", "bingbot", "CCBot"]
URLS = 100_000
BATCH_ROWS = 250_000
# A preference is a sentence, so these rows are fewer.
USAGE_SHARE = 5
ROUNDS = 3


class Rows(NamedTuple):
    """The rows of all measurements: dictionaries of contents and agents, and plain columns."""

    contents: dict[Any, bytes]
    ids: pa.Array
    content: pa.Array
    agent: pa.Array
    url: pa.Array

    def first(self, count: int) -> Rows:
        """Return the first rows."""
        return Rows(self.contents, *(column.slice(0, count) for column in self[1:]))

    def table(self) -> pa.Table:
        """Return the rows as an engine reads them, with plain texts."""
        return pa.table({"id": self.ids, "agent": self.agent.dictionary_decode(), "url": self.url})


class Result(NamedTuple):
    """The decisions per second of one function."""

    name: str
    rates: list[float]
    target: str = ""


def make_rows(rows: int, files: int, file_bytes: int, *, text_ids: bool) -> Rows:
    """Generate the rows. IDs are 32-bit integers or origins."""
    import numpy as np

    if os.environ.get(CORPUS):
        contents = list(dict.fromkeys(file.content for file in real_files()[0][:files]))
    else:
        contents = [generate(file_bytes, seed=seed).content for seed in range(files)]
    dice = Dice(9309)
    urls = []
    for _ in range(URLS):
        path = "/".join(segment(dice) for _ in range(1 + dice.below(4)))
        urls.append(f"{ORIGIN}/{path}" + (f"?{dice.pick(KEYS)}={dice.below(1000)}" if dice.chance(0.3) else ""))
    random = np.random.default_rng(9309)
    indices = pa.array(random.integers(0, len(contents), rows, dtype=np.int32))
    names = [f"https://h{number}.example" if text_ids else number for number in range(len(contents))]
    ids = pa.array(names, pa.string() if text_ids else pa.int32()).take(indices)
    agent = pa.array(random.integers(0, len(AGENTS), rows, dtype=np.int8))
    url = pa.array(urls).take(pa.array(random.integers(0, URLS, rows, dtype=np.int32)))
    content = pa.DictionaryArray.from_arrays(indices, pa.array(contents, pa.binary()))
    return Rows(
        dict(zip(names, contents, strict=True)),
        ids,
        content,
        pa.DictionaryArray.from_arrays(agent, pa.array(AGENTS)),
        url,
    )


def with_statements(contents: list[bytes]) -> list[bytes]:
    """Return files with preferences on usage for most agents: half of them for all URLs, a quarter also for a path."""
    dice = Dice(9309)
    stated = []
    for number, content in enumerate(contents):
        lines = [b"Content-Signal: search=yes, ai-train=no"] * (number % 2 == 0)
        if number % 4 == 0:
            lines += _usage_lines(dice)
        stated.append(b"\n".join([content, b"", b"User-agent: *", *lines]))
    return stated


def _usage_lines(dice: Dice) -> list[bytes]:
    return [b"Content-Usage: train-ai=n", f"Content-Usage: /{segment(dice)} train-ai=y".encode()]


def constant(ids: Any, agents: Any, urls: Any) -> Any:  # noqa: ARG001 - the parameters of all functions
    """Return a column of the same length, without looking at the rows."""
    return pa.repeat(pa.scalar(value=True), len(ids))


def measure(
    clock: Callable[[], float], tasks: dict[str, tuple[Callable[[], object], int, str]], rounds: int = ROUNDS
) -> list[Result]:
    """Run functions in turns, after one run of each for warming up."""
    rates: dict[str, list[float]] = {name: [] for name in tasks}
    for run, _, _ in tasks.values():
        run()
    for _ in range(rounds):
        for name, (run, rows, _) in tasks.items():
            start = clock()
            run()
            rates[name].append(rows / (clock() - start))
    return [Result(name, rates[name], target) for name, (_, _, target) in tasks.items()]


def print_results(section: str, results: list[Result]) -> None:
    """Print the table of a section, with ratios to each function of Protego and each constant."""
    baselines = [result for result in results if result.name.startswith(("Protego", "constant"))]
    header = ["function", "decisions a second", *(f"beside {result.name}" for result in baselines), "goal"]
    print(f"\n### {section}\n\n| {' | '.join(header)} |\n| --- |{' ---: |' * (len(header) - 2)} --- |")
    for result in results:
        cells = [result.name, f"{statistics.median(result.rates):,.0f}"]
        for baseline in baselines:
            pairs = zip(result.rates, baseline.rates, strict=True)
            cells.append(f"{statistics.median(rate / other for rate, other in pairs):.3g}x")
        print(f"| {' | '.join([*cells, result.target])} |")


def kernel(rows: Rows, slow: int) -> list[Result]:
    """Measure the kernel alone."""

    def cold() -> None:
        bulk.clear_cache()
        bulk.allows(rows.content, rows.agent, rows.url)

    files = bulk.Files(rows.contents)
    protego, few = CachingProtego(rows.contents), rows.first(slow)
    count = len(rows.ids)
    return measure(
        time.process_time,
        {
            "Protego, row by row": (lambda: protego.column(few.ids, few.agent, few.url), slow, ""),
            "canfetch, files compiled before": (
                lambda: bulk.allows(rows.content, rows.agent, rows.url),
                count,
                "5,000,000",
            ),
            "canfetch, with compiling": (cold, count, ""),
            "canfetch, by ID": (lambda: files.allows_at(rows.ids, rows.agent, rows.url), count, ""),
            "canfetch, with reasons": (lambda: bulk.decide(rows.content, rows.agent, rows.url), count, ""),
        },
    )


def preferences(rows: Rows, slow: int) -> list[Result]:
    """Measure the preferences on usage, and all statements of files on it, beside decisions of the same rows."""
    few, usage = rows.first(slow), rows.first(len(rows.ids) // USAGE_SHARE)
    contents = list(rows.contents.values())
    dice = Dice(9309)
    stated = with_statements(contents)
    parsed = dict(zip(rows.contents, map(parse, stated), strict=True))

    def usage_of_each() -> list[str]:
        columns = (one.to_pylist() for one in (few.ids, few.agent, few.url))
        found = (
            parsed[number].usage(url, agent=agent, purpose="training")
            for number, agent, url in zip(*columns, strict=True)
        )
        return [one.explanation for one in found]

    tasks: dict[str, tuple[Callable[[], object], int, str]] = {"RobotsTxt.usage, row by row": (usage_of_each, slow, "")}
    kinds = {
        "no statements": contents,
        "statements in half of the files": stated,
        "statements in all files": [b"\n".join([one, b"User-agent: *", *_usage_lines(dice)]) for one in contents],
        "statements in half of the files, licenses in all": [
            one + b"\nLicense: https://example.com/l.xml" for one in stated
        ],
    }
    for kind, files in kinds.items():
        column = pa.DictionaryArray.from_arrays(usage.content.indices, pa.array(files, pa.binary()))
        for function in (bulk.decide, bulk.usage, bulk.may_use):
            options = {} if function is bulk.decide else {"purpose": "training"}
            run = partial(function, column, usage.agent, usage.url, **options)
            tasks[f"{function.__name__}, {kind}"] = run, len(usage.ids), ""
    return measure(time.process_time, tasks)


def pandas(rows: Rows, slow: int) -> list[Result]:
    """Measure pandas."""
    import canfetch.bulk.pandas  # noqa: F401

    protego = CachingProtego(rows.contents)
    frame = rows.table().to_pandas()
    contents = importlib.import_module("pandas").Series.from_arrow(rows.content).astype("category")
    few = frame.head(slow)

    def by_protego() -> list[bool]:
        return [protego.allows(*row) for row in zip(few["id"], few["agent"], few["url"], strict=True)]

    agents = frame["agent"].astype("category")
    return measure(
        time.process_time,
        {
            "Protego in a list comprehension": (by_protego, slow, ""),
            "constant in a list comprehension": (lambda: [True for _ in frame["url"]], len(frame), ""),
            "canfetch, categories": (lambda: contents.canfetch.allows(agents, frame["url"]), len(frame), "80x"),
        },
    )


def polars(rows: Rows, slow: int) -> list[Result]:
    """Measure Polars."""
    import polars as pl

    import canfetch.bulk.polars  # noqa: F401

    protego, files = CachingProtego(rows.contents), bulk.Files(rows.contents)
    frame: Any = pl.from_arrow(rows.table())
    columns = ["id", "agent", "url"]

    def run(data: Any, function: Callable[..., Any], **options: Any) -> Any:
        def batch(series: Any, **_: Any) -> Any:
            return pl.Series(function(*series))

        expression = pl.map_batches(columns, batch, return_dtype=pl.Boolean, is_elementwise=True)
        return data.lazy().select(expression).collect(**options)

    few = frame.head(slow)
    return measure(
        time.process_time,
        {
            "Protego in map_batches": (
                lambda: run(few, lambda *series: protego.column(*(one.to_arrow() for one in series))),
                slow,
                "",
            ),
            "constant in map_batches": (lambda: run(frame, constant), len(frame), ""),
            "canfetch": (
                lambda: frame.select(pl.col("id").canfetch.allows_at(files, pl.col("agent"), pl.col("url"))),
                len(frame),
                "60x",
            ),
            "canfetch, streaming": (
                lambda: (
                    frame.lazy()
                    .select(pl.col("id").canfetch.allows_at(files, pl.col("agent"), pl.col("url")))
                    .collect(engine="streaming")
                ),
                len(frame),
                "",
            ),
        },
    )


def duckdb(rows: Rows, slow: int) -> list[Result]:
    """Measure DuckDB with one thread, because cheap functions are slower in several."""
    connection = importlib.import_module("duckdb").connect()
    connection.execute("set threads = 1")
    table, contents = rows.table(), rows.contents
    id_type = "VARCHAR" if pa.types.is_string(rows.ids.type) else "INTEGER"
    connection.register("arrow_rows", table)
    connection.execute("create table rows as select * from arrow_rows")
    # DuckDB hands over an ENUM as a dictionary.
    connection.execute("create type agents as enum (select distinct agent from rows)")
    connection.execute("create table enum_rows as select id, agent::agents as agent, url from rows")
    importlib.import_module("canfetch.bulk.duckdb").register(connection, files=bulk.Files(contents), id_type=id_type)
    # Files of its own, because the order of the first rows decides where the indexes are in memory.
    files = bulk.Files(contents)
    protego = CachingProtego(rows.contents)

    def add(name: str, function: Callable[[Any, Any, Any], Any]) -> None:
        parameters = [id_type, "VARCHAR", "VARCHAR"]
        connection.create_function(name, function, parameters, "BOOLEAN", type="arrow", null_handling="special")

    add("by_protego", protego.column)
    add("by_nothing", constant)

    def query(function: str, limit: int) -> Callable[[], object]:
        source = f"(select * from rows limit {limit})"  # noqa: S608
        sql = f"select count(*) from {source} where {function}(id, agent, url)"  # noqa: S608
        return lambda: connection.sql(sql).fetchall()

    def read(name: str) -> int:
        batches = connection.cursor().table(name).to_arrow_reader(BATCH_ROWS)
        return sum(len(files.allows_at(batch["id"], batch["agent"], batch["url"])) for batch in batches)

    count = table.num_rows
    return measure(
        time.process_time,
        {
            "Protego in an Arrow UDF": (query("by_protego", slow), slow, ""),
            "constant in an Arrow UDF": (query("by_nothing", count), count, ""),
            "canfetch, UDF by ID": (query("allows_at", count), count, "40x"),
            "canfetch, reader of batches": (lambda: read("rows"), count, "80x"),
            "canfetch, reader of batches, agents as ENUM": (lambda: read("enum_rows"), count, ""),
        },
    )


SECTIONS = {"Kernel": kernel, "Preferences": preferences, "pandas": pandas, "Polars": polars, "DuckDB": duckdb}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows for the kernel; engines get a fifth")
    parser.add_argument("--files", type=int, default=4_000, help="distinct files")
    parser.add_argument("--file-bytes", type=int, default=3_000, help="size of a generated file")
    parser.add_argument("--text-ids", action="store_true", help="name files by origin")
    parser.add_argument("--sections", nargs="+", default=list(SECTIONS), choices=list(SECTIONS))
    parser.add_argument("--slow-rows", type=int, default=100_000, help="rows for Protego")
    options = parser.parse_args()
    rows = make_rows(options.rows, options.files, options.file_bytes, text_ids=options.text_ids)
    mean = sum(map(len, rows.contents.values())) // len(rows.contents)
    packages = ("canfetch", "protego", "pyarrow", "pandas", "polars", "duckdb")
    print(", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages))
    print(f"{len(rows.contents):,} files of {mean:,} bytes, {len(AGENTS)} agents, {options.rows:,} rows")
    few = rows.first(max(options.rows // 5, options.slow_rows))
    for section in options.sections:
        run = SECTIONS[section]
        measured = rows if run in (kernel, preferences) else few
        print_results(f"{section}, one thread", run(measured, options.slow_rows))


if __name__ == "__main__":
    main()
