"""What a parsed file was made from: its bytes, its profile and its origin, all read-only."""

from canfetch.core.origin import Origin, OriginBinding
from canfetch.core.source import Source

ParseArguments = tuple[bytes, str | bytes | None, str, int, str | None]
"""The content, URL, profile, limit and engine that were passed to `parse`."""


class FileSource:
    """The base class of `RobotsTxt`. Separate fields are faster to create than a tuple."""

    __slots__ = ("_binding", "_engine", "_max_bytes", "_original", "_profile", "_source", "_url")

    _original: bytes
    _url: str | bytes | None
    _profile: str
    _max_bytes: int
    _engine: str | None
    # None if the content was neither transcoded nor cut.
    _source: Source | None
    # None if the URL of the file is unknown.
    _binding: OriginBinding | None

    def __init__(self, *_args: object, **_options: object) -> None:
        raise TypeError(f"{type(self).__name__} has no public constructor: use canfetch.parse(content)")

    @property
    def _arguments(self) -> ParseArguments:
        return self._original, self._url, self._profile, self._max_bytes, self._engine

    @property
    def content(self) -> bytes:
        """The bytes that were parsed, in UTF-8, cut at the last line end within the size limit."""
        return self._original if self._source is None else self._source.content

    @property
    def tail(self) -> bytes:
        """The bytes past the size limit, which are ignored."""
        return b"" if self._source is None else self._source.tail

    @property
    def source_encoding(self) -> str:
        """`utf-8`, `utf-16-le` or `utf-16-be`."""
        return "utf-8" if self._source is None else self._source.encoding

    @property
    def profile(self) -> str:
        """The name of the parsing profile."""
        return self._profile

    @property
    def origin(self) -> Origin | None:
        """The origin that the file governs, or None if its URL is unknown."""
        return None if self._binding is None else self._binding.origin

    def render(self) -> bytes:
        """Return the original bytes of the file.

        For a UTF-8 file, these are the byte order mark, the spans of all records in order, and the tail. A UTF-16
        file is returned as it was passed in, because invalid UTF-16 cannot be encoded again.
        """
        return self._original
