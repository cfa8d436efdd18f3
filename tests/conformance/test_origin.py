"""The origin that plays the events of the access cases for clients."""

import http.client
import socket
import ssl
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import pytest
from conformance.__main__ import main
from conformance.access_cases import load_access
from conformance.origin import Origin

FILE = "User-agent: *\nDisallow: /forbidden\n"


def request(url: str, target: str = "/robots.txt") -> tuple[int, dict[str, str], bytes]:
    with closing(http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)) as connection:
        connection.request("GET", target)
        with connection.getresponse() as response:
            return response.status, dict(response.getheaders()), response.read()


def origin(**event: Any) -> Origin:
    return Origin({"body": FILE, **event})


@pytest.mark.parametrize("status", [200, 404, 503])
def test_status_and_body(status: int) -> None:
    with origin(status=status, headers={"Retry-After": "5"}) as running:
        found, headers, body = request(running.url)

    assert (found, body.decode()) == (status, FILE)
    assert headers["Retry-After"] == "5"


def test_not_modified_has_no_body() -> None:
    with origin(status=304) as running:
        status, headers, body = request(running.url)

    assert (status, body) == (304, b"")
    assert "Content-Length" not in headers


def test_pages_exist_whatever_the_event() -> None:
    with origin(failure="reset") as running:
        assert request(running.url, "/open")[0] == 200
        assert request(running.url, "/forbidden")[0] == 200


def test_filler_is_appended() -> None:
    with origin(filler_bytes=600_000) as running:
        body = request(running.url)[2]

    assert body == FILE.encode() + b"#\n" * 300_000


def test_redirects_lead_to_the_file() -> None:
    with origin(redirects=2) as running:
        first = request(running.url)
        second = request(running.url, first[1]["Location"])
        third = request(running.url, second[1]["Location"])

    assert [response[0] for response in (first, second, third)] == [302, 302, 200]
    assert third[2].decode() == FILE


def test_other_authority_has_the_file() -> None:
    with origin(redirects=1, other_authority=True) as running:
        location = request(running.url)[1]["Location"]
        assert not location.startswith(running.url)
        assert request(location, f"/{location.split('/', 3)[3]}")[2].decode() == FILE


def test_loop_does_not_end() -> None:
    with origin(redirect_loop=True) as running:
        first = request(running.url)[1]["Location"]
        assert request(running.url, first)[1]["Location"] == "/robots.txt"


def test_only_the_target_of_a_location_has_the_file() -> None:
    with origin(locations=["/r,/s"], target="/r,/s") as running:
        assert request(running.url)[1]["Location"] == "/r,/s"
        assert request(running.url, "/r,/s")[2].decode() == FILE
        assert request(running.url, "/r")[0] == 500


@pytest.mark.parametrize("failure", ["refused", "reset"])
def test_connection_fails(failure: str) -> None:
    with origin(failure=failure) as running, pytest.raises(ConnectionError):
        request(running.url)


@pytest.mark.parametrize("failure", ["short-body", "broken-chunks"])
def test_body_is_incomplete(failure: str) -> None:
    with origin(failure=failure) as running, pytest.raises(http.client.IncompleteRead):
        request(running.url)


def test_silent_origin_closes_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.origin.SILENT_SECONDS", 0.01)

    with origin(failure="never-answers") as running, pytest.raises(http.client.RemoteDisconnected):
        request(running.url)


def test_certificate_is_not_trusted_and_serves_the_file() -> None:
    with origin(failure="bad-tls") as running:
        host, port = "127.0.0.1", running.port
        with socket.create_connection((host, port)) as plain, pytest.raises(ssl.SSLCertVerificationError):
            ssl.create_default_context().wrap_socket(plain, server_hostname=host)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection((host, port)) as plain, context.wrap_socket(plain) as connection:
            connection.sendall(b"GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n")
            received = b"".join(iter(lambda: connection.recv(65_536), b""))

    assert received.decode().endswith(FILE)


def test_invalid_requests_are_closed() -> None:
    with origin() as running:
        for head in (b"", b"GET\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", running.port)) as connection:
                connection.sendall(head)
                connection.shutdown(socket.SHUT_WR)
                assert connection.recv(1) == b""


def test_event_changes_while_the_origin_runs() -> None:
    with origin() as running:
        before = request(running.url)
        running.event = {"status": 503, "body": "later"}
        after = request(running.url)

    assert (before[0], before[2].decode()) == (200, FILE)
    assert (after[0], after[2]) == (503, b"later")


def test_every_event_is_played_or_ftp() -> None:
    known = {"status", "body", "headers", "redirects", "other_authority", "locations", "target", "redirect_loop"}
    events = [case.table.get("event") for case in load_access()]
    events += [step["event"] for case in load_access() for step in case.table.get("steps", ())]
    for event in filter(None, events):
        assert "ftp" in event or set(event) <= known | {"failure", "filler_bytes"}
        assert event.get("failure", "reset") in {
            "refused",
            "reset",
            "never-answers",
            "short-body",
            "broken-chunks",
            "bad-tls",
        }


@pytest.mark.slow
def test_client_of_canfetch_passes(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("conformance.origin.SILENT_SECONDS", 0.01)
    monkeypatch.setattr("conformance.scoreboard.program.CLIENT_SECONDS", 600.0)

    prefixes = ("access-network", "access-redirects", "access-status-50", "access-sequence")
    only = [word for prefix in prefixes for word in ("--id", prefix)]
    assert main(["--adapter", "canfetch-client", "--quiet", *only]) == 0

    assert " 0 failed, 0 skipped" in capsys.readouterr().out


@pytest.mark.slow
def test_page_rules_of_canfetch_pass(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("conformance.scoreboard.program.SECONDS", 600.0)

    assert main(["--adapter", "canfetch-pages", "--quiet"]) == 0

    assert " 0 failed, 0 skipped" in capsys.readouterr().out
