"""Verification of signed requests, with directories on a TLS server on loopback, and as evidence for crawlers."""

import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from tests.identity.signers import NOW, Signer
from tests.servers.certificates import Authority
from tests.servers.valid import respond
from tests.servers.web import Exchange, Site, resolve_all_to

from canfetch.agents import REGISTRY, Crawler
from canfetch.agents.address_lists import AddressList, AddressLists, AddressRanges
from canfetch.agents.identity import IdentityStatus, SignatureCheck, SignatureReason, SignatureStatus
from canfetch.client.identity import IdentityVerifier, SignatureVerifier, SignedRequest
from canfetch.client.transports.http_transport import HTTPTransport
from canfetch.errors import InvalidOption

GOOD, EVIL = Signer(), Signer()
REAL, FAKE = "20.171.206.1", "8.8.8.8"


def crawler(name: str) -> Crawler:
    found = REGISTRY.get_crawler(name)
    assert found is not None
    return found


GPTBOT = crawler("GPTBot")
LISTS = AddressLists(
    {url: AddressList(AddressRanges(("20.171.206.0/24",)), NOW) for url in GPTBOT.verification.address_lists}
)


class Directories:
    """The directories of a good signer and of others, on one server with several names."""

    def __init__(self, site: Site, authority: Authority) -> None:
        self.site = site
        self._authority = authority
        self.good = f"https://good.site.test:{site.port}/keys"
        self.evil = f"https://evil.site.test:{site.port}/evil"
        site.serve("/keys", key_set(GOOD))
        site.serve("/evil", key_set(EVIL, GOOD))

    def verifier(self, **options: Any) -> SignatureVerifier:
        transport = HTTPTransport(
            ssl_context=self._authority.client(), resolve=resolve_all_to("127.0.0.1"), trust_env=False
        )
        # Long enough for a slow machine: nothing here waits for it.
        settings = {
            "hosts": ["example.com"],
            "directories": {"GPTBot": self.good},
            "transport": transport,
            "allow_private": True,
            "clock": lambda: NOW + 1.0,
            "timeout": 60.0,
            "fetch_timeout": 60.0,
        }
        return SignatureVerifier(**{**settings, **options})

    def request(
        self, signer: Signer = GOOD, url: str | None = None, *, host: str = "example.com", **changed: Any
    ) -> SignedRequest:
        agent = f'sig1="{url or self.good}"'
        return request(signer.headers(agent=agent, host=host, **changed), host=host)


def key_set(*signers: Signer) -> Any:
    return respond(json.dumps({"keys": [signer.jwk for signer in signers]}).encode())


def request(headers: list[tuple[str, str]], *, host: str = "example.com") -> SignedRequest:
    return SignedRequest.from_url("GET", f"https://{host}/a", headers)


@pytest.fixture(scope="module")
def shared(authority: Authority) -> Iterator[Site]:
    with Site(tls=authority.good()) as running:
        yield running


@pytest.fixture
def directories(shared: Site, authority: Authority) -> Directories:
    shared.requests.clear()
    return Directories(shared, authority)


Verify = Callable[..., SignatureCheck]


@pytest.fixture(params=["sync", "async"])
def verify(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Return a function that calls `verify` or `verify_async` of a verifier."""
    if request.param == "sync":
        return lambda verifier, *arguments, **options: verifier.verify(*arguments, **options)
    return lambda verifier, *arguments, **options: asyncio.run(verifier.verify_async(*arguments, **options))


def test_a_key_that_cannot_be_used_has_a_reason(directories: Directories) -> None:
    directories.site.serve("/unusable", respond(json.dumps({"keys": [{**GOOD.jwk, "use": "enc"}]}).encode()))
    url = f"https://good.site.test:{directories.site.port}/unusable"
    found = directories.verifier().verify(directories.request(url=url))
    assert (found.reason, found.detail) == (
        SignatureReason.KEY_UNKNOWN,
        "the key in the directory cannot be used: its use is 'enc', not 'sig'",
    )


def test_a_directory_that_its_keys_have_not_signed(directories: Directories, verify: Verify) -> None:
    verifier = directories.verifier(require_possession=True)
    found = verify(verifier, directories.request(), crawler=GPTBOT)
    detail = "the key in the directory cannot be used: it has no valid possession proof"
    assert (found.status, found.reason, found.detail) == (
        SignatureStatus.UNVERIFIED,
        SignatureReason.KEY_UNKNOWN,
        detail,
    )


def test_a_signature_is_verified_with_the_key_of_its_directory(directories: Directories, verify: Verify) -> None:
    verifier = directories.verifier()
    for crawler in (None, GPTBOT, GPTBOT):
        found = verify(verifier, directories.request(), crawler=crawler)
        assert found.is_valid
        assert (found.url, found.key_id) == (directories.good, GOOD.key_id)
        assert found.detail == f"signed by the key {GOOD.key_id} of {directories.good}"
    assert len(directories.site.requests) == 1
    assert verify(verifier, request([])).reason is SignatureReason.ABSENT


def test_what_a_signature_does_not_prove(directories: Directories, verify: Verify) -> None:
    # The name, if two crawlers have one directory; the path, if it is not covered; that no other process has seen it.
    shared = {"GPTBot": directories.good, "ClaudeBot": directories.good}
    signed = directories.request(nonce="n")
    for name, target in (("GPTBot", "/a"), ("ClaudeBot", "/other")):
        verifier = directories.verifier(directories=shared, reject_replays=True)
        assert verify(verifier, signed._replace(target=target), crawler=crawler(name)).is_valid
        # The other crawler shares the memory of the directory.
        for again in shared:
            assert verify(verifier, signed, crawler=crawler(again)).reason is SignatureReason.REPLAYED


@pytest.mark.slow
def test_one_who_signs_for_another(directories: Directories, verify: Verify) -> None:
    verifier = directories.verifier()
    # With another key, and with another key under the name of the right one.
    assert verify(verifier, directories.request(EVIL)).reason is SignatureReason.KEY_UNKNOWN
    assert verify(verifier, directories.request(EVIL, keyid=GOOD.key_id)).reason is SignatureReason.BAD_SIGNATURE
    # Keys are looked up by directory and key: that the verifier knows the key from another one does not matter.
    assert verify(verifier, directories.request(EVIL, directories.evil)).is_valid
    assert verify(verifier, directories.request(EVIL)).reason is SignatureReason.KEY_UNKNOWN
    # A directory with the public key of another signer cannot claim its requests.
    captured = GOOD.headers(agent=f'sig1="{directories.good}"')
    claimed = [(name, value.replace(directories.good, directories.evil)) for name, value in captured]
    assert verify(verifier, request(claimed)).reason is SignatureReason.BAD_SIGNATURE
    assert verify(verifier, request(captured)).is_valid


@pytest.mark.parametrize("end", ["/keys?echo", "?", "?echo", "/keys#echo", "#echo"])
def test_a_directory_that_only_the_request_names_has_no_query(
    directories: Directories, verify: Verify, end: str
) -> None:
    url = f"https://evil.site.test:{directories.site.port}{end}"
    found = verify(directories.verifier(), directories.request(EVIL, url))
    assert found.status is SignatureStatus.INVALID
    assert found.reason is SignatureReason.AGENT_INVALID_URL
    assert re.search("expected .* without (a query|user information and fragment)", found.detail)
    assert not directories.site.requests


def test_the_query_of_a_directory_that_the_site_names(directories: Directories, verify: Verify) -> None:
    directories.site.serve("/keys?v=1", key_set(GOOD))
    verifier = directories.verifier(directories={"GPTBot": f"{directories.good}?v=1"})
    for crawler in (None, GPTBOT):
        assert verify(verifier, directories.request(url=f"{directories.good}?v=1"), crawler=crawler).is_valid
    # Another query chooses no other keys.
    assert verify(verifier, directories.request(url=f"{directories.good}?v=2"), crawler=GPTBOT).is_valid
    assert {request.target for request in directories.site.requests} == {"/keys?v=1"}


def test_a_valid_signature_of_another_directory_is_not_that_of_the_crawler(
    directories: Directories, verify: Verify
) -> None:
    verifier = directories.verifier()
    assert not verifier.directories_of(crawler("ClaudeBot"))
    found = verify(verifier, directories.request(EVIL, directories.evil), crawler=GPTBOT)
    assert found.reason is SignatureReason.OTHER_DIRECTORY
    assert not directories.site.requests
    # A query does not choose the keys.
    directories.site.serve("/keys?of=evil", key_set(EVIL))
    found = verify(verifier, directories.request(EVIL, f"{directories.good}?of=evil"), crawler=GPTBOT)
    assert found.reason is SignatureReason.KEY_UNKNOWN
    assert [one.target for one in directories.site.requests] == ["/keys"]


def two_signatures(
    directories: Directories, second: Signer, *, first_nonce: str | None = None, **changed: Any
) -> SignedRequest:
    """Return a request with a valid signature of the evil signer, and one that claims the good directory."""
    first = EVIL.headers(
        {'"@authority"': "example.com", '"signature-agent";key="a"': f'"{directories.evil}"'},
        label="a",
        agent=f'a="{directories.evil}"',
        nonce=first_nonce,
    )
    return request([*first, *second.headers(agent=f'sig1="{directories.good}"', **changed)])


def test_two_signatures_of_which_one_claims_another_directory(directories: Directories, verify: Verify) -> None:
    verifier = directories.verifier()
    forged = two_signatures(directories, EVIL)
    assert verify(verifier, forged).url == directories.evil
    assert not verify(verifier, forged, crawler=GPTBOT).is_valid
    directories.site.serve("/keys", respond(b"", status=503))
    # An outage says more than the signature of a stranger before it.
    found = verify(directories.verifier(), forged, crawler=GPTBOT)
    assert (found.url, found.reason) == (directories.good, SignatureReason.DIRECTORY_UNAVAILABLE)
    directories.site.serve("/keys", key_set(GOOD))
    both = two_signatures(directories, GOOD)
    found = verify(verifier, both, crawler=GPTBOT)
    assert (found.is_valid, found.url) == (True, directories.good)


@pytest.mark.slow
def test_a_signature_for_another_host(directories: Directories, verify: Verify) -> None:
    # A site that receives a signature sends it on, with its own host.
    captured = directories.request(host="other.example")
    assert verify(directories.verifier(), captured, crawler=GPTBOT).reason is SignatureReason.OTHER_HOST
    assert verify(directories.verifier(hosts=None), captured, crawler=GPTBOT).is_valid
    assert verify(directories.verifier(hosts=["x", "Other.example:444"]), captured).reason is SignatureReason.OTHER_HOST
    with_port = directories.request(host="example.com:8443")
    for hosts in (["example.com"], ["EXAMPLE.com:8443"]):
        assert verify(directories.verifier(hosts=hosts), with_port).is_valid
    assert verify(directories.verifier(hosts=["example.com:8444"]), with_port).reason is SignatureReason.OTHER_HOST
    for host in ("example.com", "example.com."):
        assert verify(directories.verifier(hosts=["example.com."]), directories.request(host=host)).is_valid
        assert verify(directories.verifier(hosts=["example.com"]), directories.request(host=host)).is_valid


@pytest.mark.parametrize("port", [80, 443])
def test_a_host_has_no_port_that_clients_do_not_send(port: int) -> None:
    message = f"invalid host 'www.example.com:{port}': browsers and crawlers do not send a default port; write it"
    with pytest.raises(InvalidOption, match=message):
        SignatureVerifier(hosts=["example.com", f"www.example.com:{port}"])


@pytest.mark.parametrize("host", ["example.com..", "a..example", "*.example", "https://example.com", ""])
def test_hosts_that_no_request_has_are_invalid(host: str) -> None:
    with pytest.raises(InvalidOption, match=r"^invalid host .*: expected a name such as 'example\.com'$"):
        SignatureVerifier(hosts=[host])


def test_replays(directories: Directories, verify: Verify) -> None:
    verifier = directories.verifier(reject_replays=True)
    assert verify(verifier, directories.request()).reason is SignatureReason.NONCE_MISSING
    assert verify(verifier, directories.request(nonce="")).reason is SignatureReason.NONCE_MISSING
    for nonce in ("a", "b"):
        signed = directories.request(nonce=nonce)
        # A forged signature does not use up the nonce.
        assert verify(verifier, directories.request(EVIL, nonce=nonce, keyid=GOOD.key_id)).reason == "bad-signature"
        assert verify(verifier, signed).is_valid
        assert verify(verifier, signed).reason is SignatureReason.REPLAYED
    assert verify(verifier, directories.request(EVIL, directories.evil, nonce="a")).is_valid
    # Whoever asks, for a crawler or for any signer.
    for nonce, crawlers in (("c", (GPTBOT, None, GPTBOT)), ("d", (None, GPTBOT, None))):
        both, signed = directories.verifier(reject_replays=True), directories.request(nonce=nonce)
        assert [verify(both, signed, crawler=crawler).reason.value for crawler in crawlers] == [
            "verified",
            "replayed",
            "replayed",
        ]
    small = directories.verifier(reject_replays=True, max_nonces=1)
    assert verify(small, directories.request(nonce="a")).is_valid
    assert verify(small, directories.request(nonce="b", created=NOW + 1)).is_valid
    assert verify(small, directories.request(nonce="a")).reason is SignatureReason.REPLAY_UNKNOWN


def test_replays_of_a_request_with_two_signatures_of_a_signer(directories: Directories, verify: Verify) -> None:
    second = Signer()
    agent = f'sig1="{directories.good}"'
    times: list[float] = []

    def fields(signer: Signer, label: str, nonce: str) -> list[tuple[str, str]]:
        return signer.headers(agent=agent, label=label, nonce=nonce)

    for nonces in (("n", "n"), ("a", "b")):
        directories.site.serve("/keys", key_set(GOOD, second))
        first, further = fields(GOOD, "sig1", nonces[0]), fields(second, "sig2", nonces[1])
        both = request([*first, *further[1:]])
        parts = (both, request([*further, *first[1:]]), request(first), request(further))
        for crawler in (GPTBOT, None):
            verifier = directories.verifier(reject_replays=True)
            assert verify(verifier, both, crawler=crawler).is_valid
            for again in parts:
                for asked in (GPTBOT, None):
                    assert verify(verifier, again, crawler=asked).reason is SignatureReason.REPLAYED
            # Without an accepted request, no nonce is used up.
            verifier = directories.verifier(reject_replays=True)
            assert verify(verifier, request(first), crawler=crawler).is_valid
            assert verify(verifier, both, crawler=crawler).key_id == second.key_id
            assert verify(verifier, both, crawler=crawler).reason is SignatureReason.REPLAYED
        # The directory lacks the second key for now.
        verifier = directories.verifier(reject_replays=True, clock=lambda: times[-1])
        times.append(NOW + 1.0)
        directories.site.serve("/keys", key_set(GOOD))
        assert verify(verifier, both, crawler=GPTBOT).is_valid
        assert verify(verifier, request(further), crawler=GPTBOT).reason is SignatureReason.KEY_UNKNOWN
        directories.site.serve("/keys", key_set(GOOD, second))
        times.append(NOW + 63.0)
        assert verify(verifier, request(further), crawler=GPTBOT).reason is SignatureReason.REPLAYED
    directories.site.serve("/keys", key_set(GOOD))


def test_replays_of_a_request_with_signatures_of_two_signers(directories: Directories, verify: Verify) -> None:
    both = two_signatures(directories, GOOD, nonce="n", first_nonce="m")
    claude = crawler("ClaudeBot")
    names = {"GPTBot": directories.good, "ClaudeBot": directories.evil}
    for crawlers in ((GPTBOT, claude), (claude, GPTBOT), (None, GPTBOT), (None, claude), (GPTBOT, None)):
        verifier = directories.verifier(reject_replays=True, directories=names)
        found = [verify(verifier, both, crawler=crawler).reason for crawler in (*crawlers, *crawlers)]
        assert found == ["verified", "replayed", "replayed", "replayed"]
    # A second signature that is forged uses up nothing, and under the name of a crawler fetches nothing.
    verifier = directories.verifier(reject_replays=True)
    directories.site.requests.clear()
    assert verify(verifier, two_signatures(directories, GOOD, nonce="n"), crawler=GPTBOT).is_valid
    assert [one.target for one in directories.site.requests] == ["/keys"]
    forged = two_signatures(directories, EVIL, nonce="o", keyid=GOOD.key_id, first_nonce="o")
    assert verify(verifier, forged).url == directories.evil
    assert verify(verifier, directories.request(nonce="o")).is_valid


def test_test_keys_are_refused(directories: Directories, verify: Verify) -> None:
    signed = directories.request(keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U")
    assert verify(directories.verifier(), signed).reason is SignatureReason.TEST_KEY
    assert not directories.site.requests


def test_nothing_is_fetched_for_a_signature_that_the_profile_excludes(directories: Directories, verify: Verify) -> None:
    verifier = directories.verifier()
    for signed in (
        directories.request(expires=NOW - 10),
        directories.request(created=NOW + 100),
        directories.request(expires=None),
        directories.request(url=directories.good.replace("https", "http")),
        request(GOOD.headers({'"signature-agent";key="sig1"': "x"}, agent=f'sig1="{directories.good}"')),
    ):
        assert not verify(verifier, signed).is_valid
    assert not directories.site.requests


def test_a_directory_whose_certificate_is_for_another_host(directories: Directories, verify: Verify) -> None:
    signed = directories.request(url="https://other.example:" + str(directories.site.port) + "/keys")
    found = verify(directories.verifier(), signed)
    assert found.reason is SignatureReason.DIRECTORY_UNAVAILABLE
    assert "certificate" in found.detail


def test_a_directory_on_a_private_address(directories: Directories, verify: Verify) -> None:
    found = verify(directories.verifier(allow_private=False), directories.request())
    assert found.reason is SignatureReason.DIRECTORY_UNAVAILABLE
    assert "not public" in found.detail
    assert not directories.site.requests


def test_a_slow_directory_delays_a_request_for_a_limited_time(directories: Directories, verify: Verify) -> None:
    opened = threading.Event()

    async def slow(exchange: Exchange) -> None:
        await asyncio.to_thread(opened.wait)
        await key_set(GOOD)(exchange)

    directories.site.serve("/keys", slow)
    verifier = directories.verifier(timeout=0.01)
    try:
        found = verify(verifier, directories.request())
        # The next one does not wait at all.
        reasons = [found.reason, verify(verifier, directories.request()).reason]
        assert reasons == [SignatureReason.DIRECTORY_PENDING] * 2
    finally:
        opened.set()


def test_the_event_loop_is_not_blocked(directories: Directories) -> None:
    opened = threading.Event()

    async def slow(exchange: Exchange) -> None:
        await asyncio.to_thread(opened.wait)
        await key_set(GOOD)(exchange)

    async def main() -> SignatureCheck:
        verification = asyncio.create_task(directories.verifier().verify_async(directories.request()))
        # The directory answers only after this runs, which it can only while the verification waits.
        asyncio.get_running_loop().call_soon(opened.set)
        return await verification

    directories.site.serve("/keys", slow)
    assert asyncio.run(main()).is_valid


def test_the_registry_has_directories_of_operators() -> None:
    verifier = SignatureVerifier(hosts=None)
    (directory,) = verifier.directories_of(crawler("Google-Agent"))
    assert directory.identifier == "https://agent.bot.goog/.well-known/http-message-signatures-directory"
    assert "signed with a key" in str(crawler("Google-Agent").verification)
    assert verifier.directories_of(GPTBOT) == ()
    # The site replaces them, by names without case, and in any form of the URL.
    verifier = SignatureVerifier(hosts=None, directories={"google-agent": ["https://A.example"], "gptbot": []})
    (directory,) = verifier.directories_of(crawler("Google-Agent"))
    assert directory.identifier == "https://a.example/.well-known/http-message-signatures-directory"


@pytest.mark.parametrize(
    "options",
    [
        {"hosts": "example.com"},
        {"hosts": ["https://example.com"]},
        {"hosts": ["example.com/a"]},
        {"hosts": [5]},
        {"directories": {"GPTBot": "http://example.com/"}},
        {"directories": {"GPTBot": ["https://u@example.com/"]}},
        {"clock_skew": -1},
        {"clock_skew": True},
        {"max_lifetime": 0},
        {"timeout": 0},
        {"max_nonces": 0},
        {"clock": 5},
    ],
)
def test_invalid_options(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption):
        SignatureVerifier(**{"hosts": None, **options})
    with pytest.raises(InvalidOption):
        IdentityVerifier(signatures=5)  # type: ignore[arg-type]  # the mistake of the test


@pytest.mark.parametrize(
    "signature, address, statuses",
    [
        ("valid", REAL, ("verified", "verified")),
        ("valid", FAKE, ("verified", "verified")),
        ("absent", REAL, ("verified", "impostor")),
        ("absent", FAKE, ("impostor", "impostor")),
        ("invalid", REAL, ("verified", "impostor")),
        ("invalid", FAKE, ("impostor", "impostor")),
        ("unknown key", REAL, ("verified", "impostor")),
        ("other directory", REAL, ("verified", "impostor")),
        ("other directory", FAKE, ("impostor", "impostor")),
        ("unavailable", REAL, ("verified", "undecided")),
        ("unavailable", FAKE, ("impostor", "undecided")),
        ("no agent", REAL, ("verified", "impostor")),
    ],
)
def test_which_evidence_wins(
    directories: Directories,
    verify: Callable[..., Any],
    signature: str,
    address: str,
    statuses: tuple[str, str],
) -> None:
    make: dict[str, Callable[[], SignedRequest]] = {
        "valid": directories.request,
        "absent": partial(request, []),
        "invalid": partial(directories.request, EVIL, keyid=GOOD.key_id),
        "unknown key": partial(directories.request, EVIL),
        "other directory": partial(directories.request, EVIL, directories.evil),
        "unavailable": directories.request,
        "no agent": partial(request, GOOD.headers(agent=None)),
    }
    claudebot = crawler("ClaudeBot")
    if signature == "unavailable":
        directories.site.serve("/keys", respond(b"", status=503))
    signed = make[signature]()
    verifier = IdentityVerifier(
        address_lists=LISTS, dns=False, signatures=directories.verifier(), clock=lambda: float(NOW)
    )
    for required, expected in zip((False, True), statuses, strict=True):
        found = verify(verifier, GPTBOT, address, request=signed, require_signature=required)
        assert found.status == expected
        assert found.signature is not None
        if required and found.status is not IdentityStatus.VERIFIED:
            assert found.reason.startswith("a signature is required: ")
        # Without a request, only the address counts, unless a signature is required.
        # A crawler without a directory has no signatures.
        assert verify(verifier, claudebot, address, request=signed).signature is None
        plain = verify(verifier, GPTBOT, address, require_signature=required)
        assert plain.status == ("impostor" if required or address == FAKE else "verified")


def test_invalid_signatures_of_a_peer_beyond_the_limit_are_not_checked(
    directories: Directories, verify: Verify
) -> None:
    verifier = directories.verifier(max_failures_per_minute=2, monotonic=lambda: 5.0)
    wrong = directories.request(EVIL, keyid=GOOD.key_id)
    found = [verify(verifier, wrong, crawler=GPTBOT, peer=FAKE) for _ in range(3)]
    assert [one.reason for one in found] == ["bad-signature", "bad-signature", "too-many-failures"]
    assert verify(verifier, directories.request(), peer=FAKE).status == "not-checked"
    # Other peers, requests without an address and recorded requests.
    assert verify(verifier, directories.request(), peer=REAL).is_valid
    assert verify(verifier, directories.request()).is_valid
    assert verify(verifier, directories.request(), peer=FAKE, at=NOW).is_valid
    assert len(directories.site.requests) == 1
    identity = IdentityVerifier(address_lists=LISTS, dns=False, signatures=verifier, clock=lambda: float(NOW))
    statuses = [
        identity.verify(GPTBOT, FAKE, request=directories.request(), require_signature=required).status
        for required in (False, True)
    ]
    assert statuses == ["impostor", "impostor"]
    assert identity.verify_recorded(directories.request(), GPTBOT, FAKE).status == "verified"


def test_only_signatures_of_a_given_crawler_raise_the_limits_of_a_peer(
    directories: Directories, verify: Verify
) -> None:
    wrong = directories.request(EVIL, keyid=GOOD.key_id)
    for known, examined in ((None, 2), (GPTBOT, 20)):
        verifier = directories.verifier(max_failures_per_minute=2, monotonic=lambda: 5.0)
        assert verify(verifier, directories.request(), crawler=known, peer=FAKE).is_valid
        found = [verify(verifier, wrong, crawler=GPTBOT, peer=FAKE).reason for _ in range(examined + 1)]
        assert found == ["bad-signature"] * examined + ["too-many-failures"]


@pytest.mark.parametrize(
    "options",
    [{"max_failures_per_minute": 0}, {"max_failure_time": 0}, {"max_failure_time": float("nan")}, {"monotonic": 1}],
)
def test_invalid_limits(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption, match=f"invalid {next(iter(options))}"):
        SignatureVerifier(hosts=None, **options)
