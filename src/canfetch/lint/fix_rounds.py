"""One round of fixing: which fixes are due, and the proof that fixes without `changes_verdicts` preserve verdicts."""

from typing import Final

from canfetch.core.equivalence import differing_profiles
from canfetch.lint.analysis.content_kinds import file_is_wide
from canfetch.lint.analysis.unread_agents import unread_agent_lines
from canfetch.lint.check import Category, Check
from canfetch.lint.finding import Finding
from canfetch.lint.fixes import apply_fixes
from canfetch.lint.linted_file import LintedFile

_STAGES: Final = (0, 1, 2)
_GROUP_STAGE: Final = _STAGES[-1]
# A file is treated as binary if at least a quarter of these first bytes are NUL.
_HEAD_BYTES: Final = 256


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


def apply_round(
    file: LintedFile, fixable: list[Finding], failed: set[tuple[str, bytes]]
) -> tuple[bytes, list[Finding]]:
    """Apply the fixes of one round, and return the new content and the findings that were fixed.

    Args: failed: Receives the fixes that change verdicts without declaring it. They are not applied.
    """
    content, fixed = _with_fixes(file, fixable)
    safe = [finding for finding in fixed if finding.fix is not None and not finding.fix.changes_verdicts]
    safe_content, safe_fixed = _with_fixes(file, safe)
    if not differing_profiles(file.content, safe_content):
        return content + file.robots.tail, fixed
    # Some fix changes a verdict without declaring it: try each one alone, and exclude those that fail.
    for finding in safe_fixed:
        alone, _ = _with_fixes(file, [finding])
        if differing_profiles(file.content, alone):
            failed.add((finding.check.code, finding.quoted))
    return file.content + file.robots.tail, []


def _with_fixes(file: LintedFile, findings: list[Finding]) -> tuple[bytes, list[Finding]]:
    content, applied = apply_fixes(file.content, [finding.fix for finding in findings if finding.fix is not None])
    return content, [finding for finding, was_applied in zip(findings, applied, strict=True) if was_applied]
