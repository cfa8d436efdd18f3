"""The head of a request that was recorded, as a signature covers it."""

import re
from typing import Final

from canfetch.agents.identity import SignedRequest
from canfetch.client.request_headers import is_header_name
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

MAX_HEAD_BYTES: Final = 65_536
_REQUEST_LINE: Final = re.compile(r"([!#-'*+.^_`|~0-9A-Za-z-]+) ([^ ]+)(?: HTTP/[0-9](?:\.[0-9])?)?")
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_MAX_SHOWN: Final = 80


def parse_request_head(head: bytes) -> SignedRequest:
    """Return the request of a head: a line such as `GET /fish HTTP/1.1`, and a line for each header field.

    The target can be the whole URL. Otherwise, the scheme is https and the host that of the Host field. What follows an
    empty line is not read.

    Raises: InvalidOption: It is not the head of a request.
    Cost: O(bytes).
    """
    if len(head) > MAX_HEAD_BYTES:
        raise InvalidOption(f"the head of the request is longer than {MAX_HEAD_BYTES:,} bytes")
    first, *lines = (line.removesuffix("\r") for line in head.decode("latin-1").split("\n"))
    parts = _REQUEST_LINE.fullmatch(first)
    if parts is None:
        raise InvalidOption(f"invalid request line {quoted(first[:_MAX_SHOWN])}: expected METHOD URL, or METHOD PATH")
    fields = []
    for number, line in enumerate(lines, 2):
        if not line:
            break
        name, colon, value = line.partition(":")
        if not colon or not is_header_name(name):
            raise InvalidOption(f"invalid line {number} {quoted(line[:_MAX_SHOWN])}: expected NAME: VALUE")
        fields.append((name, value))
    method, target = parts.groups()
    request = SignedRequest.from_url(method, target if _URL.match(target) else "https://", fields)
    host = request.field("host")
    if request.authority and host in {None, request.authority}:
        return request
    # A URL of another host than that of the Host field is refused with its signatures.
    return request._replace(authority=host or "", target=target)
