"""The identity of a URL: two URLs with the same identity are one page, which is fetched once."""

from hashlib import blake2b
from typing import Final, NamedTuple

from canfetch.core.origin import Origin
from canfetch.core.profiles import get_profile
from canfetch.core.targets import to_target
from canfetch.core.urls import split_url, url_bytes

_DIGEST_BYTES: Final = 16
_PROFILE: Final = get_profile("rfc9309")


class IdentifiedURL(NamedTuple):
    """A URL, its origin, and a hash of its target."""

    url: str
    origin: str
    identity: bytes


def identify_url(url: str) -> IdentifiedURL:
    """Return a URL with its identity.

    The identity is the origin and the target: scheme and host in lower case, the port unless it is the default, and
    path and query with normalised escapes and without dot segments. User information and the fragment are not part
    of it.

    Raises: InvalidURL: `url` is not an absolute URL; TypeError: `url` is not a str.
    Cost: O(bytes).
    """
    if not isinstance(url, str):
        raise TypeError(f"invalid URL of type {type(url).__name__}: expected str")
    origin = Origin.from_url(url)
    encoded = url_bytes(url)
    split = split_url(encoded)
    assert split is not None
    target = to_target(encoded, split, _PROFILE)
    return IdentifiedURL(url, str(origin), blake2b(target, digest_size=_DIGEST_BYTES).digest())
