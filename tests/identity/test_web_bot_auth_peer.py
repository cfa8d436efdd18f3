"""The npm package web-bot-auth, version 0.1.3, as signer and as verifier. It has the form of earlier drafts only."""

import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from tests.identity.signers import Signer
from tests.missing import skip_unless_ci

from canfetch.agents.identity import SignatureCheck, SignedRequest
from canfetch.client.identity.keys import encode_base64url, parse_key
from canfetch.client.identity.signed_requests import find_claims, verify_claim

PEER = Path(__file__).parent / "web_bot_auth"
URL = "https://example.com/path/x?q=1"
AGENT = '"https://signer.example"'
SECONDS = 300


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the package and the program that calls it."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        skip_unless_ci("npm and Node.js are not installed")
    folder = tmp_path_factory.mktemp("web-bot-auth")
    for name in ("package.json", "package-lock.json", "peer.mjs"):
        shutil.copy(PEER / name, folder)
    command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(folder)]
    installed = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    if installed.returncode:
        skip_unless_ci(f"npm cannot install web-bot-auth: {installed.stderr[-300:]}")
    return folder


def ask(peer: Path, *questions: dict[str, Any]) -> Any:
    node = shutil.which("node")
    assert node is not None
    done = subprocess.run(
        [node, str(peer / "peer.mjs")],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    return json.loads(done.stdout)


def private_jwks() -> list[dict[str, Any]]:
    small = ed25519.Ed25519PrivateKey.generate()
    large = rsa.generate_private_key(65537, 2048)
    numbers = large.private_numbers()
    members = {
        "d": numbers.d,
        "p": numbers.p,
        "q": numbers.q,
        "dp": numbers.dmp1,
        "dq": numbers.dmq1,
        "qi": numbers.iqmp,
    }
    private = {name: encode_base64url(value.to_bytes((value.bit_length() + 7) // 8)) for name, value in members.items()}
    ed25519_jwk = {"kty": "OKP", "crv": "Ed25519", "x": Signer(small).jwk["x"]}
    return [
        {**ed25519_jwk, "d": encode_base64url(small.private_bytes_raw())},
        {**Signer(large).jwk, **private, "alg": "PS512"},
    ]


@pytest.mark.service
def test_its_signatures_are_valid_here(peer: Path) -> None:
    now = int(time.time())
    components = [None, ["@authority", "@method", "@path", "@query", "@target-uri", "signature-agent", "accept"]]
    questions: list[dict[str, Any]] = [
        {
            "jwk": jwk,
            "method": "GET",
            "url": URL,
            "headers": {"Signature-Agent": AGENT, "Accept": "*/*"},
            "components": covered,
            "created": now - 1,
            "expires": now + 300,
        }
        for jwk in private_jwks()
        for covered in components
    ]
    for question, headers in zip(questions, ask(peer, *questions), strict=True):
        public = {name: question["jwk"][name] for name in ("kty", "crv", "x", "n", "e") if name in question["jwk"]}
        signed = SignedRequest.from_url("GET", URL, [*question["headers"].items(), *headers.items()])
        for request, is_valid in ((signed, True), (signed._replace(authority="example.net"), False)):
            (claim,) = find_claims(request, now=now)
            assert not isinstance(claim, SignatureCheck), claim
            assert verify_claim(claim, parse_key(public), now=now, clock_skew=5.0).is_valid is is_valid


@pytest.mark.service
def test_signatures_of_these_tests_are_valid_there(peer: Path) -> None:
    now = int(time.time())
    signer = Signer()
    covered = {'"@authority"': "example.com", '"@method"': "GET", '"@path"': "/path/x", '"signature-agent"': AGENT}
    headers = signer.headers(covered, agent=AGENT, created=now - 1, expires=now + 300, alg="ed25519")
    question = {"jwk": signer.jwk, "method": "GET", "url": URL, "headers": dict(headers)}
    accepted, refused = ask(peer, question, {**question, "url": "https://example.net/path/x"})
    assert accepted is True
    assert refused == "invalid signature"
