"""Webhooks as the Standard Webhooks specification defines them, sent to a real server."""

import base64
import hmac
from hashlib import sha256

import pytest
from tests.client.watch.receivers import receiver
from tests.servers.dead_ports import refusing_port

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


@pytest.mark.parametrize("url", ["ftp://example.com/", "file:///etc/passwd", "example.com", "http:///x", ""])
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(InvalidOption, match="expected an http or https URL"):
        Webhook(url)


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
