"""Decide the URLs of an Iceberg table, and append the verdicts to another one in one snapshot.

python iceberg_verdicts.py crawl.urls crawl.captures crawl.verdicts --agent GPTBot
"""

import argparse
from collections.abc import Iterator

import pyarrow as pa
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.io.pyarrow import ArrowScan
from pyiceberg.table import Table
from table_verdicts import CAPTURE_COLUMNS, SCHEMA, decide, load_files

KEY = "canfetch.verdicts"
FILE_BYTES = 64 * 1024 * 1024
# A commit after that of another run fails. PyIceberg would repeat it, although that run may have the same key.
NO_RETRIES = {"commit.retry.num-retries": "0"}


def read(table: Table, *columns: str) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a table, from one file at a time. `to_arrow_batch_reader` reads files ahead."""
    scan = table.scan(selected_fields=columns)
    reader = ArrowScan(table.metadata, table.io, scan.projection(), scan.row_filter)
    for task in scan.plan_files():
        yield from reader.to_record_batches([task])


def open_verdicts(catalog: Catalog, name: str) -> Table:
    """Return the table of verdicts, and create it if it does not exist."""
    properties = {**NO_RETRIES, "write.target-file-size-bytes": str(FILE_BYTES)}
    table = catalog.create_table_if_not_exists(name, SCHEMA, properties=properties)
    if not NO_RETRIES.items() <= table.properties.items():
        with table.transaction() as transaction:
            transaction.set_properties(NO_RETRIES)
    return table


def is_written(table: Table, key: str) -> bool:
    """Return whether a snapshot with this key exists."""
    return any(snapshot.summary and snapshot.summary.get(KEY) == key for snapshot in table.snapshots())


def append(table: Table, key: str, verdicts: Iterator[pa.RecordBatch]) -> None:
    """Append verdicts in one snapshot. It fails if the table changed after `is_written` returned False."""
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
    table = open_verdicts(catalog, options.verdicts)
    snapshots = [found.current_snapshot() for found in (urls, captures)]
    key = " ".join([options.agent, *(str(found.snapshot_id) if found else "empty" for found in snapshots)])
    if not is_written(table, key):
        files = load_files(read(captures, *CAPTURE_COLUMNS))
        append(table, key, decide(read(urls, "url"), files, options.agent))


if __name__ == "__main__":
    main()
