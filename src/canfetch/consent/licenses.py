"""The RSL licenses that robots.txt and a page name or contain, as sources and statements.

A document is read once, whatever names it, and what it refers to is not read: license servers, shared terms, and
terms for people.

DEVIATION(rsl): RSL 1.0 section 4.9 gives the license of a page precedence over that of the site, and resolves
contradictions to the most restrictive combination. Here all licenses that apply are combined, so that the license of a
page does not permit what that of the site prohibits.

Source: RSL 1.0 sections 4.2 to 4.9.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from canfetch.consent.license_terms import StatedTerm, stated_terms, without_allowance
from canfetch.consent.rsl import RSLDocument, parse_rsl
from canfetch.consent.verdict import MAX_STATEMENTS, SourceState, StatementKind, UseSource, UseStatement
from canfetch.core.extensions.preference import Preference, UsagePurpose
from canfetch.core.extensions.record import Extension
from canfetch.core.origin import find_origin
from canfetch.core.redaction import redacted_url
from canfetch.core.text import printable_text
from canfetch.pages.license_links import LicenseLink
from canfetch.pages.positions import PageSource
from canfetch.pages.url_patterns import normalize_target

LICENSE: Final = "license"
MAX_PLACES: Final = 200
"""The number of places whose licenses are read."""

_TERMS: Final = "the terms of a license"
_PART: Final = "it applies to a part of the page"
_CONDITIONS: Final = "another license has conditions"
_MAX_DETAIL: Final = 500
_NOT_PASSED: Final = UseSource(LICENSE, SourceState.NOT_READ)


class LicensePlace(NamedTuple):
    """A place that names or contains a license.

    Attributes:
        source: The name of its source, as in `UseSource`.
        place: Where it is.
        reference: The license as named, or None if the place contains it.
        url: Its absolute URL, or None if the reference is not valid, for example because of its host.
        document: The license if the place contains it, or None.
        is_page: Whether the place is the page itself, which an empty `url` of content means.
        in_part: Whether it applies to a part of the page only.
        line: The line of robots.txt or of the HTML, or None.
    """

    source: str
    place: str
    reference: str | None
    url: str | None
    document: str | None = None
    is_page: bool = False
    in_part: bool = False
    line: int | None = None


def record_places(records: Iterable[Extension[Any]], source: str) -> Iterator[LicensePlace]:
    """Yield the places of License records of robots.txt."""
    for record in records:
        url = record.parsed.url
        yield LicensePlace(source, f"line {record.line}", url, _valid_url(url), line=record.line)


def page_places(links: Iterable[LicenseLink], headers: str, html: str) -> Iterator[LicensePlace]:
    """Yield the places of a page.

    Args:
        headers: The name of the headers as a source.
        html: That of the HTML.
    """
    for link in links:
        position = link.position
        yield LicensePlace(
            headers if position.source is PageSource.LINK_HEADER else html,
            str(position),
            link.reference,
            _valid_url(link.url),
            link.document,
            is_page=True,
            # In the body, it applies to its parent element.
            in_part=position.in_head is False,
            line=position.line,
        )


def _valid_url(url: str | None) -> str | None:
    return None if url is None or find_origin(url) is None else url


class Licenses(NamedTuple):
    """What licenses state on a use, the documents as sources, and the URLs of those that the places name.

    Of more than 100 terms, `unlisted` is the number of the others.
    """

    statements: list[UseStatement]
    sources: list[UseSource]
    urls: tuple[str, ...]
    unlisted: int


def read_licenses(
    places: Iterable[LicensePlace],
    documents: Mapping[str, bytes | str | UseSource],
    url: str,
    purpose: UsagePurpose,
    *,
    of_others: Iterable[str] = (),
) -> Licenses:
    """Return what the licenses of all places state on a use of a URL.

    Args:
        documents: The documents by URL, or why there is none. Those that no place names count as well, unless they are
            in `of_others`.
        url: The absolute URL of the content, or its path.
        purpose: The use.
        of_others: The URLs of licenses for other crawlers.
    Cost: As `parse_rsl` and `stated_terms`, for each of at most 200 documents.
    """
    passed = {_key(one): (one, document) for one, document in documents.items()}
    named: dict[str, list[LicensePlace]] = {}
    statements: list[UseStatement] = []
    read: list[_Read] = []
    sources: list[UseSource] = []
    places = iter(places)
    for place in islice(places, MAX_PLACES):
        _, document = passed.get(_key(place.url or ""), (None, _NOT_PASSED))
        statements.append(_naming_statement(place, document))
        if place.document is not None:
            read.append(_Read(place.source, place.place, parse_rsl(place.document), [place]))
        elif place.url is not None:
            named.setdefault(_key(place.url), []).append(place)
    if next(places, None) is not None:
        sources.append(UseSource(LICENSE, SourceState.NOT_READ, f"more than {MAX_PLACES} places name licenses"))
    urls = tuple(_without_credentials(own[0].url or "") for own in named.values())
    skipped = set(map(_key, of_others))
    for key, (one, _) in passed.items():
        if key not in skipped:
            named.setdefault(key, [LicensePlace(LICENSE, "", one, one)])
    for key, own in named.items():
        address = address_text(own[0].url or "")
        _, document = passed.get(key, (None, _NOT_PASSED))
        if isinstance(document, UseSource):
            detail = f"{address}: {document.detail}" if document.detail else address
            sources.append(document._replace(detail=detail[:_MAX_DETAIL], url=address))
        else:
            read.append(_Read(LICENSE, address, parse_rsl(document), own))
    sources += (source for one in read for source in one.sources())
    terms = _term_statements(read, url, purpose)
    unlisted = max(0, len(terms) - MAX_STATEMENTS)
    return Licenses([*statements, *terms[:MAX_STATEMENTS]], sources, urls, unlisted)


class _Read(NamedTuple):
    """A document that was read: its source, its address or place, its content, and the places that name it."""

    source: str
    place: str
    document: RSLDocument
    named_by: list[LicensePlace]

    def sources(self) -> Iterator[UseSource]:
        """Yield the document as a source. One that the page contains is part of it unless it cannot be read."""
        problems = self.document.problems
        if problems:
            url = self.place if self.source == LICENSE else None
            yield UseSource(LICENSE, SourceState.UNREADABLE, f"{self.place}: {problems[0]}"[:_MAX_DETAIL], url)
        elif self.source == LICENSE:
            yield UseSource(LICENSE, SourceState.READ, self.place[:_MAX_DETAIL], self.place)

    def terms(self, url: str, purpose: UsagePurpose) -> list[StatedTerm]:
        """Return what the document states on a use."""
        terms = stated_terms(self.document, url, purpose, is_scope=any(place.is_page for place in self.named_by))
        if all(place.in_part for place in self.named_by):
            return [without_allowance(term, _PART) for term in terms]
        return terms


def _term_statements(read: Iterable[_Read], url: str, purpose: UsagePurpose) -> list[UseStatement]:
    terms = [(one, term) for one in read for term in one.terms(url, purpose)]
    if any(term.is_conditional for _, term in terms):
        terms = [(one, without_allowance(term, _CONDITIONS)) for one, term in terms]
    # Of thousands of terms, no prohibition is lost, and no condition.
    terms.sort(key=lambda pair: (pair[1].preference is not Preference.DISALLOW, not pair[1].is_conditional))
    return [_term_statement(one, term) for one, term in terms]


def _term_statement(read: _Read, term: StatedTerm) -> UseStatement:
    place = read.place if term.line is None else f"{read.place}, line {term.line} of the license"
    if term.content_url:
        place += f" for {printable_text(redacted_url(term.content_url))[:_MAX_DETAIL]}"
    text, note = (term.text, printable_text(term.note)) if term.text else (term.note, "")
    note, condition = note[:_MAX_DETAIL], term.is_conditional
    return UseStatement(
        StatementKind.LICENSE, read.source, place, text, term.preference, note, condition, is_overridable=False
    )


def _naming_statement(place: LicensePlace, document: bytes | str | UseSource) -> UseStatement:
    note = _TERMS if place.url is not None or place.reference is None else "the URL of a license is not valid"
    if isinstance(document, UseSource) and document.state is SourceState.ABSENT:
        note = "the license is absent"
    text = "a license" if place.reference is None else redacted_url(place.reference)
    return UseStatement(
        StatementKind.LICENSE, place.source, place.place, text, Preference.UNKNOWN, note, line=place.line
    )


def address_text(url: str) -> str:
    """Return the URL of a file as its source and its statements name it. Sites control its length."""
    return printable_text(redacted_url(url))[:_MAX_DETAIL]


def _key(url: str) -> str:
    """Return the same text for all spellings of a URL."""
    origin, target = find_origin(url), normalize_target(url)
    return url if origin is None or target is None else f"{origin}{target.decode('latin-1')}"


def _without_credentials(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    end = min((found for found in map(rest.find, "/?#") if found >= 0), default=len(rest))
    return f"{scheme}{separator}{rest[:end].rpartition('@')[2]}{rest[end:]}"
