"""Messages are found in a stream of bytes, whatever else it contains."""

import io

import pytest
from tests.lsp.editor import frame

from canfetch.lsp.stdio import MessageWriter, read_messages


@pytest.mark.parametrize(
    "data, expected",
    [
        (b"", []),
        (frame(b"a") + frame(b"bc"), [b"a", b"bc"]),
        (b"content-length:1\r\nContent-Type: x\r\n\r\na", [b"a"]),
        (b"Content-Type: x\nContent-Length: 1\n\na", [b"a"]),
        (b"\r\n\r\nnonsense\r\n" + frame(b"a"), [b"a"]),
        (b"Content-Length: x\r\n\r\n" + frame(b"a"), [b"a"]),
        (b"Content-Length: -1\r\n\r\n" + frame(b"a"), [b"a"]),
        (b"x" * 20_000 + b"\r\n" + frame(b"a"), [b"a"]),
        (frame(b"a") + b"Content-Length: 9\r\n\r\nshort", [b"a"]),
        (b"Content-Length: 9\r\n", []),
        # One that is too long is skipped, and reported as an empty one.
        (frame(b"123456") + frame(b"a"), [b"", b"a"]),
        (b"Content-Length: 99999999999999\r\n\r\nabc", []),
        (b"Content-Length: " + b"9" * 5000 + b"\r\n\r\nabc", []),
    ],
    ids=range(13),
)
def test_messages_are_read(data: bytes, expected: list[bytes]) -> None:
    assert list(read_messages(io.BytesIO(data), max_bytes=5)) == expected


@pytest.mark.slow
def test_a_closed_stream_is_reported_once_for_each_message() -> None:
    closed: list[bool] = []
    stream = io.BytesIO()
    writer = MessageWriter(stream, lambda: closed.append(True))
    writer.write(b"a")
    assert stream.getvalue() == b"a"
    stream.close()
    writer.write(b"b")
    writer.close()
    assert closed == [True]
