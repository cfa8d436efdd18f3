"""A store in Redis or Valkey: one fleet, one fetch. It needs the library `redis`.

Entries are JSON under `PREFIXentry:KEY`, leases under `PREFIXlease:KEY`; an entry that nobody
renews is forgotten after `ttl`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import unquote

from canfetch.access.entries import CacheEntry
from canfetch.errors import CorruptEntry, MissingExtra, StoreError

# Longer than the thirty days for which a good copy may count.
DEFAULT_TTL: Final = 45 * 86400
# The lease is taken by whoever finds none, or has it already; both at once, on the server.
_TAKE_LEASE: Final = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
_GIVE_LEASE_BACK: Final = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class RedisStore:
    """Keeps entries in a Redis or Valkey server.

    Args:
        url: such as `redis://localhost:6379/0`.
        prefix: put before each key.
        ttl: how long an entry that nobody renews is kept.
        timeout: the longest wait for the server.
    Raises: MissingExtra: the library `redis` is not installed; StoreError: the URL is no Redis URL.
    """

    def __init__(self, url: str, *, prefix: str = "canfetch:", ttl: int = DEFAULT_TTL, timeout: float = 2.0) -> None:
        try:
            import redis  # noqa: PLC0415 - an extra
        except ImportError:
            raise MissingExtra('a Redis store needs the library redis: pip install "canfetch[redis]"') from None
        self._errors = (redis.RedisError, OSError)
        self._prefix = prefix
        self._keep_seconds = ttl
        self._shown_url = _without_password(url)
        try:
            self._redis: Any = redis.Redis.from_url(url, socket_timeout=timeout, socket_connect_timeout=timeout)
            pool = self._redis.connection_pool
            # Made, and not opened: what a connection does not take is told now, and not with the first question.
            pool.connection_class(**pool.connection_kwargs)
        except ValueError as error:
            raise StoreError(f"{self._shown_url!r}: is no Redis URL: {error}") from None
        except TypeError as error:
            option = str(error).rpartition("argument ")[2]
            raise StoreError(f"{self._shown_url!r}: is no Redis URL: it has no option {option}") from None
        self._take_lease = self._redis.register_script(_TAKE_LEASE)
        self._give_lease_back = self._redis.register_script(_GIVE_LEASE_BACK)

    def get(self, key: str) -> CacheEntry | None:
        """Give the entry of that key, or None.

        Raises: StoreError; CorruptEntry: what is kept is no entry.
        """
        with self._trouble_told():
            text = self._redis.get(self._key("entry", key))
        if text is None:
            return None
        try:
            return CacheEntry.from_json(text)
        except CorruptEntry as error:
            raise CorruptEntry(f"{self._shown_url}: {error}") from None

    def put(self, entry: CacheEntry) -> None:
        """Keep an entry in place of its key's last; when this returns, the server has it.

        Raises: StoreError.
        """
        text = entry.to_json()
        with self._trouble_told():
            self._redis.set(self._key("entry", entry.key), text, ex=self._keep_seconds)

    def delete(self, key: str) -> bool:
        """Forget an entry; say whether it was known."""
        with self._trouble_told():
            return bool(self._redis.delete(self._key("entry", key)))

    def keys(self) -> Iterator[str]:
        """Yield the keys known, sorted."""
        start = self._key("entry", "")
        with self._trouble_told():
            keys = sorted(key.decode() for key in self._redis.scan_iter(match=f"{start}*", count=1000))
        yield from (key.removeprefix(start) for key in keys)

    def acquire_lease(self, key: str, *, holder: str, seconds: float) -> bool:
        """Take the right to fetch for a key, for so many seconds; False while another holder has it."""
        with self._trouble_told():
            taken = self._take_lease(keys=[self._key("lease", key)], args=[holder, max(1, int(seconds * 1000))])
            return bool(taken)

    def release_lease(self, key: str, *, holder: str) -> None:
        """Give the right back, if `holder` still has it."""
        with self._trouble_told():
            self._give_lease_back(keys=[self._key("lease", key)], args=[holder])

    def close(self) -> None:
        """Close the connections."""
        self._redis.close()

    def _key(self, kind: str, key: str) -> str:
        return f"{self._prefix}{kind}:{key}"

    @contextmanager
    def _trouble_told(self) -> Iterator[None]:
        try:
            yield
        except self._errors as error:
            raise StoreError(f"{self._shown_url}: {str(error).removesuffix('.')}") from None


def _without_password(url: str) -> str:
    """Give a URL as messages may show it: a password may stand in front of the host, and among the options."""
    place, mark, options = url.partition("?")
    start = place.find("://") + 3
    head, at, rest = place[start:].rpartition("@")
    if at and ":" in head:
        place = f"{place[:start]}{head.partition(':')[0]}:***@{rest}"
    shown = (
        _without_value(option) if "password" in unquote(option).lower() else option for option in options.split("&")
    )
    return f"{place}{mark}{'&'.join(shown)}"


def _without_value(option: str) -> str:
    return f"{option.partition('=')[0]}=***"
