"""A finding: one place in a file where a check found what it looks for."""

from bisect import bisect_right
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from canfetch.lint.catalogue import ENGLISH, Catalogue
from canfetch.lint.check import Check, Probe
from canfetch.lint.crawler_verdicts import CrawlerVerdict, witnesses_of
from canfetch.lint.fixing import Fix
from canfetch.lint.severity import Severity

if TYPE_CHECKING:
    from canfetch.lint.linted_file import LintedFile

FINDING_SCHEMA: Final = "canfetch.finding/1"


class Position(NamedTuple):
    """A place: its line, from 1, and its column in octets, from 0."""

    line: int
    column: int


class Finding:
    """One place in a file where a check found what it looks for.

    Attributes:
        check: which check.
        severity: how bad it is, in the profile of severity that was asked for.
        span: the place, in octets of what was read of the file, half open.
        details: what fills the braces of the check's message.
        fix: what mends it, or None.
    """

    __slots__ = ("_file", "_probe", "check", "details", "fix", "severity", "span")

    def __init__(  # noqa: PLR0917 - made in one place
        self,
        file: "LintedFile",
        check: Check,
        severity: Severity,
        span: tuple[int, int],
        details: Mapping[str, str],
        probe: Probe | None,
        fix: Fix | None,
    ) -> None:
        self._file = file
        self._probe = probe
        self.check = check
        self.severity = severity
        self.span = span
        self.details = details
        self.fix = fix

    @property
    def start(self) -> Position:
        """Where it begins."""
        return self._position(self.span[0])

    @property
    def end(self) -> Position:
        """Where it ends: the position behind its last octet."""
        return self._position(self.span[1])

    @property
    def line(self) -> int:
        """The line on which it begins, from 1."""
        return self.start.line

    def _position(self, offset: int) -> Position:
        starts = self._file.line_starts
        line = max(bisect_right(starts, offset), 1)
        return Position(line, offset - starts[line - 1])

    @property
    def quoted(self) -> bytes:
        """The octets at that place."""
        return self._file.octets[slice(*self.span)]

    @property
    def witnesses(self) -> tuple[CrawlerVerdict, ...]:
        """What crawlers may do there, asked of the engines; empty where nothing can be asked.

        Cost: as deciding, for each crawler.
        """
        return () if self._probe is None else witnesses_of(self._file, self._probe)

    def message(self, catalogue: Catalogue = ENGLISH) -> str:
        """Say what was found, in the catalogue's language, without a full stop."""
        return catalogue.message(self.check, self.details)

    def effect(self, catalogue: Catalogue = ENGLISH) -> str:
        """Say what crawlers do there: `Googlebot may fetch /x, bingbot may not`; empty where nothing is known."""
        return catalogue.effect(self.witnesses)

    def to_json(self, catalogue: Catalogue = ENGLISH) -> dict[str, Any]:
        """Give the finding in plain values, in its one documented form: keys are added, never renamed."""
        texts = catalogue.texts(self.check)
        witnesses = self.witnesses
        return {
            "schema": FINDING_SCHEMA,
            "code": self.check.code,
            "name": self.check.name,
            "severity": self.severity.label,
            "message": self.message(catalogue),
            "effect": catalogue.effect(witnesses) or None,
            "why": texts.why,
            "mend": texts.mend,
            "source": self.check.source,
            "start": self.start._asdict(),
            "end": self.end._asdict(),
            "span": list(self.span),
            "witnesses": [witness.to_json() for witness in witnesses],
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
