"""Bounded collections for the analysis of logs: keys that were set recently, and counts of signatures."""

from collections import Counter
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

from canfetch.agents.identity import SignatureCheck, SignatureStatus
from canfetch.logs.report import LoggedSignatures

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")

# Signers and keys that are counted apart. Anyone can publish keys, and name any directory.
_SIGNERS_LIMIT: Final = 100
# Directories that are counted apart for each reason why signatures are not valid.
_CLAIMS_LIMIT: Final = 10


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


class SignatureCounts:
    """Counts the signatures of requests by result."""

    __slots__ = ("_named", "_numbers")

    def __init__(self) -> None:
        self._numbers: Counter[tuple[str, str | None, str | None, str | None]] = Counter()
        self._named: Counter[str] = Counter()

    def add(self, check: SignatureCheck | None) -> None:
        """Count the signature of a request. Nothing is counted if there is none."""
        if check is None or check.status is SignatureStatus.ABSENT:
            return
        reason = str(check.reason)
        # Without a valid signature, the URL and the key are only what the request claims.
        key = (reason, check.url, check.key_id, None) if check.is_valid else (reason, None, None, check.url)
        if key not in self._numbers:
            if self._named[reason] >= (_SIGNERS_LIMIT if check.is_valid else _CLAIMS_LIMIT):
                key = (reason, None, None, None)
            else:
                self._named[reason] += 1
        self._numbers[key] += 1

    def report(self) -> tuple[LoggedSignatures, ...]:
        """Return the counts, the most frequent one first."""
        return tuple(
            LoggedSignatures(reason, url, key_id, number, claimed_url)
            for (reason, url, key_id, claimed_url), number in self._numbers.most_common()
        )
