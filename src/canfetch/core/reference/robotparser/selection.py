"""Which entries a crawler obeys, as urllib.robotparser chooses: those whose name is within the crawler's.

Before the rewrite the first such entry alone counts, and the first that names `*` where there is none. After it
a name that is equal counts first, entries of one name are merged, and an empty name is within every other.
"""

from canfetch.core.reference.robotparser.reading import ParsedEntry
from canfetch.core.reference.selection import Selection

_NONE = Selection("none", -1, ())


class _Merged:
    """Entries under one name, and the names that all of them have, as written."""

    __slots__ = ("indices", "names")

    def __init__(self, names: list[str], indices: list[int]) -> None:
        self.names = names
        self.indices = indices


class EntryTable:
    """The entries of a file, and who obeys them."""

    __slots__ = ("_by_name", "_rewritten", "entries")

    def __init__(self, entries: list[ParsedEntry], *, rewritten: bool) -> None:
        self.entries = entries
        self._rewritten = rewritten
        self._by_name: dict[str, _Merged] = {}
        if rewritten:
            for index, entry in enumerate(entries):
                self._merge(index, entry.names)

    def _merge(self, index: int, names: list[str]) -> None:
        for name in map(str.lower, names):
            known = self._by_name.get(name)
            if known is None:
                self._by_name[name] = _Merged(names, [index])
            else:
                # Here letter case counts, as it does there.
                within = set(names)
                shared = [other for other in known.names if other in within]
                self._by_name[name] = _Merged(shared, [*known.indices, index])

    def select(self, tokens: tuple[bytes, ...], *, star_applies: bool) -> Selection:
        """Choose: the first token that finds an entry, then `*` where it applies, then nothing.

        Cost: O(tokens times the octets of user-agent lines).
        """
        for place, token in enumerate(tokens):
            name = token.decode("utf-8", "surrogateescape").lower()
            found = self._star() if name == "*" else self._naming(name)
            if found and name == "*":
                return Selection("star", -1, found)
            if found:
                return Selection("fallback" if place else "own-token", place, found)
        found = self._star() if star_applies else ()
        return Selection("star", -1, found) if found else _NONE

    def _naming(self, crawler: str) -> tuple[int, ...]:
        if not self._rewritten:
            names = ((index, entry.names) for index, entry in enumerate(self.entries))
            return next(((index,) for index, of in names if "*" not in of and _within(of, crawler)), ())
        exact = self._by_name.get(crawler)
        if exact is not None:
            return _once(exact.indices)
        return next((_once(known.indices) for known in self._by_name.values() if _within(known.names, crawler)), ())

    def _star(self) -> tuple[int, ...]:
        if self._rewritten:
            known = self._by_name.get("*")
            return () if known is None else _once(known.indices)
        return next(((index,) for index, entry in enumerate(self.entries) if "*" in entry.names), ())


def _within(names: list[str], crawler: str) -> bool:
    return any(name.lower() in crawler for name in names if name != "*")


def _once(indices: list[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(indices))
