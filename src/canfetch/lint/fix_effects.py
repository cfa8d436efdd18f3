"""What the fixes of a file change, within limits for all of them.

1. The fixes are examined in a fixed order. So a report in another format, or with fewer findings, has the same answers.
2. Most fixes change a verdict in some profile. The search for one ends at the first.
3. What is not examined, or not decided, counts as a change.
"""

import weakref
from collections import deque
from collections.abc import Iterable
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Final

from canfetch.core.equivalence import extensions_key
from canfetch.core.keys import RecordKind
from canfetch.core.profiles import PROFILES
from canfetch.core.records import Records
from canfetch.lint.fixes import Fix, apply_fixes

if TYPE_CHECKING:
    from canfetch.lint.linted_file import LintedFile
    from canfetch.lint.verdict_changes import VerdictChanges

# The bytes that are parsed in each profile: a report shows many fixes of a small file, and few of a large one.
_BUDGET_BYTES: Final = 1 << 18
# The steps of all comparisons that look for a change. Each report needs them, so they have to be fast.
_SEARCH_STEPS: Final = 50_000
# Fixing a file in rounds takes as much work as examining the fixes of this many files.
_FULL_ROUNDS: Final = 8
# The steps of all comparisons that list the changed profiles.
_LIST_STEPS: Final = 200_000
# Profiles that use the first match and compare rules as written come first, because most fixes change them.
_PROFILE_ORDER: Final = tuple(sorted(PROFILES, key=lambda name: not PROFILES[name].first_match))
_RULE_KINDS: Final = (RecordKind.USER_AGENT, RecordKind.ALLOW, RecordKind.DISALLOW)


class FixEffect(Enum):
    """What a fix changes."""

    NONE = "none"
    EXTENSIONS = "extensions"  # records beyond RFC 9309, such as a sitemap, but no verdict
    VERDICTS = "verdicts"
    UNKNOWN = "unknown"  # a limit is reached


class ExaminationBudget:
    """The work that is left to examine fixes.

    Attributes:
        bytes_left: The bytes that are parsed in each profile.
        steps_left: The steps of comparisons.
    """

    __slots__ = ("bytes_left", "steps_left")

    def __init__(self, bytes_left: int = _BUDGET_BYTES, steps_left: int = _SEARCH_STEPS) -> None:
        self.bytes_left = bytes_left
        self.steps_left = steps_left

    @classmethod
    def of_all_rounds(cls) -> "ExaminationBudget":
        """Return the budget of a file that is fixed in rounds."""
        return cls(_BUDGET_BYTES * _FULL_ROUNDS, _SEARCH_STEPS * _FULL_ROUNDS)

    @property
    def is_exhausted(self) -> bool:
        """Whether the examination of fixes has ended."""
        return self.bytes_left < 0 or self.steps_left <= 0


class FixEffects:
    """The effects of the fixes of one file, each computed once."""

    def __init__(self, file: "LintedFile") -> None:
        # The file keeps the effects, and each finding keeps the file.
        self._file: LintedFile = weakref.proxy(file)
        self._budgets = [ExaminationBudget()]
        self._list_steps = _LIST_STEPS
        self._queue: deque[Fix] = deque()
        self._effects: dict[Fix, FixEffect] = {}
        self._profiles: dict[Fix, tuple[str, ...] | None] = {}
        self._extensions_keys: dict[str, object] = {}

    def examine_in_order(self, fixes: Iterable[Fix], budget: ExaminationBudget | None = None) -> None:
        """Set the order in which fixes are examined. Fixes that are added later come last.

        Args: budget: Another budget that the examinations share with those of other files.
        """
        self._queue.extend(fixes)
        if budget is not None:
            self._budgets.append(budget)

    def effect(self, fix: Fix) -> FixEffect:
        """Return what a fix changes.

        Cost: A parse in each profile, for this fix and for those before it.
        """
        while fix not in self._effects:
            following = self._queue.popleft() if self._queue else fix
            if following not in self._effects:
                self._effects[following] = self._examine(following)
        return self._effects[fix]

    def changed_profiles(self, fix: Fix) -> tuple[str, ...] | None:
        """Return the profiles in which a fix changes verdicts, or may change them. None if a limit is reached.

        Cost: A parse in each profile.
        """
        effect = self.effect(fix)
        if effect is FixEffect.UNKNOWN:
            return None
        if effect is not FixEffect.VERDICTS:
            return ()
        if fix not in self._profiles:
            self._profiles[fix] = self._list_profiles(fix)
        return self._profiles[fix]

    @cached_property
    def _changes(self) -> "VerdictChanges":
        from canfetch.lint.verdict_changes import VerdictChanges  # noqa: PLC0415 - few files need comparisons

        return VerdictChanges(self._file.input.content)

    def _examine(self, fix: Fix) -> FixEffect:
        file = self._file
        for budget in self._budgets:
            budget.bytes_left -= len(file.content)
        if any(budget.is_exhausted for budget in self._budgets) or file.robots.source_encoding != "utf-8":
            return FixEffect.UNKNOWN
        fixed = self._apply(fix)
        if any(self._changes_verdicts(fixed, name) for name in _PROFILE_ORDER):
            return FixEffect.VERDICTS
        if all(self._keeps_extensions(fixed, name) for name in PROFILES):
            return FixEffect.NONE
        # A line that becomes a rule or names a crawler changes verdicts together with other fixes.
        before, after = (Records(content, PROFILES["rfc9309"]) for content in (file.input.content, fixed))
        is_same = len(before.of_kinds(*_RULE_KINDS)) == len(after.of_kinds(*_RULE_KINDS))
        return FixEffect.EXTENSIONS if is_same else FixEffect.UNKNOWN

    def _keeps_extensions(self, fixed: bytes, profile: str) -> bool:
        is_plain = self._changes.keeps_other_records(fixed, profile)
        return is_plain or extensions_key(fixed, profile) == self._extensions_key(profile)

    def _extensions_key(self, profile: str) -> object:
        if profile not in self._extensions_keys:
            self._extensions_keys[profile] = extensions_key(self._file.input.content, profile)
        return self._extensions_keys[profile]

    def _changes_verdicts(self, fixed: bytes, profile: str) -> bool:
        before = self._changes.steps
        steps = max(min(self._changes.DEFAULT_STEPS, *(budget.steps_left for budget in self._budgets)), 0)
        changed = self._changes.changed_profiles(fixed, [profile], steps=steps)
        for budget in self._budgets:
            budget.steps_left -= self._changes.steps - before
        return bool(changed)

    def _list_profiles(self, fix: Fix) -> tuple[str, ...] | None:
        if self._list_steps <= 0:
            return None
        before = self._changes.steps
        changed = self._changes.changed_profiles(self._apply(fix))
        self._list_steps -= self._changes.steps - before
        # Without a change, only the search was too short to prove it.
        return changed or None

    def _apply(self, fix: Fix) -> bytes:
        content, _ = apply_fixes(self._file.content, [fix])
        return content + self._file.robots.tail
