"""Signed requests on real servers, with a directory on a TLS server, and crawlers that must sign."""

import asyncio
import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.identity.signers import AGENT_URL, Signer
from tests.integrations.serving.conftest import NOW, Serve
from tests.integrations.serving.hosts import PAGE
from tests.integrations.serving.test_enforcement import FAKE, GOOGLEBOT, enforced
from tests.integrations.serving.test_site import request
from tests.servers.certificates import Authority
from tests.servers.valid import respond
from tests.servers.web import Site as Server
from tests.servers.web import resolve_all_to

from canfetch.access.responses import Response
from canfetch.agents.address_lists import AddressList, AddressLists, AddressRanges
from canfetch.client.identity import IdentityVerifier, SignatureVerifier, SigningIdentity, signature_verifier
from canfetch.client.identity.identity_file import new_identity
from canfetch.client.identity.keys import DIRECTORY_PATH
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.http_transport import HTTPTransport
from canfetch.errors import InvalidOption
from canfetch.integrations.serving import Enforcement, Site
from canfetch.integrations.serving.enforcement import _urls
from canfetch.integrations.serving.requests import Reply, Request
from canfetch.integrations.serving.trusted_proxies import TrustedProxies

SIGNER, OTHER = Signer(), Signer()
CRAWLER = f"User-Agent: {GOOGLEBOT}"
PROXIED = ("X-Forwarded-Proto: https", f"X-Forwarded-For: {FAKE}")
LISTS = ["https://developers.google.com/static/crawling/ipranges/common-crawlers.json"]
PATH = "/a%20b?q=1&r=%2F"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def directory(authority: Authority) -> Iterator[Server]:
    with Server(tls=authority.good()) as running:
        running.serve("/keys", respond(json.dumps({"keys": [SIGNER.jwk]}).encode()))
        yield running


def url_of(directory: Server) -> str:
    return f"https://signer.site.test:{directory.port}/keys"


def signing_site(directory: Server, authority: Authority, *, url: str | None = None, **options: Any) -> Site:
    signatures = SignatureVerifier(
        hosts=["example.com"],
        directories={"Googlebot": url or url_of(directory)},
        transport=HTTPTransport(ssl_context=authority.client(), resolve=resolve_all_to("127.0.0.1"), trust_env=False),
        allow_private=True,
        timeout=60.0,
        fetch_timeout=60.0,
        clock=lambda: NOW,
    )
    identity = IdentityVerifier(address_lists=AddressLists({}), dns=False, signatures=signatures)
    return enforced(
        identity=identity,
        trusted_proxies=["127.0.0.0/8", "::1"],
        block_impostors=True,
        require_signature=["Googlebot"],
        **options,
    )


def lines(headers: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{name}: {value}" for name, value in headers]


def signed(directory: Server, signer: Signer = SIGNER, **covered: str) -> list[str]:
    """Return the lines of a request that covers more than the authority."""
    url = url_of(directory)
    components = {'"@authority"': "example.com", '"signature-agent";key="sig1"': f'"{url}"'}
    components |= {f'"@{name.replace("_", "-")}"': value for name, value in covered.items()}
    return lines(signer.headers(components, agent=f'sig1="{url}"'))


@pytest.mark.parametrize("form", ["dictionary", "string"])
def test_what_an_identity_signs_is_verified(
    serve: Serve, directory: Server, authority: Authority, tmp_path: Path, form: str
) -> None:
    origin = f"https://{form}.site.test:{directory.port}"
    file = tmp_path / "identity.json"
    file.touch(mode=0o600)
    before = new_identity(origin, form=form, now=NOW - 9)
    file.write_bytes(before.to_json())
    with_old_key, moved = (
        SigningIdentity(file, clock=lambda: NOW).headers("GET", f"https://{host}{PATH}")
        for host in ("example.com", "other.example")
    )
    file.write_bytes(before.rotated(NOW - 8, lead=5).to_json())
    rotated = SigningIdentity(file, clock=lambda: NOW)
    with_new_key = rotated.headers("GET", f"https://example.com{PATH}")
    fields, keys = rotated.directory(f"{form}.site.test:{directory.port}")
    directory.serve(DIRECTORY_PATH, respond(keys, *lines(fields)))
    site = signing_site(directory, authority, url=f"{origin}{DIRECTORY_PATH}")
    server = serve(site)
    answers = [server.send(PATH, CRAWLER, *PROXIED, *lines(one)).status for one in (with_old_key, with_new_key)]
    assert answers == [200, 200]
    assert server.send(PATH, CRAWLER, *PROXIED, *lines(moved)).status == 403
    assert server.send(PATH, CRAWLER, *PROXIED, *lines([with_new_key[0]])).status == 403


def test_signed_requests_on_each_server(serve: Serve, directory: Server, authority: Authority) -> None:
    site = signing_site(directory, authority)
    server = serve(site)

    def send(*fields: str) -> tuple[int, bytes]:
        answer = server.send(PATH, CRAWLER, *PROXIED, *fields)
        return answer.status, answer.body

    everything = signed(
        directory,
        method="GET",
        scheme="https",
        path="/a%20b",
        query="?q=1&r=%2F",
        target_uri=f"https://example.com{PATH}",
        request_target=PATH,
    )
    assert send(*everything) == (200, PAGE)
    # In another order, with other names, and next to a signature of another protocol, on a line of its own.
    others = ['Signature-Input: x=("@method");tag="other"', "Signature: x=:AAAA:"]
    renamed = [name.lower() + colon + value for name, colon, value in (line.partition(":") for line in everything)]
    assert send(*reversed(renamed), *others)[0] == 200
    for target in (signed(directory, path="/other"), signed(directory, OTHER), []):
        status, body = send(*target)
        assert status == 403
        assert body.startswith(b"403 Forbidden: this client is not Googlebot\na signature is required: ")
    assert (site.stats.verified, dict(site.stats.impostors)) == (2, {"Googlebot": 3})
    assert site.stats.signatures == {"verified": 2, "bad-signature": 1, "key-unknown": 1, "absent": 1}
    assert 'canfetch_site_signatures_total{reason="key-unknown"} 1\n' in site.stats.to_prometheus()
    assert site.stats.to_json()["signatures"] == dict(site.stats.signatures)
    refused = server.send(PATH, CRAWLER, *PROXIED)
    assert refused.headers["accept-signature"].endswith(';created;expires;tag="web-bot-auth"')
    # Browsers and the robots.txt need no signature.
    assert server.send(PATH, "User-Agent: curl/8").body == PAGE
    assert server.send("/robots.txt", CRAWLER).status == 200


def test_a_label_that_is_sent_on_two_lines_is_refused(serve: Serve, directory: Server, authority: Authority) -> None:
    server = serve(signing_site(directory, authority))
    evil = signed(directory, OTHER)
    for fields in ([*signed(directory), *evil], [*evil, *signed(directory)]):
        assert server.send("/", CRAWLER, *PROXIED, *fields).status == 403


def test_a_host_of_the_site_and_others(serve: Serve, directory: Server, authority: Authority) -> None:
    server = serve(signing_site(directory, authority))
    captured = lines(SIGNER.headers(host="other.example", agent=f'sig1="{url_of(directory)}"'))
    answer = server.send("/", CRAWLER, *PROXIED, *captured, host="other.example")
    assert answer.status == 403
    assert b"other.example is not a host of the site" in answer.body


@pytest.mark.parametrize(
    "target",
    [".evil.example/fish", "@evil.example/x", "-evil.example/", ":8443/x", "x/y", "*", "https://evil.example/"],
)
def test_a_target_does_not_make_the_signature_for_another_host_valid(
    serve: Serve, directory: Server, authority: Authority, target: str
) -> None:
    site = signing_site(directory, authority)
    url = url_of(directory)
    signed_url = target if "://" in target else f"https://example.com{target}"
    components = {'"@target-uri"': signed_url, '"signature-agent";key="sig1"': f'"{url}"'}
    fields = lines(SIGNER.headers(components, agent=f'sig1="{url}"'))
    assert serve(site).send(target, CRAWLER, *PROXIED, *fields).status in {400, 403}
    assert site.stats.verified == 0


def test_a_target_that_is_the_whole_url(serve: Serve, directory: Server, authority: Authority) -> None:
    site = signing_site(directory, authority)
    server = serve(site)
    url = url_of(directory)
    components = {'"@target-uri"': "https://example.com/fish", '"signature-agent";key="sig1"': f'"{url}"'}
    fields = lines(SIGNER.headers(components, agent=f'sig1="{url}"'))
    for target in ("https://example.com/fish", "https://example.net/fish"):
        server.send(target, CRAWLER, *PROXIED, *fields)
    assert site.stats.signatures == {"verified": 1, "other-host": 1}


def test_without_a_requirement_a_signature_only_adds_evidence(directory: Server, authority: Authority) -> None:
    site = signing_site(directory, authority)
    assert site._enforcement is not None
    identity = site._enforcement.identity
    assert identity is not None
    site = enforced(identity=identity, block_impostors=True)
    lists = AddressLists({url: AddressList(AddressRanges(["66.249.64.0/27"]), NOW) for url in LISTS})
    answer = enforced(
        identity=IdentityVerifier(address_lists=lists, dns=False, signatures=identity.signatures, clock=lambda: NOW),
        block_impostors=True,
    ).respond(request("/", headers={"user-agent": GOOGLEBOT}, peer=FAKE))
    # Nothing asks for a signature that would not be required.
    assert answer is not None
    assert (answer.status, [name for name, _ in answer.headers if "Signature" in name]) == (403, [])
    fields = {
        "user-agent": GOOGLEBOT,
        **{name.lower(): value for name, value in SIGNER.headers(agent=f'sig1="{url_of(directory)}"')},
    }
    assert site.respond(request("/", headers=fields, peer=FAKE)) is None
    assert site.respond(request("/", headers={"user-agent": GOOGLEBOT}, peer=FAKE)) is None
    assert (site.stats.verified, site.stats.undecided) == (1, 1)


def test_impostors_without_a_signature_are_only_counted_by_default(directory: Server, authority: Authority) -> None:
    strict = signing_site(directory, authority)
    assert strict._enforcement is not None
    site = enforced(identity=strict._enforcement.identity, require_signature=["GOOGLEBOT"])
    assert site.respond(request("/", headers={"user-agent": GOOGLEBOT}, peer=FAKE)) is None
    assert site.stats.impostors == {"Googlebot": 1}


def test_nothing_passes_unchecked_in_an_outage_of_the_directory(directory: Server, authority: Authority) -> None:
    directory.serve("/keys", respond(b"", status=500))
    fields = {
        "user-agent": GOOGLEBOT,
        **{name.lower(): value for name, value in SIGNER.headers(agent=f'sig1="{url_of(directory)}"')},
    }
    try:
        for block_undecided in (False, True):
            site = signing_site(directory, authority, block_undecided=block_undecided)
            # Otherwise, a signature that nobody can verify would be better than none.
            reply = site.respond(request("/", headers=fields, peer=FAKE))
            assert reply is not None
            assert (reply.status, dict(reply.headers)["Retry-After"]) == (503, "60")
            assert (site.stats.undecided, site.stats.unchecked) == (0, {"Googlebot": 1})
        strict = signing_site(directory, authority)
        assert strict._enforcement is not None
        lenient = enforced(identity=strict._enforcement.identity, require_signature=["Googlebot"])
        assert lenient.respond(request("/", headers=fields, peer=FAKE)) is None
        assert lenient.stats.undecided == 1
    finally:
        directory.serve("/keys", respond(json.dumps({"keys": [SIGNER.jwk]}).encode()))


@pytest.mark.parametrize(
    "options, nonce", [({}, ""), ({"require_nonce": False}, ""), ({"require_nonce": True}, "nonce;")]
)
def test_the_response_asks_for_what_the_site_requires(options: dict[str, Any], nonce: str) -> None:
    signatures = SignatureVerifier(
        hosts=["example.com"],
        directories={"Googlebot": "https://keys.example"},
        reject_replays=bool(options),
        clock=lambda: NOW,
        **options,
    )
    identity = IdentityVerifier(address_lists=AddressLists({}), dns=False, signatures=signatures)
    site = enforced(identity=identity, block_impostors=True, require_signature=["Googlebot"])
    reply = site.respond(request("/", headers={"user-agent": GOOGLEBOT}, peer=FAKE))
    assert reply is not None
    expected = f'sig1=("@authority" "signature-agent";key="sig1");created;expires;{nonce}tag="web-bot-auth"'
    assert dict(reply.headers)["Accept-Signature"] == expected


class Gate:
    """A transport that sends nothing before it is opened."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.requests = 0

    def send(self, request: TransportRequest) -> Response:
        self.requests += 1
        self.opened.wait()
        return Response(request.url, 200, (), json.dumps({"keys": [SIGNER.jwk]}).encode())

    def close(self) -> None:
        raise AssertionError


def gated(gate: Gate, clock: Callable[[], float], **options: Any) -> Site:
    signatures = SignatureVerifier(
        hosts=["example.com"],
        directories={"Googlebot": AGENT_URL},
        transport=gate,
        timeout=0.01,
        clock=clock,
        max_failures_per_minute=1000,
        max_failure_time=1000.0,
        reject_replays=True,
    )
    identity = IdentityVerifier(address_lists=AddressLists({}), dns=False, signatures=signatures)
    return enforced(identity=identity, **{"block_impostors": True, "require_signature": ["Googlebot"], **options})


def test_requests_during_the_first_fetch_of_a_directory_do_not_pass(serve: Serve) -> None:
    gate = Gate()
    site = gated(gate, lambda: NOW)
    server = serve(site)
    try:
        for signer in (OTHER, SIGNER):
            answer = server.send("/", CRAWLER, *lines(signer.headers(nonce="n")))
            assert (answer.status, answer.headers["retry-after"]) == (503, "5")
            assert answer.body == b"503 Service Unavailable: the directory with the key is still being fetched\n"
    finally:
        gate.opened.set()
    assert site.stats.signatures == {"directory-pending": 2}
    assert (site.stats.undecided, site.stats.impostors, site.stats.unchecked) == (0, {}, {"Googlebot": 2})


@pytest.mark.parametrize("is_async", [False, True])
def test_more_requests_than_wait_for_a_directory(*, is_async: bool) -> None:
    gate, now = Gate(), NOW

    def send(site: Site, signer: Signer, nonce: str = "n") -> int:
        fields = signer.headers(created=int(now), expires=int(now) + 60, nonce=nonce)
        headers = {"user-agent": GOOGLEBOT} | {name.lower(): value for name, value in fields}
        sent = request("/", headers=headers, peer=FAKE)
        reply = asyncio.run(site.respond_async(sent)) if is_async else site.respond(sent)
        return 200 if reply is None else reply.status

    cold = gated(gate, lambda: now, block_undecided=True)
    others = [
        gated(gate, lambda: now, **options) for options in ({"require_signature": ()}, {"block_impostors": False})
    ]
    try:
        assert [send(cold, signer) for signer in (OTHER,) * 10 + (SIGNER,)] == [503] * 11
        # The address decides, or impostors are only counted.
        assert [send(site, OTHER) for site in others] == [200, 200]
        assert [(site.stats.undecided, site.stats.impostors) for site in others] == [(1, {})] * 2
    finally:
        gate.opened.set()
    site = gated(gate, lambda: now)
    while send(site, SIGNER, "first") == 503:
        pass
    now += 4000.0
    gate.opened.clear()
    try:
        # The last copy decides while the next one is fetched.
        answers = [send(site, OTHER), send(site, SIGNER), send(site, SIGNER), *(send(site, OTHER) for _ in range(10))]
        assert answers == [403, 200, 403, *[403] * 10]
    finally:
        gate.opened.set()
    assert "directory-unavailable" not in site.stats.signatures
    assert site.stats.undecided == 0


def test_requests_without_a_signature_cost_nothing(directory: Server, authority: Authority) -> None:
    fields = {"user-agent": GOOGLEBOT}
    read: list[str] = []

    def header(name: str) -> str | None:
        read.append(name)
        return fields.get(name)

    plain = Request("GET", "/", b"/", "example.com", FAKE, header)
    identity = IdentityVerifier(address_lists=AddressLists({}), dns=False)
    enforced(identity=identity).respond(plain)
    assert "signature-input" not in read
    read.clear()
    site = signing_site(directory, authority)
    site.respond(plain)
    assert read.count("signature-input") == 2
    assert "signature" not in read
    read.clear()
    fields["user-agent"] = (
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36"
    )
    site.respond(plain)
    assert read == ["user-agent"]


@pytest.mark.parametrize(
    "peer, scheme, field, expected",
    [
        ("10.0.0.1", "http", "https", "https"),
        ("10.0.0.1", "http", "http, HTTPS", "https"),
        ("10.0.0.1", "https", "http", "http"),
        ("10.0.0.1", "http", "gopher", "http"),
        ("10.0.0.1", "http", None, "http"),
        ("8.8.8.8", "http", "https", "http"),
        ("", "http", "https", "https"),
        (None, "http", "https", "https"),
    ],
)
def test_scheme_of_the_client(peer: str | None, scheme: str, field: str | None, expected: str) -> None:
    assert TrustedProxies(["10.0.0.0/8", "unix"]).client_scheme(peer, scheme, field) == expected
    if not peer:
        assert TrustedProxies(["10.0.0.0/8"]).client_scheme(peer, scheme, field) == scheme


@pytest.mark.parametrize(
    "names, options, message",
    [
        ("Googlebot", {}, r"expected a list, such as \['Googlebot'\]"),
        (["Googlebot"], {"identity": None}, "requires identity=IdentityVerifier"),
        (["Googlebot"], {"identity": IdentityVerifier()}, "requires identity=IdentityVerifier"),
        (["NoSuchBot"], {}, "'NoSuchBot': it is not a crawler of the registry"),
        ([5], {}, "5: it is not a crawler of the registry"),
        (["GPTBot"], {}, r"no directory of GPTBot is known: pass directories=\{'GPTBot'"),
        (["Google-Agent"], {"exempt": ["google-agent"]}, "have the same crawler"),
    ],
)
def test_invalid_requirements(names: Any, options: dict[str, Any], message: str) -> None:
    identity = IdentityVerifier(signatures=SignatureVerifier(hosts=None))
    with pytest.raises(InvalidOption, match=message):
        Enforcement(**{"identity": identity, "require_signature": names, **options})
    Enforcement(identity=identity, require_signature=["Google-Agent"])


def test_one_signed_request_sent_in_other_forms(serve: Serve, directory: Server, authority: Authority) -> None:
    site = signing_site(directory, authority)
    server = serve(site)
    fields = signed(directory, path="/a%20b", query="?q=1")

    def send(target: str, *more: str, host: str = "example.com", sent: list[str] = fields) -> int:
        return server.send(target, CRAWLER, *PROXIED, *sent, *more, host=host).status

    assert send("/a%20b?q=1") == 200
    agent = next(line for line in fields if line.startswith("Signature-Agent"))
    folded = [line.replace("=", "=\r\n ", 1) if line is agent else line for line in fields]
    forms = {
        "escape": send("/a%2520b?q=1"),
        "letter case": send("/a%20b?Q=1"),
        "query": send("/a%20b?q=1&q=2"),
        "no query": send("/a%20b"),
        "parameters": send("/a%20b;x?q=1"),
        "dots": send("/x/../a%20b?q=1"),
        "host": send("/a%20b?q=1", host="example.com."),
        "port": send("/a%20b?q=1", host="example.com:8443"),
        "no host": send("/a%20b?q=1", host=""),
        "two hosts": send("/a%20b?q=1", "Host: other.example"),
        "other host and forwarded": send("/a%20b?q=1", "X-Forwarded-Host: example.com", host="other.example"),
        "agent twice": send("/a%20b?q=1", agent),
        "second agent": send("/a%20b?q=1", 'Signature-Agent: sig2="https://evil.example/keys"'),
        "agent as a text first": send("/a%20b?q=1", sent=['Signature-Agent: "https://evil.example/keys"', *fields]),
        "folded": send("/a%20b?q=1", sent=folded),
    }
    # Another member of the field is not that of the signature.
    assert {name for name, status in forms.items() if status == 200} == {"second agent"}
    assert set(forms.values()) <= {200, 400, 403}
    assert site.stats.verified == 2


def test_a_signature_that_covers_the_type_of_the_body(serve: Serve, directory: Server, authority: Authority) -> None:
    server = serve(signing_site(directory, authority))
    url = url_of(directory)
    components = {'"@authority"': "example.com", '"signature-agent";key="sig1"': f'"{url}"'}
    components |= {'"content-type"': "application/json", '"content-length"': "0"}
    fields = lines(SIGNER.headers(components, agent=f'sig1="{url}"'))
    for sent, status in (("application/json", 200), ("text/html", 403)):
        body = (f"Content-Type: {sent}", "Content-Length: 0", *PROXIED, *fields)
        assert server.send("/", CRAWLER, *body).status == status


def test_a_signature_that_covers_cookies_on_several_lines(
    request: pytest.FixtureRequest, serve: Serve, directory: Server, authority: Authority
) -> None:
    server = serve(signing_site(directory, authority))
    url = url_of(directory)
    components = {'"@authority"': "example.com", '"signature-agent";key="sig1"': f'"{url}"'}
    components |= {'"cookie"': "a=1; b=2", '"x-list"': "a, b"}
    fields = lines(SIGNER.headers(components, agent=f'sig1="{url}"'))
    cookies = ("Cookie: a=1", "Cookie: b=2")
    # WSGI servers join the lines in a way of their own.
    is_wsgi = "wsgi" in request.node.callspec.params["serve"]
    for sent, status in (
        (("Cookie: a=1; b=2", "X-List: a, b"), 200),
        ((*cookies, "X-List: a", "X-List: b"), 403 if is_wsgi else 200),
        ((*reversed(cookies), "X-List: a", "X-List: b"), 403),
    ):
        assert server.send("/", CRAWLER, *PROXIED, *sent, *fields).status == status


class Keys:
    """Responds with the keys of the signer, and counts."""

    def __init__(self) -> None:
        self.requests = 0

    def send(self, sent: TransportRequest) -> Response:
        self.requests += 1
        return Response(sent.url, 200, (), json.dumps({"keys": [SIGNER.jwk]}).encode())

    def close(self) -> None:
        pass


@pytest.mark.parametrize("is_async", [False, True])
def test_invalid_signatures_beyond_a_limit_are_not_examined(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, *, is_async: bool
) -> None:
    caplog.set_level(logging.INFO, "canfetch.serving")
    seconds, spent = 0.0, 0.0
    monkeypatch.setattr(signature_verifier, "thread_time", lambda: spent)
    keys = Keys()
    signatures = SignatureVerifier(
        hosts=["example.com"],
        directories={"Googlebot": AGENT_URL},
        max_failures_per_minute=3,
        max_failure_time=0.1,
        transport=keys,
        clock=lambda: NOW,
        monotonic=lambda: seconds,
    )
    examined: list[str] = []
    check = SignatureVerifier.examine

    def examine(*arguments: Any) -> Any:
        nonlocal spent
        examined.append("")
        spent += 0.05
        return check(*arguments)

    monkeypatch.setattr(SignatureVerifier, "examine", examine)
    identity = IdentityVerifier(address_lists=AddressLists({}), dns=False, signatures=signatures)
    options: dict[str, Any] = {"identity": identity, "require_signature": ["Googlebot"], "block_impostors": True}
    site = enforced(trusted_proxies=["10.0.0.1"], **options)

    def send(address: str, signer: Signer | None = OTHER, method: str = "GET", site: Site = site) -> Reply | None:
        fields = dict(signer.headers(keyid=SIGNER.key_id, created=int(NOW), expires=int(NOW) + 60)) if signer else {}
        headers = {"user-agent": GOOGLEBOT, "x-forwarded-for": address}
        headers |= {name.lower(): value for name, value in fields.items()}
        sent = request("/", headers=headers, peer="10.0.0.1")._replace(method=method)
        return asyncio.run(site.respond_async(sent)) if is_async else site.respond(sent)

    def statuses(address: str, number: int) -> list[int]:
        return [reply.status for _ in range(number) if (reply := send(address)) is not None]

    assert send("8.8.4.4", SIGNER) is None
    # Three of an address are examined. It is the one that the proxy reports.
    assert statuses("8.8.8.8", 5) == [403, 403, 403, 429, 429]
    assert len(examined) == 4
    reply = send("8.8.8.8")
    assert reply is not None
    assert dict(reply.headers)["Retry-After"] == "60"
    assert reply.body == b"429 Too Many Requests: too many invalid signatures came from this address or its network\n"
    head = send("8.8.8.8", method="HEAD")
    assert head == reply._replace(body=b"")
    # Not even a valid one. An unsigned request is refused as before, and one of a crawler that need not sign passes.
    assert send("8.8.8.8", SIGNER) == reply
    assert (unsigned := send("8.8.8.8", None)) is not None
    assert unsigned.status == 403
    # Those of all addresses take at most 0.2 s at once. An address with a valid signature is exempt.
    assert statuses("9.9.9.9", 3) == [403, 403, 503]
    assert send("8.8.4.4", SIGNER) is None
    assert send("7.7.7.7", SIGNER) is not None
    # A tenth of the time is for them.
    seconds += 0.6
    assert statuses("9.9.8.8", 2) == [403, 503]
    seconds += 20.0
    assert send("8.8.8.8", SIGNER) is None
    assert keys.requests == 1
    assert site.stats.signatures == {
        "verified": 3, "bad-signature": 6, "too-many-failures": 5, "overloaded": 3, "absent": 1
    }  # fmt: skip
    assert (site.stats.impostors, site.stats.unchecked) == ({"Googlebot": 7}, {"Googlebot": 8})
    assert site.stats.crawler_requests == 18
    assert caplog.text.count(" 8.8.8.8 was not checked as Googlebot: too many invalid signatures came from this") == 5
    # If impostors are not blocked, they are only counted.
    open_site = enforced(trusted_proxies=["10.0.0.1"], **{**options, "block_impostors": False})
    for _ in range(5):
        assert send("6.6.6.6", site=open_site) is None
    assert (open_site.stats.impostors, open_site.stats.unchecked) == ({"Googlebot": 5}, {})
    assert open_site.stats.signatures["too-many-failures"] == 2


def test_only_paths_with_several_readings_are_compared_more_than_once() -> None:
    fields = {"user-agent": GOOGLEBOT}
    plain = request("/a/b.html", headers=fields, target=b"/a/b.html?q=%2F//")
    assert list(_urls(plain)) == [b"http://host/a/b.html?q=%2F//"]
    for changed in (
        {"target": b"/a//b.html"},
        {"target": b"/a/b%2ehtml"},
        {"target": b"/a/b.html?"},
        {"target": b"/a/b.html?#"},
        {"path": "/a/c.html"},
        {"path": "/a/b.html\n"},
        {"prefix": "/a"},
        {"prefix": "/p"},
    ):
        assert len(list(_urls(plain._replace(**changed)))) > 1, changed
