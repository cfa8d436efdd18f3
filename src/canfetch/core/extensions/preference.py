"""Preferences on the use of content: the purposes, and whether a use is welcome.

The three purposes are those for which the vocabularies in use have labels: the AIPREF draft vocab-08 (`train-ai`,
`search`, `ai-use`) and content signals (`ai-train`, `search`, `ai-input`).
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class UsagePurpose(StrEnum):
    """The purpose for which content is used."""

    TRAINING = "training"
    SEARCH = "search"
    AI_USE = "ai-use"


class Preference(StrEnum):
    """Whether a use is welcome, unwelcome, or not mentioned."""

    ALLOW = "allow"
    DISALLOW = "disallow"
    UNKNOWN = "unknown"


class UsagePreference(NamedTuple):
    """The preference that one label of a record states for one purpose.

    `draft` is the draft that defined the label, or None for a current label.
    """

    purpose: UsagePurpose
    preference: Preference
    label: str
    draft: str | None = None


def split_path(value: bytes) -> tuple[bytes | None, bytes]:
    """Split the value of a record into its path, or None, and its preferences."""
    if value[:1] != b"/":
        return None, value
    path, _, preferences = value.replace(b"\t", b" ").partition(b" ")
    return path, preferences


def most_restrictive(preferences: Iterable[Preference]) -> Preference:
    """Return disallow if it occurs, else allow if it occurs, else unknown.

    Source: draft-ietf-aipref-vocab-08 section 7.1.
    """
    distinct = set(preferences)
    if Preference.DISALLOW in distinct:
        return Preference.DISALLOW
    return Preference.ALLOW if Preference.ALLOW in distinct else Preference.UNKNOWN
