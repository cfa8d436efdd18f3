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

from canfetch.core.equivalence import have_equal_extensions
from canfetch.core.profiles import PROFILES
from canfetch.lint.fixes import Fix, apply_fixes

if TYPE_CHECKING:
    from canfetch.lint.linted_file import LintedFile
    from canfetch.lint.verdict_changes import VerdictChanges

# The bytes that are parsed in each profile: a report shows many fixes of a small file, and few of a large one.
_BUDGET_BYTES: Final = 1 << 18
# The steps of all comparisons that look for a change. Each report needs them, so they have to be fast.
_SEARCH_STEPS: Final = 50_000
# The steps of all comparisons that list the changed profiles.
_LIST_STEPS: Final = 200_000
# Profiles that use the first match and compare rules as written come first, because most fixes change them.
_PROFILE_ORDER: Final = tuple(sorted(PROFILES, key=lambda name: not PROFILES[name].first_match))


class FixEffect(Enum):
    """What a fix changes."""

    NONE = "none"
    EXTENSIONS = "extensions"  # records beyond RFC 9309, such as a sitemap, but no verdict
    VERDICTS = "verdicts"
    UNKNOWN = "unknown"  # a limit is reached


class FixEffects:
    """The effects of the fixes of one file, each computed once."""

    def __init__(self, file: "LintedFile") -> None:
        # The file keeps the effects, and each finding keeps the file.
        self._file: LintedFile = weakref.proxy(file)
        self._bytes_left = _BUDGET_BYTES
        self._search_steps = _SEARCH_STEPS
        self._list_steps = _LIST_STEPS
        self._queue: deque[Fix] = deque()
        self._effects: dict[Fix, FixEffect] = {}
        self._profiles: dict[Fix, tuple[str, ...] | None] = {}

    def examine_in_order(self, fixes: Iterable[Fix]) -> None:
        """Set the order in which fixes are examined. Fixes that are added later come last."""
        self._queue.extend(fixes)

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
        self._bytes_left -= len(file.content)
        if self._bytes_left < 0 or self._search_steps <= 0 or file.robots.source_encoding != "utf-8":
            return FixEffect.UNKNOWN
        content, fixed = file.input.content, self._apply(fix)
        if any(self._changes_verdicts(fixed, name) for name in _PROFILE_ORDER):
            return FixEffect.VERDICTS
        return FixEffect.NONE if have_equal_extensions(content, fixed) else FixEffect.EXTENSIONS

    def _changes_verdicts(self, fixed: bytes, profile: str) -> bool:
        before = self._changes.steps
        steps = max(min(self._changes.DEFAULT_STEPS, self._search_steps), 0)
        changed = self._changes.changed_profiles(fixed, [profile], steps=steps)
        self._search_steps -= self._changes.steps - before
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
