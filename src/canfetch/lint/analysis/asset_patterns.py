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


def affects_site(pattern: bytes) -> bool:
    """Return whether the scripts and styles that a pattern matches are probably those of the site's pages.

    Other folders belong to one application, such as `/maps/js/`, or to nobody's pages: in Drupal, `/themes/` has the
    themes of the distribution, and the site's own theme is elsewhere.
    """
    folders = [folder for folder in pattern.lower().strip(b"/*$").split(b"/") if folder]
    if folders == [b"themes"]:
        return False
    if pattern.rstrip(b"*$").lower().endswith(_EXTENSIONS):
        return True
    return any(folder.startswith(b"wp-") for folder in folders) or all(folder in _FOLDERS for folder in folders)
