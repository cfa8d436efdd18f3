"""Decide streams of URLs by the robots.txt captures of a table: for the recipes for Delta and Iceberg."""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

from canfetch import bulk

CAPTURE_COLUMNS = ("origin", "status", "location", "content")
SCHEMA = pa.schema(
    {
        "url": pa.string(),
        "allowed": pa.bool_(),
        "reason": pa.string(),
        "line": pa.int32(),
        "rule": pa.string(),
    }
)
# More rows in a call have the same file, so that each takes less time.
BATCH_ROWS = 250_000


def load_files(captures: Iterable[pa.RecordBatch]) -> bulk.Files:
    """Load one capture for each origin. Redirects and errors count as in `canfetch bulk parse`."""
    with TemporaryDirectory() as folder:
        copy, parsed = Path(folder, "captures.parquet"), Path(folder, "files.parquet")
        writer = None
        for batch in captures:
            writer = writer or pq.ParquetWriter(copy, batch.schema)
            # The files of an Iceberg table can have texts of other types, such as `large_string`.
            writer.write_batch(batch.cast(writer.schema))
        if writer is None:
            raise SystemExit("the table of captures has no rows")
        writer.close()
        command = [sys.executable, "-m", "canfetch", "bulk", "parse", str(copy), "-o", str(parsed)]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        # Only the warnings and errors: the file that was written is deleted.
        lines = done.stderr.splitlines(keepends=True)
        sys.stderr.writelines(line for line in lines if not line.startswith("canfetch: wrote"))
        done.check_returncode()
        return bulk.Files(pq.read_table(parsed), id="origin")


def decide(batches: Iterable[pa.RecordBatch], files: bulk.Files, agent: str) -> Iterator[pa.RecordBatch]:
    """Yield the verdicts of the URLs, a batch at a time."""
    for urls in _large_batches(batches):
        verdicts = pa.record_batch(files.decide_at(bulk.origins(urls), agent, urls))
        columns = [urls, *(verdicts.column(name) for name in SCHEMA.names[1:])]
        yield pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def _large_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Array]:
    waiting, rows = [], 0
    for batch in batches:
        waiting.append(batch.column("url").cast(pa.string()))
        rows += batch.num_rows
        if rows >= BATCH_ROWS:
            yield pa.concat_arrays(waiting)
            waiting, rows = [], 0
    if rows:
        yield pa.concat_arrays(waiting)
