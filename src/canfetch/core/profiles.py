"""Whose reading of the file: profiles by name, and nothing but their flags."""

from canfetch.core._tables import PROFILES, Profile
from canfetch.core.choices import unknown_choice
from canfetch.errors import UnknownProfile

__all__ = ["PROFILES", "Profile", "get_profile"]


def get_profile(name: str) -> Profile:
    """Give the profile of that name.

    Raises: UnknownProfile: there is none; the message lists those that exist.
    """
    profile = PROFILES.get(name)
    if profile is None:
        raise UnknownProfile(unknown_choice("profile", name, PROFILES))
    return profile
