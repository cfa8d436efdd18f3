"""Patterns that match the scripts and styles that a page needs for rendering."""

from typing import Final

_FOLDERS: Final = frozenset(
    {b"_next", b"_nuxt", b"assets", b"bundles", b"css", b"dist", b"javascript", b"javascripts", b"js"}
    | {b"skin", b"static", b"styles", b"stylesheets", b"themes", b"wp-content", b"wp-includes"}
)
_EXTENSIONS: Final = (b".js", b".css")


def blocked_asset(pattern: bytes) -> bytes | None:
    """Return the path of a script or stylesheet that a pattern matches, or None if it is not about assets."""
    text = pattern[:-1] if pattern.endswith(b"$") else pattern
    text = text.rstrip(b"*").lower()
    for extension in _EXTENSIONS:
        if text.endswith(extension):
            start, star, _ = text[: -len(extension)].rpartition(b"*")
            if star and start.strip(b"*/") == b"":
                return b"/x" + extension
    if b"*" in text or text != pattern.rstrip(b"*") or b"?" in text or not text.startswith(b"/"):
        return None
    folders = text.strip(b"/").split(b"/")
    if folders[-1] not in _FOLDERS:
        return None
    return b"/" + b"/".join(folders) + (b"/x.css" if b"css" in folders[-1] or b"style" in folders[-1] else b"/x.js")
