"""How a rewritten rule would relate to the other rules of its group."""

from bisect import bisect_left
from itertools import chain
from typing import NamedTuple

from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.lint.analysis.canonical_rules import MAX_VALUE_LENGTH, canonical_form, canonical_rules
from canfetch.lint.analysis.line_fixes import rewrite_value
from canfetch.lint.fixes import Fix
from canfetch.lint.linted_file import LintedFile


class _Forms(NamedTuple):
    """The forms of the allow rules, or of the disallow rules, of one group."""

    distinct: set[bytes]
    in_order: list[bytes]
    lengths: list[int]


class Neighbours:
    """The rules of each group, to find out how a rewritten rule would relate to the others."""

    def __init__(self, file: LintedFile) -> None:
        forms: dict[tuple[int, bool], set[bytes]] = {}
        for rule, form, _ in chain.from_iterable(canonical_rules(file)):
            forms.setdefault((rule.group, rule.allow), set()).add(form)
        self._forms = {key: _Forms(some, sorted(some), sorted(set(map(len, some)))) for key, some in forms.items()}

    def would_be_unrelated(self, record: Record, value: bytes) -> bool:
        """Return whether a rule with this value would not repeat, cover or be covered by another in its group."""
        return not self._is_related(record, value, allow=record.kind is RecordKind.ALLOW)

    def would_be_unopposed(self, record: Record, value: bytes) -> bool:
        """Return whether no opposing rule of the group starts with this value, or is a prefix of it.

        With an opposing rule, a fix may change verdicts of crawlers that obey the first match.
        """
        return not self._is_related(record, value, allow=record.kind is not RecordKind.ALLOW)

    def _is_related(self, record: Record, value: bytes, *, allow: bool) -> bool:
        if len(value) > MAX_VALUE_LENGTH:
            return True  # not examined
        forms = None if record.group is None else self._forms.get((record.group, allow))
        if forms is None:
            return False
        form = canonical_form(value)
        index = bisect_left(forms.in_order, form)
        if index < len(forms.in_order) and forms.in_order[index].startswith(form):
            return True
        return any(form[:length] in forms.distinct for length in forms.lengths if length < len(form))


def rewrite_unopposed(file: LintedFile, record: Record, value: bytes) -> Fix | None:
    """Return the fix that replaces a rule's value, or None if an opposing rule of the group is related to it."""
    is_unopposed = file.compute_once(Neighbours).would_be_unopposed(record, value)
    return rewrite_value(record, value) if is_unopposed else None
