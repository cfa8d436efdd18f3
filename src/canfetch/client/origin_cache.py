"""What a client remembers, bounded by octets: the origin that was used least recently goes first."""

import heapq
import threading
from itertools import count
from typing import Final

from canfetch.client.cached_file import CachedFile
from canfetch.client.forking import reset_on_fork
from canfetch.client.origin_state import OriginState
from canfetch.core.origin import Origin

_SPARE_PLACES: Final = 64


class OriginCache:
    """Known origins by name; safe for the threads of a process.

    Who looks up takes no lock: it leaves the number of its turn. Origins wait in line by the turn that was
    known when they were put there; where room is needed, those that were used since go back to their place,
    and the first that was not goes.
    """

    __slots__ = (
        "__weakref__",
        "_by_name",
        "_files",
        "_limit_octets",
        "_line",
        "_lock",
        "_next_turn",
        "_octets",
        "_turn_in_line",
    )

    def __init__(self, max_bytes: int) -> None:
        self._limit_octets = max_bytes
        self._empty()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Begin anew where the fork came amid a change; else keep what is known."""
        if self._lock.locked():
            self._empty()

    def _empty(self) -> None:
        self._octets = 0
        self._lock = threading.Lock()
        self._by_name: dict[str, OriginState] = {}
        self._next_turn = count(1).__next__
        # A heap of turns and names; what a name's turn in it is, for what is in it twice.
        self._line: list[tuple[int, str]] = []
        self._turn_in_line: dict[str, int] = {}
        # What origins have, by its octets: the hosts of one platform have the same file a thousand times.
        self._files: dict[bytes, CachedFile] = {}

    def __len__(self) -> int:
        return len(self._by_name)

    @property
    def memory_bytes(self) -> int:
        """About how many octets of memory the origins take."""
        return self._octets

    def find(self, url: str | bytes) -> OriginState | None:
        """Give what is known of a URL's origin, and count it as used.

        Raises: InvalidURL.
        Cost: a look-up, for a known origin that the URL begins with as its name is written; a URL that is
            written in another way is taken apart.
        """
        if isinstance(url, str):
            end = url.find("/", url.find("://") + 3)
            # Nothing but a name and a slash behind it is known to end there: example.co is no beginning of example.com.
            known = self._by_name.get(url[:end]) if end > 0 else None
            if known is not None:
                known.turn = self._next_turn()
                return known
        return self.get(str(Origin.from_url(url)))

    def get(self, name: str) -> OriginState | None:
        """Give what is known of an origin, and count it as used."""
        known = self._by_name.get(name)
        if known is not None:
            known.turn = self._next_turn()
        return known

    def put(self, known: OriginState) -> None:
        """Remember an origin, and forget others past the bound.

        Cost: O(log origins), and as much for each that was used since it was last in line, where room is needed.
        """
        # The entry's own text, which is there in any case.
        name = known.entry.origin
        with self._lock:
            before = self._by_name.get(name)
            self._hold(known)
            known.turn = self._next_turn()
            # In place: who looks up without the lock never misses an origin that stays.
            self._by_name[name] = known
            if before is not None:
                self._let_go(before)
            if name not in self._turn_in_line:
                self._queue(name, known.turn)
            while self._octets > self._limit_octets and len(self._by_name) > 1:
                self._forget_one()

    def forget(self, name: str) -> None:
        """Forget an origin."""
        with self._lock:
            before = self._by_name.pop(name, None)
            if before is not None:
                del self._turn_in_line[name]
                self._let_go(before)
                if len(self._line) > 2 * len(self._by_name) + _SPARE_PLACES:
                    # What was forgotten by name is still in line.
                    self._line = [(turn, name) for name, turn in self._turn_in_line.items()]
                    heapq.heapify(self._line)

    def _queue(self, name: str, turn: int) -> None:
        self._turn_in_line[name] = turn
        heapq.heappush(self._line, (turn, name))

    def _forget_one(self) -> None:
        turn, name = heapq.heappop(self._line)
        if self._turn_in_line.get(name) != turn:
            return
        known = self._by_name[name]
        if known.turn > turn:
            self._queue(name, known.turn)
            return
        del self._turn_in_line[name], self._by_name[name]
        self._let_go(known)

    def _hold(self, known: OriginState) -> None:
        self._octets += known.memory_bytes
        if known.file is None:
            return
        file = self._files.setdefault(known.file.content, known.file)
        if file is not known.file:
            known.share(file)
        if not file.holders:
            self._octets += file.memory_bytes
        file.holders += 1

    def _let_go(self, known: OriginState) -> None:
        self._octets -= known.memory_bytes
        file = known.file
        if file is None:
            return
        file.holders -= 1
        if not file.holders:
            # The last one that has it takes it along.
            self._octets -= file.memory_bytes
            del self._files[file.content]
