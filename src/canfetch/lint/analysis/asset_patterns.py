"""Patterns that bar what a page needs to be rendered: its scripts and its styles."""

from typing import Final

_FOLDERS: Final = frozenset(
    {b"_next", b"_nuxt", b"assets", b"bundles", b"css", b"dist", b"javascript", b"javascripts", b"js"}
    | {b"skin", b"static", b"styles", b"stylesheets", b"themes", b"wp-content", b"wp-includes"}
)
_ENDINGS: Final = (b".js", b".css")


def blocked_asset(pattern: bytes) -> bytes | None:
    """Give the path of a script or a style that a pattern matches, or None where it is not about these."""
    text = pattern[:-1] if pattern.endswith(b"$") else pattern
    text = text.rstrip(b"*").lower()
    for ending in _ENDINGS:
        if text.endswith(ending):
            start, star, _ = text[: -len(ending)].rpartition(b"*")
            if star and start.strip(b"*/") == b"":
                return b"/x" + ending
    if b"*" in text or text != pattern.rstrip(b"*") or b"?" in text or not text.startswith(b"/"):
        return None
    folders = text.strip(b"/").split(b"/")
    if folders[-1] not in _FOLDERS:
        return None
    return b"/" + b"/".join(folders) + (b"/x.css" if b"css" in folders[-1] or b"style" in folders[-1] else b"/x.js")
