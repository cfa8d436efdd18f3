"""The states of cached origins by name, and their answers for the agent of the client.

Each decision of a client reads this table, so the native engine has its own class with the same methods. One call of
`allows` finds the origin of the URL, compares the time, and decides by the rules of the client's agent. If more is
needed, such as a fetch, it returns None, and the client looks up the state of the origin itself.

`OriginCache` decides which origins stay.
"""

from itertools import count
from typing import Final

from canfetch.client.options import Options
from canfetch.client.origin_state import OriginState
from canfetch.core.engines import native_engine_for
from canfetch.core.urls import AnyURL

_MIN_NAME_LENGTH: Final = len("http://a")


class _CachedOrigin:
    __slots__ = ("last_used", "state")

    def __init__(self, state: OriginState, last_used: int) -> None:
        self.state = state
        self.last_used = last_used


class OriginTable:
    """Origin states by name. Lookups take no lock.

    The time of uses advances with each addition and each lookup of a state, but not with answers: threads that share a
    client would delay each other by writing it. Origins with answers at the same time count as equally recent.
    """

    __slots__ = ("_hits_read", "_next_hit", "_next_time", "_origins", "_time")

    def __init__(self) -> None:
        self._origins: dict[str, _CachedOrigin] = {}
        self._next_time = count(1).__next__
        self._time = 0
        self._next_hit = count(1).__next__
        # How often `hits` was read. Each read takes a number of the counter.
        self._hits_read = 0

    def allows(self, url: AnyURL, now: float) -> bool | None:
        """Return whether the agent of the client may fetch `url`.

        Returns: None, without marking the origin as used, if the origin is not cached under the first bytes of the
            URL, needs a fetch, or its answer depends on the time.
        Raises: What `OriginState.own_allows` and the function that it returns raise.
        """
        origin = self._find(url)
        if origin is None or not origin.state.valid_from <= now < origin.state.next_fetch_at:
            return None
        allows = origin.state.own_allows()
        if allows is None:
            return None
        self._count_use(origin)
        return allows(url)

    def find(self, url: AnyURL) -> OriginState | None:
        """Return the state of the origin of `url` if the URL begins with its name, and mark it as used."""
        return self._look_up(self._find(url))

    def get(self, name: str) -> OriginState | None:
        """Return the state of an origin, or None, and mark it as used."""
        return self._look_up(self._origins.get(name))

    def put(self, name: str, state: OriginState) -> tuple[OriginState | None, int]:
        """Add or replace the state of an origin. Return the previous state and the time of this use."""
        previous = self._origins.get(name)
        self._time = time = self._next_time()
        # Replaced in one step, so that lookups always find the origin.
        self._origins[name] = _CachedOrigin(state, time)
        return None if previous is None else previous.state, time

    def pop(self, name: str) -> OriginState | None:
        """Remove an origin, and return its state."""
        origin = self._origins.pop(name, None)
        return None if origin is None else origin.state

    def last_used(self, name: str) -> int:
        """Return the time of the last use of an origin, or 0."""
        origin = self._origins.get(name)
        return 0 if origin is None else origin.last_used

    @property
    def hits(self) -> int:
        """Number of lookups that found an origin."""
        self._hits_read += 1
        return self._next_hit() - self._hits_read

    def __len__(self) -> int:
        return len(self._origins)

    def __contains__(self, name: str) -> bool:
        return name in self._origins

    def _find(self, url: AnyURL) -> _CachedOrigin | None:
        if not isinstance(url, str):
            return None
        # The slash after the host, for a scheme of http or https. For other URLs, the text before the slash is not the
        # name of an origin. The name ends at the slash, so that a URL of https://example.com does not find
        # https://example.co.
        end = url.find("/", _MIN_NAME_LENGTH)
        return self._origins.get(url[:end]) if end > 0 else None

    def _look_up(self, origin: _CachedOrigin | None) -> OriginState | None:
        if origin is None:
            return None
        self._time = self._next_time()
        self._count_use(origin)
        return origin.state

    def _count_use(self, origin: _CachedOrigin) -> None:
        self._next_hit()
        if origin.last_used != self._time:
            origin.last_used = self._time


def create_origin_table(options: Options) -> OriginTable:
    """Return an empty table of the engine that the options select."""
    native = native_engine_for(options.engine, options.profile.name)
    if native is None:
        return OriginTable()
    table: OriginTable = native.OriginTable()
    return table
