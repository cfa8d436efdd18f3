"""Files in which a site states something about all its pages, such as tdmrep.json: fetched once, and kept in memory.

A robots.txt can disallow them.
"""

import threading
from collections import OrderedDict
from collections.abc import Generator
from typing import Any, Final, NamedTuple

from canfetch.client.documents import DISALLOWED, ROBOTS_UNREACHABLE, NotFetched, Step, fetch_document, quoted_url
from canfetch.client.forking import reset_on_fork
from canfetch.core.origin import Origin, find_origin
from canfetch.core.redaction import redacted_url
from canfetch.errors import InvalidURL

_NOT_FOUND: Final = (404, 410)
_FRESH_SECONDS: Final = 86_400.0
_RETRY_SECONDS: Final = 600.0
_MAX_BYTES: Final = 16 * 1024 * 1024
# Counted for each file, so that empty ones are bounded, too.
_ENTRY_BYTES: Final = 1024


class SiteFile(NamedTuple):
    """A file of a site.

    Attributes:
        content: The content, or None if there is no file, or if it is unknown.
        problem: Why the file is unknown, or None. It is also None if robots.txt disallows the file
            at its first URL.
        reason: The problem in a few words, without anything that a server has sent, or None. It includes that
            robots.txt disallows the file.
        url: The URL of the content if a redirect led to another host, or None. It has no credentials.
        is_requested: Whether a request was sent. robots.txt can disallow the file, or be unreachable.
    """

    content: bytes | None = None
    problem: str | None = None
    reason: str | None = None
    url: str | None = None
    is_requested: bool = True


class KeptFile(NamedTuple):
    """A file, until when it is used, and when it was requested if that is known, in seconds since the epoch.

    A client uses a file for a day, and a failure for ten minutes.
    """

    file: SiteFile
    expires_at: float
    requested_at: float | None


def kept_file(file: SiteFile, now: float) -> KeptFile:
    """Return a file that was requested now."""
    return KeptFile(file, now + (_FRESH_SECONDS if file.reason is None else _RETRY_SECONDS), now)


def url_on_other_host(url: str, first_url: str) -> str | None:
    """Return the URL to which redirects led, without credentials, or None if it is on the same host.

    A port that is not that of the scheme is another host, so that a redirect from http to https is not.
    """
    origin, first = find_origin(url), find_origin(first_url)
    if origin is None or first is None or _host_and_port(origin) == _host_and_port(first):
        return None
    return redacted_url(url)


def _host_and_port(origin: Origin) -> str:
    return str(origin).partition("://")[2]


class FileKey(NamedTuple):
    """The key of a file in memory. With credentials, the file can be another one than without them."""

    url: str
    is_without_credentials: bool


class FileStep(NamedTuple):
    """Return a file of a site, fetched as by `fetch_site_file` if it is not in memory. The result is a KeptFile.

    Attributes: cross_origin: Whether the caller did not name the origin of the file. The performer of the step sets it.
    """

    url: str
    max_bytes: int
    cross_origin: bool = False

    @property
    def key(self) -> FileKey:
        """The key of the file in memory."""
        return FileKey(self.url, self.cross_origin)


def fetch_site_file(step: FileStep) -> Generator[Step, Any, SiteFile]:
    """Fetch a file, as robots.txt allows. An error of a server is a problem of the file."""
    try:
        document = yield from fetch_document(step.url, max_bytes=step.max_bytes)
        if document.response is not None:
            is_missing = document.response.status in _NOT_FOUND
            if is_missing:
                return SiteFile()
            return SiteFile(document.checked_body(), url=url_on_other_host(document.url, step.url))
    except NotFetched as error:
        return SiteFile(None, str(error), error.reason, is_requested=error.is_requested)
    except InvalidURL as error:
        return SiteFile(None, str(error), "invalid URL", is_requested=False)
    is_requested = bool(document.hops)
    if document.refusal == ROBOTS_UNREACHABLE:
        problem = f"robots.txt of {quoted_url(document.url)} is unreachable"
        return SiteFile(None, problem, ROBOTS_UNREACHABLE, is_requested=is_requested)
    # A crawler that may not fetch the file does not know it, and a redirect to such a file leads nowhere.
    disallowed = f"robots.txt disallows {quoted_url(document.url)}" if is_requested else None
    return SiteFile(None, disallowed, DISALLOWED, is_requested=is_requested)


class SiteFileCache:
    """Files by the key of their step, up to 16 MiB. The least recently used one is evicted first.

    Safe for use by several threads.
    """

    def __init__(self) -> None:
        self._clear()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Clear the cache if another thread of the parent was changing it during the fork."""
        if self._lock.locked():
            self._clear()

    def _clear(self) -> None:
        self._lock = threading.Lock()
        self._files: OrderedDict[FileKey, KeptFile] = OrderedDict()
        self._bytes = 0

    def get(self, step: FileStep, now: float) -> KeptFile | None:
        """Return the file of a step, or None if it is not in memory, or expired."""
        with self._lock:
            kept = self._files.get(step.key)
            # A clock that was set back must not keep a file for longer.
            if kept is None or not (kept.requested_at or 0.0) <= now < kept.expires_at:
                return None
            self._files.move_to_end(step.key)
            return kept

    def known_at(self, step: FileStep, at: float) -> KeptFile | None:
        """Return the file of a step if it was requested at a time or before, whether or not it has expired."""
        with self._lock:
            kept = self._files.get(step.key)
            return None if kept is None or (kept.requested_at or 0.0) > at else kept

    def put(self, step: FileStep, file: SiteFile, now: float) -> KeptFile:
        """Add or replace the file of a step."""
        kept = kept_file(file, now)
        with self._lock:
            self._forget(step.key)
            self._files[step.key] = kept
            self._bytes += _size(file)
            while self._bytes > _MAX_BYTES:
                self._forget(next(iter(self._files)))
        return kept

    def _forget(self, key: FileKey) -> None:
        kept = self._files.pop(key, None)
        if kept is not None:
            self._bytes -= _size(kept.file)


def _size(file: SiteFile) -> int:
    return _ENTRY_BYTES + len(file.content or b"") + len(file.problem or "") + len(file.url or "")
