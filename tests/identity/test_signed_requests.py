"""Signed requests: the profile, each way to break it, and signatures of other implementations."""

import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from tests.identity.signers import AGENT_URL, NOW, PrivateKey, Signer

from canfetch.agents.identity import SignatureCheck, SignatureReason, SignatureStatus, SignedRequest
from canfetch.client.identity import message_signatures
from canfetch.client.identity.directory_urls import DirectoryURL, NotHTTPS, parse_directory_url
from canfetch.client.identity.keys import parse_key, parse_key_set
from canfetch.client.identity.message_signatures import load_library
from canfetch.client.identity.signed_requests import SignatureClaim, find_claims, verify_claim
from canfetch.errors import InvalidURL

SIGNER = Signer()
MEMBER = '"signature-agent";key="sig1"'
AUTHORITY = '"@authority"'
# The URL as it is sent, quoted.
AGENT = f'"{AGENT_URL}"'
URL = "https://example.com/a%20b?q=1&r[]=%zz"
DIGEST = f"sha-256=:{'A' * 43}=:"


def check(
    headers: Sequence[tuple[str, str]],
    *,
    url: str = URL,
    method: str = "GET",
    signer: Signer = SIGNER,
    now: float = NOW + 1,
    **options: Any,
) -> SignatureCheck:
    """Return the result for the only signature of a request."""
    return check_request(SignedRequest.from_url(method, url, headers), signer=signer, now=now, **options)


def check_request(request: SignedRequest, *, signer: Signer, now: float, **options: Any) -> SignatureCheck:
    (found,) = find_claims(request, now=now, **options)
    if isinstance(found, SignatureCheck):
        return found
    return verify_claim(found, parse_key(signer.jwk), now=now, clock_skew=5.0)


def reason(headers: Sequence[tuple[str, str]], **options: Any) -> str:
    found = check(headers, **options)
    assert found.status is not SignatureStatus.VALID
    assert found.detail
    assert found.detail.isprintable()
    return f"{found.status}: {found.reason}"


@pytest.mark.parametrize(
    "new_key",
    [
        ed25519.Ed25519PrivateKey.generate,
        partial(ec.generate_private_key, ec.SECP256R1()),
        pytest.param(partial(rsa.generate_private_key, 65537, 2048), marks=pytest.mark.slow),
    ],
)
def test_signatures_of_each_algorithm(new_key: Callable[[], PrivateKey]) -> None:
    signer = Signer(new_key())
    algorithm = str(parse_key(signer.jwk).algorithm)
    for alg in (None, algorithm):
        found = check(signer.headers(alg=alg, nonce="n"), signer=signer)
        assert found == SignatureCheck(
            SignatureStatus.VALID,
            SignatureReason.VERIFIED,
            f"signed by the key {signer.key_id} of {AGENT_URL}",
            AGENT_URL,
            signer.key_id,
            components=("@authority", 'signature-agent;key="sig1"'),
        )
        assert found.is_valid
    assert reason(signer.headers(), signer=SIGNER) == "invalid: key-unknown"
    other = "ed25519" if algorithm != "ed25519" else "rsa-pss-sha512"
    assert reason(signer.headers(alg=other), signer=signer) == "invalid: algorithm-mismatch"


@pytest.mark.parametrize(
    "component, value",
    [
        ('"@method"', "GET"),
        ('"@scheme"', "https"),
        ('"@path"', "/a%20b"),
        ('"@query"', "?q=1&r[]=%zz"),
        ('"@query-param";name="q"', "1"),
        ('"@query-param";name="r%5B%5D"', "%25zz"),
        ('"@target-uri"', URL),
        ('"@request-target"', "/a%20b?q=1&r[]=%zz"),
        ('"accept"', "text/html, */*"),
        ('"priority";key="u"', "1"),
        ('"signature-agent";key="other"', '"https://other.example"'),
        ('"content-digest"', DIGEST),
    ],
)
def test_further_components(component: str, value: str) -> None:
    agent = f'sig1="{AGENT_URL}", other="https://other.example"'
    headers = SIGNER.headers({AUTHORITY: "example.com", MEMBER: AGENT, component: value}, agent=agent)
    fields = [
        ("Accept", "text/html"),
        ("ACCEPT", " */*"),
        ("Priority", "u=1"),
        ("Content-Digest", DIGEST),
        *headers,
    ]
    found = check(fields)
    assert found.is_valid, found.detail
    assert found.covers_body == (component == '"content-digest"')
    # Any other value is noticed.
    changed = [(name, text.replace("text/html", "text/plain").replace("u=1", "u=2")) for name, text in fields]
    changed = [
        (name, text.replace("AAAA", "BBBB").replace("other.example", "another.example")) for name, text in changed
    ]
    assert reason(changed, url="http://example.com/?q=2&r[]=", method="POST") == "invalid: bad-signature"


def test_targets_are_compared_as_sent() -> None:
    # None of these characters may be in a URL, and crawlers send all of them.
    covered = {
        AUTHORITY: "example.com",
        MEMBER: AGENT,
        '"@path"': "/a[b]|%zz",
        '"@query"': '?c[]={"d"}',
        '"@target-uri"': 'https://example.com/a[b]|%zz?c[]={"d"}',
    }
    assert check(SIGNER.headers(covered), url='https://example.com/a[b]|%zz?c[]={"d"}').is_valid
    assert reason(SIGNER.headers(covered), url='https://example.com/a%5Bb%5D|%zz?c[]={"d"}') == "invalid: bad-signature"


def test_the_target_uri_replaces_the_authority() -> None:
    headers = SIGNER.headers({'"@target-uri"': "https://example.com/", MEMBER: AGENT})
    assert check(headers, url="https://EXAMPLE.com:443").is_valid
    assert check(headers, url="https://example.com/").is_valid
    assert reason(headers, url="https://example.com/?") == "invalid: bad-signature"


def test_methods_with_lower_case_letters() -> None:
    for covered in ({}, {'"@method"': "get"}, {'"@target-uri"': URL}):
        headers = SIGNER.headers({AUTHORITY: "example.com", MEMBER: AGENT, **covered})
        assert check(headers, method="get").is_valid
    # Methods are compared with their case.
    headers = SIGNER.headers({AUTHORITY: "example.com", MEMBER: AGENT, '"@method"': "GET"})
    assert reason(headers, method="get") == "invalid: bad-signature"
    assert reason(headers, method="\ud800") == "invalid: bad-signature"


@pytest.mark.parametrize(
    "url", ["https://Example.COM:443/x", "https://example.com", "http://example.com:80?x=y z\u00e4"]
)
def test_the_authority_is_normalised(url: str) -> None:
    assert check(SIGNER.headers(), url=url).is_valid


@pytest.mark.parametrize(
    "url",
    [
        "https://www.example.com/",
        "https://example.com:8443/",
        "https://example.com.evil.example/",
        "https://example.net",
    ],
)
def test_a_signature_for_another_host_is_invalid(url: str) -> None:
    assert reason(SIGNER.headers(), url=url) == "invalid: bad-signature"


@pytest.mark.parametrize(
    "target",
    [
        ".evil.example/fish",
        ".evil.example",
        "@evil.example/x",
        "-evil.example/",
        ":8443/x",
        "x/y",
        "\\fish",
        "*",
        "#x",
        "https://example.com#@evil.example/",
        "https://example.com\\fish",
        "https://evil.example/fish",
        "https://example.com:8443/fish",
        "https://me@example.com/fish",
        "https:///fish",
    ],
)
@pytest.mark.parametrize("covered", ["@target-uri", "@authority", "@request-target"])
def test_a_target_that_makes_a_url_of_another_host(target: str, covered: str) -> None:
    values = {"@target-uri": f"https://example.com{target}", "@authority": "example.com", "@request-target": target}
    parts = {f'"{covered}"': values[covered], '"@authority"': "example.com", MEMBER: AGENT}
    if covered == "@target-uri":
        del parts['"@authority"']
    fields = {name.lower(): value for name, value in SIGNER.headers(parts)}
    request = SignedRequest("GET", "https", "example.com", target, fields.get)
    (found,) = find_claims(request, now=NOW)
    assert isinstance(found, SignatureCheck)
    assert (found.status, found.reason) == (SignatureStatus.INVALID, SignatureReason.OTHER_HOST)


@pytest.mark.parametrize(
    "host, target, path",
    [
        ("example.com", "", "/"),
        ("example.com", "?q", "/?q"),
        ("example.com", "//evil.example/", "//evil.example/"),
        ("example.com", "/x:y@z", "/x:y@z"),
        ("example.com", "https://example.com", "/"),
        ("EXAMPLE.com:443", "https://example.COM?q", "/?q"),
        ("example.com", "HTTPS://example.com:443/fish", "/fish"),
    ],
)
def test_targets_of_the_host(host: str, target: str, path: str) -> None:
    fields = {
        name.lower(): value
        for name, value in SIGNER.headers({'"@target-uri"': f"https://example.com{path}", MEMBER: AGENT})
    }
    assert check_request(SignedRequest("GET", "https", host, target, fields.get), signer=SIGNER, now=NOW).is_valid


def test_the_legacy_form_of_the_agent() -> None:
    covered = {AUTHORITY: "example.com", '"signature-agent"': '"https://chatgpt.example"'}
    headers = SIGNER.headers(covered, agent='"https://chatgpt.example"')
    found = check(headers)
    assert found.is_valid
    assert found.url == "https://chatgpt.example/.well-known/http-message-signatures-directory"


def test_names_of_headers_have_no_case_and_no_order() -> None:
    headers = [(name.upper(), value) for name, value in reversed(SIGNER.headers())]
    assert check(headers).is_valid
    assert check([(name.lower(), f" {value}\t") for name, value in headers]).is_valid


def test_an_intermediary_may_change_the_label() -> None:
    headers = [
        (name, value if name == "Signature-Agent" else value.replace("sig1=", "relabelled=", 1))
        for name, value in SIGNER.headers()
    ]
    assert check(headers).is_valid


def test_requests_without_web_bot_auth_are_unsigned() -> None:
    for headers in ([], [("Signature", "x")]):
        assert not find_claims(SignedRequest.from_url("GET", URL, headers), now=NOW)
    for tag in ("other", None):
        (found,) = find_claims(SignedRequest.from_url("GET", URL, SIGNER.headers(tag=tag)), now=NOW)
        assert isinstance(found, SignatureCheck)
        assert (found.status, found.detail) == (SignatureStatus.ABSENT, "no signature has the tag web-bot-auth")


def test_lines_of_the_fields_are_joined() -> None:
    other = Signer()
    second = other.headers(
        {AUTHORITY: "example.com", '"signature-agent";key="b"': '"https://b.example/keys"'},
        label="b",
        agent='b="https://b.example/keys"',
    )
    for headers in ([*SIGNER.headers(), *second], [*second, *SIGNER.headers()]):
        request = SignedRequest.from_url("GET", URL, headers)
        claims = {found.key_id: found for found in find_claims(request, now=NOW)}
        for signer, url in ((SIGNER, AGENT_URL), (other, "https://b.example/keys")):
            claim = claims[signer.key_id]
            assert isinstance(claim, SignatureClaim)
            assert claim.directory.identifier == url
            assert verify_claim(claim, parse_key(signer.jwk), now=NOW, clock_skew=0.0).is_valid


def test_lines_of_cookies_are_joined_with_semicolons() -> None:
    covered = {AUTHORITY: "example.com", MEMBER: AGENT, '"cookie"': "a=1; b=2"}
    assert check([*SIGNER.headers(covered), ("Cookie", "a=1"), ("cookie", " b=2")]).is_valid
    assert not check([*SIGNER.headers(covered), ("Cookie", "a=1"), ("Cookie", "b=3")]).is_valid


def test_another_invalid_signature_changes_nothing() -> None:
    headers = [
        (name, value if name == "Signature-Agent" else f"{value}, {addition}")
        for (name, value), addition in zip(SIGNER.headers(), ("", '(b "x");tag="web-bot-auth"', ":AAAA:"), strict=True)
    ]
    # Tokens instead of texts, and no label, make both fields invalid. A label of another protocol does not.
    assert reason(headers) == "invalid: signature-input-unreadable"
    headers = [(name, value.replace('(b "x");tag', 'x=("@status");tag')) for name, value in headers]
    headers = [(name, value.replace(":AAAA:", "y=:AAAA:")) for name, value in headers]
    found = find_claims(SignedRequest.from_url("GET", URL, headers), now=NOW)
    assert isinstance(found[0], SignatureClaim)
    assert verify_claim(found[0], parse_key(SIGNER.jwk), now=NOW, clock_skew=0.0).is_valid
    assert isinstance(found[1], SignatureCheck)


@pytest.mark.parametrize("name", ["created", "expires", "keyid"])
def test_required_parameters(name: str) -> None:
    without: dict[str, Any] = {name: None}
    assert reason(SIGNER.headers(**without)) == "invalid: missing-parameter"


@pytest.mark.parametrize(
    "changed, expected",
    [
        ({"alg": "hmac-sha256"}, "invalid: invalid-parameter"),
        ({"alg": "Ed25519"}, "invalid: invalid-parameter"),
        ({"created": "soon"}, "invalid: invalid-parameter"),
        ({"keyid": "test-key-ed25519"}, "invalid: invalid-parameter"),
        ({"keyid": SIGNER.key_id + "="}, "invalid: invalid-parameter"),
        ({"keyid": 5}, "invalid: invalid-parameter"),
        ({"nonce": "n" * 257}, "invalid: invalid-parameter"),
        ({"scope": "all"}, "invalid: unknown-parameter"),
        ({"created": NOW + 7}, "invalid: created-in-future"),
        ({"created": NOW - 100, "expires": NOW - 5}, "invalid: expired"),
        ({"created": NOW - 10, "expires": NOW - 10}, "invalid: expired"),
        ({"created": NOW, "expires": NOW}, "invalid: invalid-parameter"),
        ({"created": NOW, "expires": NOW - 1}, "invalid: invalid-parameter"),
        ({"expires": NOW + 86_401}, "invalid: lifetime-too-long"),
        ({"created": -(10**14), "expires": 10**14}, "invalid: lifetime-too-long"),
    ],
)
def test_parameters_of_the_profile(changed: dict[str, Any], expected: str) -> None:
    assert reason(SIGNER.headers(**changed)) == expected


def test_a_signature_that_expires_at_once() -> None:
    found = check(SIGNER.headers(created=NOW, expires=NOW), now=NOW)
    assert found.detail == "the signature does not expire after its creation"


def test_times_within_the_bounds() -> None:
    within: list[dict[str, Any]] = [
        {"created": NOW + 6},
        {"created": NOW - 100, "expires": NOW - 4},
        {"created": NOW - 80_000, "expires": NOW + 6_400},
    ]
    for changed in within:
        assert check(SIGNER.headers(**changed)).is_valid
    headers = SIGNER.headers(expires=NOW + 10**9)
    assert check(headers, max_lifetime=None).is_valid
    assert reason(headers, max_lifetime=10**9 - 1) == "invalid: lifetime-too-long"
    assert reason(SIGNER.headers(created=NOW + 3), now=NOW, clock_skew=0.0) == "invalid: created-in-future"


@pytest.mark.parametrize(
    "covered, expected",
    [
        ({MEMBER: AGENT}, "invalid: target-not-covered"),
        ({'"@path"': "/a%20b", '"@method"': "GET", MEMBER: AGENT}, "invalid: target-not-covered"),
        ({AUTHORITY: "example.com"}, "invalid: signature-agent-not-covered"),
        ({AUTHORITY: "example.com", '"signature-agent"': f"sig1={AGENT}"}, "invalid: signature-agent-not-covered"),
        ({AUTHORITY: "example.com", '"signature-agent";key="b"': "x"}, "invalid: signature-agent-member-missing"),
        ({AUTHORITY: "example.com", MEMBER: AGENT, '"x-token"': "a"}, "invalid: missing-component"),
        ({AUTHORITY: "example.com", MEMBER: AGENT, '"@status"': "200"}, "invalid: unsupported-component"),
        ({AUTHORITY: "example.com", MEMBER: AGENT, '"@unknown"': "a"}, "invalid: unsupported-component"),
        ({AUTHORITY: "example.com", MEMBER: AGENT, '"@method";req': "GET"}, "invalid: unsupported-component"),
        ({AUTHORITY: "example.com", MEMBER: AGENT, '"Accept"': "a"}, "invalid: unsupported-component"),
        ({AUTHORITY: "example.com", MEMBER: AGENT, '"accept";bs': ":YQ==:"}, "invalid: unsupported-component"),
        ({AUTHORITY: "example.com", MEMBER: AGENT, "token": "a"}, "invalid: unsupported-component"),
        ({AUTHORITY: "example.com", MEMBER: AGENT, '"@query-param"': "1"}, "invalid: bad-signature"),
        ({AUTHORITY: "example.com", MEMBER: AGENT, '"@query-param";name="x"': "1"}, "invalid: bad-signature"),
        ({f'{AUTHORITY};name="a"': "example.com", MEMBER: AGENT}, "invalid: unsupported-component"),
        ({AUTHORITY: "example.net", MEMBER: AGENT}, "invalid: bad-signature"),
        ({AUTHORITY: "example.com", MEMBER: '"https://other.example"'}, "invalid: bad-signature"),
        ({AUTHORITY: "example.com", '"@path"': "", MEMBER: AGENT}, "invalid: bad-signature"),
    ],
)
def test_components_of_the_profile(covered: dict[str, str], expected: str) -> None:
    assert reason([*SIGNER.headers(covered), ("Accept", "a")]) == expected


def test_no_component_is_signed_twice() -> None:
    listed = f"({AUTHORITY} {AUTHORITY} {MEMBER})" + SIGNER.parameters()
    assert reason(SIGNER.headers(signed_input=listed)) == "invalid: duplicate-component"
    # The order of parameters makes no difference.
    listed = f'({AUTHORITY} {MEMBER} "priority";key="u";sf "priority";sf;key="u")' + SIGNER.parameters()
    headers = [*SIGNER.headers(signed_input=listed), ("Priority", "u=1")]
    assert reason(headers) == "invalid: duplicate-component"


@pytest.mark.parametrize(
    "agent, expected",
    [
        (None, "unverified: signature-agent-absent"),
        ("", "invalid: signature-agent-member-missing"),
        (f"sig1={AGENT};type=jwks_uri", "unverified: signature-agent-member-ignored"),
        ('sig1="http://signer.example/keys.json"', "invalid: signature-agent-not-https"),
        ('sig1="ftp://signer.example/"', "invalid: signature-agent-not-https"),
        ('sig1="data:application/json,{}"', "invalid: signature-agent-not-https"),
        ('sig1="//signer.example/"', "invalid: signature-agent-invalid-url"),
        ('sig1="https://good.example@signer.example/"', "invalid: signature-agent-invalid-url"),
        ('sig1="https://signer.example/#good.example"', "invalid: signature-agent-invalid-url"),
        (f"sig1=(({AGENT}))", "invalid: signature-agent-unreadable"),
        (f"sig1=({AGENT})", "invalid: signature-agent-invalid-url"),
        ("sig1=token", "invalid: signature-agent-invalid-url"),
        ("sig1", "invalid: signature-agent-invalid-url"),
        (f"other={AGENT}", "invalid: signature-agent-member-missing"),
        (f'sig1={AGENT}, sig1="https://evil.example"', "invalid: signature-agent-unreadable"),
        ("sig1=https://signer.example", "invalid: signature-agent-invalid-url"),
        (AGENT, "invalid: signature-agent-member-missing"),
        (f"sig1={AGENT}, " + "x" * 9000, "invalid: signature-agent-unreadable"),
    ],
)
def test_forms_of_the_agent(agent: str | None, expected: str) -> None:
    covered = {AUTHORITY: "example.com", MEMBER: (agent or "").partition("=")[2]}
    assert reason(SIGNER.headers(covered, agent=agent)) == expected


@pytest.mark.parametrize(
    "agent, expected",
    [
        (f"{AGENT};x", "unverified: signature-agent-member-ignored"),
        (f"{AGENT}, {AGENT}", "invalid: signature-agent-unreadable"),
        ('"http://signer.example"', "invalid: signature-agent-not-https"),
        ('"https://signer.example', "invalid: signature-agent-unreadable"),
    ],
)
def test_legacy_forms_of_the_agent(agent: str, expected: str) -> None:
    covered = {AUTHORITY: "example.com", '"signature-agent"': agent}
    assert reason(SIGNER.headers(covered, agent=agent)) == expected


@pytest.mark.parametrize(
    "agent, key", [(f"sig1={AGENT}", "sig1"), (f"agent1={AGENT}", "agent1"), (f"a={AGENT}, sig1={AGENT}", "sig1")]
)
def test_a_dictionary_that_is_signed_as_a_whole(agent: str, key: str) -> None:
    found = check(SIGNER.headers({AUTHORITY: "example.com", '"signature-agent"': agent}, agent=agent))
    assert found.reason is SignatureReason.AGENT_NOT_COVERED
    assert found.detail == (
        "Signature-Agent is a dictionary: "
        f'sign the component "signature-agent";key="{key}", not "signature-agent" as a whole'
    )


def test_several_members_of_which_none_is_that_of_the_label() -> None:
    agent = f'a={AGENT}, b="https://b.example"'
    members = {'"signature-agent";key="a"': AGENT, '"signature-agent";key="b"': '"https://b.example"'}
    headers = SIGNER.headers({AUTHORITY: "example.com", **members}, agent=agent)
    assert reason(headers) == "invalid: signature-agent-ambiguous"
    # With the label of one of them, that one counts.
    for label, url in (("a", AGENT_URL), ("b", "https://b.example/.well-known/http-message-signatures-directory")):
        found = check(SIGNER.headers({AUTHORITY: "example.com", **members}, agent=agent, label=label))
        assert (found.is_valid, found.url) == (True, url)


@pytest.mark.parametrize(
    "name, value, expected",
    [
        ("Signature-Input", 'sig1=("@authority";created=1;tag="web-bot-auth"', "invalid: signature-input-unreadable"),
        ("Signature-Input", 'sig1;tag="web-bot-auth"', "invalid: signature-input-unreadable"),
        ("Signature-Input", "\u00e4web-bot-auth", "invalid: signature-input-unreadable"),
        ("Signature-Input", "\u0000" * 9000 + "web-bot-auth", "invalid: signature-input-unreadable"),
        # Without the tag, nothing is parsed.
        ("Signature-Input", "\u00e4", "absent: absent"),
        ("Signature-Input", "(" * 9000, "absent: absent"),
        ("Signature", "sig9=:AAAA:", "invalid: signature-unreadable"),
        ("Signature", "sig1=AAAA", "invalid: signature-unreadable"),
        ("Signature", "sig1=:A A:", "invalid: signature-unreadable"),
        ("Signature", "sig1=(:AAAA:)", "invalid: signature-unreadable"),
        ("Signature", None, "invalid: signature-unreadable"),
        ("Signature", "sig1=:AAAA:", "invalid: bad-signature"),
        ("Signature", "sig1=::", "invalid: bad-signature"),
    ],
)
def test_fields_that_cannot_be_read(name: str, value: str | None, expected: str) -> None:
    headers = [(field, text) for field, text in SIGNER.headers() if field != name]
    assert reason(headers if value is None else [*headers, (name, value)]) == expected


@pytest.mark.parametrize("new_key", [Signer, partial(Signer, rsa.generate_private_key(65537, 2048))])
def test_a_signature_of_another_length_is_not_verified(
    new_key: Callable[[], Signer], monkeypatch: pytest.MonkeyPatch
) -> None:
    signer = new_key()
    compared: list[str] = []

    class Verifier(load_library().verifier):  # type: ignore[misc]  # loaded on first use
        def verify(self, *arguments: Any, **options: Any) -> Any:
            compared.append(options["expect_tag"])
            return super().verify(*arguments, **options)

    monkeypatch.setattr(message_signatures, "load_library", lambda: load_library()._replace(verifier=Verifier))
    assert check(signer.headers(), signer=signer).is_valid
    headers = [*signer.headers()[:-1], ("Signature", "sig1=:AAAA:")]
    expected = 64 if new_key is Signer else 256
    assert check(headers, signer=signer).detail == f"the signature has 3 bytes: those by its key have {expected}"
    assert compared == ["web-bot-auth"]


def test_a_field_that_is_sent_twice_with_one_label_is_invalid() -> None:
    evil = Signer()
    assert reason([*SIGNER.headers(), *evil.headers()]) == "invalid: signature-input-unreadable"
    assert reason([*SIGNER.headers(), SIGNER.headers()[2]]) == "invalid: signature-unreadable"
    # A parameter that is given twice as well.
    doubled = f"({AUTHORITY} {MEMBER}){SIGNER.parameters()};keyid={evil.key_id!r}".replace("'", '"')
    assert reason(SIGNER.headers(signed_input=doubled)) == "invalid: signature-input-unreadable"


@pytest.mark.parametrize(
    "component, value", [('"x";key="a"', "1"), ('"x";key="a";sf', "1"), ('"x";sf', "a=1"), ('"priority";sf', "a=1")]
)
@pytest.mark.parametrize("added", ["a=2, a=1", "a=1, a=2", "a=1, a=1", "a=1;b;b", "a=1, b=1, b=2", "a=1, A=2", "a=1,"])
def test_no_member_of_a_signed_dictionary_is_sent_twice(component: str, value: str, added: str) -> None:
    headers = SIGNER.headers({AUTHORITY: "example.com", MEMBER: AGENT, component: value})
    name = component.split('"')[1]
    if name == "priority" or "key" in component:
        assert check([*headers, (name, "a=1")]).is_valid
    found = check([*headers, (name, added)])
    assert found.reason is SignatureReason.BAD_SIGNATURE
    # In several lines as well.
    assert reason([*headers, *((name, part) for part in added.split(", "))]) == "invalid: bad-signature"


def test_an_unsigned_digest_beside_a_signed_one() -> None:
    value, by_key = f":{'A' * 43}=:", '"content-digest";key="sha-256"'
    good, evil, other = DIGEST, f"sha-256=:{'B' * 42}A=:", "sha-512=:BBBB:"
    for components, digests, expected in (
        ({by_key: value}, [good], True),
        ({by_key: value}, [evil, good], None),
        ({by_key: value}, [good, other], False),
        ({by_key: value}, [other, good], False),
        ({by_key: value, '"content-digest";key="sha-512"': ":BBBB:"}, [other, good], True),
        ({by_key: value, '"content-digest"': f"{other}, {good}"}, [other, good], True),
        ({'"content-digest";sf': good}, [good], True),
        ({'"content-digest";sf': good}, [evil, good], None),
        ({'"content-digest";sf': f"{good}, {other}"}, [good, other], True),
        ({'"content-digest"': good}, [evil, good], None),
        ({}, [good], False),
    ):
        headers = SIGNER.headers({AUTHORITY: "example.com", MEMBER: AGENT, **components})
        found = check([*headers, *(("Content-Digest", digest) for digest in digests)])
        assert found.is_valid == (expected is not None)
        assert found.covers_body == bool(expected)


@pytest.mark.parametrize(
    "digest, expected",
    [
        (DIGEST, True),
        (f"foo=:AA==:, sha-512=:{'A' * 86}==:", True),
        ("", False),
        ("junk!!", False),
        ("foo=:AA==:", False),
        ("sha-256=:AA==:", False),
        (f"sha-256=(:{'A' * 43}=:)", False),
        (f'sha-256="{"A" * 32}"', False),
        (f"md5=:{'A' * 43}=:", False),
        (f"{DIGEST}, {DIGEST}", False),
        (f"{DIGEST}, x=:{'A' * 1000}:", False),
    ],
)
def test_a_digest_that_cannot_be_compared_covers_no_body(digest: str, expected: bool) -> None:  # noqa: FBT001 - a parameter
    headers = SIGNER.headers({AUTHORITY: "example.com", MEMBER: AGENT, '"content-digest"': digest})
    found = check([*headers, ("Content-Digest", digest)])
    assert found.is_valid
    assert found.covers_body is expected


@pytest.mark.parametrize(
    "component, value, field",
    [
        ('"x";key="b"', "1", "a=1"),
        ('"x";key=1', "1", "a=1"),
        ('"x";sf=1', "a=1", "a=1"),
        ('"priority";sf=1', "a=1", "a=1"),
        ('"x";key="a";sf="b"', "1", "a=1"),
        ('"x";sf', "a=1", "a=1"),
        ('"content-digest";sf', "", ""),
    ],
)
def test_parts_of_fields_that_do_not_exist(component: str, value: str, field: str) -> None:
    headers = SIGNER.headers({AUTHORITY: "example.com", MEMBER: AGENT, component: value})
    assert reason([*headers, (component.split('"')[1], field)]) == "invalid: bad-signature"


def test_the_number_of_signatures_and_components_is_bounded() -> None:
    many = ", ".join(f'sig{number}=();tag="x"' for number in range(2, 10))
    headers = [(name, f"{value}, {many}" if name == "Signature-Input" else value) for name, value in SIGNER.headers()]
    assert reason(headers) == "invalid: too-many"
    # Two with the tag, beside two others, and not three.
    for number in (2, 3):
        lines = [("Signature-Agent", f'sig1="{AGENT_URL}"')]
        for label in range(number):
            lines += SIGNER.headers(label=f"s{label}")[1:]
        lines += [("Signature-Input", f'other{label}=("@path")') for label in range(4 - number)]
        claims = find_claims(SignedRequest.from_url("GET", URL, lines), now=NOW)
        is_accepted = [isinstance(claim, SignatureClaim) for claim in claims]
        assert is_accepted == ([True, True] if number == 2 else [False])
    covered = {AUTHORITY: "example.com", MEMBER: AGENT, **{f'"x-{number}"': "a" for number in range(15)}}
    assert reason(SIGNER.headers(covered)) == "invalid: too-many"
    # Before any of it is parsed. The largest input that is accepted passes.
    covered = {AUTHORITY: "example.com", MEMBER: AGENT, **{f'"x-{number}"': "a" for number in range(14)}}
    added = [(f"X-{number}", "a") for number in range(14)]
    assert check([*SIGNER.headers(covered, nonce="n", alg="ed25519"), *added]).is_valid
    covered = {'"x"': "a"}
    for unit in ('("x"', "(1 ", "a,", ";a", "%c3"):
        listed = (unit * 1500)[: 4096 - 300] + SIGNER.parameters()
        found = check(SIGNER.headers(covered, signed_input=listed))
        assert (found.reason, "delimiters" in found.detail) == ("too-many", True)


@pytest.mark.parametrize(
    "component", ['"x";key="a"', '"x";sf', '"@query-param";name="a"', '"@query-param"', '"x"', '"@query"']
)
def test_parts_of_a_request_that_a_signature_makes_long_to_parse(component: str) -> None:
    is_parsed = component not in {'"x"', '"@query"'}
    for size, expected in ((3000, "bad-signature"), (5000, "too-many" if is_parsed else "bad-signature")):
        headers = [*SIGNER.headers({AUTHORITY: "other", MEMBER: AGENT, component: "a"}), ("X", "a" * size)]
        assert reason(headers, url=f"https://example.com/?a={'b' * size}") == f"invalid: {expected}"
    # So are the items of fields. Escapes of a query are not.
    headers = [*SIGNER.headers({AUTHORITY: "other", MEMBER: AGENT, component: "a"}), ("X", "1 " * 600)]
    found = reason(headers, url=f"https://example.com/?{'%2c' * 600}")
    assert found == f"invalid: {'too-many' if is_parsed and 'x' in component else 'bad-signature'}"
    # The parts of all fields count together, and each of them once.
    names = [f'"x{number % 4}";key="{number}"' for number in range(8)]
    headers = SIGNER.headers({AUTHORITY: "example.com", MEMBER: AGENT, **dict.fromkeys(names, "1")})
    for size, expected in ((1000, "bad-signature"), (1100, "too-many")):
        fields = [(f"X{number}", "a" * size) for number in range(4)]
        assert reason([*headers, *fields]) == f"invalid: {expected}"
    # So do those of all signatures, and each field is parsed once.
    pairs = [
        SIGNER.headers({AUTHORITY: "example.com", MEMBER: AGENT, f'"x{number}";key="a"': "1"}, label=f"sig{number}")
        for number in (1, 2)
    ]
    lines = [*pairs[0], *pairs[1][1:], *((name, f"a=1, b={'b' * 2500}") for name in ("X1", "X2"))]
    first, second = find_claims(SignedRequest.from_url("GET", URL, lines), now=NOW)
    assert isinstance(first, SignatureClaim)
    assert isinstance(second, SignatureCheck)
    assert second.reason is SignatureReason.TOO_MANY


def test_the_parameters_of_a_query_are_bounded_and_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def parse(query: str, **options: Any) -> dict[str, list[str]]:
        parsed.append(query)
        return parse_qs(query, **options)

    monkeypatch.setattr(message_signatures, "parse_qs", parse)
    # Repeated parameters have no value, and others are sent in another form than the signed one.
    values = {"a": "1", "b%20": "x%20y%7E*", "c": "", "d": "%C3%A9"}
    query = "a=1&b+=x+y~*&c&d=%c3%a9&e=1&e=2"
    parts = {f'"@query-param";name="{name}"': value for name, value in values.items()}
    four = {AUTHORITY: "example.com", MEMBER: AGENT, **parts}
    headers = [SIGNER.headers(four), SIGNER.headers(four, label="sig2")]
    lines = [*headers[0], *headers[1][1:]]
    claims = find_claims(SignedRequest.from_url("GET", f"https://example.com/?{query}", lines), now=NOW)
    for claim in claims:
        assert isinstance(claim, SignatureClaim)
        assert verify_claim(claim, parse_key(SIGNER.jwk), now=NOW, clock_skew=0).is_valid
    assert (len(claims), parsed) == (2, [query])
    assert check(headers[0], url=f"https://example.com/?{query}{'&x' * 26}").is_valid
    assert reason(headers[0], url=f"https://example.com/?{query}{'&x' * 27}") == "invalid: too-many"
    five = SIGNER.headers({**four, '"@query-param";name="e"': "1"})
    assert reason(five, url=f"https://example.com/?{query}") == "invalid: too-many"
    for name in ("e", "f"):
        missing = SIGNER.headers({AUTHORITY: "example.com", MEMBER: AGENT, f'"@query-param";name="{name}"': "1"})
        assert reason(missing, url=f"https://example.com/?{query}") == "invalid: bad-signature"
    # The name of a parameter is a text.
    number = SIGNER.headers({AUTHORITY: "example.com", MEMBER: AGENT, '"@query-param";name=5': "1"})
    assert reason(number, url="https://example.com/?5=1") == "invalid: bad-signature"


@pytest.mark.parametrize(
    "host", ["", "a b", "example.com/x", "a@example.com", "example.com:x", "[::1", "\u00e4.example"]
)
def test_hosts_that_are_not_valid(host: str) -> None:
    fields = {name.lower(): value for name, value in SIGNER.headers()}
    request = SignedRequest("GET", "https", host, "/", fields.get)
    found = check_request(request, signer=SIGNER, now=NOW)
    assert found.reason is (SignatureReason.OTHER_HOST if host else SignatureReason.HOST_MISSING)


def test_times_of_keys() -> None:
    (claim,) = find_claims(SignedRequest.from_url("GET", URL, SIGNER.headers()), now=NOW)
    assert isinstance(claim, SignatureClaim)
    for times, expected in (
        ({"nbf": NOW + 6}, SignatureReason.KEY_NOT_CURRENT),
        ({"exp": NOW - 6}, SignatureReason.KEY_NOT_CURRENT),
        ({"nbf": NOW + 5, "exp": NOW - 5}, SignatureReason.VERIFIED),
    ):
        assert verify_claim(claim, parse_key({**SIGNER.jwk, **times}), now=NOW, clock_skew=5.0).reason is expected


@pytest.mark.parametrize(
    "periods, expected",
    [
        ([{"exp": 1}, {}], "verified"),
        ([{}, {"exp": 1}], "verified"),
        ([{"exp": NOW - 100}, {"nbf": NOW - 50, "exp": NOW + 50}, {"nbf": NOW + 60}], "verified"),
        ([{"exp": NOW - 100}, {"nbf": NOW + 100}], "the key is not used yet"),
        ([{"nbf": NOW + 100}, {"exp": NOW - 100}], "the key is not used yet"),
        ([{"exp": NOW - 100}, {"exp": NOW - 200}], "the key has expired"),
    ],
)
def test_a_key_that_a_directory_has_more_than_once(periods: list[dict[str, int]], expected: str) -> None:
    (claim,) = find_claims(SignedRequest.from_url("GET", URL, SIGNER.headers()), now=NOW)
    assert isinstance(claim, SignatureClaim)
    found = parse_key_set(json.dumps({"keys": [{**SIGNER.jwk, **period} for period in periods]}).encode())
    assert list(found.keys) == [SIGNER.key_id]
    checked = verify_claim(claim, found.keys[SIGNER.key_id], now=NOW, clock_skew=5.0)
    assert expected in {checked.detail, checked.reason.value}


@pytest.mark.parametrize(
    "url, expected",
    [
        ("https://a.example", "https://a.example/.well-known/http-message-signatures-directory"),
        ("HTTPS://A.example:443/", "https://a.example/.well-known/http-message-signatures-directory"),
        ("https://a.example:8443/Keys", "https://a.example:8443/Keys"),
        ("https://a.example/%6beys%2f%c3%a4", "https://a.example/keys%2F%C3%A4"),
        ("https://a.example/u/../keys/./x", "https://a.example/keys/x"),
        ("https://a.example/u/%2e%2E/keys", "https://a.example/keys"),
        ("https://a.example/u/..", "https://a.example/.well-known/http-message-signatures-directory"),
        ("https://a.example/../u/.", "https://a.example/u/"),
    ],
)
def test_identifiers_are_normalised(url: str, expected: str) -> None:
    assert parse_directory_url(url) == DirectoryURL(expected, expected)
    assert parse_directory_url(f"{url}?a=/../%62").identifier.partition("?")[0].startswith("https://a.example")


def test_the_query_is_fetched_and_is_not_part_of_the_identifier() -> None:
    assert parse_directory_url("https://a.example/k?v=%62") == ("https://a.example/k", "https://a.example/k?v=%62")
    assert parse_directory_url("https://a.example?v") == ("https://a.example/", "https://a.example/?v")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "a.example",
        "https://",
        "https:///keys",
        "https://a.example/ x",
        "https://a.example/\u00e4",
        "https://a.example/%zz",
        "https://a.example:99999/",
        "https://user:pass@a.example/",
        "https://a.example\\@b.example/",
        "https://a.example/\r\nHost: b.example",
        "https://a%2eexample/",
        "https://a.example/" + "x" * 1000,
    ],
)
def test_urls_of_directories_that_are_not_valid(url: str) -> None:
    with pytest.raises(InvalidURL) as caught:
        parse_directory_url(url)
    assert not isinstance(caught.value, NotHTTPS)


def vectors(pattern: str) -> Sequence[Any]:
    folder = os.environ.get("CANFETCH_IDENTITY_VECTORS")
    if folder is None:
        return [pytest.param(None, marks=pytest.mark.skip(reason="CANFETCH_IDENTITY_VECTORS names no folder"))]
    files = sorted(Path(folder).rglob(pattern))
    assert files, f"{folder} has no {pattern}"
    return [
        pytest.param(vector, id=f"{file.stem}-{number}")
        for file in files
        for number, vector in enumerate(json.loads(file.read_bytes()))
    ]


@pytest.mark.parametrize("vector", vectors("web_bot_auth_architecture_v*.json"))
def test_vectors_of_another_implementation(vector: dict[str, Any]) -> None:
    jwk = {name: vector["key"][name] for name in ("kty", "crv", "x", "n", "e") if name in vector["key"]}
    headers = [("Signature", vector["signature"]), ("Signature-Input", vector["signature_input"])]
    if "signature_agent" not in vector:
        # Earlier drafts did not require it.
        assert reason(headers, url=vector["target_url"], **_times(vector)) == "unverified: signature-agent-absent"
        return
    headers.append(("Signature-Agent", vector["signature_agent"]))
    request = SignedRequest.from_url("GET", vector["target_url"], headers)
    (claim,) = find_claims(request, **_times(vector))
    assert isinstance(claim, SignatureClaim), claim
    assert verify_claim(claim, parse_key(jwk), now=_times(vector)["now"], clock_skew=0.0).is_valid
    (other,) = find_claims(request._replace(authority="example.net"), **_times(vector))
    assert isinstance(other, SignatureClaim)
    assert not verify_claim(other, parse_key(jwk), now=_times(vector)["now"], clock_skew=0.0).is_valid


@pytest.mark.parametrize("vector", vectors("web_bot_auth_signature_agent_v*.json"))
def test_forms_of_the_agent_of_another_implementation(vector: dict[str, Any]) -> None:
    (entry,) = vector["entries"]
    value = f'"{entry["uri"]}"'
    if entry["type"] != "directory":
        value += f";type={entry['type']}"
    covered = {AUTHORITY: "example.com", f'"signature-agent";key="{entry["label"]}"': value}
    headers = SIGNER.headers(covered, label=entry["label"], agent=vector["header"])
    if entry["type"] == "directory":
        assert check(headers).url == "https://signature-agent.test/.well-known/http-message-signatures-directory"
    else:
        # The draft has removed the other types.
        assert reason(headers) == "unverified: signature-agent-member-ignored"


def _times(vector: dict[str, Any]) -> dict[str, Any]:
    return {"now": vector["created_ms"] / 1000 + 60, "max_lifetime": None}
