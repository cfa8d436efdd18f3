"""The elements of a page with rules for crawlers: meta elements, links, and elements with `data-nosnippet`.

lxml reads the tags without building a tree, so the cost of deeply nested or malformed HTML stays linear in its size.

Source: WHATWG HTML sections 13.2.5 (tags) and 13.2.6 (where the head ends).
"""

from typing import Any, Final, NamedTuple

from canfetch.errors import MissingExtra
from canfetch.pages.encodings import detect_encoding
from canfetch.pages.offset_markers import OFFSET_ATTRIBUTE, LineIndex, mark_start_tags

# About as much of a page as Googlebot reads.
DEFAULT_MAX_PAGE_BYTES: Final = 2 * 1024 * 1024
# For each kind: meta elements, links with `rel`, and elements with `data-nosnippet`.
MAX_ELEMENTS: Final = 10_000
# Longer attribute values are truncated.
_MAX_ATTRIBUTE_LENGTH: Final = 65_536

LINK_NAMES: Final = frozenset({"a", "area", "form", "link"})
NO_SNIPPET_ATTRIBUTE: Final = "data-nosnippet"
NO_SNIPPET_NAMES: Final = frozenset({"div", "section", "span"})
_MARKED_ELEMENTS: Final = tuple(sorted(name.encode() for name in {"body", "meta", *LINK_NAMES, *NO_SNIPPET_NAMES}))
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
    """

    name: str
    attributes: dict[str, str]
    number: int
    line: int | None
    offset: int | None
    in_head: bool


class Elements(NamedTuple):
    """The elements of a page by kind.

    Attributes:
        metas: The meta elements.
        links: The links with a `rel` attribute.
        no_snippets: The elements with `data-nosnippet`.
        encoding: The encoding used, by Python's name, or None if no HTML was parsed.
        truncated: Whether the page is longer than the limit.
        too_many_elements: Whether there are more elements of a kind than the limit.
    """

    metas: tuple[Element, ...] = ()
    links: tuple[Element, ...] = ()
    no_snippets: tuple[Element, ...] = ()
    encoding: str | None = None
    truncated: bool = False
    too_many_elements: bool = False


def parse_elements(html: bytes, content_type: str | None, *, max_bytes: int = DEFAULT_MAX_PAGE_BYTES) -> Elements:
    """Parse a page. Never raises on its content.

    Args:
        html: The page.
        content_type: The value of the header, for the encoding.
        max_bytes: The number of bytes to parse.
    Raises: MissingExtra: lxml is not installed.
    Cost: O(bytes) up to the limit, in time and memory.
    """
    truncated = len(html) > max_bytes
    html = html[:max_bytes]
    encoding = detect_encoding(html, content_type)
    body = html[encoding.bom_length :]
    offset = encoding.bom_length
    if not encoding.is_ascii_superset:
        # Offsets refer to the UTF-8 form in this case.
        html = body = body.decode(encoding.name, "replace").encode()
        offset = 0
        source = mark_start_tags(body, _MARKED_ELEMENTS)
    else:
        source = mark_start_tags(body, _MARKED_ELEMENTS).decode(encoding.name, "replace").encode()
    collector = _Collector(LineIndex(html), offset)
    _feed(source, collector)
    return Elements(
        tuple(collector.metas),
        tuple(collector.links),
        tuple(collector.no_snippets),
        encoding.name,
        truncated=truncated,
        too_many_elements=collector.too_many,
    )


def _feed(source: bytes, collector: "_Collector") -> None:
    try:
        from lxml import etree  # noqa: PLC0415 - an extra
    except ImportError:  # pragma: no cover - tested in a subprocess without lxml
        raise MissingExtra('parsing HTML requires lxml: run pip install "canfetch[pages]"') from None
    # `huge_tree` lifts limits of depth and length, which are not needed without a tree.
    parser = etree.HTMLParser(target=collector, encoding="utf-8", huge_tree=True, no_network=True)
    try:
        parser.feed(source)
        parser.close()
    except etree.XMLSyntaxError:  # pragma: no cover - no input is known to raise it
        return


class _Collector:
    """The parser target: collects elements through the interface that lxml requires."""

    def __init__(self, lines: LineIndex, offset: int) -> None:
        self.metas: list[Element] = []
        self.links: list[Element] = []
        self.no_snippets: list[Element] = []
        self.too_many = False
        self._lines = lines
        self._offset = offset
        self._in_head = True
        self._head_text_depth = 0
        self._templates = 0
        self._numbers = {"meta": 0, "link": 0, "no-snippet": 0}

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
        if NO_SNIPPET_ATTRIBUTE in attributes:
            self._add(self.no_snippets, "no-snippet", tag, attributes)

    def end(self, tag: str) -> None:
        """Handle an end tag, written or inferred."""
        if tag in _HEAD_TEXT_NAMES:
            self._head_text_depth = max(0, self._head_text_depth - 1)
            if tag == "template":
                self._templates = max(0, self._templates - 1)

    def data(self, text: str) -> None:
        """Handle text, which ends the head unless it is inside an element such as title."""
        if self._in_head and not self._head_text_depth and text.strip(_WHITE_SPACE):
            self._in_head = False

    def close(self) -> None:
        """Handle the end of the page."""

    def _add(self, elements: list[Element], kind: str, name: str, attributes: Any) -> None:
        self._numbers[kind] += 1
        if len(elements) >= MAX_ELEMENTS:
            self.too_many = True
            return
        offset = _parse_offset(attributes.get(OFFSET_ATTRIBUTE))
        own = {key: value[:_MAX_ATTRIBUTE_LENGTH] for key, value in attributes.items() if key != OFFSET_ATTRIBUTE}
        offset = None if offset is None else offset + self._offset
        line = None if offset is None else self._lines.line_at(offset)
        elements.append(Element(name, own, self._numbers[kind], line, offset, self._in_head))


def _parse_offset(text: str | None) -> int | None:
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 9:
        return None
    return int(text)
