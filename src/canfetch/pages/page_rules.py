"""The rules of one page, parsed once from its headers, its HTML and the origin's TDM file.

`PageRules.decide` returns a `PageVerdict` for each agent.
"""

from collections.abc import Iterable, Iterator
from enum import Flag, auto
from functools import reduce
from itertools import chain, islice
from math import isfinite
from operator import or_
from typing import Any, Final, NamedTuple

from canfetch.core.agent import Agent, as_agent
from canfetch.core.extensions.content_signal import parse_content_signal
from canfetch.core.extensions.content_usage import parse_content_usage
from canfetch.core.extensions.preference import UsagePreference
from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.text import encode_text
from canfetch.core.urls import invalid_url, split_url, url_bytes
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidLimit, InvalidOption
from canfetch.pages.annotations import NoSnippet, QualifiedLink, element_position, parse_link, parse_no_snippet
from canfetch.pages.decisions import decide_page
from canfetch.pages.dialects import dialect_for, get_dialect
from canfetch.pages.directive_lists import ROBOTS, parse_directives
from canfetch.pages.directives import Directive, note_names, printable
from canfetch.pages.encodings import effective_content_type, parse_media_type
from canfetch.pages.headers import Fields, Headers, collect_fields, parse_header_directives
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES, HTML_TYPES, UTF_8_HTML, Element, Elements, parse_elements
from canfetch.pages.license_links import LicenseLink, is_cut_license, parse_license_links
from canfetch.pages.positions import PageSource
from canfetch.pages.tdm import (
    Reservation,
    TDMFile,
    parse_header_reservations,
    parse_meta_reservations,
    parse_tdm_file,
    select_reservation,
)
from canfetch.pages.url_patterns import normalize_target
from canfetch.pages.verdict import PageVerdict
from canfetch.pages.vocabulary import KNOWN

BytesLike = bytes | bytearray | memoryview
PAGE_SCHEMA: Final = "canfetch.page/2"
MAX_DIRECTIVES: Final = 1_000
# Names of other metadata, never of crawlers; `none` is a valid value of `referrer`.
_METADATA_NAMES: Final = frozenset(
    {"application-name", "author", "color-scheme", "description", "generator", "keywords", "referrer"}
    | {"tdm-policy", "tdm-reservation", "theme-color", "viewport"}
)
_USAGE_NAMES: Final = ("content-usage", "content-signal")


class PageNote(Flag):
    """Notes about parts of a page that are invalid or were not parsed."""

    NONE = 0
    NOT_HTML = auto()  # the Content-Type is not HTML, so no element was parsed
    HTML_TRUNCATED = auto()  # the page is longer than the limit; the rest was not parsed
    TOO_MANY_ELEMENTS = auto()  # the page has more elements of a kind than the limit
    HEADERS_TRUNCATED = auto()  # the headers are longer than the limit
    TOO_MANY_DIRECTIVES = auto()  # the page has more directives than the limit
    TDM_FILE_INVALID = auto()  # the tdmrep.json is invalid; it has no effect
    TOO_MANY_TDM_ENTRIES = auto()  # the tdmrep.json has more entries than the limit
    TDM_FILE_UNREACHABLE = auto()  # the tdmrep.json could not be fetched; it may reserve the rights
    ATTRIBUTE_TRUNCATED = auto()  # an attribute with rules or a license is longer than the limit; its rest was not read


class UsageHeader(NamedTuple):
    """The Content-Usage or Content-Signal headers of a response: preferences on its use.

    The headers of one name are joined, as RFC 9110 section 5.3 permits, and apply to their own response only, so that a
    path in them is not read. If the dictionary of Content-Usage is invalid, all its preferences are unknown.

    Attributes:
        name: The name of the header in lower case.
        value: The value as sent. Repeated headers are joined with commas.
        usage_preferences: The preferences that it states.
        notes: Notes about the form.
    """

    name: str
    value: str
    usage_preferences: tuple[UsagePreference, ...]
    notes: ExtensionNote = ExtensionNote.NONE

    @property
    def is_unreadable(self) -> bool:
        """Whether the value is invalid, so that the preferences are unknown."""
        return ExtensionNote.UNREADABLE in self.notes

    def to_json(self) -> dict[str, Any]:
        """Return the header as JSON-compatible values."""
        return {
            "name": self.name,
            "value": printable(self.value),
            "preferences": {str(usage.purpose): str(usage.preference) for usage in self.usage_preferences},
            "notes": note_names(self.notes),
        }


def _parse_usage_headers(fields: Fields) -> Iterator[UsageHeader]:
    """Yield the headers that state preferences, one for each name.

    No source defines Content-Signal as a header, which sites send: its values are read as in robots.txt.

    Cost: O(characters).
    Source: draft-ietf-aipref-attach-05 section 4; RFC 9651 section 3.2.
    """
    for name in _USAGE_NAMES:
        values = fields.values.get(name)
        if not values:
            continue
        value = ", ".join(values).strip(" \t")
        content = encode_text(value)
        parsed, notes = parse_content_usage(content) if name == "content-usage" else parse_content_signal(content)
        if parsed is None or parsed.path is not None:
            yield UsageHeader(name, value, (), notes | ExtensionNote.UNREADABLE)
        else:
            yield UsageHeader(name, value, tuple(parsed.usage_preferences), notes)


class PageRules(NamedTuple):
    """The rules of one page, from `parse_page`.

    Attributes:
        url: The page's URL as passed, or None.
        directives: All directives, of headers first and then of meta elements, each in order.
        links: The links with nofollow, ugc or sponsored.
        no_snippets: The elements with `data-nosnippet`.
        reservations: The TDMRep reservations of headers and meta elements.
        tdm_file: The origin's tdmrep.json, or None if it was not passed.
        usage_headers: The Content-Usage and Content-Signal headers, which no decision considers.
        licenses: The RSL licenses that Link headers, link elements and script elements name or contain, which no
            decision considers.
        encoding: The encoding of the HTML, by Python's name, or None if no HTML was parsed.
        notes: Notes about parts that are invalid or were not parsed.
        has_all_of_headers: Whether the rules of all headers are listed. False after any limit.
        has_all_of_html: Whether those of all elements are listed. False after any limit, but not for a page that is
            not HTML.
    """

    url: str | bytes | None
    directives: tuple[Directive, ...]
    links: tuple[QualifiedLink, ...]
    no_snippets: tuple[NoSnippet, ...]
    reservations: tuple[Reservation, ...]
    tdm_file: TDMFile | None
    usage_headers: tuple[UsageHeader, ...]
    licenses: tuple[LicenseLink, ...]
    encoding: str | None
    notes: PageNote
    has_all_of_headers: bool = True
    has_all_of_html: bool = True

    def decide(
        self, *, agent: str | Agent, now: float, robots: Verdict | None = None, dialect: str | None = None
    ) -> PageVerdict:
        """Decide what `agent` may do with the page, and why.

        Args:
            agent: Product token, compared case-insensitively, or a chain of tokens, each of which applies.
            now: Seconds since the epoch, for `unavailable_after`.
            robots: The verdict of robots.txt for this URL and agent. If it disallows the page, no rule of the page
                has an effect.
            dialect: A name in `PAGE_DIALECTS`. The default is the dialect of the agent's operator.
        Raises: InvalidProductToken; InvalidOption: `dialect` is unknown, or `now` is not finite; TypeError.
        Cost: O(directives + bytes of the TDM file's patterns times bytes of the URL).
        Source: Google, robots meta tag specifications; each dialect has its own.
        """
        resolved = as_agent(agent)
        _check_time(now)
        _check_verdict(robots)
        return decide_page(
            self.directives,
            self.reservation,
            tdm_unreachable=self.tdm_file is not None and self.tdm_file.unreachable,
            agent=resolved,
            dialect=dialect_for(resolved) if dialect is None else get_dialect(dialect),
            now=now,
            robots=robots,
        )

    def with_unreachable_tdm_file(self, problem: str) -> "PageRules":
        """Return the same rules for an origin whose TDM file could not be fetched.

        A file that does not exist (404, 410) is different: it reserves nothing.

        Args: problem: Why the file could not be fetched, as text for people.
        """
        file = TDMFile((), problem, unreachable=True)
        return self._replace(tdm_file=file, notes=self.notes | PageNote.TDM_FILE_UNREACHABLE)

    @property
    def reservation(self) -> Reservation | None:
        """The TDMRep reservation that applies to this page, or None."""
        target = None if self.url is None else normalize_target(self.url)
        return select_reservation(self.tdm_file, self.reservations, target)

    @property
    def file_reservations(self) -> Iterator[Reservation]:
        """The entries of the TDM file for this page, in order, and those whose pattern is missing or invalid.

        Cost: O(bytes of the file's patterns times bytes of the URL) at worst.
        """
        target = None if self.url is None else normalize_target(self.url)
        if self.tdm_file is not None and target is not None:
            yield from (one for one in self.tdm_file.entries if not one.has_location or one.matches(target))

    def to_json(self) -> dict[str, Any]:
        """Return the rules as JSON-compatible values.

        Cost: O(rules).
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
            "usage_headers": [header.to_json() for header in self.usage_headers],
            "licenses": [one.to_json() for one in self.licenses],
            "encoding": self.encoding,
            "notes": note_names(self.notes),
        }


def parse_page(
    html: BytesLike | str | None = None,
    *,
    headers: Headers = (),
    url: str | bytes | None = None,
    tdm_file: BytesLike | str | None = None,
    max_bytes: int = DEFAULT_MAX_PAGE_BYTES,
) -> PageRules:
    """Parse the rules of one page. Never raises on the content of a site.

    Args:
        html: The body. Bytes are decoded as their byte order mark, the Content-Type or the page declares, and not
            parsed if the Content-Type is not HTML. Without a body, lxml is not required.
        headers: The response headers, as pairs, so that repeated headers stay apart, or as an HTTP library returns
            them.
        url: The page's URL, which is matched with the entries of `tdm_file`.
        tdm_file: The origin's /.well-known/tdmrep.json.
        max_bytes: The number of bytes of the body to parse, 2 MiB by default.
    Raises: InvalidURL, InvalidLimit; InvalidOption: `tdm_file` without `url`; MissingExtra: there is HTML to parse,
        and lxml is not installed; TypeError.
    Cost: O(bytes), within the limits.
    """
    if max_bytes < 1:
        raise InvalidLimit(f"invalid max_bytes {max_bytes}: expected at least 1")
    if url is not None and split_url(url_bytes(url)) is None:
        raise invalid_url(url)
    if tdm_file is not None and url is None:
        raise InvalidOption("tdm_file requires url: its entries apply to paths")
    fields = collect_fields(headers)
    content_type = effective_content_type(fields.values.get("content-type", ()))
    body = b"" if html is None else _to_bytes(html, "html")
    if isinstance(html, str):
        # A str is encoded here, whatever encoding the page declares.
        content_type = UTF_8_HTML
    is_html = parse_media_type(content_type) in HTML_TYPES
    elements = parse_elements(body, content_type, max_bytes=max_bytes) if body and is_html else Elements()
    of_headers = iter(parse_header_directives(fields))
    directives = list(islice(of_headers, MAX_DIRECTIVES))
    of_html = chain.from_iterable(map(_meta_directives, elements.metas))
    directives += islice(of_html, MAX_DIRECTIVES - len(directives))
    # An iterator that is not at its end has a directive over the limit.
    too_many_of_headers, too_many_of_html = (next(rest, None) is not None for rest in (of_headers, of_html))
    has_cut_attribute = any(map(_is_cut_rule, elements.metas)) or any(map(is_cut_license, elements.links))
    file = None if tdm_file is None else parse_tdm_file(_to_bytes(tdm_file, "tdm_file"))
    conditions = {
        PageNote.NOT_HTML: body != b"" and not is_html,
        PageNote.HTML_TRUNCATED: elements.truncated,
        PageNote.TOO_MANY_ELEMENTS: elements.too_many_elements,
        PageNote.HEADERS_TRUNCATED: fields.truncated,
        PageNote.TOO_MANY_DIRECTIVES: too_many_of_headers or too_many_of_html,
        PageNote.TDM_FILE_INVALID: file is not None and file.problem is not None,
        PageNote.TOO_MANY_TDM_ENTRIES: file is not None and file.truncated,
        PageNote.ATTRIBUTE_TRUNCATED: has_cut_attribute,
    }
    return PageRules(
        url=url,
        directives=tuple(directives),
        links=tuple(link for link in map(parse_link, elements.links) if link is not None),
        no_snippets=tuple(map(parse_no_snippet, elements.no_snippets)),
        reservations=(*parse_header_reservations(fields), *parse_meta_reservations(elements.metas)),
        tdm_file=file,
        usage_headers=tuple(_parse_usage_headers(fields)),
        licenses=tuple(parse_license_links(fields, elements, url)),
        encoding=elements.encoding,
        notes=reduce(or_, (note for note, holds in conditions.items() if holds), PageNote.NONE),
        has_all_of_headers=not (fields.truncated or too_many_of_headers),
        has_all_of_html=not (elements.truncated or elements.too_many_rules or too_many_of_html or has_cut_attribute),
    )


def _to_bytes(value: object, name: str) -> bytes:
    if isinstance(value, str):
        return encode_text(value)
    if isinstance(value, BytesLike):
        return bytes(value)
    raise TypeError(f"{name} must be bytes or str, not {type(value).__name__}")


def _meta_directives(meta: Element) -> Iterable[Directive]:
    """Return the directives of one meta element.

    Any name may be that of a crawler. An element with a name other than robots is one of directives if its content
    contains a known directive.
    """
    name = _meta_name(meta)
    if not name or name in _METADATA_NAMES:
        return ()
    agent = None if name == ROBOTS else name
    position = element_position(meta, PageSource.META)
    content = meta.attributes.get("content", "")
    directives = tuple(parse_directives(content, position, agent=agent, agents_inside=False))
    if agent is None or any(directive.name in KNOWN for directive in directives):
        return directives
    return ()


def _meta_name(meta: Element) -> str:
    return meta.attributes.get("name", "").strip().lower()


def _is_cut_rule(meta: Element) -> bool:
    """Return whether the limit on attributes cut an element that may have directives or a reservation."""
    if "name" in meta.cut:
        return True
    return "content" in meta.cut and (_meta_name(meta) or "keywords") not in _METADATA_NAMES - {"tdm-reservation"}


def _check_time(seconds: object) -> None:
    if not isinstance(seconds, int | float):
        raise TypeError(f"now must be a number of seconds since the epoch, not {type(seconds).__name__}")
    if not isfinite(seconds):
        raise InvalidOption(f"invalid now {seconds}: expected a finite number of seconds since the epoch")


def _check_verdict(robots: object) -> None:
    if robots is not None and not isinstance(robots, Verdict):
        raise TypeError(f"robots must be a Verdict, such as the result of robots.decide(), not {type(robots).__name__}")
