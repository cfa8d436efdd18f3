"""A finding: one place in a file that a check reports."""

from bisect import bisect_right
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from canfetch.lint.catalogue import ENGLISH, Catalogue
from canfetch.lint.check import Check, VerdictQuery
from canfetch.lint.crawler_verdicts import CrawlerVerdict, query_verdicts
from canfetch.lint.fixes import Fix
from canfetch.lint.severity import Severity

if TYPE_CHECKING:
    from canfetch.lint.linted_file import LintedFile

FINDING_SCHEMA: Final = "canfetch.finding/1"


class Position(NamedTuple):
    """A position in a file: line from 1, column in bytes from 0."""

    line: int
    column: int


class Finding:
    """One place in a file that a check reports.

    Attributes:
        check: The check.
        severity: Its severity in the linter's severity set.
        span: Start and end in bytes of the file's content, half open.
        details: Values for the placeholders of the check's message.
        fix: The fix, or None.
    """

    __slots__ = ("_file", "_query", "check", "details", "fix", "severity", "span")

    def __init__(  # noqa: PLR0917 - constructed in one place
        self,
        file: "LintedFile",
        check: Check,
        severity: Severity,
        span: tuple[int, int],
        details: Mapping[str, str],
        query: VerdictQuery | None,
        fix: Fix | None,
    ) -> None:
        self._file = file
        self._query = query
        self.check = check
        self.severity = severity
        self.span = span
        self.details = details
        self.fix = fix

    @property
    def start(self) -> Position:
        """The position of the first byte."""
        return self._position(self.span[0])

    @property
    def end(self) -> Position:
        """The position after the last byte."""
        return self._position(self.span[1])

    @property
    def line(self) -> int:
        """The line of the first byte, from 1."""
        return self.start.line

    def _position(self, offset: int) -> Position:
        starts = self._file.line_starts
        line = max(bisect_right(starts, offset), 1)
        return Position(line, offset - starts[line - 1])

    @property
    def quoted(self) -> bytes:
        """The bytes of the span."""
        return self._file.content[slice(*self.span)]

    @property
    def verdicts(self) -> tuple[CrawlerVerdict, ...]:
        """What crawlers may fetch because of this place. Empty if the finding has no effect on a single URL.

        Cost: One decision for each crawler.
        """
        return () if self._query is None else query_verdicts(self._file, self._query)

    def message(self, catalogue: Catalogue = ENGLISH) -> str:
        """Return the message in the catalogue's language, without a full stop."""
        return catalogue.message(self.check, self.details)

    def effect(self, catalogue: Catalogue = ENGLISH) -> str:
        """Return the verdicts as a sentence, such as `Googlebot may fetch /x, bingbot may not`, or an empty string."""
        return catalogue.effect(self.verdicts)

    def to_json(self, catalogue: Catalogue = ENGLISH) -> dict[str, Any]:
        """Return the finding as JSON-compatible values. Keys may be added, but are never renamed."""
        texts = catalogue.texts(self.check)
        verdicts = self.verdicts
        return {
            "schema": FINDING_SCHEMA,
            "code": self.check.code,
            "name": self.check.name,
            "severity": self.severity.label,
            "message": self.message(catalogue),
            "effect": catalogue.effect(verdicts) or None,
            "why": texts.why,
            "how_to_fix": texts.how_to_fix,
            "source": self.check.source,
            "start": self.start._asdict(),
            "end": self.end._asdict(),
            "span": list(self.span),
            "verdicts": [verdict.to_json() for verdict in verdicts],
            "fix": None
            if self.fix is None
            else {
                "changes_verdicts": self.fix.changes_verdicts,
                "edits": [
                    {
                        "span": [edit.start, edit.end],
                        "replacement": edit.replacement.decode("utf-8", "backslashreplace"),
                    }
                    for edit in self.fix.edits
                ],
            },
        }

    def __repr__(self) -> str:
        return f"<Finding {self.check.code} {self.check.name} on line {self.line}>"
