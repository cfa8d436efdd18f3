"""What a file's records beyond the RFC answer: made when somebody asks, and then kept.

It knows the octets and the rows, not the `RobotsTxt`, so that nothing here keeps a file alive.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeVar

from canfetch.core.choices import unknown_choice
from canfetch.core.contract import OtherRow
from canfetch.core.extensions.ai_training import AITrainingRule
from canfetch.core.extensions.clean_param import CleanParam
from canfetch.core.extensions.clean_params import CleanParams
from canfetch.core.extensions.collection import Extensions, extensions_of
from canfetch.core.extensions.content_signal import ContentSignal
from canfetch.core.extensions.content_usage import ContentUsage
from canfetch.core.extensions.license import License
from canfetch.core.extensions.page_rule import PathPageRule
from canfetch.core.extensions.path_records import PathRecords
from canfetch.core.extensions.preference import UsagePurpose, most_restrictive
from canfetch.core.extensions.record import Extension, ExtensionScope
from canfetch.core.extensions.usage import Usage, UsageStatement
from canfetch.core.limits import COMPILED_SETS_LIMIT
from canfetch.core.profiles import Profile
from canfetch.core.verdict import Verdict
from canfetch.errors import InvalidOption

ParsedT = TypeVar("ParsedT")
_EVERY_PATH: Final = b"/"


class GroupAnswers:
    """What the records of some groups say, and of the file where those are silent."""

    __slots__ = ("licenses", "page_rules", "signals", "training", "usages")

    def __init__(self, records: Extensions, groups: Iterable[int], profile: Profile) -> None:
        chosen = frozenset(groups)
        self.licenses = _of_groups_or_file(records.of_type(License), chosen)
        self.signals = _of_groups_or_file(records.of_type(ContentSignal), chosen)
        own = Extensions(record for record in records if record.group in chosen)
        self.page_rules = PathRecords([(record.parsed.path, record) for record in own.of_type(PathPageRule)], profile)
        self.training = PathRecords([(record.parsed.path, record) for record in own.of_type(AITrainingRule)], profile)
        self.usages = PathRecords(
            [(record.parsed.path or _EVERY_PATH, record) for record in own.of_type(ContentUsage)], profile
        )

    def usage(self, verdict: Verdict, purpose: UsagePurpose) -> Usage:
        """Say what is said of a use of a URL, whose verdict is known."""
        speaking: list[Extension[Any]] = []
        if verdict.allowed:
            speaking = [*self.signals, *self.usages.strongest(verdict.target), *self.training.strongest(verdict.target)]
        speaking.sort(key=lambda record: record.line)
        statements = [statement for record in speaking for statement in _statements(record, purpose)]
        preference = most_restrictive(statement.usage_preference.preference for statement in statements)
        return Usage(purpose, preference, tuple(statements), self.licenses, verdict)


class ExtensionAnswers:
    """The records of one file, read, and what was made of them."""

    __slots__ = ("_by_groups", "_clean_params", "_profile", "records")

    def __init__(self, octets: bytes, rows: Iterable[OtherRow], profile: Profile) -> None:
        self.records = extensions_of(octets, rows)
        self._profile = profile
        self._clean_params: CleanParams | None = None
        self._by_groups: dict[tuple[int, ...], GroupAnswers] = {}

    @property
    def clean_params(self) -> CleanParams:
        """All Clean-param records, ready to be asked."""
        if self._clean_params is None:
            found = self.records.of_type(CleanParam)
            self._clean_params = CleanParams(record.parsed for record in found)
        return self._clean_params

    def of_groups(self, groups: Iterable[int]) -> GroupAnswers:
        """Give what the records say to the crawlers of these groups.

        Cost: O(records, times their logarithm) for groups that nobody asked for before; a look-up for the others.
        """
        chosen = tuple(groups)
        answers = self._by_groups.get(chosen)
        if answers is None:
            answers = GroupAnswers(self.records, chosen, self._profile)
            if len(self._by_groups) >= COMPILED_SETS_LIMIT:
                self._by_groups.clear()
            self._by_groups[chosen] = answers
        return answers


def _statements(
    record: Extension[ContentSignal | ContentUsage | AITrainingRule], purpose: UsagePurpose
) -> Iterator[UsageStatement]:
    return (UsageStatement(record, said) for said in record.parsed.usage_preferences if said.purpose is purpose)


def usage_purpose(purpose: str) -> UsagePurpose:
    """Give the purpose of that name.

    Raises: InvalidOption: there is none; the message lists those that exist.
    """
    try:
        return UsagePurpose(purpose)
    except ValueError:
        raise InvalidOption(unknown_choice("purpose", purpose, UsagePurpose)) from None


def _of_groups_or_file(
    records: tuple[Extension[ParsedT], ...], chosen: frozenset[int]
) -> tuple[Extension[ParsedT], ...]:
    own = tuple(record for record in records if record.group in chosen)
    return own or tuple(record for record in records if record.scope is ExtensionScope.FILE)
