"""The URLs of one sitemap: XML, a sitemap index, RSS, Atom or text, plain or compressed with gzip.

No content raises. A document with declarations of entities is not read, so that a small one cannot become a large one.

Source: sitemaps.org, protocol 0.9.
"""

import codecs
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from itertools import chain
from typing import Final, NamedTuple

from canfetch.core.bounded_xml import BoundedParser, InvalidXML
from canfetch.core.lines import BYTE_ORDER_MARK
from canfetch.core.quoting import quoted
from canfetch.core.source import UTF_16_MARKS
from canfetch.core.text import printable_text
from canfetch.sitemaps.problems import ProblemCounter, SitemapProblem, SitemapProblemKind

MAX_SITEMAP_BYTES: Final = 50 * 1024 * 1024
"""The size limit of the protocol, without compression."""
MAX_SITEMAP_URLS: Final = 50_000
"""The limit of the protocol on the URLs of a sitemap, and on the sitemaps of an index."""
# "The value must be less than 2048 characters."
_MAX_PROTOCOL_CHARACTERS: Final = 2047
# Longer URLs are not listed.
_MAX_URL_CHARACTERS: Final = 8192
_MAX_DATE_CHARACTERS: Final = 100
# 40 of each URL. They take about 10 seconds.
_MAX_ELEMENTS: Final = 2_000_000
_CHUNK_BYTES: Final = 64 * 1024
_GZIP_MAGIC: Final = b"\x1f\x8b"
_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS
_WEB_PAGE: Final = b"<!doctype html"
_WHITE_SPACE: Final = b" \t\r\n"
_YEAR_CHARACTERS: Final = 4
_MONTH_CHARACTERS: Final = 7


class SitemapKind(StrEnum):
    """The format of a sitemap."""

    URLSET = "urlset"
    INDEX = "index"
    RSS = "rss"
    ATOM = "atom"
    TEXT = "text"


class ListedURL(NamedTuple):
    """A URL as a sitemap lists it, or the URL of a sitemap in an index.

    Attributes:
        url: The URL. Unprintable characters are percent-encoded.
        lastmod: The date of the last change as written, or None.
    """

    url: str
    lastmod: str | None


class SkippedEntry(NamedTuple):
    """An entry that is not listed.

    Attributes:
        line: Its line, from 1.
        reason: Why it is not listed.
    """

    line: int
    reason: str


class _Format(NamedTuple):
    """Where a document has its URLs: the path of an entry, and the fields of one."""

    kind: SitemapKind
    entry: tuple[str, ...]
    url: str
    dates: tuple[str, ...]


_FORMATS: Final = {
    "urlset": _Format(SitemapKind.URLSET, ("urlset", "url"), "loc", ("lastmod",)),
    "sitemapindex": _Format(SitemapKind.INDEX, ("sitemapindex", "sitemap"), "loc", ("lastmod",)),
    "rss": _Format(SitemapKind.RSS, ("rss", "channel", "item"), "link", ("pubDate",)),
    "feed": _Format(SitemapKind.ATOM, ("feed", "entry"), "link", ("updated", "modified")),
}


class SitemapContent:
    """The URLs of one sitemap, read while they are iterated over.

    Args:
        content: The sitemap as it was received, or its parts in order, which are read once.
        max_urls: The number of URLs to list. A URL more is the problem `too-many-urls`.

    Attributes:
        kind: The format, once the first URL was read.
        bytes: The bytes that were read, without compression.
        urls: The URLs that were listed.

    Iterating over it reads the content again from its start, unless it was passed in parts. No content raises.

    Cost: O(bytes), of which at most 50 MiB are read after decompression. 64 KiB of them are in memory.

    >>> content = SitemapContent(b"<urlset><url><loc>https://example.com/</loc><lastmod>2026</lastmod></url></urlset>")
    >>> list(content)
    [ListedURL(url='https://example.com/', lastmod='2026')]
    >>> content.problems
    ()
    """

    def __init__(self, content: bytes | Iterable[bytes], *, max_urls: int = MAX_SITEMAP_URLS) -> None:
        self._content = content
        self.max_urls = max_urls
        self._reset()

    def _reset(self) -> None:
        self.kind = SitemapKind.TEXT
        self.bytes = 0
        self.urls = 0
        self._counter = ProblemCounter()

    @property
    def problems(self) -> tuple[SitemapProblem, ...]:
        """The problems of what was read."""
        return self._counter.problems

    @property
    def is_truncated(self) -> bool:
        """Whether there are more URLs than the limit, or more bytes."""
        kinds = {problem.kind for problem in self.problems}
        return not kinds.isdisjoint({SitemapProblemKind.TOO_LARGE, SitemapProblemKind.TOO_MANY_URLS})

    def __iter__(self) -> Iterator[ListedURL]:
        return (entry for entry in self.entries() if isinstance(entry, ListedURL))

    def entries(self) -> Iterator[ListedURL | SkippedEntry]:
        """Yield what iterating yields, and the entries of XML without a URL, or with one that is too long."""
        self._reset()
        chunks = self._chunks()
        first = next(chunks, b"")
        chunks = chain((first,), chunks)
        if first.lstrip(_WHITE_SPACE)[: len(_WEB_PAGE)].lower() == _WEB_PAGE:
            # It is not XML in general, so that its first error would not be helpful.
            self.report(SitemapProblemKind.NOT_A_SITEMAP, "not a sitemap: it is a web page")
            return
        for listed in self._xml_entries(chunks) if _is_xml(first) else self._text_urls(chunks):
            if isinstance(listed, SkippedEntry):
                yield listed
                continue
            if self.urls >= self.max_urls:
                self.report(SitemapProblemKind.TOO_MANY_URLS, f"more than {self.max_urls:,} URLs")
                return
            self.urls += 1
            yield listed

    def report(self, kind: SitemapProblemKind, detail: str) -> None:
        """Count a problem."""
        self._counter.add(kind, detail)

    def _chunks(self) -> Iterator[bytes]:
        """Yield the content without compression, up to the size limit."""
        parts = self._parts()
        first = next(parts, b"")
        parts = chain((first,), parts)
        for chunk in _decompressed(parts, self.report) if first.startswith(_GZIP_MAGIC) else parts:
            rest = MAX_SITEMAP_BYTES - self.bytes
            self.bytes += min(len(chunk), rest)
            if len(chunk) > rest:
                self.report(SitemapProblemKind.TOO_LARGE, f"larger than {MAX_SITEMAP_BYTES >> 20} MiB")
                yield chunk[:rest]
                return
            yield chunk

    def _parts(self) -> Iterator[bytes]:
        if not isinstance(self._content, bytes):
            yield from self._content
            return
        view = memoryview(self._content)
        for start in range(0, len(view), _CHUNK_BYTES):
            yield bytes(view[start : start + _CHUNK_BYTES])

    def _text_urls(self, chunks: Iterator[bytes]) -> Iterator[ListedURL]:
        """Yield the lines with a URL."""
        decoder: codecs.IncrementalDecoder | None = None
        rest, has_text, others, listed = "", False, 0, 0
        for chunk in chain(chunks, (b"",)):
            if decoder is None:
                encoding = "utf-16" if chunk.startswith(UTF_16_MARKS) else "utf-8-sig"
                decoder = codecs.getincrementaldecoder(encoding)("replace")
            lines = (rest + decoder.decode(chunk, final=not chunk)).splitlines(keepends=True)
            # The last line may continue in the next chunk. Of a line that is too long, a part is enough.
            is_open = bool(chunk and lines and lines[-1][-1] not in "\r\n")
            rest = lines.pop()[: _MAX_URL_CHARACTERS + 1] if is_open else ""
            for line in filter(None, map(str.strip, lines)):
                has_text = True
                if "://" not in line:
                    others += 1
                elif self._check_length(line):
                    listed += 1
                    yield ListedURL(printable_text(line), None)
        if not listed and has_text and not self.problems:
            self.report(SitemapProblemKind.NOT_A_SITEMAP, "not a sitemap: it is not XML, and no line has a URL")
        elif others:
            self.report(SitemapProblemKind.INVALID_URL, f"lines without a URL: {others:,}")

    def _check_length(self, url: str) -> bool:
        """Return whether a URL is listed. Report those that are too long."""
        if len(url) > _MAX_PROTOCOL_CHARACTERS:
            self.report(
                SitemapProblemKind.URL_TOO_LONG, f"{quoted(url)} has more than {_MAX_PROTOCOL_CHARACTERS:,} characters"
            )
        return len(url) <= _MAX_URL_CHARACTERS

    def _xml_entries(self, chunks: Iterator[bytes]) -> Iterator[ListedURL | SkippedEntry]:
        reader = _XMLReader(self, self.max_urls)
        try:
            for chunk in chunks:
                yield from reader.feed(chunk)
            yield from reader.feed(b"", is_end=True)
        except _OtherDocument as error:
            self.report(SitemapProblemKind.NOT_A_SITEMAP, str(error))
        except _LimitReached:
            yield from reader.entries()
        except InvalidXML as error:
            yield from reader.entries()
            # A document that was cut at the size limit ends early.
            if not (self.is_truncated and error.ends_early):
                self.report(SitemapProblemKind.INVALID_XML, f"invalid XML: {printable_text(str(error)[:200])}")


def _decompressed(parts: Iterator[bytes], report: Callable[[SitemapProblemKind, str], None]) -> Iterator[bytes]:
    """Yield the members of a gzip file."""
    data = next(parts)
    while data.startswith(_GZIP_MAGIC):
        decompressor = zlib.decompressobj(_GZIP_WINDOW)
        try:
            while not decompressor.eof:
                if not data:
                    data = next(parts, b"")
                chunk = decompressor.decompress(data, _CHUNK_BYTES)
                if chunk:
                    yield chunk
                elif not data:
                    report(SitemapProblemKind.INVALID_GZIP, "the gzip data ends early")
                    return
                data = decompressor.unconsumed_tail
        except zlib.error as error:
            report(SitemapProblemKind.INVALID_GZIP, f"invalid gzip data: {error}")
            return
        data = decompressor.unused_data
        # The next member may start with the next part.
        while len(data) < len(_GZIP_MAGIC) and (part := next(parts, b"")):
            data += part


class _LimitReached(Exception):
    """Raised for a document with more entries or elements than are read."""


class _OtherDocument(Exception):
    """Raised for a document that is not a sitemap."""


class _XMLReader:
    """Collects the entries of a document."""

    def __init__(self, content: SitemapContent, max_entries: int) -> None:
        self._content = content
        self._left = max_entries
        self._elements = 0
        self._format: _Format | None = None
        self._depth = 0
        # The number of open elements that are those of the path of an entry.
        self._matched = 0
        # The field of an entry that the parser is in. Images have locations one level deeper.
        self._field: str | None = None
        self._text: list[str] = []
        self._characters = 0
        self._url = ""
        self._date: str | None = None
        self._entries: list[ListedURL | SkippedEntry] = []
        self._parser = BoundedParser(self._start, self._end, self._add_text, self._add_attributes)

    def feed(self, chunk: bytes, *, is_end: bool = False) -> list[ListedURL | SkippedEntry]:
        """Parse a part of the document, and return its entries."""
        self._parser.feed(chunk, is_end=is_end)
        return self.entries()

    def entries(self) -> list[ListedURL | SkippedEntry]:
        """Return the entries that were parsed since the last call."""
        entries, self._entries = self._entries, []
        return entries

    def _start(self, _space: str, name: str) -> None:
        form = self._format
        if form is None:
            form = self._format = _FORMATS.get(name)
            if form is None:
                raise _OtherDocument(f"not a sitemap: the root element is {printable_text(name)[:80]}")
            self._content.kind = form.kind
        self._elements += 1
        if self._elements > _MAX_ELEMENTS:
            self._content.report(SitemapProblemKind.TOO_LARGE, f"more than {_MAX_ELEMENTS:,} elements")
            raise _LimitReached
        length = len(form.entry)
        if self._matched == self._depth < length and name == form.entry[self._depth]:
            self._matched += 1
            if self._matched == length:
                self._url, self._date = "", None
        self._field = name if self._depth == length == self._matched else None
        self._depth += 1
        self._text, self._characters = [], 0

    def _add_attributes(self, attributes: dict[str, str]) -> None:
        # In Atom, the URL is an attribute.
        form = self._format
        is_link = form is not None and form.kind is SitemapKind.ATOM and self._field == form.url
        if is_link and not self._url and attributes.get("rel", "alternate") == "alternate":
            self._url = attributes.get("href", "").strip()

    def _add_text(self, text: str) -> None:
        if self._field is not None and self._characters <= _MAX_URL_CHARACTERS:
            self._characters += len(text)
            self._text.append(text)

    def _end(self, _name: str) -> None:
        form, field = self._format, self._field
        assert form is not None
        if field is not None:
            if field == form.url and form.kind is not SitemapKind.ATOM:
                self._url = self._url or "".join(self._text).strip()
            elif field in form.dates:
                self._date = printable_text("".join(self._text).strip()[:_MAX_DATE_CHARACTERS])
            self._field = None
        elif self._depth == self._matched == len(form.entry):
            self._add_entry()
        if self._matched == self._depth:
            self._matched -= 1
        self._depth -= 1

    def _add_entry(self) -> None:
        report = self._content.report
        line = self._parser.line
        self._left -= 1
        if self._left < 0:
            report(SitemapProblemKind.TOO_MANY_URLS, f"more than {self._content.max_urls:,} URLs")
            raise _LimitReached
        if not self._url:
            report(SitemapProblemKind.MISSING_URL, f"line {line}: an entry has no URL")
            self._entries.append(SkippedEntry(line, "an entry has no URL"))
            return
        if self._date is not None and self._content.kind is not SitemapKind.RSS and not _is_w3c_date(self._date):
            report(SitemapProblemKind.INVALID_LASTMOD, f"line {line}: {quoted(self._date)} is not a date")
        if self._content._check_length(self._url):  # noqa: SLF001 - a part of the same module
            self._entries.append(ListedURL(printable_text(self._url), self._date))
        else:
            self._entries.append(SkippedEntry(line, f"a URL has more than {_MAX_URL_CHARACTERS:,} characters"))


def _is_xml(content: bytes) -> bool:
    if content.startswith(UTF_16_MARKS):
        # In UTF-16, a space or an ASCII character has a zero byte on one side.
        content = content[2:].lstrip(b"\0 \t\r\n")
    return content.removeprefix(BYTE_ORDER_MARK).lstrip(_WHITE_SPACE).startswith((b"<", b"\0<"))


def _is_w3c_date(text: str) -> bool:
    """Return whether a date is a year, a month, a day, or a time with its zone.

    Source: W3C, Date and Time Formats.
    """
    if not text.isascii() or not text[:_YEAR_CHARACTERS].isdigit():
        return False
    if len(text) == _YEAR_CHARACTERS:
        return True
    if len(text) == _MONTH_CHARACTERS:
        text += "-01"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False
    return text[_YEAR_CHARACTERS] == "-" and (moment.tzinfo is not None or "T" not in text)
