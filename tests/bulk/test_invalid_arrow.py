"""Arrow data with every claim that a producer can get wrong: an error, and each structure is released once."""

import ctypes
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bulk.arrow_structs import ExportedArray, ExportedStream, Producer, capsule, numbers
from tests.conftest import need_native

from canfetch.bulk import allows
from canfetch.errors import InvalidColumn

TEXTS = [None, numbers(4, 0, 2, 4), b"/a/b"]
LARGE_TEXTS = [None, numbers(8, 0, 2, 4), b"/a/b"]


def view(length: int, buffer: int = 0, offset: int = 0) -> bytes:
    """Return a view of a value in a buffer."""
    return numbers(4, length, 0, buffer, offset)


def views(*items: bytes, data: bytes = b"/a-path-of-some-length", size: int | None = None) -> list[bytes | None]:
    """Return the buffers of an array of views."""
    return [None, b"".join(items), data, numbers(8, len(data) if size is None else size)]


@pytest.fixture
def producer() -> Producer:
    need_native()
    return Producer()


def urls(column: object) -> list[Any]:
    """Read a column as URLs."""
    return allows("user-agent: *\ndisallow: /a", "bot", column, engine="native").to_pylist()  # type: ignore[arg-type]


def texts(producer: Producer, **fields: Any) -> Any:
    """Return an array of texts with two rows."""
    return producer.array(2, TEXTS, **fields)


def dictionary(producer: Producer, keys: bytes, **fields: Any) -> Any:
    """Return a dictionary with two values."""
    return producer.array(2, [None, keys], dictionary=texts(producer), **fields)


def test_a_valid_array_is_read_and_released(producer: Producer) -> None:
    assert urls(ExportedArray(producer.schema(), texts(producer))) == [False, True]
    assert producer.released == {"schema": 1, "array": 1}


def test_a_valid_stream_is_read_and_released(producer: Producer) -> None:
    stream = ExportedStream(producer.schema(), [texts(producer), texts(producer)])
    assert urls(stream) == [False, True, False, True]
    assert producer.released == {"schema": 1, "array": 2}
    assert stream.released == 1


def test_a_capsule_is_read_once(producer: Producer) -> None:
    column = ExportedArray(producer.schema(), texts(producer))
    urls(column)
    with pytest.raises(InvalidColumn, match="consumed before"):
        urls(column)
    assert producer.released == {"schema": 1, "array": 1}


Broken = Callable[[Producer], tuple[Any, Any]]
BROKEN: dict[str, Broken] = {
    "a negative length": lambda p: (p.schema(), p.array(-1, TEXTS)),
    "a huge length": lambda p: (p.schema(), p.array(2**62, TEXTS)),
    "a negative offset": lambda p: (p.schema(), texts(p, offset=-1)),
    "a huge offset": lambda p: (p.schema(), texts(p, offset=2**62)),
    "more nulls than rows": lambda p: (p.schema(), texts(p, null_count=3)),
    "a negative number of nulls": lambda p: (p.schema(), texts(p, null_count=-2)),
    "nulls without a bitmap": lambda p: (p.schema(), texts(p, null_count=1)),
    "no list of buffers": lambda p: (p.schema(), p.array(2, None, n_buffers=3)),
    "no buffers": lambda p: (p.schema(), p.array(2, [])),
    "a negative number of buffers": lambda p: (p.schema(), texts(p, n_buffers=-1)),
    "too few buffers": lambda p: (p.schema(), p.array(2, TEXTS[:2])),
    "no offsets": lambda p: (p.schema(), p.array(2, [None, None, b"/a/b"])),
    "no data": lambda p: (p.schema(), p.array(2, [None, TEXTS[1], None])),
    "offsets that decrease": lambda p: (p.schema(), p.array(2, [None, numbers(4, 0, 3, 2), b"/a/b"])),
    "a first offset that is negative": lambda p: (p.schema(), p.array(2, [None, numbers(4, -1, 2, 4), b"/a/b"])),
    "a last offset that is negative": lambda p: (p.schema(), p.array(2, [None, numbers(4, 0, 2, -4), b"/a/b"])),
    "an offset beyond the last one": lambda p: (p.schema(), p.array(2, [None, numbers(4, 0, 9, 4), b"/a/b"])),
    "a huge offset of 64 bits": lambda p: (p.schema(b"U"), p.array(2, [None, numbers(8, 0, 2, 2**62), b"/a/b"])),
    "no format": lambda p: (p.schema(None), texts(p)),
    "a format that is not ASCII": lambda p: (p.schema(b"\xff"), texts(p)),
    "an unsupported format": lambda p: (p.schema(b"g"), p.array(2, [None, bytes(16)])),
    "lists": lambda p: (p.schema(b"+l", children=[p.schema()]), p.array(2, TEXTS, children=[texts(p)])),
    "a fixed size": lambda p: (p.schema(b"w:2"), p.array(2, [None, b"/a/b"])),
    "integers": lambda p: (p.schema(b"i"), p.array(2, [None, bytes(8)])),
    "a dictionary in the schema only": lambda p: (p.schema(b"i", dictionary=p.schema()), texts(p)),
    "a dictionary in the array only": lambda p: (p.schema(b"i"), dictionary(p, bytes(8))),
    "a key above the last one": lambda p: (p.schema(b"i", dictionary=p.schema()), dictionary(p, numbers(4, 0, 2))),
    "a negative key": lambda p: (p.schema(b"i", dictionary=p.schema()), dictionary(p, numbers(4, 0, -1))),
    "a key of 64 bits": lambda p: (p.schema(b"L", dictionary=p.schema()), dictionary(p, numbers(8, 0, -1))),
    "keys that are texts": lambda p: (p.schema(b"u", dictionary=p.schema()), dictionary(p, bytes(16))),
    "a dictionary of dictionaries": lambda p: (
        p.schema(b"i", dictionary=p.schema(b"i", dictionary=p.schema())),
        p.array(2, [None, bytes(8)], dictionary=dictionary(p, bytes(8))),
    ),
    "a dictionary of integers": lambda p: (
        p.schema(b"i", dictionary=p.schema(b"i")),
        p.array(2, [None, bytes(8)], dictionary=p.array(2, [None, bytes(8)])),
    ),
    "a view of negative length": lambda p: (p.schema(b"vu"), p.array(1, views(view(-1)))),
    "a view of no buffer": lambda p: (p.schema(b"vu"), p.array(1, views(view(20, buffer=1)))),
    "a view of a negative buffer": lambda p: (p.schema(b"vu"), p.array(1, views(view(20, buffer=-1)))),
    "a view beyond its buffer": lambda p: (p.schema(b"vu"), p.array(1, views(view(20, offset=3)))),
    "a view before its buffer": lambda p: (p.schema(b"vu"), p.array(1, views(view(20, offset=-1)))),
    "a buffer of negative size": lambda p: (p.schema(b"vu"), p.array(1, views(view(20), size=-1))),
    "no buffer of sizes": lambda p: (p.schema(b"vu"), p.array(1, [None, view(0)])),
    "a null pointer of sizes": lambda p: (p.schema(b"vu"), p.array(1, [None, view(20), b"x" * 30, None])),
    "no columns": lambda p: (p.schema(b"+s", children=[]), p.array(2, [None], children=[])),
    "two columns": lambda p: (
        p.schema(b"+s", children=[p.schema(), p.schema()]),
        p.array(2, [None], children=[texts(p), texts(p)]),
    ),
    "a null pointer to a field": lambda p: (
        p.schema(b"+s", children=[p.schema()]),
        p.array(2, [None], children=[None]),
    ),
    "no list of fields": lambda p: (p.schema(b"+s", n_children=1), p.array(2, [None], children=[texts(p)])),
    "no list of columns": lambda p: (p.schema(b"+s", children=[p.schema()]), p.array(2, [None], n_children=1)),
    "fields in the schema only": lambda p: (p.schema(b"+s", children=[p.schema()]), p.array(2, [None])),
    "a negative number of fields": lambda p: (p.schema(b"+s", n_children=-1), p.array(2, [None], n_children=-1)),
    "a column with fewer rows than its table": lambda p: (
        p.schema(b"+s", children=[p.schema()]),
        p.array(3, [None], children=[texts(p)]),
    ),
    "an offset beyond a column": lambda p: (
        p.schema(b"+s", children=[p.schema()]),
        p.array(2, [None], offset=1, children=[texts(p)]),
    ),
    "a released field": lambda p: (
        p.schema(b"+s", children=[p.schema(release=type(p.schema().release)())]),
        p.array(2, [None], children=[texts(p)]),
    ),
    "a misaligned pointer": lambda p: (p.schema(), misaligned(p)),
}


def misaligned(producer: Producer) -> Any:
    """Return an array whose list of buffers is at an odd address."""
    array = producer.array(2, TEXTS)
    address = ctypes.cast(array.buffers, ctypes.c_void_p).value
    assert address is not None
    array.buffers = ctypes.cast(ctypes.c_void_p(address + 1), ctypes.POINTER(ctypes.c_void_p))
    return array


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_invalid_data_raises_and_is_released(producer: Producer, broken: Broken) -> None:
    schema, array = broken(producer)
    with pytest.raises(InvalidColumn):
        urls(ExportedArray(schema, array))
    # The fields and dictionaries of this producer belong to their parents, which would release them.
    assert producer.released == {"schema": 1, "array": 1}


@pytest.mark.parametrize(
    "stream",
    [
        lambda p: ExportedStream(p.schema(), [], without="get_schema"),
        lambda p: ExportedStream(p.schema(), [], without="get_next"),
        lambda _: ExportedStream(None, []),
        lambda p: ExportedStream(p.schema(), [], schema_code=5),
        lambda p: ExportedStream(p.schema(), [texts(p)], next_code=22, error=b"out of rows"),
        lambda p: ExportedStream(p.schema(), [texts(p), p.array(-1, TEXTS)]),
    ],
    ids=["no get_schema", "no get_next", "no schema", "an error at once", "an error later", "a broken second array"],
)
def test_an_invalid_stream_raises_and_is_released(
    producer: Producer, stream: Callable[[Producer], ExportedStream]
) -> None:
    column = stream(producer)
    with pytest.raises(InvalidColumn):
        urls(column)
    assert column.released == 1


def test_the_error_of_a_stream_is_shown(producer: Producer) -> None:
    stream = ExportedStream(producer.schema(), [], next_code=22, error=b"out of rows")
    with pytest.raises(InvalidColumn, match="error 22: out of rows"):
        urls(stream)


class Fixed:
    """Returns anything in place of capsules."""

    def __init__(self, pair: object) -> None:
        self._pair = pair

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self._pair


@pytest.mark.parametrize("pair", [None, (), (1, 2), [1, 2], "ab"], ids=repr)
@pytest.mark.usefixtures("producer")
def test_other_objects_than_capsules_raise(pair: object) -> None:
    with pytest.raises((TypeError, IndexError)):
        urls(Fixed(pair))


def test_a_capsule_with_another_name_raises(producer: Producer) -> None:
    schema, array = producer.schema(), texts(producer)
    with pytest.raises(ValueError, match="incorrect name"):
        urls(Fixed((capsule(schema, b"arrow_array"), capsule(array, b"arrow_array"))))
    # A capsule of one name is never read as the structure of another.
    assert not producer.released


@pytest.mark.parametrize(
    "schema, buffers",
    [("u", TEXTS), ("z", TEXTS), ("U", LARGE_TEXTS), ("Z", LARGE_TEXTS), ("vu", None), ("vz", None)],
    ids=["u", "z", "U", "Z", "vu", "vz"],
)
def test_each_layout_with_an_offset_and_a_bitmap(
    producer: Producer, schema: str, buffers: list[bytes | None] | None
) -> None:
    if buffers is None:
        buffers = [None, numbers(4, 2) + b"/a".ljust(12) + numbers(4, 2) + b"/b".ljust(12), numbers(8)]
    # The second row of two, which is not null.
    array = producer.array(1, [b"\x02", *buffers[1:]], offset=1, null_count=-1)
    assert urls(ExportedArray(producer.schema(schema.encode()), array)) == [True]
    # The first row, which is null.
    array = producer.array(1, [b"\x02", *buffers[1:]], null_count=1)
    assert urls(ExportedArray(producer.schema(schema.encode()), array)) == [None]


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.data())
def test_rows_of_a_bitmap_with_an_unknown_number_of_nulls(bits: list[bool], data: st.DataObject) -> None:
    need_native()
    first = data.draw(st.integers(0, len(bits) - 1))
    rows = bits[first:]
    bitmap = sum(bit << row for row, bit in enumerate(bits)).to_bytes(5, "little")
    producer = Producer()
    offsets = numbers(4, *range(0, 2 * len(bits) + 1, 2))
    for nulls in {-1, rows.count(False)}:
        array = producer.array(len(rows), [bitmap, offsets, b"/b" * len(bits)], offset=first, null_count=nulls)
        assert urls(ExportedArray(producer.schema(b"u"), array)) == [True if bit else None for bit in rows]
    # Some libraries have a bitmap although no row is null.
    array = producer.array(len(rows), [bytes(5), offsets, b"/b" * len(bits)], offset=first, null_count=0)
    assert urls(ExportedArray(producer.schema(b"u"), array)) == [True] * len(rows)


def test_an_empty_array_needs_no_buffers(producer: Producer) -> None:
    for schema in (b"u", b"U", b"vu", b"z"):
        array = producer.array(0, [None] * (4 if schema == b"vu" else 3))
        assert urls(ExportedArray(producer.schema(schema), array)) == []


def test_a_column_of_nulls(producer: Producer) -> None:
    assert urls(ExportedArray(producer.schema(b"n"), producer.array(3, [], null_count=3))) == [None] * 3
