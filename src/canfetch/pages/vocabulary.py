"""The words of page-level rules: which there are, which take a value, and how they are misspelt.

Source: Google, robots meta tag specifications; Yandex and Bing webmaster help; draft-illyes-repext;
DeviantArt's announcement of `noai`.
"""

from typing import Final

# Followed by a colon and a value; never the name of an agent.
MAX_SNIPPET: Final = "max-snippet"
MAX_IMAGE_PREVIEW: Final = "max-image-preview"
MAX_VIDEO_PREVIEW: Final = "max-video-preview"
UNAVAILABLE_AFTER: Final = "unavailable_after"
VALUED: Final = frozenset({MAX_SNIPPET, MAX_IMAGE_PREVIEW, MAX_VIDEO_PREVIEW, UNAVAILABLE_AFTER})

# From the smallest preview to the largest.
IMAGE_PREVIEWS: Final = ("none", "standard", "large")
# What stands for several.
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
    # Words that once meant something, or mean nothing to crawling: known, and without effect here.
    "nopreview",
    "nositelinkssearchbox",
    "noodp",
    "noydir",
    "noyaca",
}
KNOWN: Final = VALUED | PLAIN

_IGNORED: Final = str.maketrans("", "", "-_ ")
_BY_LETTERS: Final = {name.translate(_IGNORED): name for name in sorted(KNOWN)}
# Wrong words that are met, beside hyphens and underscores in the wrong place.
_MISTAKEN: Final = {
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
_LONGEST_WORD: Final = 40


def suggest_directive(word: str) -> str | None:
    """Give the known word that a misspelling probably means, or None; the word itself is no misspelling.

    Args: word: in lower case.
    Cost: O(characters), of which 40 are looked at.
    """
    if word in KNOWN or len(word) > _LONGEST_WORD:
        return None
    letters = word.translate(_IGNORED)
    return _BY_LETTERS.get(letters) or _MISTAKEN.get(letters)
