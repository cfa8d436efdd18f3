"""Editions: for each crawler, or edition of the standard, the parsing profile and the access policy.

An edition has the name of its profile, so that one word selects how a file is read and how it is fetched.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from canfetch.core.choices import unknown_choice
from canfetch.errors import InvalidOption, UnknownEdition

_DEFAULT_PROFILE: Final = "rfc9309"


class Edition(NamedTuple):
    """The profile and the policy of one crawler, or of one edition of the standard. See `EDITIONS`.

    Attributes:
        name: The name of the edition, which is that of its profile.
        profile: The name of the parsing profile.
        policy: The name of the access policy. It is `rfc9309` if the source does not describe how robots.txt is
            fetched.
        source: The document or the program that is followed.
    """

    name: str
    profile: str
    policy: str
    source: str


_GOOGLE: Final = "google/robotstxt, and Google's current documentation of result codes"
EDITIONS: Final[dict[str, Edition]] = {
    name: Edition(name, name, policy, source)
    for name, policy, source in (
        ("rfc9309", "rfc9309", "RFC 9309"),
        ("strict", "rfc9309", "RFC 9309, and only its grammar"),
        ("google2019", "google2019", "Google's specification of 2019/20"),
        ("google", "google", _GOOGLE),
        ("googlebot", "google", f"{_GOOGLE}, as Googlebot uses the parser"),
        ("bing", "rfc9309", "Bing's documentation, which does not mention result codes"),
        ("yandex", "yandex", "Yandex's documentation"),
        ("draft1996", "draft1996", "The Internet draft of 1996"),
        ("original1994", "rfc9309", "The standard of 1994, which does not mention result codes"),
    )
}
"""The editions by name."""


def get_edition(name: str) -> Edition:
    """Return the edition with this name.

    Raises: UnknownEdition: The edition does not exist. The message lists the valid names.

    >>> get_edition("google2019").policy
    'google2019'
    """
    try:
        return EDITIONS[name]
    # Values of other types need not have a hash.
    except (KeyError, TypeError):
        raise UnknownEdition(unknown_choice("edition", name, EDITIONS)) from None


def get_lone_edition(name: str, options: Iterable[str]) -> Edition:
    """Return the edition with this name, for a call without the options that an edition sets.

    Args: options: The names of those options, as far as the call has them.
    Raises: UnknownEdition; InvalidOption: There is such an option.
    """
    edition = get_edition(name)
    for option in options:
        raise InvalidOption(f"edition and {option} cannot be used together: edition {edition.name!r} sets {option}")
    return edition


def choose_profile(profile: str | None, edition: str | None, default: str = _DEFAULT_PROFILE) -> str:
    """Return the name of the profile that one of two options selects.

    Args: default: The profile without both.
    Raises: UnknownEdition; InvalidOption: Both options are set.

    >>> choose_profile(None, "google2019"), choose_profile("bing", None), choose_profile(None, None)
    ('google2019', 'bing', 'rfc9309')
    """
    if edition is None:
        return default if profile is None else profile
    return get_lone_edition(edition, () if profile is None else ("profile",)).profile
