"""Possession proofs of directories: each way to break one, and the keys that are used then."""

import gzip
import hashlib
import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from tests.identity.signers import NOW, Signer
from tests.servers.valid import respond
from tests.servers.web import Site

from canfetch.access.responses import Response
from canfetch.client.identity.key_directories import KeyDirectories, KeyLookup
from canfetch.client.identity.keys import parse_key_set
from canfetch.client.identity.possession import Proof, check_proofs

FIRST, SECOND = Signer(), Signer()
BODY = json.dumps({"keys": [FIRST.jwk, SECOND.jwk]}).encode()
HOST = "bot.example"
URL = f"https://{HOST}/.well-known/http-message-signatures-directory"
TAG = "http-message-signatures-directory"
AUTHORITY, DIGEST = '"@authority";req', '"content-digest"'
Fields = list[tuple[str, str]]


def digest(body: bytes, name: str = "sha-256") -> str:
    return f"{name}=:{b64encode(hashlib.new(name.replace('-', ''), body).digest()).decode()}:"


def signed(
    signer: Signer = FIRST,
    *,
    host: str = HOST,
    stated: str | None = None,
    covered: dict[str, str] | None = None,
    label: str = "binding0",
    **parameters: Any,
) -> Fields:
    """Return the fields of a directory that a key has signed, with changes."""
    stated = digest(BODY) if stated is None else stated
    covered = {AUTHORITY: host, DIGEST: stated} if covered is None else covered
    values = {"tag": TAG, **parameters}
    return [("Content-Digest", stated), *signer.headers(covered, label=label, agent=None, **values)]


def proofs(*fields: tuple[str, str], body: bytes = BODY, now: float = NOW + 1) -> list[Proof]:
    response = Response(URL, 200, fields, body)
    return check_proofs(response, parse_key_set(body).keys, now=now, clock_skew=5.0)


@pytest.mark.parametrize(
    "signer",
    [FIRST, Signer(rsa.generate_private_key(65537, 2048)), Signer(ec.generate_private_key(ec.SECP256R1()))],
    ids=["Ed25519", "RSA", "EC"],
)
@pytest.mark.parametrize("name", ["sha-256", "sha-512"])
def test_a_directory_that_its_key_has_signed(signer: Signer, name: str) -> None:
    body = json.dumps({"keys": [signer.jwk]}).encode()
    assert proofs(*signed(signer, stated=digest(body, name)), body=body) == [
        Proof("binding0", signer.key_id, None, is_wrong=False)
    ]


def both(one: Fields, two: Fields) -> Fields:
    """Return the signatures of two responses, with the digest of the second one."""
    joined = [(name, f"{first}, {second}") for (name, first), (_, second) in zip(one, two, strict=True)]
    return [two[0], *joined[1:]]


def test_each_key_signs() -> None:
    found = proofs(*both(signed(), signed(SECOND, label="binding1")))
    assert [(proof.key_id, proof.problem) for proof in found] == [(FIRST.key_id, None), (SECOND.key_id, None)]


def test_other_components_may_be_covered() -> None:
    covered = {AUTHORITY: HOST, DIGEST: digest(BODY), '"@status"': "200", '"content-type"': "a/b", '"@path";req': "/x"}
    fields = ("Content-Type", "a/b")
    assert proofs(fields, *signed(covered={**covered, '"@path";req': URL[len(f"https://{HOST}") :]}))[0].problem is None
    assert proofs(fields, *signed(covered=covered))[0].is_wrong


# The signature, whether it is evidence against the key, and the problem.
CASES: dict[str, tuple[Callable[[], Fields], bool, str]] = {
    "other host": (lambda: signed(host="evil.example"), True, "does not match the message and its key"),
    "other body": (lambda: signed(stated=digest(BODY + b" ")), True, "Content-Digest does not match"),
    "other key": (lambda: signed(SECOND, keyid=FIRST.key_id), True, "does not match the message and its key"),
    "other length": (lambda: [*signed()[:2], ("Signature", "binding0=:AAAA:")], True, "the signature has 3 bytes"),
    "expired": (lambda: signed(created=NOW - 9, expires=NOW - 5), False, "it has expired"),
    "future": (lambda: signed(created=NOW + 7), False, "it was created in the future"),
    "only the host": (lambda: signed(covered={AUTHORITY: HOST}), False, "it does not cover"),
    "the first drafts": (lambda: signed(covered={'"@authority"': HOST}), False, "it does not cover"),
    "part of a digest": (
        lambda: signed(covered={AUTHORITY: HOST, f'{DIGEST};key="sha-256"': digest(BODY)[8:]}),
        False,
        "it does not cover",
    ),
    "no end": (lambda: signed(expires=None), False, "no parameters created and expires"),
    "a text as time": (lambda: signed(created="1"), False, "no parameters created and expires"),
    "unknown parameter": (lambda: signed(x="y"), False, "parameter that is not supported"),
    "part of a field": (
        lambda: signed(covered={AUTHORITY: HOST, DIGEST: digest(BODY), f'{DIGEST};key="sha-256"': digest(BODY)[8:]}),
        False,
        "parameter that is not supported",
    ),
    "nine components": (
        lambda: signed(covered={AUTHORITY: HOST, DIGEST: digest(BODY), **{f'"x{n}"': "" for n in range(7)}}),
        False,
        "a list of at most 8 components",
    ),
    "no list": (
        lambda: [("Signature-Input", f"binding0=1{FIRST.parameters(tag=TAG)}"), signed()[2]],
        False,
        "a list of at most 8 components",
    ),
    "no value": (lambda: [*signed()[:2], ("Signature", "binding1=:AAAA:")], False, "it has no value"),
    "key that is not published": (lambda: signed(Signer()), False, "is not one of those that are published"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_proves_nothing(case: str) -> None:
    fields, is_wrong, problem = CASES[case]
    (proof,) = proofs(*fields())
    assert proof.problem is not None
    assert problem in proof.problem
    assert proof.is_wrong == is_wrong


@pytest.mark.parametrize(
    "fields",
    [
        [],
        [*signed()[:2], ("Signature", "binding0=:A A:")],
        [*signed(), ("Signature", signed()[2][1])],
        signed(tag="web-bot-auth"),
        signed(label="a" * 16_384),
        signed(stated=digest(BODY) + ", x=1" * 250),
    ],
    ids=["none", "not valid", "label twice", "other tag", "too long", "long digest"],
)
def test_fields_without_a_proof(fields: Fields) -> None:
    assert proofs(*fields) == []


def test_the_number_of_proofs_is_bounded() -> None:
    one = signed()
    fields = [(name, ", ".join(value.replace("binding0", f"b{number}") for number in range(40))) for name, value in one]
    assert [proof.problem for proof in proofs(one[0], *fields[1:])] == [None] * 32


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as started:
        yield started


def lookup(site: Site, signer: Signer = FIRST, *, keys: KeyDirectories | None = None, **options: Any) -> KeyLookup:
    keys = keys or KeyDirectories(allow_private=True, timeout=30.0, clock=lambda: NOW + 1.0, **options)
    started = keys.start(site.url("keys"), signer.key_id)
    if isinstance(started, KeyLookup):
        return started
    started.result(30)
    return keys.finish(site.url("keys"), signer.key_id)


def serve(site: Site, fields: Fields, body: bytes = BODY, *more: str) -> None:
    site.serve("/keys", respond(body, *(f"{name}: {value}" for name, value in fields), *more))


def host_of(site: Site) -> str:
    return site.origin.partition("://")[2]


@pytest.mark.parametrize(
    "fields, by_default, if_required",
    [
        (lambda host: signed(host=host), True, True),
        (lambda _: [], True, False),
        (lambda _: signed(host="good.example"), False, False),
        (lambda host: signed(host=host, stated=digest(b"")), False, False),
        (lambda host: signed(host=host, expires=NOW - 100), True, False),
        (lambda host: signed(covered={'"@authority";req': host}), True, False),
    ],
    ids=["valid", "none", "copied", "other body", "expired", "earlier draft"],
)
def test_which_keys_are_used(
    site: Site,
    fields: Callable[[str], Fields],
    by_default: bool,  # noqa: FBT001 - a parameter
    if_required: bool,  # noqa: FBT001 - the same
) -> None:
    serve(site, fields(host_of(site)))
    assert (lookup(site).key is not None) == by_default
    assert (lookup(site, require_possession=True).key is not None) == if_required
    # Proofs of one key say nothing about others.
    assert lookup(site, SECOND).key is not None
    unproven = lookup(site, SECOND, require_possession=True)
    problem = "the key in the directory cannot be used: it has no valid possession proof"
    assert (str(unproven.reason), unproven.detail) == ("key-unknown", problem)


def test_one_valid_proof_is_enough(site: Site) -> None:
    serve(site, both(signed(label="a", host="evil.example"), signed(host=host_of(site))))
    assert lookup(site, require_possession=True).key is not None


def test_a_wrong_proof_has_a_reason(site: Site) -> None:
    serve(site, signed(host="good.example"))
    found = lookup(site)
    assert found.key is None
    assert found.detail.startswith(
        "the key in the directory cannot be used: its possession proof is wrong: the signature does not match"
    )


def test_the_digest_of_a_compressed_directory_says_nothing(site: Site) -> None:
    body = gzip.compress(BODY)
    fields = signed(host=host_of(site), stated=digest(body))
    serve(site, fields, body, "Content-Encoding: gzip")
    assert lookup(site).key is not None
    assert lookup(site, require_possession=True).key is None
    # A cache compresses what was signed.
    serve(site, signed(host=host_of(site)), body, "Content-Encoding: gzip")
    assert lookup(site, require_possession=True).key is not None


@pytest.mark.parametrize("required", [False, True])
def test_a_required_proof_is_renewed_with_each_fetch(site: Site, required: bool) -> None:  # noqa: FBT001 - a parameter
    now = NOW + 1.0
    keys = KeyDirectories(
        allow_private=True, timeout=30.0, clock=lambda: now, chance=lambda: 0.0, require_possession=required
    )
    serve(site, signed(host=host_of(site)), BODY, 'ETag: "1"')
    assert lookup(site, keys=keys).key is not None
    now += 3600
    # The signature has expired since then.
    assert (lookup(site, keys=keys).key is None) == required
    assert [request.headers.get("if-none-match") for request in site.requests] == [None, None if required else '"1"']
