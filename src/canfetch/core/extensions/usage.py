"""The preference of a file on one use of one URL by one agent.

The JSON form of a `Usage` is stable: within one `schema`, keys are added but never renamed, removed or retyped.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, NoReturn

from canfetch.core.extensions.document_urls import License
from canfetch.core.extensions.preference import Preference, UsagePreference, UsagePurpose
from canfetch.core.extensions.record import Extension
from canfetch.core.text import cut_text
from canfetch.core.verdict import Verdict

USAGE_SCHEMA: Final = "canfetch.usage/1"
# The beginnings of explanations without a statement; a purpose or the explanation of the verdict follows.
NOT_MENTIONED: Final = "no record mentions "
NOT_FETCHED: Final = "the URL may not be fetched: "
EXPLANATION_CHARACTERS: Final = 1_000
"""The longest explanation by statements. Without a limit, a column of them would repeat a hostile file in each row."""


class UsageStatement(NamedTuple):
    """A record, and the preference that it states."""

    record: Extension[Any]
    usage_preference: UsagePreference

    @property
    def line(self) -> int:
        """The line number of the record, from 1."""
        return self.record.line

    def __str__(self) -> str:
        return f"{self.record} ({self.usage_preference.preference})"

    def to_json(self) -> dict[str, Any]:
        """Return the statement as plain values."""
        return {
            "record": self.record.to_json(),
            "label": self.usage_preference.label,
            "preference": str(self.usage_preference.preference),
            "draft": self.usage_preference.draft,
        }


def explain_statements(statements: Iterable[UsageStatement]) -> str:
    """Return statements in one sentence. If it is too long, an ellipsis replaces its end."""
    return cut_text("; ".join(str(statement) for statement in statements), EXPLANATION_CHARACTERS)


class Usage(NamedTuple):
    """The preference of a file on one use of one URL by one agent. It never permits fetching the URL.

    Attributes:
        purpose: The purpose of the use.
        preference: The most restrictive preference of all statements. It is unknown if there are none, or if the agent
            may not fetch the URL. No source defines what an unknown preference means.
        statements: The records that state a preference, in file order.
        licenses: The License records that apply, which do not affect the preference.
        verdict: Whether the agent may fetch the URL.
    """

    purpose: UsagePurpose
    preference: Preference
    statements: tuple[UsageStatement, ...]
    licenses: tuple[Extension[License], ...]
    verdict: Verdict

    @property
    def lines(self) -> tuple[int, ...]:
        """The line numbers of the statements, from 1."""
        return tuple(dict.fromkeys(statement.line for statement in self.statements))

    def __bool__(self) -> NoReturn:
        raise TypeError("a Usage has no truth value: use .preference")

    @property
    def explanation(self) -> str:
        """The reason in one sentence. That of many statements ends with an ellipsis after 1,000 characters."""
        if self.statements:
            return explain_statements(self.statements)
        if not self.verdict.allowed:
            return NOT_FETCHED + self.verdict.explanation
        return NOT_MENTIONED + self.purpose

    def __str__(self) -> str:
        return f"{self.purpose}: {self.preference}: {self.explanation}"

    def to_json(self) -> dict[str, Any]:
        """Return the preference as plain values."""
        return {
            "schema": USAGE_SCHEMA,
            "purpose": str(self.purpose),
            "preference": str(self.preference),
            "statements": [statement.to_json() for statement in self.statements],
            "licenses": [record.to_json() for record in self.licenses],
            "verdict": self.verdict.to_json(),
        }
