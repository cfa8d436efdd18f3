"""One directive: its name and value, the agent that it applies to, and its position."""

from enum import Flag, auto
from typing import Any, NamedTuple

from canfetch.core.text import display_text, encode_text
from canfetch.core.times import rfc3339
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

# Longer numbers have the same effect, and are slow to convert.
_MAX_DIGITS = 18
NO_LIMIT = -1


class DirectiveNote(Flag):
    """Notes about the form of a directive."""

    NONE = 0
    UNKNOWN = auto()  # an unknown directive; it has no effect
    MISSPELT = auto()  # an unknown directive that resembles a known one; it has no effect
    MISSING_VALUE = auto()  # a directive without its required value; it has no effect
    INVALID_VALUE = auto()  # an invalid value; the directive has no effect
    INVALID_DATE = auto()  # a date in an unknown format; the directive has no effect
    UNEXPECTED_VALUE = auto()  # a value after a directive that takes none; the directive has its effect
    MISSING_COMMA = auto()  # white space or a semicolon in place of a comma; the directive has its effect
    NOT_LOWER_CASE = auto()  # an upper-case key in Robots-Tag, against its grammar; the directive has its effect
    DISABLED = auto()  # a key in Robots-Tag with the value false; it has no effect
    ROBOTS_AS_AGENT = auto()  # `robots:` in X-Robots-Tag, where it names no crawler; it has no effect


class Directive(NamedTuple):
    """One directive of a header or a meta element.

    Attributes:
        agent: The product token that the directive applies to, in lower case, or None for all agents.
        name: The name, in lower case.
        value: The text after the colon, stripped, or None.
        parsed: The value as characters, seconds, a keyword, or a date in seconds since the epoch; None if
            the value is missing or invalid.
        raw: The source text.
        position: Where the directive is.
        notes: Notes about the form.
        suggestion: The known directive that a misspelling resembles, or None.
    """

    agent: str | None
    name: str
    value: str | None
    parsed: int | float | str | None
    raw: str
    position: PagePosition
    notes: DirectiveNote = DirectiveNote.NONE
    suggestion: str | None = None

    @property
    def has_effect(self) -> bool:
        """Whether the directive can have an effect: it is known, and its value is valid."""
        return not self.notes & _WITHOUT_EFFECT

    @property
    def is_date(self) -> bool:
        """Whether the value is a date."""
        return self.name == UNAVAILABLE_AFTER

    def to_json(self) -> dict[str, Any]:
        """Return the directive as JSON-compatible values; a date is an RFC 3339 string."""
        parsed = self.parsed
        return {
            "agent": None if self.agent is None else printable(self.agent),
            "name": printable(self.name),
            "value": None if self.value is None else printable(self.value),
            "parsed": rfc3339(parsed) if self.is_date and isinstance(parsed, int | float) else parsed,
            "raw": printable(self.raw),
            "position": self.position.to_json(),
            "notes": note_names(self.notes),
            "suggestion": self.suggestion,
        }

    def __str__(self) -> str:
        agent = "" if self.agent is None else f"{printable(self.agent)}: "
        value = "" if self.value is None else f": {printable(self.value)}"
        return f"{agent}{printable(self.name)}{value}"


_WITHOUT_EFFECT = (
    DirectiveNote.UNKNOWN
    | DirectiveNote.MISSING_VALUE
    | DirectiveNote.INVALID_VALUE
    | DirectiveNote.INVALID_DATE
    | DirectiveNote.DISABLED
)


def printable(text: str) -> str:
    """Escape the characters that are not printable, so that the text is safe for terminals and JSON."""
    return display_text(encode_text(text))


def note_names(notes: Flag) -> list[str]:
    """Return the names of notes, in lower case with hyphens."""
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
    """Build a directive: parse its value, and add notes about its form.

    Args:
        name: The name as written.
        value: The text after the colon; an empty string is a missing value.
        agent: The product token that the directive applies to, or None for all agents.
        raw: The source text of both.
        position: Where the directive is.
        notes: Notes that are known already.
    Cost: O(characters).
    """
    name = name.lower()
    parsed: int | float | str | None = None
    suggestion: str | None = None
    if name in VALUED:
        if not value:
            notes |= DirectiveNote.MISSING_VALUE
        else:
            parsed = _parse_value(name, value)
            if parsed is None:
                notes |= DirectiveNote.INVALID_DATE if name == UNAVAILABLE_AFTER else DirectiveNote.INVALID_VALUE
    elif name not in KNOWN:
        suggestion = suggest_directive(name)
        notes |= DirectiveNote.UNKNOWN
        if suggestion is not None:
            notes |= DirectiveNote.MISSPELT
    elif value is not None:
        notes |= DirectiveNote.UNEXPECTED_VALUE
    return Directive(agent, name, value or None, parsed, raw, position, notes, suggestion)


def _parse_value(name: str, value: str) -> int | float | str | None:
    if name == UNAVAILABLE_AFTER:
        return parse_date(value)
    if name == MAX_IMAGE_PREVIEW:
        return value.lower() if value.lower() in IMAGE_PREVIEWS else None
    digits = value.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > _MAX_DIGITS:
        return None
    number = int(value)
    return number if number >= NO_LIMIT else None
