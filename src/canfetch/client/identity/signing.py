"""Signed requests: who is asking, proved by a key that the operator of a crawler publishes.

    SigningIdentity.headers(method, URL) -> Signature-Agent, Signature-Input, Signature

A signature covers the method, the authority and the path of one request, and holds for a minute. So each redirect and
each retry has its own. Requests over http are not signed: an eavesdropper could send the signature to the https site.

Source: RFC 9421; Web Bot Auth, draft-ietf-webbotauth-httpsig-protocol-01; for the form `string`, "Web Bot Auth" in the
documentation of Cloudflare, 2026-07-01.
"""

import re
import secrets
import time
from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final
from urllib.parse import quote_from_bytes

from canfetch.access.responses import Headers
from canfetch.agents.cards import CARD_TYPE
from canfetch.client.argument_checks import check_callable, check_path, check_positive_seconds
from canfetch.client.identity.identity_file import (
    FORMS,
    IDENTITY_NAME,
    MAX_IDENTITY_BYTES,
    IdentityFile,
    SigningKey,
    check_private,
    parse_identity,
)
from canfetch.client.identity.keys import DIRECTORY_PATH, DIRECTORY_TAG, DIRECTORY_TYPE, SignatureAlgorithm
from canfetch.client.identity.message_signatures import load_library
from canfetch.client.procedure import Clock
from canfetch.client.watched_file import WatchedFile
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.urls import split_url, url_bytes
from canfetch.errors import InvalidOption

if TYPE_CHECKING:
    from http_message_signatures import HTTPMessageSigner

DEFAULT_LIFETIME: Final = 60.0
"""Seconds for which a signature holds."""
_MAX_LIFETIME: Final = 3600.0
# How long a verifier may use the signature of a set of keys that it has fetched.
_DIRECTORY_LIFETIME: Final = 86_400
_NONCE_BYTES: Final = 32
_LABEL: Final = "sig1"
_REQUEST_TAG: Final = "web-bot-auth"
_COMPONENTS: Final = ("@method", "@authority", "@path")
# RFC 9110 section 9.1.
_METHOD: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# All but the characters that no request line can have. HTTP clients differ in which of the others they escape.
_PATH_CHARACTERS: Final = "".join(map(chr, range(0x21, 0x7F)))


class SigningIdentity:
    """Signs the requests of a crawler. Safe for use by several threads and processes.

    The file is read again when it changes, so `canfetch identity rotate` gives a running crawler its next key.

        with Client(user_agent="ExampleBot/1.0", identity=SigningIdentity("identity")) as client:
            client.decide("https://example.com/fish")

    Args:
        path: The file `identity.json`, or its folder, which `canfetch identity init` writes.
        form: How requests name the address of the keys. Default: as the file says.
        lifetime: Seconds for which a signature holds, at most an hour. The clocks of both sides may differ by less.
        clock: Returns seconds since the epoch.
    Raises: InvalidKey: The file is invalid, or others can read it; InvalidOption: An argument is invalid; OSError: The
        file cannot be read; MissingExtra.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        form: str | None = None,
        lifetime: float = DEFAULT_LIFETIME,
        clock: Clock = time.time,
    ) -> None:
        check_positive_seconds("lifetime", lifetime)
        if lifetime > _MAX_LIFETIME:
            raise InvalidOption(f"invalid lifetime {lifetime}: expected at most {_MAX_LIFETIME:g} seconds")
        check_callable("clock", clock)
        if form not in {None, *FORMS}:
            raise InvalidOption(f"invalid form {quoted(form)}: expected {' or '.join(map(repr, FORMS))}")
        self._form = form
        self._lifetime = lifetime
        self._clock = clock
        self._signer = _new_signer()
        file = check_path("path", path)
        if file.is_dir():
            file /= IDENTITY_NAME
        file = file.absolute()

        def parse(content: bytes) -> IdentityFile:
            # A file that replaces it as well.
            check_private(file)
            return parse_identity(content)

        self._file: WatchedFile[IdentityFile] = WatchedFile(file, parse, max_bytes=MAX_IDENTITY_BYTES, clock=clock)

    def __repr__(self) -> str:
        # The keys are not shown.
        return f"SigningIdentity({str(self._file.path)!r})"

    @property
    def directory_url(self) -> str:
        """The URL at which the public keys are published."""
        return self._file.current().directory_url

    @property
    def card_url(self) -> str | None:
        """The URL at which the signature agent card is published, or None if the identity has no card."""
        return self._file.current().card_url

    def card(self) -> tuple[Headers, bytes]:
        """Return the headers and the body of the response with the signature agent card.

        Serve it with status 200 at `card_url`.

        Raises: InvalidOption: The identity has no card.
        """
        identity = self._file.current()
        if identity.card is None:
            raise InvalidOption("the identity has no card: add an object 'card' to its file")
        return (("Content-Type", CARD_TYPE), ("Cache-Control", f"max-age={identity.max_age}")), identity.card_content()

    def headers(self, method: str, url: str) -> Headers:
        """Return the headers that sign one request, or none for a URL that is not https.

        Args:
            method: The method, as it is sent.
            url: The URL of this request, as it is sent. After a redirect, that is the target. Characters that no
                request can have, such as spaces and those beyond ASCII, are signed percent-encoded.
        Raises: InvalidURL: The URL has no valid host; InvalidOption: The method is invalid.
        Cost: A signature, well below a millisecond.
        """
        if url[:6].lower() != "https:":
            return ()
        if not _METHOD.fullmatch(method):
            raise InvalidOption(f"invalid method {quoted(method)}: expected one such as 'GET'")
        origin = Origin.from_url(url)
        identity, now = self._file.current(), self._clock()
        key = identity.active_key(now)
        # The library rejects some methods and paths that HTTP clients send.
        message = SimpleNamespace(
            method=method.upper(), url=f"{origin}/", headers={}, sent_method=method, path=_sent_path(url)
        )
        if (self._form or identity.form) == FORMS[0]:
            message.headers["Signature-Agent"] = f'{_LABEL}="{identity.directory_url}"'
            covered = (*_COMPONENTS, f'"signature-agent";key="{_LABEL}"')
        else:
            message.headers["Signature-Agent"] = f'"{Origin.from_url(identity.directory_url)}"'
            covered = (*_COMPONENTS, "signature-agent")
        self._sign(message, key, covered, tag=_REQUEST_TAG, now=now, lifetime=self._lifetime)
        return tuple(message.headers.items())

    def directory(self, authority: str) -> tuple[Headers, bytes]:
        """Return the headers and the body of the response with the public keys. For its own host, each key signs it.

        Serve it with status 200 at `directory_url`, to everybody, and not only to clients that sign.

        Args: authority: The host of the request, with its port unless that is the default. For another host than that
            of `directory_url`, nothing is signed: it would prove that the owner of the host has the private keys.
        Raises: InvalidURL: The host is invalid.
        """
        identity, now = self._file.current(), self._clock()
        body = identity.key_set(now)
        origin = Origin.from_url(f"https://{authority}/")
        url = f"{origin}{DIRECTORY_PATH}"
        request = SimpleNamespace(method="GET", url=url, headers={}, sent_method="GET", path="/")
        response = SimpleNamespace(status_code=200, headers={"Content-Type": DIRECTORY_TYPE}, request=request)
        covered = ('"@authority";req', '"content-digest"')
        is_own = origin == Origin.from_url(identity.directory_url)
        for number, key in enumerate(identity.listed_keys(now) if is_own else ()):
            binding = f"binding{number}"
            self._sign(
                response,
                key,
                covered,
                tag=DIRECTORY_TAG,
                now=now,
                lifetime=_DIRECTORY_LIFETIME,
                label=binding,
                body=body,
            )
        headers = {**response.headers, "Cache-Control": f"max-age={identity.max_age}"}
        return tuple(headers.items()), body

    def _sign(
        self,
        message: SimpleNamespace,
        key: SigningKey,
        covered: tuple[str, ...],
        *,
        tag: str,
        now: float,
        lifetime: float,
        label: str = _LABEL,
        body: bytes | None = None,
    ) -> None:
        is_request = body is None
        prepared = self._signer.prepare(
            message,
            key_id=key.thumbprint,
            created=datetime.fromtimestamp(int(now), UTC),
            expires=datetime.fromtimestamp(int(now + lifetime), UTC),
            nonce=b64encode(secrets.token_bytes(_NONCE_BYTES)).decode() if is_request else None,
            label=label,
            tag=tag,
            include_alg=is_request,
            covered_component_ids=covered,
            body=body,
            use_existing_digest="Content-Digest" in message.headers,
        )
        signature = key.private_key.sign(prepared.signature_base)
        self._signer.apply(message, prepared, signature, append_if_signature_exists=not is_request)


def _sent_path(url: str) -> str:
    """Return the path of a URL with an origin, in the form in which it is sent."""
    encoded = url_bytes(url)
    split = split_url(encoded)
    assert split is not None
    path = encoded[split.rest_start :].partition(b"#")[0].partition(b"?")[0]
    return quote_from_bytes(path or b"/", safe=_PATH_CHARACTERS)


def _new_signer() -> "HTTPMessageSigner":
    library = load_library()

    class Resolver(library.resolver):  # type: ignore[misc,name-defined]  # loaded on first use
        """The covered components of a request, with the method and the path as they are sent."""

        def get_method(self) -> str:
            method: str = self.message.sent_method
            return method

        def get_path(self) -> str:
            path: str = self.message.path
            return path

    algorithm = library.algorithms[SignatureAlgorithm.ED25519]
    signer: HTTPMessageSigner = library.signer(signature_algorithm=algorithm, component_resolver_class=Resolver)
    return signer
