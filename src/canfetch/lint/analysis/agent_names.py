"""The names in user-agent lines, each with its place, and those that are in the registry. Lists of names are split."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.agents import REGISTRY, Crawler
from canfetch.core.abnf import IDENTIFIER
from canfetch.core.records import Record, Records
from canfetch.core.text import WHITE_SPACE, display_text
from canfetch.lint.linted_file import LintedFile

_WHITE_SPACE: Final = bytes(WHITE_SPACE)
# Most values consist of these bytes, and are neither headers nor lists.
_NAME: Final = IDENTIFIER + b"0123456789.*"
_BROWSER_PRODUCT: Final = b"mozilla"
MAX_NAMES_IN_LINE: Final = 1000
# Runs of white space separate names, too.
_MAX_PARTS: Final = 4 * MAX_NAMES_IN_LINE
_ALL_SEPARATORS: Final = b", ;|\t"
_OTHER_SEPARATORS: Final = bytes.maketrans(b";|\t", b"   ")


_new_tuple: Final = tuple.__new__


class NamedAgent(NamedTuple):
    """A name in a user-agent line.

    Attributes:
        raw: The name as written.
        text: The name as text.
        span: Its place.
        line: The number of the line.
        records: The records of the file.
        in_list: Whether the line has other names.
    """

    raw: bytes
    text: str
    span: tuple[int, int]
    line: int
    records: Records
    in_list: bool

    @property
    def record(self) -> Record:
        """The record of the line, which is created on first access."""
        return self.records[self.line - 1]

    @property
    def is_token(self) -> bool:
        """Whether real crawlers could use the name as a product token: letters, digits, `.`, `_` and `-`."""
        rest = self.raw.translate(None, IDENTIFIER)
        return self.raw != b"" and not rest.translate(None, b"0123456789.")


def is_header(value: bytes) -> bool:
    """Return whether a value is a User-Agent header, or a product with a version, instead of a product token."""
    return b"/" in value or b"(" in value


def is_list(value: bytes) -> bool:
    """Return whether a value names several crawlers.

    Commas separate any names. Semicolons, bars and white space separate only known names, because an unknown name may
    contain them.
    """
    if is_header(value):
        return False
    if b"," in value:
        # Names that were copied from a rewrite rule still have its flags, such as [NC,OR].
        return b"[" not in value
    if len(value.translate(None, _ALL_SEPARATORS)) == len(value):
        return False
    names = [name for name in _split(value) if name]
    return 1 < len(names) < MAX_NAMES_IN_LINE and all(
        REGISTRY.get_crawler(display_text(name)) is not None for name in names
    )


def _split(value: bytes) -> list[bytes]:
    """Split a list at separators of one byte. The parts may have surrounding white space."""
    if b"," in value:
        return value.split(b",", MAX_NAMES_IN_LINE)[:MAX_NAMES_IN_LINE]
    return value.translate(_OTHER_SEPARATORS).split(b" ", _MAX_PARTS)


def named_agents(file: LintedFile) -> tuple[NamedAgent, ...]:
    """Return the names in all user-agent lines, in file order.

    A product with a version yields the product's name. A whole User-Agent header yields nothing, because crawlers
    match another word of it, or none.

    Cost: O(bytes of these lines) at the first call.
    """
    return file.compute_once(_named_agents)


def lists_of_agents(file: LintedFile) -> list[Record]:
    """Return the user-agent lines that name several crawlers.

    Cost: O(bytes of user-agent lines).
    """
    values = zip(file.user_agents, file.user_agent_values, strict=True)
    return [file.records[index] for index, value in values if value.translate(None, _NAME) and is_list(value)]


def _named_agents(file: LintedFile) -> tuple[NamedAgent, ...]:
    return tuple(_iter_names(file))


def _iter_names(file: LintedFile) -> Iterator[NamedAgent]:
    records, indices = file.records, file.user_agents
    for index, span, value in zip(indices, records.value_spans(indices), file.user_agent_values, strict=True):
        line, start = index + 1, span[0]
        if not value.translate(None, _NAME):
            if value:
                yield _new_tuple(NamedAgent, (value, value.decode(), span, line, records, False))
            continue
        if is_header(value):
            product = value.partition(b"/")[0].strip(_WHITE_SPACE)
            if product and b"(" not in product and product.lower() != _BROWSER_PRODUCT:
                place = start, start + len(product)
                yield NamedAgent(product, display_text(product), place, line, records, in_list=False)
            continue
        if not is_list(value):
            yield NamedAgent(value, display_text(value), span, line, records, in_list=False)
            continue
        for part in _split(value):
            name = part.strip(_WHITE_SPACE)
            name_start = start + len(part) - len(part.lstrip(_WHITE_SPACE))
            if name:
                place = name_start, name_start + len(name)
                yield NamedAgent(name, display_text(name), place, line, records, in_list=True)
            start += len(part) + 1


class KnownAgent(NamedTuple):
    """A name in a user-agent line, its registry entry, and whether its group disallows anything."""

    agent: NamedAgent
    crawler: Crawler
    is_restricted: bool


def known_agents(file: LintedFile) -> tuple[KnownAgent, ...]:
    """Return the names that are in the registry, in file order.

    Cost: O(bytes of user-agent lines + rules) at the first call.
    """
    return file.compute_once(_known_agents)


def _known_agents(file: LintedFile) -> tuple[KnownAgent, ...]:
    return tuple(_iter_known(file))


def _iter_known(file: LintedFile) -> Iterator[KnownAgent]:
    restricted = [any(rule.specificity for rule in group.rules if not rule.allow) for group in file.groups]
    for agent in named_agents(file):
        # A product token ends at a `*`.
        crawler = REGISTRY.get_crawler(agent.text.rstrip("*"))
        group = None if crawler is None else file.records.group(agent.line - 1)
        if crawler is not None and group is not None:
            yield KnownAgent(agent, crawler, group < len(restricted) and restricted[group])
