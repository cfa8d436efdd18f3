"""Measure what a request with a junk signature costs a middleware, beside an unsigned one of the same client.

    python -m benchmarks.junk_signatures

The times are those of the WSGI middleware, without a server, in turns. Each request has another signature. The last
column is the share of a core that 10,000 of these requests a second take. The keys of the crawler cannot be fetched, so
that nothing but the middleware is measured: a signature that is complete and current costs an attempt, once in minutes.
"""

import io
import statistics
import time
from collections.abc import Iterator
from typing import Any

from tests.identity.signers import NOW, Signer

from canfetch.access.responses import Failure, FailureKind
from canfetch.agents.address_lists import AddressLists
from canfetch.client.identity import IdentityVerifier, SignatureVerifier
from canfetch.client.transports import TransportRequest
from canfetch.integrations.serving import Enforcement, Site
from canfetch.integrations.wsgi import RobotsMiddleware

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
DIRECTORY = "https://signer.example/keys.json"
ROUNDS, REQUESTS = 15, 200


class Unreachable:
    """A transport without a network, which counts."""

    def __init__(self) -> None:
        self.requests = 0

    def send(self, request: TransportRequest) -> Failure:
        """Fail."""
        self.requests += 1
        return Failure(request.url, FailureKind.CONNECT, "refused")

    def close(self) -> None:
        """Do nothing."""


def environ(user_agent: str, fields: list[tuple[str, str]]) -> dict[str, Any]:
    """Return a request."""
    own = {"PATH_INFO": "/a", "REQUEST_URI": "/a", "QUERY_STRING": "", "HTTP_HOST": "example.com"}
    own |= {
        "REQUEST_METHOD": "GET",
        "wsgi.url_scheme": "https",
        "REMOTE_ADDR": "8.8.8.8",
        "HTTP_USER_AGENT": user_agent,
    }
    headers = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in fields}
    return {**own, **headers, "wsgi.input": io.BytesIO()}


def requests() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the kinds of requests."""
    signer = Signer()
    signed = [signer.headers(nonce=f"n{number}") for number in range(REQUESTS)]
    expired = [signer.headers(nonce=f"n{number}", expires=NOW - 100) for number in range(REQUESTS)]
    text = [("Signature-Input", "x" * 4000), ("Signature", "y" * 4000), ("Signature-Agent", "z" * 4000)]
    yield "browser, unsigned", [environ(BROWSER, [])] * REQUESTS
    yield "browser, signed with junk", [environ(BROWSER, one) for one in signed]
    yield "crawler, unsigned", [environ(GOOGLEBOT, [])] * REQUESTS
    yield "crawler, 12 KB that are no signature", [environ(GOOGLEBOT, text)] * REQUESTS
    yield "crawler, expired signatures", [environ(GOOGLEBOT, one) for one in expired]
    yield "crawler, current signatures by an unknown key", [environ(GOOGLEBOT, one) for one in signed]


def main() -> None:
    """Print the table."""
    transport = Unreachable()
    signatures = SignatureVerifier(
        hosts=["example.com"], directories={"Googlebot": DIRECTORY}, transport=transport, clock=lambda: NOW
    )
    identity = IdentityVerifier(address_lists=AddressLists({}), dns=False, signatures=signatures)
    enforcement = Enforcement(identity=identity, block_impostors=True, require_signature=["Googlebot"])
    site = Site(b"User-agent: *\nDisallow: /p\n", environment="production", enforcement=enforcement)

    def application(_: Any, respond: Any) -> list[bytes]:
        respond("200 OK", [])
        return [b"page"]

    def start_response(*_: Any) -> Any:
        """Ignore the response."""

    middleware = RobotsMiddleware(application, site)
    kinds = dict(requests())
    times: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(ROUNDS):
        for name, sent in kinds.items():
            copies = [dict(one) for one in sent]
            started = time.process_time()
            for one in copies:
                middleware(one, start_response)
            times[name].append((time.process_time() - started) / REQUESTS)
    print("| request | time | 10,000 a second |\n| --- | ---: | ---: |")
    for name, found in times.items():
        median = statistics.median(found)
        print(f"| {name} | {1e6 * median:.0f} us | {1e4 * median:.0%} of a core |")
    print(f"\nattempts to fetch the keys: {transport.requests}")


if __name__ == "__main__":
    main()
