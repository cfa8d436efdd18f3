"""Lists of directives, as in X-Robots-Tag headers and meta elements.

1. Directives are separated by commas, or by semicolons next to a known directive. The date of `unavailable_after` may
   contain commas itself.
2. In a header, `token:` before a directive names the agent for that directive and all that follow, unless the token
   is a directive that takes a value.
3. `robots:` in a header is a token like any other. Only in meta elements is it the name for all agents.

Source: Google, robots meta tag specifications.
"""

from collections.abc import Iterator
from typing import Final

from canfetch.pages.dates import parse_date
from canfetch.pages.directives import Directive, DirectiveNote, make_directive
from canfetch.pages.positions import PagePosition
from canfetch.pages.vocabulary import KNOWN, UNAVAILABLE_AFTER, VALUED, suggest_directive

ALL_AGENTS: Final = "*"
ROBOTS: Final = "robots"
# No date has more commas than `Friday, June 25, 2010, 15:00:00 GMT`.
_MAX_COMMAS_IN_DATE: Final = 3
_TOKEN_CHARACTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")


def parse_directives(
    text: str, position: PagePosition, *, agent: str | None = None, agents_inside: bool
) -> Iterator[Directive]:
    """Yield the directives of one header or one meta element.

    Args:
        text: The whole value.
        position: Where the header or element is.
        agent: The agent that a meta element names.
        agents_inside: Whether the text itself may name agents, as headers do.
    Cost: O(characters).
    """
    parts, notes_of_parts = _split(text)
    index = 0
    while index < len(parts):
        part, notes = parts[index].strip(), notes_of_parts[index]
        index += 1
        name, colon, value = (piece.strip() for piece in part.partition(":"))
        if agents_inside and colon and _is_agent(name):
            agent = None if name == ALL_AGENTS else name.lower()
            part = value
            name, colon, value = (piece.strip() for piece in part.partition(":"))
        if colon and name.lower() == UNAVAILABLE_AFTER:
            used = _count_date_parts(value, parts[index : index + _MAX_COMMAS_IN_DATE])
            rest_of_date = parts[index : index + used]
            index += used
            value = ",".join([value, *rest_of_date]).strip()
            part = ",".join([part, *rest_of_date]).strip()
        if agents_inside and agent == ROBOTS:
            notes |= DirectiveNote.ROBOTS_AS_AGENT
        if part:
            yield from _parse_part(part, name, value if colon else None, agent, position, notes=notes)


def _split(text: str) -> tuple[list[str], list[DirectiveNote]]:
    """Split a text at its commas, and at semicolons used as commas, which are noted for the parts on both sides."""
    parts: list[str] = []
    notes: list[DirectiveNote] = []
    for part in text.split(","):
        pieces = _split_at_semicolons(part)
        parts += pieces
        notes += [DirectiveNote.MISSING_COMMA if len(pieces) > 1 else DirectiveNote.NONE] * len(pieces)
    return parts, notes


def _split_at_semicolons(part: str) -> list[str]:
    # DEVIATION(google): its grammar has only commas, but a semicolon must not void the restriction next to it.
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
    """Return whether a text begins with a known directive, optionally after the name of an agent."""
    return any(name.strip().lower() in KNOWN for name in piece.split(":", 2)[:2])


def _is_agent(name: str) -> bool:
    lower = name.lower()
    if name == ALL_AGENTS:
        return True
    if not _TOKEN_CHARACTERS.issuperset(lower) or not any(character.isalpha() for character in lower):
        # A phrase, or the hour of an invalid date.
        return False
    # A misspelt directive such as `max_snippet: 20` is not an agent either.
    return lower not in KNOWN and suggest_directive(lower) is None


def _count_date_parts(first: str, following: list[str]) -> int:
    """Return how many of the following parts belong to the date that begins with `first`."""
    date, longest = first, 0
    is_incomplete = not any(character.isdigit() for character in first)
    for count, part in enumerate(following, 1):
        if _begins_directive(part):
            break
        date = f"{date},{part}"
        if parse_date(date) is not None:
            longest = count
        elif longest == 0 and is_incomplete and first and count == 1:
            # `Friday` alone is incomplete: the next part belongs to the date, even if the date is invalid.
            longest = 1
    return longest


def _begins_directive(part: str) -> bool:
    name, colon, _ = (piece.strip() for piece in part.partition(":"))
    # The hour of a date contains no letter, so it is not an agent.
    return name.lower() in KNOWN or (colon != "" and _is_agent(name))


def _parse_part(
    part: str, name: str, value: str | None, agent: str | None, position: PagePosition, *, notes: DirectiveNote
) -> Iterator[Directive]:
    words = part.split()
    if len(words) > 1 and all(word.lower() in KNOWN - VALUED for word in words):
        notes |= DirectiveNote.MISSING_COMMA
        for word in words:
            yield make_directive(word, None, agent=agent, raw=word, position=position, notes=notes)
        return
    yield make_directive(name, value, agent=agent, raw=part, position=position, notes=notes)
