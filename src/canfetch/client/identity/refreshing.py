"""The lists of addresses that operators publish: fetched into one file, which servers read."""

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from canfetch.access.redirects import REDIRECTS, redirect_target
from canfetch.access.responses import Failure
from canfetch.agents.address_lists import (
    AddressList,
    AddressLists,
    AddressRanges,
    parse_address_list,
    parse_address_lists,
)
from canfetch.agents.crawler import Crawler
from canfetch.agents.registry import REGISTRY
from canfetch.client.procedure import Clock
from canfetch.client.regular_files import open_regular_file, replace_file
from canfetch.client.request_headers import is_foreign
from canfetch.client.sqlite_files import FileLock, sqlite_reason
from canfetch.client.sync_client import Client
from canfetch.client.transports import Transport, TransportRequest
from canfetch.client.transports.http_transport import HTTPTransport
from canfetch.client.watched_file import WatchedFile
from canfetch.core.origin import find_origin
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidAddressList, StoreError

# All lists of the registry together have about 100 KB.
_MAX_FILE_BYTES: Final = 16 * 1024 * 1024
_MAX_LIST_BYTES: Final = 4 * 1024 * 1024
_MAX_REDIRECTS: Final = 5


class AddressListFile:
    """The lists in a file that `refresh_address_lists` wrote, read again when the file changes.

    If the file vanishes or becomes invalid, the last good lists stay in use, and the problem is logged.

    Args:
        path: The path of the file.
        clock: Returns seconds since the epoch.
    Raises: InvalidAddressList: The file is invalid; OSError: It cannot be read.
    """

    def __init__(self, path: str | os.PathLike[str], *, clock: Clock = time.time) -> None:
        self._file = WatchedFile(Path(path), parse_address_lists, max_bytes=_MAX_FILE_BYTES, clock=clock)

    def current(self) -> AddressLists:
        """Return the lists."""
        return self._file.current()


class RefreshResult(NamedTuple):
    """What `refresh_address_lists` did.

    Attributes:
        updated: The URLs of the lists that were fetched.
        failed: The reason for each list that was not. The previous copy of such a list is kept, with its time.
    """

    updated: tuple[str, ...]
    failed: Mapping[str, str]


def refresh_address_lists(
    path: str | os.PathLike[str],
    *,
    user_agent: str,
    crawlers: Iterable[Crawler] = REGISTRY.crawlers,
    transport: Transport | None = None,
    timeout: float = 30.0,
    allow_private: bool = True,
    clock: Clock = time.time,
) -> RefreshResult:
    """Fetch the published addresses of crawlers, and replace the file at `path` atomically.

    Each list is fetched only if the robots.txt of its host allows it for `user_agent`. Running servers that use the
    file read it again by themselves. Without any fetched list, the file is not touched.

    Args:
        path: The file. It is created if it does not exist.
        user_agent: The complete User-Agent header to send.
        crawlers: The crawlers whose lists are fetched: all URLs of their `verification.address_lists`.
        transport: The transport that sends requests. Default: `HTTPTransport`. It is closed.
        timeout: Seconds for each request.
        allow_private: Whether to connect to private and loopback addresses.
        clock: Returns seconds since the epoch.
    Raises: OSError: The file cannot be written. StoreError: It cannot be locked. InvalidAddressList: It exists and is
        not a file of this kind. InvalidOption, InvalidProductToken: An argument is invalid. A failed request does not
        raise.
    """
    file = Path(path)
    # Before anything is fetched: it may be another kind of file.
    _existing_lists(file)
    urls = sorted({url for crawler in crawlers for url in crawler.verification.address_lists})
    lists: dict[str, AddressList] = {}
    failed: dict[str, str] = {}
    transport = HTTPTransport() if transport is None else transport
    with Client(
        user_agent=user_agent, transport=transport, timeout=timeout, allow_private=allow_private, clock=clock
    ) as client:
        for url in urls:
            fetched = _fetch_list(client, transport, url)
            if isinstance(fetched, str):
                failed[url] = fetched
            else:
                lists[url] = AddressList(fetched, clock())
    if lists:
        try:
            lock = FileLock(f"{os.path.realpath(path)}.lock")
        except sqlite3.Error as error:
            raise StoreError(f"cannot lock {quoted(str(path))}: {sqlite_reason(file, error)}") from None
        with closing(lock):
            # Another process may have added lists meanwhile.
            merged = AddressLists({**_existing_lists(file).lists, **lists})
            replace_file(file, json.dumps(merged.to_json(), indent=1).encode() + b"\n")
    return RefreshResult(tuple(lists), failed)


def _existing_lists(file: Path) -> AddressLists:
    try:
        with open_regular_file(file) as opened:
            content = opened.read(_MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        return AddressLists({})
    try:
        return parse_address_lists(content)
    except InvalidAddressList as error:
        raise InvalidAddressList(f"{file}: {error}; remove the file, or choose another path") from None


def _fetch_list(client: Client, transport: Transport, url: str) -> AddressRanges | str:
    """Return the addresses of a list, or the reason why it was not fetched."""
    content = fetch_file(client, transport, url, max_bytes=_MAX_LIST_BYTES)
    if isinstance(content, str):
        return content
    try:
        return parse_address_list(content)
    except InvalidAddressList as error:
        return str(error)


def fetch_file(client: Client, transport: Transport, url: str, *, max_bytes: int) -> bytes | str:
    """Return the content of a file, or the reason why it was not fetched.

    Args:
        client: Decides whether the file may be fetched.
        transport: Sends the requests.
        url: The file. Redirects are followed, but not from https to http.
        max_bytes: The largest size.
    """
    options = client.options
    requested, named = url, [find_origin(url)]
    for redirects in range(_MAX_REDIRECTS + 1):
        verdict = client.decide(requested, cross_origin=is_foreign(requested, named))
        if not verdict.allowed:
            return f"not fetched: {verdict}"
        response = transport.send(
            TransportRequest(
                url=requested,
                headers=(("User-Agent", options.user_agent), ("Accept", "application/json")),
                max_bytes=max_bytes,
                connect_timeout=options.connect_timeout,
                read_timeout=options.read_timeout,
                timeout=options.timeout,
                allow_private=options.allow_private,
                cross_origin=redirects > 0,
            )
        )
        if isinstance(response, Failure):
            return f"{response.kind}: {response.detail}"
        if response.status in REDIRECTS:
            target = redirect_target(requested, response)
            if target is None:
                return f"invalid redirect of {requested}"
            if requested.startswith("https:") and not target.startswith("https:"):
                # Anyone between the server and this machine could change a list that is sent without TLS.
                return f"redirected from {requested} to {target}, which is not https"
            requested = target
            continue
        if response.status != 200:
            return f"status {response.status}"
        if len(response.body) > max_bytes:
            return f"longer than {max_bytes} bytes"
        return response.body
    return f"more than {_MAX_REDIRECTS} redirects"
