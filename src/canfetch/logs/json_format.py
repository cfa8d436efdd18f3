"""JSON lines: Cloudflare Logpush, CloudFront, nginx, Caddy, Traefik, Google Cloud, and others by field names."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote

from canfetch.agents.identity import SignedRequest
from canfetch.core.quoting import quoted
from canfetch.core.text import encode_text
from canfetch.errors import InvalidOption
from canfetch.logs.log_blocks import Row, bad_row

# The first of these fields that an object has is used. A dot separates the keys of nested objects.
_NAMES: Final[dict[str, tuple[str, ...]]] = {
    "time": (
        "EdgeStartTimestamp",
        "time_iso8601",
        "@timestamp",
        "timestamp",
        "timestamp(ms)",
        "StartUTC",
        "time_local",
        "time",
        "ts",
        "msec",
        "datetime",
    ),
    "client": (
        "ClientIP",
        "remote_addr",
        "client_ip",
        "c-ip",
        "remote_ip",
        "ClientHost",
        "request.client_ip",
        "request.remote_ip",
        "httpRequest.remoteIp",
        "client",
        "ip",
    ),
    "target": (
        "ClientRequestURI",
        "request_uri",
        "cs-uri-stem",
        "RequestPath",
        "request.uri",
        "httpRequest.requestUrl",
        "uri",
        "path",
        "url",
        "target",
    ),
    "status": (
        "EdgeResponseStatus",
        "status",
        "sc-status",
        "DownstreamStatus",
        "httpRequest.status",
        "status_code",
        "response.status",
    ),
    "user_agent": (
        "ClientRequestUserAgent",
        "http_user_agent",
        "user_agent",
        "cs(User-Agent)",
        "request_User-Agent",
        "request.headers.User-Agent",
        "httpRequest.userAgent",
        "userAgent",
        "agent",
    ),
    "host": (
        "ClientRequestHost",
        "http_host",
        "x-host-header",
        "cs(Host)",
        "RequestHost",
        "request.host",
        "host",
        "server_name",
        "vhost",
    ),
    "method": (
        "ClientRequestMethod",
        "request_method",
        "RequestMethod",
        "request.method",
        "httpRequest.requestMethod",
        "cs-method",
        "method",
    ),
    "scheme": ("ClientRequestScheme", "RequestScheme", "scheme", "cs-protocol"),
}
# The names of objects with the header fields of a request: Cloudflare, Caddy, others.
_HEADERS: Final = ("RequestHeaders", "request.headers", "headers")
JSON_FIELDS: Final = (*_NAMES, "headers")
# CloudFront writes these, with the date and the time of day apart.
_QUERY: Final = "cs-uri-query"
_DATE: Final = "date"
_TIME_OF_DAY: Final = "time"
# CloudFront writes these percent-encoded.
_ENCODED: Final = "cs(User-Agent)"
_MAX_DEPTH_ERRORS: Final = (ValueError, RecursionError)


class JSONFormat:
    """One object a line.

    Args: names: The names of fields that differ from the known ones, by `JSON_FIELDS`. A dot leads into a nested
        object.
    Raises: InvalidOption: A key of `names` is unknown.
    """

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        given = dict(names or {})
        unknown = next((name for name in given if name not in JSON_FIELDS), None)
        if unknown is not None:
            raise InvalidOption(f"unknown log field {quoted(unknown)}: expected one of {', '.join(JSON_FIELDS)}")
        self._headers = (given["headers"],) if "headers" in given else _HEADERS
        self._names = {key: (given[key],) if key in given else known for key, known in _NAMES.items()}
        # The names that the last object had, which the next one probably has as well.
        self._last = {key: known[0] for key, known in self._names.items()}

    def rows(self, block: bytes) -> list[Row]:
        """Return the rows of whole lines.

        Args: block: Lines separated by a newline, without one at the end.
        Cost: O(bytes).
        """
        return [self._read(line) for line in block.split(b"\n")]

    def _read(self, line: bytes) -> Row:
        if not line.strip():
            return bad_row(b"")
        try:
            # nginx writes bytes of requests that are not UTF-8 as they are. `encode_text` returns them.
            entry = json.loads(line.decode("utf-8", "surrogateescape"))
        except _MAX_DEPTH_ERRORS:
            return bad_row(b"not valid JSON: " + line)
        if not isinstance(entry, dict):
            return bad_row(b"not a JSON object: " + line)
        when, client = self._find(entry, "time"), self._find(entry, "client")
        target, method = self._find(entry, "target"), ""
        if isinstance(request := entry.get("request"), str):
            method, _, rest = request.partition(" ")
            target = target or rest.rpartition(" ")[0] or rest
        if self._last["time"] == _TIME_OF_DAY and isinstance(date := entry.get(_DATE), str):
            when = f"{date}T{when}Z"
        if not (when and target):
            return bad_row(b"no field for the %b: %b" % (b"target" if when else b"time", line))
        if (query := entry.get(_QUERY)) and isinstance(query, str) and query != "-":
            target = f"{target}?{query}"
        host, sent = self._find(entry, "host"), target
        if "://" in target:
            own_host, target = _split_url(target)
            host = host or own_host
        user_agent = self._find(entry, "user_agent")
        if self._last["user_agent"] == _ENCODED:
            user_agent = unquote(user_agent)
        values = (host, client, when, target, self._find(entry, "status"), user_agent)
        # Most lines have no signature. Finding that out takes almost no time.
        signed = b"ignature" in line and self._signed_request(entry, method, host, sent)
        return (*map(encode_text, values), b"", signed or b"")  # type: ignore[return-value]  # six values and two

    def _signed_request(self, entry: dict[str, Any], method: str, host: str, target: str) -> SignedRequest | None:
        field = self._header_fields(entry)
        if field("signature-input") is None:
            return None
        scheme = self._find(entry, "scheme") or (target.partition(":")[0] if "://" in target else "https")
        # Other fields with the host may be those of the server's configuration.
        return SignedRequest(self._find(entry, "method") or method, scheme, field("host") or host, target, field)

    def _header_fields(self, entry: dict[str, Any]) -> Callable[[str], str | None]:
        objects = (_value(entry, name) for name in self._headers)
        found: dict[str, Any] = next((one for one in objects if isinstance(one, dict)), {})
        fields = {name.lower(): value for name, value in found.items()}

        def field(name: str) -> str | None:
            title = name.title()
            # Those of nginx and Traefik.
            names = (f"http_{name.replace('-', '_')}", f"request_{title}", name, title)
            values = (fields.get(name), *map(entry.get, names))
            value = next((one for one in values if one not in (None, "", "-")), None)
            if isinstance(value, list):
                value = ", ".join(map(str, value))
            return value if isinstance(value, str) else None

        return field

    def _find(self, entry: dict[str, Any], key: str) -> str:
        name = self._last[key]
        value = _lookup(entry, name)
        if value is None:
            for name in self._names[key]:
                value = _lookup(entry, name)
                if value is not None:
                    self._last[key] = name
                    break
        return "" if value is None or value == "-" else value


def _value(entry: dict[str, Any], name: str) -> Any:
    value = entry.get(name)
    if value is None and "." in name:
        value = entry
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
    return value


def _lookup(entry: dict[str, Any], name: str) -> str | None:
    value = _value(entry, name)
    if isinstance(value, list) and value:
        # Caddy writes each header as a list.
        value = value[0]
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(value)
    return None


def _split_url(url: str) -> tuple[str, str]:
    """Return the host of a URL, with its port, and the target."""
    authority, slash, rest = url.partition("://")[2].partition("/")
    return authority.rpartition("@")[2], f"/{rest}" if slash else "/"
