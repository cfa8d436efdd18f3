"""`canfetch identity`: keys are made, shown, rotated and checked, and no private key is shown."""

import errno
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.identity.signers import Signer
from tests.servers.certificates import Authority
from tests.servers.valid import respond
from tests.servers.web import Site

from canfetch.access.responses import Headers
from canfetch.agents.cards import CARD_PATH, parse_card
from canfetch.client.identity import SigningIdentity
from canfetch.client.identity.identity_file import parse_identity
from canfetch.client.identity.keys import DIRECTORY_PATH, DIRECTORY_TYPE, parse_key_set

Run = Any

URL = f"https://bot.example{DIRECTORY_PATH}"
PUBLIC = Path("bot", "public", *DIRECTORY_PATH.split("/"))


@pytest.fixture
def made(run: Run) -> None:
    assert run("identity", "init", "bot", "--url", "https://bot.example").code == 0


def private_keys(folder: Path) -> list[str]:
    return [key["d"] for key in json.loads((folder / "bot" / "identity.json").read_bytes())["keys"]]


@pytest.mark.usefixtures("made")
def test_a_new_identity_is_private_and_its_public_keys_are_not(run: Run, folder: Path) -> None:
    file = folder / "bot" / "identity.json"
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600
    (key,) = parse_key_set((folder / PUBLIC).read_bytes()).keys
    shown = run("identity", "show", "bot")
    assert shown.lines[:2] == [f"keys      {URL}", "form      dictionary"]
    assert shown.lines[2].startswith(f"signing   {key} (from 20")
    content = file.read_bytes()
    again = run("identity", "init", "bot", "--url", "https://bot.example")
    assert (again.code, "already exists: use 'canfetch identity rotate'" in again.err) == (2, True)
    assert file.read_bytes() == content


@pytest.mark.usefixtures("made")
def test_nothing_shows_a_private_key(run: Run, folder: Path) -> None:
    shown = [
        run("identity", "show", "bot"),
        run("identity", "show", "bot", "--format", "json"),
        run("identity", "show", "bot", "--sign", "https://example.com/"),
        run("identity", "show", "bot", "--server", "nginx"),
        run("identity", "rotate", "bot"),
        run("identity", "rotate", "bot"),
    ]
    text = "".join(ran.out + ran.err for ran in shown) + (folder / PUBLIC).read_text(encoding="utf-8")
    assert not [key for key in private_keys(folder) if key in text]
    assert [ran.code for ran in shown] == [0, 0, 0, 0, 0, 2]
    assert "wait until it does" in shown[-1].err


@pytest.mark.usefixtures("made")
def test_rotation_publishes_the_next_key_first(run: Run, folder: Path) -> None:
    (first,) = parse_key_set((folder / PUBLIC).read_bytes()).keys
    second = run("identity", "rotate", "bot").out.split()[0]
    facts = json.loads(run("identity", "show", "bot", "--format", "json").out)
    assert [(key["key"], key["status"]) for key in facts["keys"]] == [(first, "signing"), (second, "next")]
    published = parse_key_set((folder / PUBLIC).read_bytes()).keys
    assert list(published) == [first, second]
    assert published[first].not_after is not None
    third = run("identity", "rotate", "bot", "--compromised").out
    assert third.endswith(" signs now\n")
    assert list(parse_key_set((folder / PUBLIC).read_bytes()).keys) == [third.split()[0]]
    if os.name == "posix":
        assert (folder / "bot" / "identity.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("made")
def test_nobody_else_can_open_a_file_with_private_keys(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modes = set()
    open_file = os.open

    def note_mode(path: Any, flags: int, mode: int = 0o777, **options: Any) -> int:
        descriptor = open_file(path, flags, mode, **options)
        if Path(path).parent == folder / "bot" and flags & os.O_CREAT:
            modes.add(os.fstat(descriptor).st_mode & 0o777)
        return descriptor

    def open_existing(path: Path, *arguments: Any, **options: Any) -> Any:
        assert path.parent != folder / "bot" or path.exists(), "created with the permissions of any file"
        return open_path(path, *arguments, **options)

    open_path = Path.open
    monkeypatch.setattr(os, "open", note_mode)
    monkeypatch.setattr(Path, "open", open_existing)
    before = os.umask(0)
    try:
        assert run("identity", "rotate", "bot", "--compromised").code == 0
    finally:
        os.umask(before)
    assert modes == {0o600}


def test_an_identity_that_cannot_be_written_can_be_made_later(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", fail)
        assert run("identity", "init", "bot", "--url", "https://bot.example").code == 2
    assert not (folder / "bot" / "identity.json").exists()
    assert run("identity", "init", "bot", "--url", "https://bot.example").code == 0


@pytest.mark.usefixtures("made")
def test_a_rotation_that_fails_halfway_can_be_seen_and_repeated(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def fail(file: Path, target: Path) -> Path:
        if target.name != "identity.json":
            raise OSError(errno.ENOSPC, "No space left on device")
        return replace(file, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", fail)
        assert run("identity", "rotate", "bot", "--compromised").code == 2
    # A process that is killed leaves its file.
    (folder / "bot" / ".canfetch-0123456789abcdef").write_bytes(b"{}")
    shown = run("identity", "show", "bot")
    assert "does not have the key that signs" in shown.err
    key = json.loads(run("identity", "show", "bot", "--format", "json").out)["keys"][0]["key"]
    assert key in shown.err
    assert run("identity", "rotate", "bot", "--compromised").code == 0
    assert run("identity", "show", "bot").err == ""
    assert not list((folder / "bot").glob(".canfetch-*"))


@pytest.mark.usefixtures("made")
def test_a_signature_is_printed_as_headers(run: Run) -> None:
    lines = run("identity", "show", "bot", "--sign", "https://example.com/fish").lines
    assert [line.partition(":")[0] for line in lines] == ["Signature-Agent", "Signature-Input", "Signature"]
    # Characters that a URL must escape, and URLs without a valid host.
    assert len(run("identity", "show", "bot", "--sign", "https://example.com/a|b{c} 100%\xe4").lines) == 3
    for url in ("https://a b/", "https://[x]/", "https:/x"):
        refused = run("identity", "show", "bot", "--sign", url)
        assert (refused.code, refused.err.count("\n"), "--sign: invalid URL" in refused.err) == (2, 1, True)
    plain = run("identity", "show", "bot", "--sign", "http://example.com/")
    assert (plain.code, "only https URLs are signed" in plain.err) == (2, True)


@pytest.mark.usefixtures("made")
def test_the_public_keys_are_printed(run: Run, folder: Path) -> None:
    assert run("identity", "show", "bot", "--keys").out.encode() == (folder / PUBLIC).read_bytes() + b"\n"


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("server, start", [("nginx", 'location = "/.well-known/'), ("apache", 'Alias "/.well-known/')])
def test_lines_of_servers(run: Run, folder: Path, server: str, start: str) -> None:
    text = run("identity", "show", "bot", "--server", server).out
    assert text.startswith(start)
    assert (str(folder / PUBLIC) in text, DIRECTORY_TYPE in text) == (True, True)


def test_servers_compare_decoded_paths(run: Run) -> None:
    assert run("identity", "init", "bot", "--url", "https://bot.example/my%20keys/%22").code == 0
    assert 'location = "/my keys/\\""' in run("identity", "show", "bot", "--server", "nginx").out
    assert 'Alias "/my keys/\\""' in run("identity", "show", "bot", "--server", "apache").out


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("init", "bot", "--url", "http://bot.example"), "expected https"),
        (("init", "bot", "--url", "https://bot.example/k.json", "--form", "string"), "it needs keys at /.well-known/"),
        (("init", "file", "--url", "https://bot.example"), "cannot create 'file'"),
        (("init", "bot", "--url", "https://bot.example", "--product-token", "a b"), "which is not a product token"),
        (("show", "nowhere"), "cannot read 'nowhere/identity.json'"),
        (("show", "file", "--keys", "--card"), "--card and --keys cannot be used together"),
        (("show", "file", "--sign", "https://a.example", "--server", "nginx"), "--sign and --server cannot be used"),
        (("rotate", "nowhere"), "cannot read 'nowhere/identity.json'"),
        (("show", "damaged"), "not valid JSON"),
        (("rotate", "damaged"), "not valid JSON"),
        (("check", "ftp://bot.example"), "ftp"),
        (("check", "https://b\xfccher.example"), "write it in ASCII (punycode for the host"),
        (("check", "https://127.0.0.1:9/keys?a"), "signers are identified without a query"),
    ],
)
def test_mistakes_are_one_line(run: Run, folder: Path, arguments: tuple[str, ...], message: str) -> None:
    (folder / "file").write_bytes(b"")
    (folder / "damaged").mkdir()
    (folder / "damaged" / "identity.json").write_bytes(b"{")
    (folder / "damaged" / "identity.json").chmod(0o600)
    ran = run("identity", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert message in ran.err


@pytest.fixture
def published(run: Run, folder: Path) -> Iterator[tuple[Site, SigningIdentity, list[str]]]:
    authority = Authority(folder)
    with Site(tls=authority.good()) as site:
        assert run("identity", "init", "bot", "--url", site.origin).code == 0
        yield site, SigningIdentity(folder / "bot"), ["--ca-file", str(authority.file)]


def serve(site: Site, headers: Any, body: bytes, status: int = 200) -> None:
    fields = [f"{name}: {value}" for name, value in headers]
    site.serve(DIRECTORY_PATH, respond(body, *fields, status=status))


def check(run: Run, site: Site, options: list[str]) -> tuple[int, dict[str, Any]]:
    ran = run("identity", "check", site.origin, *options, "--format", "json")
    return ran.code, json.loads(ran.out)


def test_published_keys_are_checked_as_a_verifier_does(
    run: Run, published: tuple[Site, SigningIdentity, list[str]]
) -> None:
    site, identity, options = published
    headers, body = identity.directory(site.origin.partition("://")[2])
    serve(site, headers, body)
    code, found = check(run, site, options)
    (key,) = parse_key_set(body).keys
    assert (code, found["faults"], found["notes"]) == (0, [], [])
    assert found["keys"] == found["signed_by"] == [key]
    text = run("identity", "check", site.origin, *options).lines
    assert text == [
        f"{site.origin}{DIRECTORY_PATH}: status 200, 1 usable",
        f"key    {key} (has signed the response)",
        "note   no signature agent card is published",
    ]


@pytest.mark.parametrize(
    "changes, fault",
    [
        ({}, None),
        ({"jwks_uri": "https://bot.example/keys"}, "'jwks_uri' does not name the keys at "),
        ({"jwks_uri": None, "jwks": {"keys": []}}, " is not in the card"),
        ({"client_id": None}, "'client_id' is missing, not the URL of the card"),
    ],
)
def test_a_published_card_is_checked(
    run: Run, published: tuple[Site, SigningIdentity, list[str]], changes: dict[str, Any], fault: str | None
) -> None:
    site, identity, options = published
    serve(site, *identity.directory(site.origin.partition("://")[2]))
    card = {**json.loads(identity.card()[1]), **changes}
    body = json.dumps({name: value for name, value in card.items() if value is not None}).encode()
    site.serve(CARD_PATH, respond(body, "Content-Type: application/json"))
    code, found = check(run, site, options)
    assert (code, found["faults"], found["card"]["url"]) == (0 if fault is None else 1, [], f"{site.origin}{CARD_PATH}")
    assert any(fault in one for one in found["card"]["faults"]) if fault else found["card"]["faults"] == []


@pytest.mark.parametrize(
    "status, media_type, code",
    [
        (403, "text/plain", 0),
        (200, "text/html; charset=utf-8", 0),
        (301, "text/html", 1),
        (500, "a/b", 1),
    ],
)
def test_a_site_without_a_card_has_no_fault(
    run: Run, published: tuple[Site, SigningIdentity, list[str]], status: int, media_type: str, code: int
) -> None:
    site, identity, options = published
    serve(site, *identity.directory(site.origin.partition("://")[2]))
    site.serve(CARD_PATH, respond(b"<html>", f"Content-Type: {media_type}", "Location: /", status=status))
    found = check(run, site, options)
    assert (found[0], found[1]["card"] is None) == (code, code == 0)


def test_the_card_of_an_identity(run: Run, folder: Path) -> None:
    options = ("--name", "Bot", "--contact", "a@bot.example", "--purpose", "search", "--product-token", "ExampleBot")
    assert run("identity", "init", "bot", "--url", "https://bot.example", *options).code == 0
    file = folder / "bot" / "public" / CARD_PATH.lstrip("/")
    shown = run("identity", "show", "bot", "--card").out
    assert shown.encode() == file.read_bytes()
    card = parse_card(shown.encode(), f"https://bot.example{CARD_PATH}")
    assert (card.faults, card.name, card.contacts) == ((), "Bot", ("mailto:a@bot.example",))
    assert (card.purpose, card.token, card.jwks_uri) == ("search", "ExampleBot", URL)
    file.unlink()
    assert run("identity", "rotate", "bot").code == 0
    assert shown.encode() == file.read_bytes()
    assert f"card      https://bot.example{CARD_PATH}" in run("identity", "show", "bot").lines
    assert CARD_PATH in run("identity", "show", "bot", "--server", "apache").out


def test_identities_without_a_card_and_with_an_invalid_one(run: Run, folder: Path) -> None:
    run("identity", "init", "bot", "--url", "https://bot.example")
    file = folder / "bot" / "identity.json"
    content = json.loads(file.read_bytes())
    for url in (
        "https://bot.example",
        "https://bot.example/",
        "https://bot.example/card?a=b",
        "https://bot.example/c%61rd",
    ):
        file.write_text(json.dumps({**content, "card": {**content["card"], "client_id": url}}))
        assert "expected a URL with a path, without query and escapes" in run("identity", "show", "bot").err
    file.write_text(json.dumps({**content, "card": {**content["card"], "jwks_uri": "https://evil.example/"}}))
    ran = run("identity", "show", "bot")
    assert (ran.code, "the card of the identity is invalid: 'jwks_uri' is 'https://evil.example/'" in ran.err) == (
        2,
        True,
    )
    del content["card"]
    file.write_text(json.dumps(content))
    assert [run("identity", "show", "bot", *more).code for more in ((), ("--card",))] == [0, 2]
    assert "signature-agent-card" not in run("identity", "show", "bot", "--server", "nginx").out


EXAMPLE_KEY = {"kty": "OKP", "crv": "Ed25519", "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"}


def with_member(**members: Any) -> Callable[[bytes], bytes]:
    return lambda body: json.dumps({"keys": [json.loads(body)["keys"][0] | members]}).encode()


FAULTY_HEADERS: dict[str, Callable[[Headers], tuple[Headers, int]]] = {
    "other type": lambda pairs: ((("Content-Type", "text/plain"), *pairs[1:]), 200),
    "redirect": lambda _: ((("Location", "/keys"),), 301),
    "missing": lambda pairs: (pairs, 404),
}
FAULTY_KEYS: dict[str, Callable[[bytes], bytes]] = {
    "other body": lambda body: body + b" ",
    "no keys": lambda _: b"{}",
    "expired": with_member(exp=1),
    "early": with_member(nbf=10**11),
    "label": with_member(kid="first"),
    "other key": lambda _: json.dumps({"keys": [EXAMPLE_KEY]}).encode(),
    "example key": lambda _: json.dumps({"keys": [EXAMPLE_KEY]}).encode(),
    "small order": with_member(x="A" * 43),
}


@pytest.mark.parametrize(
    "fault, message",
    [
        ("other host", "signature binding0 of key "),
        ("other body", "signature binding0 of key "),
        ("other type", "the media type is text/plain, not application/http-message-signatures-directory+json"),
        ("other key", ": its key is not one of those that are published"),
        ("redirect", "status 301, not 200 (verifiers follow no redirects)"),
        ("missing", "status 404, not 200"),
        ("no keys", 'the set of keys has no list "keys"'),
        ("expired", "it has expired (exp)"),
        ("early", "it is not used before a later time (nbf)"),
        ("example key", "it is an example key of RFC 9421, with which anybody can sign"),
        ("label", "its kid 'first' is not its thumbprint"),
        ("small order", "key 1: it is a point of small order, for which anybody can sign"),
    ],
)
def test_faults_of_published_keys(
    run: Run, folder: Path, published: tuple[Site, SigningIdentity, list[str]], fault: str, message: str
) -> None:
    site, identity, options = published
    host = site.origin.partition("://")[2]
    if fault == "other host":
        # The same keys, signed for another host.
        host, file = "evil.example", folder / "bot" / "identity.json"
        other = folder / "other.json"
        other.write_text(file.read_text().replace(site.origin, f"https://{host}"))
        other.chmod(0o600)
        identity = SigningIdentity(other)
    headers, body = identity.directory(host)
    status = 200
    if fault in FAULTY_HEADERS:
        headers, status = FAULTY_HEADERS[fault](headers)
    if fault in FAULTY_KEYS:
        body = FAULTY_KEYS[fault](body)
    serve(site, headers, body, status)
    code, found = check(run, site, options)
    assert code == 1
    assert any(message in one for one in found["faults"]), found


def test_keys_without_signature_or_cache_control_are_noted(
    run: Run, published: tuple[Site, SigningIdentity, list[str]]
) -> None:
    site, identity, options = published
    serve(site, [("Content-Type", DIRECTORY_TYPE)], identity.directory("bot.example")[1])
    code, found = check(run, site, options)
    assert (code, len(found["notes"]), found["signed_by"]) == (0, 2, [])


def test_an_expired_key_beside_another_is_noted(run: Run, published: tuple[Site, SigningIdentity, list[str]]) -> None:
    site, identity, options = published
    key = json.loads(identity.directory("bot.example")[1])["keys"][0]
    body = json.dumps({"keys": [key, {**EXAMPLE_KEY, "x": Signer().jwk["x"], "exp": 1}]}).encode()
    serve(site, [("Content-Type", DIRECTORY_TYPE), ("Cache-Control", "max-age=60")], body)
    code, found = check(run, site, options)
    assert (code, found["faults"]) == (0, [])
    assert ": it has expired (exp): publish the keys again (canfetch identity show" in found["notes"][0]


def test_a_host_without_a_server_is_a_fault(run: Run) -> None:
    ran = run("identity", "check", "https://127.0.0.1:9", "--timeout", "5")
    assert (ran.code, "fault  no response: connect: " in ran.out) == (1, True)


def test_the_published_file_is_that_of_the_identity(run: Run, folder: Path) -> None:
    run("identity", "init", "bot", "--url", "https://bot.example/keys.json")
    identity = parse_identity((folder / "bot" / "identity.json").read_bytes())
    assert identity.directory_url == "https://bot.example/keys.json"
    assert identity.key_set(identity.keys[0].use_from) == (folder / PUBLIC).read_bytes()
