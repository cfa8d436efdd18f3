"""Measure what requests with junk signatures cost a middleware, and how much they slow unsigned ones.

    python -m benchmarks.junk_signatures

The times are those of the WSGI middleware, without a server, in turns. The crawler has to sign, and impostors are
refused. Each request has another signature. The keys of the crawler are fetched once, without a network. Their
thumbprints are public, so that anybody can name a known one.

- The first table has the time of a request. "Examined" is without the limits of invalid signatures, and "limited" after
  they are reached. Its last column is the share of a core that 10,000 limited requests a second take.
- The second table has the number of unsigned requests of browsers in a second: alone, and with 10,000 junk requests a
  second between them, in turns. The junk is the most expensive kind. The limits have their defaults, and are reached.
  One second is one of processor time, also for the limits. They read it from a variable: a call of the system for it
  takes ten times as long as one for the clock that they have by default.
"""

import base64
import io
import json
import os
import statistics
import time
from collections.abc import Iterator
from itertools import cycle
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
MOST = "crawler, 2 wrong signatures of everything"
DIRECTORY = "https://signer.example/keys.json"
ROUNDS, REQUESTS = 15, 200
# Of the second table.
TURNS, SECONDS, JUNK_PER_SECOND, ADDRESSES = 5, 1.0, 10_000, 10_000


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


class ProcessorTime:
    """The processor time of this process when it was last measured, in seconds."""

    def __init__(self) -> None:
        self.seconds = time.process_time()

    def __call__(self) -> float:
        """Return the time."""
        return self.seconds

    def measure(self) -> float:
        """Measure the time, and return it."""
        self.seconds = time.process_time()
        return self.seconds


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


def most_expensive(known: Signer) -> tuple[list[tuple[str, str]], str]:
    """Return the fields and the query of a request that takes long: all that the profile accepts, by a known key."""
    names = [f"q{number}" for number in range(4)]
    covered = ['"@authority"', '"signature-agent";key="s"', *(f'"@query-param";name="{name}"' for name in names)]
    covered += [f'"x";key="k{number}"' for number in range(2)]
    signed = f"({' '.join(covered)}){known.parameters()}"
    labels = [f"l{number}" for number in range(2)]
    signatures = [f"{label}=:{base64.b64encode(os.urandom(64)).decode()}:" for label in labels]
    query = "&".join([*(f"{name}=1" for name in names), *("x=%41" for _ in range(28))])
    members = ",".join(f"k{number}" for number in range(125))
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
    most = [most_expensive(known) for _ in range(REQUESTS)]
    yield MOST, [environ(GOOGLEBOT, *one) for one in most]


def application(_: Any, respond: Any) -> list[bytes]:
    """Respond with a page."""
    respond("200 OK", [])
    return [b"page"]


def start_response(*_: Any) -> Any:
    """Ignore the response."""


def new_middleware(transport: Keys, **limits: Any) -> tuple[RobotsMiddleware, Site]:
    """Return a middleware that requires signatures of Googlebot, and its site."""
    signatures = SignatureVerifier(
        hosts=["example.com"], directories={"Googlebot": DIRECTORY}, transport=transport, clock=lambda: NOW, **limits
    )
    identity = IdentityVerifier(address_lists=AddressLists({}), dns=False, signatures=signatures)
    enforcement = Enforcement(identity=identity, block_impostors=True, require_signature=["Googlebot"])
    site = Site(b"User-agent: *\nDisallow: /p\n", environment="production", enforcement=enforcement)
    return RobotsMiddleware(application, site), site


def time_of(middleware: RobotsMiddleware, sent: list[dict[str, Any]]) -> float:
    """Return the processor time of a request."""
    copies = [dict(one) for one in sent]
    started = time.process_time()
    for one in copies:
        middleware(one, start_response)
    return (time.process_time() - started) / len(sent)


def from_peers(sent: list[dict[str, Any]], peers: Iterator[str]) -> Iterator[dict[str, Any]]:
    """Yield requests without end, each from the next address. They are changed in place, at almost no cost."""
    for one, peer in zip(cycle(sent), peers, strict=False):
        one["REMOTE_ADDR"] = peer
        yield one


def unsigned_per_second(
    middleware: RobotsMiddleware, clock: ProcessorTime, junk: Iterator[dict[str, Any]] | None
) -> float:
    """Return how many unsigned requests are answered in a second, with junk between them or without."""
    unsigned = environ(BROWSER, [])
    answered, due = 0, 0.0
    started = clock.measure()
    while (elapsed := clock.measure() - started) < SECONDS:
        if junk is not None:
            while due < elapsed * JUNK_PER_SECOND:
                middleware(next(junk), start_response)
                due += 1
        for _ in range(100):
            middleware(unsigned, start_response)
        answered += 100
    return answered / elapsed


def print_times(known: Signer) -> None:
    """Print the first table."""
    kinds = dict(requests(known))
    transports = Keys(known), Keys(known)
    examined, site = new_middleware(transports[0], max_failures_per_minute=10**9, max_failure_time=1e9)
    limited, other = new_middleware(transports[1])
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in kinds}
    for sent in kinds.values():
        time_of(limited, sent)
    for _ in range(ROUNDS):
        for name, sent in kinds.items():
            for found, middleware in zip(times[name], (examined, limited), strict=True):
                found.append(time_of(middleware, sent))
    print("| request | examined | limited | 10,000 a second |\n| --- | ---: | ---: | ---: |")
    for name, columns in times.items():
        first, last = map(statistics.median, columns)
        print(f"| {name} | {1e6 * first:.0f} us | {1e6 * last:.0f} us | {1e4 * last:.0%} of a core |")
    for transport, one in zip(transports, (site, other), strict=True):
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in sorted(one.stats.signatures.items()))
        print(f"\nfetches of the keys: {transport.requests}; results: {reasons}")


def print_slowdown(known: Signer) -> None:
    """Print the second table."""
    most = dict(requests(known))[MOST]
    print("\n| junk, 10,000 a second | unsigned requests a second | share |\n| --- | ---: | ---: |")
    for name, addresses in (("of one address", 1), (f"of {ADDRESSES:,} addresses", ADDRESSES)):
        peers = [f"8.{number // 250}.{number % 250}.8" for number in range(addresses)]
        transport = Keys(known)
        clock = ProcessorTime()
        middleware, site = new_middleware(transport, monotonic=clock)
        # A valid one, whose address is exempt from the limits.
        middleware({**environ(GOOGLEBOT, known.headers()), "REMOTE_ADDR": "9.9.9.9"}, start_response)
        junk = from_peers(most, cycle(peers))
        # Until the limits are reached. They accept more after a quiet time.
        unsigned_per_second(middleware, clock, junk)
        turns = [
            (unsigned_per_second(middleware, clock, None), unsigned_per_second(middleware, clock, junk))
            for _ in range(TURNS)
        ]
        alone, between = (statistics.median(column) for column in zip(*turns, strict=True))
        share = statistics.median(after / before for before, after in turns)
        print(f"| {name} | {alone:,.0f} alone, {between:,.0f} with junk | {share:.1%} |")
        assert transport.requests == 1
        assert sum(site.stats.signatures.values()) >= JUNK_PER_SECOND * SECONDS * TURNS


def main() -> None:
    """Print the tables."""
    known = Signer()
    print_times(known)
    print_slowdown(known)


if __name__ == "__main__":
    main()
