"""The robots.txt of each host in a store of the client."""

from collections.abc import Callable
from math import inf

from canfetch.access.entries import origin_from_key
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.store_option import open_existing_store
from canfetch.core.document import parse
from canfetch.core.origin import find_origin
from canfetch.core.quoting import quoted
from canfetch.errors import CorruptEntry, NewerEntry, StoreError
from canfetch.logs.history import RobotsHistory, RobotsVersion


def read_store(option: str, *, profile: str, warn: Callable[[str], None]) -> RobotsHistory:
    """Return the last good copy of each host, as if it had always been served: a store keeps no older ones.

    Args:
        option: The value of `--store`.
        warn: Writes a line to standard error.
    Raises: CommandError: The store cannot be read, or has no copy.
    """
    store = open_existing_store(option, warn=warn)
    hosts: dict[str, RobotsVersion] = {}
    try:
        for key in store.keys():  # noqa: SIM118 - a store is not a dictionary
            try:
                entry = store.get(key)
            except (CorruptEntry, NewerEntry) as error:
                warn(f"canfetch: warning: {error}")
                continue
            origin = find_origin(origin_from_key(key))
            if origin is None:
                warn(f"canfetch: warning: {quoted(key)} in the store is not the origin of a URL; it is skipped")
                continue
            host = str(origin).partition("://")[2]
            # A log does not distinguish http from https.
            if entry is not None and entry.copy is not None and (origin.scheme == "https" or host not in hosts):
                hosts[host] = RobotsVersion(-inf, parse(entry.copy.content, profile=profile), str(origin))
    except StoreError as error:
        raise CommandError(f"--store {error}") from None
    finally:
        store.close()
    if not hosts:
        raise CommandError("--store has no copy of a robots.txt")
    return RobotsHistory(hosts={host: [version] for host, version in hosts.items()})
