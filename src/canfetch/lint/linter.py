"""The linter: which checks are asked, how bad what they find is, and the rounds of mending."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final, NamedTuple

from canfetch.core.choices import unknown_choice
from canfetch.errors import InvalidOption
from canfetch.lint.check import Check, Found
from canfetch.lint.checks import CHECKS, CHECKS_BY_WORD
from canfetch.lint.checks.comments.unused_suppression import CHECK as UNUSED_SUPPRESSION
from canfetch.lint.checks.comments.unused_suppression import unused_suppressions
from canfetch.lint.finding import Finding
from canfetch.lint.given import Given
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.mending import can_be_written, mended, next_to_mend
from canfetch.lint.report import LintReport
from canfetch.lint.severity import ALL, SEVERITY_SETS, Severity
from canfetch.lint.suppression import Suppression, suppressions_of

FINDINGS_LIMIT: Final = 1000
# A round mends what does not touch; what is left over is for the next.
_MOST_ROUNDS: Final = 64


class FixResult(NamedTuple):
    """A file, mended.

    Attributes:
        content: the file, in UTF-8.
        made: the findings that were mended, round by round.
        report: what is left.
    """

    content: bytes
    made: tuple[Finding, ...]
    report: LintReport


class Linter:
    """Looks for what is wrong, odd or not read alike in a robots.txt; it never changes, and keeps nothing.

    Args:
        profile: a profile of severity, one of `canfetch.lint.SEVERITY_SETS`.
        select: names, codes or beginnings of codes (`CF2`) of the checks to ask; empty for all.
        ignore: the same, of those not to ask; it wins.
        severities: other severities than the profile's, by name or code.
        ignore_in: what not to ask of files whose path matches a pattern of fnmatch.
        folder: the folder of which these paths are, an absolute path; None compares paths as they are given.
        findings_limit: how much of one check is reported of one file; None for all.
    Raises: InvalidOption: there is no such profile or check.
    """

    __slots__ = ("_asked", "_findings_limit", "_folder", "_ignored_in", "profile")

    def __init__(
        self,
        *,
        profile: str = ALL,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        severities: Mapping[str, Severity] | None = None,
        ignore_in: Mapping[str, Sequence[str]] | None = None,
        folder: str | None = None,
        findings_limit: int | None = FINDINGS_LIMIT,
    ) -> None:
        if profile not in SEVERITY_SETS:
            raise InvalidOption(unknown_choice("lint profile", profile, SEVERITY_SETS))
        if findings_limit is not None and findings_limit < 1:
            raise InvalidOption(f"findings_limit is {findings_limit}; give 1 or more, or None for all")
        self.profile = profile
        wanted = set(_checks_of(select)) if select else {check.code for check in CHECKS}
        wanted -= set(_checks_of(ignore))
        other = {code: severity for word, severity in (severities or {}).items() for code in _checks_of([word])}
        asked: list[tuple[Check, Severity]] = []
        for check in CHECKS:
            severity = other.get(check.code) or check.severities.in_profile(profile)
            if check.code in wanted and severity is not None:
                asked.append((check, severity))
        self._asked = tuple(asked)
        self._ignored_in = {pattern: frozenset(_checks_of(words)) for pattern, words in (ignore_in or {}).items()}
        self._folder = folder
        self._findings_limit = findings_limit

    @property
    def checks(self) -> tuple[Check, ...]:
        """The checks that are asked."""
        return tuple(check for check, _ in self._asked)

    def lint(self, given: Given | bytes) -> LintReport:
        """Look at a file.

        Args: given: its octets, or these with what else is known.
        Raises: nothing, whatever the file is.
        Cost: O(octets) for each check, and O(octets of rules times rules) of a group at worst for few.
        """
        return self._report(Given(given) if isinstance(given, bytes) else given, self._findings_limit)

    def _report(self, given: Given, limit: int | None) -> LintReport:
        file = LintedFile(given)
        comments = _Comments(suppressions_of(file.octets, file.records))
        ignored = self._ignored(given.path)
        kept: list[Finding] = []
        suppressed: list[Finding] = []
        cut: list[Check] = []
        for check, severity in self._asked:
            if check.code in ignored or check is UNUSED_SUPPRESSION:
                continue
            found: Iterator[Finding] = (_finding(file, check, severity, place) for place in check.find(file))
            if check.code in comments.codes:
                allowed, found = comments.parted(found)
                suppressed += allowed
            _keep(check, found, limit, kept, cut)
        of_unused = next((severity for check, severity in self._asked if check is UNUSED_SUPPRESSION), None)
        if of_unused is not None and UNUSED_SUPPRESSION.code not in ignored:
            asked = {check.code for check, _ in self._asked} - ignored
            places = unused_suppressions(file, comments.all, comments.used, asked)
            unused: Iterator[Finding] = (_finding(file, UNUSED_SUPPRESSION, of_unused, place) for place in places)
            allowed, unused = comments.parted(unused)
            suppressed += allowed
            _keep(UNUSED_SUPPRESSION, unused, limit, kept, cut)
        kept.sort(key=lambda finding: (finding.span, finding.check.code))
        name = given.path or given.url or "robots.txt"
        return LintReport(name, tuple(kept), tuple(suppressed), tuple(check.name for check in cut), file)

    def fix(self, given: Given | bytes, *, unsafe: bool = False, only: Sequence[str] = ()) -> FixResult:
        """Mend what can be mended.

        Fixes that do not say that they change verdicts are proved together, in every profile; those that do not hold
        are left out.

        Args:
            given: a file, or its octets with what else is known.
            unsafe: also make fixes that change what some crawler may fetch.
            only: names, codes or beginnings of codes of the checks whose findings are mended; empty for all.
        Raises: InvalidOption: there is no such check.
        Cost: some rounds of `lint`, and as parsing in every profile.
        """
        if isinstance(given, bytes):
            given = Given(given)
        if not can_be_written(LintedFile(given), unsafe=unsafe):
            return FixResult(given.content, (), self.lint(given))
        mending = frozenset(_checks_of(only)) if only else {check.code for check in CHECKS}
        made: list[Finding] = []
        barred: set[tuple[str, bytes]] = set()
        for _ in range(_MOST_ROUNDS):
            report = self._report(given, None)
            fixable = [
                finding
                for finding in report.findings
                if finding.fix is not None
                and finding.check.code in mending
                and (unsafe or not finding.fix.changes_verdicts)
                and (finding.check.code, finding.quoted) not in barred
            ]
            fixable = next_to_mend(report.file, fixable)
            if not fixable:
                break
            octets, done = mended(report.file, fixable, barred)
            if octets == given.content and not done:
                continue
            made += done
            given = given._replace(content=octets)
        return FixResult(given.content, tuple(made), self.lint(given))

    def _ignored(self, path: str | None) -> frozenset[str]:
        if path is None or not self._ignored_in:
            return frozenset()
        if self._folder is not None:
            path = os.path.relpath(path, self._folder).replace(os.sep, "/")
        matching = (codes for pattern, codes in self._ignored_in.items() if fnmatchcase(path, pattern))
        return frozenset().union(*matching)


def _keep(check: Check, found: Iterator[Finding], limit: int | None, kept: list[Finding], cut: list[Check]) -> None:
    kept += islice(found, limit)
    if limit is not None and next(found, None) is not None:
        cut.append(check)


def _finding(file: LintedFile, check: Check, severity: Severity, place: Found) -> Finding:
    return Finding(file, check, severity, place.span, place.details, place.probe, place.fix)


def unknown_check(word: str) -> str:
    """Return the message for a word that is neither the name nor the code of a check."""
    return unknown_choice("check", word, CHECKS_BY_WORD, listed_by="canfetch lint --list-checks")


def _checks_of(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        exact = CHECKS_BY_WORD.get(word)
        if exact is not None:
            yield exact.code
            continue
        begun = [check.code for check in CHECKS if word.startswith("CF") and check.code.startswith(word)]
        if not begun:
            raise InvalidOption(unknown_check(word))
        yield from begun


class _Comments:
    """The comments of a file: which findings they allow, and which of them were of use."""

    def __init__(self, suppressions: tuple[Suppression, ...]) -> None:
        self.all = suppressions
        self.used: set[tuple[int, str]] = set()
        self._in_file: dict[str, list[tuple[int, str]]] = {}
        self._on_line: dict[tuple[int, str], list[tuple[int, str]]] = {}
        self.codes: set[str] = set()
        for suppression in suppressions:
            for name, span in suppression.names if suppression.is_understood else ():
                check = CHECKS_BY_WORD.get(name)
                if check is None:
                    continue
                self.codes.add(check.code)
                if suppression.last_line is None:
                    self._in_file.setdefault(check.code, []).append((span[0], name))
                for line in suppression.lines:
                    self._on_line.setdefault((line, check.code), []).append((span[0], name))

    def parted(self, found: Iterable[Finding]) -> tuple[list[Finding], Iterator[Finding]]:
        """Part findings into those that comments allow, and the others."""
        allowed: list[Finding] = []
        others: list[Finding] = []
        for finding in found:
            code = finding.check.code
            by = self._in_file.get(code, []) + self._on_line.get((finding.line, code), [])
            self.used.update(by)
            (allowed if by else others).append(finding)
        return allowed, iter(others)
