"""The URLs of one sitemap: XML, a sitemap index, or text, plain or compressed with gzip.

Source: sitemaps.org, protocol 0.9.
"""

import zlib
from collections.abc import Generator
from typing import Any, Final, NamedTuple

from canfetch.answers.documents import Document, Step, fetch_document
from canfetch.core.bounded_xml import BoundedParser, InvalidXML
from canfetch.core.text import printable_text

SITEMAP_SCHEMA: Final = "canfetch.sitemap/1"
MAX_SITEMAP_BYTES: Final = 50 * 1024 * 1024
_GZIP_MAGIC: Final = b"\x1f\x8b"
_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS
_UTF8_MARK: Final = b"\xef\xbb\xbf"
_UTF16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_KINDS: Final = {"urlset": "urlset", "sitemapindex": "index"}
_LOCATION: Final = "loc"
_MAX_URL_CHARACTERS: Final = 8192


class Sitemap(NamedTuple):
    """The URLs of a sitemap.

    Attributes:
        kind: `urlset`, `index` if the URLs are those of sitemaps, or `text`.
        urls: The URLs, in order, each once.
        truncated: Whether the sitemap has more URLs than the limit, or more bytes.
        problem: Why the rest of the sitemap could not be read, or None.
    """

    kind: str
    urls: tuple[str, ...]
    truncated: bool
    problem: str | None


class FetchedSitemap(NamedTuple):
    """A sitemap, and the document that it was read from."""

    sitemap: Sitemap
    document: Document

    def to_json(self) -> dict[str, Any]:
        """Return the URLs and where they are from as JSON."""
        facts = self.document.facts().to_json()
        return {
            "schema": SITEMAP_SCHEMA,
            "url": facts["url"],
            "hops": facts["hops"],
            **self.sitemap._asdict(),
        }


def fetch_sitemap(url: str, *, max_urls: int) -> Generator[Step, Any, FetchedSitemap]:
    """Fetch one sitemap.

    Raises: NotFetched.
    """
    document = yield from fetch_document(url, max_bytes=MAX_SITEMAP_BYTES)
    return FetchedSitemap(parse_sitemap(document.checked_body(), max_urls=max_urls), document)


class _LimitReached(Exception):
    pass


def parse_sitemap(content: bytes, *, max_urls: int) -> Sitemap:
    """Return the URLs of a sitemap. No content raises.

    A sitemap with declarations of entities is not read, so that a small one cannot become a large one.

    Cost: O(bytes), of which at most 50 MiB are read after decompression.
    """
    truncated = False
    problem = None
    if content.startswith(_GZIP_MAGIC):
        try:
            decompressor = zlib.decompressobj(_GZIP_WINDOW)
            content = decompressor.decompress(content, MAX_SITEMAP_BYTES)
            truncated = bool(decompressor.unconsumed_tail)
            if not truncated and not decompressor.eof:
                problem = "the gzip data ends early"
        except zlib.error as error:
            return Sitemap("text", (), truncated=False, problem=f"invalid gzip data: {error}")
    if _is_xml(content):
        sitemap = _parse_xml(content, max_urls=max_urls, truncated=truncated)
        return sitemap if problem is None else sitemap._replace(problem=problem)
    encoding = "utf-16" if content.startswith(_UTF16_MARKS) else "utf-8-sig"
    lines = content.decode(encoding, "replace").splitlines()
    urls = list(dict.fromkeys(line.strip() for line in lines if "://" in line and len(line) <= _MAX_URL_CHARACTERS))
    if problem is None and not urls and content.strip():
        problem = "not a sitemap: it is not XML, and no line has a URL"
    return Sitemap("text", tuple(map(printable_text, urls[:max_urls])), truncated or len(urls) > max_urls, problem)


def _is_xml(content: bytes) -> bool:
    if content.startswith(_UTF16_MARKS):
        # In UTF-16, a space or an ASCII character has a zero byte on one side.
        content = content[2:].lstrip(b"\0 \t\r\n")
    return content.removeprefix(_UTF8_MARK).lstrip(b" \t\r\n").startswith((b"<", b"\0<"))


def _parse_xml(content: bytes, *, max_urls: int, truncated: bool) -> Sitemap:
    reader = _Reader(max_urls)
    problem = None
    try:
        reader.parse(content)
    except _LimitReached:
        truncated = True
    except InvalidXML as error:
        if not (truncated and error.ends_early):
            problem = f"invalid XML: {printable_text(str(error)[:200])}"
    return Sitemap(reader.kind, tuple(reader.urls), truncated, reader.problem or problem)


class _Reader:
    """Collects the locations of a document."""

    def __init__(self, max_urls: int) -> None:
        self.kind = "urlset"
        self.urls: dict[str, None] = {}
        self.problem: str | None = None
        self._max_urls = max_urls
        self._path: list[str] = []
        self._text: list[str] = []
        self._characters = 0
        self._parser = BoundedParser(self._start, self._end, self._add_text)

    def parse(self, content: bytes) -> None:
        self._parser.feed(content, is_end=True)

    def _start(self, _space: str, name: str) -> None:
        if not self._path:
            self.kind = _KINDS.get(name, "urlset")
            if name not in _KINDS:
                self.problem = f"not a sitemap: the root element is {printable_text(name)[:80]}"
                raise _LimitReached
        self._path.append(name)
        self._text, self._characters = [], 0

    def _add_text(self, text: str) -> None:
        if self._path[-1] == _LOCATION and self._characters <= _MAX_URL_CHARACTERS:
            self._characters += len(text)
            self._text.append(text)

    def _end(self, _name: str) -> None:
        # Images and videos have locations of their own, one level deeper.
        if self._path.pop() == _LOCATION and len(self._path) == 2 and self._characters <= _MAX_URL_CHARACTERS:
            url = printable_text("".join(self._text).strip())
            if url and url not in self.urls:
                if len(self.urls) >= self._max_urls:
                    raise _LimitReached
                self.urls[url] = None
