"""The badges of the scoreboard: an SVG file for each implementation with the share of the MUSTs that it passes."""

from html import escape

from conformance.scoreboard.results import Row
from conformance.scoreboard.tables import FOLDER, SHARES, has_level

PROFILE = "rfc9309"
LABEL = "RFC 9309 MUST"
# Dark enough for white text, by the class of the cells of the tables.
COLOURS = {
    "share-all": "#1a7f37",
    "share-most": "#3b7a1e",
    "share-many": "#8a6100",
    "share-some": "#b35900",
    "share-few": "#b3261e",
}
# Of the digits and letters of a font of 11 pixels. `textLength` fits the text to it.
_CHARACTER = 7
_PADDING = 6


def badge_path(name: str) -> str:
    """Return the file of a badge, below the folder of the documentation."""
    return f"{FOLDER}/{name}.svg"


def badge(row: Row) -> str | None:
    """Return the badge for a row, or None if the implementation was asked no MUST of RFC 9309.

    The badge shows 100 % only if every case passed.
    """
    if row.profile != PROFILE:
        return None
    passed, asked = row.score(has_level("MUST"))
    if not asked:
        return None
    percent = 100 * passed // asked
    colour = next(COLOURS[step] for step, least in SHARES.items() if percent >= least)
    value = f"{percent} %"
    title = escape(f"{row.adapter.title} {row.version}: {passed} of {asked} cases of RFC 9309 with MUST pass")
    left, right = (len(text) * _CHARACTER + 2 * _PADDING for text in (LABEL, value))
    texts = "".join(
        f'<text x="{start + _PADDING}" y="14" textLength="{len(text) * _CHARACTER}">{text}</text>'
        for start, text in ((0, LABEL), (left, value))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{title}">'
        f'<title>{title}</title><rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{texts}</g></svg>\n'
    )
