"""Whose reading of the file: profiles by name, and nothing but their flags."""

from canfetch.core._tables import PROFILES, Profile
from canfetch.errors import UnknownProfile

__all__ = ["PROFILES", "Profile", "profile_named"]


def profile_named(name: str) -> Profile:
    """Give the profile of that name.

    Raises: UnknownProfile: there is none; the message lists those that exist.
    """
    profile = PROFILES.get(name)
    if profile is None:
        raise UnknownProfile(f"unknown profile {name!r}; choose one of {', '.join(PROFILES)}")
    return profile
