"""HTTP message signatures: the values that a signature covers, and the verification of one signature.

The packages of the extra `identity` build the signature base and verify it. They accept signatures that Web Bot Auth
excludes, so they decide nothing else.

Source: RFC 9421; RFC 9651.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import parse_qs, quote, unquote

from canfetch.agents.identity import SignedRequest
from canfetch.client.identity.keys import SignatureAlgorithm, VerificationKey, missing_cryptography

if TYPE_CHECKING:
    from http_message_signatures import HTTPSignatureAlgorithm

# RFC 9421 section 2.1. The others are for responses and trailers, or need the lines of a field.
FIELD_PARAMETERS: Final = frozenset({"key", "sf"})
_DIGEST: Final = "content-digest"
# The algorithms of RFC 9530 that are not deprecated.
_DIGEST_BYTES: Final = {"sha-256": 32, "sha-512": 64}
_MAX_DIGESTS: Final = 1024
_ORIGIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://([^/?#]*)")
_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}
# Of Ed25519 and of ECDSA with P-256.
_SIGNATURE_BYTES: Final = 64


class SignatureLibrary(NamedTuple):
    """What is used of the packages."""

    http_sf: Any
    signer: Any
    verifier: Any
    resolver: Any
    keys: Any
    algorithms: "Mapping[SignatureAlgorithm, type[HTTPSignatureAlgorithm]]"
    error: type[Exception]


@cache
def load_library() -> SignatureLibrary:
    """Import the packages.

    Raises: MissingExtra.
    """
    try:
        import http_message_signatures as library  # noqa: PLC0415 - an extra
        import http_sf  # noqa: PLC0415 - the same
    except ImportError as error:
        raise missing_cryptography(error) from None

    class Verifier(library.HTTPMessageVerifier):
        def validate_created_and_expires(self, sig_input: Any, max_age: Any = None) -> None:
            """Do nothing: callers have checked the times, with their own clocks."""

    algorithms = {
        SignatureAlgorithm.ED25519: library.algorithms.ED25519,
        SignatureAlgorithm.RSA_PSS_SHA512: library.algorithms.RSA_PSS_SHA512,
        SignatureAlgorithm.ECDSA_P256_SHA256: library.algorithms.ECDSA_P256_SHA256,
    }
    return SignatureLibrary(
        http_sf,
        library.HTTPMessageSigner,
        Verifier,
        library.HTTPSignatureComponentResolver,
        library.MappingKeyResolver,
        algorithms,
        library.HTTPMessageSignaturesException,
    )


def parse_dictionary(content: bytes) -> dict[str, tuple[Any, Any]]:
    """Return the members of a dictionary of RFC 9651, with their parameters.

    Raises: ValueError: It is not valid, or has a member or a parameter twice; MissingExtra.
    """
    members: dict[str, tuple[Any, Any]] = load_library().http_sf.parse(
        content, tltype="dictionary", on_duplicate_key=refuse_duplicate
    )
    return members


def refuse_duplicate(key: str, context: str) -> None:
    """Refuse what is given twice. RFC 9651 takes the last one: programs that take the first would see another value.

    Raises: ValueError.
    """
    raise ValueError(f"{context} has {key} twice")


class RequestComponents:
    """The values of the components of a request, parsed once for all its signatures, and only if one covers them."""

    def __init__(self, request: SignedRequest) -> None:
        self.request = request
        self._structures: dict[tuple[str, str | None], Any] = {}

    @cached_property
    def _query(self) -> Mapping[str, Sequence[str]]:
        return parse_qs(_split_query(self.request.target)[1][1:], keep_blank_values=True)

    def parameter(self, name: object) -> str:
        """Return the encoded value of the only parameter of the query with an encoded name.

        Raises: The error of the library: There is none, or there are several.
        Source: RFC 9421 section 2.2.8.
        """
        values = self._query.get(unquote(name), ()) if isinstance(name, str) else ()
        if len(values) != 1:
            raise load_library().error("the query has no such parameter, or several")
        return quote(values[0], safe="*", errors="replace").replace("~", "%7E")

    def structured(self, name: str, parameters: Mapping[str, Any]) -> str | None:
        """Return the value of a field that is covered by `key` or `sf`, or None if it is covered as it is.

        Raises: The error of the library: The field is not valid, or has a member or a parameter twice, or lacks the
            member, or its type is unknown.
        Source: RFC 9421 sections 2.1.1 and 2.1.2.
        """
        if FIELD_PARAMETERS.isdisjoint(parameters):
            return None
        library = load_library()
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
        """Return whether the components of a valid signature include all of `Content-Digest`, and a usable one.

        With a further digest that is not signed, a program that reads that one would accept another body.
        """
        covered = [parameters.get("key") for name, parameters in components if name == _DIGEST]
        if not covered or len(self.request.field(_DIGEST) or "") > _MAX_DIGESTS:
            return False
        try:
            digests = self._structure(_DIGEST, "dictionary")
        except load_library().error:
            return False
        is_usable = any(
            isinstance(value, bytes) and len(value) == _DIGEST_BYTES.get(name) for name, (value, _) in digests.items()
        )
        return is_usable and (None in covered or digests.keys() <= set(covered))

    def message(self, names: Sequence[str]) -> SimpleNamespace:
        """Return what `resolver_class` reads. Args: names: The fields that the signature covers."""
        fields = {name: field_of(self.request, name) or "" for name in names}
        return SimpleNamespace(headers={}, fields=fields, components=self)

    def _structure(self, name: str, kind: str | None) -> Any:
        """Return a structured field of a kind, or of the one that is registered for its name."""
        if (name, kind) not in self._structures:
            library = load_library()
            value = (field_of(self.request, name) or "").encode("utf-8", "surrogatepass")
            registered = name if kind is None else None
            try:
                found = library.http_sf.parse(value, registered, kind, on_duplicate_key=refuse_duplicate)
            except KeyError:
                found = library.error(f"the type of the signed field {name} is unknown")
            except ValueError:
                found = library.error(f"the signed field {name} is not valid, or has a member or a parameter twice")
            self._structures[name, kind] = found
        found = self._structures[name, kind]
        if isinstance(found, Exception):
            raise found
        return found


@cache
def resolver_class() -> Any:
    """Return the class with which the library resolves the components of a `RequestComponents.message`."""

    class Resolver(load_library().resolver):  # type: ignore[misc]  # loaded on first use
        """The covered components of a request, whose target may have characters that a URL must escape."""

        def __init__(self, message: SimpleNamespace) -> None:
            self._components: RequestComponents = message.components
            self._request: SignedRequest = self._components.request
            self._path, self._query = _split_query(self._request.target)
            self._authority = normalised_authority(self._request)
            # The library does not see the target: escaping and parsing a long one takes milliseconds.
            url = f"{self._request.scheme.lower()}://{self._authority}/"
            plain = SimpleNamespace(method="GET", url=url, headers=message.fields)
            super().__init__(plain)
            # The library refuses methods with lower-case letters, also if they are not covered.
            plain.method = self._request.method

        def get_path(self) -> str:
            return self._path or "/"

        def get_query(self) -> str:
            return self._query or "?"

        def get_query_params(self, *, name: object = None) -> str:
            return self._components.parameter(name)

        def resolve(self, component_node: Any) -> str:
            found = self._components.structured(component_node.value, component_node.params)
            return str(super().resolve(component_node)) if found is None else found

        def get_target_uri(self) -> str:
            return f"{self._request.scheme.lower()}://{self._authority}{self.get_path()}{self._query}"

        def get_request_target(self) -> str:
            return self._request.target

    return Resolver


def field_of(request: SignedRequest, name: str) -> str | None:
    """Return the value of a field without the space around it, or None."""
    value = request.field(name)
    return None if value is None else value.strip(" \t")


def split_origin(target: str) -> tuple[str | None, str]:
    """Return the authority of a target that is a whole URL, or None, and the path with the query."""
    origin = _ORIGIN.match(target)
    return (origin[1], target[origin.end() :]) if origin else (None, target)


def _split_query(target: str) -> tuple[str, str]:
    """Return the path and the query, with its question mark, of a target."""
    path, mark, query = split_origin(target)[1].partition("?")
    return path, mark + query


def normalised_authority(request: SignedRequest, authority: str | None = None) -> str:
    """Return the host in lower case, without the default port of its scheme. Source: RFC 9421 section 2.2.3.

    Args: authority: The authority. Default: that of the request.
    """
    text = request.authority if authority is None else authority
    return text.lower().removesuffix(_DEFAULT_PORTS.get(request.scheme.lower(), ":"))


class Signature(NamedTuple):
    """A signature of a message.

    Attributes:
        label: Its label.
        input: The covered components, and the parameters.
        value: Its bytes.
    """

    label: str
    input: tuple[Any, dict[str, Any]]
    value: bytes

    def find_problem(
        self, message: SimpleNamespace, key: VerificationKey, *, tag: str, resolver: Any, body: bytes | None = None
    ) -> str | None:
        """Return None if the signature is one of a message by a key, or why it is not.

        Args:
            message: What `resolver` reads.
            resolver: The class that resolves components.
            body: The body, which has to have the digest that the signature covers.
        Cost: The verification of one signature, unless its length is not that of signatures by the key.
        """
        expected = _SIGNATURE_BYTES
        if key.algorithm is SignatureAlgorithm.RSA_PSS_SHA512:
            expected = (getattr(key.key, "key_size", 0) + 7) // 8
        if len(self.value) != expected:
            return f"the signature has {len(self.value)} bytes: those by its key have {expected}"
        library = load_library()
        verifier = library.verifier(
            signature_algorithm=library.algorithms[key.algorithm],
            key_resolver=library.keys(public_keys={key.thumbprint: key.key}, private_keys={}),
            component_resolver_class=resolver,
        )
        # Only this signature: the verifier would refuse a message because of another one.
        fields = {"signature-input": {self.label: self.input}, "signature": {self.label: (self.value, {})}}
        message.headers |= {name: library.http_sf.ser(value) for name, value in fields.items()}
        try:
            verifier.verify(message, expect_tag=tag, max_age=None, body=body)
        except library.error as error:
            return f"the signature does not match the message and its key{f': {error}' if str(error) else ''}"
        return None
