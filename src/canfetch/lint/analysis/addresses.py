"""Values of rules that are addresses instead of paths: with a scheme, or with the name of a host."""

import re
from typing import Final, NamedTuple

_WEB_SCHEMES: Final = frozenset({b"http", b"https"})
_SCHEME: Final = re.compile(rb"([A-Za-z][A-Za-z0-9+.-]{0,31})://")
# A host with at least one dot, and its port.
_HOST: Final = re.compile(rb"((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.)+[A-Za-z]{2,24})(?::[0-9]{1,5})?(?=[/?*$]|\Z)")
_MAX_HOST: Final = 253
_WWW: Final = b"www."
# Top-level domains that are not also the ending of files, as `.pl` and `.py` are.
_DOMAINS: Final = frozenset(
    b"ae ar at au be bg biz br ca ch cl cn co com cz de dk edu es eu fi fr gov gr hk hu ie il in info ir it jp kr kz "
    b"mil mx my net nl no nz org pe pt ro ru sa se sg sk th tr tw ua uk us vn za".split()
)


class Address(NamedTuple):
    """An address.

    Attributes:
        is_web: Whether crawlers can fetch it: its scheme is that of the web, or it has none.
        host: The host and port in lower case.
        path: The rest.
    """

    is_web: bool
    host: bytes
    path: bytes


def find_address(value: bytes, own_host: bytes = b"") -> Address | None:
    """Return the address that a value is, or None if it may be a path.

    Args:
        value: The value of a rule.
        own_host: The host of the site in lower case, if it is known. Without a scheme, other hosts are recognized by
            `www.` or by a top-level domain that is not also the ending of files.
    """
    scheme = _SCHEME.match(value)
    if scheme is not None:
        host, slash, path = value[scheme.end() :].partition(b"/")
        return Address(scheme[1].lower() in _WEB_SCHEMES, host.lower(), slash + path)
    match = _HOST.match(value, 0, _MAX_HOST)
    if match is None:
        return None
    name = match[1].lower()
    is_host = match[0].lower() == own_host or name.startswith(_WWW) or name.rpartition(b".")[2] in _DOMAINS
    return Address(is_web=True, host=match[0].lower(), path=value[match.end() :]) if is_host else None
