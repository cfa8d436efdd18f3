"""The public keys and the card of a crawler, on real servers."""

from pathlib import Path

import pytest
from tests.integrations.serving.conftest import NOW, Serve, make_site
from tests.integrations.serving.hosts import PAGE
from tests.integrations.serving.test_site import request

from canfetch.agents.cards import CARD_PATH, parse_card
from canfetch.client.identity import SigningIdentity
from canfetch.client.identity.identity_file import new_identity
from canfetch.client.identity.keys import DIRECTORY_PATH, DIRECTORY_TYPE, parse_key_set
from canfetch.errors import InvalidOption

HOST = "bot.example"


@pytest.fixture
def identity(tmp_path: Path) -> SigningIdentity:
    file = tmp_path / "identity.json"
    file.touch(mode=0o600)
    file.write_bytes(new_identity(f"https://{HOST}", now=NOW - 9, token="ExampleBot").to_json())
    return SigningIdentity(file, clock=lambda: NOW)


def test_keys_and_card_are_served_and_the_keys_signed(serve: Serve, identity: SigningIdentity) -> None:
    server = serve(identity=identity)
    keys = server.send(DIRECTORY_PATH, host=HOST)
    assert (keys.status, keys.headers["content-type"], keys.headers["cache-control"]) == (
        200,
        DIRECTORY_TYPE,
        "max-age=86400",
    )
    assert len(parse_key_set(keys.body).keys) == 1
    assert "http-message-signatures-directory" in keys.headers["signature-input"]
    expected = dict(identity.directory(HOST)[0])
    assert (keys.headers["signature"], keys.headers["content-digest"]) == (
        expected["Signature"],
        expected["Content-Digest"],
    )
    card = server.send(f"{CARD_PATH}?a=b", host=HOST)
    assert (card.status, card.headers["content-type"]) == (200, "application/json")
    assert parse_card(card.body, identity.card_url).faults == ()


@pytest.mark.parametrize("path", [DIRECTORY_PATH, CARD_PATH])
def test_methods_and_conditions(serve: Serve, identity: SigningIdentity, path: str) -> None:
    server = serve(identity=identity)
    get = server.send(path, host=HOST)
    head = server.send(path, host=HOST, method="HEAD")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(len(get.body)))
    same = server.send(path, f"If-None-Match: {get.headers['etag']}", host=HOST)
    assert (same.status, same.body, same.headers["etag"]) == (304, b"", get.headers["etag"])
    assert same.headers.get("signature") == get.headers.get("signature")
    assert server.send(path, 'If-Match: "x"', host=HOST).status == 412
    assert server.send(path, "Content-Length: 0", host=HOST, method="POST").status == 405


@pytest.mark.parametrize(
    "path, host",
    [
        (DIRECTORY_PATH, "evil.example"),
        (DIRECTORY_PATH, f"{HOST}:8443"),
        (DIRECTORY_PATH, f"{HOST}@evil.example"),
        (CARD_PATH, "evil.example"),
        (f"/a{CARD_PATH}", HOST),
        ("/", HOST),
    ],
)
def test_nothing_is_signed_for_other_hosts(identity: SigningIdentity, path: str, host: str) -> None:
    assert make_site(identity=identity).respond(request(path, host=host)) is None


def test_other_paths_reach_the_application(serve: Serve, identity: SigningIdentity) -> None:
    server = serve(identity=identity)
    assert server.send("/page", host=HOST).body == PAGE
    assert serve().send(DIRECTORY_PATH, host=HOST).body == PAGE


def test_an_invalid_identity_is_an_error() -> None:
    with pytest.raises(InvalidOption, match="invalid identity 'bot': expected a SigningIdentity or None"):
        make_site(identity="bot")
