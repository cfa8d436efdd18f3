"""One round of fixing: which fixes are due, and the proof that they preserve the verdicts that they have to.

1. Fixes without `changes_verdicts` preserve every verdict in every profile. A fix that does not is not applied.
2. For a choice of profiles, all fixes are tried together, then those of each check, then halves. What remains preserves
   every verdict in these profiles together, not only one by one.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Final

from canfetch.core.equivalence import differing_profiles, have_equal_extensions
from canfetch.lint.analysis.content_kinds import file_is_wide
from canfetch.lint.analysis.unread_lines import unread_agent_lines
from canfetch.lint.check import Category, Check
from canfetch.lint.finding import Finding
from canfetch.lint.fix_effects import ExaminationBudget, FixEffect, FixEffects
from canfetch.lint.fixes import apply_fixes
from canfetch.lint.linted_file import LintedFile

if TYPE_CHECKING:
    from canfetch.lint.verdict_changes import VerdictChanges

_STAGES: Final = (0, 1, 2)
_GROUP_STAGE: Final = _STAGES[-1]
# A file is treated as binary if at least a quarter of these first bytes are NUL.
_HEAD_BYTES: Final = 256
# The bytes that are parsed and compared to choose the fixes of one file. Fixes that would need more are not applied.
_CHOICE_BYTES: Final = 32 << 20
# Comparing the rules of two versions takes as long as parsing them in this many profiles.
_COMPARISON_PROFILES: Final = 7
# The limits of one comparison, and of all of them. If the first is reached, fewer fixes are compared at a time.
_CHOICE_STEPS: Final = 200_000
_ALL_CHOICE_STEPS: Final = 1_000_000

# A fix that failed: the code of its check, and its lines with those before and after it.
FailedFix = tuple[str, bytes]


def can_rewrite(file: LintedFile, *, unsafe: bool) -> bool:
    """Return whether a file may be fixed.

    The fixed file is written as UTF-8, which changes how crawlers read a file in another encoding.

    Args: unsafe: Whether fixes may change verdicts.
    """
    head = file.content[:_HEAD_BYTES]
    if file_is_wide(file) or 4 * head.count(0) > len(head):
        return False
    return unsafe or file.robots.source_encoding == "utf-8"


def next_fixes(file: LintedFile, fixable: list[Finding]) -> list[Finding]:
    """Return the findings of the earliest stage that has any.

    Single lines are fixed before their interactions: a rule that looks like a duplicate may not be one after a line
    that crawlers ignore is repaired.
    """
    for stage in _STAGES:
        due = [finding for finding in fixable if _stage(finding.check) == stage]
        if due:
            return due if stage < _GROUP_STAGE or not unread_agent_lines(file) else []
    return []


def _stage(check: Check) -> int:
    if check.category is Category.GROUPS or check.removes_redundant_lines:
        return _GROUP_STAGE
    return 0 if check.category in (Category.FILE, Category.LINES) else 1


def identify_fix(file: LintedFile, finding: Finding) -> FailedFix:
    """Return a value that identifies a fix also after other lines have changed."""
    starts = file.line_starts
    first, last = max(finding.start.line - 2, 0), finding.end.line + 1
    end = starts[last] if last < len(starts) else len(file.content)
    return finding.check.code, file.content[starts[first] : end]


class FixTrials:
    """The fixes of one file that the next rounds do not try again, and the work that examining the others may take.

    Attributes:
        failed: The fixes that were tried and not applied.
        budget: The work that is left to examine fixes.
        unexamined: The fixes of the last round that were not examined because a limit was reached.
    """

    def __init__(self) -> None:
        self.failed: set[FailedFix] = set()
        self.budget = ExaminationBudget.of_all_rounds()
        self.unexamined = 0
        self._unsafe: set[FailedFix] = set()
        self._changed_since = False

    def untried(self, file: LintedFile, findings: Iterable[Finding]) -> list[Finding]:
        """Return the findings whose fixes were neither tried nor found to be unsafe."""
        if not self.failed and not self._unsafe:
            return list(findings)
        identities = ((one, identify_fix(file, one)) for one in findings)
        return [one for one, identity in identities if identity not in self.failed and identity not in self._unsafe]

    def select_safe(self, file: LintedFile, findings: Iterable[Finding]) -> list[Finding]:
        """Return the findings that have a safe fix. Fixes that are not safe are not examined in the next rounds."""
        safe: list[Finding] = []
        self.unexamined = 0
        for finding in findings:
            if finding.has_safe_fix:
                safe.append(finding)
            elif finding.fix is not None and file.compute_once(FixEffects).effect(finding.fix) is FixEffect.UNKNOWN:
                self.unexamined += 1
            else:
                self._unsafe.add(identify_fix(file, finding))
        return safe

    def note_change(self) -> None:
        """Note that a round changed the file, which may have made other fixes safe."""
        self._changed_since = bool(self._unsafe)

    def forget_unsafe(self) -> bool:
        """Let unsafe fixes be examined again if the file has changed since. Return whether it has."""
        changed, self._changed_since = self._changed_since and not self.budget.is_exhausted, False
        if changed:
            self._unsafe.clear()
        return changed


class FixChoice:
    """Chooses the fixes that preserve every verdict in some profiles.

    Args:
        profiles: The names of the profiles.
        keep_extensions: Whether the records that RFC 9309 does not define are preserved, too.
    Attributes: undecided: The fixes that were not chosen because a limit was reached.
    """

    def __init__(self, profiles: Iterable[str], *, keep_extensions: bool = False) -> None:
        self.profiles = tuple(profiles)
        self.undecided: set[FailedFix] = set()
        self._keep_extensions = keep_extensions
        self._bytes_left = _CHOICE_BYTES
        self._steps_left = _ALL_CHOICE_STEPS

    def choose(self, file: LintedFile, findings: list[Finding]) -> list[Finding]:
        """Return findings whose fixes can be applied together.

        Cost: O(log findings) comparisons for each fix that is not chosen, within the limit of bytes.
        """
        from canfetch.lint.verdict_changes import VerdictChanges  # noqa: PLC0415 - imports the comparison

        changes = VerdictChanges(file.input.content)
        chosen: list[Finding] = []
        by_check = sorted(findings, key=lambda finding: finding.check.code)
        pending = [by_check]
        while pending:
            some = pending.pop()
            before = changes.undecided
            if self._preserves(file, changes, chosen + some):
                chosen += some
            elif self.is_exhausted or (len(some) == 1 and changes.undecided > before):
                self.undecided.update(identify_fix(file, finding) for finding in some)
            elif len(some) == len(by_check) > 1 and some[0].check is not some[-1].check:
                pending += [list(same) for _, same in groupby(some, lambda finding: finding.check.code)]
            elif len(some) > 1:
                half = len(some) // 2
                pending += [some[half:], some[:half]]
        return chosen

    @property
    def is_exhausted(self) -> bool:
        """Whether a limit is reached, so that no more fixes are chosen."""
        return self._bytes_left < 0 or self._steps_left <= 0

    def _preserves(self, file: LintedFile, changes: "VerdictChanges", findings: list[Finding]) -> bool:
        self._bytes_left -= len(file.content) * (len(self.profiles) + _COMPARISON_PROFILES)
        if self.is_exhausted:
            return False
        content, _ = _with_fixes(file, findings)
        steps = changes.steps
        changed = changes.changed_profiles(content + file.robots.tail, self.profiles, steps=_CHOICE_STEPS)
        self._steps_left -= changes.steps - steps
        if changed:
            return False
        return not self._keep_extensions or have_equal_extensions(file.input.content, content + file.robots.tail)


def apply_chosen(
    file: LintedFile, fixable: list[Finding], choice: FixChoice, failed: set[FailedFix]
) -> tuple[bytes, list[Finding]]:
    """Apply the fixes of one round that a choice allows, and return the new content and the findings that were fixed.

    Args: failed: Receives the other fixes.
    """
    _, tried = _with_fixes(file, fixable)
    content, fixed = _with_fixes(file, choice.choose(file, tried))
    applied = set(fixed)
    failed.update(identify_fix(file, finding) for finding in tried if finding not in applied)
    return content + file.robots.tail, fixed


def apply_round(
    file: LintedFile, fixable: list[Finding], choice: FixChoice, failed: set[FailedFix]
) -> tuple[bytes, list[Finding]]:
    """Apply the fixes of one round, and return the new content and the findings that were fixed.

    Args:
        choice: Chooses among the fixes that declare to preserve verdicts, if together they do not.
        failed: Receives those that the choice excludes.
    """
    content, fixed = _with_fixes(file, fixable)
    safe = [finding for finding in fixed if finding.fix is not None and not finding.fix.changes_verdicts]
    safe_content, _ = _with_fixes(file, safe)
    # A shorter file moves bytes of the tail into the part that crawlers read.
    tail = file.robots.tail
    if not differing_profiles(file.content + tail, safe_content + tail):
        return content + tail, fixed
    return apply_chosen(file, safe, choice, failed)


def _with_fixes(file: LintedFile, findings: list[Finding]) -> tuple[bytes, list[Finding]]:
    content, applied = apply_fixes(file.content, [finding.fix for finding in findings if finding.fix is not None])
    return content, [finding for finding, was_applied in zip(findings, applied, strict=True) if was_applied]
