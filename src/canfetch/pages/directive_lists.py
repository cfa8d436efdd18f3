"""A text of directives, as X-Robots-Tag headers and meta elements have it, becomes directives.

1. Commas part it, and semicolons beside a known directive; but the date of `unavailable_after` may hold commas itself.
2. In a header, `token:` in front of a directive says whom it and all that follow are for, unless the token is a
   directive that takes a value.

Source: Google, robots meta tag specifications.
"""

from collections.abc import Iterator
from typing import Final

from canfetch.pages.dates import parse_date
from canfetch.pages.directives import Directive, DirectiveNote, make_directive
from canfetch.pages.positions import PagePosition
from canfetch.pages.vocabulary import KNOWN, UNAVAILABLE_AFTER, VALUED, suggest_directive

EVERYONE: Final = "*"
# `Friday, June 25, 2010, 15:00:00 GMT` has the most commas that a date has.
_MOST_COMMAS_IN_DATE: Final = 3
_TOKEN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")


def parse_directives(
    text: str, position: PagePosition, *, agent: str | None = None, agents_inside: bool
) -> Iterator[Directive]:
    """Yield the directives of one header or one meta element.

    Args:
        text: its whole value.
        agent: whom they are for, where the carrier says so.
        agents_inside: whether the text itself may say for whom they are, as headers do.
    Cost: O(characters).
    """
    parts, notes_of_parts = _parts(text)
    index = 0
    while index < len(parts):
        part, notes = parts[index].strip(), notes_of_parts[index]
        index += 1
        name, colon, value = (piece.strip() for piece in part.partition(":"))
        if agents_inside and colon and _is_agent(name):
            agent = None if name == EVERYONE else name.lower()
            part = value
            name, colon, value = (piece.strip() for piece in part.partition(":"))
        if colon and name.lower() == UNAVAILABLE_AFTER:
            used = _date_commas(value, parts[index : index + _MOST_COMMAS_IN_DATE])
            behind = parts[index : index + used]
            index += used
            value = ",".join([value, *behind]).strip()
            part = ",".join([part, *behind]).strip()
        if part:
            yield from _directives_of_part(part, name, value if colon else None, agent, position, notes=notes)


def _parts(text: str) -> tuple[list[str], list[DirectiveNote]]:
    """Part a text at its commas, and at semicolons that stand for one; those are noted at either side."""
    parts: list[str] = []
    notes: list[DirectiveNote] = []
    for part in text.split(","):
        pieces = _at_semicolons(part)
        parts += pieces
        notes += [DirectiveNote.MISSING_COMMA if len(pieces) > 1 else DirectiveNote.NONE] * len(pieces)
    return parts, notes


def _at_semicolons(part: str) -> list[str]:
    # DEVIATION(google): its grammar has commas alone; but a semicolon must not cost the restriction beside it.
    first, *others = part.split(";")
    pieces = [first]
    was_known = _is_known(first)
    for piece in others:
        is_known = _is_known(piece)
        if was_known or is_known or not piece.strip():
            pieces.append(piece)
        else:
            pieces[-1] += f";{piece}"
        was_known = is_known
    return pieces


def _is_known(piece: str) -> bool:
    """Say whether a text begins with a known directive, behind the name of an agent or not."""
    return any(name.strip().lower() in KNOWN for name in piece.split(":", 2)[:2])


def _is_agent(name: str) -> bool:
    lower = name.lower()
    if name == EVERYONE:
        return True
    if not _TOKEN.issuperset(lower) or not any(character.isalpha() for character in lower):
        # Neither a phrase nor the hour of a broken date is a token.
        return False
    # A directive that is nearly right, as `max_snippet: 20`, is no agent either.
    return lower not in KNOWN and suggest_directive(lower) is None


def _date_commas(first: str, following: list[str]) -> int:
    """Say how many of the following parts belong to the date that begins with the first one."""
    date, longest = first, 0
    open_ended = not any(character.isdigit() for character in first)
    for count, part in enumerate(following, 1):
        if _begins_anew(part):
            break
        date = f"{date},{part}"
        if parse_date(date) is not None:
            longest = count
        elif longest == 0 and open_ended and first and count == 1:
            # `Friday` alone is no date yet: what follows is the rest of it, however wrong.
            longest = 1
    return longest


def _begins_anew(part: str) -> bool:
    name, colon, _ = (piece.strip() for piece in part.partition(":"))
    # The hour of a date has no letter, and so is no agent.
    return name.lower() in KNOWN or (colon != "" and _is_agent(name))


def _directives_of_part(
    part: str, name: str, value: str | None, agent: str | None, position: PagePosition, *, notes: DirectiveNote
) -> Iterator[Directive]:
    words = part.split()
    if len(words) > 1 and all(word.lower() in KNOWN - VALUED for word in words):
        for word in words:
            yield make_directive(
                word, None, agent=agent, raw=word, position=position, notes=DirectiveNote.MISSING_COMMA
            )
        return
    yield make_directive(name, value, agent=agent, raw=part, position=position, notes=notes)
