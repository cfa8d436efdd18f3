"""Parsing profiles by name."""

from canfetch.core._tables import PROFILES, Profile
from canfetch.core.choices import unknown_choice
from canfetch.errors import UnknownProfile

__all__ = ["PROFILES", "Profile", "get_profile"]


def get_profile(name: str) -> Profile:
    """Return the profile with this name.

    Raises: UnknownProfile: the profile does not exist.
    """
    profile = PROFILES.get(name)
    if profile is None:
        raise UnknownProfile(unknown_choice("profile", name, PROFILES))
    return profile
