"""Signed requests: the Web Bot Auth profile of HTTP message signatures, without I/O.

    SignedRequest -> find_claims -> SignatureClaim -> (key) -> verify_claim -> SignatureCheck

`find_claims` checks everything that needs no key, so that nothing is fetched or computed for a signature that the
profile excludes. The package `http-message-signatures` builds the signature base and verifies the signature. It
accepts signatures that the profile excludes, so it decides nothing else.

Source: Web Bot Auth, draft-ietf-webbotauth-httpsig-protocol-01; RFC 9421; RFC 9651.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import parse_qs, quote, unquote

from canfetch.agents.identity import SignatureCheck, SignatureReason, SignatureStatus, SignedRequest
from canfetch.client.identity.directory_urls import DirectoryURL, NotHTTPS, parse_directory_url
from canfetch.client.identity.keys import SignatureAlgorithm, VerificationKey, missing_cryptography
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.errors import InvalidURL

if TYPE_CHECKING:
    from http_message_signatures import HTTPSignatureAlgorithm

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
# Of Ed25519 and of ECDSA with P-256.
_SIGNATURE_BYTES: Final = 64
_REQUIRED: Final = ("created", "expires", "keyid", "tag")
_INTEGERS: Final = frozenset({"created", "expires"})
_PARAMETERS: Final = frozenset({"created", "expires", "keyid", "tag", "alg", "nonce"})
_PARAMETER: Final = "@query-param"
_DERIVED: Final = frozenset(
    {"@method", "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query", _PARAMETER}
)
_TARGETS: Final = frozenset({"@authority", "@target-uri"})
_AGENT: Final = "signature-agent"
_DIGEST: Final = "content-digest"
# RFC 9421 section 2.1. The others are for responses and trailers, or need the lines of a field.
_FIELD_PARAMETERS: Final = frozenset({"key", "sf"})
# A SHA-256 thumbprint in base64url without padding.
_THUMBPRINT: Final = re.compile(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]")
_AUTHORITY: Final = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?")
_ORIGIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://([^/?#]*)")
_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}


class SignatureClaim(NamedTuple):
    """A signature that conforms to the profile. Its key and its value are not checked yet.

    Attributes:
        directory: Where the key is published, according to the request.
        key_id: The thumbprint of the key.
        algorithm: The algorithm that the signature names, or None.
        created, expires: The times, in seconds since the epoch.
        nonce: The nonce, or None.
        message: What the signature is verified with.
    """

    directory: DirectoryURL
    key_id: str
    algorithm: SignatureAlgorithm | None
    created: int
    expires: int
    nonce: str | None
    message: "_Message"

    def conclude(self, status: SignatureStatus, reason: SignatureReason, detail: str) -> SignatureCheck:
        """Return a result for this signature."""
        # A parameter without a value is true.
        components = tuple(
            name + "".join(f";{key}" + ("" if value is True else f'="{value}"') for key, value in parameters.items())
            for name, parameters in self.message.input[0]
        )
        covers_body = status is SignatureStatus.VALID and self.message.parsed.covers_body(self.message.input[0])
        return SignatureCheck(
            status, reason, printable_text(detail), self.directory.identifier, self.key_id, covers_body, components
        )


class _Parsed:
    """What is parsed of a request, once for all its signatures, and only if one covers it.

    Attributes:
        components: The number of components of the signatures so far.
        by_part: The fields that they cover by key, and `@query-param` if they cover the query by name.
    """

    def __init__(self, request: SignedRequest) -> None:
        self.components = 0
        self.by_part: set[str] = set()
        self._request = request
        self._structures: dict[tuple[str, str | None], Any] = {}

    @cached_property
    def agent(self) -> "dict[str, tuple[Any, Any]] | _Refused":
        """The members of `Signature-Agent`, or why it cannot be read."""
        try:
            return _parse_dictionary(self._request, _AGENT, SignatureReason.AGENT_UNREADABLE)
        except _Refused as refused:
            return refused

    @cached_property
    def _query(self) -> Mapping[str, Sequence[str]]:
        return parse_qs(_split_query(self._request.target)[1][1:], keep_blank_values=True)

    def parameter(self, name: object) -> str:
        """Return the encoded value of the only parameter of the query with an encoded name.

        Raises: The error of the library: There is none, or there are several.
        Source: RFC 9421 section 2.2.8.
        """
        values = self._query.get(unquote(name), ()) if isinstance(name, str) else ()
        if len(values) != 1:
            raise _library().error("the query has no such parameter, or several")
        return quote(values[0], safe="*", errors="replace").replace("~", "%7E")

    def structured(self, name: str, parameters: Mapping[str, Any]) -> str | None:
        """Return the value of a field that is covered by `key` or `sf`, or None if it is covered as it is.

        Raises: The error of the library: The field is not valid, or has a member or a parameter twice, or lacks the
            member, or its type is unknown.
        Source: RFC 9421 sections 2.1.1 and 2.1.2.
        """
        if _FIELD_PARAMETERS.isdisjoint(parameters):
            return None
        library = _library()
        if parameters.get("sf", True) is not True:
            raise library.error("the parameter sf has a value")
        if "key" not in parameters:
            structure = self._structure(name, "dictionary" if name == _DIGEST else None)
            if not isinstance(structure, tuple) and not structure:
                raise library.error(f"the signed field {name} is empty")
            return str(library.http_sf.ser(structure))
        member = self._structure(name, "dictionary").get(parameters["key"])
        if member is None:
            raise library.error(f"the signed field {name} has no such member")
        # A list of one member has the form of the member.
        return str(library.http_sf.ser([member]))

    def covers_body(self, components: Sequence[tuple[str, Mapping[str, Any]]]) -> bool:
        """Return whether the components of a valid signature include all of `Content-Digest`.

        With a further digest that is not signed, a program that reads that one would accept another body.
        """
        covered = [parameters for name, parameters in components if name == _DIGEST]
        if not all("key" in parameters for parameters in covered):
            return True
        keys = {parameters["key"] for parameters in covered}
        return bool(covered) and keys.issuperset(self._structure(_DIGEST, "dictionary"))

    def _structure(self, name: str, kind: str | None) -> Any:
        """Return a structured field of a kind, or of the one that is registered for its name."""
        if (name, kind) not in self._structures:
            library = _library()
            value = (_field(self._request, name) or "").encode("utf-8", "surrogatepass")
            registered = name if kind is None else None
            try:
                found = library.http_sf.parse(value, registered, kind, on_duplicate_key=_refuse_duplicate)
            except KeyError:
                found = library.error(f"the type of the signed field {name} is unknown")
            except ValueError:
                found = library.error(f"the signed field {name} is not valid, or has a member or a parameter twice")
            self._structures[name, kind] = found
        found = self._structures[name, kind]
        if isinstance(found, Exception):
            raise found
        return found


class _Message(NamedTuple):
    request: SignedRequest
    parsed: _Parsed
    label: str
    input: tuple[Any, dict[str, Any]]
    signature: bytes
    fields: Mapping[str, str]


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
    problem = _check_length(claim.message, key) or _verify(claim.message, key)
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
    message = _Message(
        request,
        parsed,
        label,
        found,
        value,
        {name: _field(request, name) or "" for name in names if not name.startswith("@")},
    )
    return SignatureClaim(
        directory,
        parameters["keyid"],
        algorithm,
        parameters["created"],
        parameters["expires"],
        parameters.get("nonce"),
        message,
    )


def _check_host(request: SignedRequest) -> None:
    """Check that host and target, one after the other, are a URL of that host: `@target-uri` covers both as one text.

    With `.evil.example/`, which some servers pass on as a target, they would be a URL of another host.
    """
    if not request.authority:
        raise _Refused(SignatureReason.HOST_MISSING, "the host of the request is missing")
    if not _AUTHORITY.fullmatch(request.authority):
        raise _Refused(SignatureReason.OTHER_HOST, f"the host {quoted(request.authority)} is not valid")
    stated, path = _split_origin(request.target)
    if path[:1] not in {"", "/", "?"}:
        raise _Refused(SignatureReason.OTHER_HOST, f"the target {quoted(path[:80])} does not begin with '/'")
    if stated is not None and _normalised_authority(request, stated) != _normalised_authority(request):
        raise _Refused(
            SignatureReason.OTHER_HOST, f"the target is a URL of {quoted(stated[:80])}, not of {request.authority}"
        )


def _check_parameters(parameters: Mapping[str, Any]) -> SignatureAlgorithm | None:
    missing = [name for name in _REQUIRED if name not in parameters]
    if missing:
        raise _Refused(SignatureReason.MISSING_PARAMETER, f"the parameter {missing[0]} is missing")
    for name, value in parameters.items():
        if name not in _PARAMETERS:
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
    parsed.components += len(components)
    _check_number(parsed.components, _MAX_COMPONENTS, "signed components")
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
        if not name.startswith("@") and name != _AGENT and _field(request, name) is None:
            raise _Refused(SignatureReason.MISSING_COMPONENT, f"the request lacks the signed field {name}")
    number = sum(name == _PARAMETER for name, _ in components)
    _check_number(number, _MAX_QUERY_COMPONENTS, f"components {_PARAMETER}")
    # Other components are compared as they are, which takes almost no time. The limits are those of all signatures.
    parsed.by_part.update({name for name, parameters in components if parameters or name == _PARAMETER} - {_AGENT})
    values = [_field(request, name) or "" for name in parsed.by_part - {_PARAMETER}]
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
        return _FIELD_PARAMETERS
    if name not in _DERIVED:
        return None
    return frozenset({"name"}) if name == _PARAMETER else frozenset()


def _find_directory(
    request: SignedRequest, parsed: _Parsed, label: str, components: Sequence[tuple[str, Mapping[str, Any]]]
) -> DirectoryURL:
    """Return the directory of the member of `Signature-Agent` that belongs to a signature."""
    value = _field(request, _AGENT)
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
        raise _Refused(SignatureReason.AGENT_NOT_COVERED, "no member of Signature-Agent is signed by its key")
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
    http_sf = _library().http_sf
    try:
        url, parameters = http_sf.parse(
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
        raise _Refused(SignatureReason.INVALID_PARAMETER, "the signature expires before it was created")
    if max_lifetime is not None and lifetime > max_lifetime:
        raise _Refused(
            SignatureReason.LIFETIME_TOO_LONG,
            f"the signature is valid for {lifetime} s: at most {max_lifetime:g} s are accepted",
        )


def _field(request: SignedRequest, name: str) -> str | None:
    value = request.field(name)
    return None if value is None else value.strip(" \t")


def _checked_field(request: SignedRequest, name: str, reason: SignatureReason) -> bytes:
    value = _field(request, name)
    if value is None or len(value) > _MAX_FIELD:
        problem = "is missing" if value is None else f"is longer than {_MAX_FIELD} bytes"
        raise _Refused(reason, f"the field {name} {problem}")
    _check_number(_delimiters(value), _MAX_DELIMITERS, f"delimiters in {name}")
    return value.encode("latin-1", "replace")


def _parse_dictionary(request: SignedRequest, name: str, reason: SignatureReason) -> dict[str, tuple[Any, Any]]:
    content = _checked_field(request, name, reason)
    try:
        members = _library().http_sf.parse(content, tltype="dictionary", on_duplicate_key=_refuse_duplicate)
    except ValueError:
        raise _Refused(reason, f"the field {name} is not a valid dictionary of RFC 9651") from None
    result: dict[str, tuple[Any, Any]] = members
    return result


def _refuse_duplicate(key: str, context: str) -> None:
    # RFC 9651 takes the last one. Programs that take the first would see another signature.
    raise ValueError(f"{context} has {key} twice")


def _check_length(message: _Message, key: VerificationKey) -> str | None:
    """Return None if a signature has the length of those by its key, or why it is not valid."""
    expected = _SIGNATURE_BYTES
    if key.algorithm is SignatureAlgorithm.RSA_PSS_SHA512:
        expected = (getattr(key.key, "key_size", 0) + 7) // 8
    if len(message.signature) == expected:
        return None
    return f"the signature has {len(message.signature)} bytes: those by its key have {expected}"


def _verify(message: _Message, key: VerificationKey) -> str | None:
    """Return None if a signature is valid, or why it is not."""
    library = _library()
    verifier = library.verifier(
        signature_algorithm=library.algorithms[key.algorithm],
        key_resolver=library.keys(public_keys={key.thumbprint: key.key}, private_keys={}),
        component_resolver_class=library.resolver,
    )
    # Only this signature: the verifier would refuse a request because of another one.
    fields = {"signature-input": {message.label: message.input}, "signature": {message.label: (message.signature, {})}}
    headers = {name: library.http_sf.ser(value) for name, value in fields.items()}
    single = SimpleNamespace(headers=headers, original=message)
    try:
        verifier.verify(single, expect_tag=TAG, max_age=None)
    except library.error as error:
        return f"the signature does not match the request and its key{f': {error}' if str(error) else ''}"
    return None


class _Library(NamedTuple):
    """What is used of the packages of the extra `identity`."""

    http_sf: Any
    verifier: Any
    resolver: Any
    keys: Any
    algorithms: "Mapping[SignatureAlgorithm, type[HTTPSignatureAlgorithm]]"
    error: type[Exception]


_LOADED: list[_Library] = []


def _library() -> _Library:
    if not _LOADED:
        _LOADED.append(load_library())
    return _LOADED[0]


def load_library() -> _Library:
    """Import the packages of the extra `identity`.

    Raises: MissingExtra.
    """
    try:
        import http_message_signatures as library  # noqa: PLC0415 - an extra
        import http_sf  # noqa: PLC0415 - the same
    except ImportError as error:
        raise missing_cryptography(error) from None

    class Verifier(library.HTTPMessageVerifier):
        def validate_created_and_expires(self, sig_input: Any, max_age: Any = None) -> None:
            """Do nothing: `find_claims` has checked the times, with its own clock."""

    class Resolver(library.HTTPSignatureComponentResolver):
        """The covered components of a request, whose target may have characters that a URL must escape."""

        def __init__(self, message: Any) -> None:
            self._original: _Message = message.original
            request = self._original.request
            self._path, self._query = _split_query(request.target)
            self._authority = _normalised_authority(request)
            # The library does not see the target: escaping and parsing a long one takes milliseconds.
            url = f"{request.scheme.lower()}://{self._authority}/"
            plain = SimpleNamespace(method="GET", url=url, headers=dict(self._original.fields))
            super().__init__(plain)  # type: ignore[no-untyped-call]  # partly typed
            # The library refuses methods with lower-case letters, also if they are not covered.
            plain.method = request.method

        def get_path(self) -> str:
            return self._path or "/"

        def get_query(self) -> str:
            return self._query or "?"

        def get_query_params(self, *, name: object = None) -> str:
            return self._original.parsed.parameter(name)

        def resolve(self, component_node: Any) -> str:
            found = self._original.parsed.structured(component_node.value, component_node.params)
            return str(super().resolve(component_node)) if found is None else found

        def get_target_uri(self) -> str:
            return f"{self._original.request.scheme.lower()}://{self._authority}{self.get_path()}{self._query}"

        def get_request_target(self) -> str:
            return self._original.request.target

    algorithms = {
        SignatureAlgorithm.ED25519: library.algorithms.ED25519,
        SignatureAlgorithm.RSA_PSS_SHA512: library.algorithms.RSA_PSS_SHA512,
        SignatureAlgorithm.ECDSA_P256_SHA256: library.algorithms.ECDSA_P256_SHA256,
    }
    errors = library.HTTPMessageSignaturesException
    return _Library(http_sf, Verifier, Resolver, library.MappingKeyResolver, algorithms, errors)


def _split_origin(target: str) -> tuple[str | None, str]:
    """Return the authority of a target that is a whole URL, or None, and the path with the query."""
    origin = _ORIGIN.match(target)
    return (origin[1], target[origin.end() :]) if origin else (None, target)


def _split_query(target: str) -> tuple[str, str]:
    """Return the path and the query, with its question mark, of a target."""
    path, mark, query = _split_origin(target)[1].partition("?")
    return path, mark + query


def _normalised_authority(request: SignedRequest, authority: str | None = None) -> str:
    """Return the host in lower case, without the default port of its scheme. Source: RFC 9421 section 2.2.3.

    Args: authority: The authority. Default: that of the request.
    """
    text = request.authority if authority is None else authority
    return text.lower().removesuffix(_DEFAULT_PORTS.get(request.scheme.lower(), ":"))
