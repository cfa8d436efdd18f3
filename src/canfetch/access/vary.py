"""Which requests a stored response serves: `Vary`.

A response serves only requests with the same values of the header fields that its `Vary` names. Values can be secret,
so an entry stores hashes of them.

Source: RFC 9111 section 4.1.
"""

import hashlib
import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from canfetch.access.responses import Headers

# A response that varies by more than its header fields: RFC 9110 section 12.5.5.
ANY_HEADER: Final = "*"
# Servers choose the names. A response with more names, or longer ones, counts as varying by all headers.
MAX_VARY_NAMES: Final = 16
_MAX_NAME_CHARACTERS: Final = 64
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")
# Transports negotiate the content coding, and the decoded content is stored: it is the same for each coding.
_WITHOUT_EFFECT: Final = frozenset(["accept-encoding"])
_VARIANT_DIGITS: Final = 32


class VaryField(NamedTuple):
    """A header field that a response varies by.

    Attributes:
        name: The name in lower case, or `*` for all headers that the client sent.
        sha256: The hash of the value that the client sent, in hex, or None if it did not send the header.
    """

    name: str
    sha256: str | None


class SentHeaders:
    """The headers that a client sends with every request for the robots.txt of an origin, compared by their hashes.

    Args:
        origin: The origin. It is a part of the hashes, so that they cannot be compared across origins.
        headers: The headers, without those of conditional requests.
    """

    def __init__(self, origin: str, headers: Headers) -> None:
        values: dict[str, list[str]] = {}
        for name, value in headers:
            values.setdefault(name.lower(), []).append(value.strip())
        # Several fields with one name are one list: RFC 9110 section 5.3.
        self._values = {name: ", ".join(fields) for name, fields in values.items() if name not in _WITHOUT_EFFECT}
        self._origin = origin

    @property
    def variant(self) -> str:
        """The name of the variants that serve only requests with exactly these headers."""
        return f"headers-{self._hash_all()[:_VARIANT_DIGITS]}"

    def record(self, names: Iterable[str]) -> tuple[VaryField, ...]:
        """Return the fields of a response to a request with these headers.

        Args:
            names: The names that `vary_names` returned.
        """
        return tuple([VaryField(name, self._hash(name)) for name in sorted(names)])

    def match(self, fields: Iterable[VaryField]) -> bool:
        """Return whether a response that varies by `fields` serves requests with these headers."""
        return all(self._hash(field.name) == field.sha256 for field in fields)

    def _hash(self, name: str) -> str | None:
        if name == ANY_HEADER:
            return self._hash_all()
        value = self._values.get(name)
        return None if value is None else _hash_strings(self._origin, name, value)

    def _hash_all(self) -> str:
        fields = (part for field in sorted(self._values.items()) for part in field)
        return _hash_strings(self._origin, *fields)


def vary_names(headers: Headers) -> frozenset[str]:
    """Return the names of the header fields that a response varies by, in lower case.

    `*`, an invalid name, and too many or too long names all count as `*`. No name other than `*` is returned then.
    """
    values = [value for name, value in headers if name.lower() == "vary"]
    if not values:
        return frozenset()
    return _bounded({part.strip().lower() for part in ",".join(values).split(",")} - _WITHOUT_EFFECT - {""})


def union_vary_names(first: frozenset[str], second: frozenset[str]) -> frozenset[str]:
    """Return the names of two responses together, with the same limits as `vary_names`."""
    return _bounded(first | second) if first and second else first or second


def merge_vary(headers: SentHeaders, stored: Iterable[VaryField], names: frozenset[str]) -> tuple[VaryField, ...]:
    """Return the fields of a stored response together with those of a newer one.

    Args:
        headers: The headers of the newer request. The stored response must serve it.
        stored: The fields of the stored response.
        names: The names in the newer response.
    """
    return headers.record(union_vary_names(frozenset(field.name for field in stored), names))


def _bounded(names: Iterable[str]) -> frozenset[str]:
    found = frozenset(names)
    if ANY_HEADER in found or len(found) > MAX_VARY_NAMES or not all(map(_is_name, found)):
        return frozenset([ANY_HEADER])
    return found


def _is_name(name: str) -> bool:
    return len(name) <= _MAX_NAME_CHARACTERS and _NAME.fullmatch(name) is not None


def _hash_strings(*strings: str) -> str:
    # Lengths separate the strings, so that two lists with the same text have different hashes.
    text = "".join(f"{len(string)}:{string}" for string in strings)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
