"""What a file may say of the use of what was fetched: for which purpose, and whether it likes it.

Three purposes, for which the vocabularies in use have words: those of AIPREF's draft vocab-08 (`train-ai`, `search`,
`ai-use`) and of content signals (`ai-train`, `search`, `ai-input`).
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class UsagePurpose(StrEnum):
    """What somebody does with what was fetched."""

    TRAINING = "training"
    SEARCH = "search"
    AI_USE = "ai-use"


class Preference(StrEnum):
    """What is said of a use: that it is welcome, that it is not, or nothing."""

    ALLOW = "allow"
    DISALLOW = "disallow"
    UNKNOWN = "unknown"


class UsagePreference(NamedTuple):
    """What one label of a record says of one purpose; `draft` is the one that had it, where it is an old one."""

    purpose: UsagePurpose
    preference: Preference
    label: str
    draft: str | None = None


def most_restrictive(preferences: Iterable[Preference]) -> Preference:
    """Combine preferences: disallow if any is, else allow if any is, else unknown.

    Source: draft-ietf-aipref-vocab-08 section 7.1.
    """
    given = set(preferences)
    if Preference.DISALLOW in given:
        return Preference.DISALLOW
    return Preference.ALLOW if Preference.ALLOW in given else Preference.UNKNOWN
