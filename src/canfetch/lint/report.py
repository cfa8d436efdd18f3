"""What the linter found in one file."""

from typing import Any, Final, NamedTuple

from canfetch.lint.finding import Finding
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity

REPORT_SCHEMA: Final = "canfetch.lint/1"


class LintReport(NamedTuple):
    """What was found in one file, in the order of its lines.

    Attributes:
        name: the file's path or URL, or `robots.txt`.
        findings: what was found and is not allowed by a comment.
        suppressed: what is.
        cut: names of the checks that found more than the limit.
        file: the file as the checks saw it.
    """

    name: str
    findings: tuple[Finding, ...]
    suppressed: tuple[Finding, ...]
    cut: tuple[str, ...]
    file: LintedFile

    def count(self, severity: Severity) -> int:
        """Count the findings of a severity."""
        return sum(finding.severity is severity for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """Give the report in plain values: keys are added, never renamed."""
        return {
            "schema": REPORT_SCHEMA,
            "name": self.name,
            "findings": [finding.to_json() for finding in self.findings],
            "suppressed": len(self.suppressed),
            "cut": list(self.cut),
        }
