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
# The URL can have spaces, so that the date shows where it ends. Everything before the length can be missing.
_HEADER: Final = re.compile(
    rb"([A-Za-z][A-Za-z0-9+.-]{0,31}:[^\n]{0,%d}) [^ \n]{1,64} (\d{14}) (?:[^\n]{1,1024} )?(\d{1,15})[ \t]*\r?\n"
    % (_MAX_LINE_BYTES - 2048)
)
# Bytes whose rest can be missing.
_CUT_HEADER: Final = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]{0,31}(?::[^\n]*)?\Z")
_NEXT_HEADER: Final = re.compile(rb"\n(?=%s)" % _HEADER.pattern)
_DESCRIPTION: Final = "filedesc:"


class _ArcFormat:
    name: str = "an ARC record"
    length_name: str = "length"
    url_name: str = "URL"
    date_name: str = "date"
    plain: tuple[bytes, ...] = (b"filedesc:", b"http://", b"https://", b"dns:")
    trailer_bytes: int = 1
    can_end_with_member: bool = True

    def starts_at(self, data: bytes, start: int) -> bool:
        return _HEADER.match(data, start) is not None

    def may_start_at(self, data: bytes, start: int) -> bool:
        return len(data) - start <= _MAX_LINE_BYTES and _CUT_HEADER.match(data, start) is not None

    def find_next(self, data: bytes, start: int, end: int) -> int:
        found = _NEXT_HEADER.search(data, start, end)
        return -1 if found is None else found.start()

    def kept_from(self, data: bytes, start: int) -> int:
        line_end = data.rfind(b"\n", max(start, len(data) - _MAX_LINE_BYTES))
        return len(data) if line_end < 0 else line_end

    def find_head(self, data: bytes, start: int, limit: int) -> tuple[int, int]:
        end = data.find(b"\n", start, limit)
        return end, end + 1 if end >= 0 else -1

    def parse_head(self, head: bytes) -> dict[str, str]:
        found = _HEADER.match(head + b"\n")
        if found is None:
            return {}
        url, date, length = (part.decode("utf-8", "replace") for part in found.groups())
        kind = "warcinfo" if url.startswith(_DESCRIPTION) else "response"
        return {"warc-type": kind, "warc-target-uri": url, "warc-date": date, "content-length": length}


ARC: Final[RecordFormat] = _ArcFormat()
