"""The response to a request for a file: methods, validators and conditional requests.

The only validator is the `ETag`, a hash of the content. A date does not identify the content: another setting,
environment or version renders a policy differently, and deployments can give new content the same or an older time.

Source: RFC 9110 sections 8.8, 9.3 and 13; RFC 9309 sections 2.3 and 2.4.
"""

import hashlib
from typing import Final

from canfetch.access.responses import Headers
from canfetch.integrations.serving.requests import Reply, Request, text_reply
from canfetch.integrations.serving.served_file import ETAG_DIGITS, ServedFile

_METHODS: Final = ("GET", "HEAD")
_ALLOW: Final = ("Allow", ", ".join(_METHODS))
_WEAK: Final = "W/"


def serve_file(request: Request, file: ServedFile, *, max_age: int, varies_by_host: bool = False) -> Reply:
    """Return the response with the file, or with 304 or 412 if the request is conditional.

    Args:
        request: A GET or HEAD request.
        file: The file.
        max_age: Seconds for which it may be cached.
        varies_by_host: Whether other hosts may have another file.
    """
    cache_control = "no-cache" if max_age == 0 else f"public, max-age={max_age}"
    validators = [("ETag", file.etag), ("Cache-Control", cache_control if file.is_stored else "no-store")]
    if varies_by_host:
        # The host is part of the URL, but the keys of some caches do not contain it, such as that of nginx by default.
        validators.append(("Vary", "Host"))
    status = _evaluate(request, file.etag)
    if status == 304:
        return Reply(304, tuple(validators), b"")
    if status == 412:
        return text_reply(request, 412, "412 Precondition Failed")
    headers = (
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Length", str(len(file.content))),
        *validators,
    )
    return Reply(200, headers, b"" if request.method == "HEAD" else file.content)


def serve_document(request: Request, fields: Headers, body: bytes) -> Reply:
    """Return the response with a document, or with 304 or 412 if the request is conditional.

    Args:
        request: A request.
        fields: The header fields of the document. Those of its signatures are those of a 304 as well.
        body: The document.
    """
    etag = f'"{hashlib.sha256(body).hexdigest()[:ETAG_DIGITS]}"'
    status = _evaluate(request, etag)
    if status == 412:
        return text_reply(request, 412, "412 Precondition Failed")
    headers = (*fields, ("ETag", etag))
    if status == 304:
        return Reply(304, tuple(field for field in headers if field[0] != "Content-Type"), b"")
    return Reply(200, (*headers, ("Content-Length", str(len(body)))), b"" if request.method == "HEAD" else body)


def refuse_method(request: Request) -> Reply | None:
    """Return the response to a request that is neither GET nor HEAD, or None."""
    if request.method in _METHODS:
        return None
    return text_reply(request, 405, "405 Method Not Allowed: use GET or HEAD", _ALLOW)


def _evaluate(request: Request, etag: str) -> int:
    """Return the status after the preconditions of a request, in the order of RFC 9110 section 13.2.2.

    Sections 13.1.3 and 13.1.4: without a modification date, If-Modified-Since and If-Unmodified-Since are ignored.
    """
    if_match = request.header("if-match")
    if if_match is not None and not _lists(if_match, etag, weak=False):
        return 412
    if_none_match = request.header("if-none-match")
    return 304 if if_none_match is not None and _lists(if_none_match, etag, weak=True) else 200


def _lists(field: str, etag: str, *, weak: bool) -> bool:
    """Return whether a list of entity tags is `*` or contains `etag`.

    No tag of canfetch contains a comma, so that a comma within another tag does no harm.
    """
    tags = [tag.strip() for tag in field.split(",")]
    return tags == ["*"] or etag in ((tag.removeprefix(_WEAK) if weak else tag) for tag in tags)
