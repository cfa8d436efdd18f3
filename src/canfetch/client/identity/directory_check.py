"""What a verifier finds at the address of published keys, and of a card: one request each, without redirects.

Source: Web Bot Auth, draft-ietf-webbotauth-httpsig-protocol-01, "Key Distribution and Discovery" and "Validating the
Domain Binding"; RFC 9421; RFC 9530.
"""

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from canfetch.access.responses import Failure, Response
from canfetch.agents.cards import CARD_PATH, CARD_TYPE, MAX_CARD_BYTES, AgentCard, parse_card
from canfetch.client.identity.directory_urls import parse_directory_url
from canfetch.client.identity.keys import (
    DIRECTORY_PATH,
    DIRECTORY_TYPE,
    MAX_KEY_SET_BYTES,
    TEST_KEYS,
    KeySet,
    VerificationKey,
    parse_key_set,
)
from canfetch.client.identity.possession import check_proofs
from canfetch.client.identity.signed_requests import DEFAULT_CLOCK_SKEW
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.text import printable_text
from canfetch.errors import InvalidKey, InvalidURL

if TYPE_CHECKING:
    from canfetch.client.sync_client import Client

_SUCCESS: Final = 200
_EXPIRED: Final = "it has expired (exp)"


class DirectoryCheck(NamedTuple):
    """What is published at an address.

    Attributes:
        url: The address.
        status: The status of the response, or None if there was none.
        keys: The thumbprints of the keys that can be used now.
        signed_by: The thumbprints of the keys that have signed the response for this host.
        faults: Why verifiers may not accept signatures of some keys or of all.
        notes: What else the standard recommends.
    """

    url: str
    status: int | None
    keys: tuple[str, ...] = ()
    signed_by: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the check as plain values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in self._asdict().items()}


def check_directory(client: "Client", url: str, *, now: float) -> DirectoryCheck:
    """Request published keys as a verifier does, and check them.

    Args:
        client: The client. The limits of its addresses apply.
        url: The https URL of the keys, or the origin, for its well-known path.
        now: The time in seconds since the epoch.
    Raises: InvalidURL, ClientClosed, RequestNotSent; MissingExtra.
    """
    directory = parse_directory_url(url)
    url = directory.identifier
    if directory.fetched != url:
        raise InvalidURL(f"invalid URL {quoted(directory.fetched)}: signers are identified without a query")
    response = client.request_document(url, max_bytes=MAX_KEY_SET_BYTES)
    if isinstance(response, Failure):
        return DirectoryCheck(url, None, faults=(printable_text(f"no response: {response.kind}: {response.detail}"),))
    if response.status != _SUCCESS:
        return DirectoryCheck(url, response.status, faults=(_status_fault(response.status),))
    try:
        found = parse_key_set(response.body)
    except InvalidKey as error:
        return DirectoryCheck(url, response.status, faults=(str(error),))
    usable, faults, notes = _check_keys(found, now)
    media_type = _media_type(response)
    if url.endswith(DIRECTORY_PATH) and media_type != DIRECTORY_TYPE:
        faults.append(f"the media type is {media_type or 'missing'}, not {DIRECTORY_TYPE}")
    if response.header("cache-control") is None:
        notes.append("no Cache-Control header says for how long verifiers may keep the keys")
    proofs = check_proofs(response, found.keys, now=now, clock_skew=DEFAULT_CLOCK_SKEW)
    signed_by = [proof.key_id for proof in proofs if proof.problem is None]
    faults += [
        f"signature {proof.label} of key {proof.key_id}: {proof.problem}"
        for proof in proofs
        if proof.problem is not None
    ]
    unsigned = [name for name in usable if name not in signed_by]
    if unsigned:
        notes.append(
            f"the response is not signed by {', '.join(unsigned)}, so it does not prove who has the private key"
        )
    return DirectoryCheck(url, response.status, tuple(usable), tuple(signed_by), tuple(faults), tuple(notes))


class CardCheck(NamedTuple):
    """A signature agent card, and what is wrong with it.

    Attributes:
        url: Its address.
        status: The status of the response, or None if there was none.
        card: What it says. Without a response with a card, it has the faults only.
        media_type: The media type of the response, or an empty string.
    """

    url: str
    status: int | None
    card: AgentCard
    media_type: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the check as plain values."""
        return {"url": self.url, "status": self.status, "media_type": self.media_type, **self.card.to_json()}


def check_card(client: "Client", url: str) -> CardCheck:
    """Request a signature agent card, and check it.

    Args:
        client: The client. The limits of its addresses apply.
        url: The https URL of the card, or the origin, for `CARD_PATH`.
    Raises: InvalidURL, ClientClosed, RequestNotSent.
    """
    origin = Origin.from_url(url)
    if origin.scheme != "https":
        raise InvalidURL(f"invalid URL {quoted(url)}: expected https")
    url = url if url.rstrip("/") != str(origin) else f"{origin}{CARD_PATH}"
    response = client.request_document(url, max_bytes=MAX_CARD_BYTES)
    if isinstance(response, Failure):
        fault = printable_text(f"no response: {response.kind}: {response.detail}")
        return CardCheck(url, None, AgentCard(faults=(fault,)))
    if response.status != _SUCCESS:
        return CardCheck(url, response.status, AgentCard(faults=(_status_fault(response.status),)))
    card = parse_card(response.body, url)
    media_type = _media_type(response)
    if media_type != CARD_TYPE and not media_type.endswith("+json"):
        fault = printable_text(f"the media type is {media_type or 'missing'}, not {CARD_TYPE}")
        card = card._replace(faults=(*card.faults, fault))
    return CardCheck(url, response.status, card, printable_text(media_type))


def check_published_card(client: "Client", directory: DirectoryCheck) -> CardCheck | None:
    """Request the card of the origin of published keys, and check that it names them. Return None without a card.

    Raises: ClientClosed, RequestNotSent; MissingExtra.
    """
    found = check_card(client, str(Origin.from_url(directory.url)))
    card, faults = found.card, list(found.card.faults)
    # Some sites answer with a page for every path.
    if found.status is not None and (400 <= found.status < 500 or found.media_type == "text/html"):
        return None
    if found.status == _SUCCESS and card.jwks is not None:
        try:
            keys = parse_key_set(json.dumps(card.jwks).encode())
        except InvalidKey as error:
            faults.append(str(error))
        else:
            faults += keys.problems
            faults += [f"key {name} is not in the card" for name in directory.keys if name not in keys.keys]
    elif found.status == _SUCCESS and card.jwks_uri != directory.url:
        faults.append(f"'jwks_uri' does not name the keys at {directory.url}")
    return found._replace(card=card._replace(faults=tuple(map(printable_text, faults))))


def _status_fault(status: int) -> str:
    advice = " (verifiers follow no redirects)" if 300 <= status < 400 else ""
    return f"status {status}, not 200{advice}"


def _media_type(response: Response) -> str:
    return (response.header("content-type") or "").partition(";")[0].strip().lower()


def _check_keys(found: KeySet, now: float) -> tuple[list[str], list[str], list[str]]:
    """Return the thumbprints of the keys that can be used now, the faults and the notes."""
    problems = {name: _key_problem(key, now) for name, key in found.keys.items()}
    usable = [name for name, problem in problems.items() if problem is None]
    faults, notes = list(found.problems), []
    for name, problem in problems.items():
        if problem == _EXPIRED and usable:
            # A rotation publishes the time at which the last key ends.
            notes.append(f"key {name}: {problem}: publish the keys again (canfetch identity show FOLDER --keys)")
        elif problem is not None:
            faults.append(f"key {name}: {problem}")
    if not usable:
        faults.append("no key can be used now")
    return usable, faults, notes


def _key_problem(key: VerificationKey, now: float) -> str | None:
    if key.thumbprint in TEST_KEYS:
        return "it is an example key of RFC 9421, with which anybody can sign"
    expiry = key.find_expiry(now)
    return None if expiry is None else _EXPIRED if expiry == "expired" else "it is not used before a later time (nbf)"
