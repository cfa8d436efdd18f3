"""Entries for the tests of stores, and a file of the first version."""

import sqlite3
from contextlib import closing
from pathlib import Path

from canfetch.access.entries import CacheEntry
from canfetch.access.fetch_plan import FetchResult, first_request, next_step
from canfetch.access.policies import get_policy
from canfetch.access.responses import Response
from canfetch.access.transitions import next_entry
from canfetch.core.origin import Origin

RULES = b"User-agent: *\nDisallow: /forbidden\n\xff\x00"


def make_entry(url: str = "https://example.com/", *, body: bytes = RULES, now: float = 1000.0) -> CacheEntry:
    """Return the entry of an origin after a successful fetch."""
    origin = Origin.from_url(url)
    policy = get_policy("rfc9309")
    request = first_request(origin)
    headers = (("ETag", '"one"'), ("Set-Cookie", "a=b"), ("Cache-Control", "max-age=600"))
    fetched = next_step(request, Response(request.url, 200, headers, body), policy)
    assert isinstance(fetched, FetchResult)
    return next_entry(None, origin, fetched, policy, now=now, seed=0)


def write_store_of_version_1(path: Path) -> None:
    """Write a file with the first schema."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE entries (origin TEXT PRIMARY KEY, entry TEXT NOT NULL) WITHOUT ROWID")
        connection.execute("CREATE TABLE leases (origin TEXT PRIMARY KEY, holder TEXT NOT NULL, until_seconds REAL)")
        connection.execute("INSERT INTO entries VALUES ('https://example.com', '{}')")
        connection.execute("PRAGMA user_version = 1")
