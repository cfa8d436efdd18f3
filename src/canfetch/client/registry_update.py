"""Install a later release of the registry of crawlers, whose signature is verified.

A release has a signature beside it, in a file with `.sig` at the end of its name: Ed25519 (RFC 8032) of its bytes, in
base64. The keys of the maintainers are pinned in `canfetch.repository`.
"""

import base64
import binascii
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from canfetch.agents.releases import Release, builtin_version, parse_release, read_release
from canfetch.agents.validation import is_day
from canfetch.client.identity.keys import missing_cryptography
from canfetch.client.identity.refreshing import fetch_file
from canfetch.client.private_files import create_private_folder
from canfetch.client.regular_files import replace_file
from canfetch.client.sqlite_files import FileLock
from canfetch.client.sync_client import Client
from canfetch.client.transports import Transport
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidRegistry
from canfetch.repository import RELEASE_KEYS

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

SIGNATURE_SUFFIX: Final = ".sig"
_DATE_SUFFIX: Final = ".date"
_DATE_CHARACTERS: Final = len("2026-11-27")


class NoLaterRelease(InvalidRegistry):
    """Raised when a release is not later than the one in use."""


def parse_release_key(pem: str | bytes) -> "Ed25519PublicKey":
    """Return a public key with which releases are signed.

    Args: pem: The key in PEM, as `openssl pkey -pubout` writes it.
    Raises: InvalidRegistry: It is not an Ed25519 key; MissingExtra: cryptography is not installed.
    """
    try:
        from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - optional dependency
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415 - the same
        from cryptography.hazmat.primitives.serialization import load_pem_public_key  # noqa: PLC0415 - the same
    except ImportError as error:
        raise missing_cryptography(error) from None
    try:
        key = load_pem_public_key(pem.encode() if isinstance(pem, str) else pem)
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise InvalidRegistry("the key is not a public Ed25519 key in PEM") from None
    return key


def pinned_keys() -> "list[Ed25519PublicKey]":
    """Return the keys of this version. Raises: MissingExtra."""
    pem = "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n"
    return [parse_release_key(pem.format(line)) for line in RELEASE_KEYS]


def verify_release(content: bytes, signature: bytes, keys: "Sequence[Ed25519PublicKey]") -> None:
    """Check that a release is signed with one of the keys.

    Args:
        content: The release.
        signature: The signature in base64.
        keys: The keys.
    Raises: InvalidRegistry: It is not.
    """
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - optional dependency

    try:
        decoded = base64.b64decode(signature.strip(), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidRegistry("the signature is not base64") from None
    for key in keys:
        try:
            key.verify(decoded, content)
        except InvalidSignature:
            continue
        return
    raise InvalidRegistry("the signature does not fit the registry and the key")


def fetch_release(
    url: str, *, max_bytes: int, user_agent: str, transport: Transport, timeout: float, allow_private: bool
) -> bytes:
    """Fetch a release or its signature, if robots.txt allows it.

    Args:
        url: The file.
        max_bytes: The largest size.
        user_agent: The complete User-Agent header.
        transport: Sends the requests, and is closed.
        timeout: Seconds for each request.
        allow_private: Whether to connect to private and loopback addresses.
    Raises: InvalidRegistry: It cannot be fetched; InvalidURL.
    """
    with Client(user_agent=user_agent, transport=transport, timeout=timeout, allow_private=allow_private) as client:
        content = fetch_file(client, transport, url, max_bytes=max_bytes)
    if isinstance(content, str):
        raise InvalidRegistry(f"cannot fetch {quoted(url)}: {content}")
    return content


def install_release(
    path: str, content: bytes, signature: bytes, keys: "Sequence[Ed25519PublicKey]", *, allow_older: bool = False
) -> Release:
    """Verify a release, and replace the installed one.

    The date of the installed release is kept in a file of its own. An older release is refused although the installed
    one was damaged or removed since then.

    Args:
        path: Where releases are installed: `canfetch.agents.releases.installed_path()`.
        content: The release.
        signature: Its signature in base64.
        keys: The keys that may have signed it.
        allow_older: Whether it may be older than the installed one. One that is not later than that of the package is
            never installed, because it would not be read.
    Returns: The release.
    Raises: InvalidRegistry: It is not signed with one of the keys, or invalid; NoLaterRelease; OSError: It cannot be
        written; sqlite3.Error: Another process installs a release.
    """
    verify_release(content, signature, keys)
    release = parse_release(content, path)
    file, dated = Path(path), Path(f"{path}{_DATE_SUFFIX}")
    create_private_folder(file.parent)
    with closing(FileLock(f"{path}.lock")):
        used = builtin_version() if allow_older else _version_in_use(path)
        if release.version <= used:
            raise NoLaterRelease(f"the registry of {release.version} is not later than that in use, of {used}")
        kept = _kept_date(dated)
        if not allow_older and release.version < kept:
            raise NoLaterRelease(f"the registry of {release.version} is older than one that was installed, of {kept}")
        replace_file(dated, release.version.encode())
        replace_file(file, content)
    return release


def _kept_date(file: Path) -> str:
    try:
        text = file.read_bytes()[:_DATE_CHARACTERS].decode("ascii", "replace")
    except FileNotFoundError:
        return ""
    return text if is_day(text) else ""


def _version_in_use(path: str) -> str:
    builtin = builtin_version()
    try:
        return max(builtin, read_release(path).version)
    except (OSError, InvalidRegistry):
        # A damaged file is not in use.
        return builtin
