"""Physical lines: RFC 9309 section 2.2 (NL), and those of Google's parser."""

import pytest

from canfetch.core.lines import byte_order_mark_length, line_text, physical_lines, readable_part
from canfetch.core.profiles import PROFILES

RFC9309, GOOGLE = PROFILES["rfc9309"], PROFILES["google"]


def contents(content: bytes) -> list[bytes]:
    return [line.rstrip(b"\r\n") for line in physical_lines(content, RFC9309)[1]]


@pytest.mark.parametrize(
    "content, lines",
    [
        (b"a\nb\rc\r\nd", [b"a", b"b", b"c", b"d"]),
        (b"a\n\rb", [b"a", b"", b"b"]),
        (b"a\r\r\nb", [b"a", b"", b"b"]),
        (b"\n\n", [b"", b""]),
        (b"", []),
        # The other line ends of str.splitlines(): VT, FF, FS, GS, RS, NEL, LINE SEPARATOR.
        (b"a\vb\fc\x1cd\x1de\x1ef\xc2\x85g\xe2\x80\xa8h", [b"a\vb\fc\x1cd\x1de\x1ef\xc2\x85g\xe2\x80\xa8h"]),
    ],
)
def test_rfc9309_2_2_lines_end_only_with_cr_lf_or_crlf(content: bytes, lines: list[bytes]) -> None:
    assert contents(content) == lines


def test_lines_start_after_the_byte_order_mark_and_include_line_ends() -> None:
    assert physical_lines(b"\xef\xbb\xbfab\r\n\rc", RFC9309) == (3, [b"ab\r\n", b"\r", b"c"])


@pytest.mark.parametrize(
    "content, in_rfc9309, in_google",
    [
        (b"\xef\xbb\xbfa", 3, 3),
        (b"\xef\xbb\xbf\xef\xbb\xbf", 3, 3),
        (b"\xef\xbba", 0, 2),
        (b"\xefa", 0, 1),
        (b"\xef\xef\xbb\xbf", 0, 1),
        (b"\xbb\xbfa", 0, 0),
        (b"", 0, 0),
    ],
)
def test_google_part_of_a_byte_order_mark_is_skipped(content: bytes, in_rfc9309: int, in_google: int) -> None:
    assert byte_order_mark_length(content, RFC9309) == in_rfc9309
    assert byte_order_mark_length(content, GOOGLE) == in_google


def test_google_line_limit_is_2083_times_8_minus_1_bytes() -> None:
    longest = b"a" * (2083 * 8 - 1)
    assert readable_part(longest + b"b", GOOGLE) == longest
    assert readable_part(longest + b"b", RFC9309) == longest + b"b"


def test_google_nul_ends_a_line() -> None:
    assert readable_part(b"Disallow: /a\0b\0c", GOOGLE) == b"Disallow: /a"
    assert readable_part(b"Disallow: /a\0b\0c", RFC9309) == b"Disallow: /a\0b\0c"


@pytest.mark.parametrize(
    "line, max_bytes, text",
    [
        (b"Allow:\t/a ", None, "Allow: /a "),
        (b"Disallow: /\xff", None, "Disallow: /%FF"),
        (b"Disallow: /abc", 14, "Disallow: /abc"),
        (b"Disallow: /abcd", 14, "Disallow: /\N{HORIZONTAL ELLIPSIS}"),
    ],
)
def test_lines_for_display(line: bytes, max_bytes: int | None, text: str) -> None:
    assert line_text(line, max_bytes) == text
