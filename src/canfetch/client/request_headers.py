"""Headers that the caller adds to every request, such as `From`."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from canfetch.access.responses import Headers
from canfetch.core.origin import Origin, find_origin
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

RequestHeaders = Mapping[str, str] | Collection[tuple[str, str]]

# RFC 9110 section 5.6.2.
TOKEN_CHARACTERS: Final = frozenset("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_BY_TRANSPORT: Final = "the transport sets it"
_CONDITIONAL: Final = "the option revalidate makes requests conditional"
_WHOLE_FILE: Final = "robots.txt is requested as a whole"
_REJECTED: Final = {
    **dict.fromkeys(
        (
            "accept-encoding",
            "connection",
            "content-length",
            "expect",
            "host",
            "http2-settings",
            "keep-alive",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
        ),
        _BY_TRANSPORT,
    ),
    **dict.fromkeys(("if-match", "if-modified-since", "if-none-match", "if-unmodified-since"), _CONDITIONAL),
    **dict.fromkeys(("if-range", "range"), _WHOLE_FILE),
    "proxy-authorization": "the URL of the proxy can contain the credentials",
    "user-agent": "the option user_agent sets it",
}
# Parts of the names of headers with credentials: Authorization, Cookie, X-Api-Key, CF-Access-Client-Secret, ...
_CREDENTIALS: Final = ("auth", "cookie", "credential", "key", "passw", "secret", "session", "token")


def is_header_name(name: str) -> bool:
    """Return whether a text is a token, as names of headers are."""
    return name != "" and TOKEN_CHARACTERS.issuperset(name)


def parse_request_headers(headers: Any) -> Headers:
    """Validate the headers of the option `headers`, and return them as pairs. Messages contain no values.

    Args: headers: A mapping, or a collection of pairs of name and value.
    Raises: InvalidOption: A header is invalid, or is one that the client or the transport sets.
    """
    pairs = list(headers.items() if isinstance(headers, Mapping) else headers) if _is_collection(headers) else None
    if pairs is None or not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise InvalidOption(
            f"invalid headers: expected a mapping such as {{'From': 'bot@example.com'}}, or pairs of name and value, "
            f"but got {type(headers).__name__}"
        )
    for name, value in pairs:
        if not isinstance(name, str) or not is_header_name(name):
            raise InvalidOption(f"invalid header name {quoted(name)}: expected a name such as 'From'")
        reason = _REJECTED.get(name.lower())
        if reason is not None:
            raise InvalidOption(f"header {name!r} cannot be added: {reason}")
        if not is_header_value(value):
            raise InvalidOption(f"invalid value of header {name!r}: expected a non-empty string of printable ASCII")
    return tuple((name, value.strip()) for name, value in pairs)


def combine_headers(defaults: Headers, added: Headers) -> Headers:
    """Return the headers of a request. An added header replaces default headers with the same name."""
    replaced = {name.lower() for name, _ in added}
    return (*(header for header in defaults if header[0].lower() not in replaced), *added)


def is_foreign(url: str, named: Collection[Origin | None]) -> bool:
    """Return whether the caller did not name the origin of a URL, so that no credentials are sent to it.

    This is the rule for credentials: a document or a redirect of a site chose the URL. The robots.txt of its origin is
    requested without credentials, too.

    Args: named: The origins of the URLs that the caller passed to a method or a command.
    """
    return find_origin(url) not in named


def without_credentials(headers: Headers) -> Headers:
    """Return the headers that may be sent to an origin that the caller did not name."""
    return tuple(header for header in headers if not has_credentials(header[0]))


def has_credentials(name: str) -> bool:
    """Return whether a header may contain credentials, by its name."""
    return any(part in name.lower() for part in _CREDENTIALS)


def is_header_value(value: object) -> bool:
    """Return whether `value` is a non-empty string of printable ASCII."""
    return isinstance(value, str) and value.isascii() and value.isprintable() and value.strip() != ""


def _is_collection(headers: object) -> bool:
    return isinstance(headers, Collection) and not isinstance(headers, str | bytes)
