"""Where a redirect leads: the URL that its `Location` field refers to.

Source: RFC 9110 sections 4.2.1 and 10.2.2.
"""

from typing import Final

from canfetch.access.responses import Response
from canfetch.core.origin import find_origin
from canfetch.core.references import resolve_reference

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
"""The statuses of redirects that are followed."""
# Longer redirect targets are ignored, both as received and joined to the base URL, because servers choose them.
# RFC 9110 section 4.1 suggests to support at least 8000 bytes.
MAX_LOCATION_BYTES: Final = 8192


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


def _is_too_long(url: str) -> bool:
    return len(url.encode("utf-8", "surrogatepass")) > MAX_LOCATION_BYTES
