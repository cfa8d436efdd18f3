"""GitLab's Code Quality report: a list of issues with fingerprints that last."""

import hashlib
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from canfetch.lint.catalogue import ENGLISH, Catalogue
from canfetch.lint.finding import Finding
from canfetch.lint.formats.locations import full_message, locate, printable
from canfetch.lint.report import LintReport
from canfetch.lint.severity import Severity

_SEVERITIES: Final = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def gitlab_issues(
    reports: Iterable[LintReport], catalogue: Catalogue = ENGLISH, *, problems: Iterable[tuple[str, str]] = ()
) -> list[dict[str, Any]]:
    """Give one issue for each finding, in plain values, and one for each file that could not be read.

    Args: problems: names of what could not be read, each with the reason.
    Source: GitLab Docs, Code Quality report format.
    """
    issues: list[dict[str, Any]] = [
        {
            "type": "issue",
            "check_name": "canfetch lint",
            "description": printable(why),
            "categories": ["Bug Risk"],
            "severity": "blocker",
            "fingerprint": hashlib.sha256(f"{printable(name)}\0{printable(why)}".encode()).hexdigest(),
            "location": {"path": printable(name), "lines": {"begin": 1}},
        }
        for name, why in problems
    ]
    for report in reports:
        for finding, fingerprint in zip(report.findings, fingerprints(report), strict=True):
            place = locate(report.file, finding)
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
                            "begin": {"line": place.line, "column": place.column},
                            "end": {"line": place.end_line, "column": place.end_column},
                        },
                    },
                }
            )
    return issues


def fingerprints(report: LintReport) -> list[str]:
    """Give for each finding what stays the same while lines before it come and go."""
    seen: Counter[tuple[str, bytes]] = Counter()
    return [_fingerprint(report.name, finding, seen) for finding in report.findings]


def _fingerprint(name: str, finding: Finding, seen: Counter[tuple[str, bytes]]) -> str:
    same = (finding.check.code, finding.quoted)
    seen[same] += 1
    parts = (name.encode("utf-8", "surrogateescape"), finding.check.code.encode(), finding.quoted, b"%d" % seen[same])
    return hashlib.sha256(b"\0".join(parts)).hexdigest()
