"""The results of the signatures of requests, counted in bounded memory."""

from collections import Counter
from typing import Final

from canfetch.agents.identity import SignatureCheck, SignatureStatus
from canfetch.logs.report import LoggedSignatures

# Signers and keys that are counted apart. Anyone can publish keys, and name any directory.
_SIGNERS_LIMIT: Final = 100
# Directories that are counted apart for each reason why signatures are not valid.
_CLAIMS_LIMIT: Final = 10


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
