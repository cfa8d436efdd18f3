"""The HTTP/1.1 reader: framing, limits and truncated responses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.transports.harness import split_at

from canfetch.access.responses import FailureKind, Headers
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.headers import MAX_HEAD_BYTES
from canfetch.client.transports.http1 import ByteReader, iter_body, read_head

Read = tuple[int, Headers, bytes] | FailureKind


def read(chunks: list[bytes]) -> Read:
    incoming = iter([chunk for chunk in chunks if chunk])
    reader = ByteReader(lambda: next(incoming, b""))
    try:
        head = read_head(reader)
        return head.status, head.headers, b"".join(iter_body(reader, head))
    except TransportError as error:
        return error.kind


def test_folded_header_is_joined() -> None:
    answer = read([b"HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\n\tthree\r\nContent-Length: 0\r\n\r\n"])
    assert answer == (200, (("X-A", "one two three"), ("Content-Length", "0")), b"")


def test_header_is_decoded_as_utf8_or_latin1() -> None:
    answer = read([b"HTTP/1.0 200\r\nX-A: \xc3\xb6\r\nX-B: \xf6\r\n\r\n"])
    assert answer == (200, (("X-A", "ö"), ("X-B", "ö")), b"")


@pytest.mark.parametrize(
    "data, expected",
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nab", b"ab"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab", b"ab"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", b"ab"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\nab\n0\n\n", b"ab"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n00002 ; a=b\r\nab\r\n0\r\nX: y\r\n\r\n", b"ab"),
        (b"HTTP/1.1 200 OK\r\n\r\nab", b"ab"),
    ],
)
def test_rfc9112_6_3_body_length(data: bytes, expected: bytes) -> None:
    answer = read([data])
    assert not isinstance(answer, FailureKind), answer
    assert answer[2] == expected


@pytest.mark.parametrize(
    "data, kind",
    [
        (b"", FailureKind.RESET),
        (b"\r\nHTTP/1.1 200 OK\r\n\r\n", FailureKind.PROTOCOL),
        (b"HTTP/2 200\r\n\r\n", FailureKind.PROTOCOL),
        (b"HTTP/1.1  200 OK\r\n\r\n", FailureKind.PROTOCOL),
        (b"HTTP/1.1 200OK\r\n\r\n", FailureKind.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\n: no name\r\n\r\n", FailureKind.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nX : y\r\n\r\n", FailureKind.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\n folded at once\r\n\r\n", FailureKind.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n", FailureKind.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n", FailureKind.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nab", FailureKind.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nab", FailureKind.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nab", FailureKind.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 30 + b"\r\n\r\nab", FailureKind.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", FailureKind.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nab\r\n0\r\n\r\n", FailureKind.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"f" * 20 + b"\r\n", FailureKind.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", FailureKind.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab", FailureKind.INCOMPLETE),
    ],
)
def test_invalid_response_is_a_failure(data: bytes, kind: FailureKind) -> None:
    assert read([data]) is kind


@pytest.mark.parametrize("line", [b"X: y\r\n", b"X: " + b"y" * 1_000 + b"\r\n", b"x" * 1_000, b" folded\r\n"])
def test_head_is_limited(line: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nX: y\r\n" + line * (2 * MAX_HEAD_BYTES // len(line)) + b"\r\n"
    assert read([head]) is FailureKind.PROTOCOL


def test_trailers_are_limited() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    assert read([head, b"X: y\r\n" * MAX_HEAD_BYTES]) is FailureKind.PROTOCOL


def test_body_is_yielded_as_it_arrives() -> None:
    incoming = iter([b"HTTP/1.1 200 OK\r\n\r\nab", b"c", b"de"])
    reader = ByteReader(lambda: next(incoming, b""))
    assert list(iter_body(reader, read_head(reader))) == [b"ab", b"c", b"de"]


FRAGMENTS = st.lists(
    st.sampled_from(
        [
            b"HTTP/1.1 200 OK\r\n",
            b"HTTP/1.1 103 Early Hints\r\n",
            b"Content-Length: 3\r\n",
            b"Transfer-Encoding: chunked\r\n",
            b"X: y\r\n",
            b"\r\n",
            b"\n",
            b"3\r\nabc\r\n",
            b"0\r\n\r\n",
            b"abc",
            b"\0",
            b"\xff",
        ]
    ),
    max_size=8,
).map(b"".join)


@given(data=FRAGMENTS, cuts=st.lists(st.integers(0, 200), max_size=6))
def test_law_chunk_boundaries_do_not_matter(data: bytes, cuts: list[int]) -> None:
    assert read(split_at(data, cuts)) == read([data])


@given(data=st.binary(max_size=300))
def test_law_any_bytes_are_a_response_or_a_failure(data: bytes) -> None:
    for response in (data, b"HTTP/1.1 200 OK\r\n" + data, b"HTTP/1.1 200 OK\r\n\r\n" + data):
        read([response])


@given(data=FRAGMENTS, length=st.integers(0, 200))
def test_law_truncated_response_with_a_length_is_a_failure(data: bytes, length: int) -> None:
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(data), data)
    assert isinstance(read([whole[: min(length, len(whole) - 1)]]), FailureKind)
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
    assert isinstance(read([chunked[: min(length, len(chunked) - 1)]]), FailureKind)
