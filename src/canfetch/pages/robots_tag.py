"""The Robots-Tag header: a structured field, a list of product tokens with their directives as parameters.

    Robots-Tag: *;noindex;nosnippet, ExampleBot;max-snippet=20

DEVIATION(rfc9651): an invalid member is skipped and noted, and the other members keep their effect, where RFC 9651
discards the whole field. Every directive restricts, so a slip must not open what an author closed. The draft's own
example ends a member with a semicolon, which the grammar does not permit.

Source: draft-illyes-repext-03; RFC 9651 sections 3 and 4.2.
"""

from collections.abc import Iterator
from typing import Final

from canfetch.pages.directive_lists import ALL_AGENTS
from canfetch.pages.directives import Directive, DirectiveNote, make_directive
from canfetch.pages.positions import PagePosition

_WHITE_SPACE: Final = " \t"
_TOKEN_CHARACTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~:/")
_KEY_CHARACTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.*")
_FALSE: Final = "?0"
_TRUE: Final = "?1"


def parse_robots_tag(text: str, position: PagePosition) -> Iterator[Directive]:
    """Yield the directives of one Robots-Tag header.

    Cost: O(characters).
    """
    for member in split_unquoted(text, ","):
        token, *parameters = (part.strip(_WHITE_SPACE) for part in split_unquoted(member, ";"))
        agent = _unquote(token)
        if not agent or not (_TOKEN_CHARACTERS.issuperset(agent)):
            if member.strip(_WHITE_SPACE):
                yield make_directive(member.strip(), None, agent=None, raw=member.strip(), position=position)
            continue
        agent_or_all = None if agent == ALL_AGENTS else agent.lower()
        for parameter in parameters:
            if parameter:
                yield _parse_parameter(parameter, agent_or_all, position)


def split_unquoted(text: str, separator: str) -> Iterator[str]:
    """Yield the parts between separators, except those within quotation marks.

    Cost: O(characters).
    """
    start, quoted, escaped = 0, False, False
    for index, character in enumerate(text):
        if escaped:
            escaped = False
        elif quoted and character == "\\":
            escaped = True
        elif character == '"':
            quoted = not quoted
        elif character == separator and not quoted:
            yield text[start:index]
            start = index + 1
    yield text[start:]


def _parse_parameter(parameter: str, agent: str | None, position: PagePosition) -> Directive:
    key, equals, value = (part.strip(_WHITE_SPACE) for part in parameter.partition("="))
    notes = DirectiveNote.NONE
    if key != key.lower():
        # The draft compares directives case-insensitively, but the grammar of keys is lower case only.
        notes |= DirectiveNote.NOT_LOWER_CASE
    if value == _FALSE:
        notes |= DirectiveNote.DISABLED
    if not key or not _KEY_CHARACTERS.issuperset(key):
        return make_directive(parameter, None, agent=agent, raw=parameter, position=position, notes=notes)
    text = None if not equals or value in {_TRUE, _FALSE} else _unquote(value)
    return make_directive(key, text, agent=agent, raw=parameter, position=position, notes=notes)


def _unquote(text: str) -> str:
    if len(text) < 2 or not text.startswith('"') or not text.endswith('"'):
        return text
    out, escaped = [], False
    for character in text[1:-1]:
        if character == "\\" and not escaped:
            escaped = True
            continue
        escaped = False
        out.append(character)
    return "".join(out)
