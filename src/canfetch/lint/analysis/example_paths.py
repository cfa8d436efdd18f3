"""Paths that show the effect of a pattern."""

from typing import Final
from urllib.parse import unquote_to_bytes

from canfetch.core.text import display_text
from canfetch.lint.analysis.foreign_syntax import has_template_mark, looks_like_regex
from canfetch.lint.check import VerdictQuery

_EXAMPLE_ORIGIN: Final = "https://example.com"
_MAX_LENGTH: Final = 120
# The bytes of most patterns. Without others, a pattern is a path that looks real.
_PLAIN: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/"
_NEVER_IN_URLS: Final = bytes(range(0x21)) + b'"<>\\^`{|}\x7f'
_DOT_SEGMENTS: Final = (b"/.", b"/..")


def example_path(pattern: bytes) -> str | None:
    """Return a path that a pattern matches, such as `/a/x.gif` for `/a/*.gif$`, or None if no real URL looks like it.

    Real paths contain no template placeholders, whole URLs, regular expressions, white space or dot segments.
    """
    if (
        pattern[:1] == b"/"
        and pattern[1:2] != b"/"
        and len(pattern) <= _MAX_LENGTH
        and not pattern.translate(None, _PLAIN)
    ):
        return pattern.decode()
    anchored = pattern.endswith(b"$")
    path = pattern[:-1] if anchored else pattern
    # `*` may match nothing, but an `x` after a slash makes a path that looks real.
    path = path.replace(b"/*", b"/x").replace(b"*", b"x")
    if path == b"x":
        path = b"/"
    elif path.startswith((b"x", b"?", b".")) and pattern.startswith(b"*"):
        path = b"/" + path
    if not path.startswith(b"/") or len(path) > _MAX_LENGTH or not _looks_real(pattern, path):
        return None
    text = display_text(path)
    # On its own, such a path would name a host.
    return _EXAMPLE_ORIGIN + text if text.startswith("//") else text


def _looks_real(pattern: bytes, path: bytes) -> bool:
    is_url = b"://" in path or b":\\" in path
    return (
        len(path.translate(None, _NEVER_IN_URLS)) == len(path)
        and not is_url
        and not (b"/." in path and _has_dot_segment(path))
        and not has_template_mark(unquote_to_bytes(pattern))
        and not looks_like_regex(pattern)
    )


def _has_dot_segment(path: bytes) -> bool:
    before = path.partition(b"?")[0]
    return any(dots + b"/" in before or before.endswith(dots) for dots in _DOT_SEGMENTS)


def query_for(pattern: bytes, *lines: int, contrast_only: bool = False, shows_line: bool = True) -> VerdictQuery | None:
    """Return the query for a path that a pattern matches, or None if there is no such path."""
    path = example_path(pattern)
    return None if path is None else VerdictQuery(path, lines, contrast_only=contrast_only, shows_line=shows_line)
