"""Editions: for each crawler, or edition of the standard, the parsing profile and the access policy.

An edition has the name of its profile, so that one word selects how a file is read and how it is fetched.
"""

from typing import Final, NamedTuple

from canfetch.core.choices import unknown_choice
from canfetch.errors import UnknownEdition


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
    edition = EDITIONS.get(name)
    if edition is None:
        raise UnknownEdition(unknown_choice("edition", name, EDITIONS))
    return edition
