"""One directive: a word about indexing, with its value, whom it is for, and where it stands."""

from enum import Flag, auto
from typing import Any, NamedTuple

from canfetch.core.text import display_text, encode_text
from canfetch.pages.dates import parse_date
from canfetch.pages.positions import PagePosition
from canfetch.pages.vocabulary import (
    IMAGE_PREVIEWS,
    KNOWN,
    MAX_IMAGE_PREVIEW,
    UNAVAILABLE_AFTER,
    VALUED,
    suggest_directive,
)

# More digits mean no limit either way, and cost time.
_MOST_DIGITS = 18
NO_LIMIT = -1


class DirectiveNote(Flag):
    """What is odd about a directive."""

    NONE = 0
    UNKNOWN = auto()  # a word that means nothing here; it has no effect
    MISSPELT = auto()  # an unknown word that is nearly a known one; it has no effect
    MISSING_VALUE = auto()  # a word that needs a value and has none; it has no effect
    INVALID_VALUE = auto()  # a value that is none of those that there are; the directive has no effect
    INVALID_DATE = auto()  # a date that cannot be read; the directive has no effect
    UNEXPECTED_VALUE = auto()  # a value behind a word that takes none; the word counts
    MISSING_COMMA = auto()  # white space or a semicolon stands for the comma; what it parts counts
    NOT_LOWER_CASE = auto()  # a Robots-Tag key in upper case, which its grammar has not; it counts
    DISABLED = auto()  # a Robots-Tag key that is set to false; it has no effect


class Directive(NamedTuple):
    """One directive, as it stands.

    `agent` is the product token that it is for, in lower case, or None where it is for everyone. `name` is its
    word in lower case, `value` the text behind the colon, stripped. `meaning` is what the value says: octets
    of text no more, but characters, seconds or a word; seconds since the epoch for a date; None where there is
    none to read. `raw` is the text that it was read from, and `meant` the known word that a misspelling is
    nearly.
    """

    agent: str | None
    name: str
    value: str | None
    parsed_value: int | float | str | None
    raw: str
    position: PagePosition
    notes: DirectiveNote = DirectiveNote.NONE
    suggestion: str | None = None

    @property
    def has_effect(self) -> bool:
        """Whether it can have an effect: it is known, and its value can be read."""
        return not self.notes & _WITHOUT_EFFECT

    def to_json(self) -> dict[str, Any]:
        """Give the directive in plain values."""
        return {
            "agent": None if self.agent is None else plain(self.agent),
            "name": plain(self.name),
            "value": None if self.value is None else plain(self.value),
            "parsed_value": self.parsed_value,
            "raw": plain(self.raw),
            "position": self.position.to_json(),
            "notes": note_names(self.notes),
            "suggestion": self.suggestion,
        }

    def __str__(self) -> str:
        whom = "" if self.agent is None else f"{plain(self.agent)}: "
        value = "" if self.value is None else f": {plain(self.value)}"
        return f"{whom}{plain(self.name)}{value}"


_WITHOUT_EFFECT = (
    DirectiveNote.UNKNOWN
    | DirectiveNote.MISSING_VALUE
    | DirectiveNote.INVALID_VALUE
    | DirectiveNote.INVALID_DATE
    | DirectiveNote.DISABLED
)


def plain(text: str) -> str:
    """Give a text for people and JSON: what cannot be printed becomes its escape, and steers no terminal."""
    return display_text(encode_text(text))


def note_names(notes: Flag) -> list[str]:
    """Give the names of notes, in lower case with hyphens."""
    return [str(note.name).lower().replace("_", "-") for note in notes]


def make_directive(
    name: str,
    value: str | None,
    *,
    agent: str | None,
    raw: str,
    position: PagePosition,
    notes: DirectiveNote = DirectiveNote.NONE,
) -> Directive:
    """Make a directive of a word and its value: read the value, and note what is odd.

    Args:
        name: the word as written.
        value: what is behind it; an empty text is a value that is missing.
        agent: whom it is for.
        raw: the text that both were in.
    Cost: O(characters).
    """
    name = name.lower()
    parsed_value: int | float | str | None = None
    suggestion: str | None = None
    if name in VALUED:
        if not value:
            notes |= DirectiveNote.MISSING_VALUE
        else:
            parsed_value = _meaning_of(name, value)
            if parsed_value is None:
                notes |= DirectiveNote.INVALID_DATE if name == UNAVAILABLE_AFTER else DirectiveNote.INVALID_VALUE
    elif name not in KNOWN:
        suggestion = suggest_directive(name)
        notes |= DirectiveNote.UNKNOWN
        if suggestion is not None:
            notes |= DirectiveNote.MISSPELT
    elif value is not None:
        notes |= DirectiveNote.UNEXPECTED_VALUE
    return Directive(agent, name, value or None, parsed_value, raw, position, notes, suggestion)


def _meaning_of(name: str, value: str) -> int | float | str | None:
    if name == UNAVAILABLE_AFTER:
        return parse_date(value)
    if name == MAX_IMAGE_PREVIEW:
        return value.lower() if value.lower() in IMAGE_PREVIEWS else None
    digits = value.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > _MOST_DIGITS:
        return None
    number = int(value)
    return number if number >= NO_LIMIT else None
