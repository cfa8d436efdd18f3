"""Signed requests: by the client, for each redirect, with rotating keys, and checked by the library for signatures."""

import asyncio
import json
import logging
import os
import re
import ssl
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from http_message_signatures import HTTPMessageVerifier, InvalidSignature, algorithms
from tests.identity.clock import Clock
from tests.identity.messages import Answer, Message, checked_as_sent, keys_of, message_of, verified
from tests.servers.certificates import Authority
from tests.servers.proxy import ProxySite
from tests.servers.valid import respond
from tests.servers.web import Site

from canfetch import AsyncClient, Client, Frontier
from canfetch.access.responses import Failure, Response
from canfetch.agents.identity import SignedRequest
from canfetch.client.identity import SigningIdentity
from canfetch.client.identity.directory_urls import parse_directory_url
from canfetch.client.identity.identity_file import DEFAULT_LEAD, IdentityFile, new_identity, parse_identity
from canfetch.client.identity.keys import DIRECTORY_PATH, DIRECTORY_TYPE, parse_key_set
from canfetch.client.identity.signed_requests import SignatureClaim, find_claims, verify_claim
from canfetch.client.transports.http_transport import AsyncHTTPTransport, HTTPTransport
from canfetch.errors import InvalidKey, InvalidOption, InvalidURL

NOW = 1_800_000_000.0
URL = "https://example.com/fish?wet=1#top"
DIRECTORY = f"https://bot.example{DIRECTORY_PATH}"
ROBOTS = b"User-agent: *\nDisallow: /private/\n"


@pytest.fixture
def clock() -> Clock:
    return Clock(NOW)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, new_identity("https://bot.example", now=NOW))
    return tmp_path


def write(folder: Path, identity: IdentityFile) -> None:
    """Replace the file of an identity, as the command does."""
    temporary = folder / "new"
    temporary.write_bytes(identity.to_json())
    temporary.chmod(0o600)
    temporary.replace(folder / "identity.json")


def signed(identity: SigningIdentity, url: str = URL, method: str = "GET") -> Message:
    return Message(method, url.partition("#")[0], dict(identity.headers(method, url)))


@pytest.mark.parametrize(
    "form, agent, component",
    [
        ("dictionary", f'sig1="{DIRECTORY}"', '"signature-agent";key="sig1"'),
        ("string", '"https://bot.example"', '"signature-agent"'),
    ],
)
def test_a_signature_covers_who_asks_for_what(
    folder: Path, clock: Clock, form: str, agent: str, component: str
) -> None:
    identity = SigningIdentity(folder, form=form, clock=clock)
    message = signed(identity)
    (result,) = verified(message, keys_of(identity))
    assert message.headers["Signature-Agent"] == agent
    assert list(result.covered_components)[:-1] == ['"@method"', '"@authority"', '"@path"', component]
    assert list(result.covered_components.values())[:3] == ["GET", "example.com", "/fish"]
    parameters = dict(result.parameters)
    assert len(parameters.pop("nonce")) >= 40
    (key_id,) = keys_of(identity)
    assert parameters == {
        "created": NOW,
        "expires": NOW + 60,
        "keyid": key_id,
        "alg": "ed25519",
        "tag": "web-bot-auth",
    }


@pytest.mark.parametrize("form", ["dictionary", "string"])
def test_a_signature_conforms_to_the_profile(folder: Path, clock: Clock, form: str) -> None:
    identity = SigningIdentity(folder, form=form, clock=clock)
    request = SignedRequest.from_url("GET", URL, identity.headers("GET", URL))
    (claim,) = find_claims(request, now=NOW + 3, max_lifetime=61)
    assert isinstance(claim, SignatureClaim)
    assert (claim.directory.fetched, claim.expires - claim.created) == (DIRECTORY, 60)
    key = parse_key_set(identity.directory("bot.example")[1]).keys[claim.key_id]
    assert verify_claim(claim, key, now=NOW + 3, clock_skew=0).is_valid


@pytest.mark.parametrize(
    "change",
    [
        {"url": "https://example.org/fish"},
        {"url": "https://example.com:8443/fish"},
        {"url": "https://example.com/other"},
        {"method": "POST"},
    ],
)
def test_a_signature_holds_for_no_other_request(folder: Path, clock: Clock, change: dict[str, Any]) -> None:
    identity = SigningIdentity(folder, clock=clock)
    with pytest.raises(InvalidSignature):
        verified(signed(identity)._replace(**change), keys_of(identity))


@pytest.mark.parametrize(
    "url, authority, path",
    [
        ('https://example.com/a|b{c}^[d]`e\\f"<>?|#|', "example.com", '/a|b{c}^[d]`e\\f"<>'),
        ("https://example.com/100%/%zz/%7e%2f", "example.com", "/100%/%zz/%7e%2f"),
        ("https://example.com/a b\r\n\xe4\udcff", "example.com", "/a%20b%0D%0A%C3%A4%FF"),
        ("https://me:secret@you@EXAMPLE.com:0443?x=|", "example.com", "/"),
        ("https://b\xfccher.example:8443//x", "xn--bcher-kva.example:8443", "//x"),
        ("https://[2001:DB8:0::1]/", "[2001:db8::1]", "/"),
    ],
)
def test_urls_with_characters_that_must_be_escaped(
    folder: Path, clock: Clock, url: str, authority: str, path: str
) -> None:
    identity = SigningIdentity(folder, clock=clock)
    for method in ("GET", "get"):
        fields = {name.lower(): value for name, value in identity.headers(method, url)}
        request = SignedRequest(method.upper(), "https", authority, path, fields.get)
        (claim,) = find_claims(request, now=NOW)
        assert isinstance(claim, SignatureClaim)
        key = parse_key_set(identity.directory("bot.example")[1]).keys[claim.key_id]
        assert verify_claim(claim, key, now=NOW, clock_skew=0).is_valid == (method == "GET")


@pytest.mark.parametrize("url", ["https:", "https:/x", "https://", "https://a b/", "https://[x]/", "https://a:99999/"])
def test_urls_without_a_valid_origin_cannot_be_signed(folder: Path, url: str) -> None:
    with pytest.raises(InvalidURL):
        SigningIdentity(folder).headers("GET", url)
    with pytest.raises(InvalidOption, match="invalid method"):
        SigningIdentity(folder).headers("GE T", URL)


def test_each_signature_is_new(folder: Path, clock: Clock) -> None:
    identity = SigningIdentity(folder, clock=clock)
    assert len({signed(identity).headers["Signature"] for _ in range(20)}) == 20


def test_requests_over_http_are_not_signed(folder: Path) -> None:
    assert SigningIdentity(folder).headers("GET", "http://example.com/") == ()


def test_the_directory_is_signed_by_each_key_for_its_host(folder: Path, clock: Clock) -> None:
    write(folder, parse_identity((folder / "identity.json").read_bytes()).rotated(NOW))
    identity = SigningIdentity(folder, clock=clock)
    headers, body = identity.directory("bot.example")
    request = Message("GET", DIRECTORY, {})
    answer = Answer(200, DIRECTORY, dict(headers), request)
    keys = keys_of(identity)
    assert (answer.headers["Content-Type"], answer.headers["Cache-Control"]) == (DIRECTORY_TYPE, "max-age=86400")
    foreign, same = identity.directory("evil.example")
    assert (same, [name for name, _ in foreign if name.startswith("Signature")]) == (body, [])
    results = verified(answer, keys, "http-message-signatures-directory")
    assert [result.parameters["keyid"] for result in results] == list(keys)
    assert len(keys) == 2
    verifier = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=None)
    verifier.verify_body(answer, results, body)
    with pytest.raises(InvalidSignature):
        verified(
            answer._replace(request=request._replace(url=f"https://evil.example{DIRECTORY_PATH}")),
            keys,
            "http-message-signatures-directory",
        )
    with pytest.raises(InvalidSignature):
        verifier.verify_body(answer, results, body + b" ")


@pytest.mark.parametrize("authority", ["", "a b", "bot.example|", "[x]", "bot.example:99999"])
def test_the_directory_is_not_signed_for_an_invalid_host(folder: Path, authority: str) -> None:
    with pytest.raises(InvalidURL):
        SigningIdentity(folder).directory(authority)


def test_a_running_crawler_takes_the_next_key(folder: Path, clock: Clock) -> None:
    identity = SigningIdentity(folder, clock=clock)
    (first,) = keys_of(identity)

    def key_id() -> str:
        (result,) = verified(signed(identity), keys_of(identity))
        return str(result.parameters["keyid"])

    assert key_id() == first
    write(folder, parse_identity((folder / "identity.json").read_bytes()).rotated(NOW))
    # Both keys are published, and the first one signs until verifiers have seen the second.
    (second,) = keys_of(identity).keys() - {first}
    assert key_id() == first
    clock.now += DEFAULT_LEAD - 1
    assert key_id() == first
    clock.now += 1
    assert key_id() == second
    assert keys_of(identity).keys() == {first, second}
    clock.now += DEFAULT_LEAD
    assert keys_of(identity).keys() == {second}
    # A key that others may know is replaced at once.
    write(folder, parse_identity((folder / "identity.json").read_bytes()).rotated(clock.now, lead=0))
    assert key_id() not in {first, second}
    assert len(keys_of(identity)) == 1


def test_a_damaged_file_leaves_the_last_key_in_use(
    folder: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    identity = SigningIdentity(folder, clock=clock)
    keys = keys_of(identity)
    secret = json.loads((folder / "identity.json").read_bytes())["keys"][0]["d"]
    (folder / "identity.json").write_text(secret, encoding="utf-8")
    assert keys_of(identity).keys() == keys.keys()
    assert "the last good copy stays in use" in caplog.text
    assert secret not in caplog.text


def test_a_rotation_in_progress_is_not_repeated() -> None:
    rotated = new_identity("https://bot.example", now=NOW).rotated(NOW)
    with pytest.raises(InvalidOption, match="wait until it does"):
        rotated.rotated(NOW + 1)
    assert len(rotated.rotated(NOW + 1, lead=0).keys) == 1
    assert len(rotated.rotated(NOW + 2 * DEFAULT_LEAD).keys) == 2


@pytest.mark.parametrize(
    "change, problem",
    [
        ({"schema": "other/1"}, "not an identity of the schema"),
        ({"keys": []}, "no list of 1 to 20 keys"),
        ({"keys": [5]}, "key 1 of the identity has no private key of 32 bytes"),
        ({"keys": [{"d": "AAAA"}]}, "key 1 of the identity has no private key of 32 bytes"),
        ({"max_age": "day"}, "the max_age of the identity is not a number of seconds"),
        ({"directory_url": "http://bot.example/"}, "expected https"),
        ({"form": "list"}, "the identity has an invalid form 'list'"),
    ],
)
def test_files_with_faults(change: dict[str, Any], problem: str) -> None:
    content = json.loads(new_identity("https://bot.example", now=NOW).to_json())
    with pytest.raises(InvalidKey) as caught:
        parse_identity(json.dumps({**content, **change}).encode())
    assert problem in str(caught.value)
    assert content["keys"][0]["d"] not in str(caught.value)


@pytest.mark.parametrize(
    "key",
    [
        {"x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"},
        {"use_from": "now"},
        {"use_from": -1},
        {"listed_until": True},
    ],
)
def test_keys_of_the_file_with_faults(key: dict[str, Any]) -> None:
    content = json.loads(new_identity("https://bot.example", now=NOW).to_json())
    content["keys"][0] |= key
    with pytest.raises(InvalidKey, match=r"^the (private key 1|times of key 1) of the identity"):
        parse_identity(json.dumps(content).encode())


@pytest.mark.parametrize("content", [b"", b"\xff", b"[" * 50_000, b"[]"])
def test_files_that_are_no_identity(content: bytes) -> None:
    with pytest.raises(InvalidKey):
        parse_identity(content)


@pytest.mark.parametrize(
    "url, form, error",
    [
        ("http://bot.example", "dictionary", InvalidURL),
        ("bot.example", "dictionary", InvalidURL),
        ("https://bot.example/keys?a=b", "dictionary", InvalidURL),
        ("https://me:secret@bot.example/", "dictionary", InvalidURL),
        ('https://bot.example/"', "dictionary", InvalidURL),
        ("https://bot.example/", "list", InvalidOption),
        ("https://bot.example/keys.json", "string", InvalidOption),
    ],
)
def test_invalid_addresses_of_keys(url: str, form: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        new_identity(url, form=form, now=NOW)


def test_the_address_of_keys_is_the_one_that_verifiers_fetch() -> None:
    for url in ("https://BOT.example:443/a/../keys%2ejson", "https://bot.example/%6beys.json"):
        directory_url = new_identity(url, now=NOW).directory_url
        assert directory_url == "https://bot.example/keys.json"
        assert parse_directory_url(directory_url).fetched == directory_url


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
def test_a_file_that_everybody_can_replace_is_refused(folder: Path) -> None:
    folder.chmod(0o777)
    with pytest.raises(InvalidKey, match=rf"others can replace the keys in '{folder}': chmod o-w {folder}$"):
        SigningIdentity(folder)
    # Only the owner can replace a file there.
    folder.chmod(0o1777)
    assert SigningIdentity(folder).directory_url


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such modes")
def test_a_file_that_others_can_read_is_refused(folder: Path) -> None:
    (folder / "identity.json").chmod(0o640)
    with pytest.raises(InvalidKey, match="others can read the keys"):
        SigningIdentity(folder)
    (folder / "identity.json").chmod(0o600)
    running = SigningIdentity(folder)
    known = running.directory_url
    (folder / "identity.json").unlink()
    (folder / "identity.json").write_bytes(new_identity("https://other.example", now=NOW).to_json())
    (folder / "identity.json").chmod(0o644)
    assert running.directory_url == known


def test_invalid_arguments(folder: Path) -> None:
    for options in ({"form": "list"}, {"lifetime": 0}, {"lifetime": 3601}, {"clock": 5}):
        with pytest.raises(InvalidOption):
            SigningIdentity(folder, **options)
    with pytest.raises(FileNotFoundError):
        SigningIdentity(folder / "nowhere")
    with pytest.raises(InvalidOption, match=r"identity\.headers"):
        Client(user_agent="TestBot/1.0", identity="identity")  # type: ignore[arg-type]


@pytest.fixture
def tls_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, ssl.SSLContext]]:
    authority = Authority(tmp_path_factory.mktemp("certificates"))
    with Site(tls=authority.good()) as site:
        yield site, authority.client()


def test_the_client_signs_each_redirect_and_document(folder: Path, tls_site: tuple[Site, ssl.SSLContext]) -> None:
    site, context = tls_site
    site.serve("/robots.txt", respond(b"", f"Location: {site.origin}/moved", "Vary: Signature", status=301))
    site.serve("/moved", respond(ROBOTS))
    site.serve("/fish", respond(b"<p>Fish"))
    identity = SigningIdentity(folder)
    with Client(user_agent="TestBot/1.0", identity=identity, transport=HTTPTransport(ssl_context=context)) as client:
        assert client.allows(f"{site.origin}/fish")
        client.request_document(f"{site.origin}/fish", max_bytes=1_000)
        stored = repr(client.origin_state(f"{site.origin}/").entry)
    messages = [message_of(site, request) for request in site.requests]
    assert [message.url.removeprefix(site.origin) for message in messages] == ["/robots.txt", "/moved", "/fish"]
    for message in messages:
        assert len(verified(message, keys_of(identity))) == 1
    signatures = {message.headers["Signature"] for message in messages}
    assert len(signatures) == 3
    assert not any(signature in stored for signature in signatures)


def test_the_asynchronous_client_signs(folder: Path, tls_site: tuple[Site, ssl.SSLContext]) -> None:
    site, context = tls_site
    site.serve("/robots.txt", respond(ROBOTS))
    identity = SigningIdentity(folder)

    async def ask() -> bool:
        transport = AsyncHTTPTransport(ssl_context=context)
        async with AsyncClient(user_agent="TestBot/1.0", identity=identity, transport=transport) as client:
            return await client.allows(f"{site.origin}/fish")

    assert asyncio.run(ask())
    assert len(verified(message_of(site, site.requests[0]), keys_of(identity))) == 1


@pytest.mark.parametrize("location", ["/r|x", "/{x}", "/100%", "/%zz", "/a b", "/\xe4", "/`^[x]", "{user}/x"])
def test_a_redirect_to_a_url_that_must_be_escaped_ends_nothing(
    folder: Path, tls_site: tuple[Site, ssl.SSLContext], location: str
) -> None:
    site, context = tls_site
    user = f"https://a@b@{site.origin.removeprefix('https://')}"
    location = location.replace("{user}", user)
    url = location if location.startswith(user) else f"{site.origin}{location}"
    site.serve("/robots.txt", respond(b"", f"Location: {location}", status=301))
    identity = SigningIdentity(folder)
    with Client(user_agent="TestBot/1.0", identity=identity, transport=HTTPTransport(ssl_context=context)) as client:
        assert client.allows(f"{site.origin}/a|b")
        assert isinstance(client.request_document(url, max_bytes=1_000), Response)
        # No transport fetches these, and a signature changes nothing about that.
        assert isinstance(client.request_document("https://a.example:0/", max_bytes=1_000), Failure)
        assert isinstance(client.request_document(f"https://{'a' * 64}.example/", max_bytes=1_000), Failure)
        with pytest.raises(InvalidURL):
            client.request_document("https://a b/", max_bytes=1_000)
    assert len(site.requests) == 3
    for request in site.requests:
        assert checked_as_sent(site, request, identity).is_valid


def test_the_path_that_urllib3_sends_is_signed(folder: Path, tls_site: tuple[Site, ssl.SSLContext]) -> None:
    requests = pytest.importorskip("requests")
    from canfetch.client.transports.requests_transport import RequestsTransport

    site, _ = tls_site
    identity = SigningIdentity(folder)
    with requests.Session() as session, warnings.catch_warnings(action="ignore"):
        session.verify = session.trust_env = False
        transport = RequestsTransport(session=session)
        with Client(user_agent="TestBot/1.0", identity=identity, transport=transport) as client:
            for path in ("/%e3%81%82", "/%zz%2f", "/[a]?[b]%zz", "/a|b", "?/%2f", "/a/../b", "/%"):
                client.request_document(f"{site.origin}{path}", max_bytes=1_000)
    assert len(site.requests) == 7
    for request in site.requests:
        check = checked_as_sent(site, request, identity)
        assert check.is_valid, (request.target, check)


def test_a_site_that_redirects_to_such_a_url_does_not_end_a_crawl(
    folder: Path, tls_site: tuple[Site, ssl.SSLContext]
) -> None:
    site, context = tls_site
    site.serve("/robots.txt", respond(b"", "Location: /r|x", status=301))
    identity = SigningIdentity(folder)

    async def crawl() -> list[str]:
        transport = AsyncHTTPTransport(ssl_context=context)
        client = AsyncClient(user_agent="TestBot/1.0", identity=identity, transport=transport)
        found = []
        async with client, Frontier(client, [f"{site.origin}/a|b"]) as frontier:
            async for turn in frontier:
                with turn:
                    found.append(turn.url)
        return found

    assert asyncio.run(crawl()) == [f"{site.origin}/a|b"]


def test_proxies_and_logs_see_no_signature(
    folder: Path, tls_site: tuple[Site, ssl.SSLContext], caplog: pytest.LogCaptureFixture
) -> None:
    site, context = tls_site
    site.serve("/robots.txt", respond(ROBOTS))
    identity = SigningIdentity(folder)
    caplog.set_level(logging.DEBUG)
    with ProxySite() as proxy:
        transport = HTTPTransport(ssl_context=context, proxy=f"http://127.0.0.1:{proxy.port}")
        with Client(user_agent="TestBot/1.0", identity=identity, transport=transport) as client:
            assert client.allows(f"{site.origin}/fish")
        seen = repr(proxy.heads)
    signature = site.requests[0].headers["signature"]
    assert "CONNECT" in seen
    assert "ignature" not in seen
    assert signature not in caplog.text
    secret = json.loads((folder / "identity.json").read_bytes())["keys"][0]["d"]
    shown = repr(identity) + repr(parse_identity((folder / "identity.json").read_bytes())) + caplog.text
    assert secret not in shown
    assert re.search("private", repr(identity)) is None
