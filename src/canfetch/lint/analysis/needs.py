"""What a file must have before a check can find anything in it, found without the check."""

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum, auto
from operator import sub
from typing import Final

from canfetch.core.keys import RecordKind
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.notes import Note
from canfetch.lint.analysis.extension_records import extension_names
from canfetch.lint.analysis.odd_lines import Oddity, has_odd_line
from canfetch.lint.analysis.rule_values import rule_values
from canfetch.lint.analysis.site_blocks import has_site_block
from canfetch.lint.linted_file import LintedFile

_LARGE_BYTES: Final = DEFAULT_MAX_BYTES // 2
YANDEX_CHARACTERS: Final = 1024
"""The length of a line up to which Yandex reads it."""
CONTROLS: Final = bytes(set(range(0x20)) - set(b"\0\t\n\r")) + b"\x7f"
"""The control characters that no line needs."""
OTHER_START: Final = re.compile(rb"\n[^/*\n]")
"""A rule, in the text of all rules, whose value starts with another character than `/` and `*`."""


class Trait(Enum):
    """A property of a file that several checks need, or that takes more than a search for bytes."""

    CONTROL = auto()  # a control character other than TAB, NUL and line ends
    LARGE = auto()  # more than half of the size limit
    LONG_LINE = auto()  # a line of more than 1,024 bytes
    NON_ASCII = auto()  # a byte beyond ASCII
    NO_RECORDS = auto()  # neither user-agent lines nor rules
    OTHER_AGENT = auto()  # a user-agent line with another value than `*`
    OTHER_START = auto()  # a rule whose value starts with another character than `/` and `*`
    SEVERAL_AGENTS = auto()  # several user-agent lines
    SITE_BLOCK = auto()  # a rule that disallows the whole site for a crawler
    STAR = auto()  # a `*` in a rule


Need = bytes | str | Note | RecordKind | Oddity | Trait
"""What a check needs.

- bytes: the content has them, in any letter case. They are in lower case.
- a string: the file has a record beyond RFC 9309 with this name
- a note, a kind, an oddity: a line has it
"""


def has_any(file: LintedFile, needs: Iterable[Need]) -> bool:
    """Return whether a file has one of these.

    Cost: O(bytes) for each need that no check of the file had before.
    """
    known = file.compute_once(_known)
    for need in needs:
        found = known.get(need)
        if found is None:
            found = known[need] = _has(file, need)
        if found:
            return True
    return False


def _known(file: LintedFile) -> dict[Need, bool]:  # noqa: ARG001 - one for each file
    return {}


def _has(file: LintedFile, need: Need) -> bool:
    match need:
        case bytes():
            return need in file.lower_content
        case str():
            return need in extension_names(file)
        case Note():
            return any(notes & need for notes in file.records.by_notes)
        case RecordKind():
            return bool(file.records.of_kinds(need))
        case Oddity():
            return has_odd_line(file, need)
        case Trait():
            return _TRAITS[need](file)


def _is_large(file: LintedFile) -> bool:
    return bool(file.robots.tail) or len(file.content) > _LARGE_BYTES


def _has_long_line(file: LintedFile) -> bool:
    records = file.records
    return max(map(sub, records.ends, records.starts), default=0) > YANDEX_CHARACTERS


def _has_no_records(file: LintedFile) -> bool:
    return not file.user_agents and not rule_values(file).indices


_TRAITS: Final[Mapping[Trait, Callable[[LintedFile], bool]]] = {
    Trait.CONTROL: lambda file: len(file.content.translate(None, CONTROLS)) != len(file.content),
    Trait.LARGE: _is_large,
    Trait.LONG_LINE: _has_long_line,
    Trait.NON_ASCII: lambda file: not file.content.isascii(),
    Trait.NO_RECORDS: _has_no_records,
    Trait.OTHER_AGENT: lambda file: any(value != b"*" for value in file.user_agent_values),
    Trait.OTHER_START: lambda file: OTHER_START.search(rule_values(file).text) is not None,
    Trait.SEVERAL_AGENTS: lambda file: len(file.user_agents) > 1,
    Trait.SITE_BLOCK: has_site_block,
    Trait.STAR: lambda file: b"*" in rule_values(file).text,
}
