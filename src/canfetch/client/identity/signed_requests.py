"""Signed requests: the Web Bot Auth profile of HTTP message signatures, without I/O.

    SignedRequest -> find_claims -> SignatureClaim -> (key) -> verify_claim -> SignatureCheck

`find_claims` checks everything that needs no key, so that nothing is fetched or computed for a signature that the
profile excludes.

Source: Web Bot Auth, draft-ietf-webbotauth-httpsig-protocol-01; RFC 9421; RFC 9651.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from canfetch.agents.identity import SignatureCheck, SignatureReason, SignatureStatus, SignedRequest
from canfetch.client.identity.directory_urls import DirectoryURL, NotHTTPS, parse_directory_url
from canfetch.client.identity.keys import SignatureAlgorithm, VerificationKey
from canfetch.client.identity.message_signatures import (
    FIELD_PARAMETERS,
    RequestComponents,
    Signature,
    field_of,
    load_library,
    normalised_authority,
    parse_dictionary,
    resolver_class,
    split_origin,
)
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.errors import InvalidURL

TAG: Final = "web-bot-auth"
DEFAULT_CLOCK_SKEW: Final = 5.0
DEFAULT_MAX_LIFETIME: Final = 86_400.0
"""The draft recommends that signatures expire within a day."""

NO_SIGNATURE: Final = SignatureCheck(SignatureStatus.ABSENT, SignatureReason.ABSENT, "the request is not signed")
_OTHER_SIGNATURES: Final = NO_SIGNATURE._replace(detail=f"no signature has the tag {TAG}")

_MAX_FIELD: Final = 4096
# Each item takes time to parse. Two signatures of 16 components have about 240 of these characters.
_DELIMITERS: Final = '" ,;%'
_MAX_DELIMITERS: Final = 512
# Of the fields that are covered by key, which take longer.
_MAX_DELIMITERS_BY_KEY: Final = 128
_MAX_SIGNATURES: Final = 4
_MAX_TAGGED: Final = 2
_MAX_COMPONENTS: Final = 16
_MAX_QUERY_COMPONENTS: Final = 4
_MAX_QUERY_PARAMETERS: Final = 32
_MAX_NONCE: Final = 256
_REQUIRED: Final = ("created", "expires", "keyid", "tag")
_INTEGERS: Final = frozenset({"created", "expires"})
PARAMETERS: Final = frozenset({"created", "expires", "keyid", "tag", "alg", "nonce"})
_PARAMETER: Final = "@query-param"
_DERIVED: Final = frozenset(
    {"@method", "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query", _PARAMETER}
)
_TARGETS: Final = frozenset({"@authority", "@target-uri"})
_AGENT: Final = "signature-agent"
# A SHA-256 thumbprint in base64url without padding.
_THUMBPRINT: Final = re.compile(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]")
_AUTHORITY: Final = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")


class SignatureClaim(NamedTuple):
    """A signature that conforms to the profile. Its key and its value are not checked yet.

    Attributes:
        directory: Where the key is published, according to the request.
        key_id: The thumbprint of the key.
        algorithm: The algorithm that the signature names, or None.
        created, expires: The times, in seconds since the epoch.
        nonce: The nonce, or None.
        signature, request: What is verified.
    """

    directory: DirectoryURL
    key_id: str
    algorithm: SignatureAlgorithm | None
    created: int
    expires: int
    nonce: str | None
    signature: Signature
    request: RequestComponents

    def conclude(self, status: SignatureStatus, reason: SignatureReason, detail: str) -> SignatureCheck:
        """Return a result for this signature."""
        # A parameter without a value is true.
        components = tuple(
            name + "".join(f";{key}" + ("" if value is True else f'="{value}"') for key, value in parameters.items())
            for name, parameters in self.signature.input[0]
        )
        covers_body = status is SignatureStatus.VALID and self.request.covers_body(self.signature.input[0])
        return SignatureCheck(
            status, reason, printable_text(detail), self.directory.identifier, self.key_id, covers_body, components
        )


class _Parsed:
    """What the signatures of a request share.

    Attributes:
        request: The request.
        number: The number of components of the signatures so far.
        by_part: The fields that they cover by key, and `@query-param` if they cover the query by name.
    """

    def __init__(self, request: SignedRequest) -> None:
        self.request = RequestComponents(request)
        self.number = 0
        self.by_part: set[str] = set()

    @cached_property
    def agent(self) -> "dict[str, tuple[Any, Any]] | _Refused":
        """The members of `Signature-Agent`, or why it cannot be read."""
        try:
            return _parse_dictionary(self.request.request, _AGENT, SignatureReason.AGENT_UNREADABLE)
        except _Refused as refused:
            return refused


class _Refused(Exception):
    """A signature that does not conform to the profile."""

    def __init__(self, reason: SignatureReason, detail: str, status: SignatureStatus = SignatureStatus.INVALID) -> None:
        super().__init__(reason, detail, status)
        self.check = SignatureCheck(status, reason, printable_text(detail))


def find_absence(signature_input: str | None) -> SignatureCheck | None:
    """Return the result for a request without a signature of the profile, or None if it may have one.

    Args: signature_input: The field Signature-Input.
    Cost: A search for the tag, without parsing.
    """
    if signature_input is None:
        return NO_SIGNATURE
    return None if TAG in signature_input else _OTHER_SIGNATURES


def find_claims(
    request: SignedRequest,
    *,
    now: float,
    clock_skew: float = DEFAULT_CLOCK_SKEW,
    max_lifetime: float | None = DEFAULT_MAX_LIFETIME,
) -> Sequence[SignatureClaim | SignatureCheck]:
    """Return the Web Bot Auth signatures of a request, or why they are invalid.

    Signatures with other tags are ignored. Without the field Signature-Input, the result is empty.

    Args:
        now: The time, in seconds since the epoch.
        clock_skew: How many seconds the clock of the signer may differ.
        max_lifetime: The longest time from `created` to `expires`, in seconds, or None.
    Raises: MissingExtra.
    Cost: O(bytes) of the three fields, of which at most 4 KiB each, 512 delimiters and 2 signatures with 16 components
        are read.
    Source: the draft, "Generating HTTP Message Signature" and "Validating Message Signature".
    """
    absent = find_absence(request.field("signature-input"))
    if absent is not None:
        return () if absent is NO_SIGNATURE else (absent,)
    try:
        inputs = _parse_dictionary(request, "signature-input", SignatureReason.INPUT_UNREADABLE)
        tagged = [label for label, (_, parameters) in inputs.items() if parameters.get("tag") == TAG]
        if not tagged:
            return (_OTHER_SIGNATURES,)
        _check_number(len(inputs), _MAX_SIGNATURES, "signatures")
        _check_number(len(tagged), _MAX_TAGGED, f"signatures with the tag {TAG}")
        signatures = _parse_dictionary(request, "signature", SignatureReason.SIGNATURE_UNREADABLE)
    except _Refused as refused:
        return (refused.check,)
    found: list[SignatureClaim | SignatureCheck] = []
    parsed = _Parsed(request)
    for label in tagged:
        claim = None
        try:
            claim = _find_claim(request, parsed, label, inputs[label], signatures)
            _check_times(claim, now=now, clock_skew=clock_skew, max_lifetime=max_lifetime)
        except _Refused as refused:
            found.append(refused.check if claim is None else claim.conclude(*refused.check[:3]))
        else:
            found.append(claim)
    return found


def verify_claim(claim: SignatureClaim, key: VerificationKey, *, now: float, clock_skew: float) -> SignatureCheck:
    """Return whether a key made a signature.

    Cost: O(bytes) of the covered components, of which at most 4 KiB with 128 delimiters are parsed, and the
    verification of one signature.
    """
    invalid = SignatureStatus.INVALID
    if claim.key_id != key.thumbprint:
        return claim.conclude(invalid, SignatureReason.KEY_UNKNOWN, "the key has another thumbprint than the keyid")
    if claim.algorithm not in {None, key.algorithm}:
        detail = f"the signature names the algorithm {claim.algorithm}, and its key is for {key.algorithm}"
        return claim.conclude(invalid, SignatureReason.ALGORITHM_MISMATCH, detail)
    expiry = key.find_expiry(now, clock_skew)
    if expiry is not None:
        detail = "the key is not used yet" if expiry == "later" else "the key has expired"
        return claim.conclude(invalid, SignatureReason.KEY_NOT_CURRENT, detail)
    fields = [name for name, _ in claim.signature.input[0] if not name.startswith("@")]
    message = claim.request.message(fields)
    problem = claim.signature.find_problem(message, key, tag=TAG, resolver=resolver_class())
    if problem is not None:
        return claim.conclude(invalid, SignatureReason.BAD_SIGNATURE, problem)
    detail = f"signed by the key {key.thumbprint} of {claim.directory.identifier}"
    return claim.conclude(SignatureStatus.VALID, SignatureReason.VERIFIED, detail)


def _find_claim(
    request: SignedRequest,
    parsed: _Parsed,
    label: str,
    found: tuple[Any, dict[str, Any]],
    signatures: Mapping[str, tuple[Any, Any]],
) -> SignatureClaim:
    components, parameters = found
    _check_host(request)
    if not isinstance(components, list):
        raise _Refused(SignatureReason.INPUT_UNREADABLE, f"the member {label} of Signature-Input is not a list")
    value, _ = signatures.get(label, (None, None))
    if not isinstance(value, bytes):
        raise _Refused(SignatureReason.SIGNATURE_UNREADABLE, f"the field Signature has no bytes for {label}")
    algorithm = _check_parameters(parameters)
    names = _check_components(request, parsed, components)
    directory = _find_directory(request, parsed, label, components)
    if not _TARGETS.intersection(names):
        raise _Refused(SignatureReason.TARGET_NOT_COVERED, "neither @authority nor @target-uri is signed")
    return SignatureClaim(
        directory,
        parameters["keyid"],
        algorithm,
        parameters["created"],
        parameters["expires"],
        parameters.get("nonce"),
        Signature(label, found, value),
        parsed.request,
    )


def _check_host(request: SignedRequest) -> None:
    """Check that host and target, one after the other, are a URL of that host: `@target-uri` covers both as one text.

    With `.evil.example/`, which some servers pass on as a target, they would be a URL of another host.
    """
    if not request.authority:
        raise _Refused(SignatureReason.HOST_MISSING, "the host of the request is missing")
    if not _AUTHORITY.fullmatch(request.authority):
        raise _Refused(SignatureReason.OTHER_HOST, f"the host {quoted(request.authority)} is not valid")
    stated, path = split_origin(request.target)
    if path[:1] not in {"", "/", "?"}:
        raise _Refused(SignatureReason.OTHER_HOST, f"the target {quoted(path[:80])} does not begin with '/'")
    if stated is not None and normalised_authority(request, stated) != normalised_authority(request):
        raise _Refused(
            SignatureReason.OTHER_HOST, f"the target is a URL of {quoted(stated[:80])}, not of {request.authority}"
        )


def _check_parameters(parameters: Mapping[str, Any]) -> SignatureAlgorithm | None:
    missing = [name for name in _REQUIRED if name not in parameters]
    if missing:
        raise _Refused(SignatureReason.MISSING_PARAMETER, f"the parameter {missing[0]} is missing")
    for name, value in parameters.items():
        if name not in PARAMETERS:
            raise _Refused(SignatureReason.UNKNOWN_PARAMETER, f"the parameter {name} is unknown")
        # A Boolean is also an int.
        if type(value) is not (int if name in _INTEGERS else str):
            raise _Refused(SignatureReason.INVALID_PARAMETER, f"the parameter {name} has the wrong type")
    if not _THUMBPRINT.fullmatch(parameters["keyid"]):
        raise _Refused(SignatureReason.INVALID_PARAMETER, f"{quoted(parameters['keyid'])} is not a thumbprint of a key")
    if len(parameters.get("nonce", "")) > _MAX_NONCE:
        raise _Refused(SignatureReason.INVALID_PARAMETER, f"the nonce is longer than {_MAX_NONCE} characters")
    algorithm = parameters.get("alg")
    try:
        return None if algorithm is None else SignatureAlgorithm(algorithm)
    except ValueError:
        raise _Refused(SignatureReason.INVALID_PARAMETER, f"unknown algorithm {quoted(algorithm)}") from None


def _check_components(
    request: SignedRequest, parsed: _Parsed, components: Sequence[tuple[Any, Mapping[str, Any]]]
) -> set[str]:
    """Return the names of the covered components."""
    parsed.number += len(components)
    _check_number(parsed.number, _MAX_COMPONENTS, "signed components")
    seen = set()
    for name, parameters in components:
        if not isinstance(name, str) or name != name.lower():
            raise _Refused(SignatureReason.UNSUPPORTED_COMPONENT, f"invalid component {quoted(name)}")
        identity = name, frozenset(parameters.items())
        if identity in seen:
            raise _Refused(SignatureReason.DUPLICATE_COMPONENT, f"the component {name} is signed twice")
        seen.add(identity)
        allowed = _allowed_parameters(name)
        if allowed is None or not allowed.issuperset(parameters):
            raise _Refused(
                SignatureReason.UNSUPPORTED_COMPONENT, f"the component {name} or a parameter of it is not supported"
            )
        if not name.startswith("@") and name != _AGENT and field_of(request, name) is None:
            raise _Refused(SignatureReason.MISSING_COMPONENT, f"the request lacks the signed field {name}")
    number = sum(name == _PARAMETER for name, _ in components)
    _check_number(number, _MAX_QUERY_COMPONENTS, f"components {_PARAMETER}")
    # Other components are compared as they are, which takes almost no time. The limits are those of all signatures.
    parsed.by_part.update({name for name, parameters in components if parameters or name == _PARAMETER} - {_AGENT})
    values = [field_of(request, name) or "" for name in parsed.by_part - {_PARAMETER}]
    target = request.target if _PARAMETER in parsed.by_part else ""
    _check_number(sum(map(len, values)) + len(target), _MAX_FIELD, "characters in parts that are signed by key or name")
    _check_number(sum(map(_delimiters, values)), _MAX_DELIMITERS_BY_KEY, "delimiters in fields that are signed by key")
    _check_number(target.count("&") + 1, _MAX_QUERY_PARAMETERS, "parameters in the query")
    return {name for name, _ in seen}


def _check_number(number: int, most: int, noun: str) -> None:
    if number > most:
        raise _Refused(SignatureReason.TOO_MANY, f"the request has {number} {noun}: at most {most} are read")


def _delimiters(value: str) -> int:
    return sum(map(value.count, _DELIMITERS))


def _allowed_parameters(name: str) -> frozenset[str] | None:
    if not name.startswith("@"):
        return FIELD_PARAMETERS
    if name not in _DERIVED:
        return None
    return frozenset({"name"}) if name == _PARAMETER else frozenset()


def _find_directory(
    request: SignedRequest, parsed: _Parsed, label: str, components: Sequence[tuple[str, Mapping[str, Any]]]
) -> DirectoryURL:
    """Return the directory of the member of `Signature-Agent` that belongs to a signature."""
    value = field_of(request, _AGENT)
    if value is None:
        raise _Refused(
            SignatureReason.AGENT_ABSENT, "the request has no field Signature-Agent", SignatureStatus.UNVERIFIED
        )
    covered = [parameters for name, parameters in components if name == _AGENT]
    if not covered:
        raise _Refused(SignatureReason.AGENT_NOT_COVERED, "the field Signature-Agent is not signed")
    if value.startswith('"'):
        return _parse_url(_legacy_agent(request, covered))
    members = parsed.agent
    if isinstance(members, _Refused):
        raise members
    keys = [parameters["key"] for parameters in covered if "key" in parameters]
    if label in keys:
        key = label
    elif len(keys) == 1:
        # Vectors of the draft do this, and intermediaries may change the label of a signature.
        key = keys[0]
    elif keys:
        raise _Refused(
            SignatureReason.AGENT_AMBIGUOUS, f"several members of Signature-Agent are signed, and none is {label}"
        )
    else:
        key = label if label in members else next(iter(members), label)
        raise _Refused(
            SignatureReason.AGENT_NOT_COVERED,
            f'Signature-Agent is a dictionary: sign the component "{_AGENT}";key="{key}", not "{_AGENT}" as a whole',
        )
    if key not in members:
        raise _Refused(SignatureReason.AGENT_MEMBER_MISSING, f"Signature-Agent has no member {quoted(key)}")
    url, parameters = members[key]
    if parameters:
        raise _Refused(
            SignatureReason.AGENT_MEMBER_IGNORED,
            f"the member {key} of Signature-Agent has parameters, so that it is ignored",
            SignatureStatus.UNVERIFIED,
        )
    return _parse_url(url)


def _legacy_agent(request: SignedRequest, covered: Sequence[Mapping[str, Any]]) -> Any:
    if any(covered):
        raise _Refused(SignatureReason.AGENT_MEMBER_MISSING, "Signature-Agent is a text, and has no members")
    try:
        url, parameters = load_library().http_sf.parse(
            _checked_field(request, _AGENT, SignatureReason.AGENT_UNREADABLE), tltype="item"
        )
    except ValueError:
        raise _Refused(SignatureReason.AGENT_UNREADABLE, "the field Signature-Agent is not valid") from None
    if parameters:
        raise _Refused(
            SignatureReason.AGENT_MEMBER_IGNORED,
            "Signature-Agent has parameters, so that it is ignored",
            SignatureStatus.UNVERIFIED,
        )
    return url


def _parse_url(url: Any) -> DirectoryURL:
    if not isinstance(url, str):
        raise _Refused(SignatureReason.AGENT_INVALID_URL, "a member of Signature-Agent is not a text")
    try:
        return parse_directory_url(url)
    except NotHTTPS as error:
        raise _Refused(SignatureReason.AGENT_NOT_HTTPS, f"Signature-Agent: {error}") from None
    except InvalidURL as error:
        raise _Refused(SignatureReason.AGENT_INVALID_URL, f"Signature-Agent: {error}") from None


def _check_times(claim: SignatureClaim, *, now: float, clock_skew: float, max_lifetime: float | None) -> None:
    if claim.created > now + clock_skew:
        raise _Refused(
            SignatureReason.CREATED_IN_FUTURE, f"the signature was created {claim.created - now:.0f} s in the future"
        )
    if claim.expires < now - clock_skew:
        raise _Refused(SignatureReason.EXPIRED, f"the signature expired {now - claim.expires:.0f} s ago")
    lifetime = claim.expires - claim.created
    if lifetime <= 0:
        raise _Refused(SignatureReason.INVALID_PARAMETER, "the signature does not expire after its creation")
    if max_lifetime is not None and lifetime > max_lifetime:
        raise _Refused(
            SignatureReason.LIFETIME_TOO_LONG,
            f"the signature is valid for {lifetime} s: at most {max_lifetime:g} s are accepted",
        )


def _checked_field(request: SignedRequest, name: str, reason: SignatureReason) -> bytes:
    value = field_of(request, name)
    if value is None or len(value) > _MAX_FIELD:
        problem = "is missing" if value is None else f"is longer than {_MAX_FIELD} bytes"
        raise _Refused(reason, f"the field {name} {problem}")
    _check_number(_delimiters(value), _MAX_DELIMITERS, f"delimiters in {name}")
    return value.encode("latin-1", "replace")


def _parse_dictionary(request: SignedRequest, name: str, reason: SignatureReason) -> dict[str, tuple[Any, Any]]:
    content = _checked_field(request, name, reason)
    try:
        return parse_dictionary(content)
    except ValueError:
        raise _Refused(reason, f"the field {name} is not a valid dictionary of RFC 9651") from None
