"""SARIF 2.1.0, the standard format of static analysis results."""

import os
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import quote

from canfetch.lint.catalogue import ENGLISH, Catalogue
from canfetch.lint.check import Check
from canfetch.lint.checks import CHECKS
from canfetch.lint.finding import Finding
from canfetch.lint.fixes import Edit
from canfetch.lint.formats.finding_parts import check_page, full_message, locate, printable
from canfetch.lint.formats.gitlab import fingerprints
from canfetch.lint.formats.summaries import describe_fix, summarize_undecided
from canfetch.lint.report import LintReport
from canfetch.lint.severity import DEFAULT, Severity
from canfetch.repository import DOCUMENTATION, REPOSITORY

_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_INDICES: Final = {check.code: index for index, check in enumerate(CHECKS)}


def sarif_log(
    reports: Iterable[LintReport],
    *,
    version: str,
    repository: str | None = REPOSITORY,
    documentation: str | None = DOCUMENTATION,
    catalogue: Catalogue = ENGLISH,
    problems: Iterable[tuple[str, str]] = (),
) -> dict[str, Any]:
    """Return a log of one run with all reports, as JSON-compatible values.

    Args:
        reports: The reports, named by path or URL.
        version: The version of canfetch.
        repository: The address of canfetch's repository, which the log links to.
        documentation: The address of canfetch's documentation, whose pages of checks the log links to.
        catalogue: The language.
        problems: Names of files that could not be read, each with the reason.
    Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0 Plus Errata 01.
    """
    notifications = [_notification("error", name, reason) for name, reason in problems]
    invocation: dict[str, Any] = {"executionSuccessful": not notifications}
    reports = list(reports)
    for report in reports:
        undecided = summarize_undecided(report, catalogue)
        if undecided:
            notifications.append(_notification("note", report.name, undecided))
    if notifications:
        invocation["toolExecutionNotifications"] = notifications
    results: list[dict[str, Any]] = []
    for report in reports:
        pairs = zip(report.findings, fingerprints(report), strict=True)
        results += (_result(report, finding, fingerprint, catalogue) for finding, fingerprint in pairs)
        for finding in report.suppressed:
            results.append({**_result(report, finding, None, catalogue), "suppressions": [{"kind": "inSource"}]})
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "canfetch",
                        "version": version,
                        **({} if repository is None else {"informationUri": repository}),
                        "rules": [_rule(check, catalogue, documentation) for check in CHECKS],
                    }
                },
                "language": catalogue.language,
                "invocations": [invocation],
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }


def _notification(level: str, name: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": _escape(f"{name}: {text}")}}


def _rule(check: Check, catalogue: Catalogue, documentation: str | None) -> dict[str, Any]:
    texts = catalogue.texts(check)
    page = check_page(check, documentation)
    source = f"{catalogue.phrase('source')}: {check.source}"
    # Viewers show the help of a rule on its own, so it is complete.
    full = [texts.why, texts.how_to_fix, source]
    return {
        "id": check.code,
        "name": check.name,
        "shortDescription": {"text": texts.title},
        "fullDescription": {"text": texts.why},
        "help": {"text": "\n\n".join(full), "markdown": "\n\n".join([f"**{texts.title}**", *full])},
        **({} if page is None else {"helpUri": page}),
        "defaultConfiguration": {"level": _LEVELS[check.severities.in_set(DEFAULT) or Severity.INFO]},
        "properties": {"tags": [str(check.category)], "source": check.source},
    }


def _result(report: LintReport, finding: Finding, fingerprint: str | None, catalogue: Catalogue) -> dict[str, Any]:
    location = locate(report.file, finding)
    artifact = {"uri": _uri(report)}
    result: dict[str, Any] = {
        "ruleId": finding.check.code,
        "ruleIndex": _INDICES[finding.check.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": _escape(full_message(finding, catalogue))},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": artifact,
                    "region": {
                        "startLine": location.line,
                        "startColumn": location.column,
                        "endLine": location.end_line,
                        "endColumn": location.end_column,
                    },
                }
            }
        ],
    }
    if fingerprint is not None:
        result["partialFingerprints"] = {"canfetch/1": fingerprint}
    if finding.fix is not None and finding.fix.edits and report.file.robots.source_encoding == "utf-8":
        changed = finding.changed_profiles
        how_to_fix = finding.how_to_fix(catalogue)
        replacements = [_replacement(edit) for edit in finding.fix.edits]
        result["fixes"] = [
            {
                "description": {"text": f"{how_to_fix} ({describe_fix(finding, catalogue)})"},
                "artifactChanges": [{"artifactLocation": artifact, "replacements": replacements}],
                "properties": {
                    "safe": finding.has_safe_fix,
                    "changesVerdicts": changed != (),
                    **({} if changed is None else {"changedProfiles": list(changed)}),
                },
            }
        ]
    return result


def _replacement(edit: Edit) -> dict[str, Any]:
    replacement: dict[str, Any] = {
        "deletedRegion": {"byteOffset": edit.start, "byteLength": edit.end - edit.start},
    }
    if edit.replacement:
        replacement["insertedContent"] = {"text": edit.replacement.decode("utf-8", "replace")}
    return replacement


def _uri(report: LintReport) -> str:
    path = report.file.input.path
    if path is None:
        return quote(report.name, safe="/:?=&%~+,;@!$'()*")
    # Escape all characters of a path that have a meaning in URLs.
    return quote(os.fsencode(path.replace(os.sep, "/")), safe="/")


def _escape(text: str) -> str:
    # Section 3.11: double braces, and escape brackets that would form a link.
    text = printable(text).replace("{", "{{").replace("}", "}}")
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]") if "](" in text else text
