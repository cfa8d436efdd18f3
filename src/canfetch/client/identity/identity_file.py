"""The file of an identity: its private keys, when each is used and published, and where.

    new_identity -> identity.json -> rotated -> identity.json with the next key

The next key is published for some time before it is used, and the last one for some time after, because verifiers keep
sets of keys. The clock selects the key, so a running crawler changes to the next one without a restart.
"""

import json
import os
import re
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from canfetch.agents.cards import CARD_PATH, build_card, parse_card
from canfetch.client.identity.directory_urls import parse_directory_url
from canfetch.client.identity.keys import (
    DIRECTORY_PATH,
    decode_base64url,
    encode_base64url,
    missing_cryptography,
    public_jwk,
)
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidKey, InvalidOption, InvalidURL

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

IDENTITY_SCHEMA: Final = "canfetch.identity/1"
IDENTITY_NAME: Final = "identity.json"
"""The name of the file of an identity in its folder."""
MAX_IDENTITY_BYTES: Final = 256 * 1024
DEFAULT_MAX_AGE: Final = 86_400
"""Seconds for which verifiers may keep the public keys."""
DEFAULT_LEAD: Final = 90_000
"""Seconds for which the next key is published before it is used: `DEFAULT_MAX_AGE`, and an hour."""
FORMS: Final = ("dictionary", "string")
"""How a request names the address of the keys: as in the draft of the working group, or as in earlier drafts."""
_MAX_KEYS: Final = 20
# The path of a request is compared with it as it is.
_PUBLISHED: Final = re.compile(r"https://[^/]+(?:/[A-Za-z0-9._~-]+)+")
_MAX_SECONDS: Final = 1e12
_PRIVATE_BYTES: Final = 32
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class SigningKey(NamedTuple):
    """A private key.

    Attributes:
        thumbprint: The thumbprint of its public key.
        private_key: The key.
        use_from: When it signs, in seconds since the epoch, until the next key does.
        listed_until: When its public key is no longer published, or None.
    """

    thumbprint: str
    private_key: "Ed25519PrivateKey"
    use_from: float
    listed_until: float | None = None

    def __repr__(self) -> str:
        return f"SigningKey({self.thumbprint!r})"


class IdentityFile(NamedTuple):
    """The content of the file.

    Attributes:
        directory_url: The URL at which the public keys are published.
        form: How requests name it, one of `FORMS`.
        keys: The keys, the newest last.
        max_age: Seconds for which verifiers may keep the public keys.
        card: The signature agent card, or None.
    """

    directory_url: str
    form: str
    keys: tuple[SigningKey, ...]
    max_age: int = DEFAULT_MAX_AGE
    card: Mapping[str, Any] | None = None

    @property
    def card_url(self) -> str | None:
        """The URL at which the card is published, or None if there is no card."""
        return None if self.card is None else str(self.card["client_id"])

    def card_content(self) -> bytes:
        """Return the card as it is published."""
        return json.dumps(self.card, indent=2, ensure_ascii=False).encode() + b"\n"

    def active_key(self, now: float) -> SigningKey:
        """Return the key that signs at a time."""
        return next((key for key in reversed(self.keys) if key.use_from <= now), self.keys[0])

    def listed_keys(self, now: float) -> list[SigningKey]:
        """Return the keys that are published at a time."""
        return [key for key in self.keys if key.listed_until is None or now < key.listed_until]

    def key_set(self, now: float) -> bytes:
        """Return the JWK Set of the published keys."""
        keys = []
        for key in self.listed_keys(now):
            jwk: dict[str, Any] = public_jwk(key.private_key.public_key())
            keys.append(jwk if key.listed_until is None else {**jwk, "exp": int(key.listed_until)})
        return json.dumps({"keys": keys}, separators=(",", ":")).encode()

    def rotated(self, now: float, *, lead: float = DEFAULT_LEAD) -> "IdentityFile":
        """Return the identity with a new key, without the keys that are no longer published.

        Args: lead: Seconds for which the new key is published before it signs, and the last one after. 0 removes the
            other keys at once, for a key that others may know.
        Raises: InvalidOption: A rotation is in progress.
        """
        if lead and self.keys[-1].use_from > now:
            raise InvalidOption("the last new key is published, but does not sign yet: wait until it does")
        kept = self.listed_keys(now) if lead else []
        until = now + 2 * lead
        others = [one._replace(listed_until=min(one.listed_until or until, until)) for one in kept]
        return self._replace(keys=(*others, _new_key(now + lead)))

    def to_json(self) -> bytes:
        """Return the content of the file, with the private keys."""
        keys = [
            {
                **public_jwk(key.private_key.public_key()),
                "d": encode_base64url(key.private_key.private_bytes_raw()),
                "use_from": key.use_from,
                "listed_until": key.listed_until,
            }
            for key in self.keys
        ]
        content: dict[str, Any] = {
            "schema": IDENTITY_SCHEMA,
            "directory_url": self.directory_url,
            "form": self.form,
            "max_age": self.max_age,
            "keys": keys,
        }
        if self.card is not None:
            content["card"] = self.card
        return json.dumps(content, indent=2).encode() + b"\n"


def new_identity(
    directory_url: str,
    *,
    form: str = FORMS[0],
    now: float,
    name: str | None = None,
    contacts: Iterable[str] = (),
    purpose: str | None = None,
    token: str | None = None,
) -> IdentityFile:
    """Return an identity with a new key and a signature agent card.

    Args:
        directory_url: The https URL at which the public keys will be published, or the origin, for its well-known path.
        form: One of `FORMS`.
        now: The time in seconds since the epoch.
        name: The name of the crawler, for the card.
        contacts: URIs of its operator, or email addresses, for the card.
        purpose: What it uses content for, for the card.
        token: Its product token, for the card.
    Raises: InvalidURL, InvalidOption; MissingExtra.
    """
    url = _directory_url(directory_url)
    _check_form(form, url)
    card = build_card(
        {"rfc9309-product-token": token, "purpose": purpose},
        client_id=f"{Origin.from_url(url)}{CARD_PATH}",
        client_name=name,
        contacts=[f"mailto:{one}" if "@" in one and ":" not in one else one for one in contacts],
        jwks_uri=url,
    )
    try:
        return IdentityFile(url, form, (_new_key(now),), card=_check_card(card, url))
    except InvalidKey as error:
        raise InvalidOption(str(error)) from None


def parse_identity(content: bytes) -> IdentityFile:
    """Return the identity in a file.

    Raises: InvalidKey. The message has no part of a private key.
    """
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise InvalidKey("the file of the identity is not valid JSON") from None
    if not isinstance(document, dict) or document.get("schema") != IDENTITY_SCHEMA:
        raise InvalidKey(f"the file is not an identity of the schema {IDENTITY_SCHEMA!r}")
    entries, max_age = document.get("keys"), document.get("max_age")
    if not isinstance(entries, list) or not 0 < len(entries) <= _MAX_KEYS:
        raise InvalidKey(f"the identity has no list of 1 to {_MAX_KEYS} keys")
    if isinstance(max_age, bool) or not isinstance(max_age, int) or not 0 <= max_age <= _MAX_SECONDS:
        raise InvalidKey("the max_age of the identity is not a number of seconds")
    try:
        url = _directory_url(str(document.get("directory_url")))
        form = _check_form(str(document.get("form")), url)
    except (InvalidURL, InvalidOption) as error:
        raise InvalidKey(f"the identity has an {error}") from None
    keys = tuple(_parse_key(number, one) for number, one in enumerate(entries, 1))
    card = document.get("card")
    return IdentityFile(url, form, keys, max_age, None if card is None else _check_card(card, url))


def _check_card(card: Any, directory_url: str) -> Mapping[str, Any]:
    """Return a card that is published with the keys.

    Raises: InvalidKey: It is not valid, or does not name the keys.
    """
    found = parse_card(json.dumps(card).encode())
    faults = list(found.faults)
    if found.jwks_uri != directory_url:
        faults.append(f"'jwks_uri' is not the URL of the keys, {directory_url}")
    if found.client_id is None or Origin.from_url(found.client_id) != Origin.from_url(directory_url):
        faults.append("'client_id' is not an https URL of the origin of the keys")
    elif not _PUBLISHED.fullmatch(found.client_id):
        faults.append(
            f"'client_id' is {quoted(found.client_id)}: expected a URL with a path, without query and escapes"
        )
    if faults:
        raise InvalidKey(f"the card of the identity is invalid: {faults[0]}")
    assert isinstance(card, Mapping)
    return card


def check_private(path: Path) -> None:
    """Check that only its owner can read a file, and that its folder is not one in which everybody can replace it.

    Raises: InvalidKey; OSError: The file cannot be read.
    """
    if os.name != "posix":
        return
    if stat.S_IMODE(path.stat().st_mode) & _OTHERS:
        raise InvalidKey(f"others can read the keys in {quoted(str(path))}: chmod 600 {path}")
    folder = Path(os.path.realpath(path)).parent
    if folder.stat().st_mode & (stat.S_IWOTH | stat.S_ISVTX) == stat.S_IWOTH:
        raise InvalidKey(f"others can replace the keys in {quoted(str(folder))}: chmod o-w {folder}")


def _parse_key(number: int, entry: Any) -> SigningKey:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise missing_cryptography(error) from None
    private, stated = (entry.get("d"), entry.get("x")) if isinstance(entry, dict) else (None, None)
    try:
        data = decode_base64url(private) if isinstance(private, str) else b""
    except InvalidKey:
        data = b""
    if len(data) != _PRIVATE_BYTES:
        raise InvalidKey(f"key {number} of the identity has no private key of {_PRIVATE_BYTES} bytes")
    key = Ed25519PrivateKey.from_private_bytes(data)
    jwk = public_jwk(key.public_key())
    if stated != jwk["x"]:
        raise InvalidKey(f"the private key {number} of the identity does not belong to its public key")
    use_from, until = entry.get("use_from"), entry.get("listed_until")
    if not _is_time(use_from) or not (until is None or _is_time(until)):
        raise InvalidKey(f"the times of key {number} of the identity are invalid")
    return SigningKey(jwk["kid"], key, float(use_from), None if until is None else float(until))


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MAX_SECONDS


def _new_key(use_from: float) -> SigningKey:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise missing_cryptography(error) from None
    key = Ed25519PrivateKey.generate()
    return SigningKey(public_jwk(key.public_key())["kid"], key, use_from)


def _directory_url(url: str) -> str:
    """Return the URL as verifiers normalise it, so that they fetch the one that signatures name."""
    directory = parse_directory_url(url)
    if directory.fetched != directory.identifier:
        raise InvalidURL(f"invalid URL {quoted(url)}: public keys have a URL without a query")
    return directory.identifier


def _check_form(form: str, url: str) -> str:
    if form not in FORMS:
        raise InvalidOption(f"invalid form {quoted(form)}: expected {' or '.join(map(repr, FORMS))}")
    if form == FORMS[1] and not url.endswith(DIRECTORY_PATH):
        raise InvalidOption(f"invalid form {form!r} for {url}: it needs keys at {DIRECTORY_PATH}")
    return form
