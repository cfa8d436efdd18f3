"""Possession proofs: signatures of a directory by its keys, which prove that the owner of a key published it there.

Source: Web Bot Auth, draft-ietf-webbotauth-httpsig-protocol-01, "Possession Proof on the Directory Response".
"""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from canfetch.access.responses import Response
from canfetch.client.identity.keys import DIRECTORY_TAG, KeySet, VerificationKey
from canfetch.client.identity.message_signatures import Signature, load_library, parse_dictionary
from canfetch.client.identity.signed_requests import PARAMETERS
from canfetch.core.text import printable_text

# Each proof takes time to verify. A directory has few keys.
_MAX_PROOFS: Final = 32
_MAX_COMPONENTS: Final = 8
_MAX_FIELDS: Final = (("signature-input", 16_384), ("signature", 16_384), ("content-digest", 1024))
_OF_REQUEST: Final = {"req": True}
_REQUIRED: Final[tuple[Any, ...]] = (("@authority", _OF_REQUEST), ("content-digest", {}))


class Proof(NamedTuple):
    """A signature of a directory.

    Attributes:
        label: Its label.
        key_id: The thumbprint of its key.
        problem: Why it does not prove possession of the key, or None.
        is_wrong: Whether it has the form of the draft and is current, but does not match the response. Other problems
            say nothing about the key: signatures of earlier drafts have another form, and those in caches expire.
    """

    label: str
    key_id: str
    problem: str | None
    is_wrong: bool


def check_proofs(
    response: Response, keys: Mapping[str, VerificationKey], *, now: float, clock_skew: float
) -> list[Proof]:
    """Return the proofs in a response with keys.

    Args:
        keys: The keys, by their thumbprints.
        now: The time, in seconds since the epoch.
        clock_skew: How many seconds the clock of the signer may differ.
    Raises: MissingExtra.
    Cost: O(bytes) of the fields, of which 16 KiB are read, and the verification of at most 32 signatures.
    """
    fields = [(response.header(name) or "").encode("latin-1", "replace") for name, _ in _MAX_FIELDS]
    if any(len(field) > most for field, (_, most) in zip(fields, _MAX_FIELDS, strict=True)):
        return []
    try:
        inputs, values = map(parse_dictionary, fields[:2])
    except ValueError:
        return []
    tagged = [label for label, (_, parameters) in inputs.items() if parameters.get("tag") == DIRECTORY_TAG]
    return [
        _check(response, keys, Signature(label, inputs[label], values.get(label, (b"",))[0]), now, clock_skew)
        for label in tagged[:_MAX_PROOFS]
    ]


def select_keys(found: KeySet, proofs: Sequence[Proof], *, require_possession: bool) -> KeySet:
    """Return a set without the keys whose proofs are wrong.

    Args: require_possession: Whether keys without a valid proof are removed as well.
    """
    proven = {proof.key_id for proof in proofs if proof.problem is None}
    refused = dict.fromkeys(found.keys, "it has no valid possession proof") if require_possession else {}
    refused |= {proof.key_id: f"its possession proof is wrong: {proof.problem}" for proof in proofs if proof.is_wrong}
    keys = {name: key for name, key in found.keys.items() if name in proven or name not in refused}
    return found._replace(keys=keys, unusable={**found.unusable, **refused})


def _check(
    response: Response, keys: Mapping[str, VerificationKey], signature: Signature, now: float, clock_skew: float
) -> Proof:
    components, parameters = signature.input
    key_id, is_wrong = str(parameters.get("keyid")), False
    key = keys.get(key_id)
    if key is None:
        problem: str | None = "its key is not one of those that are published"
    else:
        problem = _find_fault(components, parameters, now, clock_skew)
        if not signature.value or not isinstance(signature.value, bytes):
            problem = "it has no value"
        if problem is None:
            headers = {name.lower(): response.header(name.lower()) for name, _ in response.headers}
            request = SimpleNamespace(method="GET", url=response.url, headers={})
            message = SimpleNamespace(status_code=response.status, headers=headers, request=request)
            resolver = load_library().resolver
            problem = signature.find_problem(message, key, tag=DIRECTORY_TAG, resolver=resolver, body=response.body)
            # The digest is that of the bytes as they were sent. The transport has decoded them.
            is_wrong = problem is not None and response.header("content-encoding") is None
    problem = None if problem is None else printable_text(problem)
    return Proof(printable_text(signature.label), printable_text(key_id), problem, is_wrong)


def _find_fault(components: Any, parameters: Mapping[str, Any], now: float, clock_skew: float) -> str | None:
    """Return why a signature does not have the form of a proof, or is not current, or None."""
    if not isinstance(components, list) or len(components) > _MAX_COMPONENTS:
        return f"it does not cover a list of at most {_MAX_COMPONENTS} components"
    if any(required not in components for required in _REQUIRED):
        return 'it does not cover "@authority";req and "content-digest"'
    # Parts of fields take long to parse.
    if not PARAMETERS.issuperset(parameters) or any(given not in ({}, _OF_REQUEST) for _, given in components):
        return "it has a parameter that is not supported"
    if any(type(parameters.get(name)) is not int for name in ("created", "expires")):
        return "it has no parameters created and expires"
    if parameters["created"] > now + clock_skew:
        return "it was created in the future"
    return "it has expired" if parameters["expires"] < now - clock_skew else None
