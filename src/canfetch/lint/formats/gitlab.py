"""GitLab's Code Quality report: a list of issues with stable fingerprints."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from canfetch.lint.catalogue import ENGLISH, Catalogue
from canfetch.lint.finding import Finding
from canfetch.lint.formats.finding_parts import full_message, locate, printable
from canfetch.lint.formats.summaries import summarize_undecided
from canfetch.lint.report import LintReport
from canfetch.lint.severity import Severity

_SEVERITIES: Final = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def gitlab_issues(
    reports: Iterable[LintReport], catalogue: Catalogue = ENGLISH, *, problems: Iterable[tuple[str, str]] = ()
) -> list[dict[str, Any]]:
    """Return one issue for each finding and for each file that could not be read, as JSON-compatible values.

    Args:
        reports: The reports.
        catalogue: The language.
        problems: Names of files that could not be read, each with the reason.
    Source: GitLab Docs, Code Quality report format.
    """
    issues = [_issue_of_file(name, reason, "Bug Risk", "blocker") for name, reason in problems]
    for report in reports:
        undecided = summarize_undecided(report, catalogue)
        if undecided:
            issues.append(_issue_of_file(report.name, undecided, "Compatibility", "info"))
        for finding, fingerprint in zip(report.findings, fingerprints(report), strict=True):
            location = locate(report.file, finding)
            issues.append(
                {
                    "type": "issue",
                    "check_name": f"{finding.check.code} {finding.check.name}",
                    "description": full_message(finding, catalogue),
                    "categories": ["Compatibility"],
                    "severity": _SEVERITIES[finding.severity],
                    "fingerprint": fingerprint,
                    "location": {
                        "path": printable(report.name),
                        "positions": {
                            "begin": {"line": location.line, "column": location.column},
                            "end": {"line": location.end_line, "column": location.end_column},
                        },
                    },
                }
            )
    return issues


def _issue_of_file(name: str, text: str, category: str, severity: str) -> dict[str, Any]:
    return {
        "type": "issue",
        "check_name": "canfetch lint",
        "description": printable(text),
        "categories": [category],
        "severity": severity,
        "fingerprint": hashlib.sha256(f"{printable(name)}\0{printable(text)}".encode()).hexdigest(),
        "location": {"path": printable(name), "lines": {"begin": 1}},
    }


def fingerprints(report: LintReport) -> list[str]:
    """Return a fingerprint for each finding that does not depend on the lines before it."""
    seen: Counter[tuple[str, bytes]] = Counter()
    return [_fingerprint(report.name, finding, seen) for finding in report.findings]


def _fingerprint(name: str, finding: Finding, seen: Counter[tuple[str, bytes]]) -> str:
    key = (finding.check.code, finding.quoted)
    seen[key] += 1
    parts = (name.encode("utf-8", "surrogateescape"), finding.check.code.encode(), finding.quoted, b"%d" % seen[key])
    return hashlib.sha256(b"\0".join(parts)).hexdigest()
