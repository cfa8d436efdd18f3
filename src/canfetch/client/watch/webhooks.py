"""Webhooks: signed POST requests, as the Standard Webhooks specification defines them.

A receiver verifies `webhook-signature`, and drops a message whose `webhook-id` it has seen: a message that was sent is
sent again if the response was lost. Each request has a deadline, and the body of the response is not read.

Source: https://www.standardwebhooks.com, version 1.0.0.
"""

import base64
import binascii
import hmac
from hashlib import sha256
from typing import Final, NamedTuple

from canfetch import __version__
from canfetch.access.responses import Failure
from canfetch.client.transports import TransportRequest
from canfetch.client.transports.endpoints import parse_endpoint
from canfetch.client.transports.failures import TransportError
from canfetch.client.transports.http_transport import HTTPTransport
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redact_credentials, redacted_url
from canfetch.core.text import encode_text
from canfetch.errors import InvalidOption, InvalidURL
from canfetch.repository import default_user_agent

# Seconds before each further attempt, as the specification recommends: about three days in all.
RETRY_DELAYS: Final = (5.0, 300.0, 1_800.0, 7_200.0, 18_000.0, 36_000.0, 50_400.0, 72_000.0, 86_400.0)
_BASE64_PREFIX: Final = "whsec_"
_MIN_SECRET_BYTES: Final = 16
_TIMEOUT: Final = 15.0
_SUCCESS: Final = 2
_GONE: Final = 410
_MAX_REASON: Final = 200


class Attempt(NamedTuple):
    """The result of one request.

    Attributes:
        delivered: Whether the receiver accepted the message.
        final: Whether the receiver no longer exists, so that another attempt is pointless.
        reason: Why it was not delivered, or an empty string.
    """

    delivered: bool
    final: bool = False
    reason: str = ""


class Webhook:
    """Where messages are sent.

    Args:
        url: An http or https URL without credentials. Redirects are not followed.
        secret: The key of signatures: `whsec_` and base64, or at least 16 other characters. None sends no signature.
        transport: Sends the messages. By default, a transport that uses the proxies of the environment.
        timeout: The seconds for one message, from name resolution to the head of the response.
    Raises: InvalidOption.
    """

    def __init__(
        self,
        url: str,
        secret: str | None = None,
        *,
        transport: HTTPTransport | None = None,
        timeout: float = _TIMEOUT,
    ) -> None:
        _check_url(url)
        self.url = url
        self._key = None if secret is None else _parse_secret(secret)
        self._transport = HTTPTransport() if transport is None else transport
        self._timeout = timeout

    def send(self, message_id: str, body: bytes, *, now: float) -> Attempt:
        """Send a message, and wait for the status of the response. Network failures are results.

        Args:
            message_id: The same for all attempts.
            body: JSON.
            now: Seconds since the epoch.
        """
        timestamp = str(int(now))
        headers = [
            ("Content-Type", "application/json"),
            ("User-Agent", default_user_agent(__version__)),
            ("webhook-id", message_id),
            ("webhook-timestamp", timestamp),
        ]
        if self._key is not None:
            headers.append(("webhook-signature", sign(self._key, message_id, timestamp, body)))
        request = TransportRequest(
            self.url,
            tuple(headers),
            max_bytes=0,
            connect_timeout=self._timeout,
            read_timeout=self._timeout,
            timeout=self._timeout,
            # The user chose the receiver, which is often on the same network.
            allow_private=True,
        )
        response = self._transport.post(request, body)
        if isinstance(response, Failure):
            return Attempt(delivered=False, reason=response.detail[:_MAX_REASON])
        if response.status // 100 == _SUCCESS:
            return Attempt(delivered=True)
        return Attempt(delivered=False, final=response.status == _GONE, reason=f"status {response.status}")


def sign(key: bytes, message_id: str, timestamp: str, body: bytes) -> str:
    """Return the value of `webhook-signature`."""
    signed = b".".join([message_id.encode(), timestamp.encode(), body])
    return "v1," + base64.b64encode(hmac.digest(key, signed, sha256)).decode()


def _check_url(url: str) -> None:
    problem = f"invalid webhook {quoted(redacted_url(url))}: "
    if not url.isprintable() or " " in url:
        raise InvalidOption(f"{problem}write spaces and control characters as escapes, such as %20")
    encoded = encode_text(url)
    if redact_credentials(encoded) != encoded:
        raise InvalidOption(f"{problem}user names and passwords are not supported: sign messages instead")
    try:
        # An encoded host also has no label that is empty or too long.
        parse_endpoint(url).host.encode("idna")
    except (InvalidURL, UnicodeError):
        raise InvalidOption(f"{problem}expected an http or https URL, such as 'https://example.com/hook'") from None
    except TransportError as error:
        raise InvalidOption(f"{problem}{error.detail}") from None


def _parse_secret(secret: str) -> bytes:
    if secret.startswith(_BASE64_PREFIX):
        try:
            key = base64.b64decode(secret.removeprefix(_BASE64_PREFIX), validate=True)
        except binascii.Error:
            raise InvalidOption("invalid webhook secret: expected base64 after whsec_") from None
    else:
        key = secret.encode()
    if len(key) < _MIN_SECRET_BYTES:
        raise InvalidOption(f"invalid webhook secret: expected at least {_MIN_SECRET_BYTES} bytes")
    return key
