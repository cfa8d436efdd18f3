"""The known directives: their names, which of them take a value, and common misspellings.

Source: Google, robots meta tag specifications; Yandex and Bing webmaster help; draft-illyes-repext;
DeviantArt's announcement of `noai`.
"""

from typing import Final

# Directives with a colon and a value; never names of agents.
MAX_SNIPPET: Final = "max-snippet"
MAX_IMAGE_PREVIEW: Final = "max-image-preview"
MAX_VIDEO_PREVIEW: Final = "max-video-preview"
UNAVAILABLE_AFTER: Final = "unavailable_after"
VALUED: Final = frozenset({MAX_SNIPPET, MAX_IMAGE_PREVIEW, MAX_VIDEO_PREVIEW, UNAVAILABLE_AFTER})

# From the smallest preview to the largest.
IMAGE_PREVIEWS: Final = ("none", "standard", "large")
# Directives that are short for several others.
EXPANSIONS: Final = {"none": ("noindex", "nofollow"), "all": ("index", "follow")}
PERMISSIVE: Final = frozenset({"all", "index", "follow", "archive", "snippet", "imageindex", "translate", "cache"})
PLAIN: Final = PERMISSIVE | {
    "none",
    "noindex",
    "nofollow",
    "nosnippet",
    "noarchive",
    "nocache",
    "noimageindex",
    "notranslate",
    "indexifembedded",
    "noai",
    "noimageai",
    # Obsolete, or unrelated to crawling: recognised, but without effect on any decision.
    "nopreview",
    "nositelinkssearchbox",
    "noodp",
    "noydir",
    "noyaca",
}
KNOWN: Final = VALUED | PLAIN

_SEPARATORS: Final = str.maketrans("", "", "-_ ")
_BY_LETTERS: Final = {name.translate(_SEPARATORS): name for name in sorted(KNOWN)}
# Misspellings seen in practice, besides wrong or missing hyphens and underscores.
_MISSPELLINGS: Final = {
    "maximagepreviews": MAX_IMAGE_PREVIEW,
    "maxsnippets": MAX_SNIPPET,
    "maxvideopreviews": MAX_VIDEO_PREVIEW,
    "noarchieve": "noarchive",
    "noidex": "noindex",
    "noindexes": "noindex",
    "nofollows": "nofollow",
    "nofolow": "nofollow",
    "nosnippets": "nosnippet",
    "notindex": "noindex",
    "unavailableon": UNAVAILABLE_AFTER,
}
_MAX_NAME_LENGTH: Final = 40


def suggest_directive(name: str) -> str | None:
    """Return the known directive that `name` probably misspells, or None. A known name gives None, too.

    Args: name: In lower case.
    Cost: O(characters), of which at most 40 are read.
    """
    if name in KNOWN or len(name) > _MAX_NAME_LENGTH:
        return None
    letters = name.translate(_SEPARATORS)
    return _BY_LETTERS.get(letters) or _MISSPELLINGS.get(letters)
