"""Options for the requests: headers, proxies, certificate authorities and client certificates."""

from pathlib import Path
from typing import Any

import pytest
from tests.servers.certificates import Authority
from tests.servers.dead_ports import refusing_port
from tests.servers.fixtures import authority
from tests.servers.proxy import ProxySite
from tests.servers.redirects import redirect
from tests.servers.valid import RULES, respond
from tests.servers.web import Site
from tests.transports.harness import make_request

from canfetch.access.responses import Response
from canfetch.cli.shared.command_transport import CommandTransport
from canfetch.cli.shared.network_options import NetworkOptions
from canfetch.core.origin import Origin

__all__ = ["authority"]

Run = Any
HEADERS = ("--header", "From: bot@example.com", "--header", "Authorization:Basic c2VjcmV0")
NO_STORE = ("--store", "none")
HTML = respond(b"<title>fish</title>", "Content-Type: text/html")
COMMANDS = {
    "check": ("check", "{}/fish", "--agent", "GPTBot"),
    "explain": ("explain", "{}/fish", "--agent", "GPTBot"),
    "matrix": ("matrix", "{}/fish", "--agent", "GPTBot"),
    "fetch": ("fetch", "{}"),
    "sitemaps": ("sitemaps", "{}"),
    "lint": ("lint", "{}"),
    "page": ("page", "{}/fish", "--agent", "GPTBot"),
}


@pytest.fixture
def ruled(site: Site) -> Site:
    site.serve("/robots.txt", respond(RULES))
    site.serve("/fish", HTML)
    return site


def command(name: str, origin: str) -> list[str]:
    return [argument.format(origin) for argument in COMMANDS[name]]


def network_options(**changes: Any) -> NetworkOptions:
    unset = dict.fromkeys(NetworkOptions._fields)
    return NetworkOptions(**{**unset, "headers": (), "misconfigured_origins": (), "offline": False, **changes})


# --- headers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_header_is_added_to_every_request(run: Run, ruled: Site, name: str) -> None:
    ran = run(*command(name, ruled.origin), *NO_STORE, *HEADERS, "--header", "Accept: text/x")
    assert ran.code in {0, 1}
    targets = [request.target for request in ruled.requests]
    assert targets[: 1 + (name == "page")] == ["/robots.txt", "/fish"][: 1 + (name == "page")]
    for request in ruled.requests:
        assert request.headers["from"] == "bot@example.com"
        assert request.headers["authorization"] == "Basic c2VjcmV0"
        assert request.headers["accept"] == "text/x"


@pytest.mark.parametrize("name", ["check", "page"])
def test_credentials_are_not_sent_to_the_target_of_a_redirect(run: Run, ruled: Site, name: str) -> None:
    with Site() as other:
        other.serve("/robots.txt", respond(RULES))
        other.serve("/fish", HTML)
        ruled.serve("/robots.txt" if name == "check" else "/fish", redirect(other.url("fish")))
        run(*command(name, ruled.origin), *NO_STORE, *HEADERS)
        assert all("authorization" in request.headers for request in ruled.requests)
        # The page also requires the robots.txt and the TDM file of the other origin.
        assert {request.target for request in other.requests} >= (
            {"/fish"} if name == "check" else {"/robots.txt", "/fish"}
        )
        for request in other.requests:
            assert "authorization" not in request.headers
            assert request.headers["from"] == "bot@example.com"


@pytest.mark.parametrize("name", ["check", "page"])
def test_credentials_are_not_sent_again_after_another_origin(run: Run, ruled: Site, name: str) -> None:
    with Site() as other:
        other.serve("/robots.txt", respond(RULES))
        other.serve("/fish", redirect(ruled.url("chosen")))
        ruled.serve("/chosen", respond(RULES))
        ruled.serve("/robots.txt" if name == "check" else "/fish", redirect(other.url("fish")))
        run(*command(name, ruled.origin), *NO_STORE, *HEADERS)
        sent = {request.target: "authorization" in request.headers for request in ruled.requests}
        assert sent["/robots.txt"]
        assert not sent["/chosen"]


def test_watch_sends_no_credentials_to_an_origin_that_a_site_names(run: Run, ruled: Site) -> None:
    with Site() as licenser, Site() as target:
        for other in (licenser, target):
            other.serve("/robots.txt", respond(RULES))
        ruled.serve("/robots.txt", respond(f"License: {licenser.url('rsl')}\n".encode() + RULES))
        ruled.serve("/.well-known/tdmrep.json", redirect(target.url("tdm")))
        run("watch", ruled.origin, "--once", "--uses", "--history", "h.db", *NO_STORE, *HEADERS)
        assert ["authorization" in request.headers for request in ruled.requests][:1] == [True]
        for other in (licenser, target):
            assert [request.target for request in other.requests][:1] == ["/robots.txt"]
            assert not any("authorization" in request.headers for request in other.requests)


def test_credentials_are_sent_to_the_named_origins_only(ruled: Site) -> None:
    request = make_request(f"{ruled.origin}/robots.txt", headers=(("From", "bot@example.com"), ("Cookie", "a=b")))
    for origins in (None, {Origin.from_url(ruled.origin)}, set[Origin]()):
        transport = CommandTransport(network_options(), credential_origins=origins)
        assert isinstance(transport.send(request), Response)
        transport.close()
    assert ["cookie" in received.headers for received in ruled.requests] == [True, True, False]
    assert all("from" in received.headers for received in ruled.requests)


@pytest.mark.parametrize(
    "header, message",
    [
        ("From", "canfetch: invalid --header 'From': expected 'NAME: VALUE', such as 'From: bot@example.com'"),
        ("Authorization Basic c2VjcmV0", "canfetch: invalid --header 'Authorization': expected 'NAME: VALUE'"),
        ("", "canfetch: invalid --header '': expected 'NAME: VALUE'"),
        (": a", "canfetch: --header: invalid header name '': expected a name such as 'From'"),
        ("Authorization:", "canfetch: --header: invalid value of header 'Authorization': expected a non-empty"),
        ("Cookie: c2VjcmV0\n", "canfetch: --header: invalid value of header 'Cookie': expected a non-empty"),
        ("user-agent: a", "canfetch: --header: header 'user-agent' cannot be added: --user-agent sets it"),
        ("Host: a", "canfetch: --header: header 'Host' cannot be added: the transport sets it"),
    ],
)
def test_invalid_header_is_an_error(run: Run, ruled: Site, header: str, message: str) -> None:
    if header.endswith("\n"):
        header = f"{header}a"
    ran = run(*command("check", ruled.origin), *NO_STORE, "--header", header)
    assert ran.refusal.startswith(message)
    assert "c2VjcmV0" not in ran.err
    assert ruled.requests == []


# --- proxies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fetch", "page"])
def test_proxy_is_used_instead_of_the_environment(
    run: Run, monkeypatch: pytest.MonkeyPatch, ruled: Site, name: str
) -> None:
    with ProxySite() as proxy, refusing_port() as refusing:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{refusing}")
        ran = run(*command(name, ruled.origin), *NO_STORE, "--proxy", f"http://user:p@127.0.0.1:{proxy.port}")
        assert (ran.code, ran.err) == (0, "")
        assert len(proxy.heads) == len(ruled.requests)
        assert all("proxy-authorization: basic" in head.lower() for head in proxy.heads)


@pytest.mark.parametrize("value", ["http://127.0.0.1:{}", "socks5://127.0.0.1:{}"])
def test_proxy_none_ignores_the_environment(run: Run, monkeypatch: pytest.MonkeyPatch, ruled: Site, value: str) -> None:
    with refusing_port() as refusing:
        monkeypatch.setenv("ALL_PROXY", value.format(refusing))
        assert run(*command("fetch", ruled.origin), *NO_STORE, "--proxy", "none").code == 0


def test_failure_of_a_proxy_is_not_reused_without_it(run: Run, ruled: Site) -> None:
    with refusing_port() as refusing:
        assert run(*command("fetch", ruled.origin), "--proxy", f"http://127.0.0.1:{refusing}").code != 0
    assert run(*command("fetch", ruled.origin), "--proxy", "none").code == 0
    assert len(ruled.requests) == 1


def test_unsupported_proxy_does_not_matter_offline(run: Run, monkeypatch: pytest.MonkeyPatch, ruled: Site) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    assert "pass --proxy none" in run(*command("fetch", ruled.origin), *NO_STORE).refusal
    assert run(*command("fetch", ruled.origin), *NO_STORE, "--offline").err == ""


def test_public_only_and_a_proxy_are_an_error(run: Run, ruled: Site) -> None:
    ran = run(*command("fetch", ruled.origin), *NO_STORE, "--public-only", "--proxy", "http://user:secret@127.0.0.1:9")
    assert "--public-only cannot be guaranteed with a proxy" in ran.refusal
    assert "pass --proxy none to connect directly" in ran.err
    assert "secret" not in ran.err


@pytest.mark.parametrize("proxy", ["127.0.0.1:3128", "https://user:secret@127.0.0.1", "http://user:secret@[", ""])
def test_invalid_proxy_is_an_error(run: Run, ruled: Site, proxy: str) -> None:
    ran = run(*command("fetch", ruled.origin), *NO_STORE, "--proxy", proxy)
    assert ran.refusal.startswith("canfetch: --proxy: invalid proxy '")
    assert "secret" not in ran.err


# --- certificates ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fetch", "page"])
def test_own_authority_and_client_certificate_are_used(run: Run, authority: Authority, name: str) -> None:
    ca, certificate = str(authority.file), str(authority.client_certificate())
    with Site(tls=authority.requiring_client_certificate()) as site:
        site.serve("/robots.txt", respond(RULES))
        site.serve("/fish", HTML)
        trusting = (*command(name, site.origin), *NO_STORE, "--ca-file", ca)
        assert run(*trusting, "--client-cert", certificate).code == 0
        assert run(*trusting, "--client-cert", certificate, "--client-key", certificate).code == 0
        assert run(*trusting).code != 0
        assert run(*command(name, site.origin), *NO_STORE, "--client-cert", certificate).code != 0


def test_tls_error_does_not_count_for_other_settings(run: Run, authority: Authority) -> None:
    ca, certificate = str(authority.file), str(authority.client_certificate())
    with Site(tls=authority.requiring_client_certificate()) as site:
        site.serve("/robots.txt", respond(RULES))
        for options, code in (
            ((), 1),
            (("--ca-file", ca), 1),
            (("--client-cert", certificate), 1),
            (("--ca-file", ca, "--client-cert", certificate), 0),
            # The success is a fact about the origin.
            ((), 0),
        ):
            assert run(*command("fetch", site.origin), "--store", "robots.sqlite3", *options).code == code, options


@pytest.mark.parametrize(
    "options, message",
    [
        (("--ca-file", "missing.pem"), "canfetch: cannot read --ca-file 'missing.pem': No such file or directory"),
        (("--ca-file", "robots.txt"), "canfetch: invalid --ca-file 'robots.txt': expected a PEM file"),
        (("--client-cert", "robots.txt"), "canfetch: invalid --client-cert 'robots.txt': expected a PEM file"),
        (("--client-cert", "ca_file"), "canfetch: cannot read --client-cert 'ca_file': No such file"),
        (("--client-key", "robots.txt"), "canfetch: --client-key requires --client-cert FILE"),
    ],
)
def test_invalid_file_is_an_error(run: Run, ruled: Site, options: tuple[str, ...], message: str) -> None:
    assert run(*command("fetch", ruled.origin), *NO_STORE, *options).refusal.startswith(message)


@pytest.mark.slow
def test_encrypted_key_is_an_error(run: Run, ruled: Site, authority: Authority, tmp_path: Path) -> None:
    from cryptography.hazmat.primitives import serialization

    content = authority.client_certificate().read_bytes()
    encryption = serialization.BestAvailableEncryption(b"a")
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    key = serialization.load_pem_private_key(content, None).private_bytes(pem, pkcs8, encryption)
    encrypted = tmp_path / "encrypted.pem"
    encrypted.write_bytes(key + content[content.index(b"-----BEGIN CERTIFICATE") :])
    ran = run(*command("fetch", ruled.origin), *NO_STORE, "--client-cert", str(encrypted))
    assert ran.code == 2
    assert ran.err.endswith("is encrypted: pass a key without a password\n")
