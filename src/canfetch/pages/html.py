"""The elements of a page with rules for crawlers: meta elements, links, elements with `data-nosnippet`, and licenses.

lxml reads the tags without building a tree, so the cost of deeply nested or malformed HTML stays linear in its size.

Source: WHATWG HTML sections 13.2.5 (tags) and 13.2.6 (where the head ends).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Generic, NamedTuple, TypeVar

from canfetch.errors import MissingExtra
from canfetch.pages.encodings import detect_encoding, parse_media_type
from canfetch.pages.offset_markers import OFFSET_ATTRIBUTE, LineIndex, mark_start_tags, remove_markers

# About as much of a page as Googlebot reads.
DEFAULT_MAX_PAGE_BYTES: Final = 2 * 1024 * 1024
# For each kind: meta elements, links with `rel`, elements with `data-nosnippet`, and licenses.
MAX_ELEMENTS: Final = 10_000
# Longer attribute values are truncated.
_MAX_ATTRIBUTE_LENGTH: Final = 65_536

TargetT = TypeVar("TargetT")
# The media types of HTML. Without the header, a page is HTML.
HTML_TYPES: Final = frozenset({"", "text/html", "application/xhtml+xml"})
UTF_8_HTML: Final = "text/html; charset=utf-8"

RSL_TYPE: Final = "application/rsl+xml"
LINK_NAMES: Final = frozenset({"a", "area", "form", "link"})
# Elements with directives, reservations and licenses.
_RULE_NAMES: Final = frozenset({"meta", "link", "script"})
NO_SNIPPET_ATTRIBUTE: Final = "data-nosnippet"
NO_SNIPPET_NAMES: Final = frozenset({"div", "section", "span"})
_MARKED_ELEMENTS: Final = frozenset({"body", "meta", "script", *LINK_NAMES, *NO_SNIPPET_NAMES})
# The elements that may be in the head; any other element ends it.
_HEAD_NAMES: Final = frozenset(
    {"html", "head", "base", "basefont", "bgsound", "link", "meta", "title"}
    | {"noframes", "noscript", "script", "style", "template"}
)
# Text inside these does not end the head.
_HEAD_TEXT_NAMES: Final = frozenset({"noframes", "noscript", "script", "style", "template", "title"})
_WHITE_SPACE: Final = "\t\n\f\r "


class Element(NamedTuple):
    """A start tag.

    Attributes:
        name: The name, in lower case.
        attributes: The attributes, with names in lower case.
        number: The number among the elements of its kind, from 1.
        line: The line, from 1, or None if the parser inferred the element.
        offset: The byte offset, from 0, or None if the parser inferred the element.
        in_head: Whether the element is in the head.
        cut: The names of the attributes whose values are longer than the limit.
    """

    name: str
    attributes: dict[str, str]
    number: int
    line: int | None
    offset: int | None
    in_head: bool
    cut: tuple[str, ...] = ()


class Elements(NamedTuple):
    """The elements of a page by kind.

    Attributes:
        metas: The meta elements.
        links: The links with a `rel` attribute.
        no_snippets: The elements with `data-nosnippet`.
        licenses: The script elements with a license, each with its text.
        base: The `href` of the first base element that has one, or None.
        encoding: The encoding used, by Python's name, or None if no HTML was parsed.
        truncated: Whether the page is longer than the limit.
        too_many_elements: Whether there are more elements of a kind than the limit.
        too_many_rules: Whether an element that may state a use, a reservation or a license is over this limit.
    """

    metas: tuple[Element, ...] = ()
    links: tuple[Element, ...] = ()
    no_snippets: tuple[Element, ...] = ()
    licenses: tuple[tuple[Element, str], ...] = ()
    base: str | None = None
    encoding: str | None = None
    truncated: bool = False
    too_many_elements: bool = False
    too_many_rules: bool = False


def parse_elements(html: bytes, content_type: str | None, *, max_bytes: int = DEFAULT_MAX_PAGE_BYTES) -> Elements:
    """Parse a page. Never raises on its content.

    Args:
        html: The page.
        content_type: The value of the header, for the encoding.
        max_bytes: The number of bytes to parse.
    Raises: MissingExtra: lxml is not installed.
    Cost: O(bytes) up to the limit, in time and memory.
    """
    page = read_tags(html, content_type, _Collector, marked=_MARKED_ELEMENTS, max_bytes=max_bytes)
    collector = page.target
    return Elements(
        tuple(collector.metas),
        tuple(collector.links),
        tuple(collector.no_snippets),
        tuple(
            (script, remove_markers("".join(text)))
            for script, text in zip(collector.scripts, collector.texts, strict=True)
        ),
        collector.base,
        page.encoding,
        truncated=page.truncated,
        too_many_elements=collector.too_many,
        too_many_rules=collector.too_many_rules,
    )


class TagPositions:
    """The positions of the start tags that `read_tags` marks."""

    def __init__(self, lines: LineIndex, first_offset: int) -> None:
        self._lines = lines
        self._first_offset = first_offset

    def find(self, attributes: Mapping[str, str]) -> tuple[int | None, int | None]:
        """Return the line, from 1, and the byte offset, or None twice if the parser inferred the element."""
        offset = _parse_offset(attributes.get(OFFSET_ATTRIBUTE))
        if offset is None:
            return None, None
        offset += self._first_offset
        return self._lines.line_at(offset), offset


class ReadTags(NamedTuple, Generic[TargetT]):
    """A page whose tags were read: the target, the encoding by Python's name, and whether the page is too long."""

    target: TargetT
    encoding: str
    truncated: bool


def read_tags(
    html: bytes,
    content_type: str | None,
    make_target: Callable[[TagPositions], TargetT],
    *,
    marked: Iterable[str],
    max_bytes: int,
) -> ReadTags[TargetT]:
    """Read the tags of a page with a target of lxml's parser: `start`, `end`, `data` and `close`.

    Args: marked: The names of the elements whose positions are found.
    Raises: MissingExtra: lxml is not installed.
    Cost: O(bytes) up to the limit, in time and memory.
    """
    names = sorted(name.encode() for name in marked)
    truncated = len(html) > max_bytes
    html = html[:max_bytes]
    encoding = detect_encoding(html, content_type)
    body = html[encoding.bom_length :]
    offset = encoding.bom_length
    if not encoding.is_ascii_superset:
        # Offsets refer to the UTF-8 form in this case.
        html = body = body.decode(encoding.name, "replace").encode()
        offset = 0
        source = mark_start_tags(body, names)
    else:
        source = mark_start_tags(body, names).decode(encoding.name, "replace").encode()
    target = make_target(TagPositions(LineIndex(html), offset))
    feed_target(source, target)
    return ReadTags(target, encoding.name, truncated)


def _feed_with_lxml(source: bytes, target: object) -> None:
    try:
        from lxml import etree  # noqa: PLC0415 - an extra
    except ImportError:  # pragma: no cover - tested in a subprocess without lxml
        raise MissingExtra('parsing HTML requires lxml: run pip install "canfetch[pages]"') from None
    # `huge_tree` lifts limits of depth and length, which are not needed without a tree.
    parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True, no_network=True)
    try:
        parser.feed(source)
        parser.close()
    except etree.XMLSyntaxError:  # pragma: no cover - no input is known to raise it
        return


# Passes the tags of a page in UTF-8 to a target. In the browser, the tester page has another parser.
feed_target: Callable[[bytes, object], None] = _feed_with_lxml


class _Collector:
    """The parser target: collects elements through the interface that lxml requires."""

    def __init__(self, positions: TagPositions) -> None:
        self.metas: list[Element] = []
        self.links: list[Element] = []
        self.no_snippets: list[Element] = []
        self.scripts: list[Element] = []
        self.texts: list[list[str]] = []
        self.base: str | None = None
        self.too_many = False
        self.too_many_rules = False
        self._positions = positions
        self._in_head = True
        self._head_text_depth = 0
        self._templates = 0
        # The text of the license that is open.
        self._license: list[str] | None = None
        self._numbers = {"meta": 0, "link": 0, "no-snippet": 0, "script": 0}

    def start(self, tag: str, attributes: Any) -> None:
        """Handle a start tag; lxml passes its name in lower case."""
        # An unmarked body is one that the parser infers, and earlier than the standard does.
        if self._in_head and tag not in _HEAD_NAMES and (tag != "body" or OFFSET_ATTRIBUTE in attributes):
            self._in_head = False
        if tag in _HEAD_TEXT_NAMES:
            self._head_text_depth += 1
            if tag == "template":
                self._templates += 1
        if self._templates:
            # The content of a template is not part of the page until a script inserts it.
            return
        if tag == "meta":
            self._add(self.metas, "meta", tag, attributes)
        elif tag in LINK_NAMES and "rel" in attributes:
            self._add(self.links, "link", tag, attributes)
        elif tag == "script" and parse_media_type(attributes.get("type")) == RSL_TYPE:
            self._start_license(tag, attributes)
        elif tag == "base" and self.base is None:
            self.base = attributes.get("href")
        if NO_SNIPPET_ATTRIBUTE in attributes:
            self._add(self.no_snippets, "no-snippet", tag, attributes)

    def end(self, tag: str) -> None:
        """Handle an end tag, written or inferred."""
        if tag == "script":
            self._license = None
        if tag in _HEAD_TEXT_NAMES:
            self._head_text_depth = max(0, self._head_text_depth - 1)
            if tag == "template":
                self._templates = max(0, self._templates - 1)

    def data(self, text: str) -> None:
        """Handle text, which ends the head unless it is inside an element such as title."""
        if self._license is not None:
            self._license.append(text)
        if self._in_head and not self._head_text_depth and text.strip(_WHITE_SPACE):
            self._in_head = False

    def close(self) -> None:
        """Handle the end of the page."""

    def _start_license(self, tag: str, attributes: Any) -> None:
        self._add(self.scripts, "script", tag, attributes)
        if len(self.texts) < len(self.scripts):
            self._license = []
            self.texts.append(self._license)

    def _add(self, elements: list[Element], kind: str, name: str, attributes: Any) -> None:
        self._numbers[kind] += 1
        if len(elements) >= MAX_ELEMENTS:
            self.too_many = True
            self.too_many_rules |= kind != "no-snippet" and name in _RULE_NAMES
            return
        own = {key: value[:_MAX_ATTRIBUTE_LENGTH] for key, value in attributes.items() if key != OFFSET_ATTRIBUTE}
        cut = tuple(key for key, value in own.items() if len(value) < len(attributes[key]))
        line, offset = self._positions.find(attributes)
        elements.append(Element(name, own, self._numbers[kind], line, offset, self._in_head, cut))


def _parse_offset(text: str | None) -> int | None:
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 9:
        return None
    return int(text)
