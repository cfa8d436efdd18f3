"""One run of the linter on a snapshot, and its findings as diagnostics."""

from collections.abc import Iterator
from itertools import count
from typing import Final, NamedTuple

from lsprotocol import types

from canfetch.lint import Finding, LintInput, LintReport, Severity
from canfetch.lint.formats.finding_parts import check_page, full_message, printable
from canfetch.lsp.client_features import ClientFeatures
from canfetch.lsp.editor_settings import DocumentSettings, EditorSettings, settings_for
from canfetch.lsp.open_document import Snapshot, Span
from canfetch.lsp.protocol_types import to_range
from canfetch.repository import DOCUMENTATION

SOURCE: Final = "canfetch"
_SEVERITIES: Final = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
# Checks for lines that crawlers no longer read.
_OBSOLETE: Final = frozenset(
    {
        "acap-obsolete",
        "content-usage-old-label",
        "host-obsolete",
        "noindex-not-read",
        "replaced-agent",
        "retired-agent",
        "robot-version-obsolete",
    }
)
# Checks for lines without effect, besides those whose fix removes redundant lines.
_WITHOUT_EFFECT: Final = frozenset({"unused-suppression"})
_MAX_RELATED: Final = 8
_NUMBERS: Final = count(1)


class Analysis(NamedTuple):
    """The result of linting a snapshot.

    Attributes:
        snapshot: The text.
        path: The document's path, or None if it is not a file.
        settings: The settings that were used.
        report: The linter's report.
        findings: The findings to show, each with its diagnostic.
        number: A number that no other analysis of this process has.
    """

    snapshot: Snapshot
    path: str | None
    settings: DocumentSettings
    report: LintReport
    findings: tuple[tuple[Finding, types.Diagnostic], ...]
    number: int

    @property
    def diagnostics(self) -> list[types.Diagnostic]:
        """The diagnostics, in line order."""
        return [diagnostic for _, diagnostic in self.findings]

    @property
    def is_editable(self) -> bool:
        """Whether the spans of the report are those of the document. Files in UTF-16 are transcoded."""
        return has_own_spans(self.report)

    @property
    def lint_input(self) -> LintInput:
        """The input of the linter."""
        return self.report.file.input


def has_own_spans(report: LintReport) -> bool:
    """Return whether the spans of a report are those of the document that was passed to the linter."""
    return report.file.robots.source_encoding == "utf-8"


def analyze(
    snapshot: Snapshot,
    path: str | None,
    editor: EditorSettings,
    client: ClientFeatures,
    documentation: str | None = DOCUMENTATION,
) -> Analysis:
    """Lint a snapshot.

    Args:
        snapshot: The text.
        path: The document's path, or None if it is not a file.
        editor: The settings of the editor.
        client: What the editor supports.
        documentation: The address of canfetch's documentation, whose pages of checks diagnostics link to.
    """
    settings = settings_for(path, editor)
    report = settings.linter.lint(LintInput(snapshot.content, path=path))
    conversion = _Conversion(snapshot, settings, client, documentation, has_own_spans(report))
    shown = [finding for finding in report.findings if finding.severity >= settings.show]
    findings = tuple((finding, conversion.diagnostic(finding)) for finding in shown)
    return Analysis(snapshot, path, settings, report, findings, next(_NUMBERS))


class _Conversion(NamedTuple):
    """Converts findings to diagnostics. `own_spans` is False if their spans are not those of the document."""

    snapshot: Snapshot
    settings: DocumentSettings
    client: ClientFeatures
    documentation: str | None
    own_spans: bool

    def diagnostic(self, finding: Finding) -> types.Diagnostic:
        """Return the diagnostic of a finding."""
        page = check_page(finding.check, self.documentation)
        related = list(self._related(finding)) if self.client.related_information and self.own_spans else []
        return types.Diagnostic(
            range=to_range(self._span(finding)),
            message=printable(full_message(finding, self.settings.catalogue)),
            severity=_SEVERITIES[finding.severity],
            code=finding.check.code,
            code_description=None if page is None or not self.client.code_description else types.CodeDescription(page),
            source=SOURCE,
            tags=list(self._tags(finding)) or None,
            related_information=related or None,
            data={"name": finding.check.name},
        )

    def _span(self, finding: Finding) -> Span:
        span = self.snapshot.span(*(finding.span if self.own_spans else (0, 0)))
        # Editors draw an empty range as nothing, or as one character. A whole line is easier to see.
        return self.snapshot.line_span(span.start.line) if span.start == span.end else span

    def _tags(self, finding: Finding) -> Iterator[types.DiagnosticTag]:
        check = finding.check
        if self.client.unnecessary and (check.removes_redundant_lines or check.name in _WITHOUT_EFFECT):
            yield types.DiagnosticTag.Unnecessary
        if self.client.deprecated and check.name in _OBSOLETE:
            yield types.DiagnosticTag.Deprecated

    def _related(self, finding: Finding) -> Iterator[types.DiagnosticRelatedInformation]:
        """Yield the other lines that a finding is about, and those that decide its proof."""
        lines = list(finding.query.lines) if finding.query is not None else []
        # Messages and advice about two lines name the other one.
        lines += [int(other)] if (other := finding.details.get("line", "")).isdecimal() else []
        lines += [verdict.line for verdict in finding.verdicts if verdict.line is not None]
        texts = self.snapshot.lines
        others = [line for line in dict.fromkeys(lines) if line != finding.line and 0 < line <= len(texts)]
        for line in sorted(others)[:_MAX_RELATED]:
            location = types.Location(self.snapshot.uri, to_range(self.snapshot.line_span(line - 1)))
            yield types.DiagnosticRelatedInformation(location, f"line {line}: {printable(texts[line - 1].strip())}")
