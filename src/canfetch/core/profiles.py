"""Parsing profiles by name."""

from typing import Final

from canfetch.core._tables import PROFILES, Profile
from canfetch.core.choices import unknown_choice
from canfetch.errors import UnknownProfile

__all__ = ["PROFILES", "REMOVED_PROFILES", "Profile", "get_profile", "unknown_profile"]

REMOVED_PROFILES: Final = frozenset({"cpython-old", "cpython-new"})
"""The profiles of earlier versions for the parser of the standard library. Messages name what replaces them."""


def get_profile(name: str) -> Profile:
    """Return the profile with this name.

    Raises: UnknownProfile: the profile does not exist.
    """
    try:
        return PROFILES[name]
    # Values of other types need not have a hash.
    except (KeyError, TypeError):
        raise UnknownProfile(unknown_profile(name)) from None


def unknown_profile(name: object) -> str:
    """Return the message for a profile that does not exist."""
    if isinstance(name, str) and name in REMOVED_PROFILES:
        return (
            f"unknown profile {name!r}: it was removed; for the answers of Python's own parser, call urllib.robotparser"
        )
    return unknown_choice("profile", name, PROFILES)
