"""What a site says of uses, in the words of Content-Usage and of Content-Signal.

Source: draft-ietf-aipref-attach-05; draft-ietf-aipref-vocab-08; contentsignals.org.
"""

from collections.abc import Mapping
from typing import Final

from canfetch.core.choices import unknown_choice
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidDraft

Preferences = Mapping[UsagePurpose, bool]

_LABELS: Final = {UsagePurpose.TRAINING: "train-ai", UsagePurpose.SEARCH: "search", UsagePurpose.AI_USE: "ai-use"}
_SIGNALS: Final = {UsagePurpose.SEARCH: "search", UsagePurpose.AI_USE: "ai-input", UsagePurpose.TRAINING: "ai-train"}


def parse_preferences(given: Mapping[str, bool | None]) -> Preferences:
    """Give the preferences that are said, by purpose.

    Args: given: `training`, `search`, `ai-use`, each True, False, or None where nothing is said of it.
    Raises: InvalidDraft: a purpose that is none, a value that is neither, or nothing is said at all.
    """
    said: dict[UsagePurpose, bool] = {}
    for name, welcome in given.items():
        if name not in set(UsagePurpose):
            raise InvalidDraft(unknown_choice("use", name, UsagePurpose))
        if welcome is None:
            continue
        if not isinstance(welcome, bool):
            raise InvalidDraft(f"use {name} is {quoted(welcome)}: give true where it is welcome, or false")
        said[UsagePurpose(name)] = welcome
    if not said:
        raise InvalidDraft(f"nothing is said of any use: say true or false of one of {', '.join(UsagePurpose)}")
    return said


def format_content_usage(preferences: Preferences, path: str | None) -> str:
    """Write a Content-Usage value."""
    words = ", ".join(f"{_LABELS[use]}={'y' if preferences[use] else 'n'}" for use in _LABELS if use in preferences)
    return words if path is None else f"{path} {words}"


def format_content_signal(preferences: Preferences) -> str:
    """Write a Content-Signal value."""
    return ", ".join(f"{_SIGNALS[use]}={'yes' if preferences[use] else 'no'}" for use in _SIGNALS if use in preferences)
