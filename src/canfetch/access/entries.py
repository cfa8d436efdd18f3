"""The cache entry of an origin: plain data that any store can hold.

Entries are stored as JSON and never pickled. `CacheEntry.from_dict` checks every value, so a corrupt entry is
detected and costs one fetch. An entry of a newer format is reported as such, so that it can be left alone.
"""

import hashlib
import json
import sys
from base64 import b64decode, b64encode
from typing import Any, Final, NamedTuple, Self

from canfetch.access.fetch_plan import Hop, Validators
from canfetch.access.outcomes import EFFECTS, Outcome, OutcomeKind
from canfetch.access.policies import get_policy
from canfetch.access.responses import Headers
from canfetch.access.retries import MAX_RETRY_AFTER
from canfetch.access.vary import VaryField
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.text import printable_text
from canfetch.core.times import parse_rfc3339, rfc3339
from canfetch.core.verdict import Access, Effect
from canfetch.errors import CorruptEntry, InvalidOption, NewerEntry, UnknownPolicy

ENTRY_FORMAT: Final = 5
# The variant of the last copy that served every client, from before the origin began to vary.
SHARED_VARIANT: Final = "shared"
_DEFAULT_POLICY: Final = "rfc9309"
_KEY_MARK: Final = "#"
# The headers that are needed later. Servers choose the names and the number of all others.
STORED_HEADERS: Final = frozenset(
    ["age", "cache-control", "content-type", "date", "etag", "expires", "last-modified", "retry-after"]
)
_MAX_STORED_HEADER_CHARACTERS: Final = 1024
_CACHE_CONTROL: Final = "cache-control"
# These describe one message, and not the file.
_MESSAGE_HEADERS: Final = ("age", "date")
# Memory in bytes of an entry, a header field and a hop, without their strings.
_ENTRY_BYTES: Final = 1024
_HEADER_BYTES: Final = 64
_HOP_BYTES: Final = 80
_VARY_FIELD_BYTES: Final = 64
# Sums of large floats are inexact.
_ROUNDING_SECONDS: Final = 1.0


def entry_key(origin: str, policy: str, variant: str = "") -> str:
    """Return the key of an entry in a store: the origin, followed by `#` and the policy unless it is the default.

    Each policy has its own entry for an origin, so that clients with other policies keep their last good copy. The key
    of a variant is the origin, the policy and the variant, separated by `#`.
    """
    if variant:
        return f"{origin}{_KEY_MARK}{policy}{_KEY_MARK}{variant}"
    return origin if policy == _DEFAULT_POLICY else f"{origin}{_KEY_MARK}{policy}"


def origin_from_key(key: str) -> str:
    """Return the origin in the key of an entry."""
    return key.partition(_KEY_MARK)[0]


class CachedCopy(NamedTuple):
    """A good copy of a robots.txt.

    Attributes:
        content: The bytes of the file, without content coding.
        url: The URL that the file was fetched from.
        status: The status code.
        fetched_at: When the file was fetched or revalidated, in seconds since the epoch.
        validators: The validators for a conditional request.
        truncated_at: The parsing limit at which the file was truncated, or None if it is complete. The content is
            longer if it had the same beginning under a higher limit before.
        headers: The stored headers of the response with the file, updated by each 304 since then.
        vary: The request headers that the file depends on. The copy serves only clients with the same values.
    """

    content: bytes
    url: str
    status: int
    fetched_at: float
    validators: Validators
    truncated_at: int | None = None
    headers: Headers = ()
    vary: tuple[VaryField, ...] = ()

    @property
    def sha256(self) -> str:
        """The SHA-256 hash of the content, in hex."""
        return hashlib.sha256(self.content).hexdigest()


class CacheEntry(NamedTuple):
    """What is known about the robots.txt of an origin after the last fetch. Times are in seconds since the epoch.

    Attributes:
        origin: The origin, such as `https://example.com`.
        policy: The name of the access policy.
        outcome: How the policy interprets the last fetch.
        url: The URL of the last request, after redirects.
        status: The status of the last response, or None if the last request failed.
        headers: The headers of the last response that are needed later. After a 304, those of the copy.
        hops: The redirects of the last fetch.
        fetched_at: The end of the last fetch. See `last_attempt_at`.
        next_fetch_at: The earliest time of the next fetch: the end of the freshness lifetime, or of the delay after a
            failure.
        copy: The last good copy, which can be older than the last fetch.
        failures: The number of consecutive failures, since `first_failure_at`. Any response resets both.
        max_bytes: The parsing limit of the last fetch.
        vary: The request headers that the responses of the last fetch depend on, and those of the copy unless the
            last fetch replaced it. The entry serves only clients with the same values.
        variant: The name of the variant, or an empty string for the entry under the key of the origin.
        responded_at: When the origin was last reachable, or None.
        requested_at: When the robots.txt of the origin was requested for the last fetch. Of two fetches at the same
            time, the one whose request was sent later is newer. None in an entry of an older version.
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
    copy: CachedCopy | None
    failures: int
    first_failure_at: float | None
    max_bytes: int = DEFAULT_MAX_BYTES
    vary: tuple[VaryField, ...] = ()
    variant: str = ""
    responded_at: float | None = None
    requested_at: float | None = None

    def is_newer_than(self, requested_at: float) -> bool:
        """Return whether the robots.txt was requested after a time. Older versions stored only the end of a fetch."""
        return (self.fetched_at if self.requested_at is None else self.requested_at) > requested_at

    @property
    def last_attempt_at(self) -> float | None:
        """The end of the last fetch, or None if no request was sent because the client was offline."""
        return None if self.outcome.kind is OutcomeKind.OFFLINE else self.fetched_at

    @property
    def key(self) -> str:
        """The key of the entry in a store."""
        return entry_key(self.origin, self.policy, self.variant)

    @property
    def memory_bytes(self) -> int:
        """The approximate size of the entry in memory, in bytes. Memory limits count this."""
        strings = [self.origin, self.url, self.outcome.detail, self.variant]
        fields = self.headers if self.copy is None else self.headers + self.copy.headers
        for field in fields:
            strings += field
        vary = self.vary if self.copy is None else self.vary + self.copy.vary
        for name, sha256 in vary:
            strings += (name, sha256 or "")
        for hop in self.hops:
            strings += (hop.url, hop.location)
        content_bytes = 0
        if self.copy is not None:
            content_bytes = len(self.copy.content)
            validators = self.copy.validators
            strings += (self.copy.url, validators.url, validators.etag or "", validators.last_modified or "")
        # The target of a redirect is also the next URL: the same string, which takes memory once.
        by_identity = {id(string): string for string in strings}
        tuple_bytes = _HEADER_BYTES * len(fields) + _HOP_BYTES * len(self.hops) + _VARY_FIELD_BYTES * len(vary)
        return _ENTRY_BYTES + content_bytes + tuple_bytes + sum(map(sys.getsizeof, by_identity.values()))

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as a dictionary that can be written as JSON, with a format version.

        Times are RFC 3339 strings in UTC, to the microsecond.
        """
        copy = self.copy
        return {
            "format": ENTRY_FORMAT,
            "origin": self.origin,
            "policy": self.policy,
            "variant": self.variant,
            "access": str(self.outcome.access),
            "effect": None if self.outcome.effect is None else str(self.outcome.effect),
            "outcome": str(self.outcome.kind),
            "detail": self.outcome.detail,
            "url": self.url,
            "status": self.status,
            "headers": [list(field) for field in self.headers],
            "hops": [list(hop) for hop in self.hops],
            "fetched_at": rfc3339(self.fetched_at),
            "next_fetch_at": rfc3339(self.next_fetch_at),
            "failures": self.failures,
            "first_failure_at": None if self.first_failure_at is None else rfc3339(self.first_failure_at),
            "responded_at": None if self.responded_at is None else rfc3339(self.responded_at),
            "requested_at": None if self.requested_at is None else rfc3339(self.requested_at),
            "max_bytes": self.max_bytes,
            "vary": [list(field) for field in self.vary],
            "copy": None
            if copy is None
            else {
                "content_base64": b64encode(copy.content).decode("ascii"),
                "sha256": copy.sha256,
                "url": copy.url,
                "status": copy.status,
                "fetched_at": rfc3339(copy.fetched_at),
                "etag": copy.validators.etag,
                "last_modified": copy.validators.last_modified,
                "truncated_at": copy.truncated_at,
                "headers": [list(field) for field in copy.headers],
                "vary": [list(field) for field in copy.vary],
            },
        }

    def to_json(self) -> str:
        """Return the entry as one line of JSON."""
        return json.dumps(self.to_dict(), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: object) -> Self:
        """Parse an entry that `to_json` wrote.

        Args:
            text: A `str` or `bytes`. Stores may return any object; others are corrupt entries.
        Raises: CorruptEntry: `text` is not valid JSON, or `from_dict` raises it; NewerEntry: `from_dict` raises it.
        """
        try:
            plain = json.loads(text)  # type: ignore[arg-type]  # the error is handled
        except (ValueError, TypeError, RecursionError):
            raise CorruptEntry("corrupt cache entry: invalid JSON") from None
        return cls.from_dict(plain)

    @classmethod
    def from_dict(cls, plain: object) -> Self:
        """Create an entry from a dictionary that `to_dict` returned.

        Raises: CorruptEntry: A value is missing or invalid, the format is unsupported, or the content does not match
            its hash; NewerEntry: The format is newer than `ENTRY_FORMAT`.
        """
        try:
            return cls._from_dict(plain)
        except (CorruptEntry, NewerEntry):
            raise
        except KeyError as error:
            raise CorruptEntry(f"corrupt cache entry: missing key {error}") from None
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            raise CorruptEntry(f"corrupt cache entry: {error}") from None

    @classmethod
    def _from_dict(cls, plain: Any) -> Self:
        if not isinstance(plain, dict):
            raise CorruptEntry(f"corrupt cache entry: expected an object, not {type(plain).__name__}")
        entry_format = plain["format"]
        if type(entry_format) is int and entry_format > ENTRY_FORMAT:
            raise newer_entry(entry_format)
        if entry_format != ENTRY_FORMAT:
            raise CorruptEntry(f"unsupported cache entry format {entry_format!r}: expected {ENTRY_FORMAT}")
        return cls(
            origin=_parse_str(plain["origin"]),
            policy=_parse_str(plain["policy"]),
            outcome=_parse_outcome(plain),
            url=_parse_str(plain["url"]),
            status=None if plain["status"] is None else int(plain["status"]),
            headers=_parse_headers(plain["headers"]),
            hops=tuple(
                Hop(_parse_str(url), int(status), _parse_str(location)) for url, status, location in plain["hops"]
            ),
            fetched_at=_parse_time(plain["fetched_at"]),
            next_fetch_at=_parse_next_fetch_at(plain),
            copy=None if plain["copy"] is None else _parse_copy(plain["copy"]),
            failures=int(plain["failures"]),
            first_failure_at=_parse_optional_time(plain["first_failure_at"]),
            max_bytes=int(plain["max_bytes"]),
            vary=_parse_vary(plain["vary"]),
            variant=_parse_str(plain["variant"]),
            responded_at=_parse_optional_time(plain["responded_at"]),
            requested_at=_parse_optional_time(plain.get("requested_at")),
        )


def newer_entry(entry_format: int) -> NewerEntry:
    """Return the exception for an entry of a newer format."""
    return NewerEntry(
        f"unreadable cache entry: format {entry_format} is newer than the supported format {ENTRY_FORMAT}; "
        "upgrade canfetch"
    )


def select_stored_headers(headers: Headers) -> Headers:
    """Return the headers of a response that an entry stores: known names in lower case, of bounded length.

    The values of `Cache-Control` are joined. The other headers are not lists, and their first value is stored.
    """
    stored: dict[str, str] = {}
    for name, value in headers:
        folded = name.lower()
        if folded not in STORED_HEADERS or (folded in stored and folded != _CACHE_CONTROL):
            continue
        joined = f"{stored[folded]}, {value}" if folded in stored else value
        if len(joined) <= _MAX_STORED_HEADER_CHARACTERS:
            stored[folded] = joined
    return tuple(stored.items())


def update_stored_headers(stored: Headers, update: Headers) -> Headers:
    """Return the stored headers of a file after a 304 with the headers `update`.

    Headers that the 304 does not have stay, except `Age` and `Date`: without them, the 304 is new.

    Source: RFC 9111 sections 3.2, 4.2.3 and 4.3.4.
    """
    lasting = {name: value for name, value in stored if name not in _MESSAGE_HEADERS}
    return tuple((lasting | dict(update)).items())


def _parse_outcome(plain: Any) -> Outcome:
    access = Access(plain["access"])
    effect = None if plain["effect"] is None else Effect(plain["effect"])
    if effect not in EFFECTS[access]:
        raise ValueError(f"invalid effect {effect} of access {access}")
    if effect is Effect.CONDITIONAL_ALLOW and plain["copy"] is None:
        raise ValueError(f"effect {effect} without a copy")
    return Outcome(access, effect, OutcomeKind(plain["outcome"]), printable_text(_parse_str(plain["detail"])))


def _parse_copy(plain: Any) -> CachedCopy:
    url = _parse_str(plain["url"])
    etag, last_modified = plain["etag"], plain["last_modified"]
    copy = CachedCopy(
        content=b64decode(plain["content_base64"], validate=True),
        url=url,
        status=int(plain["status"]),
        fetched_at=_parse_time(plain["fetched_at"]),
        validators=Validators(
            url,
            None if etag is None else _parse_str(etag),
            None if last_modified is None else _parse_str(last_modified),
        ),
        truncated_at=None if plain["truncated_at"] is None else int(plain["truncated_at"]),
        headers=_parse_headers(plain["headers"]),
        vary=_parse_vary(plain["vary"]),
    )
    if copy.sha256 != plain["sha256"]:
        raise CorruptEntry("corrupt cache entry: the content of the copy does not match its hash")
    return copy


def _parse_headers(fields: Any) -> Headers:
    return tuple((_parse_str(name), _parse_str(value)) for name, value in fields)


def _parse_vary(fields: Any) -> tuple[VaryField, ...]:
    return tuple(VaryField(_parse_str(name), None if sha256 is None else _parse_str(sha256)) for name, sha256 in fields)


def _parse_str(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a string, not {type(value).__name__}")
    return value


def _parse_time(value: object) -> float:
    return parse_rfc3339(_parse_str(value))


def _parse_next_fetch_at(plain: Any) -> float:
    """Return when the next fetch is due.

    Raises: ValueError: The time is later than any policy, response or failure permits.
    """
    next_fetch_at, fetched_at = _parse_time(plain["next_fetch_at"]), _parse_time(plain["fetched_at"])
    try:
        longest = max(get_policy(plain["policy"]).max_freshness, MAX_RETRY_AFTER)
    except (UnknownPolicy, InvalidOption):
        longest = MAX_RETRY_AFTER
    if next_fetch_at - fetched_at > longest + _ROUNDING_SECONDS:
        raise ValueError(
            f"next_fetch_at is {next_fetch_at - fetched_at:.0f} s after fetched_at: expected at most {longest:.0f} s"
        )
    return next_fetch_at


def _parse_optional_time(value: object) -> float | None:
    return None if value is None else _parse_time(value)
