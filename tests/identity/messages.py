"""Signed messages, and their check by another implementation."""

import time
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from http_message_signatures import HTTPMessageVerifier, MappingKeyResolver, algorithms
from tests.servers.web import ReceivedRequest, Site

from canfetch.agents.identity import SignatureCheck, SignedRequest
from canfetch.client.identity import SigningIdentity
from canfetch.client.identity.keys import parse_key_set
from canfetch.client.identity.signed_requests import SignatureClaim, find_claims, verify_claim

_NAMES = {"signature": "Signature", "signature-input": "Signature-Input", "signature-agent": "Signature-Agent"}


class Message(NamedTuple):
    method: str
    url: str
    headers: dict[str, str]


class Answer(NamedTuple):
    status_code: int
    url: str
    headers: dict[str, str]
    request: Message


class PastVerifier(HTTPMessageVerifier):
    """Verifies everything but the time, which the tests check themselves."""

    def validate_created_and_expires(self, *_: Any, **__: Any) -> None:
        """Accept every time."""


def keys_of(identity: SigningIdentity) -> dict[str, Ed25519PublicKey]:
    """Return the published keys."""
    _, body = identity.directory("bot.example")
    found = {name: key.key for name, key in parse_key_set(body).keys.items()}
    return {name: key for name, key in found.items() if isinstance(key, Ed25519PublicKey)}


def verified(message: Message | Answer, keys: dict[str, Ed25519PublicKey], tag: str = "web-bot-auth") -> list[Any]:
    """Return the signatures of a message, which another implementation verifies."""
    resolver = MappingKeyResolver(public_keys=keys, private_keys={})
    verifier = PastVerifier(signature_algorithm=algorithms.ED25519, key_resolver=resolver)
    return verifier.verify(message, max_age=None, expect_tag=tag)


def message_of(site: Site, request: ReceivedRequest) -> Message:
    """Return a request that a site has received, with the headers of its signature."""
    headers = {name: request.headers[key] for key, name in _NAMES.items() if key in request.headers}
    return Message(request.method, f"{site.origin}{request.target}", headers)


def checked_as_sent(site: Site, request: ReceivedRequest, identity: SigningIdentity) -> SignatureCheck:
    """Return the check of the only signature of a request, whose target other implementations may reject."""
    message = message_of(site, request)
    return checked(SignedRequest.from_url(message.method, message.url, message.headers.items()), identity)


def checked(signed: SignedRequest, identity: SigningIdentity) -> SignatureCheck:
    """Return the check of the only signature of a request."""
    (claim,) = find_claims(signed, now=time.time())
    assert isinstance(claim, SignatureClaim), claim
    key = parse_key_set(identity.directory("bot.example")[1]).keys[claim.key_id]
    return verify_claim(claim, key, now=time.time(), clock_skew=5.0)
