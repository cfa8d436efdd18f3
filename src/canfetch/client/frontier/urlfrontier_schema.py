"""The messages of the URLFrontier protocol that a frontier sends and receives. It requires the library `protobuf`.

The message classes are built from this module when the first frontier is opened. So there is no generated code, which
would work with some versions of protobuf only. A test compares each field with the descriptors of the Java package
`com.github.crawler-commons:urlfrontier-API:2.5`.
"""

from collections.abc import Mapping
from functools import cache
from types import SimpleNamespace
from typing import Any, Final

from canfetch.errors import MissingExtra

PACKAGE: Final = "urlfrontier"
# The fields as in a .proto file: `TYPE NAME = NUMBER`. A name in front of a colon is the `oneof` of the field.
MESSAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "AckMessage": ("string ID = 1", "Status status = 2"),
    "BlockQueueParams": ("string key = 1", "uint64 time = 2", "string crawlID = 3", "bool local = 4"),
    "DiscoveredURLItem": ("URLInfo info = 1",),
    "Empty": (),
    "GetParams": (
        "uint32 max_urls_per_queue = 1",
        "uint32 max_queues = 2",
        "string key = 3",
        "uint32 delay_requestable = 4",
        "item: string crawlID = 6",
    ),
    "KnownURLItem": ("URLInfo info = 1", "uint64 refetchable_from_date = 2"),
    "ListUrlParams": ("uint32 start = 1", "uint32 size = 2", "string key = 3", "string crawlID = 4", "bool local = 5"),
    "QueueDelayParams": ("string key = 1", "uint32 delay_requestable = 2", "string crawlID = 3", "bool local = 4"),
    "QueueWithinCrawlParams": ("string key = 1", "string crawlID = 2", "bool local = 3"),
    "Stats": (
        "uint64 size = 1",
        "uint32 inProcess = 2",
        "map<string, uint64> counts = 3",
        "uint64 numberOfQueues = 4",
        "string crawlID = 5",
    ),
    "StringList": ("repeated string values = 1",),
    "URLInfo": ("string url = 1", "string key = 2", "map<string, StringList> metadata = 3", "string crawlID = 4"),
    "URLItem": ("item: DiscoveredURLItem discovered = 1", "item: KnownURLItem known = 2", "string ID = 3"),
}
# The message that contains each enumeration, and its values from 0.
ENUMERATIONS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {"Status": ("AckMessage", ("OK", "SKIPPED", "FAIL"))}
# Methods by their kind in `grpc.Channel`, with the types of a request and an answer.
METHODS: Final[Mapping[str, tuple[str, str, str]]] = {
    "BlockQueueUntil": ("unary_unary", "BlockQueueParams", "Empty"),
    "GetStats": ("unary_unary", "QueueWithinCrawlParams", "Stats"),
    "GetURLs": ("unary_stream", "GetParams", "URLInfo"),
    "ListURLs": ("unary_stream", "ListUrlParams", "URLItem"),
    "PutURLs": ("stream_stream", "URLItem", "AckMessage"),
    "SetDelay": ("unary_unary", "QueueDelayParams", "Empty"),
}


def method_path(method: str) -> str:
    """Return the name of a method on the wire."""
    return f"/{PACKAGE}.URLFrontier/{method}"


@cache
def message_classes() -> Any:
    """Return the message classes, as attributes.

    Raises: MissingExtra: The library `protobuf` is not installed.
    """
    try:
        from google.protobuf import descriptor_pool, message_factory  # noqa: PLC0415 - an optional dependency
    except ImportError as error:
        raise missing_extra(error) from None
    # A pool of its own: a program can also have generated classes with the same names.
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(build_descriptor().SerializeToString())
    return SimpleNamespace(
        **{
            name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))  # type: ignore[no-untyped-call,unused-ignore]
            for name in MESSAGES
        }
    )


def missing_extra(error: ImportError) -> MissingExtra:
    """Return the exception for a library that is not installed."""
    return MissingExtra(
        "a frontier on URLFrontier requires the libraries grpcio and protobuf: "
        f'pip install "canfetch[urlfrontier]" ({error})'
    )


def build_descriptor() -> Any:
    """Return the `FileDescriptorProto` of all messages."""
    from google.protobuf import descriptor_pb2  # noqa: PLC0415 - an optional dependency

    file = descriptor_pb2.FileDescriptorProto(name="canfetch/urlfrontier.proto", package=PACKAGE, syntax="proto3")
    for name, fields in MESSAGES.items():
        message = file.message_type.add(name=name)
        for enumeration, (parent, values) in ENUMERATIONS.items():
            if parent == name:
                message.enum_type.add(name=enumeration)
                for number, value in enumerate(values):
                    message.enum_type[-1].value.add(name=value, number=number)
        for text in fields:
            _add_field(message, text)
    return file


def _add_field(message: Any, text: str) -> None:
    oneof, _, declaration = text.rpartition(": ")
    kind, name, _, number = declaration.replace(", ", ",").removeprefix("repeated ").split(" ")
    field = message.field.add(name=name, number=int(number), label=1)
    if declaration.startswith("repeated "):
        field.label = 3
    if kind.startswith("map<"):
        # A map is a list of messages with a key and a value.
        entry = message.nested_type.add(name=f"{name.capitalize()}Entry")
        entry.options.map_entry = True
        for position, part in enumerate(kind.removeprefix("map<").removesuffix(">").split(","), 1):
            _set_type(entry.field.add(name=("key", "value")[position - 1], number=position, label=1), part)
        field.label = 3
        kind = f"{message.name}.{entry.name}"
    _set_type(field, kind)
    if oneof:
        if not message.oneof_decl:
            message.oneof_decl.add(name=oneof)
        field.oneof_index = 0


def _set_type(field: Any, kind: str) -> None:
    scalar = {"uint64": 4, "bool": 8, "string": 9, "uint32": 13}.get(kind)
    if scalar is not None:
        field.type = scalar
    elif kind in ENUMERATIONS:
        field.type = 14
        field.type_name = f".{PACKAGE}.{ENUMERATIONS[kind][0]}.{kind}"
    else:
        field.type = 11
        field.type_name = f".{PACKAGE}.{kind}"
