"""A finding: one place in a file that a check reports."""

from bisect import bisect_right
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from canfetch.core.text import content_json, display_text
from canfetch.lint.catalogue import ENGLISH, Catalogue
from canfetch.lint.check import Check, VerdictQuery
from canfetch.lint.crawler_verdicts import CrawlerVerdict
from canfetch.lint.fix_effects import FixEffect, FixEffects
from canfetch.lint.fixes import Edit, Fix
from canfetch.lint.proofs import Contrast, Proof, Proofs
from canfetch.lint.severity import Severity

if TYPE_CHECKING:
    from canfetch.lint.linted_file import LintedFile

FINDING_SCHEMA: Final = "canfetch.finding/2"
# Stands for a proof that was not computed yet.
_UNKNOWN: Final = Proof(Contrast.LINE, (), ())


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
        details: Values for the placeholders of the check's message, and of its `how_to_fix_here` where this applies.
        query: What the proof asks, or None if the finding has no effect on a single URL.
        fix: The fix, or None.
        examines_fix: Whether the proof compares verdicts before and after the fix. The linter sets it.
    """

    __slots__ = ("_file", "_proof", "check", "details", "examines_fix", "fix", "query", "severity", "span")

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
        self.query = query
        self._proof: Proof | None = _UNKNOWN
        self.examines_fix = False
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
    def proof(self) -> Proof | None:
        """What crawlers that read the finding's group may fetch because of it, or None.

        Cost: One decision for each crawler at the first call, and a parse in each of their profiles for some fixes.
        """
        if self._proof is _UNKNOWN:
            fix = self.fix if self.examines_fix else None
            proofs = self._file.compute_once(Proofs)
            self._proof = None if self.query is None else proofs.find(self.query, self.span, fix)
        return self._proof

    @property
    def verdicts(self) -> tuple[CrawlerVerdict, ...]:
        """The verdicts of the proof. Empty without one."""
        return () if self.proof is None else self.proof.verdicts

    @property
    def changed_profiles(self) -> tuple[str, ...] | None:
        """The profiles in which the fix changes a verdict, or may change one. Empty without a fix.

        In all other profiles, the fix is proved to preserve every verdict. None means that this was not computed,
        because the file has too many fixes for its size, or is not in UTF-8.

        Cost: For a fix that declares a change of verdicts, a parse in each profile at the first call.
        """
        if self.fix is None:
            return ()
        if self._file.robots.source_encoding != "utf-8":
            return None
        if not self.fix.changes_verdicts:
            return ()
        return self._file.compute_once(FixEffects).changed_profiles(self.fix)

    @property
    def has_safe_fix(self) -> bool:
        """Whether there is a fix that is proved to change no verdict in any profile, and no other record.

        Records other than rules are, for example, `Sitemap` and `Crawl-delay`. Only these fixes are applied by default.
        A fix that was not examined, because the file has too many fixes for its size, is not safe.

        Cost: As `changed_profiles`.
        """
        if self.fix is None or self._file.robots.source_encoding != "utf-8":
            return False
        if not self.fix.changes_verdicts:
            return True
        return self._file.compute_once(FixEffects).effect(self.fix) is FixEffect.NONE

    def message(self, catalogue: Catalogue = ENGLISH) -> str:
        """Return the message in the catalogue's language, without a full stop."""
        return catalogue.message(self.check, self.details)

    def how_to_fix(self, catalogue: Catalogue = ENGLISH) -> str:
        """Return what to change here in the catalogue's language, as sentences."""
        return catalogue.how_to_fix(self.check, self.details)

    def effect(self, catalogue: Catalogue = ENGLISH) -> str:
        """Return the proof as a clause, or an empty string.

        An example is `because of line 3, bingbot may not fetch /x; Googlebot may`.
        """
        return "" if self.proof is None else catalogue.effect(self.proof)

    def to_dict(self, catalogue: Catalogue = ENGLISH) -> dict[str, str | int | bool | None]:
        """Return the finding as one flat row, for example for a DataFrame. `to_json` returns all of it.

        Cost: As `has_safe_fix`.
        """
        start, end = self.start, self.end
        return {
            "code": self.check.code,
            "name": self.check.name,
            "severity": self.severity.label,
            "message": self.message(catalogue),
            "effect": self.effect(catalogue) or None,
            "line": start.line,
            "column": start.column,
            "end_line": end.line,
            "end_column": end.column,
            "quoted": display_text(self.quoted),
            "fixable": self.fix is not None,
            "safe_fix": self.has_safe_fix,
            "source": self.check.source,
        }

    def to_json(self, catalogue: Catalogue = ENGLISH) -> dict[str, Any]:
        """Return the finding as JSON-compatible values. Keys may be added, but are never renamed."""
        return {
            "schema": FINDING_SCHEMA,
            "code": self.check.code,
            "name": self.check.name,
            "severity": self.severity.label,
            "message": self.message(catalogue),
            "effect": self.effect(catalogue) or None,
            "why": catalogue.texts(self.check).why,
            "how_to_fix": self.how_to_fix(catalogue),
            "source": self.check.source,
            "start": self.start._asdict(),
            "end": self.end._asdict(),
            "span": list(self.span),
            "verdicts": [verdict.to_json() for verdict in self.verdicts],
            "fix": None
            if self.fix is None
            else {
                "safe": self.has_safe_fix,
                "changes_verdicts": self.changed_profiles != (),
                "changed_profiles": None if self.changed_profiles is None else list(self.changed_profiles),
                "edits": [edit_json(edit) for edit in self.fix.edits],
            },
        }

    def __repr__(self) -> str:
        return f"<Finding {self.check.code} {self.check.name} on line {self.line}>"


def edit_json(edit: Edit) -> dict[str, Any]:
    """Return an edit as JSON. `replacement_encoding` is present only if the replacement is in Base64."""
    value: dict[str, Any] = {"span": [edit.start, edit.end], **content_json(edit.replacement, "replacement")}
    if value["replacement_encoding"] == "utf-8":
        del value["replacement_encoding"]
    return value
