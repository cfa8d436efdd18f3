"""Rules and URLs as urllib.robotparser compares them: decoded and encoded again, so that `%2F` equals a slash.

Before the rewrite, a path matches the targets that start with it. After it, `*` and a final `$` are special, and the
rule with the longest match wins.
"""

from itertools import groupby
from typing import Final, NamedTuple
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit, uses_params

from canfetch.core.text import encode_text

_SPECIAL: Final = "*$"
_MAX_MARKS: Final = 30
_STRUCTURE_OF_QUERY: Final = "=&"


class Path(NamedTuple):
    """The path of a rule: the literal parts between its stars, and whether the end is anchored."""

    parts: tuple[str, ...]
    anchored: bool

    def match_length(self, target: str) -> int:
        """Return the length of the match in the target, or -1 if the rule does not match.

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
        # The last occurrence gives the longest match.
        found = target.rfind(last, position)
        return found + len(last) if found >= 0 else -1


def old_path(value: str) -> Path | None:
    """Return the path of a rule before the rewrite; None if it is invalid."""
    try:
        return Path((_quoted(urlunsplit(_without_empty_params(_split(unquote(value))))),), anchored=False)
    except ValueError:
        return None


def rewritten_path(value: str) -> Path | None:
    """Return the path of a rule after the rewrite; None if a `$` is not at its end."""
    path, mark, query = _collapse_special(value).partition("?")
    path = _normalised(path, keep=_SPECIAL)
    if mark:
        path += mark + _normalised(query, keep=_STRUCTURE_OF_QUERY + _SPECIAL)
    anchored = path.endswith("$")
    path = path.rstrip("$")
    return None if "$" in path else Path(tuple(path.split("*")), anchored)


def old_target(url: str) -> str | None:
    """Return the target of a URL before the rewrite; None if it cannot be split."""
    try:
        parts = _without_empty_params(_split(unquote(url)))
        return _quoted(urlunsplit(parts._replace(scheme="", netloc=""))) or "/"
    except ValueError:
        return None


def rewritten_target(url: str) -> str | None:
    """Return the target of a URL after the rewrite; None if it cannot be split."""
    try:
        parts = _split(url)
    except ValueError:
        return None
    path, fragment_mark, _ = url.partition("#")
    # Two slashes at the start of a path would look like a host.
    target = "//" + parts.path if parts.path.startswith("//") else parts.path
    query = None
    if "?" in path:
        query = parts.query
    if fragment_mark:
        # The fragment is part of the last component and encoded with it.
        if query is None:
            target += "#" + parts.fragment
        else:
            query += "#" + parts.fragment
    # A fragment may contain a question mark.
    if query is None:
        target, mark, after = target.partition("?")
        query = after if mark else None
    target = _normalised(target)
    if query is not None:
        target += "?" + _normalised(query, keep=_STRUCTURE_OF_QUERY)
    return target or "/"


def _split(text: str) -> SplitResult:
    """Split as `urllib.parse` does, but with bounded time and without its cache.

    Raises: ValueError: the URL is invalid.
    """
    if not text.isascii() and "//" in text and _has_long_run_of_marks(text):
        # DEVIATION(cpython): urllib.parse would sort the marks in quadratic time.
        raise ValueError("invalid host: too many combining marks in a row")
    # The cache of urlsplit would hold the last URLs, however long, until the process ends.
    split = getattr(urlsplit, "__wrapped__", urlsplit)
    parts: SplitResult = split(text)
    return parts


def _has_long_run_of_marks(text: str) -> bool:
    from unicodedata import combining  # noqa: PLC0415 - rarely needed

    run = 0
    for character in text:
        run = run + 1 if combining(character) else 0
        if run > _MAX_MARKS:
            return True
    return False


def _without_empty_params(parts: SplitResult) -> SplitResult:
    # Splitting and joining parameters drops a final `;` with nothing after it.
    path = parts.path
    if parts.scheme in uses_params and path.endswith(";") and path.find(";", path.rfind("/") + 1) == len(path) - 1:
        return parts._replace(path=path[:-1])
    return parts


def _collapse_special(value: str) -> str:
    # Runs of `*` are one, and `*` and `$` after a `$` are dropped.
    result: list[str] = []
    for character in value:
        last = result[-1] if result else ""
        if character not in _SPECIAL or last not in ("$", character):
            result.append(character)
    return "".join(result)


def _normalised(text: str, keep: str = "") -> str:
    # Runs of other characters are decoded separately, so that no escape sequence extends across an excluded character.
    if not keep:
        return _quoted(unquote(text, errors="surrogateescape"))
    runs = groupby(text, key=keep.__contains__)
    return "".join("".join(run) if excluded else _normalised("".join(run)) for excluded, run in runs)


def _quoted(text: str) -> str:
    return quote(encode_text(text))
