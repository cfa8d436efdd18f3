"""The addresses that operators publish for their crawlers.

Operators publish JSON of one form: `{"prefixes": [{"ipv4Prefix": "66.249.64.0/27"}, ...]}`. A file of canfetch contains
several of these lists, each with its URL and the time when it was fetched:

    {"schema": "canfetch.address-lists/1",
     "lists": [{"url": "https://openai.com/gptbot.json", "fetched_at": "2026-11-20T08:00:00Z", "prefixes": [...]}]}
"""

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, collapse_addresses, ip_network
from typing import Any, Final, NamedTuple

from canfetch.agents.identity import unmapped_network
from canfetch.core.quoting import quoted
from canfetch.core.times import rfc3339
from canfetch.errors import InvalidAddressList

ADDRESS_LISTS_SCHEMA: Final = "canfetch.address-lists/1"
# The longest published lists have a few thousand prefixes.
MAX_PREFIXES: Final = 100_000
# A wider prefix is a mistake that would make nearly every address a crawler's. Apple's crawlers use 17.0.0.0/8.
_WIDEST: Final = {4: 8, 6: 16}
_KEYS: Final = ("ipv4Prefix", "ipv6Prefix")

Address = IPv4Address | IPv6Address


class AddressRanges:
    """A set of addresses, as merged and sorted ranges. Immutable.

    Args: prefixes: Such as `66.249.64.0/27` or `2001:4860:4801:10::/64`. A single address is a prefix too.
    Raises: InvalidAddressList: There is no prefix, or one is invalid or too wide.
    """

    __slots__ = ("_ends", "_starts", "prefixes")

    def __init__(self, prefixes: Iterable[str]) -> None:
        networks = [_network(prefix) for prefix in prefixes]
        if not networks:
            raise InvalidAddressList("the list has no prefix")
        # Both versions are never mixed in one list of ranges: a small IPv4 number is an IPv6 address, too.
        merged: list[IPv4Network | IPv6Network] = [
            *collapse_addresses(network for network in networks if isinstance(network, IPv4Network)),
            *collapse_addresses(network for network in networks if isinstance(network, IPv6Network)),
        ]
        self.prefixes = tuple(map(str, merged))
        self._starts: dict[int, list[int]] = {4: [], 6: []}
        self._ends: dict[int, list[int]] = {4: [], 6: []}
        for network in merged:
            self._starts[network.version].append(int(network.network_address))
            self._ends[network.version].append(int(network.broadcast_address))

    def __contains__(self, address: Address) -> bool:
        number = int(address)
        index = bisect_right(self._starts[address.version], number) - 1
        return index >= 0 and number <= self._ends[address.version][index]

    def __repr__(self) -> str:
        return f"<AddressRanges of {len(self.prefixes)} prefixes>"


class AddressList(NamedTuple):
    """One list of an operator.

    Attributes:
        ranges: The addresses.
        fetched_at: When the list was fetched, in seconds since the epoch.
    """

    ranges: AddressRanges
    fetched_at: float


class AddressLists:
    """The lists of several operators, by URL. Immutable.

    Args: lists: The lists by URL, as in `Verification.address_lists`.
    """

    __slots__ = ("lists",)

    def __init__(self, lists: Mapping[str, AddressList]) -> None:
        self.lists = dict(lists)

    def contain(self, urls: Iterable[str], address: Address, *, fetched_since: float) -> bool | None:
        """Return whether an address is in the lists at `urls`.

        Args:
            fetched_since: Lists that were fetched before this time, in seconds since the epoch, may miss addresses.
        Returns: True if a list contains the address. False if all lists are known and recent, and none contains it.
            Otherwise None: the address may be in a list that is missing or out of date.
        Cost: O(lists of the crawler), each O(log prefixes).
        """
        found = [self.lists.get(url) for url in urls]
        if any(one is not None and address in one.ranges for one in found):
            return True
        return None if not found or any(one is None or one.fetched_at < fetched_since for one in found) else False

    def to_json(self) -> dict[str, Any]:
        """Return the content of a file, schema `canfetch.address-lists/1`."""
        return {
            "schema": ADDRESS_LISTS_SCHEMA,
            "lists": [
                {"url": url, "fetched_at": rfc3339(one.fetched_at), "prefixes": list(one.ranges.prefixes)}
                for url, one in sorted(self.lists.items())
            ],
        }

    def __repr__(self) -> str:
        return f"<AddressLists of {len(self.lists)} URLs>"


def parse_address_list(content: bytes) -> AddressRanges:
    """Parse the list of an operator, such as Google, Microsoft and OpenAI publish.

    Raises: InvalidAddressList: It is not JSON of this form, has no prefix, or has an invalid one. An empty list would
        make every request of the crawler look like one of an impostor.
    Cost: O(bytes), and sorting.
    """
    table = _parse_object(content)
    return AddressRanges(_prefix_of(entry) for entry in _entries(table, "prefixes", MAX_PREFIXES))


def parse_address_lists(content: bytes) -> AddressLists:
    """Parse a file of canfetch with the lists of several operators.

    Raises: InvalidAddressList.
    Cost: O(bytes), and sorting.
    """
    table = _parse_object(content)
    if table.get("schema") != ADDRESS_LISTS_SCHEMA:
        raise InvalidAddressList(f"invalid schema {quoted(table.get('schema'))}: expected {ADDRESS_LISTS_SCHEMA!r}")
    lists: dict[str, AddressList] = {}
    for entry in _entries(table, "lists", MAX_PREFIXES):
        url = entry.get("url") if isinstance(entry, dict) else None
        if not isinstance(url, str):
            raise InvalidAddressList(f"invalid list {quoted(entry)}: expected an object with 'url'")
        try:
            moment = datetime.fromisoformat(entry["fetched_at"])
            fetched_at = moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
        except (KeyError, TypeError, ValueError, OverflowError, OSError):
            raise InvalidAddressList(
                f"{url}: invalid fetched_at: expected a time such as 2026-11-20T08:00:00Z"
            ) from None
        try:
            ranges = AddressRanges(_entries(entry, "prefixes", MAX_PREFIXES))
        except InvalidAddressList as error:
            raise InvalidAddressList(f"{url}: {error}") from None
        lists[url] = AddressList(ranges, fetched_at)
    return AddressLists(lists)


def _parse_object(content: bytes) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        raise InvalidAddressList("invalid JSON") from None
    if not isinstance(value, dict):
        raise InvalidAddressList(f"invalid content {quoted(value)}: expected a JSON object")
    return value


def _entries(table: dict[str, Any], key: str, limit: int) -> list[Any]:
    entries = table.get(key)
    if not isinstance(entries, list):
        raise InvalidAddressList(f"invalid {key} {quoted(entries)}: expected an array")
    if len(entries) > limit:
        raise InvalidAddressList(f"too many {key}: {len(entries)}, expected at most {limit}")
    return entries


def _prefix_of(entry: object) -> str:
    if isinstance(entry, dict):
        for key in _KEYS:
            if isinstance(entry.get(key), str):
                prefix: str = entry[key]
                return prefix
    raise InvalidAddressList(f"invalid prefix {quoted(entry)}: expected an object with {' or '.join(_KEYS)}")


def _network(prefix: object) -> IPv4Network | IPv6Network:
    if not isinstance(prefix, str):
        raise InvalidAddressList(f"invalid prefix {quoted(prefix)}: expected a str such as '66.249.64.0/27'")
    network = None
    with suppress(ValueError):
        # Host bits are ignored: lists contain entries such as 192.0.2.1/24.
        network = unmapped_network(ip_network(prefix.strip(), strict=False))
    # A scope such as `%eth0` is that of an interface.
    if network is None or "%" in prefix:
        raise InvalidAddressList(f"invalid prefix {quoted(prefix)}: expected one such as '66.249.64.0/27'")
    if network.prefixlen < _WIDEST[network.version]:
        raise InvalidAddressList(
            f"invalid prefix {quoted(prefix)}: expected at least /{_WIDEST[network.version]}, not so many addresses"
        )
    return network
