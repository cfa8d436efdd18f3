"""The records of an ARC file, the predecessor of WARC: the fields of each are one line.

    http://example.com/robots.txt 192.0.2.1 20080430204825 text/plain 200

Version 2 has more fields between the content type and the length. The first record, `filedesc:`, describes the file.

Source: Burner and Kahle, Arc File Format, versions 1 and 2; https://archive.org/web/researcher/ArcFileFormat.php.
"""

import re
from typing import Final

from canfetch.bulk.reading.warc_records import RecordFormat

# A longer line is not a header.
_MAX_LINE_BYTES: Final = 1 << 14
_SCHEME: Final = rb"[A-Za-z][A-Za-z0-9+.-]{0,31}:"
_URL_START: Final = re.compile(_SCHEME)
_MAX_AFTER_SCHEME: Final = _MAX_LINE_BYTES - 2048
_MAX_ADDRESS_BYTES: Final = 64
_DATE_DIGITS: Final = 14
# What is between the date and the length, such as the content type.
_MAX_OTHER_BYTES: Final = 1024
_MAX_LENGTH_DIGITS: Final = 15
# Bytes whose rest can be missing.
_CUT_HEADER: Final = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]{0,31}(?::[^\n]*)?\Z")
_NEXT_URL: Final = re.compile(rb"\n(?=%s)" % _SCHEME)
_DESCRIPTION: Final = "filedesc:"


def _find_header(data: bytes, start: int, end: int) -> tuple[bytes, bytes, bytes] | None:
    """Return the fields of the header at `start`, where a URL starts, as `_parse_header`."""
    line_end = data.find(b"\n", start, min(start + _MAX_LINE_BYTES, end))
    return None if line_end < 0 else _parse_header(data[start:line_end])


def _parse_header(line: bytes) -> tuple[bytes, bytes, bytes] | None:
    """Return the URL, the date and the length of a header, or None.

    Between them are an address and, after the date, maybe other fields. The URL can have spaces, so that the last date
    that fits is the one.

    Cost: O(bytes). The fields are found from the end: a regular expression would try each space of the URL.
    """
    text, _, length = line.removesuffix(b"\r").rstrip(b" \t").rpartition(b" ")
    if len(length) > _MAX_LENGTH_DIGITS or not length.isdigit():
        return None
    fields = text.split(b" ")
    longest = text.find(b":") + 1 + _MAX_AFTER_SCHEME
    end = len(text)
    for date, address in zip(reversed(fields[2:]), reversed(fields[1:-1]), strict=True):
        other_bytes = len(text) - end - 1
        if other_bytes > _MAX_OTHER_BYTES:
            break
        start = end - len(date) - 1
        url_end = start - len(address) - 1
        # Without other fields, the length follows after one space.
        if (
            other_bytes
            and len(date) == _DATE_DIGITS
            and date.isdigit()
            and 0 < len(address) <= _MAX_ADDRESS_BYTES
            and url_end <= longest
        ):
            return text[:url_end], date, length
        end = start
    return None


class _ArcFormat:
    name: str = "an ARC record"
    length_name: str = "length"
    url_name: str = "URL"
    date_name: str = "date"
    plain: tuple[bytes, ...] = (b"filedesc:", b"http://", b"https://", b"dns:")
    trailer_bytes: int = 1
    can_end_with_member: bool = True

    def starts_at(self, data: bytes, start: int) -> bool:
        return _URL_START.match(data, start) is not None and _find_header(data, start, len(data)) is not None

    def may_start_at(self, data: bytes, start: int) -> bool:
        return len(data) - start <= _MAX_LINE_BYTES and _CUT_HEADER.match(data, start) is not None

    def find_next(self, data: bytes, start: int, end: int) -> int:
        for found in _NEXT_URL.finditer(data, start, end):
            if _find_header(data, found.end(), end) is not None:
                return found.start()
        return -1

    def kept_from(self, data: bytes, start: int) -> int:
        line_end = data.rfind(b"\n", max(start, len(data) - _MAX_LINE_BYTES))
        return len(data) if line_end < 0 else line_end

    def find_head(self, data: bytes, start: int, limit: int) -> tuple[int, int]:
        end = data.find(b"\n", start, limit)
        return end, end + 1 if end >= 0 else -1

    def parse_head(self, head: bytes) -> dict[str, str]:
        found = _parse_header(head) if _URL_START.match(head) else None
        if found is None:
            return {}
        url, date, length = (part.decode("utf-8", "replace") for part in found)
        kind = "warcinfo" if url.startswith(_DESCRIPTION) else "response"
        return {"warc-type": kind, "warc-target-uri": url, "warc-date": date, "content-length": length}


ARC: Final[RecordFormat] = _ArcFormat()
