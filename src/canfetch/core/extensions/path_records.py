"""Records with a path, matched like rules: with the same patterns and the same matcher.

Source: RFC 9309 section 2.2.2, as adopted by draft-ietf-aipref-attach-05.
"""

from collections.abc import Sequence
from typing import Generic, TypeVar

from canfetch.core.escapes import encode_reserved_data, escape_literal
from canfetch.core.profiles import Profile
from canfetch.core.reference.rule_set import RuleSet

RecordT = TypeVar("RecordT")


class PathRecords(Generic[RecordT]):
    """Records indexed by the pattern of their path."""

    __slots__ = ("_literal", "_records", "_rules")

    def __init__(self, records: Sequence[tuple[bytes, RecordT]], profile: Profile) -> None:
        self._literal = profile.literal_paths
        self._records = [record for _, record in records]
        # Indexed as disallow rules, because an allow rule has a second pattern in some profiles. The line number of
        # a rule is the index of its record.
        self._rules = RuleSet(((False, path, index) for index, (path, _) in enumerate(records)), profile)

    def matching(self, target: bytes) -> list[RecordT]:
        """Return the records whose pattern matches, in order.

        Cost: O(bytes of the target), plus the matching records.
        """
        return [self._records[index] for index in sorted(self._specificities(target))]

    def most_specific(self, target: bytes) -> list[RecordT]:
        """Return the matching records with the highest specificity, in order.

        Cost: As `matching`.
        """
        specificities = self._specificities(target)
        highest = max(specificities.values(), default=0)
        return [self._records[index] for index in sorted(specificities) if specificities[index] == highest]

    def _specificities(self, target: bytes) -> dict[int, int]:
        rules = self._rules
        if self._literal:
            # The target of a verdict has plain characters; patterns are compared in the literal form.
            target = escape_literal(target, decode=False)
        ranks = set(rules.form_a.all(target))
        if rules.form_b is not None:
            ranks.update(rules.form_b.all(encode_reserved_data(target)))
        return {rules.rules[rank].line: rules.rules[rank].specificity for rank in ranks}
