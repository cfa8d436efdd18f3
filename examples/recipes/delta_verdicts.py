"""Decide the URLs of a Delta table, and write the verdicts as a partition of another one.

python delta_verdicts.py urls captures verdicts --agent GPTBot --day 2026-11-27
"""

import argparse
from collections.abc import Iterator
from datetime import date

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from table_verdicts import CAPTURE_COLUMNS, SCHEMA, decide, load_files


def write_partition(table: str, day: date, verdicts: Iterator[pa.RecordBatch]) -> None:
    """Replace the verdicts of a day in one commit. It fails if another run commits after the start of this one."""
    schema = SCHEMA.append(pa.field("day", pa.date32()))
    batches = (batch.append_column("day", pa.repeat(pa.scalar(day), len(batch))) for batch in verdicts)
    reader = pa.RecordBatchReader.from_batches(schema, batches)
    # Without a table, another run at the same time would not be noticed.
    DeltaTable.create(table, schema, mode="ignore", partition_by="day")
    write_deltalake(table, reader, mode="overwrite", partition_by="day", predicate=f"day = '{day}'")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("urls", "captures", "verdicts"):
        parser.add_argument(name)
    parser.add_argument("--agent", required=True)
    parser.add_argument("--day", required=True, type=date.fromisoformat)
    options = parser.parse_args()
    # The rows of a table are streams: only a few batches are in memory.
    captures = DeltaTable(options.captures).scan(columns=list(CAPTURE_COLUMNS))
    files = load_files(pa.RecordBatchReader.from_stream(captures))
    urls = DeltaTable(options.urls).scan(columns=["url"], predicate=f"day = '{options.day}'")
    verdicts = decide(pa.RecordBatchReader.from_stream(urls), files, options.agent)
    write_partition(options.verdicts, options.day, verdicts)


if __name__ == "__main__":
    main()
