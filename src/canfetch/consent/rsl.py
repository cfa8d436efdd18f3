"""RSL documents: the licenses of a site, in Really Simple Licensing.

No content raises. Documents are XML of strangers: nothing is fetched, and no entity is expanded. Elements, attributes
and usages that RSL 1.0 does not define are problems, because a misspelled one may restrict. Elements of other
namespaces are ignored, with what they contain, unless they have the name of an element of RSL.

Source: RSL 1.0 sections 2.2 and 3. The lists of the draft 0.9 are separated by commas, which are read as spaces.
"""

from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from canfetch.consent.purposes import KNOWN_RSL_USAGES
from canfetch.core.bounded_xml import BoundedParser, InvalidXML
from canfetch.core.origin import find_origin
from canfetch.core.quoting import quoted
from canfetch.core.text import encode_text, printable_text
from canfetch.pages.url_patterns import is_pattern, match_specificity, normalize_target

RSL_NAMESPACE: Final = "https://rslstandard.org/rsl"
MAX_RSL_BYTES: Final = 1 << 20
MAX_CONTENTS: Final = 1_000
_MAX_PROBLEMS: Final = 100
_MAX_REASON: Final = 200
# An empty `url` is the place that names the license, which is narrower than each pattern.
_WHOLE_PLACE: Final = 1 << 30


class RSLTermType(StrEnum):
    """What a term permits or prohibits: usages, classes of users, or countries."""

    USAGE = "usage"
    USER = "user"
    GEO = "geo"


class RSLTerm(NamedTuple):
    """One `permits` or `prohibits` element.

    Attributes:
        type: What it is about.
        values: Its tokens, in lower case.
        line: Its line, from 1.
    """

    type: RSLTermType
    values: tuple[str, ...]
    line: int


class RSLPayment(NamedTuple):
    """The compensation for a use.

    Attributes:
        type: `purchase`, `subscription`, `training`, `crawl`, `use`, `contribution`, `attribution`, `free`, or another
            word. None if it is not stated, which means free.
        standard: The address of shared terms, or None.
        custom: The address of the terms of this publisher, or None.
        amount: The amount with its currency, or None.
        accepts: The media type of the payment protocol, or None.
    """

    type: str | None
    standard: str | None = None
    custom: str | None = None
    amount: str | None = None
    accepts: str | None = None


class RSLLegal(NamedTuple):
    """A legal statement: its type, such as `warranty`, and its words."""

    type: str
    text: str


class RSLCopyright(NamedTuple):
    """The holder of the rights.

    Attributes:
        holder: The name. It can be empty.
        type: `person` or `organization`, or None.
        email: An address for questions about licenses, or None.
        url: A page for questions about licenses, or None.
    """

    holder: str
    type: str | None = None
    email: str | None = None
    url: str | None = None


class RSLLicense(NamedTuple):
    """One license: what it permits and prohibits, on which terms.

    Attributes:
        permits: What it permits. If a type of terms occurs, it permits nothing else of this type.
        prohibits: What it prohibits.
        payment: The compensation, or None, which means free.
        reporting: The types of reports that it requires.
        legal: The legal statements.
        line: Its line, from 1.
    """

    permits: tuple[RSLTerm, ...]
    prohibits: tuple[RSLTerm, ...]
    payment: RSLPayment | None
    reporting: tuple[str, ...]
    legal: tuple[RSLLegal, ...]
    line: int


class RSLContent(NamedTuple):
    """Content with its licenses.

    Attributes:
        url: The pattern of paths, with or without an origin; empty for the place that names the license.
        server: The server that issues licenses, without which nothing may be used, or None.
        encrypted: Whether the content is encrypted.
        licenses: The licenses, of which each is a set of terms.
        copyright: The holder of the rights, or None.
        terms: The address of terms for people, or None.
        line: Its line, from 1.
    """

    url: str
    server: str | None
    encrypted: bool
    licenses: tuple[RSLLicense, ...]
    copyright: RSLCopyright | None
    terms: str | None
    line: int

    def match(self, url: str, *, is_scope: bool) -> int | None:
        """Return how specific this content is for a URL, or None if it does not contain it.

        Args: is_scope: Whether the URL is the place that names the license, so that an empty `url` means it.
        Cost: O(bytes of the pattern times bytes of the URL) at worst.
        """
        if not self.url:
            return _WHOLE_PLACE if is_scope else None
        target = normalize_target(url)
        pattern = _path_pattern(self.url)
        if target is None or pattern is None:
            return None
        origin = find_origin(self.url)
        if origin is not None and origin != find_origin(url):
            return None
        return match_specificity(pattern, target)


class RSLProblem(NamedTuple):
    """What is wrong with a document: the line, from 1, and the reason."""

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


class RSLDocument(NamedTuple):
    """A parsed RSL document.

    Attributes:
        contents: The content elements, in order, up to 1,000.
        max_age: The days after which the document is read again, or None, which means 30.
        problems: What is wrong with it, up to 100 problems. With a problem, terms may be missing.
    """

    contents: tuple[RSLContent, ...] = ()
    max_age: int | None = None
    problems: tuple[RSLProblem, ...] = ()


def parse_rsl(content: bytes | str) -> RSLDocument:
    """Parse an RSL document. Never raises, whatever it contains.

    Of a license that ends early, what it prohibits is read.

    Raises: TypeError.
    Cost: O(bytes), of which at most 1 MiB are read. The last four documents are kept.
    Source: RSL 1.0 section 3.

    >>> content = '<content url="/"><license><prohibits type="usage">ai-all</prohibits></license></content>'
    >>> document = parse_rsl(f'<rsl xmlns="https://rslstandard.org/rsl">{content}</rsl>')
    >>> document.contents[0].licenses[0].prohibits
    (RSLTerm(type=<RSLTermType.USAGE: 'usage'>, values=('ai-all',), line=1),)
    """
    if not isinstance(content, bytes | str):
        raise TypeError(f"an RSL document must be bytes or str, not {type(content).__name__}")
    # A str is encoded here, whatever encoding the document declares.
    is_text = isinstance(content, str)
    encoded = encode_text(content.strip()) if isinstance(content, str) else content
    document = _parse(encoded[:MAX_RSL_BYTES], "utf-8" if is_text else None)
    if len(encoded) > MAX_RSL_BYTES:
        cut = RSLProblem(1, f"longer than {MAX_RSL_BYTES} bytes")
        return document._replace(problems=(cut, *document.problems[: _MAX_PROBLEMS - 1]))
    return document


# The documents that were read last are kept, because a crawler asks about thousands of URLs of one site.
@lru_cache(4)
def _parse(content: bytes, encoding: str | None) -> RSLDocument:
    return _Reader(encoding).read(content)


_PARENTS: Final = {
    "content": "rsl",
    "license": "content",
    "alternate": "content",
    "schema": "content",
    "copyright": "content",
    "terms": "content",
    "permits": "license",
    "prohibits": "license",
    "payment": "license",
    "reporting": "license",
    "legal": "license",
    "standard": "payment",
    "custom": "payment",
    "amount": "payment",
    "accepts": "payment",
}
# Of the elements whose attributes can restrict.
_ATTRIBUTES: Final = {
    "content": frozenset({"url", "server", "encrypted", "lastmod"}),
    "permits": frozenset({"type"}),
    "prohibits": frozenset({"type"}),
}
_TERM_TYPES: Final = frozenset(map(str, RSLTermType))
_BOOLEANS: Final = frozenset({"true", "false"})


class _OtherDocumentError(Exception):
    """The root element is not that of RSL."""


class _Element(NamedTuple):
    name: str
    attributes: dict[str, str]
    line: int


class _Reader:
    """Builds a document from its elements."""

    def __init__(self, encoding: str | None) -> None:
        self._parser = BoundedParser(self._start, self._end, self._add_text, self._open, encoding=encoding)
        self._elements: list[_Element] = []
        # The open elements that are ignored.
        self._ignored = 0
        self._name = ""
        self._text: list[str] = []
        self._problems: list[RSLProblem] = []
        self._max_age: int | None = None
        self._contents: list[RSLContent] = []
        self._licenses: list[RSLLicense] = []
        self._copyright: RSLCopyright | None = None
        self._terms: str | None = None
        self._permits: list[RSLTerm] = []
        self._prohibits: list[RSLTerm] = []
        self._payment: RSLPayment | None = None
        self._paid: dict[str, str] = {}
        self._reporting: list[str] = []
        self._legal: list[RSLLegal] = []
        self._ends = {
            "payment": self._end_payment,
            "reporting": self._end_reporting,
            "legal": self._end_legal,
            "copyright": self._end_copyright,
            "terms": self._end_terms,
            "license": self._end_license,
            "content": self._end_content,
            "rsl": self._end_document,
        }

    def read(self, content: bytes) -> RSLDocument:
        try:
            self._parser.feed(content, is_end=True)
        except _OtherDocumentError as error:
            self._report(str(error))
        except InvalidXML as error:
            self._report(f"invalid XML: {printable_text(str(error)[:_MAX_REASON])}")
            self._close()
        return RSLDocument(tuple(self._contents), self._max_age, tuple(self._problems))

    def _close(self) -> None:
        """Close the open elements, so that no prohibition is lost. What follows could extend the permissions."""
        self._permits = []
        while self._elements:
            element = self._elements.pop()
            if element.name in {"license", "content"}:
                self._ends[element.name](element, "")

    def _report(self, reason: str, line: int | None = None) -> None:
        if len(self._problems) < _MAX_PROBLEMS:
            self._problems.append(RSLProblem(self._parser.line if line is None else line, reason))

    def _start(self, space: str, name: str) -> None:
        self._name = name
        if self._ignored:
            self._ignored += 1
        elif not self._elements:
            if (space, name) != (RSL_NAMESPACE, "rsl"):
                where = f"in the namespace {quoted(space)}" if space else "without a namespace"
                raise _OtherDocumentError(f"not an RSL document: its root is {quoted(name)} {where}")
        elif space != RSL_NAMESPACE:
            if name in _PARENTS:
                # A restriction in a misspelled namespace must not be lost.
                where = f"in the namespace {quoted(space)}" if space else "without a namespace"
                self._report(f"{name} {where}: expected {quoted(RSL_NAMESPACE)}")
            self._ignored = 1
        elif _PARENTS.get(name) != self._elements[-1].name:
            known = f"{name} cannot be in {self._elements[-1].name}"
            self._report(known if name in _PARENTS else f"unknown element {quoted(name)}")
            self._ignored = 1

    def _open(self, attributes: dict[str, str]) -> None:
        if not self._ignored:
            known = _ATTRIBUTES.get(self._name)
            unknown = next((name for name in attributes if known is not None and name not in known), None)
            if unknown is not None and unknown.isalpha():
                self._report(f"unknown attribute {quoted(unknown)} of {self._name}")
            self._elements.append(_Element(self._name, attributes, self._parser.line))
            self._text = []

    def _add_text(self, text: str) -> None:
        if not self._ignored:
            self._text.append(text)

    def _end(self, _name: str) -> None:
        if self._ignored:
            self._ignored -= 1
            return
        element = self._elements.pop()
        text = "".join(self._text).strip()
        if element.name in {"permits", "prohibits"}:
            self._add_term(element, text)
        elif _PARENTS.get(element.name) == "payment":
            self._add_payment_part(element, text)
        elif (end := self._ends.get(element.name)) is not None:
            end(element, text)

    def _add_term(self, element: _Element, text: str) -> None:
        words = element.attributes.get("type", "").strip().lower()
        if words not in _TERM_TYPES:
            self._report(f"unknown type {quoted(words)} of {element.name}", element.line)
            return
        values = tuple(text.lower().replace(",", " ").split())
        if not values:
            self._report(f"{element.name} without a value", element.line)
        unknown = [one for one in values if one not in KNOWN_RSL_USAGES] if words == RSLTermType.USAGE else []
        if unknown:
            self._report(f"unknown usage {quoted(unknown[0])}", element.line)
        terms = self._permits if element.name == "permits" else self._prohibits
        terms.append(RSLTerm(RSLTermType(words), values, element.line))

    def _add_payment_part(self, element: _Element, text: str) -> None:
        if element.name == "accepts":
            text = element.attributes.get("type", "")
        elif element.name == "amount":
            text = f"{text} {element.attributes.get('currency', '')}".strip()
        self._paid.setdefault(element.name, text)

    def _end_payment(self, element: _Element, _text: str) -> None:
        kind = element.attributes.get("type")
        if self._payment is not None:
            self._report("more than one payment", element.line)
            # The terms of both cannot be known, so that none of them is free.
            kind = f"{self._payment.type or 'free'} and {kind or 'free'}"
        self._payment = RSLPayment(None if kind is None else kind.strip().lower(), **self._paid)
        self._paid = {}

    def _end_reporting(self, element: _Element, _text: str) -> None:
        self._reporting.append(element.attributes.get("type", ""))

    def _end_legal(self, element: _Element, text: str) -> None:
        self._legal.append(RSLLegal(element.attributes.get("type", ""), text))

    def _end_copyright(self, element: _Element, text: str) -> None:
        own = element.attributes
        self._copyright = RSLCopyright(text, own.get("type"), own.get("contactEmail"), own.get("contactUrl"))

    def _end_terms(self, _element: _Element, text: str) -> None:
        self._terms = text

    def _end_license(self, element: _Element, _text: str) -> None:
        self._licenses.append(
            RSLLicense(
                tuple(self._permits),
                tuple(self._prohibits),
                self._payment,
                tuple(self._reporting),
                tuple(self._legal),
                element.line,
            )
        )
        self._permits, self._prohibits, self._payment = [], [], None
        self._reporting, self._legal = [], []

    def _end_content(self, element: _Element, _text: str) -> None:
        licenses, self._licenses = tuple(self._licenses), []
        holder, self._copyright = self._copyright, None
        terms, self._terms = self._terms, None
        url, server = element.attributes.get("url"), element.attributes.get("server")
        if len(self._contents) == MAX_CONTENTS:
            self._report(f"more than {MAX_CONTENTS:,} content elements", element.line)
            return
        if url is None or (url and _path_pattern(url.strip()) is None):
            problem = "content without url" if url is None else f"invalid url {quoted(url)}: expected a path or a URL"
            self._report(problem, element.line)
            return
        if not licenses:
            self._report("content without a license", element.line)
        encrypted = element.attributes.get("encrypted", "false").strip().lower()
        if encrypted not in _BOOLEANS:
            self._report(f"invalid encrypted {quoted(encrypted)}: expected true or false", element.line)
        self._contents.append(
            RSLContent(url.strip(), server, encrypted != "false", licenses, holder, terms, element.line)
        )

    def _end_document(self, element: _Element, _text: str) -> None:
        days = element.attributes.get("max-age", "").strip()
        if days.isascii() and days.isdigit() and len(days) < len(str(_WHOLE_PLACE)):
            self._max_age = int(days)


def _path_pattern(url: str) -> str | None:
    """Return the pattern of paths in the `url` of content, or None if it is neither a path nor a URL."""
    # Targets have no fragment.
    url = url.partition("#")[0]
    if find_origin(url) is None:
        return url if is_pattern(url) and not url.startswith("//") else None
    _, _, rest = url.partition("://")
    path = rest[len(rest) - len(rest.lstrip("/")) :]
    start = min((found for found in (path.find(mark) for mark in "/?#") if found >= 0), default=len(path))
    if "*" in path[:start]:
        return None
    pattern = path[start:]
    return pattern if pattern.startswith("/") else f"/{pattern}"
