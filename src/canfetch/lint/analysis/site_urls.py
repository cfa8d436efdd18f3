"""The URLs of a site: the origin that a file governs, the URLs that belong to it, and hosts that are not public."""

import re
from functools import lru_cache
from ipaddress import ip_address
from typing import Final

from canfetch.core.origin import Origin, find_origin
from canfetch.core.text import display_text, encode_text
from canfetch.core.urls import split_url
from canfetch.lint.linted_file import LintedFile

# The scheme and the host of most URLs, before a slash.
_PLAIN_START: Final = re.compile(r"https?://[A-Za-z0-9.-]+(?=/)")
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


def governed_origin(file: LintedFile) -> Origin | None:
    """Return the origin that the file governs, or None if it is unknown."""
    entry = file.input.delivery
    url = file.input.url or (None if entry is None else entry.origin)
    return None if url is None else find_origin(url)


def origin_of(url: str) -> Origin | None:
    """Return the origin of a URL, or None if it is not an absolute URL with a host.

    As `find_origin`, but fast for many URLs of a few origins.
    """
    start = _PLAIN_START.match(url)
    return find_origin(url) if start is None else _plain_origin(start[0])


@lru_cache(maxsize=1024)
def _plain_origin(start: str) -> Origin | None:
    return find_origin(start)


def url_path(url: str) -> str | None:
    """Return the path and query of an absolute URL, or None if it has no scheme or its path starts with `//`."""
    start = _PLAIN_START.match(url)
    if start is not None and url.isascii() and url.isprintable():
        path = url[start.end() :].partition("#")[0]
        return None if path.startswith("//") else path
    encoded = encode_text(url)
    split = split_url(encoded)
    if split is None or not split.scheme:
        return None
    rest = display_text(encoded[split.rest_start :].partition(b"#")[0])
    path = rest if rest.startswith("/") else f"/{rest}"
    # On its own, a path with two leading slashes would name a host.
    return None if path.startswith("//") else path


def own_site_path(file: LintedFile, url: str) -> str | None:
    """Return the path and query of a URL on the file's own site, or None for another site.

    If the file's URL is unknown, every URL counts as its own.
    """
    if file.input.url is not None:
        origin = find_origin(file.input.url)
        if origin is not None and find_origin(url) != origin:
            return None
    return url_path(url)


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
