"""All that a page says of itself: read once, asked for each agent.

Headers, HTML and the origin's TDM file become `PageRules`; those, for an agent, a `PageVerdict`.
"""

from collections.abc import Iterable, Iterator
from enum import Flag, auto
from functools import reduce
from itertools import islice
from math import isfinite
from operator import or_
from typing import Any, Final, NamedTuple

from canfetch.core.agent import Agent, as_agent
from canfetch.core.text import encode_text
from canfetch.core.urls import rejection, split_url, url_bytes
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidLimit, InvalidOption
from canfetch.pages.annotations import NoSnippet, QualifiedLink, element_position, no_snippet, parse_link
from canfetch.pages.decisions import decide_page
from canfetch.pages.dialects import dialect_for, get_dialect
from canfetch.pages.directive_lists import parse_directives
from canfetch.pages.directives import Directive, note_names
from canfetch.pages.encodings import parse_media_type
from canfetch.pages.headers import Headers, collect_fields, parse_header_directives
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES, Element, Elements, parse_elements
from canfetch.pages.positions import PageSource
from canfetch.pages.tdm import (
    Reservation,
    TDMFile,
    normalize_target,
    parse_header_reservations,
    parse_meta_reservations,
    parse_tdm_file,
    select_reservation,
)
from canfetch.pages.verdict import PageVerdict
from canfetch.pages.vocabulary import KNOWN

Octets = bytes | bytearray | memoryview
PAGE_SCHEMA: Final = "canfetch.page/1"
MAX_DIRECTIVES: Final = 1_000
_HTML_TYPES: Final = frozenset({"", "text/html", "application/xhtml+xml"})
_EVERYONES_NAME: Final = "robots"
# Names of metadata, never of crawlers; `referrer` even has a value `none`.
_NO_CRAWLERS: Final = frozenset(
    {"application-name", "author", "color-scheme", "description", "generator", "keywords", "referrer"}
    | {"tdm-policy", "tdm-reservation", "theme-color", "viewport"}
)
_UTF_8: Final = "text/html; charset=utf-8"


class PageNote(Flag):
    """What is odd about a page, or was not read of it."""

    NONE = 0
    NOT_HTML = auto()  # its Content-Type is no HTML, so no element of it was read
    HTML_TRUNCATED = auto()  # it is longer than the limit; the rest was not read
    TOO_MANY_ELEMENTS = auto()  # it has more elements of a kind than are kept
    HEADERS_TRUNCATED = auto()  # its headers are longer than is read
    TOO_MANY_DIRECTIVES = auto()  # it has more directives than are kept
    TDM_FILE_INVALID = auto()  # the tdmrep.json is none; it counts for nothing
    TOO_MANY_TDM_ENTRIES = auto()  # the tdmrep.json has more entries than are read
    TDM_FILE_UNREACHABLE = auto()  # the tdmrep.json could not be had; what it reserves is not known


class PageRules(NamedTuple):
    """What a page says of itself, made by `parse_page`.

    Attributes:
        url: the page's, as given, or None.
        directives: every directive, headers first, then meta elements, each in order.
        links: the links that nofollow, ugc or sponsored qualifies.
        no_snippets: the elements with `data-nosnippet`.
        reservations: what headers and meta elements say of TDMRep.
        tdm_file: the origin's tdmrep.json, or None where none was given.
        encoding: in which the HTML was read, by Python's name, or None where none was.
        notes: what is odd, or was not read.
    """

    url: str | bytes | None
    directives: tuple[Directive, ...]
    links: tuple[QualifiedLink, ...]
    no_snippets: tuple[NoSnippet, ...]
    reservations: tuple[Reservation, ...]
    tdm_file: TDMFile | None
    encoding: str | None
    notes: PageNote

    def decide(
        self, *, agent: str | Agent, now: float, robots: Verdict | None = None, dialect: str | None = None
    ) -> PageVerdict:
        """Say what `agent` may do with the page, and why.

        Args:
            agent: product token, compared without case, or a chain of which each token counts.
            now: seconds since the epoch, for `unavailable_after`.
            robots: the verdict of robots.txt for this URL and agent; one that forbids fetching hides the page.
            reading: whose reading of page-level rules, a name in `PAGE_DIALECTS`; by default the agent's own.
        Raises: InvalidProductToken; InvalidOption: there is no such dialect, or the time is none; TypeError.
        Cost: O(directives + octets of the TDM file's patterns times octets of the URL).
        Source: Google, robots meta tag specifications; each reading has its own.
        """
        asker = as_agent(agent)
        _check_time(now)
        _check_verdict(robots)
        return decide_page(
            self.directives,
            self.reservation,
            tdm_unreachable=self.tdm_file is not None and self.tdm_file.unreachable,
            agent=asker,
            dialect=dialect_for(asker) if dialect is None else get_dialect(dialect),
            now=now,
            robots=robots,
        )

    def with_unreachable_tdm_file(self, problem: str) -> "PageRules":
        """Give the same rules where the origin's TDM file could not be had; one that is not there reserves nothing.

        Args: problem: why not, for people.
        """
        file = TDMFile((), problem, unreachable=True)
        return self._replace(tdm_file=file, notes=self.notes | PageNote.TDM_FILE_UNREACHABLE)

    @property
    def reservation(self) -> Reservation | None:
        """What holds of TDMRep for this page: the last carrier that says something, or None."""
        target = None if self.url is None else normalize_target(self.url)
        return select_reservation(self.tdm_file, self.reservations, target)

    def to_json(self) -> dict[str, Any]:
        """Give all that the page says in plain values, in its one documented form.

        Cost: O(what was kept).
        """
        reservation = self.reservation
        return {
            "schema": PAGE_SCHEMA,
            "directives": [directive.to_json() for directive in self.directives],
            "links": [link.to_json() for link in self.links],
            "no_snippets": [element.to_json() for element in self.no_snippets],
            "reservations": [one.to_json() for one in self.reservations],
            "reservation": None if reservation is None else reservation.to_json(),
            "tdm_file_problem": None if self.tdm_file is None else self.tdm_file.problem,
            "encoding": self.encoding,
            "notes": note_names(self.notes),
        }


def parse_page(
    html: Octets | str | None = None,
    *,
    headers: Headers = (),
    url: str | bytes | None = None,
    tdm_file: Octets | str | None = None,
    max_bytes: int = DEFAULT_MAX_PAGE_BYTES,
) -> PageRules:
    """Read what a page says of itself. Nothing that a site writes makes it raise.

    Args:
        html: the body. Octets are read in the encoding that they or the Content-Type say, and not at all where
            the Content-Type is no HTML; None leaves it to the headers alone, and needs no library.
        headers: the response's, as pairs, so that repeated ones stay apart, or as an HTTP library has them.
        url: the page's, which entries of `tdm_file` are compared with.
        tdm_file: the origin's /.well-known/tdmrep.json.
        max_bytes: how much of the body is looked at; 2 MiB by default.
    Raises: InvalidURL, InvalidLimit; InvalidOption: a TDM file without a URL; MissingExtra: there is HTML to read,
        and lxml is not installed; TypeError.
    Cost: O(octets), within the limits.
    """
    if max_bytes < 1:
        raise InvalidLimit(f"max_bytes is {max_bytes}, give 1 or more")
    if url is not None and split_url(url_bytes(url)) is None:
        raise rejection(url)
    if tdm_file is not None and url is None:
        raise InvalidOption("tdm_file says what holds for which path: give the page's url with it")
    fields = collect_fields(headers)
    content_type = next(iter(fields.values.get("content-type", ())), None)
    octets = b"" if html is None else _octets_of(html, "a page")
    if isinstance(html, str):
        # What was text already was encoded here, whatever the page says of its octets.
        content_type = _UTF_8
    is_html = parse_media_type(content_type) in _HTML_TYPES
    elements = parse_elements(octets, content_type, max_bytes=max_bytes) if octets and is_html else Elements()
    every = _all_directives(parse_header_directives(fields), elements.metas)
    directives = tuple(islice(every, MAX_DIRECTIVES))
    file = None if tdm_file is None else parse_tdm_file(_octets_of(tdm_file, "a TDM file"))
    odd = {
        PageNote.NOT_HTML: octets != b"" and not is_html,
        PageNote.HTML_TRUNCATED: elements.truncated,
        PageNote.TOO_MANY_ELEMENTS: elements.too_many_elements,
        PageNote.HEADERS_TRUNCATED: fields.truncated,
        PageNote.TOO_MANY_DIRECTIVES: next(every, None) is not None,
        PageNote.TDM_FILE_INVALID: file is not None and file.problem is not None,
        PageNote.TOO_MANY_TDM_ENTRIES: file is not None and file.truncated,
    }
    return PageRules(
        url=url,
        directives=directives,
        links=tuple(link for link in map(parse_link, elements.links) if link is not None),
        no_snippets=tuple(map(no_snippet, elements.no_snippets)),
        reservations=(*parse_header_reservations(fields), *parse_meta_reservations(elements.metas)),
        tdm_file=file,
        encoding=elements.encoding,
        notes=reduce(or_, (note for note, holds in odd.items() if holds), PageNote.NONE),
    )


def _octets_of(given: object, what: str) -> bytes:
    if isinstance(given, str):
        return encode_text(given)
    if isinstance(given, Octets):
        return bytes(given)
    raise TypeError(f"{what} is bytes or str, not {type(given).__name__}")


def _all_directives(of_headers: Iterable[Directive], metas: tuple[Element, ...]) -> Iterator[Directive]:
    yield from of_headers
    for meta in metas:
        yield from _meta_directives(meta)


def _meta_directives(meta: Element) -> Iterable[Directive]:
    """Give the directives of one meta element, if it is one of directives.

    Any crawler may have a name of its own; an element of another name is one where its content is.
    """
    name = meta.attributes.get("name", "").strip().lower()
    if not name or name in _NO_CRAWLERS:
        return ()
    agent = None if name == _EVERYONES_NAME else name
    position = element_position(meta, PageSource.META)
    directives = tuple(
        islice(
            parse_directives(meta.attributes.get("content", ""), position, agent=agent, agents_inside=False),
            MAX_DIRECTIVES + 1,
        )
    )
    if agent is None or any(directive.name in KNOWN for directive in directives):
        return directives
    return ()


def _check_time(seconds: object) -> None:
    if not isinstance(seconds, int | float):
        raise TypeError(f"now is a number, seconds since the epoch, not {type(seconds).__name__}")
    if not isfinite(seconds):
        raise InvalidOption(f"now is {seconds}; give seconds since the epoch")


def _check_verdict(robots: object) -> None:
    if robots is not None and not isinstance(robots, Verdict):
        raise TypeError(f"robots is the Verdict of robots.txt, not {type(robots).__name__}: give robots.decide(...)")
