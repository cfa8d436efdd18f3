"""The columns of Parquet files, with types that Spark has."""

from collections.abc import Iterable
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import PySparkException

from canfetch.bulk.reading.row_files import parquet_errors
from canfetch.bulk.spark.parquet_rows import check_columns
from canfetch.errors import InvalidColumn, InvalidOption

# Types that the conversion of Spark lacks. Unsigned integers become what Spark reads from Parquet.
_REPLACED: Final = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.string_view(): pa.string(),
    pa.binary_view(): pa.binary(),
}


def kept_columns(path: str, names: Iterable[str] | str | None, read: Iterable[str], added: Iterable[str]) -> pa.Schema:
    """Return the columns of a file that a frame keeps.

    Args:
        names: Their names, or None for all columns.
        read: The names of columns that the file must have.
        added: The names of the columns that the frame has besides.
    Raises: InvalidColumn; InvalidOption: the file is not a valid Parquet file; OSError: it cannot be read.
    """
    with parquet_errors(path):
        schema = pq.read_schema(path)
    check_columns(path, schema, read)
    if names is None:
        names = schema.names
    names = [names] if isinstance(names, str) else list(names)
    check_columns(path, schema, names)
    for name in names:
        if names.count(name) > 1 or name in added:
            raise InvalidColumn(f"two columns {name!r}: pass columns= with the columns of {path!r} to keep")
    return pa.schema([pa.field(name, _supported_type(path, schema.field(name))) for name in names])


def check_agent(path: str, agent: str) -> None:
    """Check that the text of an agent is not the name of a column of texts, which the caller may have meant.

    Raises: InvalidOption: it is; or the file is not a valid Parquet file; OSError: it cannot be read.
    """
    with parquet_errors(path):
        schema = pq.read_schema(path)
    if agent in schema.names and _is_text(schema.field(schema.get_field_index(agent)).type):
        raise agent_is_column(agent, repr(path))


def agent_is_column(agent: str, owner: str) -> InvalidOption:
    """Return the error about an agent that is the name of a column of texts."""
    return InvalidOption(
        f"agent={agent!r} is a column of {owner}: pass agent_column={agent!r} for the agents in this column, or "
        f"agent=Agent({agent!r}) for this product token"
    )


def _is_text(type_: pa.DataType) -> bool:
    type_ = type_.value_type if pa.types.is_dictionary(type_) else type_
    return type_ in (pa.string(), pa.large_string(), pa.string_view())


def spark_schema(schema: pa.Schema) -> Any:
    """Return the schema of a frame with these columns."""
    # Not public, and its place may change.
    from pyspark.sql.pandas.types import from_arrow_schema  # noqa: PLC0415

    return from_arrow_schema(schema)


def _supported_type(path: str, field: pa.Field) -> pa.DataType:
    """Return the type to which a column is converted for Spark."""
    from pyspark.sql.pandas.types import from_arrow_type, to_arrow_type  # noqa: PLC0415 - as above

    type_ = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    try:
        return to_arrow_type(from_arrow_type(_REPLACED.get(type_, type_)), timezone="UTC")
    except PySparkException as error:
        raise InvalidColumn(
            f"column {field.name!r} of {path!r} has the type {type_}, which Spark does not support: "
            "pass columns= without it"
        ) from error
