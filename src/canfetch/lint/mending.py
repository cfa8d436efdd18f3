"""One round of mending: whose turn it is, and the proof that what claims to keep verdicts keeps them."""

from typing import Final

from canfetch.core.equivalence import differing_profiles
from canfetch.lint.analysis.content_kinds import file_is_wide
from canfetch.lint.analysis.unread_agents import unread_agent_lines
from canfetch.lint.check import Check, Subject
from canfetch.lint.finding import Finding
from canfetch.lint.fixing import applied
from canfetch.lint.linted_file import LintedFile

# Checks whose fixes take rules or records away, since others say the same.
_REMOVING: Final = frozenset(
    {"duplicate-rule", "covered-rule", "allow-empty", "disallow-empty-among-rules", "robots-txt-disallowed"}
    | {"sitemap-repeated"}
)
_TURNS: Final = (0, 1, 2)
_TOGETHER: Final = _TURNS[-1]
# What is a quarter of NULs there is no text.
_BEGINNING: Final = 256


def can_be_written(file: LintedFile, *, unsafe: bool) -> bool:
    """Say whether a file may be mended: what is written is UTF-8, which other crawlers read than what it was.

    Args: unsafe: whether fixes may change verdicts.
    """
    beginning = file.octets[:_BEGINNING]
    if file_is_wide(file) or 4 * beginning.count(0) > len(beginning):
        return False
    return unsafe or file.robots.source_encoding == "utf-8"


def next_to_mend(file: LintedFile, fixable: list[Finding]) -> list[Finding]:
    """Give those fixes whose turn it is: what lines are is mended before what they do together.

    A rule that seems to be said twice may not be, once a line is read that was not.
    """
    for turn in _TURNS:
        first = [finding for finding in fixable if _turn_of(finding.check) == turn]
        if first:
            return first if turn < _TOGETHER or not unread_agent_lines(file) else []
    return []


def _turn_of(check: Check) -> int:
    if check.subject is Subject.GROUPS or check.name in _REMOVING:
        return _TOGETHER
    return 0 if check.subject in (Subject.FILE, Subject.LINES) else 1


def mended(file: LintedFile, fixable: list[Finding], barred: set[tuple[str, bytes]]) -> tuple[bytes, list[Finding]]:
    """Make the fixes of one round; give the file, and the findings that were mended.

    Args: barred: takes the fixes that do not hold what they say, and were not made.
    """
    octets, done = _with_fixes(file, fixable)
    claimed = [finding for finding in done if finding.fix is not None and not finding.fix.changes_verdicts]
    safe_octets, done_safely = _with_fixes(file, claimed)
    if not differing_profiles(file.octets, safe_octets):
        return octets + file.robots.tail, done
    # Something does not hold what it claims here: each is proved alone, and those that fail are barred.
    for finding in done_safely:
        alone, _ = _with_fixes(file, [finding])
        if differing_profiles(file.octets, alone):
            barred.add((finding.check.code, finding.quoted))
    return file.octets + file.robots.tail, []


def _with_fixes(file: LintedFile, findings: list[Finding]) -> tuple[bytes, list[Finding]]:
    octets, made = applied(file.octets, [finding.fix for finding in findings if finding.fix is not None])
    return octets, [finding for finding, was in zip(findings, made, strict=True) if was]
