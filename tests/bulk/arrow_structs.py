"""Arrow data that a test builds field by field, so that any field can be wrong.

The structures are those of the Arrow C Data Interface. `Producer` counts how often each is released.
"""

import ctypes
from collections import Counter
from typing import Any


class Schema(ctypes.Structure):
    """`struct ArrowSchema`."""


class Array(ctypes.Structure):
    """`struct ArrowArray`."""


class Stream(ctypes.Structure):
    """`struct ArrowArrayStream`."""


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))
# As an address: ctypes cannot return a text from a callback.
GET_LAST_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Stream))

Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", RELEASE_ARRAY),
    ("private_data", ctypes.c_void_p),
]
Stream._fields_ = [
    ("get_schema", GET_SCHEMA),
    ("get_next", GET_NEXT),
    ("get_last_error", GET_LAST_ERROR),
    ("release", RELEASE_STREAM),
    ("private_data", ctypes.c_void_p),
]

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

# What the structures point to. Tests build few of them.
_kept: list[Any] = []


def keep(value: Any) -> Any:
    """Keep a value alive until the process ends."""
    _kept.append(value)
    return value


def capsule(value: Any, name: bytes) -> object:
    """Return a capsule with the address of a structure."""
    return _new_capsule(ctypes.addressof(keep(value)), keep(name), None)


def buffer(content: bytes | None) -> int | None:
    """Return the address of a buffer, or None for a null pointer."""
    return None if content is None else ctypes.addressof(keep(ctypes.create_string_buffer(content, len(content) + 8)))


def numbers(width: int, *values: int) -> bytes:
    """Return integers as a buffer has them."""
    return b"".join(value.to_bytes(width, "little", signed=True) for value in values)


class Producer:
    """Exports an array whose fields a test chooses, as an object of a library does."""

    def __init__(self) -> None:
        self.released: Counter[str] = Counter()

    def schema(self, format_: bytes | None = b"u", **fields: Any) -> Schema:
        """Return a schema."""

        def release(pointer: Any) -> None:
            self.released["schema"] += 1
            pointer.contents.release = RELEASE_SCHEMA()

        schema = Schema(format=keep(format_), name=b"", release=keep(RELEASE_SCHEMA(release)))
        self._fill(schema, Schema, fields)
        return schema

    def array(self, length: int, buffers: list[bytes | None] | None, **fields: Any) -> Array:
        """Return an array."""

        def release(pointer: Any) -> None:
            self.released["array"] += 1
            pointer.contents.release = RELEASE_ARRAY()

        array = Array(length=length, release=keep(RELEASE_ARRAY(release)))
        if buffers is not None:
            array.n_buffers = len(buffers)
            array.buffers = keep((ctypes.c_void_p * max(len(buffers), 1))(*map(buffer, buffers)))
        self._fill(array, Array, fields)
        return array

    @staticmethod
    def _fill(value: Any, kind: Any, fields: dict[str, Any]) -> None:
        for name, field in fields.items():
            if name == "children":
                pointers = [ctypes.pointer(keep(child)) if child else ctypes.POINTER(kind)() for child in field]
                value.n_children = len(pointers)
                value.children = keep((ctypes.POINTER(kind) * max(len(pointers), 1))(*pointers))
            elif name == "dictionary":
                value.dictionary = ctypes.pointer(keep(field))
            else:
                setattr(value, name, field)
        keep(value)


class ExportedArray:
    """An object with `__arrow_c_array__`."""

    def __init__(self, schema: Schema, array: Array) -> None:
        self._capsules = capsule(schema, b"arrow_schema"), capsule(array, b"arrow_array")

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return self._capsules


class ExportedStream:
    """An object with `__arrow_c_stream__`, whose callbacks return what a test chooses."""

    def __init__(
        self,
        schema: Schema | None,
        arrays: list[Array],
        *,
        schema_code: int = 0,
        next_code: int = 0,
        error: bytes | None = None,
        without: str = "",
    ) -> None:
        left = list(arrays)
        self.released = 0

        def get_schema(_: Any, out: Any) -> int:
            if schema is not None:
                ctypes.memmove(out, ctypes.byref(schema), ctypes.sizeof(Schema))
            return schema_code

        def get_next(_: Any, out: Any) -> int:
            if left:
                ctypes.memmove(out, ctypes.byref(left.pop(0)), ctypes.sizeof(Array))
                return 0
            return next_code

        def release(pointer: Any) -> None:
            self.released += 1
            pointer.contents.release = RELEASE_STREAM()

        stream = Stream(
            get_schema=keep(GET_SCHEMA(get_schema)),
            get_next=keep(GET_NEXT(get_next)),
            get_last_error=keep(GET_LAST_ERROR(lambda _: buffer(error))),
            release=keep(RELEASE_STREAM(release)),
        )
        if without:
            setattr(stream, without, type(getattr(stream, without))())
        self._capsule = capsule(stream, b"arrow_array_stream")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._capsule
