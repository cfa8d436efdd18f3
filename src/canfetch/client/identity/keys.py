"""Keys of signed requests: JSON Web Keys, their thumbprints, and sets of keys.

Source: RFC 7517 (JWK), RFC 7638 and RFC 8037 (thumbprints), RFC 9421 section 3.3 (algorithms); Web Bot Auth,
draft-ietf-webbotauth-httpsig-protocol-01, "Directory Format".
"""

import hashlib
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.errors import InvalidKey, MissingExtra

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    AnyPublicKey = Ed25519PublicKey | RSAPublicKey | EllipticCurvePublicKey

MAX_KEY_SET_BYTES: Final = 256 * 1024
"""The size of a set of keys. A larger one is not read."""
MAX_KEYS: Final = 100
"""The number of keys that are read from a set."""
DIRECTORY_PATH: Final = "/.well-known/http-message-signatures-directory"
"""The well-known path of the keys of an origin."""
DIRECTORY_TYPE: Final = "application/http-message-signatures-directory+json"
"""The media type of the keys at the well-known path."""
DIRECTORY_TAG: Final = "http-message-signatures-directory"
"""The tag of the signatures with which keys sign their directory."""
TEST_KEYS: Final = frozenset(
    {
        "oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA",
        "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
        "ydQXMtvbsOsZyFir-Y7A8t7fKEM1gbKPvyFkdpu4fvI",
    }
)
"""The thumbprints of the example keys of RFC 9421 appendix B.1, whose private halves everyone has."""

_MIN_RSA_BITS: Final = 2048
_MAX_RSA_BITS: Final = 8192
_MAX_EXPONENT_BITS: Final = 33
# The members that a thumbprint is computed from, by key type.
_THUMBPRINT_MEMBERS: Final = {"OKP": ("crv", "kty", "x"), "RSA": ("e", "kty", "n"), "EC": ("crv", "kty", "x", "y")}
_PRIVATE_MEMBERS: Final = frozenset({"d", "p", "q", "dp", "dq", "qi", "k", "oth"})
_VERIFY: Final = "verify"
_COORDINATE_BYTES: Final = 32
_ED25519_PRIME: Final = 2**255 - 19
_ORDER_8: Final = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
# The y coordinates of the points of the orders 1, 2, 4 and 8. Whoever knows one makes signatures without a private key.
_SMALL_ORDER: Final = frozenset({0, 1, _ED25519_PRIME - 1, _ORDER_8, _ED25519_PRIME - _ORDER_8})


class SignatureAlgorithm(StrEnum):
    """The algorithms of signatures, with the names of the IANA registry of HTTP signature algorithms."""

    ED25519 = "ed25519"
    RSA_PSS_SHA512 = "rsa-pss-sha512"
    ECDSA_P256_SHA256 = "ecdsa-p256-sha256"


class VerificationKey(NamedTuple):
    """A public key.

    Attributes:
        thumbprint: The SHA-256 thumbprint of the key, in base64url without padding.
        algorithm: The algorithm of its signatures.
        key: The key, as an object of the package cryptography.
        not_before, not_after: When it is used, in seconds since the epoch, or None.
        more_periods: Further times of the same kind, of a key that is in a set more than once.
    """

    thumbprint: str
    algorithm: SignatureAlgorithm
    key: "AnyPublicKey"
    not_before: float | None = None
    not_after: float | None = None
    more_periods: tuple[tuple[float | None, float | None], ...] = ()

    def find_expiry(self, now: float, clock_skew: float = 0.0) -> Literal["later", "expired"] | None:
        """Return None if the key is used now, or whether it is used later or no longer."""
        found: Literal["later", "expired"] = "expired"
        for not_before, not_after in ((self.not_before, self.not_after), *self.more_periods):
            if not_before is not None and now < not_before - clock_skew:
                found = "later"
            elif not_after is None or now <= not_after + clock_skew:
                return None
        return found


class KeySet(NamedTuple):
    """The keys of a set, by their thumbprints.

    Attributes:
        keys: The keys that can be used.
        problems: Why other keys cannot, and what is wrong with labels.
        unusable: Why keys cannot be used, by their thumbprints and labels.
        is_cut: Whether there are more keys than are read.
    """

    keys: Mapping[str, VerificationKey]
    problems: tuple[str, ...]
    unusable: Mapping[str, str]
    is_cut: bool = False

    def absence(self, key_id: str) -> str:
        """Return in one clause why there is no usable key with a thumbprint."""
        problem = self.unusable.get(key_id)
        if problem is not None:
            return f"the key in the directory cannot be used: {problem}"
        part = f"the first {MAX_KEYS} keys of the directory do" if self.is_cut else "the directory does"
        return f"{part} not contain the key"


def thumbprint(jwk: Mapping[str, Any]) -> str:
    """Return the SHA-256 thumbprint of a JSON Web Key, in base64url without padding.

    Raises: InvalidKey.

    >>> thumbprint({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})
    'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
    """
    members = _THUMBPRINT_MEMBERS.get(_text(jwk, "kty"))
    if members is None:
        raise InvalidKey(f"unknown key type {quoted(_text(jwk, 'kty'))}: expected OKP, RSA or EC")
    required = {name: _text(jwk, name) for name in members}
    canonical = json.dumps(required, separators=(",", ":"), sort_keys=True).encode()
    return encode_base64url(hashlib.sha256(canonical).digest())


def parse_key(jwk: Any) -> VerificationKey:
    """Return the key of a JSON Web Key.

    Raises: InvalidKey: It has private members, an unknown type or an invalid value; MissingExtra.
    """
    if not isinstance(jwk, Mapping):
        raise InvalidKey("it is not an object")
    private = sorted(_PRIVATE_MEMBERS.intersection(jwk))
    if private:
        raise InvalidKey(f"it is a private key (member {private[0]!r}), which anybody can use now: replace it")
    if jwk.get("use", "sig") != "sig":
        raise InvalidKey(f"its use is {quoted(str(jwk['use'])[:40])}, not 'sig'")
    operations = jwk.get("key_ops", [_VERIFY])
    if not isinstance(operations, list) or _VERIFY not in operations:
        raise InvalidKey(f"its operations (key_ops) are {quoted(str(operations)[:40])}, not a list with {_VERIFY!r}")
    print_of_key = thumbprint(jwk)
    algorithm, key = _public_key(jwk)
    stated = jwk.get("alg")
    if stated is not None and stated not in _STATED_ALGORITHMS[algorithm]:
        raise InvalidKey(f"its algorithm {quoted(str(stated)[:40])} is not one of its key type")
    return VerificationKey(print_of_key, algorithm, key, _time(jwk, "nbf"), _time(jwk, "exp"))


# The names of RFC 9421, and those of JSON Web Signatures, which published keys have as well.
_STATED_ALGORITHMS: Final = {
    SignatureAlgorithm.ED25519: ("ed25519", "EdDSA", "Ed25519"),
    SignatureAlgorithm.RSA_PSS_SHA512: ("rsa-pss-sha512", "PS512"),
    SignatureAlgorithm.ECDSA_P256_SHA256: ("ecdsa-p256-sha256", "ES256"),
}


def parse_key_set(content: bytes) -> KeySet:
    """Return the keys of a JWK Set. A key that cannot be used costs no other key.

    Raises: InvalidKey: The content is not a JWK Set; MissingExtra.
    Cost: O(bytes), and the construction of at most 100 keys.
    """
    if len(content) > MAX_KEY_SET_BYTES:
        raise InvalidKey(f"the set of keys is longer than {MAX_KEY_SET_BYTES:,} bytes")
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise InvalidKey("the set of keys is not valid JSON") from None
    entries = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise InvalidKey('the set of keys has no list "keys"')
    keys: dict[str, VerificationKey] = {}
    problems: list[str] = []
    unusable: dict[str, str] = {}
    for number, jwk in enumerate(entries[:MAX_KEYS], 1):
        try:
            key = parse_key(jwk)
        except InvalidKey as error:
            problems.append(f"key {number}: {error}")
            unusable |= dict.fromkeys(_identifiers(jwk), printable_text(str(error)))
            continue
        kid = jwk.get("kid")
        if kid is not None and kid != key.thumbprint:
            problems.append(f"key {number}: its kid {quoted(str(kid)[:80])} is not its thumbprint {key.thumbprint}")
        first = keys.setdefault(key.thumbprint, key)
        if first is not key:
            periods = (*first.more_periods, (key.not_before, key.not_after))
            keys[key.thumbprint] = first._replace(more_periods=periods)
    if len(entries) > MAX_KEYS:
        problems.append(f"only the first {MAX_KEYS} of {len(entries):,} keys are read")
    return KeySet(keys, tuple(map(printable_text, problems)), unusable, len(entries) > MAX_KEYS)


def _identifiers(jwk: Any) -> Iterator[str]:
    """Yield the thumbprint and the label of a key that cannot be used."""
    if isinstance(jwk, Mapping):
        if isinstance(kid := jwk.get("kid"), str):
            yield kid
        with suppress(InvalidKey):
            yield thumbprint(jwk)


def public_jwk(key: "Ed25519PublicKey") -> dict[str, str]:
    """Return an Ed25519 key as a JSON Web Key, with its thumbprint as `kid`."""
    jwk = {"kty": "OKP", "crv": "Ed25519", "x": encode_base64url(key.public_bytes_raw())}
    return {**jwk, "kid": thumbprint(jwk), "use": "sig"}


def encode_base64url(data: bytes) -> str:
    """Return bytes in base64url without padding."""
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode_base64url(text: str) -> bytes:
    """Return the bytes of a text in base64url without padding.

    Raises: InvalidKey.
    """
    try:
        data = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except (Base64Error, ValueError):
        raise InvalidKey("it is not valid base64url") from None
    # Python skips characters of other alphabets, and the last character can have unused bits.
    if encode_base64url(data) != text:
        raise InvalidKey("it is not valid base64url")
    return data


def missing_cryptography(error: ImportError) -> MissingExtra:
    """Return the error for a feature that needs the packages of the extra `identity`."""
    return MissingExtra(f"signed requests require {error.name}: pip install 'canfetch[identity]'")


def _public_key(jwk: Mapping[str, Any]) -> "tuple[SignatureAlgorithm, AnyPublicKey]":
    try:
        from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise missing_cryptography(error) from None
    try:
        match jwk.get("kty"), jwk.get("crv"):
            case "OKP", "Ed25519":
                point = _coordinate(jwk, "x")
                # The last bit is the sign of x. A coordinate may be encoded with the prime added.
                if int.from_bytes(point, "little") % 2**255 % _ED25519_PRIME in _SMALL_ORDER:
                    raise InvalidKey("it is a point of small order, for which anybody can sign")
                return SignatureAlgorithm.ED25519, ed25519.Ed25519PublicKey.from_public_bytes(point)
            case "RSA", _:
                modulus, exponent = (int.from_bytes(_number(jwk, name)) for name in ("n", "e"))
                bits, size = modulus.bit_length(), exponent.bit_length()
                if not _MIN_RSA_BITS <= bits <= _MAX_RSA_BITS or size > _MAX_EXPONENT_BITS:
                    raise InvalidKey(
                        f"an RSA key of {bits} bits with an exponent of {size} bits: expected {_MIN_RSA_BITS} to "
                        f"{_MAX_RSA_BITS} with at most {_MAX_EXPONENT_BITS}"
                    )
                return SignatureAlgorithm.RSA_PSS_SHA512, rsa.RSAPublicNumbers(exponent, modulus).public_key()
            case "EC", "P-256":
                # RFC 7518 section 6.2.1.2. With other lengths, one key would have several thumbprints.
                x, y = (int.from_bytes(_coordinate(jwk, name)) for name in ("x", "y"))
                numbers = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1())
                return SignatureAlgorithm.ECDSA_P256_SHA256, numbers.public_key()
            case _:
                raise InvalidKey(f"unknown curve {quoted(str(jwk.get('crv'))[:40])}: expected Ed25519 or P-256")
    except ValueError as error:
        if isinstance(error, InvalidKey):
            raise
        raise InvalidKey(f"it is not a valid key: {error}") from None


def _bytes(jwk: Mapping[str, Any], name: str) -> bytes:
    text = _text(jwk, name)
    try:
        return decode_base64url(text)
    except InvalidKey as error:
        raise InvalidKey(f"member {name!r}: {error}") from None


def _coordinate(jwk: Mapping[str, Any], name: str) -> bytes:
    data = _bytes(jwk, name)
    if len(data) != _COORDINATE_BYTES:
        raise InvalidKey(f"its member {name!r} has {len(data)} bytes, not {_COORDINATE_BYTES}")
    return data


def _number(jwk: Mapping[str, Any], name: str) -> bytes:
    data = _bytes(jwk, name)
    # RFC 7518 section 2.
    if not data or data[0] == 0:
        raise InvalidKey(f"its member {name!r} is empty, or starts with a zero byte")
    return data


def _text(jwk: Mapping[str, Any], name: str) -> str:
    value = jwk.get(name)
    if not isinstance(value, str) or not value.isascii():
        raise InvalidKey(f"its member {name!r} is missing or no text")
    return value


def _time(jwk: Mapping[str, Any], name: str) -> float | None:
    value = jwk.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _MAX_TIME:
        raise InvalidKey(f"its member {name!r} is not a time in seconds")
    return float(value)


_MAX_TIME: Final = 1e12
