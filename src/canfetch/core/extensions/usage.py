"""What a file says about using what was fetched, for one URL, one agent and one purpose.

`Usage.to_json` is stable: keys are added, never renamed, under the same `schema`.
"""

from typing import Any, Final, NamedTuple, NoReturn

from canfetch.core.extensions.license import License
from canfetch.core.extensions.preference import Preference, UsagePreference, UsagePurpose
from canfetch.core.extensions.record import Extension
from canfetch.core.verdict import Verdict

USAGE_SCHEMA: Final = "canfetch.usage/1"


class UsageStatement(NamedTuple):
    """One record's word on the purpose: the record, and what which of its labels says."""

    record: Extension[Any]
    usage_preference: UsagePreference

    @property
    def line(self) -> int:
        """The record's line, from 1."""
        return self.record.line

    def __str__(self) -> str:
        return f"{self.record} ({self.usage_preference.preference})"

    def to_json(self) -> dict[str, Any]:
        """Give the statement in plain values."""
        return {
            "record": self.record.to_json(),
            "label": self.usage_preference.label,
            "preference": str(self.usage_preference.preference),
            "draft": self.usage_preference.draft,
        }


class Usage(NamedTuple):
    """What a file says about one use of one URL by one agent: a preference, and never permission to fetch.

    `preference` is the most restrictive of the `statements`, which are all that count, in file order. `licenses`
    are the terms that stand beside them, whatever they say. `verdict` says whether the URL may be fetched at all:
    where it may not, nothing is said of its use. No source says what holds where a file says nothing.
    """

    purpose: UsagePurpose
    preference: Preference
    statements: tuple[UsageStatement, ...]
    licenses: tuple[Extension[License], ...]
    verdict: Verdict

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of the statements, from 1."""
        return tuple(dict.fromkeys(statement.line for statement in self.statements))

    @property
    def says_nothing(self) -> bool:
        """Whether the file says nothing of this use."""
        return not self.statements

    def __bool__(self) -> NoReturn:
        raise TypeError("a Usage is neither true nor false; ask its .preference")

    @property
    def explanation(self) -> str:
        """The reason in one sentence."""
        if self.statements:
            return "; ".join(str(statement) for statement in self.statements)
        if not self.verdict.allowed:
            return f"it may not be fetched, so nothing is said of its use: {self.verdict.explanation}"
        return f"the file says nothing about {self.purpose}"

    def __str__(self) -> str:
        return f"{self.purpose}: {self.preference}: {self.explanation}"

    def to_json(self) -> dict[str, Any]:
        """Give it in plain values, in its one documented form."""
        return {
            "schema": USAGE_SCHEMA,
            "purpose": str(self.purpose),
            "preference": str(self.preference),
            "statements": [statement.to_json() for statement in self.statements],
            "licenses": [record.to_json() for record in self.licenses],
            "verdict": self.verdict.to_json(),
        }
