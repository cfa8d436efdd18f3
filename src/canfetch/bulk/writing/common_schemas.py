"""Schemas of several Parquet tables with the same columns, whose types may differ as far as no value changes."""

from collections.abc import Iterable
from functools import reduce
from typing import Any

from canfetch.bulk.reading.row_files import load_pyarrow

# The largest integers that floating-point numbers of these sizes represent exactly, as numbers of bits.
_EXACT_BITS = {16: 11, 32: 24, 64: 53}


def common_schema(schemas: Iterable[Any]) -> Any:
    """Return a schema for the rows of all tables, with the metadata of the first schema.

    Raises: ValueError: A column has types that differ too much. `common_type` finds it.
    """
    return reduce(_common_schema, schemas)


def _common_schema(first: Any, second: Any) -> Any:
    if first.equals(second):
        return first
    pyarrow, _ = load_pyarrow()
    fields = []
    for one, other in zip(first, second, strict=True):
        kind = common_type(one.type, other.type)
        if kind is None:
            raise ValueError(f"the column {one.name!r} has the types {one.type} and {other.type}")
        fields.append(one.with_type(kind).with_nullable(one.nullable or other.nullable))
    return pyarrow.schema(fields, metadata=first.metadata)


def common_type(first: Any, second: Any) -> Any:
    """Return a type that has all values of two types, or None."""
    if first.equals(second):
        return first
    pyarrow, _ = load_pyarrow()
    types = pyarrow.types
    if types.is_null(first) or types.is_null(second):
        return second if types.is_null(first) else first
    if types.is_dictionary(first) or types.is_dictionary(second):
        return common_type(_value_type(first), _value_type(second))
    return _common_text(first, second) or _common_number(first, second) or _common_list(first, second)


def _value_type(kind: Any) -> Any:
    pyarrow, _ = load_pyarrow()
    return kind.value_type if pyarrow.types.is_dictionary(kind) else kind


def _common_list(first: Any, second: Any) -> Any:
    pyarrow, _ = load_pyarrow()
    large = [pyarrow.types.is_large_list(kind) for kind in (first, second)]
    if not all(is_large or pyarrow.types.is_list(kind) for is_large, kind in zip(large, (first, second), strict=True)):
        return None
    kind = common_type(first.value_type, second.value_type)
    if kind is None:
        return None
    # Libraries name the items differently.
    item = first.value_field.with_type(kind).with_nullable(first.value_field.nullable or second.value_field.nullable)
    return pyarrow.large_list(item) if any(large) else pyarrow.list_(item)


def _common_text(first: Any, second: Any) -> Any:
    pyarrow, _ = load_pyarrow()
    types = pyarrow.types
    texts = (types.is_string, types.is_large_string, types.is_string_view)
    binaries = (types.is_binary, types.is_large_binary, types.is_binary_view)
    for kinds, large in ((texts, pyarrow.large_string()), (binaries, pyarrow.large_binary())):
        if all(any(is_kind(kind) for is_kind in kinds) for kind in (first, second)):
            return large
    return None


def _common_number(first: Any, second: Any) -> Any:
    pyarrow, _ = load_pyarrow()
    types = pyarrow.types
    numbers = [kind for kind in (first, second) if types.is_integer(kind) or types.is_floating(kind)]
    if len(numbers) < 2:
        return None
    floats = [kind.bit_width for kind in numbers if types.is_floating(kind)]
    # The bits of the values of integers, without the sign.
    bits = [kind.bit_width - types.is_signed_integer(kind) for kind in numbers if types.is_integer(kind)]
    if floats:
        width = max(floats)
        fits = all(size <= _EXACT_BITS[width] for size in bits)
        return {16: pyarrow.float16(), 32: pyarrow.float32(), 64: pyarrow.float64()}[width] if fits else None
    # Two unsigned types differ in their width only.
    if not any(map(types.is_signed_integer, numbers)):
        return max(numbers, key=lambda kind: kind.bit_width)
    signed = {8: pyarrow.int8(), 16: pyarrow.int16(), 32: pyarrow.int32(), 64: pyarrow.int64()}
    return next((kind for width, kind in signed.items() if width > max(bits)), None)
