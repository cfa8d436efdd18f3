"""The values of all allow and disallow lines: as one text, so that a check searches them at once, and as a set.

In the text, a line end comes before and after each value. An expression can use it to match at the start or at the end
of a value.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.lint.linted_file import LintedFile, LintedRule

EMPTY_VALUE: Final = re.compile(rb"\n\n")
_RULES: Final = (RecordKind.ALLOW, RecordKind.DISALLOW)


class RuleValues(NamedTuple):
    """The values of rules.

    Attributes:
        indices: The indices of their lines.
        ends: The offsets in the file at which they end.
        text: The values, each between line ends.
        starts: Their offsets in the text.
    """

    indices: Sequence[int]
    ends: list[int]
    text: bytes
    starts: list[int]

    def matching(self, pattern: re.Pattern[bytes]) -> Iterator[int]:
        """Yield the indices of the lines whose values match."""
        text, starts = self.text, self.starts
        match = pattern.search(text)
        while match is not None:
            following = bisect_right(starts, match.start() + 1)
            yield self.indices[following - 1]
            match = pattern.search(text, starts[following] - 1) if following < len(starts) else None


def rule_values(file: LintedFile) -> RuleValues:
    """Return the values of all allow and disallow lines, including those outside of groups.

    Cost: O(bytes of these lines) at the first call.
    """
    return file.compute_once(_rule_values)


def rule_records_matching(file: LintedFile, pattern: re.Pattern[bytes]) -> Iterator[Record]:
    """Yield the allow and disallow lines, in file order, in whose value a regular expression matches.

    Args: pattern: It starts with a literal byte, so that the search is fast, and is linear.
    """
    return map(file.records.__getitem__, rule_values(file).matching(pattern))


def rules_matching(file: LintedFile, pattern: re.Pattern[bytes]) -> Iterator[LintedRule]:
    """Yield the rules of groups, in file order, in whose value a regular expression matches.

    Args: pattern: As in `rule_records_matching`.
    """
    for index in rule_values(file).matching(pattern):
        rules, lines = file.rules, file.compute_once(_rule_lines)
        place = bisect_left(lines, index + 1)
        if place < len(lines) and lines[place] == index + 1:
            yield rules[place]


def _rule_lines(file: LintedFile) -> list[int]:
    return [rule.line for rule in file.rules]


def _rule_values(file: LintedFile) -> RuleValues:
    indices = file.records.of_kinds(*_RULES)
    content = file.content
    spans = file.records.value_spans(indices)
    values = [content[start:end] for start, end in spans]
    starts = list(accumulate([len(value) + 1 for value in values], initial=1))
    return RuleValues(indices, [end for _, end in spans], b"\n".join((b"", *values, b"")), starts[:-1])


def has_written_rule(file: LintedFile, group_of: Record, value: bytes) -> bool:
    """Return whether the group and kind of a rule have a rule that is written with this value.

    A rule whose path is cut off by a `#` does not count.

    Cost: O(rules) for the first call, then O(1).
    """
    return (group_of.group, group_of.kind, value) in file.compute_once(_written_rules)


def _written_rules(file: LintedFile) -> frozenset[tuple[int | None, RecordKind | None, bytes]]:
    records, content, values = file.records, file.content, rule_values(file)
    return frozenset(
        (records.group(index), records.kind(index), value)
        for index, value, end in zip(values.indices, file.values(values.indices), values.ends, strict=True)
        if content[end : end + 1] != b"#"
    )
