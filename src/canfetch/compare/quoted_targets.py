"""The targets of urllib.robotparser, in which each byte is either safe or an escape."""

from typing import Final

from canfetch.core.text import UNRESERVED

_SLASH, _QUERY_MARK, _HASH, _PERCENT = b"/?#%"
_SAFE: Final = frozenset(UNRESERVED + b"/")
_STRUCTURE: Final = frozenset(b"=&")
_UPPER_HEX: Final = frozenset(b"0123456789ABCDEF")
# The place in the URL, and the part of an escape.
State = tuple[str, str]
START: Final[State] = ("", "")


class QuotedTargets:
    """The rules for these targets.

    Before the rewrite, urllib.parse drops an empty query, an empty fragment, and a single `;` at the end of the path.

    Args:
        rewritten: Whether they are those after the rewrite.
        in_url: Whether a target is written as a URL, in which other bytes need no escape.
        complete: Whether to exclude the targets that no URL has, but that consist of safe bytes and escapes.
    """

    __slots__ = ("_complete", "_in_url", "_rewritten")

    def __init__(self, *, rewritten: bool, in_url: bool, complete: bool) -> None:
        self._rewritten = rewritten
        self._in_url = in_url
        self._complete = complete

    def step(self, state: State, byte: int) -> State | None:
        """Return the state after one more byte, or None if no target continues so."""
        place, escape = state
        if escape:
            return self._in_escape(place, escape, byte)
        if byte == _PERCENT:
            return place, "%"
        if not (byte in _SAFE or self._in_url or (self._rewritten and self._is_structure(place, byte))):
            return None
        following = self._place_after(place, byte, escaped=False)
        return None if following is None else (following, "")

    def accepts(self, state: State) -> bool:
        """Return whether a target may end in a state."""
        place, escape = state
        return not escape and place not in ("", ";", "?", "#")

    def _in_escape(self, place: str, escape: str, byte: int) -> State | None:
        if byte not in _UPPER_HEX:
            return None
        if len(escape) == 1:
            return place, escape + chr(byte)
        value = int(escape[1:] + chr(byte), 16)
        following = None if value in _SAFE else self._place_after(place, value, escaped=True)
        return None if following is None else (following, "")

    def _is_structure(self, place: str, byte: int) -> bool:
        return byte == _QUERY_MARK or (byte in _STRUCTURE and (place == "query" or not self._complete))

    def _place_after(self, place: str, byte: int, *, escaped: bool) -> str | None:
        if not self._complete:
            return "path" if place or byte in (_SLASH, _QUERY_MARK, _HASH) else None
        if self._rewritten:
            if self._in_url and place == "/" and byte == _SLASH:
                # Two slashes at the start of a URL's path are written twice.
                return None
            return _rewritten_place(place, byte, escaped=escaped or (self._in_url and place == "query"))
        return None if byte in b"\t\r\n" else _old_place(place, byte)


def _rewritten_place(place: str, byte: int, *, escaped: bool) -> str | None:
    if place == "query":
        return place if escaped or byte != _QUERY_MARK else None
    if byte == _QUERY_MARK and not escaped:
        return "query"
    if place == "":
        # A URL without a path has a query or a fragment, which is encoded.
        return "/" if byte == _SLASH else ("path" if byte == _HASH else None)
    return "path"


def _old_place(place: str, byte: int) -> str | None:
    if place in ("#", "fragment"):
        return "fragment"
    if byte == _HASH:
        return None if place == "?" else "#"
    if place in ("?", "query"):
        return "query"
    if byte == _QUERY_MARK:
        # The path before the query must not end with a single `;`, either.
        return None if place == ";" else "?"
    if place == "" and byte != _SLASH:
        return None
    if byte == _SLASH:
        return "path"
    if byte == ord(";"):
        return ";" if place == "path" else "parameters"
    return "parameters" if place in (";", "parameters") else "path"
