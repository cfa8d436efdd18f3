"""The elements of a page that say something to crawlers: meta, links, and what is kept out of snippets.

lxml reads the tags, without making a tree: HTML that is made to be deep or tangled costs no more than its octets.

Source: WHATWG HTML sections 13.2.5 (tags) and 13.2.6 (where the head ends).
"""

from typing import Any, Final, NamedTuple

from canfetch.errors import MissingExtra
from canfetch.pages.encodings import detect_encoding
from canfetch.pages.offset_markers import OFFSET_ATTRIBUTE, Lines, marked

# About what Googlebot reads of a page.
DEFAULT_MAX_PAGE_BYTES: Final = 2 * 1024 * 1024
# Of meta elements, of links with a relation, and of elements kept out of snippets, each.
MAX_ELEMENTS: Final = 10_000
# Attributes longer than this are cut.
_ATTRIBUTE_CHARACTERS_LIMIT: Final = 65_536

LINK_NAMES: Final = frozenset({"a", "area", "form", "link"})
NO_SNIPPET_ATTRIBUTE: Final = "data-nosnippet"
NO_SNIPPET_NAMES: Final = frozenset({"div", "section", "span"})
_MARKED_NAMES: Final = tuple(sorted(name.encode() for name in {"body", "meta", *LINK_NAMES, *NO_SNIPPET_NAMES}))
# What may stand in a head; any other element ends it.
_HEAD_NAMES: Final = frozenset(
    {"html", "head", "base", "basefont", "bgsound", "link", "meta", "title"}
    | {"noframes", "noscript", "script", "style", "template"}
)
# Their text is not text of the page.
_HEAD_TEXT_NAMES: Final = frozenset({"noframes", "noscript", "script", "style", "template", "title"})
_WHITE_SPACE: Final = "\t\n\f\r "


class Element(NamedTuple):
    """A start tag: its name in lower case, its attributes, and where it stands.

    `number` counts elements of its kind from 1; `line` counts from 1 and `octet` from 0, or both are None where
    the parser made the element up.
    """

    name: str
    attributes: dict[str, str]
    number: int
    line: int | None
    offset: int | None
    in_head: bool


class Elements(NamedTuple):
    """The elements of a page by their kind, and what was not looked at.

    `truncated` says that the page was longer than the limit, `too_many_elements` that there were more elements.
    """

    metas: tuple[Element, ...] = ()
    links: tuple[Element, ...] = ()
    no_snippets: tuple[Element, ...] = ()
    encoding: str | None = None
    truncated: bool = False
    too_many_elements: bool = False


def parse_elements(octets: bytes, content_type: str | None, *, max_bytes: int = DEFAULT_MAX_PAGE_BYTES) -> Elements:
    """Read a page.

    Args:
        octets: whatever it is; nothing raises.
        content_type: the header's value, for the encoding.
        max_bytes: how much of it is looked at.
    Raises: MissingExtra: lxml is not installed.
    Cost: O(octets) up to the limit, in time and memory.
    """
    cut = len(octets) > max_bytes
    octets = octets[:max_bytes]
    encoding = detect_encoding(octets, content_type)
    body = octets[encoding.bom_length :]
    offset = encoding.bom_length
    if not encoding.is_ascii_superset:
        # Offsets are those of the UTF-8 form then.
        octets = body = _decoded(body, encoding.name).encode()
        offset = 0
        source = marked(body, _MARKED_NAMES)
    else:
        source = _decoded(marked(body, _MARKED_NAMES), encoding.name).encode()
    collector = _Collector(Lines(octets), offset)
    _feed(source, collector)
    return Elements(
        tuple(collector.metas),
        tuple(collector.links),
        tuple(collector.no_snippets),
        encoding.name,
        truncated=cut,
        too_many_elements=collector.cut,
    )


def _decoded(octets: bytes, name: str) -> str:
    return octets.decode(name, "replace")


def _feed(source: bytes, collector: "_Collector") -> None:
    try:
        from lxml import etree  # noqa: PLC0415 - an extra
    except ImportError:  # pragma: no cover - shown by a process of its own, which has no lxml
        raise MissingExtra('reading HTML needs the library lxml: pip install "canfetch[pages]"') from None
    # `huge_tree` lifts the limits of depth and length, which without a tree bound nothing.
    parser = etree.HTMLParser(target=collector, encoding="utf-8", huge_tree=True, no_network=True)
    try:
        parser.feed(source)
        parser.close()
    except etree.XMLSyntaxError:  # pragma: no cover - no octets are known that bring it, and what was read stands
        return


class _Collector:
    """Takes what the parser reads, in the form in which lxml wants it."""

    def __init__(self, lines: Lines, offset: int) -> None:
        self.metas: list[Element] = []
        self.links: list[Element] = []
        self.no_snippets: list[Element] = []
        self.cut = False
        self._lines = lines
        self._offset = offset
        self._in_head = True
        self._head_text_depth = 0
        self._templates = 0
        self._numbers = {"meta": 0, "link": 0, "no-snippet": 0}

    def start(self, tag: str, attributes: Any) -> None:
        """Take a start tag, whose name the parser gives in lower case."""
        # A body that nobody marked is one that the parser infers, and earlier than the standard does.
        if self._in_head and tag not in _HEAD_NAMES and (tag != "body" or OFFSET_ATTRIBUTE in attributes):
            self._in_head = False
        if tag in _HEAD_TEXT_NAMES:
            self._head_text_depth += 1
            if tag == "template":
                self._templates += 1
        if self._templates:
            # What a template holds is not in the page until a script puts it there.
            return
        if tag == "meta":
            self._keep(self.metas, "meta", tag, attributes)
        elif tag in LINK_NAMES and "rel" in attributes:
            self._keep(self.links, "link", tag, attributes)
        if NO_SNIPPET_ATTRIBUTE in attributes:
            self._keep(self.no_snippets, "no-snippet", tag, attributes)

    def end(self, tag: str) -> None:
        """Take an end tag, or an end that the parser infers."""
        if tag in _HEAD_TEXT_NAMES:
            self._head_text_depth = max(0, self._head_text_depth - 1)
            if tag == "template":
                self._templates = max(0, self._templates - 1)

    def data(self, text: str) -> None:
        """Take text; outside of its own elements none belongs into a head."""
        if self._in_head and not self._head_text_depth and text.strip(_WHITE_SPACE):
            self._in_head = False

    def close(self) -> None:
        """All was read."""

    def _keep(self, kept: list[Element], kind: str, name: str, attributes: Any) -> None:
        self._numbers[kind] += 1
        if len(kept) >= MAX_ELEMENTS:
            self.cut = True
            return
        octet = _marked_octet(attributes.get(OFFSET_ATTRIBUTE))
        plain = {
            key: value[:_ATTRIBUTE_CHARACTERS_LIMIT] for key, value in attributes.items() if key != OFFSET_ATTRIBUTE
        }
        octet = None if octet is None else octet + self._offset
        line = None if octet is None else self._lines.line_of(octet)
        kept.append(Element(name, plain, self._numbers[kind], line, octet, self._in_head))


def _marked_octet(mark: str | None) -> int | None:
    if mark is None or not mark.isascii() or not mark.isdigit() or len(mark) > 9:
        return None
    return int(mark)
