"""A file of DuckDB for one run, which sorts and joins on disk what does not fit into memory."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

import duckdb
import pyarrow as pa

from canfetch.errors import StoreError

_FOLDER: Final = "duckdb"
_MEMORY: Final = "1GiB"
_BATCH_ROWS: Final = 1 << 16


class WorkDatabase:
    """Tables in an empty folder.

    Args:
        folder: The folder.
        tables: The names of the tables, and their columns.
        threads: The number of threads of DuckDB.
    """

    def __init__(self, folder: Path, tables: Mapping[str, pa.Schema], *, threads: int) -> None:
        settings: dict[str, Any] = {
            "memory_limit": _MEMORY,
            "temp_directory": str(folder / "spilled"),
            "threads": threads,
        }
        self.connection: Any = duckdb.connect(folder / "work.duckdb", config=settings)
        for name, schema in tables.items():
            self.connection.register("columns", schema.empty_table())
            self.connection.execute(f"create table {name} as select * from columns")  # noqa: S608 - a name of a module
            self.connection.unregister("columns")

    def insert(self, name: str, table: pa.Table) -> None:
        """Add rows to a table."""
        self.connection.register("added", table)
        self.connection.execute(f"insert into {name} by name select * from added")  # noqa: S608 - a name of a module
        self.connection.unregister("added")

    def read(self, query: str, parameters: Sequence[Any] = ()) -> Iterator[pa.RecordBatch]:
        """Yield the result of a query in batches."""
        # A cursor of its own, because rows are added while others are read.
        with self.connection.cursor() as cursor:
            yield from cursor.sql(query, params=list(parameters)).to_arrow_reader(_BATCH_ROWS)

    def close(self) -> None:
        """Close the file."""
        self.connection.close()


@contextmanager
def database_folder(parent: Path) -> Iterator[Path]:
    """Provide an empty folder for a database, and remove it at the end.

    Raises: StoreError: In place of an error of DuckDB. KeyboardInterrupt: In place of its error after Ctrl-C.
    """
    folder = parent / _FOLDER
    # A killed process leaves it.
    rmtree(folder, ignore_errors=True)
    folder.unlink(missing_ok=True)
    folder.mkdir()
    try:
        yield folder
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except RuntimeError as error:
        # DuckDB raises this one as well.
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from None
        raise
    except duckdb.Error as error:
        reason = " ".join(str(error).split())
        raise StoreError(f"DuckDB failed: {reason}: fix the cause, or pass --engine local") from None
    finally:
        rmtree(folder, ignore_errors=True)
