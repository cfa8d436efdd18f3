"""What a file must have before a check can find anything in it, found without the check."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum, auto
from functools import reduce
from operator import or_, sub
from typing import Final, NamedTuple, TypeVar

from canfetch.core.keys import RecordKind
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.notes import Note
from canfetch.lint.analysis.deliveries import is_refused_for_size
from canfetch.lint.analysis.extension_records import extension_names
from canfetch.lint.analysis.odd_lines import Oddity, found_oddities
from canfetch.lint.analysis.rule_values import rule_values
from canfetch.lint.analysis.site_blocks import has_site_block
from canfetch.lint.linted_file import LintedFile

ValueT = TypeVar("ValueT")
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
    LARGE = auto()  # more than half of the size limit, or so many bytes that the access policy ignores the file
    LONG_LINE = auto()  # a line of more than 1,024 bytes
    NON_ASCII = auto()  # a byte beyond ASCII
    NO_RECORDS = auto()  # neither user-agent lines nor rules
    OTHER_AGENT = auto()  # a user-agent line with another value than `*`
    OTHER_START = auto()  # a rule whose value starts with another character than `/` and `*`
    SEVERAL_AGENTS = auto()  # several user-agent lines
    SEVERAL_RULES = auto()  # several allow or disallow lines
    SITE_BLOCK = auto()  # a rule that disallows the whole site for a crawler


class InRule(NamedTuple):
    """Bytes in lower case that the value of a rule has, in any letter case."""

    text: bytes


Need = bytes | InRule | str | Note | RecordKind | Oddity | Trait
"""What a check needs.

- bytes: the content has them, in any letter case. They are in lower case.
- `InRule`: the value of an allow or disallow line has the bytes, in any letter case
- a string: the file has a record beyond RFC 9309 with this name
- a note, a kind, an oddity: a line has it
"""


class NeedIndex:
    """Returns the needs of a file as bits of one integer.

    Args: needs: The needs. Repeated ones count once.
    """

    ALWAYS: Final = 1
    """The bit that every file has."""

    __slots__ = ("_bits", "_of_kind", "_of_name", "_of_note", "_of_oddity", "_of_rule", "_of_trait", "_of_word")

    def __init__(self, needs: Iterable[Need]) -> None:
        self._bits = {need: self.ALWAYS << number for number, need in enumerate(dict.fromkeys(needs), 1)}
        self._of_word = self._of_type(bytes)
        self._of_rule = [(word.text, bit) for word, bit in self._of_type(InRule)]
        self._of_name = dict(self._of_type(str))
        self._of_note = [(note.value, bit) for note, bit in self._of_type(Note)]
        self._of_kind = self._of_type(RecordKind)
        self._of_oddity = self._of_type(Oddity)
        self._of_trait = [(_TRAITS[trait], bit) for trait, bit in self._of_type(Trait)]

    def _of_type(self, kind: type[ValueT]) -> list[tuple[ValueT, int]]:
        return [(need, bit) for need, bit in self._bits.items() if isinstance(need, kind)]

    def bits(self, needs: Collection[Need]) -> int:
        """Return the bits of some of the needs. Without any, this is the bit that every file has."""
        return reduce(or_, map(self._bits.__getitem__, needs)) if needs else self.ALWAYS

    def find(self, file: LintedFile) -> int:
        """Return the bits of the needs that a file has.

        Cost: O(bytes) for each need.
        """
        records, lower = file.records, file.lower_content
        names = extension_names(file) if self._of_name else ()
        notes = reduce(or_, (notes.value for notes in records.by_notes), 0)
        rules = rule_values(file).text.lower()
        found = [bit for word, bit in self._of_word if word in lower]
        found += [bit for word, bit in self._of_rule if word in rules]
        found += [self._of_name[name] for name in names if name in self._of_name]
        found += [bit for note, bit in self._of_note if notes & note] if notes else ()
        found += [bit for kind, bit in self._of_kind if records.has_kind(kind)]
        oddities = found_oddities(file)
        found += [bit for oddity, bit in self._of_oddity if oddity in oddities] if oddities else ()
        found += [bit for has_trait, bit in self._of_trait if has_trait(file)]
        return reduce(or_, found, self.ALWAYS)


def _is_large(file: LintedFile) -> bool:
    return bool(file.robots.tail) or len(file.content) > _LARGE_BYTES or is_refused_for_size(file)


def _has_long_line(file: LintedFile) -> bool:
    if len(file.content) <= YANDEX_CHARACTERS:
        return False
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
    Trait.SEVERAL_RULES: lambda file: len(rule_values(file).indices) > 1,
    Trait.SITE_BLOCK: has_site_block,
}
