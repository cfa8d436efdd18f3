"""The resources of a page: the scripts, styles, images, frames and other files that a browser loads with it.

Only the HTML is read, with the imports of its style elements. Files that a style sheet or a script loads are not found.

Source: WHATWG HTML sections 4.2.3 (base), 4.2.4 and 4.6.7 (links), 4.8 (embedded content) and 13.2 (parsing).
"""

from collections.abc import Iterator, Mapping
from enum import Flag, StrEnum, auto
from functools import partial, reduce
from operator import or_
from typing import Any, Final, NamedTuple

from canfetch.core.origin import find_origin
from canfetch.core.quoting import quoted
from canfetch.core.references import is_scheme, resolve_reference
from canfetch.core.text import encode_text, printable_text
from canfetch.errors import InvalidLimit, InvalidURL
from canfetch.pages.directives import note_names
from canfetch.pages.encodings import parse_media_type
from canfetch.pages.html import DEFAULT_MAX_PAGE_BYTES, HTML_TYPES, UTF_8_HTML, TagPositions, read_tags
from canfetch.pages.offset_markers import remove_markers
from canfetch.pages.style_imports import style_imports

# Different URLs. Later ones are not listed.
MAX_RESOURCES: Final = 1_000
# Longer references are not listed, both as written and resolved.
_MAX_URL_BYTES: Final = 8192
_WEB_SCHEMES: Final = frozenset({"http", "https"})
_HTML_SPACE: Final = "\t\n\f\r "
_CONTROLS: Final = {ord(character): None for character in "\t\n\r"}


class ResourceKind(StrEnum):
    """What a resource is for."""

    SCRIPT = "script"
    STYLE = "style"
    IMAGE = "image"
    ICON = "icon"
    FONT = "font"
    MEDIA = "media"
    FRAME = "frame"
    OBJECT = "object"
    MANIFEST = "manifest"
    OTHER = "other"


class ResourceNote(Flag):
    """Notes about resources that are not listed."""

    NONE = 0
    NOT_HTML = auto()  # the Content-Type is not HTML, so no element was parsed
    HTML_TRUNCATED = auto()  # the page is longer than the limit; the rest was not parsed
    TOO_MANY_RESOURCES = auto()  # the page has more resources than the limit
    INVALID_REFERENCES = auto()  # references that are not valid URLs, or are too long


class Resource(NamedTuple):
    """A resource of a page.

    Attributes:
        url: The absolute URL, without its fragment.
        kind: What the first element that refers to it uses it for.
        element: The name of that element.
        line: The line of that element, from 1, or None if the parser inferred the element.
        references: How many references to the URL the page has.
    """

    url: str
    kind: ResourceKind
    element: str
    line: int | None
    references: int

    def to_json(self) -> dict[str, Any]:
        """Return the resource as JSON-compatible values."""
        return {**self._asdict(), "url": printable_text(self.url), "kind": str(self.kind)}


class PageResources(NamedTuple):
    """The resources of a page, in the order of their first references.

    Attributes:
        resources: The resources, each URL once.
        base: The URL that `<base href>` sets, or None.
        notes: Notes about resources that are not listed.
    """

    resources: tuple[Resource, ...]
    base: str | None
    notes: ResourceNote

    @property
    def note_names(self) -> list[str]:
        """The names of the notes, in lower case with hyphens."""
        return note_names(self.notes)


def parse_resources(
    html: bytes | str,
    *,
    url: str,
    content_type: str | None = None,
    max_bytes: int = DEFAULT_MAX_PAGE_BYTES,
    max_resources: int = MAX_RESOURCES,
) -> PageResources:
    """Return the http and https resources of a page. Never raises on the content of a site.

    `data:` and `blob:` URLs are part of the page, and not listed.

    Args:
        html: The body. Bytes are decoded as `canfetch.pages.parse_page` decodes them.
        url: The absolute URL of the page, which relative references and `<base href>` are resolved with.
        content_type: The value of the header.
        max_bytes: The number of bytes of the body to parse.
        max_resources: The number of resources to return.
    Raises: InvalidURL, InvalidLimit; MissingExtra: lxml is not installed.
    Cost: O(bytes), within the limits.
    """
    if find_origin(url) is None:
        raise InvalidURL(f"invalid URL {quoted(url)}: expected the absolute URL of the page")
    if max_bytes < 1 or max_resources < 1:
        raise InvalidLimit(f"invalid limit {min(max_bytes, max_resources)}: expected at least 1")
    if isinstance(html, str):
        html, content_type = encode_text(html), UTF_8_HTML
    if parse_media_type(content_type) not in HTML_TYPES:
        return PageResources((), None, ResourceNote.NOT_HTML)
    page = read_tags(html, content_type, partial(_Collector, url, max_resources), marked=_ELEMENTS, max_bytes=max_bytes)
    found = page.target
    conditions = {
        ResourceNote.HTML_TRUNCATED: page.truncated,
        ResourceNote.TOO_MANY_RESOURCES: found.too_many,
        ResourceNote.INVALID_REFERENCES: found.has_invalid,
    }
    notes = reduce(or_, (note for note, holds in conditions.items() if holds), ResourceNote.NONE)
    return PageResources(tuple(found.by_url.values()), found.base, notes)


class _Collector:
    """The parser target: collects resources through the interface that lxml requires."""

    def __init__(self, url: str, limit: int, positions: TagPositions) -> None:
        self.by_url: dict[str, Resource] = {}
        self.base: str | None = None
        self.too_many = False
        self.has_invalid = False
        self._url = url
        self._limit = limit
        self._positions = positions
        self._templates = 0
        self._has_base = False
        # The open style element, and its text.
        self._style: Mapping[str, str] | None = None
        self._style_text: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Handle a start tag; lxml passes its name in lower case."""
        if tag == "template":
            self._templates += 1
        elif self._templates:
            # The content of a template is not part of the page until a script inserts it.
            return
        elif tag == "base":
            self._set_base(attributes.get("href"))
        elif tag == "style":
            self._style = dict(attributes)
        elif tag in _ELEMENTS:
            for kind, reference in _references(tag, attributes):
                self._add(kind, reference, tag, attributes)

    def end(self, tag: str) -> None:
        """Handle an end tag, written or inferred."""
        if tag == "template":
            self._templates = max(0, self._templates - 1)
        elif tag == "style" and self._style is not None:
            for reference in style_imports(remove_markers("".join(self._style_text))):
                self._add(ResourceKind.STYLE, reference, tag, self._style)
            self._style = None
            self._style_text.clear()

    def data(self, text: str) -> None:
        """Collect the text of style elements."""
        if self._style is not None:
            self._style_text.append(text)

    def close(self) -> None:
        """Handle the end of the page."""

    def _set_base(self, reference: str | None) -> None:
        """Set the base of the references that follow. Only the first base element with `href` counts."""
        if reference is None or self._has_base:
            return
        self._has_base = True
        base = resolve_as_browser(self._url, reference)
        if base is not None:
            self.base = base

    def _add(self, kind: ResourceKind, reference: str, element: str, attributes: Mapping[str, str]) -> None:
        if not (reference := reference.strip(_HTML_SPACE)) or _has_other_scheme(reference):
            return
        url = resolve_as_browser(self.base or self._url, reference)
        if url is None:
            self.has_invalid = True
            return
        known = self.by_url.get(url)
        if known is not None:
            self.by_url[url] = known._replace(references=known.references + 1)
        elif len(self.by_url) < self._limit:
            line, _ = self._positions.find(attributes)
            self.by_url[url] = Resource(url, kind, element, line, 1)
        else:
            self.too_many = True


_SOURCES: Final[Mapping[str, tuple[tuple[str, ResourceKind], ...]]] = {
    "script": (("src", ResourceKind.SCRIPT),),
    "img": (("src", ResourceKind.IMAGE),),
    # SVG.
    "image": (("href", ResourceKind.IMAGE), ("xlink:href", ResourceKind.IMAGE)),
    "iframe": (("src", ResourceKind.FRAME),),
    "frame": (("src", ResourceKind.FRAME),),
    "embed": (("src", ResourceKind.OBJECT),),
    "object": (("data", ResourceKind.OBJECT),),
    "audio": (("src", ResourceKind.MEDIA),),
    "video": (("src", ResourceKind.MEDIA), ("poster", ResourceKind.IMAGE)),
    "source": (("src", ResourceKind.MEDIA),),
    "track": (("src", ResourceKind.MEDIA),),
}
_SOURCE_SETS: Final = {"img": "srcset", "source": "srcset", "link": "imagesrcset"}
_ELEMENTS: Final = frozenset({*_SOURCES, *_SOURCE_SETS, "base", "input", "style"})
_LINKS: Final = {
    "stylesheet": ResourceKind.STYLE,
    "icon": ResourceKind.ICON,
    "apple-touch-icon": ResourceKind.ICON,
    "apple-touch-icon-precomposed": ResourceKind.ICON,
    "mask-icon": ResourceKind.ICON,
    "modulepreload": ResourceKind.SCRIPT,
    "manifest": ResourceKind.MANIFEST,
}
# The media types of JavaScript (WHATWG MIME Sniffing section 4.6).
_SCRIPT_TYPES: Final = frozenset(
    f"{start}/{name}"
    for start, names in {
        "application": ("ecmascript", "javascript", "x-ecmascript", "x-javascript"),
        "text": (
            *("ecmascript", "javascript", "x-ecmascript", "x-javascript", "jscript", "livescript"),
            *(f"javascript1.{version}" for version in range(6)),
        ),
    }.items()
    for name in names
)
_PRELOADS: Final = frozenset({"preload", "prefetch"})
_PRELOADED: Final = {
    "script": ResourceKind.SCRIPT,
    "worker": ResourceKind.SCRIPT,
    "style": ResourceKind.STYLE,
    "image": ResourceKind.IMAGE,
    "font": ResourceKind.FONT,
    "audio": ResourceKind.MEDIA,
    "video": ResourceKind.MEDIA,
    "track": ResourceKind.MEDIA,
    "document": ResourceKind.FRAME,
    "embed": ResourceKind.OBJECT,
    "object": ResourceKind.OBJECT,
}


def _references(tag: str, attributes: Mapping[str, str]) -> Iterator[tuple[ResourceKind, str]]:
    """Yield the references of an element that a browser loads."""
    if tag == "script" and not _is_fetched_script(attributes):
        return
    if tag == "link":
        kind = _link_kind(attributes)
        if kind is None or (kind is ResourceKind.STYLE and not _is_fetched_style(attributes)):
            return
        if "href" in attributes:
            yield kind, attributes["href"]
    elif tag == "input" and attributes.get("type", "").strip(_HTML_SPACE).lower() == "image":
        yield ResourceKind.IMAGE, attributes.get("src", "")
    for name, kind in _SOURCES.get(tag, ()):
        if name in attributes:
            yield kind, attributes[name]
    if (name := _SOURCE_SETS.get(tag, "")) in attributes:
        for reference in split_source_set(attributes[name]):
            yield ResourceKind.IMAGE, reference


def _is_fetched_script(attributes: Mapping[str, str]) -> bool:
    """Return whether a browser fetches a script: data, templates and scripts for browsers without modules are not.

    Source: WHATWG HTML section 4.12.1.1, prepare the script element.
    """
    form = attributes.get("type")
    if not form:
        language = "" if form is not None else attributes.get("language", "")
        form = f"text/{language}" if language else "text/javascript"
    form = form.strip(_HTML_SPACE).lower()
    return form == "module" or (form in _SCRIPT_TYPES and "nomodule" not in attributes)


def _is_fetched_style(attributes: Mapping[str, str]) -> bool:
    """Return whether a browser fetches the style sheet of a link. Sheets in other languages are for scripts.

    Source: WHATWG HTML section 4.6.7.23, link type stylesheet.
    """
    form = attributes.get("type", "").partition(";")[0].strip(_HTML_SPACE).lower()
    return form in {"", "text/css"} and "disabled" not in attributes


def _link_kind(attributes: Mapping[str, str]) -> ResourceKind | None:
    """Return what a link element loads, or None if it loads nothing."""
    words = attributes.get("rel", "").lower().split()
    for word in words:
        if word in _LINKS:
            return _LINKS[word]
    if _PRELOADS.isdisjoint(words):
        return None
    return _PRELOADED.get(attributes.get("as", "").strip(_HTML_SPACE).lower(), ResourceKind.OTHER)


def split_source_set(value: str) -> Iterator[str]:
    """Yield the URLs of a `srcset` attribute. A comma inside a URL or in parentheses does not separate.

    Cost: O(characters).
    Source: WHATWG HTML section 4.8.4.3.10, parsing a srcset attribute.
    """
    position, length = 0, len(value)
    while position < length:
        while position < length and value[position] in f"{_HTML_SPACE},":
            position += 1
        start = position
        while position < length and value[position] not in _HTML_SPACE:
            position += 1
        url = value[start:position]
        if url.endswith(","):
            yield url.rstrip(",")
            continue
        if url:
            yield url
        position = _descriptors_end(value, position)


def _descriptors_end(value: str, position: int) -> int:
    """Return the end of the descriptors of a candidate: the comma after them, or the end."""
    in_parentheses = False
    while position < len(value):
        character = value[position]
        if character == "," and not in_parentheses:
            return position
        in_parentheses = character == "(" or (in_parentheses and character != ")")
        position += 1
    return position


def _has_other_scheme(reference: str) -> bool:
    """Whether a reference has a scheme, and it is not one of the web."""
    scheme, colon, _ = reference.partition(":")
    return bool(colon) and is_scheme(scheme) and scheme.lower() not in _WEB_SCHEMES


def resolve_as_browser(base: str, reference: str) -> str | None:
    """Resolve a reference as browsers do: they skip white space, and a backslash in a path is a slash.

    Returns: The URL without its fragment, or None if it is not valid, too long, or has another scheme than those of the
        web.
    """
    reference = reference.strip(_HTML_SPACE).translate(_CONTROLS)
    before, mark, query = reference.partition("?")
    reference = (before.replace("\\", "/") + mark + query).replace(" ", "%20")
    if _is_too_long(reference):
        return None
    url = resolve_reference(base, reference)
    if url is None or _is_too_long(url):
        return None
    origin = find_origin(url)
    return url if origin is not None and origin.scheme in _WEB_SCHEMES else None


def _is_too_long(url: str) -> bool:
    return len(encode_text(url)) > _MAX_URL_BYTES
