"""The size limit, the tail and UTF-16: RFC 9309 sections 2.2.2 and 2.5."""

import pytest

from canfetch.core.profiles import PROFILES
from canfetch.core.source import decode_source
from canfetch.errors import InvalidLimit

RFC9309, GOOGLE = PROFILES["rfc9309"], PROFILES["google"]
LIMIT = 500 * 1024


def of_length(length: int, end: bytes) -> bytes:
    return b"a" * (length - len(end)) + end


@pytest.mark.parametrize(
    "content, parsed_length",
    [
        # Content up to the limit is parsed, with or without a line end.
        (of_length(LIMIT, b"\n"), LIMIT),
        (of_length(LIMIT, b"a"), LIMIT),
        # The line ends just before, at, and just after the limit.
        (of_length(LIMIT - 1, b"\n") + b"/private", LIMIT - 1),
        (of_length(LIMIT, b"\n") + b"/private", LIMIT),
        (of_length(LIMIT, b"a") + b"\n/private", LIMIT),
        (of_length(LIMIT, b"a") + b"\r/private", LIMIT),
        # CRLF after, across, and before the limit.
        (of_length(LIMIT, b"a") + b"\r\n/private", LIMIT),
        (of_length(LIMIT, b"\r") + b"\n/private", LIMIT),
        (of_length(LIMIT, b"\r\n") + b"/private", LIMIT),
        # Within a line: cut at the end of the previous line, whichever line end it has.
        (b"a\n" + of_length(LIMIT, b"b") + b"c\n", 2),
        (b"a\r" + of_length(LIMIT, b"b") + b"c\n", 2),
        (b"a\nb\r" + of_length(LIMIT, b"b"), 4),
        (b"a\rb\n" + of_length(LIMIT, b"b"), 4),
        # The first byte is the only line end.
        (b"\n" + of_length(LIMIT, b"a"), 1),
        (b"\r" + of_length(LIMIT, b"a"), 1),
        # A single line over the limit: nothing is parsed.
        (of_length(LIMIT + 1, b"a"), 0),
    ],
)
def test_rfc9309_2_5_content_over_the_limit_is_cut_at_a_line_end(content: bytes, parsed_length: int) -> None:
    source = decode_source(content, RFC9309, LIMIT)
    assert len(source.content) == parsed_length
    assert source.content + source.tail == content


def test_rfc9309_2_5_limit_below_500_kib_raises() -> None:
    with pytest.raises(InvalidLimit, match="expected at least 512000"):
        decode_source(b"", RFC9309, LIMIT - 1)
    assert decode_source(b"", RFC9309, LIMIT).content == b""


def test_rfc9309_2_5_higher_limit_parses_more() -> None:
    content = of_length(LIMIT, b"\n") + b"Allow: /\n"
    assert decode_source(content, RFC9309, len(content)).tail == b""


@pytest.mark.parametrize(
    "mark, encoding", [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")], ids=["little", "big"]
)
@pytest.mark.parametrize("text", ["Disallow: /\u30c4\r\n", "Disallow: /\U0001f600", ""])
def test_rfc9309_2_2_2_utf16_with_byte_order_mark_is_transcoded(mark: bytes, encoding: str, text: str) -> None:
    source = decode_source(mark + text.encode(encoding), RFC9309, LIMIT)
    assert source == (text.encode(), b"", encoding)


@pytest.mark.parametrize(
    "content, decoded",
    [
        (b"\xff\xfea\0b", b"a\xef\xbf\xbd"),  # a single byte at the end
        (b"\xff\xfe\x3d\xd8a\0", b"\xef\xbf\xbda"),  # an unpaired surrogate
    ],
)
def test_invalid_utf16_is_replaced(content: bytes, decoded: bytes) -> None:
    assert decode_source(content, RFC9309, LIMIT).content == decoded


def test_limit_counts_transcoded_bytes() -> None:
    line = "Disallow: /" + 30 * "\u30c4" + "\n"
    content = b"\xff\xfe" + (line * (LIMIT // len(line.encode()) + 1)).encode("utf-16-le")
    assert len(content) < LIMIT
    source = decode_source(content, RFC9309, LIMIT)
    assert source.content == line.encode() * (LIMIT // len(line.encode()))
    assert source.tail == line.encode()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("last", ["Disallow: /private\n", "Disallow: /\U0001f600\n"])
@pytest.mark.parametrize("read", [1, 2, 19, 20, 21, 22, 23, 24, 25])
def test_limit_counts_the_bytes_of_a_utf16_file(encoding: str, last: str, read: int) -> None:
    """A file that a client cut has the same content as the complete one, and no part of a line."""
    mark = "\ufeff".encode(encoding)
    lines = "#" * ((LIMIT - read) // 2 - 2) + "\n"
    content = mark + (lines + last).encode(encoding)
    complete = decode_source(content, RFC9309, LIMIT)
    assert (complete.content, complete.tail) == (lines.encode(), last.encode())
    assert decode_source(content[: LIMIT + 1], RFC9309, LIMIT).content == lines.encode()


def test_google_utf16_is_not_transcoded() -> None:
    content = b"\xff\xfe" + "Disallow: /".encode("utf-16-le")
    assert decode_source(content, GOOGLE, LIMIT) == (content, b"", "utf-8")
