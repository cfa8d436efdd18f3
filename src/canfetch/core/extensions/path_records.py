"""Records that speak of paths, found for a target as rules are: the same patterns, the same matcher.

Source: RFC 9309 section 2.2.2, which draft-ietf-aipref-attach-05 takes over.
"""

from collections.abc import Sequence
from typing import Generic, TypeVar

from canfetch.core.escapes import encode_reserved_data, literal
from canfetch.core.profiles import Profile
from canfetch.core.reference.rule_set import RuleSet

RecordT = TypeVar("RecordT")


class PathRecords(Generic[RecordT]):
    """Records by the pattern of the paths that they speak of."""

    __slots__ = ("_literal", "_records", "_rules")

    def __init__(self, records: Sequence[tuple[bytes, RecordT]], profile: Profile) -> None:
        self._literal = profile.literal_paths
        self._records = [record for _, record in records]
        # As disallow rules, since in a profile an allow rule has a second pattern; the line is the place in the list.
        self._rules = RuleSet(((False, path, index) for index, (path, _) in enumerate(records)), profile)

    def matching(self, target: bytes) -> list[RecordT]:
        """Give the records whose pattern matches, in order.

        Cost: O(octets of the target), plus the records that match.
        """
        return [self._records[index] for index in sorted(self._specificities(target))]

    def strongest(self, target: bytes) -> list[RecordT]:
        """Give, of those, the ones whose pattern has the most octets, in order.

        Cost: as `matching`.
        """
        found = self._specificities(target)
        most = max(found.values(), default=0)
        return [self._records[index] for index in sorted(found) if found[index] == most]

    def _specificities(self, target: bytes) -> dict[int, int]:
        rules = self._rules
        if self._literal:
            # A verdict shows the characters.
            target = literal(target, decode=False)
        ranks = set(rules.form_a.all(target))
        if rules.form_b is not None:
            ranks.update(rules.form_b.all(encode_reserved_data(target)))
        return {rules.rules[rank].line: rules.rules[rank].specificity for rank in ranks}
