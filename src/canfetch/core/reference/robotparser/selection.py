"""Selection of entries as in urllib.robotparser: an entry applies if its name is part of the crawler's name.

Before the rewrite, the first such entry applies, or else the first for `*`. After it, an equal name is preferred,
entries with the same name are merged, and an empty name is part of every other.
"""

from canfetch.core.reference.robotparser.parser import ParsedEntry
from canfetch.core.reference.selection import Selection

_NONE = Selection("none", -1, ())
# Entries in file order, as a linked list from the last one. Lists with the same beginning share it.
_Chain = tuple["_Chain | None", int]


class _Merged:
    """Entries with the same name, and the names that all of them have, as written."""

    __slots__ = ("chain", "names")

    def __init__(self, names: list[str], chain: _Chain) -> None:
        self.names = names
        self.chain = chain

    @property
    def indices(self) -> tuple[int, ...]:
        """The indices of the entries, in file order."""
        found: list[int] = []
        chain: _Chain | None = self.chain
        while chain is not None:
            chain, index = chain
            found.append(index)
        return tuple(reversed(found))


class EntryTable:
    """The entries of a file by name."""

    __slots__ = ("_by_name", "_rewritten", "entries")

    def __init__(self, entries: list[ParsedEntry], *, rewritten: bool) -> None:
        self.entries = entries
        self._rewritten = rewritten
        self._by_name: dict[str, _Merged] = {}
        if rewritten:
            for index, entry in enumerate(entries):
                self._merge(index, entry.names)

    def _merge(self, index: int, names: list[str]) -> None:
        alone = _Merged(names, (None, index))
        within = set(names)
        # Names with the same entries share one object, so that they are compared once.
        merged: dict[int, _Merged] = {}
        for name in dict.fromkeys(map(str.lower, names)):
            known = self._by_name.get(name)
            if known is None:
                self._by_name[name] = alone
                continue
            if id(known) not in merged:
                # Case-sensitive, as in urllib.robotparser.
                shared = [other for other in known.names if other in within]
                merged[id(known)] = _Merged(shared, (known.chain, index))
            self._by_name[name] = merged[id(known)]

    def select(self, tokens: tuple[bytes, ...], *, star_applies: bool) -> Selection:
        """Return the entries of the first token that has any, or else those of `*` if it applies, or else none.

        Cost: O(tokens times the bytes of user-agent lines).
        """
        for position, token in enumerate(tokens):
            name = token.decode("utf-8", "surrogateescape").lower()
            if name == "*":
                # An empty name is part of `*`, too. After the rewrite, equal names are preferred.
                found = (
                    self._star() or self._entries_for(name)
                    if self._rewritten
                    else self._entries_for(name) or self._star()
                )
                if found:
                    return Selection("star", -1, found)
                continue
            found = self._entries_for(name)
            if found:
                return Selection("fallback" if position else "own-token", position, found)
        found = self._star() if star_applies else ()
        return Selection("star", -1, found) if found else _NONE

    def _entries_for(self, crawler: str) -> tuple[int, ...]:
        if not self._rewritten:
            names = ((index, entry.names) for index, entry in enumerate(self.entries))
            return next(
                ((index,) for index, entry_names in names if "*" not in entry_names and _within(entry_names, crawler)),
                (),
            )
        exact = self._by_name.get(crawler)
        if exact is not None:
            return exact.indices
        distinct = {id(known): known for known in self._by_name.values()}
        return next((known.indices for known in distinct.values() if _within(known.names, crawler)), ())

    def _star(self) -> tuple[int, ...]:
        if self._rewritten:
            known = self._by_name.get("*")
            return () if known is None else known.indices
        return next(((index,) for index, entry in enumerate(self.entries) if "*" in entry.names), ())


def _within(names: list[str], crawler: str) -> bool:
    return any(name.lower() in crawler for name in names if name != "*")
