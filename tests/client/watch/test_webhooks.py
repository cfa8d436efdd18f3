"""Webhooks as the Standard Webhooks specification defines them, sent to a real server."""

import base64
import hmac
from hashlib import sha256

import pytest
from tests.client.watch.receivers import receiver
from tests.servers.certificates import Authority
from tests.servers.dead_ports import refusing_port, unresponsive_port
from tests.servers.proxy import ProxySite

from canfetch.client.transports.http_transport import HTTPTransport
from canfetch.client.watch.webhooks import Attempt, Webhook, sign
from canfetch.errors import InvalidOption

# The example of the specification.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105
BODY = b'{"test": 2432232314}'


def test_the_signature_is_that_of_the_specification() -> None:
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    signature = sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", BODY)
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_message_is_signed_and_names_its_sender() -> None:
    with receiver() as running:
        assert Webhook(running.url, SECRET).send("msg_1", BODY, now=1614265330.7) == Attempt(delivered=True)
    (received,) = running.received
    assert received.body == BODY
    assert received.headers["content-type"] == "application/json"
    assert received.headers["user-agent"].startswith("canfetch/")
    assert (received.headers["webhook-id"], received.headers["webhook-timestamp"]) == ("msg_1", "1614265330")
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    expected = hmac.digest(key, b"msg_1.1614265330." + BODY, sha256)
    assert received.headers["webhook-signature"] == f"v1,{base64.b64encode(expected).decode()}"


def test_without_a_secret_there_is_no_signature() -> None:
    with receiver() as running:
        Webhook(running.url).send("msg_1", BODY, now=0)
    assert "webhook-signature" not in running.received[0].headers


@pytest.mark.parametrize(
    "status, attempt",
    [
        (200, Attempt(delivered=True)),
        (299, Attempt(delivered=True)),
        (302, Attempt(delivered=False, reason="status 302")),
        (410, Attempt(delivered=False, final=True, reason="status 410")),
        (500, Attempt(delivered=False, reason="status 500")),
    ],
)
def test_statuses(status: int, attempt: Attempt) -> None:
    with receiver(status) as running:
        assert Webhook(running.url).send("msg_1", BODY, now=0) == attempt
    # A redirect is not followed.
    assert len(running.received) == 1


def test_a_refused_connection_is_a_result() -> None:
    with refusing_port() as port:
        attempt = Webhook(f"http://127.0.0.1:{port}/").send("msg_1", BODY, now=0)
    assert not attempt.delivered
    assert not attempt.final
    assert "refused" in attempt.reason


def test_a_head_that_never_ends_is_a_result() -> None:
    with receiver() as running:
        running.answer = running.drip(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        attempt = Webhook(running.url, timeout=0.3).send("msg_1", BODY, now=0)
    assert not attempt.delivered
    assert not attempt.final
    assert attempt.reason.endswith(" 0.3 s")


@pytest.mark.parametrize("status", ["200 OK", "410 Gone"])
def test_the_body_of_the_response_does_not_matter(status: str) -> None:
    with receiver() as running:
        running.answer = running.drip(f"HTTP/1.1 {status}\r\nContent-Length: 1000000\r\n\r\n".encode())
        attempt = Webhook(running.url, timeout=300).send("msg_1", BODY, now=0)
    assert (attempt.delivered, attempt.final) == (status == "200 OK", status == "410 Gone")


def test_a_handshake_that_never_ends_is_a_result() -> None:
    with unresponsive_port() as port:
        attempt = Webhook(f"https://127.0.0.1:{port}/", timeout=0.3).send("msg_1", BODY, now=0)
    assert attempt.reason == "not connected within 0.3 s"


def test_a_long_message_arrives_whole_over_tls(authority: Authority) -> None:
    body = b"0123456789abcdef" * 50_000
    with receiver(tls=authority.good()) as running:
        transport = HTTPTransport(ssl_context=authority.client())
        attempt = Webhook(running.url, transport=transport, timeout=300).send("msg_1", body, now=0)
    assert attempt == Attempt(delivered=True)
    assert running.received[0].body == body


def test_messages_use_the_proxy_of_the_transport() -> None:
    with receiver() as running, ProxySite() as proxy:
        transport = HTTPTransport(proxy=f"http://127.0.0.1:{proxy.port}")
        attempt = Webhook(running.url, transport=transport, timeout=300).send("msg_1", BODY, now=0)
    assert attempt == Attempt(delivered=True)
    assert proxy.heads[0].startswith(f"POST {running.url} HTTP/1.1\r\n")


def test_characters_beyond_ascii_are_sent_as_escapes() -> None:
    with receiver() as running:
        assert Webhook(f"{running.url}/\xe9?\xe9#x").send("msg_1", BODY, now=0) == Attempt(delivered=True)
    assert running.received[0].target == "/hook/%C3%A9?%C3%A9"


@pytest.mark.parametrize(
    "url, message",
    [
        ("ftp://example.com/", "unsupported URL scheme 'ftp': expected http, https"),
        ("file://host/etc/passwd", "unsupported URL scheme 'file': expected http, https"),
        ("example.com", "expected an http or https URL"),
        ("http:///x", "expected an http or https URL"),
        ("", "expected an http or https URL"),
        ("http://[::1/", "expected an http or https URL"),
        ("http://a..b/", "expected an http or https URL"),
        (f"http://{'a' * 64}.example/", "expected an http or https URL"),
        ("http://example.com:99999/", "expected an http or https URL"),
        ("http://example.com:abc/", "expected an http or https URL"),
        ("http://example.com:-1/", "expected an http or https URL"),
        ("http://example.com:0/", "the port is reserved"),
        ("http://example.com/a b", "write spaces and control characters as escapes"),
        ("http://example.com/a\r\nX: y", "write spaces and control characters as escapes"),
        ("http://user:secret@example.com/", "user names and passwords are not supported"),
    ],
)
def test_other_urls_are_refused(url: str, message: str) -> None:
    with pytest.raises(InvalidOption, match="invalid webhook") as raised:
        Webhook(url)
    assert message in str(raised.value)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "secret, message",
    [
        ("short", "at least 16 bytes"),
        ("whsec_c2hvcnQ=", "at least 16 bytes"),
        ("whsec_!", "expected base64 after whsec_"),
    ],
)
def test_weak_secrets_are_refused(secret: str, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        Webhook("https://example.com/", secret)
