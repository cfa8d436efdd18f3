"""Parts of a request that the framework parses although no endpoint needs them, or at a cost far above their size.

Before each endpoint, FastAPI parses the cookies and the whole query string on the event loop.
"""

from typing import Final

from starlette.types import Scope

# Endpoints have lists of 50 values at most. Parsing a field takes a few microseconds.
MAX_QUERY_FIELDS: Final = 256
_COOKIE: Final = b"cookie"


def without_cookies(scope: Scope) -> Scope:
    """Return the scope of a request without its cookies.

    No endpoint uses cookies, and `http.cookies` of Python before 3.11.10 and 3.12.6 unquotes a value in quadratic time.

    Source: CVE-2024-7592.
    """
    return {**scope, "headers": [field for field in scope["headers"] if field[0] != _COOKIE]}


def has_many_query_fields(scope: Scope) -> bool:
    """Return whether the query string of a request has too many fields, without parsing it."""
    query: bytes = scope.get("query_string", b"")
    return query.count(b"&") >= MAX_QUERY_FIELDS
