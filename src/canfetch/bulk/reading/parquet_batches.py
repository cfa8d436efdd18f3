"""Batches of a Parquet file that are bounded in bytes.

A file of a few hundred bytes can have millions of rows with the same long value, which it stores once, in a dictionary.
pyarrow bounds batches in rows only, so that the number of rows is chosen by the longest value.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from canfetch.bulk.extras import import_pyarrow

_BATCH_BYTES: Final = 1 << 24
# The size of a row group times the rows of a batch, which bounds batches whose rows are longer than the average.
_GROUP_BYTES_AND_ROWS: Final = 1 << 33
_BUFFER_BYTES: Final = 1 << 16
_DICTIONARIES: Final = frozenset(["PLAIN_DICTIONARY", "RLE_DICTIONARY"])


class _Leaf(NamedTuple):
    """A column of values, which may be part of a nested column."""

    path: str
    bytes: int
    values: int
    fixed_bytes: int
    has_dictionary: bool


def bounded_batches(
    file: Any, path: str, group: int, *, max_rows: int, columns: Sequence[str] | None = None, copies: int = 1
) -> Iterator[Any]:
    """Yield the batches of a row group.

    Args:
        file: A `pyarrow.parquet.ParquetFile`.
        path: Its path.
        group: The number of the row group.
        max_rows: The most rows of a batch.
        columns: The columns to read, or None for all.
        copies: How often each row will be repeated.
    Raises: pyarrow.ArrowException, OSError: The row group is damaged.
    Cost: Batches have about 16 MiB with all copies, or one row. Without dictionaries, their size depends on the row
        group, whose size the file states.
    """
    rows = max(_batch_rows(file, path, group, max_rows * copies, columns) // copies, 1)
    yield from file.iter_batches(rows, row_groups=[group], columns=columns)


def _batch_rows(file: Any, path: str, group: int, max_rows: int, columns: Sequence[str] | None) -> int:
    """Return how many rows of a row group can be read at once."""
    leaves = _leaves(file, group, columns)
    size = sum(leaf.bytes for leaf in leaves)
    row_bytes = sum(leaf.fixed_bytes for leaf in leaves)
    # No value is longer than the row group.
    if size * max_rows > _BATCH_BYTES:
        row_bytes += _longest_values(file, path, group, leaves)
    return min(max_rows, _BATCH_BYTES // max(row_bytes, 1), _GROUP_BYTES_AND_ROWS // max(size, 1))


def repeated_bytes(file: Any, path: str, group: int, columns: Sequence[str], *, max_rows: int, max_bytes: int) -> int:
    """Return how long the values of a row can be that a row group stores once, in dictionaries.

    Args:
        file, path, group, columns: As for `bounded_batches`.
        max_rows, max_bytes: Columns whose values cannot have more bytes in as many rows are left out.
    Raises: pyarrow.ArrowException, OSError: The row group is damaged.
    """
    leaves = _leaves(file, group, columns)
    return _longest_values(file, path, group, [leaf for leaf in leaves if leaf.bytes * max_rows > max_bytes])


def _longest_values(file: Any, path: str, group: int, leaves: Sequence[_Leaf]) -> int:
    row_count = max(file.metadata.row_group(group).num_rows, 1)
    return sum(
        _longest_value(file, path, group, leaf) * -(-leaf.values // row_count) for leaf in leaves if leaf.has_dictionary
    )


def _leaves(file: Any, group: int, columns: Sequence[str] | None) -> list[_Leaf]:
    schema, metadata = file.metadata.schema, file.metadata.row_group(group)
    leaves = []
    for index in range(len(schema)):
        described, chunk = schema.column(index), metadata.column(index)
        if columns is None or described.path.partition(".")[0] in columns or described.path in columns:
            fixed = described.length if described.physical_type == "FIXED_LEN_BYTE_ARRAY" else 0
            has_dictionary = described.physical_type == "BYTE_ARRAY" and not _DICTIONARIES.isdisjoint(chunk.encodings)
            leaves.append(_Leaf(described.path, chunk.total_uncompressed_size, chunk.num_values, fixed, has_dictionary))
    return leaves


def _longest_value(file: Any, path: str, group: int, leaf: _Leaf) -> int:
    """Return the length of the longest value in a dictionary."""
    import_pyarrow("to read Parquet")
    from pyarrow import compute  # noqa: PLC0415 - optional

    options = {"read_dictionary": [leaf.path], "metadata": file.metadata, "buffer_size": _BUFFER_BYTES}
    with type(file)(path, page_checksum_verification=True, **options) as probe:
        batch = next(probe.iter_batches(1, row_groups=[group], columns=[leaf.path]), None)
    if batch is None:
        return 0
    lengths = [compute.max(compute.binary_length(values)).as_py() or 0 for values in _dictionaries(batch.column(0))]
    # A nested column that pyarrow does not read as a dictionary.
    return max(lengths, default=0)


def _dictionaries(array: Any) -> Iterator[Any]:
    """Yield the dictionaries of an array, which may be nested."""
    if hasattr(array, "dictionary"):
        yield array.dictionary
    elif hasattr(array, "keys"):
        yield from _dictionaries(array.keys)
        yield from _dictionaries(array.items)
    elif hasattr(array, "values"):
        yield from _dictionaries(array.values)
    else:
        for field in range(getattr(array.type, "num_fields", 0)):
            yield from _dictionaries(array.field(field))
