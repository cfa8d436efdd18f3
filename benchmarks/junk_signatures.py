"""Measure what a request with a junk signature costs a middleware, beside an unsigned one of the same client.

    python -m benchmarks.junk_signatures

The times are those of the WSGI middleware, without a server, in turns. Each request has another signature. The last
column is the share of a core that 10,000 of these requests a second take. The keys of the crawler are fetched once,
without a network. Their thumbprints are public, so that anybody can name a known one.
"""

import base64
import io
import json
import os
import statistics
import time
from collections.abc import Iterator
from typing import Any

from tests.identity.signers import NOW, Signer

from canfetch.access.responses import Response
from canfetch.agents.address_lists import AddressLists
from canfetch.client.identity import IdentityVerifier, SignatureVerifier
from canfetch.client.transports import TransportRequest
from canfetch.integrations.serving import Enforcement, Site
from canfetch.integrations.wsgi import RobotsMiddleware

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
DIRECTORY = "https://signer.example/keys.json"
ROUNDS, REQUESTS = 15, 200


class Keys:
    """A transport without a network that responds with a set of keys, and counts."""

    def __init__(self, signer: Signer) -> None:
        self._body = json.dumps({"keys": [signer.jwk]}).encode()
        self.requests = 0

    def send(self, request: TransportRequest) -> Response:
        """Respond with the keys."""
        self.requests += 1
        headers = (("Content-Type", "application/http-message-signatures-directory+json"),)
        return Response(request.url, 200, headers, self._body)

    def close(self) -> None:
        """Do nothing."""


def environ(user_agent: str, fields: list[tuple[str, str]], query: str = "") -> dict[str, Any]:
    """Return a request."""
    target = f"/a?{query}" if query else "/a"
    own = {"PATH_INFO": "/a", "REQUEST_URI": target, "QUERY_STRING": query, "HTTP_HOST": "example.com"}
    own |= {
        "REQUEST_METHOD": "GET",
        "wsgi.url_scheme": "https",
        "REMOTE_ADDR": "8.8.8.8",
        "HTTP_USER_AGENT": user_agent,
    }
    headers = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in fields}
    return {**own, **headers, "wsgi.input": io.BytesIO()}


def four_signatures(known: Signer) -> tuple[list[tuple[str, str]], str]:
    """Return the fields and the query of a request that takes long: all that the profile accepts, by a known key."""
    names = [f"q{number}" for number in range(4)]
    covered = ['"@authority"', '"signature-agent";key="s"', *(f'"@query-param";name="{name}"' for name in names)]
    covered += [f'"x";key="k{number}"' for number in range(2)]
    signed = f"({' '.join(covered)}){known.parameters()}"
    labels = [f"l{number}" for number in range(4)]
    signatures = [f"{label}=:{base64.b64encode(os.urandom(64)).decode()}:" for label in labels]
    query = "&".join([*(f"{name}=1" for name in names), *("x=%41" for _ in range(120))])
    members = ",".join(f"k{number}" for number in range(400))
    return [
        ("Signature-Agent", f's="{DIRECTORY}"'),
        ("Signature-Input", ", ".join(f"{label}={signed}" for label in labels)),
        ("Signature", ", ".join(signatures)),
        ("X", members),
    ], query


def requests(known: Signer) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the kinds of requests.

    Args: known: The signer whose key is published.
    """
    signer = Signer()
    signed = [signer.headers(nonce=f"n{number}") for number in range(REQUESTS)]
    expired = [signer.headers(nonce=f"n{number}", expires=NOW - 100) for number in range(REQUESTS)]
    text = [("Signature-Input", "x" * 4000), ("Signature", "y" * 4000), ("Signature-Agent", "z" * 4000)]
    yield "browser, unsigned", [environ(BROWSER, [])] * REQUESTS
    yield "browser, signed with junk", [environ(BROWSER, one) for one in signed]
    yield "crawler, unsigned", [environ(GOOGLEBOT, [])] * REQUESTS
    yield "crawler, 12 KB that are not a signature", [environ(GOOGLEBOT, text)] * REQUESTS
    yield "crawler, expired signatures", [environ(GOOGLEBOT, one) for one in expired]
    yield "crawler, current signatures by an unknown key", [environ(GOOGLEBOT, one) for one in signed]
    wrong = [known.headers(nonce=f"n{number}", host="other.example") for number in range(REQUESTS)]
    yield "crawler, wrong signatures by a known key", [environ(GOOGLEBOT, one) for one in wrong]
    most = [four_signatures(known) for _ in range(REQUESTS)]
    yield "crawler, 4 wrong signatures of everything", [environ(GOOGLEBOT, *one) for one in most]


def main() -> None:
    """Print the table."""
    known = Signer()
    transport = Keys(known)
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
    kinds = dict(requests(known))
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
    reasons = ", ".join(f"{number:,} {reason}" for reason, number in sorted(site.stats.signatures.items()))
    print(f"\nfetches of the keys: {transport.requests}; results: {reasons}")


if __name__ == "__main__":
    main()
