"""The limits of a client: its options, and what its transport can reach."""

import hashlib
from typing import Final

from canfetch.access.limits import Limits, limit_variant
from canfetch.client.options import Options
from canfetch.client.transports import Route

_DIGEST_DIGITS: Final = 32


def client_limits(options: Options, transport: object) -> Limits:
    """Return the limits of a client.

    Args:
        transport: The transport. One without a `route` counts as one without limits.
    """
    route: Route = getattr(transport, "route", Route())
    described = (
        options.allow_private,
        float(options.connect_timeout),
        float(options.read_timeout),
        float(options.timeout),
        route,
    )
    # Hashed, because the URL of a proxy can contain credentials.
    digest = hashlib.sha256(repr(described).encode()).hexdigest()
    return Limits(limit_variant(digest[:_DIGEST_DIGITS]), bool(route.proxies))
