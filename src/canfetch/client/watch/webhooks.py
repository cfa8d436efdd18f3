"""Webhooks: signed POST requests, as the Standard Webhooks specification defines them.

A receiver verifies `webhook-signature`, and drops a message whose `webhook-id` it has seen: a message that was sent is
sent again if the response was lost.

Source: https://www.standardwebhooks.com, version 1.0.0.
"""

import base64
import binascii
import hmac
import http.client
import urllib.error
import urllib.request
from hashlib import sha256
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from canfetch import __version__
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.core.text import printable_text
from canfetch.errors import InvalidOption
from canfetch.repository import default_user_agent

# Seconds before each further attempt, as the specification recommends: about three days in all.
RETRY_DELAYS: Final = (5.0, 300.0, 1_800.0, 7_200.0, 18_000.0, 36_000.0, 50_400.0, 72_000.0, 86_400.0)
_BASE64_PREFIX: Final = "whsec_"
_MIN_SECRET_BYTES: Final = 16
_TIMEOUT: Final = 15.0
_GONE: Final = 410
_MAX_REASON: Final = 200


class Attempt(NamedTuple):
    """The result of one request.

    Attributes:
        delivered: Whether the receiver accepted the message.
        final: Whether there is no point in another attempt.
        reason: Why it was not delivered, or an empty string.
    """

    delivered: bool
    final: bool = False
    reason: str = ""


class Webhook:
    """Where messages are sent.

    Args:
        url: An http or https URL. Redirects are not followed.
        secret: The key of signatures: `whsec_` and base64, or at least 16 other characters. None sends no signature.
    Raises: InvalidOption.
    """

    def __init__(self, url: str, secret: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidOption(f"invalid webhook {quoted(redacted_url(url))}: expected an http or https URL")
        self.url = url
        self._key = None if secret is None else _parse_secret(secret)
        self._opener = urllib.request.build_opener(_NoRedirects)

    def send(self, message_id: str, body: bytes, *, now: float) -> Attempt:
        """Send a message, and wait for the response. Network failures are results.

        Args:
            message_id: The same for all attempts.
            body: JSON.
            now: Seconds since the epoch.
        """
        timestamp = str(int(now))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": default_user_agent(__version__),
            "webhook-id": message_id,
            "webhook-timestamp": timestamp,
        }
        if self._key is not None:
            headers["webhook-signature"] = sign(self._key, message_id, timestamp, body)
        request = urllib.request.Request(self.url, body, headers, method="POST")  # noqa: S310 - checked above
        try:
            with self._opener.open(request, timeout=_TIMEOUT):
                return Attempt(delivered=True)
        except urllib.error.HTTPError as error:
            with error:
                return Attempt(delivered=False, final=error.code == _GONE, reason=f"status {error.code}")
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            return Attempt(delivered=False, reason=printable_text(str(reason))[:_MAX_REASON] or type(error).__name__)


def sign(key: bytes, message_id: str, timestamp: str, body: bytes) -> str:
    """Return the value of `webhook-signature`."""
    signed = b".".join([message_id.encode(), timestamp.encode(), body])
    return "v1," + base64.b64encode(hmac.digest(key, signed, sha256)).decode()


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


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    # The message is for the receiver that was configured, and no other.
    def redirect_request(self, *_: object, **__: object) -> None:
        return None
