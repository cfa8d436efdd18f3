"""Own certificate authorities and client certificates."""

import os
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
from tests.servers.certificates import Authority
from tests.servers.valid import RULES
from tests.servers.web import Site
from tests.transports.harness import failure_kind, make_request, open_transport, transport_class

from canfetch.access.responses import FailureKind, Response
from canfetch.client.transports.tls import create_ssl_context, describe_tls
from canfetch.errors import InvalidOption


def parts(file: Path, folder: Path) -> tuple[Path, Path]:
    """Return files with the certificate alone and with the key alone."""
    key, certificate = file.read_text().split("-----BEGIN CERTIFICATE-----")
    key_file, certificate_file = folder / "key.pem", folder / "certificate.pem"
    key_file.write_text(key)
    certificate_file.write_text(f"-----BEGIN CERTIFICATE-----{certificate}")
    return certificate_file, key_file


def encrypted_key(file: Path, folder: Path, password: bytes) -> Path:
    from cryptography.hazmat.primitives import serialization

    key = serialization.load_pem_private_key(file.read_bytes(), None)
    encrypted = folder / "encrypted.pem"
    encrypted.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(password),
        )
    )
    return encrypted


def test_servers_cannot_choose_parameters_or_repeat_the_handshake(authority: Authority) -> None:
    context = create_ssl_context()
    assert not any(cipher["name"].startswith("DHE-") for cipher in context.get_ciphers())
    assert context.options & ssl.OP_NO_RENEGOTIATION
    # Some servers request the certificate of a client by a renegotiation.
    assert not create_ssl_context(client_cert=authority.client_certificate()).options & ssl.OP_NO_RENEGOTIATION


def test_own_authority_is_trusted(name: str, authority: Authority, tls_site: Site) -> None:
    with open_transport(name, ssl_context=create_ssl_context(ca_file=authority.file)) as send:
        answer = send(make_request(tls_site.robots_url("rules")))
    assert isinstance(answer, Response), answer
    assert answer.body == RULES


@pytest.mark.parametrize("separate_key", [False, True])
def test_client_certificate_is_presented(
    name: str, authority: Authority, tmp_path: Path, *, separate_key: bool
) -> None:
    certificate: Path = authority.client_certificate()
    key: Path | None = None
    if separate_key:
        certificate, key = parts(certificate, tmp_path)
    context = create_ssl_context(ca_file=str(authority.file), client_cert=certificate, client_key=key)
    with Site(tls=authority.requiring_client_certificate()) as site:
        with open_transport(name, ssl_context=context) as send:
            answer = send(make_request(site.robots_url("rules")))
        assert isinstance(answer, Response), answer
        with open_transport(name, ssl_context=authority.client()) as send:
            # With TLS 1.3, the server rejects the client after the handshake.
            assert failure_kind(send(make_request(site.robots_url("rules")))) in {FailureKind.TLS, FailureKind.RESET}


@pytest.mark.slow
def test_encrypted_key_requires_its_password(authority: Authority, tmp_path: Path) -> None:
    certificate, _ = parts(authority.client_certificate(), tmp_path)
    key = encrypted_key(authority.client_certificate("other"), tmp_path, b"secret")
    with pytest.raises(InvalidOption, match="is encrypted: its password is required"):
        create_ssl_context(client_cert=certificate, client_key=key)
    with pytest.raises(InvalidOption, match="and the password of the key") as raised:
        create_ssl_context(client_cert=certificate, client_key=key, password="guess")
    assert "guess" not in str(raised.value)
    with pytest.raises(InvalidOption, match=r"the private key in '.*encrypted.pem' belongs to another certificate"):
        create_ssl_context(client_cert=certificate, client_key=key, password="secret")
    _, plain_key = parts(authority.client_certificate("third"), tmp_path)
    create_ssl_context(
        client_cert=certificate,
        client_key=encrypted_key(plain_key, tmp_path, b"secret"),
        password="secret",
    )


@pytest.mark.parametrize("option", ["ca_file", "client_cert"])
def test_invalid_file_raises(option: str, tmp_path: Path) -> None:
    empty = tmp_path / "empty.pem"
    empty.touch()
    for file, message in (
        (empty, f"invalid {option} '{empty}': expected a PEM file with "),
        (str(tmp_path / "missing.pem"), f"cannot read {option} '{tmp_path / 'missing.pem'}': No such file"),
        (tmp_path, f"cannot read {option} '{tmp_path}': "),
        ("a\0b", f"cannot read {option} "),
        (7.5, f"cannot read {option} '7.5': "),
    ):
        with pytest.raises(InvalidOption) as raised:
            create_ssl_context(**{option: file})  # type: ignore[arg-type]  # some are invalid on purpose
        assert message in str(raised.value)


@pytest.mark.slow
def test_key_without_certificate_raises(authority: Authority) -> None:
    for options in ({"client_key": authority.file}, {"password": "a"}):
        with pytest.raises(InvalidOption, match="client_key and password require client_cert"):
            create_ssl_context(**options)


@pytest.mark.slow
@pytest.mark.parametrize("settings", ["default", "created"])
def test_ssl_cert_file_of_the_environment_is_used(
    name: str, settings: str, authority: Authority, tls_site: Site
) -> None:
    transport_class(name)
    program = f"""
from canfetch.client.transports.tls import create_ssl_context
from tests.transports.harness import make_request, open_transport
with open_transport({name!r}, ssl_context=create_ssl_context() if {settings!r} == "created" else None) as send:
    print(send(make_request({tls_site.robots_url("rules")!r})).status)
"""
    environment = {**os.environ, "SSL_CERT_FILE": str(authority.file)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout.strip() == "200", done.stderr


def test_route_describes_the_settings(name: str, authority: Authority) -> None:
    create, ca = transport_class(name), authority.file
    certificates = [authority.client_certificate(), authority.client_certificate("other")]
    contexts = [
        None,
        create_ssl_context(),
        create_ssl_context(ca_file=ca),
        *(create_ssl_context(ca_file=ca, client_cert=certificate) for certificate in certificates),
    ]
    described = [create(ssl_context=context).route.tls for context in contexts]
    assert len(set(described)) == len(contexts)
    assert described[0] == ""
    assert describe_tls(create_ssl_context(ca_file=ca)) == described[2]
