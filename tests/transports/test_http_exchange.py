"""The HTTP/1.1 exchange: framing, limits and truncated responses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.transports.harness import make_request, split_at

from canfetch.access.responses import FailureKind, Headers
from canfetch.client.transports.endpoints import parse_endpoint
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.headers import MAX_HEAD_BYTES
from canfetch.client.transports.http_exchange import HTTPExchange

URL = "http://example.com/robots.txt?a=b"
Read = tuple[int, Headers, bytes] | FailureKind


def start_exchange(*headers: tuple[str, str]) -> HTTPExchange:
    request = make_request(URL, headers=headers)
    return HTTPExchange(request, parse_endpoint(URL))


def read(chunks: list[bytes]) -> Read:
    exchange = start_exchange()
    try:
        for chunk in [*(chunk for chunk in chunks if chunk), b""]:
            answer = exchange.receive(chunk)
            if answer is not None:
                return answer.status, answer.headers, answer.body
    except TransportError as error:
        return error.kind
    raise AssertionError("no response at the end of the data")


def test_request_has_its_headers_in_order() -> None:
    lines = start_exchange(("User-Agent", "ExampleBot/1.0"), ("From", "")).request_data.split(b"\r\n")
    assert lines[:4] == [
        b"GET /robots.txt?a=b HTTP/1.1",
        b"Host: example.com",
        b"User-Agent: ExampleBot/1.0",
        b"From: ",
    ]
    assert lines[5:] == [b"Connection: close", b"", b""]


def test_header_that_cannot_be_sent_is_a_failure() -> None:
    with pytest.raises(TransportError, match="invalid request") as raised:
        start_exchange(("X", "a\vb"))
    assert raised.value.kind is FailureKind.PROTOCOL


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
        (b"HTTP/1.1 200 OK\r\nContent-Length: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", b"ab"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n00002;a=b\r\nab\r\n0\r\nX: y\r\n\r\n", b"ab"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n\r\nab", b"ab"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", b"ab"),
        (b"HTTP/1.1 200 OK\r\n\r\nab", b"ab"),
        (b"HTTP/1.0 200\n\nab", b"ab"),
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
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"f" * 21 + b"\r\n", FailureKind.PROTOCOL),
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


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.slow
def test_number_of_chunks_is_limited() -> None:
    small = b"10\r\n0123456789abcdef\r\n"
    assert read([CHUNKED, small * 30_000, b"0\r\n\r\n"]) == (
        200,
        (("Transfer-Encoding", "chunked"),),
        b"0123456789abcdef" * 30_000,
    )
    assert read_with_limit([CHUNKED, small * 65_536, b"0\r\n\r\n"], 2_000_000) == 200
    assert read_with_limit([CHUNKED, small * 65_537, b"0\r\n\r\n"], 2_000_000) is FailureKind.PROTOCOL


def read_with_limit(parts: list[bytes], max_bytes: int) -> int | FailureKind:
    """Return the status of a response with a size limit, or why it cannot be read."""
    exchange = HTTPExchange(make_request(URL, max_bytes=max_bytes), parse_endpoint(URL))
    try:
        for part in parts:
            response = exchange.receive(part)
            if response is not None:
                return response.status
    except TransportError as error:
        return error.kind
    raise AssertionError("no response at the end of the data")


@pytest.mark.parametrize("at_a_time", [1 << 20, 1000, 7])
@pytest.mark.parametrize(
    "first, others, is_accepted",
    [
        (1, 4096, True),
        (1, 4097, False),
        # The first chunk is long enough for 100 more of one byte.
        (15 * 4096 + 16 * 100, 4096 + 99, True),
        (15 * 4096 + 16 * 100, 4096 + 100 + 100, False),
    ],
)
def test_tiny_chunks_are_limited_however_they_arrive(
    first: int,
    others: int,
    is_accepted: bool,  # noqa: FBT001
    at_a_time: int,
) -> None:
    body = b"%x\r\n%b\r\n" % (first, b"x" * first) + b"1\r\nx\r\n" * (others - 1) + b"0\r\n\r\n"
    parts = [CHUNKED, *(body[start : start + at_a_time] for start in range(0, len(body), at_a_time))]
    answer = read(parts)
    assert answer is FailureKind.PROTOCOL if not is_accepted else not isinstance(answer, FailureKind), answer


def test_chunks_are_read_in_parts() -> None:
    exchange = start_exchange()
    exchange.add(CHUNKED + b"1\r\nx\r\n" * 1000 + b"0\r\n\r\n")
    answers = [exchange.advance()]
    while answers[-1] is None:
        assert exchange.is_behind
        answers.append(exchange.advance())
    assert len(answers) == 1 + 1000 // 64
    assert answers[-1].body == b"x" * 1000


def test_exchange_without_more_data_is_not_behind() -> None:
    exchange = start_exchange()
    for data in (b"HTTP/1.1 200 OK\r\n", b"Content-Length: 3\r\n\r\n", b"a", b"b"):
        exchange.add(data)
        while exchange.is_behind:
            assert exchange.advance() is None
    exchange.add(b"c")
    answer = exchange.advance()
    assert answer is not None
    assert answer.body == b"abc"


def test_trailers_are_limited() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    assert read([head, b"X: y\r\n" * MAX_HEAD_BYTES]) is FailureKind.PROTOCOL


@pytest.mark.parametrize("value", [b"a\vb", b"a\fb", b"\v", b"a\x01b", b'"', b"\xff\xfe"])
def test_odd_bytes_in_a_header_value_are_accepted(value: bytes) -> None:
    answer = read([b"HTTP/1.1 200 OK\r\nX: " + value + b"\r\nContent-Length: 2\r\n\r\nab"])
    assert not isinstance(answer, FailureKind), answer
    assert answer[2] == b"ab"


@pytest.mark.parametrize("reason", [b"", b" ", b" OK", b" a\0b", b" a\rb", b" \v", b" \xff", b"  OK"])
def test_reason_phrase_has_no_effect(reason: bytes) -> None:
    assert read([b"HTTP/1.1 200" + reason + b"\r\nContent-Length: 2\r\n\r\nab"]) == (
        200,
        (("Content-Length", "2"),),
        b"ab",
    )


@pytest.mark.parametrize(
    "fields", [b"Content-Length: many\r\n", b"Content-Length: 1\r\nContent-Length: 2\r\n", b"Transfer-Encoding: x\r\n"]
)
@pytest.mark.parametrize("status", [204, 302, 404, 503])
def test_framing_of_a_body_that_is_not_read_has_no_effect(status: int, fields: bytes) -> None:
    head = b"HTTP/1.1 100 Continue\r\n%b\r\nHTTP/1.1 %d Reason\r\n%bX: y\r\n\r\n" % (fields, status, fields)
    assert read([head]) == (status, (("X", "y"),), b"")


def test_response_is_returned_before_the_end_of_the_data() -> None:
    exchange = start_exchange()
    assert exchange.receive(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab") is None
    answer = exchange.receive(b"cde")
    assert answer is not None
    assert answer.body == b"abc"


@pytest.mark.parametrize("line", [b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 2000 OK\r\n", b"\n"])
def test_invalid_status_line_is_a_failure_before_the_end_of_the_head(line: bytes) -> None:
    with pytest.raises(TransportError, match="not an HTTP"):
        start_exchange().receive(line)


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


@pytest.mark.parametrize("size", [MAX_HEAD_BYTES, MAX_HEAD_BYTES + 1, 100_000, 200_000])
@pytest.mark.parametrize("chunk", ["first", "second", "last"])
def test_limit_of_chunk_extensions_does_not_depend_on_the_reads(chunk: str, size: int) -> None:
    # The line breaks around the extension count, and that of the chunk before.
    extension = b";" + b"x" * (size - len(b"1;\r\n") - (0 if chunk == "first" else 2) - (2 if chunk == "last" else 0))
    first, second, last = (extension if name == chunk else b"" for name in ("first", "second", "last"))
    data = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    data += b"1%b\r\na\r\n1%b\r\nb\r\n0%b\r\n\r\nmore data" % (first, second, last)
    results = [
        read([data]),
        *(
            read([data[start : start + step] for start in range(0, len(data), step)])
            for step in (1_000, 16_384, 65_536)
        ),
    ]
    if size > MAX_HEAD_BYTES:
        assert results == [FailureKind.PROTOCOL] * 4
    else:
        assert results == [(200, (("Transfer-Encoding", "chunked"),), b"ab")] * 4
