"""The linter's result for one file."""

from typing import Any, Final, NamedTuple

from canfetch.lint.catalogue import ENGLISH, Catalogue
from canfetch.lint.finding import Finding
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity

REPORT_SCHEMA: Final = "canfetch.lint/1"


class LintReport(NamedTuple):
    """The findings in one file, in line order.

    Attributes:
        name: The file's path or URL, or `robots.txt`.
        findings: The findings that are not suppressed by a comment.
        suppressed: The findings that are.
        truncated_checks: Names of the checks with more findings than the limit.
        file: The file, as the checks see it.
        undecided_fixes: The number of fixes that `Linter.fix` did not apply because a limit was reached before it was
            proved whether they preserve the verdicts.
    """

    name: str
    findings: tuple[Finding, ...]
    suppressed: tuple[Finding, ...]
    truncated_checks: tuple[str, ...]
    file: LintedFile
    undecided_fixes: int = 0

    def at_least(self, severity: Severity) -> "LintReport":
        """Return the report without the findings below a severity."""
        return self._replace(findings=tuple(finding for finding in self.findings if finding.severity >= severity))

    def grouped(self) -> tuple[tuple[Finding, ...], ...]:
        """Return the findings by severity, the highest first, and then by line.

        Each finding is a group of its own, except those with the severity `info`: all of one check form one group.
        """
        groups: dict[object, list[Finding]] = {}
        for finding in sorted(self.findings, key=lambda finding: -finding.severity):
            key = finding.check.code if finding.severity is Severity.INFO else finding
            groups.setdefault(key, []).append(finding)
        return tuple(map(tuple, groups.values()))

    def count(self, severity: Severity) -> int:
        """Return the number of findings with this severity."""
        return sum(finding.severity is severity for finding in self.findings)

    def to_json(self, catalogue: Catalogue = ENGLISH) -> dict[str, Any]:
        """Return the report as JSON-compatible values. Keys may be added, but are never renamed.

        Args: catalogue: The language of the messages.
        """
        return {
            "schema": REPORT_SCHEMA,
            "name": self.name,
            "findings": [finding.to_json(catalogue) for finding in self.findings],
            "suppressed": len(self.suppressed),
            "truncated_checks": list(self.truncated_checks),
            "undecided_fixes": self.undecided_fixes,
        }
