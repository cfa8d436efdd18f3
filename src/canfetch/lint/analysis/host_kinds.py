"""Hosts that crawlers cannot reach, and hosts on which a site is tested."""

from functools import lru_cache
from ipaddress import ip_address
from typing import Final

from canfetch.lint.analysis.site_urls import origin_of

# RFC 6761, RFC 6762 and RFC 9476, and the name that ICANN reserves for private networks.
_LOCAL_DOMAINS: Final = frozenset({"localhost", "local", "localdomain", "internal", "lan", "invalid", "alt"})
# What documentation and templates write for "your host".
_PLACEHOLDERS: Final = frozenset(
    {"yourdomain", "your-domain", "yourdomainname", "your-domain-name", "yoursite", "your-site", "yoursitename"}
    | {"your-site-name", "yourwebsite", "your-website", "yourwebsitename", "yourhost", "your-host", "yourcompany"}
    | {"mydomain", "my-domain", "domainname", "deinedomain", "deine-domain", "ihre-domain", "votredomaine"}
    | {"votre-domaine", "tudominio", "tu-dominio", "tuodominio", "tuo-dominio", "www-yourdomain-com"}
)
_STAGING_LABELS: Final = frozenset(
    {"staging", "stage", "stg", "preprod", "pre-prod", "preproduction", "uat", "testing", "sandbox"}
)
_STAGING_PARTS: Final = ("staging", "preprod")


def host_of(url: str) -> str | None:
    """Return the host of an absolute URL in lower case, or None."""
    # For a text without a scheme, `find_origin` would create an exception.
    origin = origin_of(url) if "://" in url else None
    return None if origin is None else origin.host.lower()


@lru_cache(maxsize=1024)
def is_unreachable(host: str) -> bool:
    """Return whether a host is on the machine itself, on a private network, or a placeholder."""
    try:
        return not ip_address(host.strip("[]")).is_global
    except ValueError:
        labels = host.strip(".").split(".")
    return labels[-1] in _LOCAL_DOMAINS or not _PLACEHOLDERS.isdisjoint(labels[-3:-1])


def is_staging(host: str) -> bool:
    """Return whether a host is probably one on which a site is tested before it is published."""
    labels = host.split(".")[:-1]
    return any(label in _STAGING_LABELS or not set(label.split("-")).isdisjoint(_STAGING_PARTS) for label in labels)
