"""XML of strangers, parsed in bounded memory."""

from collections.abc import Callable
from typing import Final
from xml.parsers import expat

MAX_DEPTH: Final = 256
_MAX_TAG_BYTES: Final = 1 << 18
# About 10,000 names.
_MAX_NAMES_BYTES: Final = 1 << 20
_NAME_BYTES: Final = 100
_FED_BYTES: Final = 1 << 16
_ENDS_EARLY: Final = frozenset(
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    )
)


class InvalidXML(ValueError):
    """Raised for XML that cannot be parsed, or exceeds a limit.

    Attributes: ends_early: Whether the document may have been cut.
    """

    def __init__(self, reason: str, *, ends_early: bool = False) -> None:
        super().__init__(reason)
        self.ends_early = ends_early


class BoundedParser:
    """Reports the elements of a document while it is parsed. Exceptions of the functions end parsing.

    External entities are not fetched, and documents with declarations are rejected, so that no entity is expanded.

    Args:
        start: Called with the namespace, which may be empty, and the local name of an element.
        end: Called with the local name at its end.
        text: Called with parts of the text of elements.
        attributes: Called with the attributes of an element, after `start`. By default, they are ignored.
        encoding: The encoding, whatever the document declares. By default, what the document declares.
    """

    def __init__(
        self,
        start: Callable[[str, str], None],
        end: Callable[[str], None],
        text: Callable[[str], None],
        attributes: Callable[[dict[str, str]], None] | None = None,
        *,
        encoding: str | None = None,
    ) -> None:
        self._start_element = start
        self._attributes = attributes
        self._end_element = end
        self._parser = expat.ParserCreate(encoding, namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = text
        self._parser.StartNamespaceDeclHandler = self._count_prefix
        self._parser.StartDoctypeDeclHandler = self._refuse_declarations
        self._fed = 0
        self._depth = 0
        # expat and Python keep all names.
        self._names: set[str | None] = set()
        self._name_bytes = 0

    @property
    def line(self) -> int:
        """The line that is parsed, or that of an error."""
        return self._parser.CurrentLineNumber

    def feed(self, data: bytes, *, is_end: bool = False) -> None:
        """Parse bytes.

        Raises: InvalidXML: The document is not valid, a limit is exceeded, or the encoding is not supported.
        """
        try:
            for first in range(0, len(data), _FED_BYTES):
                self._feed_part(data[first : first + _FED_BYTES])
            if is_end:
                self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise InvalidXML(str(error), ends_early=error.code in _ENDS_EARLY) from None
        except InvalidXML:
            raise
        # For encodings that expat does not support.
        except (ValueError, LookupError) as error:
            raise InvalidXML(str(error)) from None

    def _feed_part(self, data: bytes) -> None:
        self._parser.Parse(data, False)
        self._fed += len(data)
        # expat keeps a tag or a comment until its end, and searches it again for each part.
        if self._fed - self._parser.CurrentByteIndex > _MAX_TAG_BYTES:
            raise InvalidXML(f"a tag or a comment is too long: expected at most {_MAX_TAG_BYTES >> 10} KiB")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise InvalidXML(f"elements are nested too deeply: expected at most {MAX_DEPTH} levels")
        self._count_name(tag)
        for attribute in attributes:
            self._count_name(attribute)
        space, _, name = tag.rpartition(" ")
        self._start_element(space, name)
        if self._attributes is not None:
            self._attributes(attributes)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self._end_element(tag.rpartition(" ")[2])

    def _count_prefix(self, prefix: str | None, _uri: str) -> None:
        self._count_name(prefix)

    def _count_name(self, name: str | None) -> None:
        if name not in self._names:
            self._names.add(name)
            self._name_bytes += len(name or "") + _NAME_BYTES
            if self._name_bytes > _MAX_NAMES_BYTES:
                raise InvalidXML("too many names of elements and attributes")

    def _refuse_declarations(self, _name: str, _system: str | None, _public: str | None, has_subset: int) -> None:
        if has_subset:
            raise InvalidXML("declarations are not supported")
