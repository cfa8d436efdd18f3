"""A certificate authority for the test run, and server certificates: valid, expired, and for another host."""

import datetime as dt
import ipaddress
import ssl
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.servers.web import DOMAIN

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

_NAMES = ["localhost", f"*.{DOMAIN}"]
_ADDRESSES = ["127.0.0.1", "::1"]
_DAY = dt.timedelta(days=1)


class Authority:
    """Signs certificates. Each is written to a file in a folder, together with its key.

    Cost: A few milliseconds for each certificate.
    """

    def __init__(self, folder: Path) -> None:
        pytest.importorskip("cryptography")
        self._folder = folder
        self._key = _key()
        self._certificate = _certificate("test authority", self._key, by=None, days=(-1, 30))

    @property
    def file(self) -> Path:
        """Path of the authority's own certificate."""
        return self._write("authority", self._key, self._certificate)

    def client(self) -> ssl.SSLContext:
        """Return a new client context that trusts only this authority. Do not share it: transports modify it."""
        return ssl.create_default_context(cafile=self.file)

    def good(self, *alpn: str) -> ssl.SSLContext:
        return self._server("good", _NAMES, _ADDRESSES, (-1, 30), alpn)

    def for_names(self, *names: str) -> ssl.SSLContext:
        return self._server("names", list(names), [], (-1, 30))

    def requiring_client_certificate(self) -> ssl.SSLContext:
        """Return a server context that accepts only clients with a certificate of this authority."""
        context = self.good()
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(self.file)
        return context

    def client_certificate(self, name: str = "client") -> Path:
        """Return the path of a certificate for clients, with its key."""
        key = _key()
        certificate = _certificate(name, key, by=(self._certificate, self._key), days=(-1, 30), names=["client"])
        return self._write(name, key, certificate)

    def expired(self) -> ssl.SSLContext:
        return self._server("expired", _NAMES, _ADDRESSES, (-30, -1))

    def not_yet_valid(self) -> ssl.SSLContext:
        return self._server("not-yet-valid", _NAMES, _ADDRESSES, (1, 30))

    def for_another_host(self) -> ssl.SSLContext:
        return self._server("another-host", ["example.org"], [], (-1, 30))

    def self_signed(self) -> ssl.SSLContext:
        key = _key()
        certificate = _certificate("self-signed", key, by=None, days=(-1, 30), names=_NAMES, addresses=_ADDRESSES)
        return _server_context(self._write("self-signed", key, certificate))

    def _server(
        self, file: str, names: list[str], addresses: list[str], days: tuple[int, int], alpn: tuple[str, ...] = ()
    ) -> ssl.SSLContext:
        key = _key()
        signer = (self._certificate, self._key)
        certificate = _certificate(file, key, by=signer, days=days, names=names, addresses=addresses)
        return _server_context(self._write(file, key, certificate), alpn)

    def _write(self, name: str, key: "ec.EllipticCurvePrivateKey", certificate: "x509.Certificate") -> Path:
        from cryptography.hazmat.primitives import serialization

        file = self._folder / f"{name}.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        return file


def _key() -> "ec.EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def _server_context(file: Path, alpn: tuple[str, ...] = ()) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    if alpn:
        context.set_alpn_protocols(alpn)
    return context


def _certificate(
    name: str,
    key: "ec.EllipticCurvePrivateKey",
    *,
    by: "tuple[x509.Certificate, ec.EllipticCurvePrivateKey] | None",
    days: tuple[int, int],
    names: list[str] | None = None,
    addresses: list[str] | None = None,
) -> "x509.Certificate":
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.x509.oid import NameOID

    now = dt.datetime.now(dt.UTC)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    issuer, issuer_key = (subject, key) if by is None else (by[0].subject, by[1])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + days[0] * _DAY)
        .not_valid_after(now + days[1] * _DAY)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()),
            critical=False,
        )
    )
    if names is None:
        usage = {name: name in {"key_cert_sign", "crl_sign"} for name in _USAGES}
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        builder = builder.add_extension(x509.KeyUsage(**usage), critical=True)
    else:
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        known = [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses or []]
        builder = builder.add_extension(
            x509.SubjectAlternativeName([*map(x509.DNSName, names), *known]), critical=False
        )
    return builder.sign(issuer_key, hashes.SHA256())


_USAGES = (
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "key_cert_sign",
    "crl_sign",
    "encipher_only",
    "decipher_only",
)
