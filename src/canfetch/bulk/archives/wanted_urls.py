"""The URLs of archives that are needed: robots.txt files, and the targets of redirects before or after them.

Tables of hashes, on disk, have the URLs that redirects lead to and the URLs whose captures were left out. Where they
meet, an archive is read again. A hash that two URLs share only costs time. A URL with http and the same one with https
share a hash, because the capture of a host counts for both.
"""

import sqlite3
from hashlib import blake2b
from typing import Final

from canfetch.bulk.reading.captures import is_robots_url

# The keys of targets come first: each URL is looked up there.
_TABLES: Final = """
create table if not exists targets (key integer, source integer, primary key (key, source)) without rowid;
create table if not exists other_urls (source integer, key integer, primary key (source, key)) without rowid;
"""


class WantedURLs:
    """The URLs that redirects lead to, and those that were left out.

    Args: connection: The database. The calls of a source are in one transaction of the caller, or in several.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.executescript(_TABLES)

    def begin_source(self, source: int) -> None:
        """Forget what an earlier run found in a source, because it is read from its start."""
        self._connection.execute("delete from targets where source = ?", (source,))
        self.begin_again(source)

    def begin_again(self, source: int) -> None:
        """Forget which URLs of a source were left out, but not where its redirects lead."""
        self._connection.execute("delete from other_urls where source = ?", (source,))

    def wants(self, source: int, url: str) -> bool:
        """Return whether a capture of a source is needed, and remember its URL if it is not."""
        if is_robots_url(url):
            return True
        key = _key(url)
        if self._connection.execute("select 1 from targets where key = ?", (key,)).fetchone() is not None:
            return True
        self._connection.execute("insert or ignore into other_urls values (?, ?)", (source, key))
        return False

    def add_target(self, source: int, url: str) -> None:
        """Add a URL that a redirect of a source leads to."""
        if not is_robots_url(url):
            self._connection.execute("insert or ignore into targets values (?, ?)", (_key(url), source))

    def missed(self) -> dict[int, int]:
        """Return the sources with URLs that were left out before a redirect to them was read, and their numbers."""
        query = (
            "select source, count(*) from other_urls where key in (select key from targets) "
            "group by source order by source"
        )
        return dict(self._connection.execute(query).fetchall())


def _key(url: str) -> int:
    digest = blake2b(
        url.removeprefix("http").removeprefix("s").encode("utf-8", "surrogatepass"), digest_size=8
    ).digest()
    return int.from_bytes(digest, "big", signed=True)
