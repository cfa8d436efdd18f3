"""Which origins of a crawl are one group, between whose requests the delay passes."""

from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Final

from canfetch.core.choices import unknown_choice
from canfetch.core.origin import Origin, find_origin
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption, MissingExtra, StoreError

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

_HEX_DIGITS: Final = frozenset("0123456789abcdef")


class GroupBy(StrEnum):
    """What the origins of a group have in common."""

    ORIGIN = "origin"  # each origin is a group
    HOST = "host"  # all schemes and ports of a host
    REGISTRABLE_DOMAIN = "registrable-domain"  # all hosts of a domain that one party has registered


def parse_group_by(name: object) -> GroupBy:
    """Return the grouping called `name`.

    Raises: InvalidOption: No grouping has this name; MissingExtra: The grouping requires a library that is not
        installed.
    """
    if name == "address":
        raise InvalidOption(
            "unsupported group_by 'address': your HTTP library chooses the address of each request itself: "
            f"expected one of {', '.join(GroupBy)}"
        )
    group_by = next((each for each in GroupBy if each == name), None) if isinstance(name, str) else None
    if group_by is None:
        raise InvalidOption(unknown_choice("group_by", name, GroupBy))
    if group_by is GroupBy.REGISTRABLE_DOMAIN:
        _public_suffixes()
    return group_by


def group_name(origin: str, group_by: GroupBy) -> str:
    """Return the name of the group of an origin.

    Args: origin: The name of the origin, such as `https://example.com`.
    """
    if group_by is GroupBy.ORIGIN:
        return origin
    # The dot of the root makes no other machine.
    host = Origin.from_url(f"{origin}/").host.rstrip(".")
    if group_by is GroupBy.HOST or _is_address(host):
        return host
    # A public suffix itself, such as `github.io`, has no registrable domain.
    domain: str | None = _public_suffixes().privatesuffix(host)
    return domain or host


def has_origin(url: str, origin: str) -> bool:
    """Return whether a URL of a group is one of an origin."""
    return str(find_origin(url)) == origin


def wrong_grouping(name: str, stored: str, group_by: GroupBy) -> StoreError:
    """Return the error of a crawl that was begun with another grouping.

    Args: name: The file or the database, and the crawl.
    """
    return StoreError(
        f"{name}: the crawl groups its URLs by {stored}, not by {group_by}: pass group_by={quoted(stored)}, or begin "
        "another crawl"
    )


def _is_address(host: str) -> bool:
    """Return whether a host is an IP address: its last label is a number, or it is in brackets.

    Source: WHATWG URL standard, "ends in a number" checker.
    """
    last = host.rpartition(".")[2]
    return host.startswith("[") or last.isdigit() or (last.startswith("0x") and _HEX_DIGITS.issuperset(last[2:]))


@cache
def _public_suffixes() -> "PublicSuffixList":
    try:
        from publicsuffixlist import PublicSuffixList  # noqa: PLC0415 - an optional dependency
    except ImportError as error:
        raise MissingExtra(
            "group_by='registrable-domain' requires the library publicsuffixlist: "
            f'pip install "canfetch[domains]" ({error})'
        ) from None
    return PublicSuffixList()
