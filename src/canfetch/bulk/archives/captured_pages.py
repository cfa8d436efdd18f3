"""Captures of pages, TDM files and licenses, reduced to what answers about their use depend on."""

import json
import sqlite3
import zlib
from typing import Final, NamedTuple

from canfetch.access.redirects import REDIRECTS
from canfetch.access.responses import Response
from canfetch.bulk.archives.redirected_hosts import canonical_url
from canfetch.bulk.reading.captures import MAX_CONTENT_BYTES, NO_RESPONSE, Capture, is_robots_url
from canfetch.client.sqlite_files import check_row
from canfetch.consent.sources import PAGE_STARTS, MissingSource, PageResponse, real_document
from canfetch.pages.headers import header_pairs
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES
from canfetch.pages.page_rules import parse_page
from canfetch.pages.tdm import TDM_FILE_PATH

_TABLES: Final = """
create table if not exists pages (source integer, url text, time real, status integer, headers text, body blob);
"""
_INDEX: Final = "create index if not exists pages_by_url on pages (url, time);"
_TIME: Final = "coalesce(time, -9e999)"
_QUERY: Final = f"""
select url, time, status, headers, body from pages where url = ? and {_TIME} <= ?
order by {_TIME} desc, rowid desc limit 1
"""  # noqa: S608 - only a constant is inserted
# Bodies without statements: the page was read, and nothing is in it. In place of a file, a web page or an empty
# response means that there is none, and other content cannot be read.
_NOTHING: Final = b" "
_NO_FILE: Final = b"?"
_XML_STARTS: Final = (b"<rsl", b"<?xml")
# What a TDM file or a license begins with, after a byte order mark and white space, and what it contains. In UTF-16,
# there are null bytes between the characters.
_FILE_STARTS: Final = (b"<", b"[", b"{")
_BEFORE_FILES: Final = b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n"
_IN_FILES: Final = (b"rsl", b"tdm-reservation")


class CapturedPage(NamedTuple):
    """A response, and when it was captured, in seconds since the epoch, or None."""

    response: Response
    time: float | None


class CapturedPages:
    """The captures of pages by URL.

    Args:
        connection: The database. The calls of a source are in one transaction of the caller, or in several.
        is_new: Whether the tables may have to be created.
    """

    def __init__(self, connection: sqlite3.Connection, *, is_new: bool) -> None:
        self._connection = connection
        if is_new:
            connection.executescript(_TABLES)

    def begin_source(self, source: int) -> None:
        """Forget what an earlier run found in a source."""
        self._connection.execute("delete from pages where source = ?", (source,))

    def add(self, source: int, item: Capture) -> None:
        """Add a capture. The bodies of pages that state nothing are not stored.

        Raises: MissingExtra: The page is HTML, and lxml is not installed.
        """
        status = item.status
        if is_robots_url(item.url) or status is None or status == NO_RESPONSE:
            return
        body = item.content if _is_file(item) else _stating_body(item, status)
        headers = list(header_pairs(PageResponse(status, item.headers, None).read_part().headers or ()))
        if status in REDIRECTS:
            headers += [(name, value) for name, value in item.headers if name == "location"]
        row = source, item.url, item.time, status, json.dumps(headers), zlib.compress(body, 1)
        self._connection.execute("insert into pages values (?, ?, ?, ?, ?, ?)", row)

    def finish(self) -> None:
        """Prepare for reading."""
        self._connection.executescript(_INDEX)

    def find(self, url: str, at: float | None) -> CapturedPage | None:
        """Return the last capture of a URL until a time, or the last one of all if the time is None."""
        known = canonical_url(url)
        if known is None:
            return None
        row = self._connection.execute(_QUERY, (known, float("inf") if at is None else at)).fetchone()
        if row is None:
            return None
        name, time, status, headers, body = check_row(row, str, int | float | None, int, str, bytes)
        pairs = tuple((field, value) for field, value in json.loads(headers))
        return CapturedPage(Response(name, status, pairs, zlib.decompress(body)), time)

    def are_any(self) -> bool:
        """Return whether a page was captured."""
        return self._connection.execute("select 1 from pages limit 1").fetchone() is not None


def _is_file(item: Capture) -> bool:
    """Return whether the body is that of a TDM file or may be that of an RSL license."""
    return item.url.endswith(TDM_FILE_PATH) or item.content.lstrip()[:8].lower().startswith(_XML_STARTS)


def _may_be_file(item: Capture) -> bool:
    """Return whether the body may be a TDM file or a license, to which a redirect may lead from another URL."""
    start = item.content.lstrip(_BEFORE_FILES)[:1]
    if start not in _FILE_STARTS or (start == b"<" and "html" in dict(item.headers).get("content-type", "").lower()):
        return False
    text = item.content.replace(b"\0", b"").lower()
    return any(word in text for word in _IN_FILES)


def _stating_body(item: Capture, status: int) -> bytes:
    html = PageResponse(status, item.headers, item.content).read_part().html
    if not isinstance(html, bytes) or not html:
        return b""
    found = parse_page(html, headers=[(name, value) for name, value in item.headers if name == "content-type"])
    if len(item.content) >= MAX_CONTENT_BYTES:
        # White space up to the limit of pages, so that the source is one of which only a part was read.
        return html.ljust(DEFAULT_MAX_PAGE_BYTES + 1)
    states_something = found.directives or found.reservations or found.licenses
    if states_something or not found.has_all_of_html:
        return html
    if _may_be_file(item):
        return item.content
    found_file = real_document(item.content, page_starts=PAGE_STARTS, max_bytes=MAX_CONTENT_BYTES)
    return _NOTHING if isinstance(found_file, MissingSource) else _NO_FILE
