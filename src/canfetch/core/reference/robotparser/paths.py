"""Rules and URLs as urllib.robotparser compares them: decoded, and encoded again in one way.

So `%2F` is a slash here. Before the rewrite a path is the beginning of what it matches; after it `*` and a last
`$` are signs, and how many octets of the target a rule covers is what it weighs.
"""

from itertools import groupby
from typing import Final, NamedTuple
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit, uses_params

from canfetch.core.text import encode_text

_SIGNS: Final = "*$"
_MOST_MARKS: Final = 30
_STRUCTURE_OF_QUERY: Final = "=&"


class Path(NamedTuple):
    """What a rule compares: the literal parts between its stars, and whether the end is anchored."""

    parts: tuple[str, ...]
    anchored: bool

    def covered(self, target: str) -> int:
        """Count the characters of the target that the rule covers; -1 where it does not match.

        Cost: O(characters of the target times parts) at worst.
        """
        head, *middles = self.parts
        if not target.startswith(head):
            return -1
        if not middles:
            return len(head) if not self.anchored or len(head) == len(target) else -1
        position = len(head)
        for middle in middles[:-1]:
            found = target.find(middle, position)
            if found < 0:
                return -1
            position = found + len(middle)
        last = middles[-1]
        if self.anchored:
            return len(target) if len(target) - len(last) >= position and target.endswith(last) else -1
        # The last part is looked for from the end: a rule weighs what it can cover.
        found = target.rfind(last, position)
        return found + len(last) if found >= 0 else -1


def old_path(value: str) -> Path | None:
    """Give the path of a rule before the rewrite."""
    try:
        return Path((_quoted(urlunsplit(_without_empty_params(_split(unquote(value))))),), anchored=False)
    except ValueError:
        return None


def rewritten_path(value: str) -> Path | None:
    """Give the path of a rule after the rewrite; None where a `$` is not its end."""
    path, mark, query = _one_sign_each(value).partition("?")
    path = _normalised(path, but=_SIGNS)
    if mark:
        path += mark + _normalised(query, but=_STRUCTURE_OF_QUERY + _SIGNS)
    anchored = path.endswith("$")
    path = path.rstrip("$")
    return None if "$" in path else Path(tuple(path.split("*")), anchored)


def old_target(url: str) -> str | None:
    """Give the target of a URL before the rewrite; None where it cannot be taken apart."""
    try:
        parts = _without_empty_params(_split(unquote(url)))
        return _quoted(urlunsplit(parts._replace(scheme="", netloc=""))) or "/"
    except ValueError:
        return None


def rewritten_target(url: str) -> str | None:
    """Give the target of a URL after the rewrite; None where it cannot be taken apart."""
    try:
        parts = _split(url)
    except ValueError:
        return None
    path, fragment_mark, _ = url.partition("#")
    # A path that begins with two slashes would look like a host.
    target = "//" + parts.path if parts.path.startswith("//") else parts.path
    query = None
    if "?" in path:
        query = parts.query
    if fragment_mark:
        # The fragment is a part of what comes last, and is encoded with it.
        if query is None:
            target += "#" + parts.fragment
        else:
            query += "#" + parts.fragment
    # A fragment may bring a question mark of its own.
    if query is None:
        target, mark, behind = target.partition("?")
        query = behind if mark else None
    target = _normalised(target)
    if query is not None:
        target += "?" + _normalised(query, but=_STRUCTURE_OF_QUERY)
    return target or "/"


def _split(text: str) -> SplitResult:
    """Split as `urllib.parse` does, without what strangers could make it take: time, and memory that it keeps.

    Raises: ValueError.
    """
    if not text.isascii() and "//" in text and _has_long_run_of_marks(text):
        # DEVIATION(cpython): it would sort them, each by moving it past all before.
        raise ValueError("a host of nothing but marks")
    # Its cache holds the last hundred texts, however long, for as long as the process lives.
    split = getattr(urlsplit, "__wrapped__", urlsplit)
    parts: SplitResult = split(text)
    return parts


def _has_long_run_of_marks(text: str) -> bool:
    from unicodedata import combining  # noqa: PLC0415 - for few files

    run = 0
    for character in text:
        run = run + 1 if combining(character) else 0
        if run > _MOST_MARKS:
            return True
    return False


def _without_empty_params(parts: SplitResult) -> SplitResult:
    # Taking parameters off and putting them back loses a last `;` with nothing behind it.
    path = parts.path
    if parts.scheme in uses_params and path.endswith(";") and path.find(";", path.rfind("/") + 1) == len(path) - 1:
        return parts._replace(path=path[:-1])
    return parts


def _one_sign_each(value: str) -> str:
    # Runs of stars are one; a `$` swallows the signs behind it.
    kept: list[str] = []
    for character in value:
        last = kept[-1] if kept else ""
        if character not in _SIGNS or last not in ("$", character):
            kept.append(character)
    return "".join(kept)


def _normalised(text: str, but: str = "") -> str:
    # Each run of other characters for itself: an escape of two octets does not reach over one of these.
    if not but:
        return _quoted(unquote(text, errors="surrogateescape"))
    runs = groupby(text, key=but.__contains__)
    return "".join("".join(run) if kept else _normalised("".join(run)) for kept, run in runs)


def _quoted(text: str) -> str:
    return quote(encode_text(text))
