"""Whether a request comes from the crawler that its User-Agent header names."""

from collections.abc import Callable, Iterable
from enum import StrEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any, Final, NamedTuple, Self

_IPV4_MAPPED: Final = IPv6Network("::ffff:0:0/96")
_COOKIE: Final = "cookie"


def join_lines(name: str, values: Iterable[str]) -> str:
    """Return the value of a header field that a request has on several lines.

    HTTP/2 and HTTP/3 split the field Cookie, which HTTP/1.1 has only once.

    Args: name: The name in lower case.
    Source: RFC 9110 section 5.3; RFC 9113 section 8.2.3; RFC 9114 section 4.2.1; RFC 6265 section 5.4.
    """
    return ("; " if name == _COOKIE else ", ").join(values)


class IdentityStatus(StrEnum):
    """The result of verifying a crawler."""

    VERIFIED = "verified"
    IMPOSTOR = "impostor"
    UNDECIDED = "undecided"


class SignedRequest(NamedTuple):
    """A request, as far as signatures can cover it.

    Attributes:
        method: The method, such as `GET`.
        scheme: The scheme of the URL that the client requested.
        authority: The value of the Host field.
        target: Path and query as sent, such as `/a?b`, or the whole URL, which some clients send.
        field: Returns the value of a header field by its name in lower case, or None. Repeated fields are joined with
            a comma and a space, and those of Cookie with a semicolon and a space.
    """

    method: str
    scheme: str
    authority: str
    target: str
    field: Callable[[str], str | None]

    @classmethod
    def from_url(cls, method: str, url: str, headers: Iterable[tuple[str, str]]) -> Self:
        """Return the request for a URL.

        Args: headers: The names and values of the header fields. Names are compared without case.
        """
        lines: dict[str, list[str]] = {}
        for name, value in headers:
            lines.setdefault(name.lower(), []).append(value.strip(" \t"))
        fields = {name: join_lines(name, values) for name, values in lines.items()}
        scheme, _, rest = url.partition("://")
        authority, target = _split_target(rest)
        return cls(method, scheme, authority, target, fields.get)


class SignatureStatus(StrEnum):
    """The result of checking the Web Bot Auth signatures of a request."""

    ABSENT = "absent"
    VALID = "valid"
    INVALID = "invalid"
    UNVERIFIED = "unverified"  # the key cannot be obtained
    NOT_CHECKED = "not-checked"  # a limit of invalid signatures was reached


class SignatureReason(StrEnum):
    """Why a signature has its status."""

    ABSENT = "absent"
    VERIFIED = "verified"
    INPUT_UNREADABLE = "signature-input-unreadable"
    SIGNATURE_UNREADABLE = "signature-unreadable"
    TOO_MANY = "too-many"
    MISSING_PARAMETER = "missing-parameter"
    INVALID_PARAMETER = "invalid-parameter"
    UNKNOWN_PARAMETER = "unknown-parameter"
    TARGET_NOT_COVERED = "target-not-covered"
    DUPLICATE_COMPONENT = "duplicate-component"
    UNSUPPORTED_COMPONENT = "unsupported-component"
    MISSING_COMPONENT = "missing-component"
    CREATED_IN_FUTURE = "created-in-future"
    EXPIRED = "expired"
    LIFETIME_TOO_LONG = "lifetime-too-long"
    AGENT_ABSENT = "signature-agent-absent"
    AGENT_UNREADABLE = "signature-agent-unreadable"
    AGENT_NOT_COVERED = "signature-agent-not-covered"
    AGENT_AMBIGUOUS = "signature-agent-ambiguous"
    AGENT_MEMBER_MISSING = "signature-agent-member-missing"
    AGENT_MEMBER_IGNORED = "signature-agent-member-ignored"
    AGENT_INVALID_URL = "signature-agent-invalid-url"
    AGENT_NOT_HTTPS = "signature-agent-not-https"
    HOST_MISSING = "host-missing"
    OTHER_HOST = "other-host"
    OTHER_DIRECTORY = "other-directory"
    DIRECTORY_UNAVAILABLE = "directory-unavailable"
    DIRECTORY_PENDING = "directory-pending"  # it is being fetched, and there is no copy
    DIRECTORY_NOT_REQUESTED = "directory-not-requested"  # the limit of requests was reached
    KEY_UNKNOWN = "key-unknown"
    KEY_NOT_CURRENT = "key-not-current"
    TEST_KEY = "test-key"
    ALGORITHM_MISMATCH = "algorithm-mismatch"
    BAD_SIGNATURE = "bad-signature"
    NONCE_MISSING = "nonce-missing"
    REPLAYED = "replayed"
    REPLAY_UNKNOWN = "replay-unknown"
    TOO_MANY_FAILURES = "too-many-failures"  # by the address of the client, or by its network
    OVERLOADED = "overloaded"  # by all clients


class SignatureCheck(NamedTuple):
    """Whether a request has a valid Web Bot Auth signature, and of which directory.

    Attributes:
        status: Absent, valid, invalid, unverified because the key could not be obtained, or not checked.
        reason: The reason as a fixed word.
        detail: The reason in one clause.
        url: The URL of the directory with the keys, which is the identifier of the signer: normalised and without its
            query. Only a valid signature proves it. Without one, it is what the request claims, or None.
        key_id: The thumbprint of the key, or None.
        covers_body: Whether the signature is valid and covers all digests in `Content-Digest`, at least one of them
            usable. They are not compared with the body.
        components: What the signature covers, such as `@authority` and `signature-agent;key="sig1"`.
    """

    status: SignatureStatus
    reason: SignatureReason
    detail: str
    url: str | None = None
    key_id: str | None = None
    covers_body: bool = False
    components: tuple[str, ...] = ()

    @property
    def is_valid(self) -> bool:
        """Whether a key of the directory at `url` signed the request."""
        return self.status is SignatureStatus.VALID

    def to_json(self) -> dict[str, Any]:
        """Return the check as plain values."""
        return {
            **self._asdict(),
            "status": str(self.status),
            "reason": str(self.reason),
            "components": list(self.components),
        }


class Identity(NamedTuple):
    """Whether a request comes from the crawler that it names, and how that was found out.

    Attributes:
        status: Verified, an impostor, or undecided. Undecided requests should be treated as if they were not checked.
        reason: The reason in one clause, such as `66.249.66.1 is crawl-66-249-66-1.googlebot.com`.
        signature: The check of the signature of the request, or None if it was not checked.
    """

    status: IdentityStatus
    reason: str
    signature: SignatureCheck | None = None

    @property
    def is_impostor(self) -> bool:
        """Whether the request comes from someone else."""
        return self.status is IdentityStatus.IMPOSTOR

    def to_json(self) -> dict[str, Any]:
        """Return the identity as plain values."""
        signature = None if self.signature is None else self.signature.to_json()
        return {"status": str(self.status), "reason": self.reason, "signature": signature}


def has_suffix(host_name: str, suffixes: Iterable[str]) -> bool:
    """Return whether a host name is under one of the suffixes of a `Verification`, such as `.googlebot.com`.

    The name may end with the dot of the root. Letters are compared without case.
    """
    # Compared with a leading dot, so that a suffix without one does not match a part of a label.
    name = "." + host_name.lower().removesuffix(".")
    return any(name.endswith("." + suffix.lower().removeprefix(".")) for suffix in suffixes)


def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an IP address. An IPv4 address in IPv6 form (`::ffff:192.0.2.1`) is returned as IPv4.

    Returns: The address, or None if `text` is not one.
    """
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def unmapped_network(network: IPv4Network | IPv6Network) -> IPv4Network | IPv6Network:
    """Return a network, as one of IPv4 if its addresses are IPv4 addresses in IPv6 form (`::ffff:192.0.2.0/120`)."""
    if isinstance(network, IPv4Network) or not network.subnet_of(_IPV4_MAPPED):
        return network
    first = network.network_address.ipv4_mapped
    assert first is not None
    return IPv4Network((first, network.prefixlen - _IPV4_MAPPED.prefixlen))


def without_port(address: str) -> str:
    """Return an address without a port, which some proxies append: `192.0.2.1:8080`, or `[2001:db8::1]:8080`."""
    if address.startswith("["):
        return address[1:].partition("]")[0]
    return address.partition(":")[0] if address.count(":") == 1 else address


def _split_target(rest: str) -> tuple[str, str]:
    end = min((index for index in map(rest.find, "/?#") if index >= 0), default=len(rest))
    return rest[:end].rpartition("@")[2], rest[end:].partition("#")[0]
