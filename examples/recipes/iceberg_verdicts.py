"""Decide the URLs of an Iceberg table, and append the verdicts to another one in one snapshot.

python iceberg_verdicts.py crawl.urls crawl.captures crawl.verdicts --agent GPTBot
"""

import argparse
from collections.abc import Iterator

import pyarrow as pa
from pyiceberg.catalog import load_catalog
from pyiceberg.io.pyarrow import ArrowScan
from pyiceberg.table import Table
from table_verdicts import CAPTURE_COLUMNS, SCHEMA, decide, load_files

KEY = "canfetch.verdicts"
FILE_BYTES = 64 * 1024 * 1024


def read(table: Table, *columns: str) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a table, from one file at a time. `to_arrow_batch_reader` reads files ahead."""
    scan = table.scan(selected_fields=columns)
    reader = ArrowScan(table.metadata, table.io, scan.projection(), scan.row_filter)
    for task in scan.plan_files():
        yield from reader.to_record_batches([task])


def append(table: Table, key: str, verdicts: Iterator[pa.RecordBatch]) -> None:
    """Append verdicts in one snapshot, unless a snapshot with the same key exists."""
    if any(snapshot.summary and snapshot.summary.get(KEY) == key for snapshot in table.snapshots()):
        return
    table.append(pa.RecordBatchReader.from_batches(SCHEMA, verdicts), snapshot_properties={KEY: key})


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("urls", "captures", "verdicts"):
        parser.add_argument(name)
    parser.add_argument("--agent", required=True)
    options = parser.parse_args()
    catalog = load_catalog()
    urls, captures = catalog.load_table(options.urls), catalog.load_table(options.captures)
    properties = {"write.target-file-size-bytes": str(FILE_BYTES)}
    table = catalog.create_table_if_not_exists(options.verdicts, SCHEMA, properties=properties)
    snapshots = [found.current_snapshot() for found in (urls, captures)]
    key = " ".join([options.agent, *(str(found.snapshot_id) if found else "empty" for found in snapshots)])
    files = load_files(read(captures, *CAPTURE_COLUMNS))
    append(table, key, decide(read(urls, "url"), files, options.agent))


if __name__ == "__main__":
    main()
