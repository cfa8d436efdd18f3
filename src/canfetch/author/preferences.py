"""Usage preferences, and their format in Content-Usage and Content-Signal.

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


def parse_preferences(values: Mapping[str, bool | None]) -> Preferences:
    """Return the usage preferences by purpose.

    Args: values: `training`, `search` and `ai-use`, each True, False, or None for no preference.
    Raises: InvalidDraft: A purpose is unknown, a value is not a bool, or all values are None.
    """
    preferences: dict[UsagePurpose, bool] = {}
    for name, allowed in values.items():
        if name not in set(UsagePurpose):
            raise InvalidDraft(unknown_choice("use", name, UsagePurpose))
        if allowed is None:
            continue
        if not isinstance(allowed, bool):
            raise InvalidDraft(f"invalid {name} {quoted(allowed)}: expected true or false")
        preferences[UsagePurpose(name)] = allowed
    if not preferences:
        raise InvalidDraft(f"no usage preference: expected true or false for at least one of {', '.join(UsagePurpose)}")
    return preferences


def format_content_usage(preferences: Preferences, path: str | None) -> str:
    """Return the value of a Content-Usage line."""
    words = ", ".join(f"{_LABELS[use]}={'y' if preferences[use] else 'n'}" for use in _LABELS if use in preferences)
    return words if path is None else f"{path} {words}"


def format_content_signal(preferences: Preferences) -> str:
    """Return the value of a Content-Signal line."""
    return ", ".join(f"{_SIGNALS[use]}={'yes' if preferences[use] else 'no'}" for use in _SIGNALS if use in preferences)
