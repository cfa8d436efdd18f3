"""The profiles in which each fix of a file changes verdicts, within limits for all of its fixes."""

from typing import TYPE_CHECKING, Final

from canfetch.lint.fixes import Fix, apply_fixes
from canfetch.lint.verdict_changes import DEFAULT_STEPS, VerdictChanges

if TYPE_CHECKING:
    from canfetch.lint.linted_file import LintedFile

# The bytes that are parsed in each profile: a report shows many fixes of a small file, and few of a large one.
_BUDGET_BYTES: Final = 1 << 18
# The steps of all comparisons.
_BUDGET_STEPS: Final = 200_000


class FixEffects:
    """The effects of the fixes of one file, each computed once."""

    def __init__(self, file: "LintedFile") -> None:
        self._file = file
        self._changes = VerdictChanges(file.input.content)
        self._bytes_left = _BUDGET_BYTES
        self._known: dict[Fix, tuple[str, ...] | None] = {}

    def changed_profiles(self, fix: Fix) -> tuple[str, ...] | None:
        """Return the profiles in which a fix changes verdicts, or may change them. None if a limit is reached.

        Cost: A parse in each profile.
        """
        if fix not in self._known:
            self._known[fix] = self._compute(fix)
        return self._known[fix]

    def _compute(self, fix: Fix) -> tuple[str, ...] | None:
        file = self._file
        self._bytes_left -= len(file.content)
        if self._bytes_left < 0 or self._changes.steps > _BUDGET_STEPS:
            return None
        content, _ = apply_fixes(file.content, [fix])
        return self._changes.changed_profiles(content + file.robots.tail, steps=DEFAULT_STEPS)
