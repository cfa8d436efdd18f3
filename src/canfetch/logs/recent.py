"""A bounded memory of what happened last."""

from collections.abc import Hashable
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class Recent(Generic[_Key, _Value]):
    """A dictionary that remembers at least the last `limit` keys that were set, and at most twice as many."""

    __slots__ = ("_current", "_limit", "_previous")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._current: dict[_Key, _Value] = {}
        self._previous: dict[_Key, _Value] = {}

    def get(self, key: _Key) -> _Value | None:
        """Return the value of a key, or None if it is not remembered."""
        value = self._current.get(key)
        return self._previous.get(key) if value is None else value

    def set(self, key: _Key, value: _Value) -> None:
        """Set the value of a key."""
        if len(self._current) >= self._limit:
            self._previous, self._current = self._current, {}
        self._current[key] = value

    def exchange(self, key: _Key, value: _Value) -> _Value | None:
        """Set the value of a key, and return its previous value, or None if it is not remembered."""
        current = self._current
        last = current.get(key)
        if last is None:
            last = self._previous.get(key)
        if len(current) < self._limit:
            current[key] = value
        else:
            self._previous, self._current = current, {key: value}
        return last
