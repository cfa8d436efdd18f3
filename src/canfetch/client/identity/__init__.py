"""Verification of crawlers: does a request come from the crawler that its User-Agent header names?

    User-Agent header, address -> published addresses -> cache -> reverse and forward lookup -> Identity

Operators document three methods, and an entry of the registry names those of its crawler:

- published addresses: a file that `refresh_address_lists` keeps up to date;
- reverse DNS: the address has a name under the operator's domain, and that name resolves back to the address;
- signatures of requests, by keys of a directory that the operator publishes (Web Bot Auth). Sites that pass a
  `SignatureVerifier` check them first:

      SignedRequest -> profile -> directory with the key -> signature -> replays -> SignatureCheck

Invalid signatures are examined up to the limits of `failure_limits`, so that junk stays cheap.
Directories may be signed with their keys (`possession`).

A request is from an impostor only if every documented method that can be applied says so. If a method cannot decide,
because a lookup failed or a list is missing or old, the identity is undecided.

Recorded requests, of logs and files, are verified at their time: `recorded_requests` reads the head of one. `waiting`
runs verifications in threads and on event loops.

A crawler proves its own identity with `signing`: it signs requests with keys from `identity_file`, and publishes the
public ones, which `keys` reads.

Open `verifier.py` first, and `signature_verifier.py` for signatures. `agents/address_lists.py` and `agents/identity.py`
have the parts that need no network.
"""

from canfetch.agents.identity import SignedRequest
from canfetch.client.identity.recorded_requests import parse_request_head
from canfetch.client.identity.refreshing import AddressListFile, RefreshResult, refresh_address_lists
from canfetch.client.identity.signature_verifier import SignatureVerifier
from canfetch.client.identity.signing import SigningIdentity
from canfetch.client.identity.verifier import IdentityVerifier

__all__ = [
    "AddressListFile",
    "IdentityVerifier",
    "RefreshResult",
    "SignatureVerifier",
    "SignedRequest",
    "SigningIdentity",
    "parse_request_head",
    "refresh_address_lists",
]
