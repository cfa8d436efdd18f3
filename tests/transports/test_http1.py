"""The reader of HTTP/1.1 answers: however the octets come, the answer is the same."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from canfetch.access.responses import FailureKind, Headers
from canfetch.client.transports.failing import Failed
from canfetch.client.transports.http1 import HEAD_OCTETS_LIMIT, Incoming, body_pieces, read_head

Read = tuple[int, Headers, bytes] | FailureKind


def read(pieces: list[bytes]) -> Read:
    coming = iter([piece for piece in pieces if piece])
    incoming = Incoming(lambda: next(coming, b""))
    try:
        head = read_head(incoming)
        return head.status, head.headers, b"".join(body_pieces(incoming, head))
    except Failed as failed:
        return failed.kind


def test_folded_fields_are_joined() -> None:
    answer = read([b"HTTP/1.1 200 OK\r\nX-A: one\r\n two\r\n\tthree\r\nContent-Length: 0\r\n\r\n"])
    assert answer == (200, (("X-A", "one two three"), ("Content-Length", "0")), b"")


def test_values_are_read_as_utf_8_or_octet_by_octet() -> None:
    answer = read([b"HTTP/1.0 200\r\nX-A: \xc3\xb6\r\nX-B: \xf6\r\n\r\n"])
    assert answer == (200, (("X-A", "ö"), ("X-B", "ö")), b"")


@pytest.mark.parametrize(
    "octets, expected",
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nab", b"ab"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab", b"ab"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", b"ab"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\nab\n0\n\n", b"ab"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n00002 ; a=b\r\nab\r\n0\r\nX: y\r\n\r\n", b"ab"),
        (b"HTTP/1.1 200 OK\r\n\r\nab", b"ab"),
    ],
)
def test_rfc9112_6_3_bodies_have_their_length(octets: bytes, expected: bytes) -> None:
    answer = read([octets])
    assert not isinstance(answer, FailureKind), answer
    assert answer[2] == expected


@pytest.mark.parametrize(
    "octets, kind",
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
def test_what_is_no_answer_is_a_failure(octets: bytes, kind: FailureKind) -> None:
    assert read([octets]) is kind


@pytest.mark.parametrize("line", [b"X: y\r\n", b"X: " + b"y" * 1_000 + b"\r\n", b"x" * 1_000, b" folded\r\n"])
def test_heads_are_bounded(line: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nX: y\r\n" + line * (2 * HEAD_OCTETS_LIMIT // len(line)) + b"\r\n"
    assert read([head]) is FailureKind.PROTOCOL


def test_trailers_are_bounded() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    assert read([head, b"X: y\r\n" * HEAD_OCTETS_LIMIT]) is FailureKind.PROTOCOL


def test_body_is_taken_as_it_comes() -> None:
    coming = iter([b"HTTP/1.1 200 OK\r\n\r\nab", b"c", b"de"])
    incoming = Incoming(lambda: next(coming, b""))
    assert list(body_pieces(incoming, read_head(incoming))) == [b"ab", b"c", b"de"]


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


@given(octets=FRAGMENTS, cuts=st.lists(st.integers(0, 200), max_size=6))
def test_law_pieces_change_nothing(octets: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(min(cut, len(octets)) for cut in cuts), len(octets)]
    assert read([octets[start:end] for start, end in pairwise(places)]) == read([octets])


@given(octets=st.binary(max_size=300))
def test_law_any_octets_are_an_answer_or_a_failure(octets: bytes) -> None:
    for read_octets in (octets, b"HTTP/1.1 200 OK\r\n" + octets, b"HTTP/1.1 200 OK\r\n\r\n" + octets):
        read([read_octets])


@given(octets=FRAGMENTS, kept=st.integers(0, 200))
def test_law_what_has_a_length_and_is_cut_is_a_failure(octets: bytes, kept: int) -> None:
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(octets), octets)
    assert isinstance(read([whole[: min(kept, len(whole) - 1)]]), FailureKind)
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
    assert isinstance(read([chunked[: min(kept, len(chunked) - 1)]]), FailureKind)
