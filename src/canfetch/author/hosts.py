"""Hosts of requests, and patterns of hosts such as `*.preview.example.com`.

A host comes from a Host field, which clients choose. So parsing is bounded, and no input raises.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from canfetch.core.origin import check_sent_port, find_origin
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

_NEVER_IN_HOST_FIELD: Final = frozenset("/?#@\\")
# A name of 254 characters or an IPv6 address, and a port.
_MAX_HOST_FIELD: Final = 300
_STAR: Final = "*"
_MATCHED: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")
# Takes the place of `*` while the rest of a pattern is parsed as a host.
_PLACEHOLDER: Final = "canfetchstar"
_EXPECTED: Final = "expected a host such as 'www.example.com' or 'localhost:8000', or a pattern such as '*.example.com'"


class Host(NamedTuple):
    """A host in lower case and in ASCII, and its port, or None."""

    name: str
    port: int | None

    def __str__(self) -> str:
        return self.name if self.port is None else f"{self.name}:{self.port}"


def parse_host(field: str) -> Host | None:
    """Parse the value of a Host field, such as `www.example.com:8080`, or return None if it is invalid.

    An invalid port is left out, because frameworks that check the host of a request accept one.

    Cost: O(characters), at most 300, or a dictionary lookup for a host that was seen recently.
    """
    return None if len(field) > _MAX_HOST_FIELD else _parse_host(field) or _parse_host(field.rpartition(":")[0])


@lru_cache(maxsize=256)
def _parse_host(field: str) -> Host | None:
    if not field.isascii() or not field.isprintable() or " " in field:
        return None
    if _NEVER_IN_HOST_FIELD & set(field):
        return None
    # This scheme has no default port.
    origin = find_origin(f"host://{field}/")
    return None if origin is None else Host(origin.host.removesuffix("."), origin.port)


def parse_configured_host(text: str) -> Host | None:
    """Parse a host that a person wrote, also beyond ASCII, or return None if it is invalid."""
    if len(text) > _MAX_HOST_FIELD or _NEVER_IN_HOST_FIELD & set(text):
        return None
    origin = None if text.isascii() else find_origin(f"host://{text}/")
    return _parse_host(text if origin is None else str(origin).removeprefix("host://"))


class HostPattern(NamedTuple):
    """A host, or a pattern with one `*` in its first label.

    A `*` that is the whole label matches one or more labels. Another one matches characters within the label.

    Attributes:
        name: The host in lower case and in ASCII, with the `*`.
        port: The port, or None for all ports.
    """

    name: str
    port: int | None

    @property
    def is_exact(self) -> bool:
        """Whether the pattern is one host."""
        return _STAR not in self.name

    @property
    def specificity(self) -> tuple[bool, int, bool]:
        """The rank among patterns that match a host; the highest one decides."""
        return self.is_exact, len(self.name), self.port is not None

    def matches(self, host: Host) -> bool:
        """Return whether a host matches.

        Cost: O(characters).
        """
        if self.port is not None and self.port != host.port:
            return False
        start, star, end = self.name.partition(_STAR)
        if not star:
            return host.name == self.name
        if len(host.name) <= len(start) + len(end) or not (host.name.startswith(start) and host.name.endswith(end)):
            return False
        matched = set(host.name[len(start) : len(host.name) - len(end)])
        # Some servers join two Host fields with a comma.
        return matched <= (_MATCHED if self._is_whole_label else _MATCHED - {"."})

    def is_ambiguous_with(self, other: "HostPattern") -> bool:
        """Return whether a host may match both patterns, and neither is more specific."""
        if self.specificity != other.specificity or self.port != other.port:
            return False
        start, _, end = self.name.partition(_STAR)
        other_start, _, other_end = other.name.partition(_STAR)
        if self.is_exact:
            return self.name == other.name
        starts_agree = start.startswith(other_start) or other_start.startswith(start)
        return starts_agree and (end.endswith(other_end) or other_end.endswith(end))

    @property
    def _is_whole_label(self) -> bool:
        return self.name.startswith(f"{_STAR}.")

    def __str__(self) -> str:
        return str(Host(*self))


def parse_host_pattern(text: str) -> HostPattern:
    """Parse a host or a pattern.

    Raises: InvalidOption: It is neither.
    """
    if "//" in text:
        raise InvalidOption(f"invalid host {quoted(text)}: expected a host without a scheme and a path")
    label, _, rest = text.partition(".")
    if text.count(_STAR) > 1 or (_STAR in text and (_STAR not in label or not rest.strip("."))):
        reason = "expected one '*', in the first label, and a name after it, such as '*.example.com'"
        if text == _STAR:
            reason += "; hosts that match no environment are closed"
        raise InvalidOption(f"invalid host {quoted(text)}: {reason}")
    # A label beyond ASCII is encoded as a whole, so a part of it cannot be matched.
    host = None if _STAR in label and not label.isascii() else parse_configured_host(text.replace(_STAR, _PLACEHOLDER))
    if host is None or not host.name:
        raise InvalidOption(f"invalid host {quoted(text)}: {_EXPECTED}")
    check_sent_port(text, host.port)
    return HostPattern(host.name.replace(_PLACEHOLDER, _STAR), host.port)
