"""What is known of origins, kept or asked for as the options say: the one way of these commands to the network."""

import logging
import sys
import time
from collections.abc import Callable, Generator, Iterator
from typing import Final, TypeVar

from canfetch.cli.shared.network_options import NetworkOptions
from canfetch.cli.shared.prefetcher import Ahead
from canfetch.cli.shared.problems import Problem
from canfetch.cli.shared.store_option import as_typed, open_store
from canfetch.client.origin_state import OriginState
from canfetch.client.resilient_store import LOGGER
from canfetch.client.sync_client import Client
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.origin import DEFAULT_PORTS, Origin
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError, InvalidURL

Item = TypeVar("Item")

# No single wait is longer than this, however patient the whole is.
_WAIT_SECONDS: Final = 10.0


class Origins:
    """One client, and what it says of its store while it works.

    Args:
        options: as given.
        say: writes a line to standard error.
        profile, max_bytes, engine: how files are read.
    Raises: Problem: the store cannot be opened, or an option does not fit.
    """

    def __init__(
        self,
        options: NetworkOptions,
        *,
        say: Callable[[str], None],
        profile: str = "rfc9309",
        max_bytes: int = DEFAULT_MAX_BYTES,
        engine: str | None = None,
    ) -> None:
        self._options = options
        self._started_seconds = time.time()
        store = open_store(options.store)
        try:
            self._client = Client(
                user_agent=options.user_agent,
                # Who asks is said with each question.
                agent="*",
                policy=options.policy,
                timeout=options.timeout,
                connect_timeout=min(_WAIT_SECONDS, options.timeout),
                read_timeout=min(_WAIT_SECONDS, options.timeout),
                allow_private=not options.public_only,
                store=store,
                profile=profile,
                max_bytes=max_bytes,
                engine=engine,
            )
        except CanfetchError as error:
            if store is not None:
                store.close()
            raise Problem(str(error)) from None
        self._warnings = _Warnings(say, options.store)
        LOGGER.addHandler(self._warnings)

    def ahead(
        self,
        items: Iterator[Item],
        *,
        url_of: Callable[[Item], str],
        weight_of: Callable[[Item], int],
        most_weight: int,
    ) -> Generator[tuple[Item, OriginState | CanfetchError | Problem]]:
        """Yield items in their order, each with what is known of its origin, or what is wrong with it.

        Args:
            url_of: gives an item's URL; a CanfetchError or Problem is the item's own.
            weight_of, most_weight: see `Ahead`.
        """
        yield from Ahead(
            items,
            key_of=lambda item: _origin_name(url_of(item)),
            weight_of=weight_of,
            learn=self._known,
            parallel=self._options.parallel,
            most_weight=most_weight,
            before_waiting=sys.stdout.flush,
        )

    def close(self) -> None:
        """Give the client back; whatever still waits for an origin is not waited for."""
        try:
            self._client.close()
        finally:
            LOGGER.removeHandler(self._warnings)

    def _known(self, origin: str) -> OriginState:
        known = self._client.origin_state(origin, offline=self._options.offline)
        if self._options.refresh and known.entry.fetched_at < self._started_seconds:
            known = self._client.origin_state(origin, refresh=True)
        return known


def _origin_name(url: str) -> str:
    origin = Origin.from_url(url)
    if origin.scheme not in DEFAULT_PORTS:
        raise InvalidURL(
            f"{quoted(url)}: no robots.txt is fetched by {origin.scheme}, only by {', '.join(DEFAULT_PORTS)}"
        )
    return str(origin)


class _Warnings(logging.Handler):
    """Says warnings as these commands say everything."""

    def __init__(self, say: Callable[[str], None], store: str | None) -> None:
        super().__init__(logging.WARNING)
        self._say = say
        self._store = store

    def emit(self, record: logging.LogRecord) -> None:
        """Say one."""
        self._say(f"canfetch: {as_typed(record.getMessage(), self._store)}")
