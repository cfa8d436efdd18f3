"""A signer of requests that shares no code with the library, and makes any mistake that a test asks for."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from canfetch.client.identity.keys import encode_base64url, public_jwk, thumbprint

NOW = 1_790_000_000
AGENT_URL = "https://signer.example/keys.json"

PrivateKey = ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


class Signer:
    """Signs requests with one key.

    Args: key: The private key. Default: a new Ed25519 key.
    """

    def __init__(self, key: PrivateKey | None = None) -> None:
        self._key = ed25519.Ed25519PrivateKey.generate() if key is None else key
        self.jwk = _jwk(self._key)
        self.key_id = thumbprint(self.jwk)

    def headers(
        self,
        covered: Mapping[str, str] | None = None,
        *,
        label: str = "sig1",
        agent: str | None = f'sig1="{AGENT_URL}"',
        signed_input: str | None = None,
        host: str = "example.com",
        **parameters: Any,
    ) -> list[tuple[str, str]]:
        """Return the three fields of a signed request.

        Args:
            covered: The component identifiers, in the form of the signature base, and their values. Default: the
                authority and the member of Signature-Agent.
            signed_input: The list and the parameters, as they are signed and sent. Default: from the other arguments.
            parameters: Parameters of the signature. None leaves one out.
        """
        if covered is None:
            covered = {'"@authority"': host, '"signature-agent";key="sig1"': (agent or "").partition("=")[2]}
        if signed_input is None:
            signed_input = f"({' '.join(covered)})" + self.parameters(**parameters)
        base = "".join(f"{name}: {value}\n" for name, value in covered.items())
        value = b64encode(self.sign(f'{base}"@signature-params": {signed_input}'.encode())).decode()
        fields = [("Signature-Input", f"{label}={signed_input}"), ("Signature", f"{label}=:{value}:")]
        return fields if agent is None else [("Signature-Agent", agent), *fields]

    def parameters(self, **changed: Any) -> str:
        """Return the parameters of a signature, with changes."""
        values = {
            "created": NOW,
            "expires": NOW + 300,
            "keyid": self.key_id,
            "alg": None,
            "nonce": None,
            "tag": "web-bot-auth",
            **changed,
        }
        texts = {name: value if isinstance(value, int) else f'"{value}"' for name, value in values.items()}
        return "".join(f";{name}={text}" for name, text in texts.items() if values[name] is not None)

    def sign(self, base: bytes) -> bytes:
        match self._key:
            case ed25519.Ed25519PrivateKey():
                return self._key.sign(base)
            case rsa.RSAPrivateKey():
                return self._key.sign(base, padding.PSS(padding.MGF1(hashes.SHA512()), 64), hashes.SHA512())
            case _:
                pair = decode_dss_signature(self._key.sign(base, ec.ECDSA(hashes.SHA256())))
                return b"".join(number.to_bytes(32) for number in pair)


def _jwk(key: PrivateKey) -> dict[str, str]:
    match key:
        case ed25519.Ed25519PrivateKey():
            return public_jwk(key.public_key())
        case rsa.RSAPrivateKey():
            numbers = key.public_key().public_numbers()
            members = {"n": numbers.n.to_bytes(256), "e": numbers.e.to_bytes(3)}
            return {"kty": "RSA", **{name: encode_base64url(value) for name, value in members.items()}}
        case _:
            point = key.public_key().public_numbers()
            return {
                "kty": "EC",
                "crv": "P-256",
                "x": encode_base64url(point.x.to_bytes(32)),
                "y": encode_base64url(point.y.to_bytes(32)),
            }
