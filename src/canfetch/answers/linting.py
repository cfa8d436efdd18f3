"""The linter: findings, fixes and the formatter."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, Final, NamedTuple

from canfetch.access.entries import CacheEntry
from canfetch.author.formatting import FormatResult, format_robots
from canfetch.core.origin import parse_robots_url
from canfetch.core.text import content_json
from canfetch.errors import InvalidOption
from canfetch.lint.catalogue import Catalogue, load_catalogue
from canfetch.lint.finding import Finding, edit_json
from canfetch.lint.fixes import Edit, Fix, apply_fixes
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linter import FixResult, Linter
from canfetch.lint.report import LintReport
from canfetch.lint.severity import DEFAULT
from canfetch.lint.verdict_changes import VerdictChanges

FIX_SCHEMA: Final = "canfetch.fix/1"
# Of a front end that limits the time of a request: the rounds of fixes parse a file dozens of times.
MAX_FIXED_BYTES: Final = 128 * 1024
FORMAT_SCHEMA: Final = "canfetch.format/1"
# More lines than this are replaced as one block, because a comparison takes quadratic time.
_MAX_COMPARED_LINES: Final = 1000


class LintRequest(NamedTuple):
    """A file, and how it is linted.

    Attributes:
        content: The bytes of the file.
        robots_url: The URL at which the file is published, or None.
        language: The language of messages.
        severities: Name of the severity set.
        select, ignore: Names, codes or code prefixes of checks.
        delivery: The cache entry that results from fetching the file, or None.
    """

    content: bytes
    robots_url: str | None = None
    language: str = "en"
    severities: str = DEFAULT
    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    delivery: CacheEntry | None = None

    def linter(self) -> Linter:
        """Return the linter.

        Raises: InvalidOption.
        """
        return Linter(severities=self.severities, select=self.select, ignore=self.ignore)

    def lint_input(self) -> LintInput:
        """Return the input of the linter.

        Raises: InvalidRobotsURL.
        """
        if self.robots_url is not None:
            parse_robots_url(self.robots_url)
        return LintInput(self.content, url=self.robots_url, delivery=self.delivery)

    def catalogue(self) -> Catalogue:
        """Return the texts of the language.

        Raises: InvalidOption.
        """
        return load_catalogue(self.language)


class ChosenFix(NamedTuple):
    """The finding whose fix is applied: its check, and the span of its bytes in the file."""

    code: str
    span: tuple[int, int]


class LintedFile(NamedTuple):
    """The report of a file, and the language of its messages."""

    report: LintReport
    catalogue: Catalogue

    def to_json(self) -> dict[str, Any]:
        """Return the report in the form of `canfetch lint --format json`."""
        return self.report.to_json(self.catalogue)


class FixedFile(NamedTuple):
    """A file before and after fixes, and the language of messages."""

    old: bytes
    result: FixResult
    catalogue: Catalogue

    @property
    def changed_profiles(self) -> tuple[str, ...]:
        """The profiles in which a verdict changes, or may change.

        Cost: A parse of both files in each profile.
        """
        return tuple(VerdictChanges(self.old).changed_profiles(self.result.content))

    def to_json(self) -> dict[str, Any]:
        """Return the file, the fixes, and the report of what remains as JSON."""
        old, new = self.old, self.result.content
        return {
            "schema": FIX_SCHEMA,
            **content_json(new),
            "changed": new != old,
            "changed_profiles": list(self.changed_profiles) if new != old else [],
            "edits": _edits_json(old, new),
            "fixed": [finding.to_json(self.catalogue) for finding in self.result.fixed],
            "refusal": self.result.refusal,
            "report": self.result.report.to_json(self.catalogue),
        }


class FormattedFile(NamedTuple):
    """A file before and after it was formatted."""

    old: bytes
    result: FormatResult

    def to_json(self) -> dict[str, Any]:
        """Return the file as JSON. `skipped` lists kinds of changes that would alter verdicts."""
        old, new = self.old, self.result.content
        return {
            "schema": FORMAT_SCHEMA,
            **content_json(new),
            "changed": new != old,
            "edits": _edits_json(old, new),
            "refusal": self.result.refusal,
            "skipped": list(self.result.skipped),
        }


def lint_file(request: LintRequest) -> LintedFile:
    """Lint a file.

    Raises: InvalidOption, InvalidRobotsURL.
    """
    catalogue = request.catalogue()
    return LintedFile(request.linter().lint(request.lint_input()), catalogue)


def fix_file(
    request: LintRequest, *, unsafe: bool = False, for_profiles: Sequence[str] = (), only: Sequence[str] = ()
) -> FixedFile:
    """Fix a file in rounds, as `canfetch lint --fix` does.

    Args: unsafe, for_profiles, only: As for `Linter.fix`.
    Raises: InvalidOption, InvalidRobotsURL, UnknownProfile.
    """
    catalogue = request.catalogue()
    result = request.linter().fix(request.lint_input(), unsafe=unsafe, for_profiles=for_profiles, only=only)
    return FixedFile(request.content, result, catalogue)


def apply_chosen_fixes(request: LintRequest, chosen: Sequence[ChosenFix]) -> FixedFile:
    """Apply the fixes of chosen findings, even those that change verdicts. Fixes that touch an earlier one are skipped.

    Raises: InvalidOption: A finding does not exist, or has no fix; InvalidRobotsURL.
    """
    catalogue, linter = request.catalogue(), request.linter()
    report = linter.lint(request.lint_input())
    by_place = {(finding.check.code, finding.span): finding for finding in report.findings}
    findings: list[Finding] = []
    fixes: list[Fix] = []
    for code, span in dict.fromkeys(chosen):
        finding = by_place.get((code, span))
        if finding is None:
            raise InvalidOption(f"no finding {code} at the bytes {span[0]} to {span[1]}: lint the file again")
        if finding.fix is None:
            raise InvalidOption(f"the finding {code} on line {finding.line} has no fix")
        findings.append(finding)
        fixes.append(finding.fix)
    content, applied = apply_fixes(report.file.content, fixes)
    content += report.file.robots.tail
    fixed = tuple(finding for finding, was_applied in zip(findings, applied, strict=True) if was_applied)
    new_report = linter.lint(request._replace(content=content).lint_input())
    return FixedFile(request.content, FixResult(content, fixed, new_report), catalogue)


def format_content(content: bytes) -> FormattedFile:
    """Format a file, as `canfetch fmt` does."""
    return FormattedFile(content, format_robots(content))


def _edits_json(old: bytes, new: bytes) -> list[dict[str, Any]]:
    """Return the edits that turn one content into another, line by line. Spans are byte offsets into the old content.

    Cost: O(bytes), and O(lines squared) for up to a thousand lines that differ.
    """
    return [edit_json(Edit(start, end, replacement)) for start, end, replacement in _edits(old, new)]


def _edits(old: bytes, new: bytes) -> Iterator[tuple[int, int, bytes]]:
    old_lines, new_lines = old.splitlines(keepends=True), new.splitlines(keepends=True)
    limit = min(len(old_lines), len(new_lines))
    head = next((index for index in range(limit) if old_lines[index] != new_lines[index]), limit)
    limit -= head
    tail = next((index for index in range(limit) if old_lines[-1 - index] != new_lines[-1 - index]), limit)
    middle_old, middle_new = old_lines[head : len(old_lines) - tail], new_lines[head : len(new_lines) - tail]
    offsets = [sum(map(len, old_lines[:head]))]
    for line in middle_old:
        offsets.append(offsets[-1] + len(line))
    if max(len(middle_old), len(middle_new)) > _MAX_COMPARED_LINES:
        yield offsets[0], offsets[-1], b"".join(middle_new)
        return
    for tag, start, end, new_start, new_end in SequenceMatcher(
        a=middle_old, b=middle_new, autojunk=False
    ).get_opcodes():
        if tag != "equal":
            yield offsets[start], offsets[end], b"".join(middle_new[new_start:new_end])
