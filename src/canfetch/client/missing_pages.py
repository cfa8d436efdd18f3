"""Whether a site responds with 5xx for every missing page.

The policy `google2019` reads 5xx for the robots.txt of such a site as 404. A client does not find out by itself,
because a robots.txt that fails disallows all requests: probe only sites that you may request.

Source: Google's specification of 2019, handling of HTTP result codes: 5xx.
"""

from collections.abc import Callable
from enum import StrEnum
from secrets import token_hex
from typing import Final, NamedTuple

from canfetch.access.responses import Failure, Response
from canfetch.core.origin import Origin

_SERVER_ERROR: Final = 500
_NAME_BYTES: Final = 12


class MissingPages(StrEnum):
    """How a site responds to requests for pages that do not exist."""

    SERVER_ERROR = "server-error"
    OTHER_STATUS = "other-status"
    UNKNOWN = "unknown"  # the home page fails as well, or there is no response


class MissingPagesProbe(NamedTuple):
    """The result of a probe.

    Attributes:
        missing_pages: How the site responds for missing pages.
        home_status: The status of the home page, or None without a response.
        missing_status: The status of a page that cannot exist, or None without a request or a response.
    """

    missing_pages: MissingPages
    home_status: int | None
    missing_status: int | None


def probe_missing_pages(origin: Origin, send: Callable[[str], Response | Failure]) -> MissingPagesProbe:
    """Request the home page, and then a page whose random name cannot exist.

    Without a home page that works, 5xx only shows that the whole site fails.

    Args: send: Sends a GET request for a URL, without following redirects.
    """
    home = _status(send(f"{origin}/"))
    if home is None or home >= _SERVER_ERROR:
        return MissingPagesProbe(MissingPages.UNKNOWN, home, None)
    missing = _status(send(f"{origin}/canfetch-{token_hex(_NAME_BYTES)}"))
    if missing is None:
        return MissingPagesProbe(MissingPages.UNKNOWN, home, None)
    found = MissingPages.SERVER_ERROR if missing >= _SERVER_ERROR else MissingPages.OTHER_STATUS
    return MissingPagesProbe(found, home, missing)


def _status(answer: Response | Failure) -> int | None:
    return answer.status if isinstance(answer, Response) else None
