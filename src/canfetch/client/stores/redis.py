"""A store in Redis or Valkey, for the workers of a fleet. It requires the library `redis`.

Entries are JSON under `PREFIXentry:KEY`, leases are under `PREFIXlease:KEY`. An entry expires `ttl` seconds after it
was last written.
"""

import math
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from canfetch.access.entries import ENTRY_FORMAT, CacheEntry, newer_entry
from canfetch.client.argument_checks import check_positive_seconds, check_whole_seconds
from canfetch.client.forking import reset_on_fork
from canfetch.client.stores import DEFAULT_TTL, MAX_ENTRY_BYTES, oversized_entry, parse_stored_entry, serialize_entry
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.errors import CorruptEntry, InvalidOption, MissingExtra, NewerEntry, StoreError

_DATABASE: Final = re.compile("[0-9]{1,9}")
_SHOWN_CHARACTERS: Final = 40
_WRONG_TYPE: Final = "WRONGTYPE"
_ESCAPES: Final = "in a password, write '/' as %2F, '#' as %23, '?' as %3F and '@' as %40"
# These scripts run atomically on the server. A key with another type than a string is not a lease, and is replaced.
# Returns the format of the previous entry if it is newer, and 0 if the previous entry was replaced.
_PUT_ENTRY: Final = """
local size = redis.pcall('STRLEN', KEYS[1])
local previous = type(size) == 'number' and size <= tonumber(ARGV[4]) and redis.pcall('GET', KEYS[1])
if type(previous) == 'string' then
    local valid, entry = pcall(cjson.decode, previous)
    local format = valid and type(entry) == 'table' and entry.format
    if type(format) == 'number' and format % 1 == 0 and format > tonumber(ARGV[3]) then return format end
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 0
"""
_ACQUIRE_LEASE: Final = """
local holder = redis.pcall('GET', KEYS[1])
if type(holder) == 'string' and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
_RELEASE_LEASE: Final = """
if redis.pcall('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class RedisStore:
    """A store in a Redis or Valkey server.

    Args:
        url: The URL of the server, such as `redis://localhost:6379/0`.
        prefix: The prefix of all keys.
        ttl: Seconds after which an entry expires.
        timeout: Seconds to wait for a connection, and for each read. An operation takes at most twice this time.
    Raises: MissingExtra: The library `redis` is not installed; StoreError: `url` is invalid, or its database is not a
        number; InvalidOption: Another argument is invalid.
    """

    def __init__(self, url: str, *, prefix: str = "canfetch:", ttl: int = DEFAULT_TTL, timeout: float = 2.0) -> None:
        check_whole_seconds("ttl", ttl)
        check_positive_seconds("timeout", timeout)
        for name, value in (("url", url), ("prefix", prefix)):
            if not isinstance(value, str):
                raise InvalidOption(f"invalid {name} {quoted(value)}: expected a str")
        try:
            import redis  # noqa: PLC0415 - an optional dependency
        except ImportError:
            raise MissingExtra('the Redis store requires the library redis: pip install "canfetch[redis]"') from None
        self._library_errors = (redis.RedisError, OSError)
        self._response_error = redis.ResponseError
        self._login_errors = (redis.exceptions.AuthenticationError, redis.exceptions.NoPermissionError)
        self._deadline = OperationDeadline()
        self._prefix = prefix
        self._ttl = ttl
        self._url = url
        self._timeout = timeout
        self._redacted_url = _redact_password(url)
        try:
            _check_url(url)
            self._open()
            options = self._redis.connection_pool.connection_kwargs
            self._operation_seconds = _operation_seconds(options, timeout)
        except (ValueError, redis.RedisError) as error:
            raise StoreError(f"{self._redacted_url!r}: invalid Redis URL: {error}") from None
        except TypeError as error:
            option = str(error).rpartition("argument ")[2]
            raise StoreError(f"{self._redacted_url!r}: invalid Redis URL: unknown option {option}") from None
        reset_on_fork(self)

    def _open(self) -> None:
        """Create the client of the library. It opens connections when they are needed."""
        import redis  # noqa: PLC0415 - an optional dependency

        client: Any = redis.Redis.from_url(
            self._url, socket_timeout=self._timeout, socket_connect_timeout=self._timeout
        )
        pool = client.connection_pool
        # Create a connection without opening it, so that unknown options raise now and not on first use.
        pool.connection_class(**pool.connection_kwargs)
        pool.connection_class = with_deadline(pool.connection_class, self._deadline)
        self._put_entry = client.register_script(_PUT_ENTRY)
        self._acquire_lease = client.register_script(_ACQUIRE_LEASE)
        self._release_lease = client.register_script(_RELEASE_LEASE)
        self._redis = client

    def reset_after_fork(self) -> None:
        """Replace the client of the parent process: a thread of the parent may have held a lock of its pool."""
        # Otherwise the old client acquires the lock of its pool when it is deleted.
        self._redis.auto_close_connection_pool = False
        self._open()

    def get(self, key: str) -> CacheEntry | None:
        """Return the entry of a key, or None.

        Raises: StoreError; CorruptEntry: The entry is invalid; NewerEntry: The entry has a newer format.
        """
        with self._operation():
            # Another client may have written a value of any size. A missing value is empty.
            try:
                text = self._redis.getrange(self._redis_key("entry", key), 0, MAX_ENTRY_BYTES)
            except self._response_error as error:
                if not str(error).startswith(_WRONG_TYPE):
                    raise
                text = None
        if text is None:
            raise CorruptEntry(f"{self._redacted_url}: corrupt cache entry: its key has another type than a string")
        if isinstance(text, bytes) and len(text) > MAX_ENTRY_BYTES:
            raise oversized_entry(self._redacted_url)
        return None if text == b"" else parse_stored_entry(text, self._redacted_url)

    def put(self, entry: CacheEntry) -> None:
        """Add or replace the entry of its key. The server has the entry when this method returns.

        Raises: StoreError; NewerEntry: The previous entry has a newer format and was not replaced.
        """
        text = serialize_entry(entry, self._redacted_url)
        arguments: list[str | int] = [text, self._ttl, ENTRY_FORMAT, MAX_ENTRY_BYTES]
        with self._operation():
            newer_format = self._put_entry(keys=[self._redis_key("entry", entry.key)], args=arguments)
            if type(newer_format) is not int:
                raise TypeError(f"expected an integer, not {type(newer_format).__name__}")
        if newer_format:
            raise NewerEntry(f"{self._redacted_url}: {newer_entry(newer_format)}")

    def delete(self, key: str) -> bool:
        """Delete the entry of a key, and return whether it existed."""
        with self._operation():
            return bool(self._redis.delete(self._redis_key("entry", key)))

    def keys(self) -> Iterator[str]:
        """Yield the keys, sorted."""
        start = self._redis_key("entry", "")
        keys: set[str] = set()
        cursor: Any = 0
        while True:
            # Each page is an operation of its own: many entries take longer than one operation may.
            with self._operation():
                cursor, page = self._redis.scan(cursor, match=f"{start}*", count=1000)
                keys.update(key.decode() for key in page)
            if cursor == 0:
                break
        yield from (key.removeprefix(start) for key in sorted(keys))

    def acquire_lease(self, key: str, *, holder: str, seconds: float) -> bool:
        """Acquire or extend the lease of a key, and return False if another holder has it."""
        milliseconds = max(1, int(seconds * 1000))
        with self._operation():
            return bool(self._acquire_lease(keys=[self._redis_key("lease", key)], args=[holder, milliseconds]))

    def release_lease(self, key: str, *, holder: str) -> None:
        """Release the lease of a key, if `holder` has it."""
        with self._operation():
            self._release_lease(keys=[self._redis_key("lease", key)], args=[holder])

    def close(self) -> None:
        """Close the connections."""
        self._redis.close()

    def _redis_key(self, kind: str, key: str) -> str:
        return f"{self._prefix}{kind}:{key}"

    @contextmanager
    def _operation(self) -> Iterator[None]:
        """Limit the time of an operation, and raise every error as StoreError, with the URL of the server."""
        try:
            with self._deadline.limit(self._operation_seconds):
                yield
        except self._login_errors as error:
            raise self._error(self._describe_login_error(str(error).removesuffix("."))) from None
        except self._library_errors as error:
            raise self._error(str(error).removesuffix(".")) from None
        except Exception as error:  # noqa: BLE001 - a hostile answer can raise anything in the library's parser
            raise self._error(f"unexpected answer of the server ({type(error).__name__}: {error})") from None

    def _describe_login_error(self, reply: str) -> str:
        """Return what is wrong with the user name or the password, and what to do."""
        lowered = reply.lower()
        if "permission" in lowered:
            return f"the user lacks a permission for the keys {self._prefix}*: {reply}"
        if "without any password" in lowered or "no password is set" in lowered:
            return "the server has no password: remove it from the URL"
        if not self._redis.connection_pool.connection_kwargs.get("password"):
            return "the server requires a password: add it to the URL, as in redis://USER:PASSWORD@HOST"
        return "wrong user name or password"

    def _error(self, message: str) -> StoreError:
        # The server chooses the text of its errors.
        return StoreError(f"{self._redacted_url}: {printable_text(message)}")


def _operation_seconds(options: Mapping[str, Any], timeout: float) -> float | None:
    """Return the time limit of an operation. The URL can override the timeouts, and 0 means none."""
    seconds = [options.get(name, timeout) for name in ("socket_connect_timeout", "socket_timeout")]
    if not all(0 <= each < math.inf for each in seconds):
        raise ValueError("socket_connect_timeout and socket_timeout: expected a number of seconds of at least 0")
    return sum(seconds) if all(seconds) else None


def _check_url(url: str) -> None:
    """Check what the library ignores: it connects to database 0, or to the default port, instead.

    Raises: ValueError: The message contains no part of a password.
    """
    parts = urlsplit(url)
    if parts.fragment or "@" in parts.path:
        raise ValueError(f"unexpected {'#' if parts.fragment else '@'!r}: {_ESCAPES}")
    try:
        port = parts.port
    except ValueError:
        raise ValueError(f"the port is not a number from 1 to 65535; {_ESCAPES}") from None
    if port == 0:
        raise ValueError("the port is not a number from 1 to 65535")
    database = unquote(parts.path).removeprefix("/").removesuffix("/")
    if parts.scheme in ("redis", "rediss") and database and not _DATABASE.fullmatch(database):
        raise ValueError(
            f"unknown database {database[:_SHOWN_CHARACTERS]!r}: expected a number, as in redis://localhost/0"
        )
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if not value or (name == "db" and not _DATABASE.fullmatch(value)):
            raise ValueError(f"invalid value for the option {name[:_SHOWN_CHARACTERS]!r}")


def _redact_password(url: str) -> str:
    """Return a URL without its passwords, which can be before the host and in the options."""
    address, mark, options = url.partition("?")
    if "@" in options:
        # Invalid, and perhaps a password with a question mark.
        return f"{url.partition('://')[0]}://***@{url.rpartition('@')[2]}"
    start = address.find("://") + 3
    user_info, at, rest = address[start:].rpartition("@")
    if at and ":" in user_info:
        address = f"{address[:start]}{user_info.partition(':')[0]}:***@{rest}"
    redacted = (
        _redact_value(option) if "password" in unquote(option).lower() else option for option in options.split("&")
    )
    return f"{address}{mark}{'&'.join(redacted)}"


def _redact_value(option: str) -> str:
    return f"{option.partition('=')[0]}=***"


class OperationDeadline(threading.local):
    """The deadline of the operation that the current thread performs."""

    expires_at: float | None = None

    @contextmanager
    def limit(self, seconds: float | None) -> Iterator[None]:
        """Set the deadline of the block. None means no limit."""
        self.expires_at = None if seconds is None else monotonic() + seconds
        try:
            yield
        finally:
            self.expires_at = None

    @property
    def remaining_seconds(self) -> float | None:
        """Seconds until the deadline, or None without one.

        Raises: TimeoutError: The deadline has passed.
        """
        if self.expires_at is None:
            return None
        seconds = self.expires_at - monotonic()
        if seconds <= 0:
            raise TimeoutError("timed out")
        return seconds


class _LimitedSocket:
    """A socket whose calls wait no longer than the deadline of the current thread."""

    def __init__(self, limited: socket.socket, deadline: OperationDeadline) -> None:
        self._socket = limited
        self._deadline = deadline

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)

    def recv(self, *arguments: Any) -> bytes:
        with self._limited_timeout():
            return self._socket.recv(*arguments)

    def recv_into(self, *arguments: Any) -> int:
        with self._limited_timeout():
            return self._socket.recv_into(*arguments)

    def sendall(self, *arguments: Any) -> None:
        with self._limited_timeout():
            self._socket.sendall(*arguments)

    @contextmanager
    def _limited_timeout(self) -> Iterator[None]:
        timeout, remaining = self._socket.gettimeout(), self._deadline.remaining_seconds
        if remaining is None or (timeout is not None and timeout <= remaining):
            yield
            return
        self._socket.settimeout(remaining)
        try:
            yield
        finally:
            # The caller may have closed the socket.
            if self._socket.fileno() >= 0:
                self._socket.settimeout(timeout)


def with_deadline(connection_class: type[Any], deadline: OperationDeadline) -> type[Any]:
    """Return a subclass of a connection class of the library whose sockets observe `deadline`."""

    class LimitedConnection(connection_class):  # type: ignore[misc]
        def _connect(self) -> Any:
            return _LimitedSocket(super()._connect(), deadline)

    return LimitedConnection
