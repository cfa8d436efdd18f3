"""The sources that are passed for an answer, and whether each was read."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from canfetch.access.redirects import REDIRECTS
from canfetch.consent.verdict import HEADERS, HTML, PARTLY_READ, ROBOTS, TDM_FILE, SourceState, UseSource
from canfetch.core.choices import unknown_choice
from canfetch.core.content_formats import foreign_content_note
from canfetch.core.document import RobotsTxt
from canfetch.core.origin import find_origin
from canfetch.core.quoting import quoted
from canfetch.core.urls import AnyURL, url_bytes
from canfetch.errors import InvalidOption, InvalidURL
from canfetch.pages.headers import Headers, header_pairs, page_headers
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES
from canfetch.pages.page_rules import PageNote, PageRules, parse_page

MAX_TEXT: Final = 500
"""The number of characters of a text of a site in an answer."""
_START: Final = 1024
PAGE_STARTS: Final = ("<!doctype html", "<html")
_SUCCESS: Final = range(200, 300)
_PARTIAL_CONTENT: Final = 206
_MULTIPLE_CHOICES: Final = 300
_NOT_MODIFIED: Final = 304
# Besides those of a success. A 300 refers to other URLs like a redirect, and the headers of a 304 are those of the
# content, without some of them: RFC 9110 sections 15.4.1 and 15.4.5.
_READ_HEADERS: Final = REDIRECTS | {_MULTIPLE_CHOICES, _NOT_MODIFIED}
PAYMENT_REQUIRED: Final = 402
LICENSE_REQUIRED: Final = frozenset({401, PAYMENT_REQUIRED})
_PARTIAL_HEADERS: Final = LICENSE_REQUIRED | {_NOT_MODIFIED}
_PRICE_HEADERS: Final = ("crawler-price", "payment-required", "www-authenticate")


class MissingSource(NamedTuple):
    """A source that cannot be passed, in place of its content.

    Attributes:
        state: `absent` if there is none (404), `unreachable`, `unreadable`, or `not-read`.
        detail: Why, in a few words.
    """

    state: SourceState
    detail: str = ""


class PageResponse(NamedTuple):
    """The response with the content.

    Attributes:
        status: The status code.
        headers: The headers, as for `canfetch.pages.parse_page`, or None if they are unknown.
        html: The body if it is HTML, or None if it was not read.
    """

    status: int = 200
    headers: Headers | None = None
    html: bytes | str | None = None

    def read_part(self) -> "PageResponse":
        """Return the part of the response that answers depend on, with the names of headers in lower case."""
        headers = self.headers
        if headers is not None:
            is_read = self.status in _SUCCESS or self.status in _READ_HEADERS
            headers = tuple(page_headers(headers) if is_read else _error_headers(self))
        html = self.html if self.status in _SUCCESS else None
        if html is not None:
            # One byte more shows that the page continues.
            html = html[: DEFAULT_MAX_PAGE_BYTES + 1]
        return PageResponse(self.status, headers, html)


def url_text(url: AnyURL) -> str:
    """Return a URL as text. Bytes that are not UTF-8 are surrogates, so that they survive."""
    return url if isinstance(url, str) else url_bytes(url).decode("utf-8", "surrogateescape")


def check_source(name: str, source: object, types: tuple[type, ...], expected: str) -> None:
    """Raise TypeError unless a source has one of the types, or is missing."""
    if not isinstance(source, (*types, MissingSource)):
        raise TypeError(f"{name} must be {expected}, or a MissingSource, not {type(source).__name__}")


def check_licenses(documents: Mapping[str, bytes | str | MissingSource]) -> None:
    """Check the RSL documents that are passed.

    Raises: TypeError; InvalidURL: The URL of one is not absolute.
    """
    if not isinstance(documents, Mapping):
        raise TypeError(f"license must be a mapping of URLs to documents, not {type(documents).__name__}")
    for url, document in documents.items():
        if not isinstance(url, str):
            raise TypeError(f"the URL of a license must be a str, not {type(url).__name__}")
        if find_origin(url) is None:
            raise InvalidURL(f"invalid URL {quoted(url)} of a license: expected the absolute URL of the document")
        check_source(f"the license {quoted(url)}", document, (bytes, str), "the content of the document")


def real_document(
    document: bytes | str | MissingSource, *, page_starts: tuple[str, ...], max_bytes: int
) -> bytes | str | MissingSource:
    """Return a document, unless it is a web page or empty: many sites send one of them in place of a missing file.

    Args:
        page_starts: How a web page begins, in lower case.
        max_bytes: The bytes that are read of the document. After that, white space was not read to its end.
    """
    if isinstance(document, MissingSource):
        return document
    head = document[:_START].lstrip()
    start = head.lower() if isinstance(head, str) else head.decode("latin-1").lower()
    if start.startswith(page_starts):
        return MissingSource(SourceState.ABSENT, "a web page in its place")
    is_empty = not start and len(document) <= max_bytes and not document.strip()
    return MissingSource(SourceState.ABSENT, "an empty response in its place") if is_empty else document


def robots_source(robots: RobotsTxt | MissingSource) -> UseSource:
    """Return robots.txt as a source.

    Raises: InvalidOption: As `missing_source`.
    """
    if isinstance(robots, MissingSource):
        return missing_source(ROBOTS, robots)
    # Clients count the bytes of the file, and UTF-16 takes two where the parsed file takes one.
    if robots.tail or (robots.source_encoding != "utf-8" and len(robots.render()) > robots.max_bytes):
        return UseSource(ROBOTS, SourceState.NOT_READ, PARTLY_READ)
    return UseSource(ROBOTS, SourceState.READ, foreign_content_note(robots.content) or "")


def missing_source(name: str, source: MissingSource) -> UseSource:
    """Return a source that is missing.

    Raises: TypeError: `detail` is not a str; InvalidOption: `state` is unknown, or `read`.
    """
    try:
        state = SourceState(source.state)
    except ValueError:
        raise InvalidOption(unknown_choice("state", source.state, SourceState)) from None
    if state is SourceState.READ:
        raise InvalidOption(f"invalid state 'read' of {name}: pass the content of a source that was read")
    if not isinstance(source.detail, str):
        raise TypeError(f"the detail of a missing source must be a str, not {type(source.detail).__name__}")
    return UseSource(name, state, source.detail[:MAX_TEXT])


def read_page(
    url: str, response: PageResponse | MissingSource, tdm: bytes | str | MissingSource
) -> tuple[PageRules, list[UseSource]]:
    """Return the rules of the page and of the TDM file, and the sources."""
    file = None if isinstance(tdm, MissingSource) else tdm
    sources: list[UseSource]
    if isinstance(response, MissingSource):
        page = parse_page(url=url, tdm_file=file)
        sources = [missing_source(name, response) for name in (HEADERS, HTML)]
    elif response.status not in _SUCCESS:
        # The headers of an error are not those of the content, and those of a redirect are about its own URL.
        is_read = response.status in _READ_HEADERS
        page = parse_page(headers=(response.headers if is_read else None) or (), url=url, tdm_file=file)
        detail = f"the server responded with status {response.status}"
        html = UseSource(HTML, SourceState.UNREACHABLE, detail)
        headers = _headers_source(page, response) if is_read else html._replace(name=HEADERS)
        if response.status in _PARTIAL_HEADERS and response.headers is not None and page.has_all_of_headers:
            headers = UseSource(HEADERS, SourceState.NOT_READ, f"only those of status {response.status} were read")
        if response.status == _NOT_MODIFIED:
            html = UseSource(HTML, SourceState.NOT_READ, "status 304 has no content")
        sources = [headers, html]
    else:
        page = parse_page(response.html, headers=response.headers or (), url=url, tdm_file=file)
        sources = list(_response_sources(page, response))
    return page, [*sources, missing_source(TDM_FILE, tdm) if isinstance(tdm, MissingSource) else _tdm_source(page)]


def _headers_source(page: PageRules, response: PageResponse) -> UseSource:
    if response.headers is None:
        return UseSource(HEADERS, SourceState.NOT_READ)
    if not page.has_all_of_headers:
        return UseSource(HEADERS, SourceState.NOT_READ, PARTLY_READ)
    return UseSource(HEADERS, SourceState.READ)


def _response_sources(page: PageRules, response: PageResponse) -> Iterator[UseSource]:
    yield _headers_source(page, response)
    if response.html is None:
        yield UseSource(HTML, SourceState.NOT_READ)
    elif PageNote.NOT_HTML in page.notes:
        yield UseSource(HTML, SourceState.ABSENT, "the content is not HTML")
    elif response.status == _PARTIAL_CONTENT or not page.has_all_of_html:
        yield UseSource(HTML, SourceState.NOT_READ, PARTLY_READ)
    else:
        yield UseSource(HTML, SourceState.READ)


def _tdm_source(page: PageRules) -> UseSource:
    """Return the TDM file as a source."""
    file = page.tdm_file
    if file is None:
        return UseSource(TDM_FILE, SourceState.ABSENT)
    if file.problem is not None:
        state = SourceState.UNREACHABLE if file.unreachable else SourceState.UNREADABLE
        return UseSource(TDM_FILE, state, file.problem)
    if file.truncated:
        return UseSource(TDM_FILE, SourceState.NOT_READ, PARTLY_READ)
    return UseSource(TDM_FILE, SourceState.READ)


def _error_headers(response: PageResponse) -> Iterator[tuple[str, str]]:
    """Yield the headers of an error that are read."""
    if response.status in LICENSE_REQUIRED:
        yield from page_headers(response.headers or ())
        yield from prices(response)


def prices(response: PageResponse) -> Iterator[tuple[str, str]]:
    """Yield the headers of a response that state a price."""
    return (pair for pair in header_pairs(response.headers or ()) if pair[0] in _PRICE_HEADERS)
