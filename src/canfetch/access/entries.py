"""What is known of an origin's robots.txt: plain data, which any store can keep.

Nothing here is pickled: `to_plain` gives strings, numbers, lists and None, and `from_plain` checks all of
it, so that a corrupt entry is told and costs one fetch.
"""

import hashlib
import json
import sys
from base64 import b64decode, b64encode
from math import isfinite
from typing import Any, Final, NamedTuple, Self

from canfetch.access.fetch_plan import Hop, Validators
from canfetch.access.outcomes import EFFECTS, Access, Effect, Outcome
from canfetch.access.policies import POLICIES
from canfetch.access.responses import Headers
from canfetch.access.retrying import MAX_RETRY_AFTER
from canfetch.core._tables import DEFAULT_MAX_BYTES
from canfetch.errors import CorruptEntry

ENTRY_FORMAT: Final = 2
# The one before does not say how far a file was read.
_FORMER_FORMAT: Final = 1
_DEFAULT_POLICY: Final = "rfc9309"
_POLICY_MARK: Final = "#"
# The headers that later questions need; a stranger chooses the others, and how many there are.
KEPT_HEADERS: Final = frozenset(
    ["age", "cache-control", "content-type", "date", "etag", "expires", "last-modified", "retry-after"]
)
_LONGEST_KEPT_HEADER: Final = 1024
# What the entry, a header field and a hop take beside their texts, with their places in what holds them.
_BARE_OCTETS: Final = 1024
_FIELD_OCTETS: Final = 64
_HOP_OCTETS: Final = 80
# Sums of large numbers are not exact.
_ROUNDING_SECONDS: Final = 1.0


def entry_key(origin: str, policy: str) -> str:
    """Give the key under which stores keep what a policy makes of an origin: one each, so that none costs another its.

    That is the origin itself under the default policy, and with the policy's name behind a `#` under another.
    """
    return origin if policy == _DEFAULT_POLICY else f"{origin}{_POLICY_MARK}{policy}"


def origin_of_key(key: str) -> str:
    """Give the origin that a key is about."""
    return key.partition(_POLICY_MARK)[0]


class Copy(NamedTuple):
    """A good copy: the octets as fetched, decoded from their content coding, and where and when.

    `truncated_at` is the parsing limit that the file went over, so that only its beginning is here; None where it is
    whole.
    """

    content: bytes
    url: str
    status: int
    fetched_at: float
    validators: Validators
    truncated_at: int | None = None

    @property
    def sha256(self) -> str:
        """The hash of the octets, in hex."""
        return hashlib.sha256(self.content).hexdigest()


class Entry(NamedTuple):
    """What is known of an origin's robots.txt after the last fetch. Times are seconds since the epoch.

    `next_fetch_at` is when the next fetch may be: the end of freshness, or of the wait after a failure.
    `copy` is the last good copy, which may be older than the last fetch. `failures` counts the failures in
    a row, since `first_failure_at`; both begin anew with any answer. `max_bytes` is how far the last fetch
    read.
    """

    origin: str
    policy: str
    outcome: Outcome
    url: str
    status: int | None
    headers: Headers
    hops: tuple[Hop, ...]
    fetched_at: float
    next_fetch_at: float
    copy: Copy | None
    failures: int
    first_failure_at: float | None
    max_bytes: int = DEFAULT_MAX_BYTES

    @property
    def key(self) -> str:
        """Under what a store keeps it."""
        return entry_key(self.origin, self.policy)

    @property
    def memory_bytes(self) -> int:
        """About how many octets the entry takes: what bounds of memory count."""
        texts = [self.origin, self.url, self.outcome.detail]
        for field in self.headers:
            texts += field
        for hop in self.hops:
            texts += (hop.url, hop.location)
        octets = 0
        if self.copy is not None:
            octets = len(self.copy.content)
            validators = self.copy.validators
            texts += (self.copy.url, validators.url, validators.etag or "", validators.last_modified or "")
        # A place is asked next, and so is there twice, but once in memory.
        by_identity = {id(text): text for text in texts}
        tuples = _FIELD_OCTETS * len(self.headers) + _HOP_OCTETS * len(self.hops)
        return _BARE_OCTETS + octets + tuples + sum(map(sys.getsizeof, by_identity.values()))

    def to_plain(self) -> dict[str, Any]:
        """Give the entry in plain values, under a format version."""
        copy = self.copy
        return {
            "format": ENTRY_FORMAT,
            "origin": self.origin,
            "policy": self.policy,
            "access": str(self.outcome.access),
            "effect": None if self.outcome.effect is None else str(self.outcome.effect),
            "cell": self.outcome.cell,
            "detail": self.outcome.detail,
            "url": self.url,
            "status": self.status,
            "headers": [list(field) for field in self.headers],
            "hops": [list(hop) for hop in self.hops],
            "fetched_at": self.fetched_at,
            "next_fetch_at": self.next_fetch_at,
            "failures": self.failures,
            "first_failure_at": self.first_failure_at,
            "max_bytes": self.max_bytes,
            "copy": None
            if copy is None
            else {
                "content_base64": b64encode(copy.content).decode("ascii"),
                "sha256": copy.sha256,
                "url": copy.url,
                "status": copy.status,
                "fetched_at": copy.fetched_at,
                "etag": copy.validators.etag,
                "last_modified": copy.validators.last_modified,
                "truncated_at": copy.truncated_at,
            },
        }

    def to_json(self) -> str:
        """Give the entry as one line of JSON."""
        return json.dumps(self.to_plain(), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: object) -> Self:
        """Make an entry of what a store kept.

        Raises: CorruptEntry: it is no JSON, or as of `from_plain`.
        """
        try:
            plain = json.loads(text)  # type: ignore[arg-type]  # whatever the store gives is checked
        except (ValueError, TypeError, RecursionError):
            raise CorruptEntry("an entry is not what was kept: it is no JSON") from None
        return cls.from_plain(plain)

    @classmethod
    def from_plain(cls, plain: object) -> Self:
        """Make an entry of plain values.

        Raises: CorruptEntry: they are not those of an entry, or of another format, or the octets are not
            those that were kept.
        """
        try:
            return cls._from_plain(plain)
        except CorruptEntry:
            raise
        except KeyError as error:
            raise CorruptEntry(f"an entry is not what was kept: it has no {error}") from None
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            raise CorruptEntry(f"an entry is not what was kept: {error}") from None

    @classmethod
    def _from_plain(cls, plain: Any) -> Self:
        if plain["format"] == _FORMER_FORMAT:
            plain = _of_former_format(plain)
        elif plain["format"] != ENTRY_FORMAT:
            raise CorruptEntry(f"an entry has format {plain['format']!r}, not {ENTRY_FORMAT}")
        return cls(
            origin=_text(plain["origin"]),
            policy=_text(plain["policy"]),
            outcome=_outcome_of(plain),
            url=_text(plain["url"]),
            status=None if plain["status"] is None else int(plain["status"]),
            headers=tuple((_text(name), _text(value)) for name, value in plain["headers"]),
            hops=tuple(Hop(_text(url), int(status), _text(location)) for url, status, location in plain["hops"]),
            fetched_at=_seconds(plain["fetched_at"]),
            next_fetch_at=_due(plain),
            copy=None if plain["copy"] is None else _copy_of(plain["copy"]),
            failures=int(plain["failures"]),
            first_failure_at=_optional_seconds(plain["first_failure_at"]),
            max_bytes=int(plain["max_bytes"]),
        )


def _outcome_of(plain: Any) -> Outcome:
    access = Access(plain["access"])
    effect = None if plain["effect"] is None else Effect(plain["effect"])
    if effect not in EFFECTS[access]:
        raise ValueError(f"an origin that is {access} has not the effect {effect}")
    if effect is Effect.CONDITIONAL_ALLOW and plain["copy"] is None:
        raise ValueError("it has rules and no copy that holds them")
    return Outcome(access, effect, _text(plain["cell"]), _text(plain["detail"]))


def kept_headers(headers: Headers) -> Headers:
    """Keep of a response's headers what later questions need, and no more than a bound of it."""
    kept: dict[str, str] = {}
    for name, value in headers:
        folded = name.lower()
        if folded in KEPT_HEADERS and len(value) <= _LONGEST_KEPT_HEADER:
            kept.setdefault(folded, value)
    return tuple(kept.items())


def _of_former_format(plain: Any) -> Any:
    """Give an entry of the former format as this one has it: what is over the least limit may have been cut there."""
    copy = plain["copy"]
    if copy is not None:
        text = _text(copy["content_base64"])
        octets = len(text) // 4 * 3 - text[-2:].count("=")
        copy = copy | {"truncated_at": DEFAULT_MAX_BYTES if octets > DEFAULT_MAX_BYTES else None}
    return plain | {"max_bytes": DEFAULT_MAX_BYTES, "copy": copy}


def _copy_of(plain: Any) -> Copy:
    url = _text(plain["url"])
    etag, last_modified = plain["etag"], plain["last_modified"]
    copy = Copy(
        content=b64decode(plain["content_base64"], validate=True),
        url=url,
        status=int(plain["status"]),
        fetched_at=_seconds(plain["fetched_at"]),
        validators=Validators(
            url, None if etag is None else _text(etag), None if last_modified is None else _text(last_modified)
        ),
        truncated_at=None if plain["truncated_at"] is None else int(plain["truncated_at"]),
    )
    if copy.sha256 != plain["sha256"]:
        raise CorruptEntry("the octets of a copy are not those that were kept")
    return copy


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"text expected, not {type(value).__name__}")
    return value


def _seconds(value: Any) -> float:
    seconds = float(value)
    if not isfinite(seconds):
        raise ValueError(f"a time that ends expected, not {seconds}")
    return seconds


def _due(plain: Any) -> float:
    """Give when an entry is due.

    Raises: ValueError: that is later than any policy lets an answer, or a failure, put it off.
    """
    due, fetched = _seconds(plain["next_fetch_at"]), _seconds(plain["fetched_at"])
    policy = POLICIES.get(plain["policy"])
    longest = MAX_RETRY_AFTER if policy is None else policy.max_freshness
    if due - fetched > max(longest, MAX_RETRY_AFTER) + _ROUNDING_SECONDS:
        raise ValueError(f"it is due {due - fetched:.0f} s after it was fetched, and no answer holds so long")
    return due


def _optional_seconds(value: Any) -> float | None:
    return None if value is None else _seconds(value)
