"""The identity of a URL: two URLs with the same identity are one page, which is fetched once."""

from hashlib import blake2b
from typing import Final, NamedTuple

from canfetch.core.origin import DEFAULT_PORTS, Origin
from canfetch.core.profiles import get_profile
from canfetch.core.redaction import quoted_url
from canfetch.core.targets import to_target
from canfetch.core.text import display_text, encode_text, portable_text
from canfetch.core.urls import AnyURL, plain_url, split_url, url_bytes
from canfetch.errors import InvalidURL

DIGEST_BYTES: Final = 16
# No name of the DNS is longer, and indexes of PostgreSQL cannot have values of any length.
_MAX_HOST: Final = 255
# No server reads longer ones, and a page can contain links of any length.
_MAX_BYTES: Final = 65_536
_PROFILE: Final = get_profile("rfc9309")
# Characters that the URL standard removes from both ends of a URL, and the byte order mark of a file.
_SURROUNDING: Final = "".join(map(chr, range(0x21))) + "\ufeff"
# Characters that the URL standard removes anywhere in a URL: line ends of files, and white space in links.
_LINE_BREAKS_AND_TABS: Final = str.maketrans("", "", "\t\n\r")


class IdentifiedURL(NamedTuple):
    """A URL, its origin, and a hash of its target."""

    url: str
    origin: str
    identity: bytes


def clean_url(url: AnyURL) -> str:
    """Return a URL as it is requested: HTTP clients remove surrounding white space, and tabs and line breaks anywhere.

    Bytes that are not valid UTF-8, and lone surrogates, are percent-encoded as the verdict reads them. HTTP clients
    raise an exception for a surrogate, or send the URL without it, which is another URL.

    Raises: TypeError: `url` is neither str nor bytes nor a URL object.
    Source: WHATWG URL standard, basic URL parser.
    """
    plain = plain_url(url)
    text = plain if isinstance(plain, str) else plain.decode("utf-8", "surrogateescape")
    text = text.strip(_SURROUNDING).translate(_LINE_BREAKS_AND_TABS)
    return portable_text(text) if isinstance(plain, str) else display_text(encode_text(text))


def identify_url(url: str, *, in_group: bool = False) -> IdentifiedURL:
    """Return a URL with its identity.

    The identity is the origin and the target: scheme and host in lower case, the port unless it is the default, and
    path and query with normalised escapes and without dot segments. User information and the fragment are not part
    of it.

    Args:
        url: A URL from `clean_url`.
        in_group: Whether the identity must differ from those of other origins with the same target.
    Raises: InvalidURL: `url` is not an absolute URL, or no transport can fetch it, such as `whatsapp://send`, or it has
        more than 64 KiB.
    Cost: O(bytes).
    """
    encoded = url_bytes(url)
    if len(encoded) > _MAX_BYTES:
        raise InvalidURL(f"invalid URL {quoted_url(url)}: longer than {_MAX_BYTES} bytes")
    origin = Origin.from_url(url)
    if origin.scheme not in DEFAULT_PORTS:
        raise InvalidURL(f"invalid URL {quoted_url(url)}: expected the scheme {', '.join(DEFAULT_PORTS)}")
    if len(origin.host) > _MAX_HOST:
        raise InvalidURL(f"invalid URL {quoted_url(url)}: its host has more than {_MAX_HOST} characters")
    if origin.port == 0:
        raise InvalidURL(f"invalid URL {quoted_url(url)}: port 0 is reserved")
    name, target = str(origin), _target(encoded)
    identified = name.encode() + target if in_group else target
    return IdentifiedURL(url, name, blake2b(identified, digest_size=DIGEST_BYTES).digest())


def plain_form(url: IdentifiedURL) -> str:
    """Return one spelling for all URLs with the same identity."""
    return url.origin + _target(url_bytes(url.url)).decode("ascii")


def _target(encoded: bytes) -> bytes:
    split = split_url(encoded)
    assert split is not None
    return to_target(encoded, split, _PROFILE)
