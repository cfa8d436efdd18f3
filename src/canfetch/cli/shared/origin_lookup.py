"""The state of origins, from the cache or the network as the options specify."""

import sys
import time
from collections.abc import Callable, Generator, Iterator
from typing import TypeVar

from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.command_transport import CommandTransport
from canfetch.cli.shared.log_output import open_log_output
from canfetch.cli.shared.network_options import NetworkOptions
from canfetch.cli.shared.origin_arguments import MAX_WAITING_CHARACTERS, to_origin_url
from canfetch.cli.shared.prefetcher import Prefetcher
from canfetch.cli.shared.store_option import open_store
from canfetch.client.origin_state import OriginState
from canfetch.client.sync_client import Client
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.origin import DEFAULT_PORTS, Origin
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError, InvalidURL

Item = TypeVar("Item")


class OriginLookup:
    """A client, configured by the network options.

    Args:
        options: The network options.
        warn: Writes a line to standard error.
        profile, max_bytes, engine: How files are parsed.
        agent: The agent of the client, or None for that of its User-Agent header.
        transport: The transport. Default: one that sends headers with credentials to all origins.
    Raises: CommandError: The store cannot be opened, or an option is invalid.
    """

    def __init__(
        self,
        options: NetworkOptions,
        *,
        warn: Callable[[str], None],
        profile: str = "rfc9309",
        max_bytes: int = DEFAULT_MAX_BYTES,
        engine: str | None = None,
        agent: str | None = "*",
        transport: CommandTransport | None = None,
    ) -> None:
        self._options = options
        self._started_at = time.time()
        transport = CommandTransport(options) if transport is None else transport
        store = open_store(options.store, warn=warn)
        try:
            self._client = Client(
                user_agent=options.user_agent,
                # Most commands pass the real agent with each decision.
                agent=agent,
                policy=options.policy,
                misconfigured_origins=options.misconfigured_origins,
                timeout=options.timeout,
                connect_timeout=options.wait_seconds,
                read_timeout=options.wait_seconds,
                allow_private=not options.public_only,
                headers=options.headers,
                transport=transport,
                store=store,
                profile=profile,
                max_bytes=max_bytes,
                engine=engine,
            )
        except CanfetchError as error:
            if store is not None:
                store.close()
            raise CommandError(str(error)) from None
        self._log = open_log_output(warn, options)

    @property
    def client(self) -> Client:
        """The client, which `close` closes."""
        return self._client

    def states(
        self,
        items: Iterator[Item],
        *,
        to_url: Callable[[Item], str],
        to_weight: Callable[[Item], int],
    ) -> Generator[tuple[Item, OriginState | CanfetchError | CommandError]]:
        """Yield items in order, each with the state of its origin or with the error.

        Args:
            to_url: Returns the URL of an item. A CanfetchError or CommandError becomes the result of that item.
            to_weight: See `Prefetcher`.
        """
        yield from Prefetcher(
            items,
            find=lambda item: self._find_state(to_url(item)),
            to_key=lambda item: _origin_name(to_url(item)),
            to_weight=to_weight,
            load=self._state,
            parallel=self._options.parallel,
            max_weight=MAX_WAITING_CHARACTERS,
            before_wait=sys.stdout.flush,
        )

    def argument_states(
        self, arguments: Iterator[str]
    ) -> Generator[tuple[str, OriginState | CanfetchError | CommandError]]:
        """Yield origin arguments in order, each with the state of its origin or with the error."""
        return self.states(arguments, to_url=to_origin_url, to_weight=len)

    def close(self) -> None:
        """Close the client without waiting for requests that are running."""
        try:
            self._client.close()
        finally:
            self._log.close()

    def _find_state(self, url: str) -> OriginState | None:
        state = self._client.cached_state(url, offline=self._options.offline)
        return None if state is None or self._is_outdated(state) else state

    def _is_outdated(self, state: OriginState) -> bool:
        return self._options.refresh and state.entry.fetched_at < self._started_at

    def _state(self, origin: str) -> OriginState:
        state = self._client.origin_state(origin, offline=self._options.offline)
        if self._is_outdated(state):
            state = self._client.refresh(origin)
        return state


def _origin_name(url: str) -> str:
    origin = Origin.from_url(url)
    if origin.scheme not in DEFAULT_PORTS:
        schemes = ", ".join(DEFAULT_PORTS)
        raise InvalidURL(f"cannot fetch robots.txt for {quoted(url)}: expected one of the schemes {schemes}")
    return str(origin)
