"""Arguments: columns of Arrow data, lists and single values."""

import re
from collections.abc import Iterable, Mapping
from math import isnan
from typing import Any, Final, Protocol

from canfetch.agents.requested import named_agent
from canfetch.bulk.extras import import_pyarrow
from canfetch.core.agent import STAR_IGNORERS, Agent
from canfetch.errors import InvalidColumn, InvalidProductToken, MissingExtra


class ArrowStream(Protocol):
    """A column or a table that exports a stream of Arrow data."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class ArrowArray(Protocol):
    """A column or a table that exports an array of Arrow data."""

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...


AnyColumn = ArrowStream | ArrowArray | Iterable[Any] | str | bytes | int | None
"""A column of Arrow data, or an iterable of values such as a list, or a value that all rows have."""

# A valid product token that is its own chain. Validating it in general takes twenty times as long.
_PLAIN_NAME: Final = re.compile(rb"[A-Za-z0-9._-]+")
_STAR_IGNORERS: Final = frozenset(name.encode() for name in STAR_IGNORERS)

_PLAIN_TYPES: Final = frozenset([str, bytes, int, type(None)])
# The types of `pandas.NA` and `pandas.NaT`, which this module cannot import.
_MISSING: Final = frozenset(["NAType", "NaTType"])

# All whole numbers up to this one are exact.
_WHOLE_LIMIT: Final = 2**53

Chain = tuple[tuple[bytes, ...], bool]
"""The product tokens of an agent, and whether the `*` groups apply to it."""


def is_arrow(column: object) -> bool:
    """Return whether an object exports Arrow data."""
    return hasattr(column, "__arrow_c_stream__") or hasattr(column, "__arrow_c_array__")


def as_column(column: object) -> Any:
    """Return a column as the kernels accept it: Arrow data, a list, or a single `str`, `bytes`, `int` or None.

    Raises: TypeError: `column` is not one of these.
    """
    if column is None or isinstance(column, str | bytes | int):
        return column
    if is_arrow(column):
        return _of_objects(column) if _has_objects(column) else column
    if isinstance(column, list):
        return _plain_values(column)
    if isinstance(column, bytearray | memoryview):
        return bytes(column)
    if hasattr(column, "as_py"):
        # A scalar of pyarrow.
        return column.as_py()
    if hasattr(column, "tolist"):
        # An array of NumPy, or an index of pandas.
        return _plain_values(column.tolist())
    if isinstance(column, Iterable) and not isinstance(column, Mapping | set | frozenset):
        return _plain_values(list(column))
    raise TypeError(f"a column must be Arrow data, a list or a single value, not {type(column).__name__}")


def as_ids(column: object) -> Any:
    """Return a column of IDs as `as_column` does. Whole floating-point numbers of a list become integers.

    pandas has such numbers in place of integers with gaps.

    Raises: InvalidColumn: A number is not whole, or too large to be exact; TypeError.
    """
    values = as_column([column] if isinstance(column, float) else column)
    if not isinstance(values, list) or not any(issubclass(kind, float) for kind in set(map(type, values))):
        return values
    return [_whole_id(value) if isinstance(value, float) else value for value in values]


def _whole_id(number: float) -> int:
    if not is_whole(number):
        raise InvalidColumn(f"an ID {number} in a list: expected integers below 2^53")
    return int(number)


def is_whole(number: float) -> bool:
    """Return whether a number is an integer that floating-point numbers represent exactly."""
    return abs(number) < _WHOLE_LIMIT and number == int(number)


def _has_objects(column: object) -> bool:
    return str(getattr(column, "dtype", "")) == "object" and hasattr(column, "tolist")


def _of_objects(series: Any) -> Any:
    """Return a series of Python objects as Arrow data, or as a list if that is not possible.

    Arrow data has no lone surrogates, and values of one type only.
    """
    try:
        pa = import_pyarrow("by pandas for Arrow data")
    except MissingExtra:
        return _plain_values(series.tolist())
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowException, UnicodeError, OverflowError):
        return _plain_values(series.tolist())


def _plain_values(values: list[Any]) -> list[Any]:
    """Return values with None in place of the missing values of pandas, and without scalars of NumPy."""
    if set(map(type, values)) <= _PLAIN_TYPES:
        return values
    return [value if type(value) in _PLAIN_TYPES else _plain_value(value) for value in values]


def _plain_value(value: Any) -> Any:
    kind = type(value)
    if kind.__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        value = value.item()
    is_missing = kind.__name__ in _MISSING and kind.__module__.startswith("pandas.")
    return None if is_missing or (isinstance(value, float) and isnan(value)) else value


def engine_column(argument: str, value: object, type_: type[Any], function: str) -> Any:
    """Return a column of an engine such as Polars. A text is never the name of one.

    Args:
        type_: The type of the columns of the engine.
        function: What makes a column of a name, such as `pl.col`.
    Raises: InvalidColumn: the value has another type.
    """
    if isinstance(value, type_):
        return value
    if isinstance(value, str):
        raise InvalidColumn(f'{argument}={value!r} is a text, not a column: pass {function}("{value}")')
    raise InvalidColumn(f'{argument} is of type {type(value).__name__}: expected a column, such as {function}("name")')


def as_agents(agent: object, *, use_registry: bool) -> Any:
    """Return a column of agents as the kernels accept it. A single agent becomes a `Chain`.

    Raises: InvalidProductToken: a single agent is not a product token; TypeError.
    """
    column = agent if isinstance(agent, Agent) else as_column(agent)
    if isinstance(column, bytes):
        column = column.decode("utf-8", "surrogateescape")
    return as_chain(column, use_registry=use_registry) if isinstance(column, str | Agent) else column


def as_chain(agent: str | Agent, *, use_registry: bool) -> Chain:
    """Return the tokens of an agent.

    Args: use_registry: Whether a `str` is the name of a crawler in the registry, and not just a product token.
    Raises: InvalidProductToken: no user-agent line can name a `str`; TypeError.
    """
    chain = named_agent(agent, exact=not use_registry)
    return chain.encoded_tokens, chain.star_applies


def chain_agent(chain: Chain) -> Agent:
    """Return the agent with these tokens."""
    tokens, star_applies = chain
    return Agent([token.decode("utf-8", "surrogateescape") for token in tokens], star_applies=star_applies)


def resolve_names(names: Iterable[bytes]) -> list[Chain | None]:
    """Return the tokens of the agents with these product tokens, or None for an invalid one."""
    plain = _PLAIN_NAME.fullmatch
    return [((name,), name.lower() not in _STAR_IGNORERS) if plain(name) else resolve_name(name) for name in names]


def resolve_crawlers(names: Iterable[bytes]) -> list[Chain | None]:
    """Return the tokens of the crawlers with these names, or None for an invalid one."""
    return [resolve_crawler(name) for name in names]


def resolve_name(name: bytes) -> Chain | None:
    """Return the tokens of the agent with this product token, or None if it is invalid."""
    return _resolve(name, use_registry=False)


def resolve_crawler(name: bytes) -> Chain | None:
    """Return the tokens of the crawler with this name, or None if it is invalid."""
    return _resolve(name, use_registry=True)


def _resolve(name: bytes, *, use_registry: bool) -> Chain | None:
    try:
        return as_chain(name.decode("utf-8", "surrogateescape"), use_registry=use_registry)
    except InvalidProductToken:
        return None
