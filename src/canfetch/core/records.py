"""The lossless view of a file: every line, with its record, its spans and its peculiarities.

1. The byte order mark and the lines, in order, are the bytes that were parsed; with the tail, they are the file.
2. Notes depend on the profile only. A note reports what the profile did with a line, or that parsers differ on it.

Engines do not need this view. It is created on first use.
"""

import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, chain
from operator import sub
from typing import Final, NamedTuple, overload

from canfetch.core.abnf import IDENTIFIER, WS, is_product_token
from canfetch.core.fields import parse_field
from canfetch.core.keys import NAMES, RecordKind, record_kind
from canfetch.core.lines import physical_lines, readable_part
from canfetch.core.notes import (
    Note,
    has_bad_escape,
    is_in_grammar,
    notes_on_bytes,
    notes_on_key,
    notes_on_pattern,
    notes_on_token,
)
from canfetch.core.patterns import is_void
from canfetch.core.profiles import Profile
from canfetch.core.text import UNRESERVED
from canfetch.core.tokens import extract_token


class Record(NamedTuple):
    """A line of a file and its record.

    Spans are half-open byte offsets into `RobotsTxt.content`.

    Attributes:
        line: The line number, from 1.
        span: The span of the line, with its line end.
        kind: The kind of the record, or None for a line without a record.
        key: The span of the key, or None for a line without a record.
        value: The span of the value, or None for a line without a record.
        group: The index in `RobotsTxt.groups` of the group that contains the line, or None.
        notes: Peculiarities of the line.
    """

    line: int
    span: tuple[int, int]
    kind: RecordKind | None
    key: tuple[int, int] | None
    value: tuple[int, int] | None
    group: int | None
    notes: Note


_RULES: Final = (RecordKind.ALLOW, RecordKind.DISALLOW)
_OUTSIDE_GRAMMAR: Final = Note.OUTSIDE_GRAMMAR.value
_OUTSIDE_GROUP: Final = Note.OUTSIDE_GROUP.value
_EMPTY_VALUE: Final = Note.EMPTY_VALUE.value
_VOID_RULE: Final = Note.VOID_RULE.value
_WHITE_SPACE: Final = Note.WHITE_SPACE_IN_VALUE.value
_DOLLAR_INSIDE: Final = Note.DOLLAR_INSIDE.value
_BAD_ESCAPE: Final = Note.BAD_ESCAPE.value
_NOT_ASCII: Final = Note.NOT_ASCII.value
_NUL: Final = Note.NUL.value
# Real files repeat lines, and a hostile one may contain nothing else, so that each text is parsed once.
_CACHED_LINES_LIMIT: Final = 4096
# A rule's value of these bytes has no notes, except that it may be empty or void.
_UNREMARKABLE: Final = UNRESERVED + b"/*?=&+,;:@!'()"
# All other bytes, except controls and `#`, which are rare.
_NOTED: Final = bytes(set(range(0x100)) - set(range(0x20)) - set(b"#")) + b"\t"
_new_tuple: Final = tuple.__new__


# What a line does to the current group: nothing; start it, or add a name to it; belong to it, and end its user-agent
# lines; end it.
_NO_EFFECT, _USER_AGENT, _RULE, _END = range(4)
# A line without its position: the number of its kind or None, the start and the end of its key and of its value, its
# notes as the value of the flag, and its effect. Offsets count from the start of the line. The garbage collector visits
# such a tuple only once, unlike an object or a tuple with spans.
_ParsedLine = tuple[int | None, int, int, int, int, int, int]
_KINDS: Final = tuple(RecordKind)


class _RuleKey(NamedTuple):
    """The text before the colon of a rule, and the facts that all lines with this start share."""

    kind: int
    start: int
    end: int
    notes: int
    in_grammar: bool


class Records(Sequence[Record]):
    """The records of a file, one for every line, including blank lines and comments.

    A record is created on first access. It is kept only if the line has a key, because a file can have half a million
    blank lines.

    Attributes:
        starts: The offset of each line.
        ends: The offset of the end of each line, after its line end.
        keyed: The indices of the lines with a key.
        by_notes: For each combination of notes, the indices of the lines that have it.
    Cost: O(bytes).
    """

    __slots__ = (
        "_by_kind",
        "_created",
        "_group_starts",
        "_groups",
        "_notes",
        "_parsed",
        "by_notes",
        "ends",
        "keyed",
        "starts",
    )

    def __init__(self, content: bytes, profile: Profile) -> None:
        reader = _LineReader(profile)
        known = reader.parsed_lines
        start, lines = physical_lines(content, profile)
        offsets = list(accumulate(map(len, lines), initial=start))
        self.starts, self.ends = offsets[:-1], offsets[1:]
        self._parsed = [known.get(line) or reader.parse(line) for line in lines]
        self._created: list[Record | None] = [None] * len(lines)
        # The group of a line is that of the last of these lines before it.
        self._group_starts = [0]
        self._groups: list[int | None] = [None]
        self._by_kind: list[list[int]] = [[] for _ in RecordKind]
        by_notes = self._read_lines()
        self.keyed = sorted(chain.from_iterable(self._by_kind))
        if start and lines:
            _add_byte_order_mark(by_notes)
        # Creating a flag is slow, and few combinations occur.
        self.by_notes = {Note(notes): indices for notes, indices in by_notes.items()}
        self._notes = {index: notes for notes, indices in self.by_notes.items() for index in indices}

    def _read_lines(self) -> dict[int, list[int]]:
        """Find the lines with keys and the groups, and return the lines with notes."""
        by_notes: dict[int, list[int]] = {}
        by_kind = self._by_kind
        last_group = -1
        group: int | None = None
        in_user_agents = False
        for index, parsed in enumerate(self._parsed):
            if parsed is _NOTHING:
                continue
            kind, _, _, _, _, notes, effect = parsed
            if effect != _NO_EFFECT:
                is_user_agent = effect == _USER_AGENT
                if is_user_agent and not in_user_agents:
                    last_group += 1
                in_user_agents = is_user_agent
                if effect == _RULE:
                    if group is None:
                        notes |= _OUTSIDE_GROUP
                else:
                    group = last_group if is_user_agent else None
                    if group != self._groups[-1]:
                        self._group_starts.append(index)
                        self._groups.append(group)
            if kind is not None:
                by_kind[kind].append(index)
            if notes:
                by_notes.setdefault(notes, []).append(index)
        return by_notes

    def of_kinds(self, *kinds: RecordKind) -> Sequence[int]:
        """Return the indices of the lines with a record of one of these kinds."""
        parts = [indices for kind in kinds if (indices := self._by_kind[kind])]
        return parts[0] if len(parts) == 1 else sorted(chain.from_iterable(parts))

    def has_kind(self, kind: RecordKind) -> bool:
        """Return whether a line has a record of this kind."""
        return bool(self._by_kind[kind])

    def with_note(self, note: Note) -> Sequence[int]:
        """Return the indices of the lines that have a note."""
        parts = [indices for notes, indices in self.by_notes.items() if note in notes]
        return parts[0] if len(parts) == 1 else sorted(chain.from_iterable(parts))

    def without_key(self) -> list[int]:
        """Return the indices of the lines without a record: blank lines, comments, and text that is not a record."""
        return [index for index, line in enumerate(self._parsed) if line[0] is None]

    def kind(self, index: int) -> RecordKind | None:
        """Return the kind of the record in a line, or None."""
        kind = self._parsed[index][0]
        return None if kind is None else _KINDS[kind]

    def group(self, index: int) -> int | None:
        """Return the index of the group that contains a line, or None."""
        return self._groups[bisect_right(self._group_starts, index) - 1]

    def group_range(self, index: int) -> range:
        """Return the indices of all lines of the group that contains a line."""
        place = bisect_right(self._group_starts, index)
        end = self._group_starts[place] if place < len(self._group_starts) else len(self._parsed)
        return range(self._group_starts[place - 1], end)

    def notes(self, index: int) -> Note:
        """Return the notes on a line."""
        return self._notes.get(index, Note.NONE)

    def is_indented(self, index: int) -> bool:
        """Return whether white space comes before the key of a line."""
        return self._parsed[index][1] > 0

    def spans(self, indices: Iterable[int]) -> list[tuple[int, int]]:
        """Return the spans of these lines, with their line ends."""
        starts, ends = self.starts, self.ends
        return [(starts[index], ends[index]) for index in indices]

    def key_spans(self, indices: Iterable[int]) -> list[tuple[int, int]]:
        """Return the spans of the keys in these lines, each of which has a key."""
        starts, parsed = self.starts, self._parsed
        return [
            (start + line[1], start + line[2]) for index in indices for start, line in ((starts[index], parsed[index]),)
        ]

    def value_spans(self, indices: Iterable[int]) -> list[tuple[int, int]]:
        """Return the spans of the values in these lines, each of which has a key."""
        starts, parsed = self.starts, self._parsed
        return [
            (start + line[3], start + line[4]) for index in indices for start, line in ((starts[index], parsed[index]),)
        ]

    def longer_than(self, length: int) -> Iterator[Record]:
        """Yield the lines with more bytes than `length`, including their line ends."""
        for index, size in enumerate(map(sub, self.ends, self.starts)):
            if size > length:
                yield self[index]

    def __len__(self) -> int:
        return len(self._parsed)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> list[Record]: ...
    def __getitem__(self, index: int | slice) -> Record | list[Record]:
        if isinstance(index, slice):
            return [self[one] for one in range(*index.indices(len(self._parsed)))]
        record = self._created[index]
        if record is None:
            record = self._create(index % len(self._parsed))
            if record.kind is not None:
                self._created[index] = record
        return record

    def __iter__(self) -> Iterator[Record]:
        return map(self.__getitem__, range(len(self._parsed)))

    def _create(self, index: int) -> Record:
        number, key_start, key_end, value_start, value_end, _, _ = self._parsed[index]
        kind = None if number is None else _KINDS[number]
        start = self.starts[index]
        key = value = None
        if kind is not None:
            key, value = (start + key_start, start + key_end), (start + value_start, start + value_end)
        span = start, self.ends[index]
        notes = self._notes.get(index, Note.NONE)
        return _new_tuple(Record, (index + 1, span, kind, key, value, self.group(index), notes))


def _add_byte_order_mark(by_notes: dict[int, list[int]]) -> None:
    """Add the note on a byte order mark to those of the first line."""
    others = next((notes for notes, indices in by_notes.items() if indices[0] == 0), 0)
    if others:
        del by_notes[others][0]
        if not by_notes[others]:
            del by_notes[others]
    by_notes.setdefault(others | Note.BYTE_ORDER_MARK.value, []).insert(0, 0)


class _LineReader:
    """Parses lines, each text once. Most lines are rules with one of a few keys and a plain value."""

    __slots__ = ("_max_bytes", "_noted_bytes", "_profile", "_rule_keys", "parsed_lines")

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._max_bytes = profile.max_line_bytes or sys.maxsize
        self._noted_bytes = _NOTED if profile.nul_ends_line else _NOTED + b"\0"
        self._rule_keys = _usual_rule_keys(profile).copy()
        self.parsed_lines: dict[bytes, _ParsedLine] = {}

    def parse(self, line: bytes) -> _ParsedLine:
        """Parse a line with its line end, and store the result in `parsed_lines`."""
        content = line.rstrip(b"\r\n")
        parsed = self._plain(content) or self._comment(content)
        if parsed is None:
            parsed = _parse_line(content, self._profile)
            if parsed[0] in _RULES:
                self._add_key(content, parsed)
        if len(self.parsed_lines) >= _CACHED_LINES_LIMIT:
            self.parsed_lines.clear()
        self.parsed_lines[line] = parsed
        return parsed

    def _comment(self, content: bytes) -> _ParsedLine | None:
        is_comment = content.lstrip(WS)[:1] == b"#" and b"\0" not in content and len(content) <= self._max_bytes
        return _NOTHING if is_comment else None

    def _add_key(self, content: bytes, line: _ParsedLine) -> None:
        _, start, end, _, _, notes, _ = line
        before, colon, _ = content.partition(b":")
        is_whole = colon and b"#" not in before and b"\0" not in before and not notes & Note.MISSING_COLON.value
        if is_whole and before not in self._rule_keys:
            self._rule_keys[before] = _rule_key(before, start, end, self._profile)

    def _plain(self, content: bytes) -> _ParsedLine | None:
        """Parse a rule whose key has occurred before, or another record. Return None for unusual lines."""
        before, colon, rest = content.partition(b":")
        if not colon:
            return None
        known = self._rule_keys.get(before)
        if known is None:
            is_word = before and not before.translate(None, IDENTIFIER)
            return self._plain_other(content, before, rest) if is_word else None
        value = rest.strip(WS)
        profile = self._profile
        peculiar = value.translate(None, _UNREMARKABLE)
        if len(content) > self._max_bytes or (peculiar and peculiar.translate(None, self._noted_bytes)):
            return None
        kind, key_start, key_end, notes, in_grammar = known
        if not in_grammar:
            notes |= _OUTSIDE_GRAMMAR
        if peculiar:
            notes |= _notes_on_peculiar_bytes(value, peculiar)
        if value[:1] != b"/":
            notes |= _OUTSIDE_GRAMMAR if value else _EMPTY_VALUE
            if is_void(value, profile):
                notes |= _VOID_RULE
        start = len(content) - len(rest.lstrip(WS))
        effect = _NO_EFFECT if profile.abnf_only and notes & _OUTSIDE_GRAMMAR else _RULE
        return kind, key_start, key_end, start, start + len(value), notes, effect

    def _plain_other(self, content: bytes, key: bytes, rest: bytes) -> _ParsedLine | None:
        """Parse a user-agent line, or a record beyond the RFC. Return None for rules and unusual lines."""
        value = rest.strip(WS)
        kind = record_kind(key, self._profile)
        notes = notes_on_key(key, kind)
        if kind in _RULES or len(content) > self._max_bytes or value.translate(None, _UNREMARKABLE):
            return None
        effect = _USER_AGENT if kind is RecordKind.USER_AGENT else _NO_EFFECT
        if effect == _USER_AGENT and (notes or not is_product_token(value)):
            token = b"" if self._profile.abnf_only else extract_token(value, self._profile)
            notes |= _OUTSIDE_GRAMMAR | notes_on_token(value, token)
        start = len(content) - len(rest.lstrip(WS))
        return int(kind), 0, len(key), start, start + len(value), notes if value else notes | _EMPTY_VALUE, effect


def _rule_key(before: bytes, start: int, end: int, profile: Profile) -> _RuleKey:
    key = before[start:end]
    kind = record_kind(key, profile)
    in_grammar = before.strip(WS).lower() == NAMES[kind]
    return _RuleKey(int(kind), start, end, notes_on_key(key, kind), in_grammar=in_grammar)


@cache
def _usual_rule_keys(profile: Profile) -> dict[bytes, _RuleKey]:
    """Return the keys of rules in their usual spelling, which nearly every file has."""
    keys = [NAMES[kind].capitalize() for kind in _RULES]
    return {key: _rule_key(key, 0, len(key), profile) for key in keys if record_kind(key, profile) in _RULES}


def _notes_on_peculiar_bytes(value: bytes, peculiar: bytes) -> int:
    """Return the notes on the bytes of a rule's value that are not unremarkable. They include no control but NUL."""
    notes = 0
    if b"\0" in peculiar:
        # In the profiles that read it, a value with NUL matches no URL.
        notes |= _NUL | _OUTSIDE_GRAMMAR | _VOID_RULE
    if b" " in peculiar or b"\t" in peculiar:
        notes |= _WHITE_SPACE | _OUTSIDE_GRAMMAR
    if b"$" in peculiar and b"$" in value[:-1]:
        notes |= _DOLLAR_INSIDE
    if b"%" in peculiar and has_bad_escape(value):
        notes |= _BAD_ESCAPE
    if not peculiar.isascii():
        notes |= _NOT_ASCII
        bytes_notes = notes_on_bytes(value)
        notes |= bytes_notes | _OUTSIDE_GRAMMAR if bytes_notes else 0
    return notes


def _parse_line(content: bytes, profile: Profile) -> _ParsedLine:
    read = readable_part(content, profile)
    notes = Note.LINE_CUT.value if len(read) != len(content) else 0
    if b"\0" in content:
        notes |= Note.NUL.value
    field = parse_field(read, profile)
    if field is None:
        if read.partition(b"#")[0].strip():
            notes |= Note.NOT_A_RECORD.value
        is_end = profile.blank_line_ends_group and not read.strip()
        return _without_record(notes, _END if is_end else _NO_EFFECT)
    key_start, key_end, value_start, value_end, has_colon = field
    key = read[key_start:key_end]
    value = read[value_start:value_end]
    kind = record_kind(key, profile)
    notes |= notes_on_key(key, kind) | notes_on_bytes(value)
    if not has_colon:
        notes |= Note.MISSING_COLON.value
    # The grammar does not define other records.
    in_grammar = kind < RecordKind.USER_AGENT or is_in_grammar(read, kind)
    if not in_grammar:
        notes |= _OUTSIDE_GRAMMAR
    if kind is RecordKind.USER_AGENT:
        notes |= notes_on_token(value, extract_token(value, profile) if in_grammar or not profile.abnf_only else b"")
    elif kind in _RULES:
        notes |= notes_on_pattern(value, profile)
    effect = _USER_AGENT if kind is RecordKind.USER_AGENT else _NO_EFFECT
    if kind in _RULES and not (profile.abnf_only and notes & _OUTSIDE_GRAMMAR):
        effect = _RULE
    return int(kind), key_start, key_end, value_start, value_end, notes, effect


@cache
def _without_record(notes: int, effect: int) -> _ParsedLine:
    return None, 0, 0, 0, 0, notes, effect


# Most blank lines and comments.
_NOTHING: Final = _without_record(0, _NO_EFFECT)
