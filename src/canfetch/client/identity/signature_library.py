"""The packages of the extra `identity`: structured fields (RFC 9651), and the verification of one signature (RFC 9421).

They accept signatures that Web Bot Auth excludes, so they decide nothing else.
"""

from collections.abc import Mapping
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from canfetch.client.identity.keys import SignatureAlgorithm, VerificationKey, missing_cryptography

if TYPE_CHECKING:
    from http_message_signatures import HTTPSignatureAlgorithm

# Of Ed25519 and of ECDSA with P-256.
_SIGNATURE_BYTES: Final = 64


class SignatureLibrary(NamedTuple):
    """What is used of the packages."""

    http_sf: Any
    verifier: Any
    resolver: Any
    digest: Any
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
        from http_message_signatures.digests import ContentDigest  # noqa: PLC0415 - the same
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
        Verifier,
        library.HTTPSignatureComponentResolver,
        ContentDigest,
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

    def find_problem(self, message: SimpleNamespace, key: VerificationKey, *, tag: str, resolver: Any) -> str | None:
        """Return None if the signature is one of a message by a key, or why it is not.

        Args:
            message: What `resolver` reads. Its other signatures are not.
            tag: The tag of the signature.
            resolver: The class that resolves components.
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
            verifier.verify(message, expect_tag=tag, max_age=None)
        except library.error as error:
            return f"the signature does not match the message and its key{f': {error}' if str(error) else ''}"
        return None
