"""Where a redirect leads: the URL that its `Location` field refers to.

`urllib.parse.urljoin` is not used: it gives `https:` and `//` the host of the base URL, and drops empty path segments.

Source: RFC 9110 sections 4.2.1 and 10.2.2; RFC 3986 sections 4.2 and 5.2.
"""

import re
from typing import Final

from canfetch.access.responses import Response
from canfetch.core.origin import find_origin
from canfetch.core.targets import remove_dot_segments

# Longer redirect targets are ignored, both as received and joined to the base URL, because servers choose them.
# RFC 9110 section 4.1 suggests to support at least 8000 bytes.
_MAX_LOCATION_BYTES: Final = 8192
# Scheme, authority, path and query, as in RFC 3986 appendix B. The fragment is dropped.
_REFERENCE: Final = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(\?[^#]*)?(?:#.*)?", re.DOTALL)


def redirect_target(base: str, response: Response) -> str | None:
    """Return the absolute URL that a redirect points to, without its fragment.

    Args:
        base: The URL that was requested.
    Returns: The URL, or None if there is no `Location`, if there are several different ones, or if it does not refer
        to a URL with a host.
    """
    locations = {value.strip() for value in response.header_values("location")}
    if len(locations) != 1:
        return None
    location = locations.pop()
    if not location or _is_too_long(location):
        return None
    url = resolve_reference(base, location)
    return None if url is None or _is_too_long(url) or find_origin(url) is None else url


def resolve_reference(base: str, reference: str) -> str | None:
    """Resolve a URI reference, and drop its fragment.

    Args:
        base: An absolute URL with a host.
    Returns: The absolute URL, or None if `reference` has a scheme without a host, or is not valid.
    Source: RFC 3986 section 5.2, in its strict form: a reference with a scheme is never relative.
    """
    scheme, authority, path, query = _split(reference)
    base_scheme, base_authority, base_path, base_query = _split(base)
    if authority is None:
        # The first segment of a relative path cannot contain a colon: RFC 3986 section 4.2.
        if scheme is not None or ":" in path.partition("/")[0]:
            return None
        authority = base_authority
        if not path:
            path, query = base_path, base_query if query is None else query
        elif path[0] != "/":
            path = f"{base_path.rpartition('/')[0]}/{path}"
    if not authority:
        return None
    return f"{scheme or base_scheme}://{authority}{_normalise_path(path)}{query or ''}"


def _split(reference: str) -> tuple[str | None, str | None, str, str | None]:
    match = _REFERENCE.fullmatch(reference)
    assert match is not None  # every part is optional, and the last ones match any character
    scheme, authority, path, query = match.groups()
    return scheme, authority, path, query


def _normalise_path(path: str) -> str:
    """Remove `.` and `..` from a path that is empty or starts with a slash."""
    return remove_dot_segments(path.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass") if path else ""


def _is_too_long(url: str) -> bool:
    return len(url.encode("utf-8", "surrogatepass")) > _MAX_LOCATION_BYTES
