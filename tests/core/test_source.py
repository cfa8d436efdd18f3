"""The limit, the tail and UTF-16: RFC 9309 sections 2.2.2 and 2.5."""

import pytest

from canfetch.core.profiles import PROFILES
from canfetch.core.source import decode_source
from canfetch.errors import InvalidLimit

RFC9309, GOOGLE = PROFILES["rfc9309"], PROFILES["google"]
LIMIT = 500 * 1024


def of_length(octets: int, end: bytes) -> bytes:
    return b"a" * (octets - len(end)) + end


@pytest.mark.parametrize(
    "octets, kept_octets",
    [
        # Up to the limit everything is kept, with or without an end.
        (of_length(LIMIT, b"\n"), LIMIT),
        (of_length(LIMIT, b"a"), LIMIT),
        # The line ends just before, at, and just behind the limit.
        (of_length(LIMIT - 1, b"\n") + b"/private", LIMIT - 1),
        (of_length(LIMIT, b"\n") + b"/private", LIMIT),
        (of_length(LIMIT, b"a") + b"\n/private", LIMIT),
        (of_length(LIMIT, b"a") + b"\r/private", LIMIT),
        # CRLF: behind, across, and before it.
        (of_length(LIMIT, b"a") + b"\r\n/private", LIMIT),
        (of_length(LIMIT, b"\r") + b"\n/private", LIMIT),
        (of_length(LIMIT, b"\r\n") + b"/private", LIMIT),
        # In the midst of a line: back to the end of the one before, whichever kind of end it has.
        (b"a\n" + of_length(LIMIT, b"b") + b"c\n", 2),
        (b"a\r" + of_length(LIMIT, b"b") + b"c\n", 2),
        (b"a\nb\r" + of_length(LIMIT, b"b"), 4),
        (b"a\rb\n" + of_length(LIMIT, b"b"), 4),
        # The first octet is the only end there is.
        (b"\n" + of_length(LIMIT, b"a"), 1),
        (b"\r" + of_length(LIMIT, b"a"), 1),
        # One line longer than all: nothing is whole.
        (of_length(LIMIT + 1, b"a"), 0),
    ],
)
def test_rfc9309_2_5_what_is_over_the_limit_is_cut_at_a_line_end(octets: bytes, kept_octets: int) -> None:
    source = decode_source(octets, RFC9309, LIMIT)
    assert len(source.content) == kept_octets
    assert source.content + source.tail == octets


def test_rfc9309_2_5_no_limit_below_500_kib() -> None:
    with pytest.raises(InvalidLimit, match="expected at least 512000"):
        decode_source(b"", RFC9309, LIMIT - 1)
    assert decode_source(b"", RFC9309, LIMIT).content == b""


def test_rfc9309_2_5_a_higher_limit_reads_more() -> None:
    octets = of_length(LIMIT, b"\n") + b"Allow: /\n"
    assert decode_source(octets, RFC9309, len(octets)).tail == b""


@pytest.mark.parametrize(
    "mark, encoding", [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")], ids=["little", "big"]
)
@pytest.mark.parametrize("text", ["Disallow: /\u30c4\r\n", "Disallow: /\U0001f600", ""])
def test_rfc9309_2_2_2_utf16_that_says_so_is_transcoded(mark: bytes, encoding: str, text: str) -> None:
    source = decode_source(mark + text.encode(encoding), RFC9309, LIMIT)
    assert source == (text.encode(), b"", encoding)


@pytest.mark.parametrize(
    "octets, read",
    [
        (b"\xff\xfea\0b", b"a\xef\xbf\xbd"),  # an odd octet at the end
        (b"\xff\xfe\x3d\xd8a\0", b"\xef\xbf\xbda"),  # a surrogate without its other half
    ],
)
def test_bad_utf16_is_replaced_and_never_raises(octets: bytes, read: bytes) -> None:
    assert decode_source(octets, RFC9309, LIMIT).content == read


def test_the_limit_counts_transcoded_octets() -> None:
    line = "Disallow: /\u30c4\n"
    octets = b"\xff\xfe" + (line * (LIMIT // len(line.encode()) + 1)).encode("utf-16-le")
    source = decode_source(octets, RFC9309, LIMIT)
    assert source.content == line.encode() * (LIMIT // len(line.encode()))
    assert source.tail == line.encode()


def test_google_reads_no_utf16() -> None:
    octets = b"\xff\xfe" + "Disallow: /".encode("utf-16-le")
    assert decode_source(octets, GOOGLE, LIMIT) == (octets, b"", "utf-8")
