"""The linter: runs the enabled checks, assigns severities, and applies fixes in rounds."""

import os
from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fnmatch import fnmatchcase
from itertools import chain, compress, islice
from operator import methodcaller
from typing import Final, NamedTuple

from canfetch.core.choices import unknown_choice
from canfetch.core.content_formats import foreign_format
from canfetch.core.keys import NAMES
from canfetch.core.lists import check_list
from canfetch.core.notes import Note
from canfetch.core.profiles import PROFILES, get_profile
from canfetch.core.quoting import reading_hint
from canfetch.core.robots_recognition import refusal_to_rewrite
from canfetch.errors import InvalidOption
from canfetch.lint._tables import CHECK_TABLE, ENTRIES_BY_WORD
from canfetch.lint.analysis.named_engines import named_engines
from canfetch.lint.analysis.needs import NeedIndex
from canfetch.lint.check import AnyOccurrence, Check, CheckEntry, LineOccurrence
from canfetch.lint.finding import Finding
from canfetch.lint.fix_effects import FixEffects
from canfetch.lint.fix_rounds import (
    FixChoice,
    FixTrials,
    apply_chosen,
    apply_round,
    can_rewrite,
    identify_fix,
    next_fixes,
)
from canfetch.lint.fixes import apply_fixes
from canfetch.lint.lint_input import LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.proofs import FIX_BUDGET_BYTES
from canfetch.lint.report import LintReport
from canfetch.lint.severity import ALL, DEFAULT, LIGHTHOUSE, SEARCH_ENGINES, SEVERITY_SETS, Severity
from canfetch.lint.suppression import Suppression, find_suppressions

FINDINGS_LIMIT: Final = 1000
# It runs after all others, with what they suppressed.
_UNUSED_SUPPRESSION: Final = "CF902"
# A round applies the fixes that do not touch each other. All other fixes wait for the next round.
_MAX_ROUNDS: Final = 16
# The bytes that are linted in all rounds. A file of 500 KB has four rounds.
_ROUND_BYTES: Final = 2 << 20
_make: Final = methodcaller("make")
# The parts of `LintInput` that some checks require.
_CONTEXT: Final = tuple({check.requires for check in CHECK_TABLE if check.requires is not None})


class _Enabled(NamedTuple):
    """The checks that are enabled for a file.

    Attributes:
        checks: Those whose required context the file has, each with its severity, in the order in which they run.
        needs: The bits of what each of these needs.
        codes: The codes of all enabled checks.
        superseding: The codes of those that supersede another one.
    """

    checks: tuple[tuple[CheckEntry, Severity], ...]
    needs: tuple[int, ...]
    codes: frozenset[str]
    superseding: frozenset[str]

    @classmethod
    def of(
        cls, checks: Iterable[tuple[CheckEntry, Severity]], context: Collection[str], index: NeedIndex
    ) -> "_Enabled":
        """Return the checks with these severities.

        Args: context: The parts of `LintInput` that the file has.
        """
        enabled = tuple(checks)
        codes = frozenset(check.code for check, _ in enabled)
        superseding = codes.intersection(chain.from_iterable(check.superseded_by for check, _ in enabled))
        found = tuple([one for one in enabled if one[0].requires is None or one[0].requires in context])
        return cls(found, tuple([index.bits(check.needs) for check, _ in found]), codes, superseding)

    def that_may_find(self, present: int) -> list[tuple[CheckEntry, Severity]]:
        """Return the checks that may find anything in a file.

        Args: present: The bits of the needs that the file has.
        """
        return list(compress(self.checks, map(present.__and__, self.needs)))


class FixResult(NamedTuple):
    """The result of fixing a file.

    Attributes:
        content: The fixed file, in UTF-8.
        fixed: The findings that were fixed, round by round.
        report: The remaining findings. Its `undecided_fixes` counts the fixes that were not examined.
        refusal: Why the file cannot be fixed, such as that it is not a robots.txt; or None.
    """

    content: bytes
    fixed: tuple[Finding, ...]
    report: LintReport
    refusal: str | None = None


class Linter:
    """Lints robots.txt files. A linter is immutable and can be shared.

    Args:
        severities: Name of the severity set, one of `canfetch.lint.SEVERITY_SETS`.
        select: Names, codes or code prefixes (`CF2`) of the checks to run. Empty runs all checks of the set. Selected
            checks run in every file, even if the set `default` leaves them out.
        ignore: Checks not to run, in the same forms. `ignore` wins over `select`.
        severity_overrides: Severities that replace those of the set, by check name or code.
        ignore_in: Checks to ignore in files whose path matches an fnmatch pattern.
        folder: Absolute path of the folder that these patterns are relative to. None matches paths as given.
        findings_limit: Maximum number of findings of one check in one file. None is unlimited.
    Raises: InvalidOption: The severity set or a check is unknown, or the limit is below 1; TypeError: `select`,
        `ignore` or a value of `ignore_in` is a single name.
    """

    __slots__ = (
        "_enabled_in",
        "_findings_limit",
        "_folder",
        "_ignored_in",
        "_needs",
        "_overrides",
        "_selected",
        "_selects",
        "severities",
    )

    def __init__(
        self,
        *,
        severities: str = DEFAULT,
        select: Sequence[str] = (),
        ignore: Sequence[str] = (),
        severity_overrides: Mapping[str, Severity] | None = None,
        ignore_in: Mapping[str, Sequence[str]] | None = None,
        folder: str | None = None,
        findings_limit: int | None = FINDINGS_LIMIT,
    ) -> None:
        if severities not in SEVERITY_SETS:
            raise InvalidOption(unknown_choice("severity set", severities, SEVERITY_SETS))
        if findings_limit is not None and findings_limit < 1:
            raise InvalidOption(f"invalid findings_limit {findings_limit}: expected at least 1, or None for no limit")
        self.severities = severities
        selected = set(_resolve_codes(select)) if select else {check.code for check in CHECK_TABLE}
        selected -= set(_resolve_codes(ignore))
        self._overrides = {
            code: severity for word, severity in (severity_overrides or {}).items() for code in _resolve_codes([word])
        }
        self._selected = tuple(check for check in CHECK_TABLE if check.code in selected)
        self._needs = NeedIndex(chain.from_iterable(check.needs for check in self._selected))
        self._selects = bool(select)
        self._ignored_in = {pattern: frozenset(_resolve_codes(words)) for pattern, words in (ignore_in or {}).items()}
        self._folder = folder
        self._findings_limit = findings_limit
        # At most one for each set of search engines, context and set of ignored checks.
        self._enabled_in: dict[tuple[frozenset[str], frozenset[str], frozenset[str]], _Enabled] = {}

    @property
    def checks(self) -> tuple[Check, ...]:
        """The enabled checks, by code. With the set `default`, some run only in files that name a search engine."""
        enabled = (check.check for check in self._selected if self._severity(check, SEARCH_ENGINES) is not None)
        return tuple(sorted(enabled, key=lambda check: check.code))

    def _severity(self, check: CheckEntry, engines: Collection[str]) -> Severity | None:
        severity = self._overrides.get(check.code) or check.severities.in_set(self.severities, engines)
        if severity is None and self._selects and self.severities == DEFAULT:
            return check.severities.in_set(ALL)
        return severity

    def _enabled(self, engines: frozenset[str], file: LintInput) -> _Enabled:
        """Return the checks that run. Most files have the same ones."""
        context = frozenset([name for name in _CONTEXT if getattr(file, name)])
        ignored = self.ignored_codes(file.path)
        enabled = self._enabled_in.get((engines, context, ignored))
        if enabled is None:
            selected = (check for check in self._selected if check.code not in ignored)
            severities = ((check, self._severity(check, engines)) for check in selected)
            checks = ((check, severity) for check, severity in severities if severity)
            enabled = self._enabled_in[engines, context, ignored] = _Enabled.of(checks, context, self._needs)
        return enabled

    def lint(self, file: LintInput | bytes) -> LintReport:
        """Run the enabled checks on a file.

        Args: file: The file's bytes, or a `LintInput` with more context.
        Raises: TypeError: `file` is neither bytes nor a `LintInput`. No content raises.
        Cost: O(bytes) for each check. A few checks compare the rules of a group with each other.
        """
        return self._report(_as_lint_input(file), self._findings_limit)

    def _report(self, lint_input: LintInput, limit: int | None, trials: FixTrials | None = None) -> LintReport:
        file = LintedFile(lint_input)
        suppressions = _Suppressions(find_suppressions(file))
        is_fixable = foreign_format(file.input.content) is None and can_rewrite(file, unsafe=True)
        findings: list[Finding] = []
        suppressed: list[Finding] = []
        truncated: list[Check] = []

        def add(entry: CheckEntry, severity: Severity, occurrences: Iterator[AnyOccurrence]) -> None:
            check = entry.check
            # Lighthouse reports a line in every place, also where it does no harm.
            in_any_place = self._overrides.get(check.code) or (severity if self.severities == LIGHTHOUSE else None)
            harmless = in_any_place or Severity.INFO
            found: Iterator[Finding] = (
                Finding(
                    file,
                    check,
                    harmless if one.is_harmless() else severity,
                    one.span,
                    one.details,
                    one.make_query(),
                    one.make_fix() if is_fixable else None,
                )
                for one in map(_make, occurrences)
            )
            if check.code in suppressions.codes:
                hidden, found = suppressions.split(found)
                suppressed.extend(hidden)
            findings.extend(islice(found, limit))
            if limit is not None and next(found, None) is not None:
                truncated.append(check)
                # The lines of the others count too: they may explain findings of other checks.
                lines.read_later(entry, occurrences)

        engines = named_engines(file) if self.severities == DEFAULT else frozenset()
        enabled = self._enabled(engines, lint_input)
        lines = _ReportedLines(file, enabled.superseding)
        last: tuple[CheckEntry, Severity] | None = None
        for entry, severity in enabled.that_may_find(self._needs.find(file)):
            if entry.code == _UNUSED_SUPPRESSION:
                last = entry, severity
                continue
            occurrences = iter(entry.check.find(file))
            first = next(occurrences, None)
            # Most checks find nothing in most files.
            if first is not None:
                add(entry, severity, lines.without_superseded(entry, chain((first,), occurrences)))
        if last is not None:
            from canfetch.lint.checks.comments.unused_suppression import (  # noqa: PLC0415 - few files have suppressions
                unused_suppressions,
            )

            unused = unused_suppressions(file, suppressions.all, suppressions.used, enabled.codes)
            add(*last, unused)
        findings.sort(key=lambda finding: (finding.span, finding.check.code))
        if trials is None and is_fixable and _is_not_robots(file, findings):
            for finding in findings:
                finding.fix = None
        _examine_fixes(file, findings, trials)
        # Findings that are read later compute few of them again.
        file.forget_except(FixEffects)
        return LintReport(
            lint_input.name, tuple(findings), tuple(suppressed), tuple(check.name for check in truncated), file
        )

    def fix(
        self,
        file: LintInput | bytes,
        *,
        unsafe: bool = False,
        for_profiles: Sequence[str] = (),
        only: Sequence[str] = (),
    ) -> FixResult:
        """Fix the fixable findings.

        By default, those fixes are applied that are proved to preserve every verdict in every profile, and all other
        records. With `for_profiles`, all fixes are applied that together are proved to preserve every verdict in these
        profiles; they may change verdicts in the others. Fixes that fail the proof are not applied. A file that is not
        a robots.txt, such as a page, is not changed.

        The work has limits, which files with very many fixes reach. The report counts the fixes that were left
        for this reason. Fixing the file again may apply more of them.

        Args:
            file: The file's bytes, or a `LintInput` with more context.
            unsafe: Apply also the fixes that change what some crawlers may fetch.
            for_profiles: Names of the parsing profiles whose verdicts are preserved. Empty preserves those of all.
            only: Names, codes or code prefixes of the checks to fix. Empty fixes all of them.
        Raises: InvalidOption: A check is unknown, or `unsafe` and `for_profiles` are used together; UnknownProfile;
            TypeError: `file` is neither bytes nor a `LintInput`, or a list of names is a single name.
        Cost: At most 16 rounds of `lint`, each with a few parses in every profile, and the examination of fixes, which
            takes at most as much work as that of 8 files. A fix that was found to be unsafe is examined again only
            after its lines have changed, and once after the last round.
        """
        choice = _choice(for_profiles, unsafe=unsafe)
        chooser = choice or FixChoice(PROFILES, keep_extensions=True)
        original = lint_input = _as_lint_input(file)
        if foreign_format(original.content) is not None:
            return FixResult(original.content, (), self.lint(original), refusal_to_rewrite(original.content))
        if not can_rewrite(LintedFile(lint_input), unsafe=unsafe):
            return FixResult(lint_input.content, (), self.lint(lint_input))
        codes = frozenset(_resolve_codes(only)) if only else {check.code for check in CHECK_TABLE}
        fixed: list[Finding] = []
        trials = FixTrials()
        rounds_left = min(max(_ROUND_BYTES // max(len(original.content), 1), 1), _MAX_ROUNDS)
        report = self._report(lint_input, None, trials)
        while True:
            candidates = [
                finding for finding in report.findings if finding.fix is not None and finding.check.code in codes
            ]
            untried = trials.untried(report.file, candidates)
            if not unsafe and choice is None:
                untried = trials.select_safe(report.file, untried)
            fixable = next_fixes(report.file, untried)
            declared = [one for one in fixable if one.fix is not None and not one.fix.changes_verdicts]
            is_declared = choice is None and (unsafe or bool(declared))
            if not fixable and rounds_left and trials.forget_unsafe():
                report = self._report(lint_input, None, trials)
                continue
            if not fixable or not rounds_left or (chooser.is_exhausted and not is_declared):
                break
            if is_declared:
                content, round_fixed = apply_round(report.file, fixable if unsafe else declared, chooser, trials.failed)
            else:
                content, round_fixed = apply_chosen(report.file, fixable, chooser, trials.failed)
            fixed += round_fixed
            rounds_left -= 1
            if content != lint_input.content:
                lint_input = lint_input._replace(content=content)
                trials.note_change()
                report = self._report(lint_input, None, trials)
        undecided = len(untried) if fixable else 0
        undecided += sum(identify_fix(report.file, one) in chooser.undecided for one in candidates)
        undecided += trials.unexamined if trials.budget.is_exhausted else 0
        # Some fixes repair keys, so the fixed file can have records where the original has none.
        refusal = refusal_to_rewrite(original.content, lint_input.content) if fixed else None
        if refusal is not None:
            return FixResult(original.content, (), self.lint(original), refusal)
        report = self.lint(lint_input)._replace(undecided_fixes=undecided)
        return FixResult(lint_input.content, tuple(fixed), report)

    def ignored_codes(self, path: str | None) -> frozenset[str]:
        """Return the codes of the checks that `ignore_in` ignores in a file with this path."""
        if path is None or not self._ignored_in:
            return frozenset()
        if self._folder is not None:
            path = os.path.relpath(path, self._folder).replace(os.sep, "/")
        matching = (codes for pattern, codes in self._ignored_in.items() if fnmatchcase(path, pattern))
        return frozenset().union(*matching)


def _choice(profiles: Sequence[str], *, unsafe: bool) -> FixChoice | None:
    check_list("for_profiles", profiles)
    if profiles and unsafe:
        raise InvalidOption("unsafe and for_profiles cannot be used together")
    return FixChoice(get_profile(name).name for name in dict.fromkeys(profiles)) if profiles else None


def _is_not_robots(file: LintedFile, findings: list[Finding]) -> bool:
    """Return whether a file is not a robots.txt, even with all fixes."""
    unknown = sum(len(file.records.with_note(note)) for note in (Note.NOT_A_RECORD, Note.UNKNOWN_KEY))
    if unknown <= 2 * len(file.records.of_kinds(*NAMES)):
        return False
    fixed, _ = apply_fixes(file.content, [finding.fix for finding in findings if finding.fix is not None])
    return refusal_to_rewrite(file.input.content, fixed) is not None


def _examine_fixes(file: LintedFile, findings: list[Finding], trials: FixTrials | None) -> None:
    """Let the fixes of the most severe findings be examined first, as far as the budgets of parsed bytes allow."""
    # Sorting is stable: findings of the same severity stay in line order.
    by_severity = sorted(findings, key=lambda finding: -finding.severity)
    untried = by_severity if trials is None else trials.untried(file, by_severity)
    file.compute_once(FixEffects).examine_in_order(
        (finding.fix for finding in untried if finding.fix is not None and finding.fix.changes_verdicts),
        None if trials is None else trials.budget,
    )
    fixable = [one for one in by_severity if one.query is not None and one.fix is not None and one.fix.changes_verdicts]
    for finding in fixable[: max(FIX_BUDGET_BYTES // max(len(file.content), 1), 1)]:
        finding.examines_fix = True


def unknown_check(word: str) -> str:
    """Return the message for a word that is neither the name nor the code of a check."""
    return unknown_choice("check", word, ENTRIES_BY_WORD, listed_by="canfetch lint --list-checks")


def _resolve_codes(words: Sequence[str]) -> Iterator[str]:
    check_list("checks", words)
    for word in words:
        exact = ENTRIES_BY_WORD.get(word)
        if exact is not None:
            yield exact.code
            continue
        codes = [check.code for check in CHECK_TABLE if word.startswith("CF") and check.code.startswith(word)]
        if not codes:
            raise InvalidOption(unknown_check(word))
        yield from codes


class _Suppressions:
    """The suppression comments of a file, and which of their names suppressed a finding."""

    def __init__(self, suppressions: tuple[Suppression, ...]) -> None:
        self.all = suppressions
        self.used: set[tuple[int, str]] = set()
        self.codes: set[str] = set()
        self._in_file: dict[str, list[tuple[int, str]]] = {}
        self._on_line: dict[tuple[int, str], list[tuple[int, str]]] = {}
        for suppression in suppressions:
            for name, span in suppression.names if suppression.is_valid else ():
                check = ENTRIES_BY_WORD.get(name)
                if check is None:
                    continue
                self.codes.add(check.code)
                if suppression.last_line is None:
                    self._in_file.setdefault(check.code, []).append((span[0], name))
                for line in suppression.lines:
                    self._on_line.setdefault((line, check.code), []).append((span[0], name))

    def split(self, findings: Iterable[Finding]) -> tuple[list[Finding], Iterator[Finding]]:
        """Split findings into the suppressed ones and the others."""
        suppressed: list[Finding] = []
        others: list[Finding] = []
        for finding in findings:
            code = finding.check.code
            by = self._in_file.get(code, []) + self._on_line.get((finding.line, code), [])
            self.used.update(by)
            (suppressed if by else others).append(finding)
        return suppressed, iter(others)


def _union_of_lines(sets: list[set[int]]) -> AbstractSet[int]:
    return sets[0] if len(sets) == 1 else frozenset().union(*sets)


class _ReportedLines:
    """The lines that the findings of superseding checks are about.

    Args:
        file: The file.
        superseding: The codes of the checks that run and supersede another one that runs.
    """

    def __init__(self, file: LintedFile, superseding: Collection[str]) -> None:
        self._file = file
        self._superseding = superseding
        self._lines: dict[str, set[int]] = {}
        self._unread: dict[str, Iterator[AnyOccurrence]] = {}

    def without_superseded(self, check: CheckEntry, occurrences: Iterable[AnyOccurrence]) -> Iterator[AnyOccurrence]:
        """Yield the occurrences that no finding of another check explains, and note their lines.

        The checks that supersede this one must have run before, and their remaining occurrences must have been passed
        to `read_later`.
        """
        superseding = [code for code in check.superseded_by if code in self._lines]
        own = self._lines.setdefault(check.code, set()) if check.code in self._superseding else None
        explained: AbstractSet[int] | None = None
        for one in occurrences:
            if explained is None:
                explained = _union_of_lines([lines for code in superseding if (lines := self._complete_lines(code))])
            if isinstance(one, LineOccurrence):
                if one.line in explained:
                    continue
                if own is not None:
                    own.add(one.line)
            elif own is not None or explained:
                first = self._line(one.span[0])
                if first in explained or not explained.isdisjoint(one.lines):
                    continue
                if own is not None:
                    own.update(range(first, self._line(max(one.span[0], one.span[1] - 1)) + 1), one.lines)
            yield one

    def read_later(self, check: CheckEntry, occurrences: Iterator[AnyOccurrence]) -> None:
        """Read the remaining occurrences of a check when a check that it supersedes finds something."""
        if check.code in self._superseding:
            self._unread[check.code] = occurrences

    def _complete_lines(self, code: str) -> set[int]:
        unread = self._unread.pop(code, None)
        if unread is not None:
            deque(unread, maxlen=0)
        return self._lines[code]

    def _line(self, offset: int) -> int:
        return max(bisect_right(self._file.line_starts, offset), 1)


def _as_lint_input(file: object) -> LintInput:
    content: object = file.content if isinstance(file, LintInput) else file
    if isinstance(content, bytes):
        return file if isinstance(file, LintInput) else LintInput(content)
    expected = "content must be bytes" if isinstance(file, LintInput) else "file must be bytes or a LintInput"
    hint = ": pass text.encode()" if isinstance(content, str) else reading_hint(content)
    raise TypeError(f"{expected}, not {type(content).__name__}{hint}")
