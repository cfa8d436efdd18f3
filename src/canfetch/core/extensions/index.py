"""The records beyond the RFC of one file, indexed by group and path on first use.

The index holds the content and the rows but not the `RobotsTxt`, so that it does not keep the file alive.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeVar

from canfetch.core.choices import unknown_choice
from canfetch.core.contract import OtherRow
from canfetch.core.escapes import escape_literal
from canfetch.core.extensions.clean_param import CleanParam, CleanParamSet
from canfetch.core.extensions.collection import Extensions, parse_extensions
from canfetch.core.extensions.document_urls import License
from canfetch.core.extensions.path_rules import PathPageRule
from canfetch.core.extensions.preference import UsagePurpose, most_restrictive
from canfetch.core.extensions.record import Extension
from canfetch.core.extensions.usage import Usage
from canfetch.core.extensions.usage_records import of_groups_or_file, select_usage_records, statements_of
from canfetch.core.limits import COMPILED_SETS_LIMIT
from canfetch.core.profiles import Profile
from canfetch.core.reference.rule_set import RuleSet
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidOption

RecordT = TypeVar("RecordT")


class PathRecords(Generic[RecordT]):
    """Records with a path, matched like rules: with the same patterns and the same matcher.

    Source: RFC 9309 section 2.2.2, as adopted by draft-ietf-aipref-attach-05.
    """

    __slots__ = ("_literal", "_records", "_rules")

    def __init__(self, records: Sequence[tuple[bytes, RecordT]], profile: Profile) -> None:
        self._literal = profile.literal_paths
        self._records = [record for _, record in records]
        # Matched as disallow rules, because an allow rule has a second pattern in some profiles. The line number of
        # a rule is the index of its record.
        self._rules = RuleSet(((False, path, index) for index, (path, _) in enumerate(records)), profile)

    def matching(self, target: bytes) -> list[RecordT]:
        """Return the records whose pattern matches, in order.

        Cost: O(bytes of the records times bytes of the target) at worst, usually O(records).
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
        if self._literal:
            # The target of a verdict has plain characters; patterns are compared in the literal form.
            target = escape_literal(target, decode=False)
        return {rule.line: rule.specificity for rule in self._rules.matching(target)}


class GroupExtensions:
    """The records that apply to the crawlers of some groups."""

    __slots__ = ("licenses", "page_rules", "signals", "training", "usages")

    def __init__(self, records: Extensions, groups: Iterable[int], profile: Profile) -> None:
        selected = frozenset(groups)
        self.licenses = of_groups_or_file(records.of_type(License), selected)
        page_rules = (record for record in records.of_type(PathPageRule) if record.group in selected)
        self.page_rules = PathRecords([(record.parsed.path, record) for record in page_rules], profile)
        signals, usages, training = select_usage_records(records, selected)
        self.signals = PathRecords(signals, profile)
        self.usages = PathRecords(usages, profile)
        self.training = PathRecords(training, profile)

    def usage(self, verdict: Verdict, purpose: UsagePurpose, *, if_disallowed: bool = False) -> Usage:
        """Return the preference on a use of the URL that `verdict` is about.

        Args: if_disallowed: Also say what the file states on a URL that may not be fetched.
        """
        relevant: list[Extension[Any]] = []
        if verdict.allowed or if_disallowed:
            target = verdict.target
            for stated in (self.signals, self.usages, self.training):
                relevant += stated.most_specific(target)
        relevant.sort(key=lambda record: record.line)
        statements = [statement for record in relevant for statement in statements_of(record, purpose)]
        preference = most_restrictive(statement.usage_preference.preference for statement in statements)
        return Usage(purpose, preference, tuple(statements), self.licenses, verdict)


class ExtensionIndex:
    """The parsed records of one file, and their indexes."""

    __slots__ = ("_by_groups", "_clean_params", "_profile", "records")

    def __init__(self, content: bytes, rows: Iterable[OtherRow], profile: Profile) -> None:
        self.records = parse_extensions(content, rows)
        self._profile = profile
        self._clean_params: CleanParamSet | None = None
        self._by_groups: dict[tuple[int, ...], GroupExtensions] = {}

    @property
    def clean_params(self) -> CleanParamSet:
        """All Clean-param records."""
        if self._clean_params is None:
            records = self.records.of_type(CleanParam)
            self._clean_params = CleanParamSet(record.parsed for record in records)
        return self._clean_params

    def for_groups(self, groups: Iterable[int]) -> GroupExtensions:
        """Return the records that apply to the crawlers of these groups.

        Cost: O(records, times their logarithm) at the first call for these groups; a dictionary lookup afterwards.
        """
        key = tuple(groups)
        extensions = self._by_groups.get(key)
        if extensions is None:
            extensions = GroupExtensions(self.records, key, self._profile)
            if len(self._by_groups) >= COMPILED_SETS_LIMIT:
                self._by_groups.clear()
            self._by_groups[key] = extensions
        return extensions


def parse_purpose(purpose: str) -> UsagePurpose:
    """Return the purpose with this name.

    Raises: InvalidOption: the purpose is unknown.
    """
    try:
        return UsagePurpose(purpose)
    except ValueError:
        raise InvalidOption(unknown_choice("purpose", purpose, UsagePurpose)) from None
