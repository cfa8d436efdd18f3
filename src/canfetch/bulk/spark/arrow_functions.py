"""Functions of Arrow arrays as functions of Spark."""

from collections.abc import Callable
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql.pandas.functions import arrow_udf

from canfetch.bulk import column
from canfetch.bulk.arguments import engine_column
from canfetch.bulk.types import BOOL, FLOAT64, INT32, INT64, TEXT, ColumnType
from canfetch.core.agent import Agent

_NAMES: Final = {BOOL: "boolean", INT32: "int", INT64: "bigint", FLOAT64: "double", TEXT: "string"}


def spark_type(type_: ColumnType) -> str:
    """Return the name of a type in SQL."""
    if isinstance(type_, str):
        return _NAMES[type_]
    kind, inner = type_
    if kind == "list":
        return f"array<{spark_type(inner)}>"
    fields = (f"`{name.replace('`', '``')}`: {spark_type(field)}" for name, field in inner)
    return f"struct<{', '.join(fields)}>"


def spark_function(name: str, type_: ColumnType, parameters: int, function: Callable[..., column.Column]) -> Any:
    """Return a function of Spark. It is sent to the workers, so `function` has to be small.

    Args: name: The name of the function in names of columns and in plans, such as `allows(content, url)`.
    """

    def of_one(first: pa.Array) -> pa.Array:
        return function(first).to_pyarrow()

    def of_two(first: pa.Array, second: pa.Array) -> pa.Array:
        return function(first, second).to_pyarrow()

    def of_three(first: pa.Array, second: pa.Array, third: pa.Array) -> pa.Array:
        return function(first, second, third).to_pyarrow()

    def of_four(first: pa.Array, second: pa.Array, third: pa.Array, fourth: pa.Array) -> pa.Array:
        return function(first, second, third, fourth).to_pyarrow()

    # Spark counts the parameters of a function, and reads its annotations.
    chosen = (of_one, of_two, of_three, of_four)[parameters - 1]
    chosen.__name__ = name
    # Its overloads do not describe functions whose arrays have no type.
    create: Any = arrow_udf
    return create(chosen, returnType=spark_type(type_))


def call_function(name: str, type_: ColumnType, function: Callable[..., column.Column], **columns: Column) -> Column:
    """Return the column of a function of columns, which are named as the arguments of the caller.

    Raises: InvalidColumn: one of them is not a column.
    """
    checked = [engine_column(argument, value, Column, "col") for argument, value in columns.items()]
    called: Column = spark_function(name, type_, len(columns), function)(*checked)
    return called


def call_with_agent(
    name: str,
    type_: ColumnType,
    function: Callable[..., column.Column],
    agent: str | Agent | Column,
    **columns: Column,
) -> Column:
    """Return the column of a function of a file, an agent and a URL. A `str` agent is a product token.

    Args: columns: The file and the URL, named as the arguments of the caller.
    Raises: InvalidColumn: as `call_function`.
    """
    if isinstance(agent, Column):
        (first, content), (last, url) = columns.items()
        return call_function(name, type_, function, **{first: content, "agent": agent, last: url})

    def with_agent(files: Any, urls: Any) -> column.Column:
        return function(files, agent, urls)

    return call_function(name, type_, with_agent, **columns)
