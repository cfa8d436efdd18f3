"""TLS settings for all transports: an own certificate authority, and a client certificate."""

import hashlib
import ssl
from os import PathLike
from pathlib import Path
from typing import Any, Final, NoReturn
from weakref import WeakKeyDictionary

from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

FilePath = str | PathLike[str]
# Hashes of the certificates of clients, which contexts do not reveal.
_CLIENT_CERTIFICATES: Final[WeakKeyDictionary[ssl.SSLContext, str]] = WeakKeyDictionary()


def create_ssl_context(
    *,
    ca_file: FilePath | None = None,
    client_cert: FilePath | None = None,
    client_key: FilePath | None = None,
    password: str | None = None,
) -> ssl.SSLContext:
    """Return TLS settings for the argument `ssl_context` of a transport. Do not share them between transports.

    They offer no DHE key exchange, like browsers: a server can choose parameters that take seconds to compute with.

    Args:
        ca_file: PEM file with the certificate authorities to trust, instead of the system's. Without it, OpenSSL also
            reads the environment variables SSL_CERT_FILE and SSL_CERT_DIR.
        client_cert: PEM file with the certificate that the client presents to servers that request one, and with its
            private key unless `client_key` is set.
        client_key: PEM file with the private key.
        password: Password of the private key, if it is encrypted.
    Raises: InvalidOption: A file cannot be read, or does not contain what it should.
    """
    if client_cert is None and (client_key is not None or password is not None):
        raise InvalidOption("client_key and password require client_cert")
    for name, file in (("ca_file", ca_file), ("client_cert", client_cert), ("client_key", client_key)):
        if file is not None:
            _check_readable(name, file)
    try:
        context = ssl.create_default_context(cafile=ca_file)
    except ssl.SSLError:
        raise InvalidOption(
            f"invalid ca_file {quoted(str(ca_file))}: expected a PEM file with certificates of authorities"
        ) from None
    ciphers = (cipher["name"] for cipher in context.get_ciphers())
    context.set_ciphers(":".join(name for name in ciphers if not name.startswith("DHE-")))
    if client_cert is None:
        # Some servers request the certificate of a client only by another handshake.
        context.options |= ssl.OP_NO_RENEGOTIATION
    else:
        _load_client_certificate(context, client_cert, client_key, password)
        _CLIENT_CERTIFICATES[context] = hashlib.sha256(Path(client_cert).read_bytes()).hexdigest()
    return context


def describe_tls(context: ssl.SSLContext | None) -> str:
    """Return a description of TLS settings. It is the same in each process, and differs for other authorities.

    Args: context: The settings, or None for the default settings, which an empty string describes.
    """
    if context is None:
        return ""
    authorities = hashlib.sha256(b"".join(sorted(context.get_ca_certs(binary_form=True)))).hexdigest()
    certificate = _CLIENT_CERTIFICATES.get(context, "")
    return f"{context.verify_mode!r} {context.check_hostname} {authorities} {certificate}"


def has_authorities(context: ssl.SSLContext) -> bool:
    """Return whether a context can trust any certificate: it has authorities, or the folder of the system has."""
    if context.cert_store_stats()["x509_ca"]:
        return True
    # None if it does not exist, which typeshed does not know.
    folder: Any = ssl.get_default_verify_paths().capath
    try:
        return folder is not None and any(Path(folder).iterdir())
    except OSError:
        return False


def _check_readable(name: str, file: FilePath) -> None:
    # OpenSSL does not report the reason.
    try:
        with Path(file).open("rb"):
            pass
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidOption(f"cannot read {name} {quoted(str(file))}: {reason}") from None


def _load_client_certificate(
    context: ssl.SSLContext, certificate: FilePath, key: FilePath | None, password: str | None
) -> None:
    key_file = str(certificate if key is None else key)

    def missing_password() -> NoReturn:
        # Without this function, OpenSSL would ask for the password on the terminal.
        raise InvalidOption(f"the private key in {quoted(key_file)} is encrypted: its password is required")

    try:
        context.load_cert_chain(certificate, key, missing_password if password is None else password)
    except ssl.SSLError as error:
        reason = "expected a PEM file with a certificate and its private key"
        if error.reason == "KEY_VALUES_MISMATCH":
            reason = f"the private key in {quoted(key_file)} belongs to another certificate"
        elif password is not None:
            reason = f"{reason}, and the password of the key"
        raise InvalidOption(f"invalid client_cert {quoted(str(certificate))}: {reason}") from None
