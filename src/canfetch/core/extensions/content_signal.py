"""Content-Signal: whether content may be used for search, as input to AI models, and for training.

A missing signal neither grants nor restricts anything. A path before the signals limits them to that path.
contentsignals.org shows such lines, but does not define how paths are matched, or which of several paths counts.
canfetch treats them as those of Content-Usage: paths are patterns as in rules, the most specific record counts, and a
record without a path applies to `/`.

`use` is the highest level of use: `immediate`, `reference` or `full`. It is parsed and does not affect any preference.
Cloudflare's crawler rejects crawls by it since 2026-08-31.

Source: contentsignals.org; Cloudflare's documentation; draft-romm-aipref-contentsignals-00.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from canfetch.core.extensions.preference import (
    Preference,
    UsagePreference,
    UsagePurpose,
    most_restrictive,
    split_path,
)
from canfetch.core.extensions.record import ExtensionNote
from canfetch.core.text import display_text

_PURPOSES: Final = {
    "ai-train": UsagePurpose.TRAINING,
    "search": UsagePurpose.SEARCH,
    "ai-input": UsagePurpose.AI_USE,
}
_PREFERENCES: Final = {"yes": Preference.ALLOW, "no": Preference.DISALLOW}
_USES: Final = ("immediate", "reference", "full")


class ContentSignal(NamedTuple):
    """A path, or None for all paths, and the signals of the line.

    The signals are (label, value) in lower case, in order, including unknown ones.
    """

    path: bytes | None
    signals: tuple[tuple[str, str], ...]

    @property
    def has_effect(self) -> bool:
        """Whether some signal has a known label and value. A line without one has no effect, whatever its path."""
        return any(
            value in (_USES if label == "use" else _PREFERENCES)
            for label, value in self.signals
            if label == "use" or label in _PURPOSES
        )

    @property
    def use(self) -> str | None:
        """The last value of `use` that is `immediate`, `reference` or `full`, or None."""
        return next((value for label, value in reversed(self.signals) if label == "use" and value in _USES), None)

    @property
    def usage_preferences(self) -> Iterator[UsagePreference]:
        """The preferences that the line states, at most one for each purpose.

        If a label is repeated, its most restrictive value counts. No source defines that case.
        """
        for label, purpose in _PURPOSES.items():
            preference = most_restrictive(
                _PREFERENCES.get(value, Preference.UNKNOWN) for name, value in self.signals if name == label
            )
            if preference is not Preference.UNKNOWN:
                yield UsagePreference(purpose, preference, label)


def parse_content_signal(value: bytes) -> tuple[ContentSignal | None, ExtensionNote]:
    """Parse a value such as `search=yes, ai-train=no` or `/blog/ ai-train=no`, case-insensitively except for the path.

    Cost: O(bytes).
    """
    path, labels = split_path(value)
    notes = ExtensionNote.NONE
    signals: list[tuple[str, str]] = []
    for part in labels.split(b","):
        label, equals, setting = (display_text(piece.strip().lower()) for piece in part.partition(b"="))
        if not label or not equals:
            notes |= ExtensionNote.UNKNOWN_VALUE
            continue
        signals.append((label, setting))
        if label != "use" and label not in _PURPOSES:
            notes |= ExtensionNote.UNKNOWN_LABEL
        elif setting not in (_USES if label == "use" else _PREFERENCES):
            notes |= ExtensionNote.UNKNOWN_VALUE
    if not signals:
        return None, notes | ExtensionNote.UNREADABLE
    return ContentSignal(path, tuple(signals)), notes
