"""The history of watched origins in one SQLite file, safe for several processes and after a crash.

What is recorded together is written in one transaction: a new version, its report, and the messages to send. A process
that is killed before has recorded nothing, so the next check finds the same change.
"""

import json
import secrets
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from canfetch.client.argument_checks import check_path
from canfetch.client.private_files import create_private_file
from canfetch.client.site_files import FileStep, KeptFile, SiteFile
from canfetch.client.sqlite_files import (
    CORRUPTION_ADVICE,
    DamagedRow,
    Transaction,
    check_file,
    check_hard_links,
    check_row,
    connect_file,
    connect_read_only,
    corruption_advice,
    enable_write_ahead_log,
    has_only_tables,
    sqlite_reason,
    without_new_log,
)
from canfetch.client.watch.observations import Observation
from canfetch.client.watch.past import KnownCopy, PastVerdict, seconds_of
from canfetch.client.watch.webhooks import RETRY_DELAYS, Attempt
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin
from canfetch.core.text import printable_text
from canfetch.core.times import printed_time
from canfetch.core.urls import AnyURL
from canfetch.core.verdict import Effect
from canfetch.errors import StoreError

if TYPE_CHECKING:
    from canfetch.consent.sources import PageResponse
    from canfetch.consent.verdict import UseVerdict

_VERSION: Final = 1
# "rcan" in ASCII: other programs, and `file`, can tell what the file is.
_APPLICATION_ID: Final = 0x7263616E
_BUSY_SECONDS: Final = 10.0
# The printed time of a version differs from its stored time by less, if an earlier version of this program stored it.
_ROUNDING_SECONDS: Final = 1e-6
# Versions of an origin that are kept. A site whose file changes with every request must not fill the disk.
MAX_VERSIONS: Final = 1_000
# For how long a process may check an origin before another one does.
_CLAIM_SECONDS: Final = 600.0
_CLAIMED_MESSAGE_SECONDS: Final = 60.0
# The longest time until the next attempt after each number of attempts. A message that has to wait longer was recorded
# by a clock that was ahead.
_LONGEST_WAITS: Final = " ".join(
    f"WHEN {attempts} THEN {max(delay, _CLAIMED_MESSAGE_SECONDS)}" for attempts, delay in enumerate(RETRY_DELAYS, 1)
)
_SELECT_DUE_MESSAGES: Final = f"""
SELECT id, body FROM messages
WHERE next_attempt_at <= ? OR next_attempt_at > ? + CASE attempts {_LONGEST_WAITS} ELSE {_CLAIMED_MESSAGE_SECONDS} END
ORDER BY next_attempt_at LIMIT ?
"""  # noqa: S608 - only numbers are inserted
_SCHEMA: Final = """
CREATE TABLE origins (origin TEXT PRIMARY KEY, checked_at REAL, claimed_until REAL NOT NULL);
CREATE TABLE contents (sha256 TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, origin TEXT NOT NULL, at REAL NOT NULL, effect TEXT NOT NULL, status INTEGER,
    explanation TEXT NOT NULL, sha256 TEXT, change TEXT);
CREATE INDEX versions_by_origin ON versions (origin, id);
CREATE INDEX versions_by_content ON versions (sha256);
CREATE TABLE messages (
    id TEXT PRIMARY KEY, body BLOB NOT NULL, attempts INTEGER NOT NULL, next_attempt_at REAL NOT NULL);
CREATE INDEX messages_by_time ON messages (next_attempt_at);
"""
# A history of an earlier version has no such table.
_FILES_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT NOT NULL, at REAL NOT NULL, data BLOB, problem TEXT, reason TEXT,
    moved TEXT, is_requested INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS files_by_url ON files (url, id)
"""
_SELECT_FILE: Final = "SELECT id, at, data, problem, reason, moved, is_requested FROM files WHERE url = ?"
_SELECT: Final = """
SELECT id, versions.origin, at, effect, status, explanation, versions.sha256, contents.data, change
FROM versions LEFT JOIN contents ON contents.sha256 = versions.sha256
"""


class Version(NamedTuple):
    """A version of an origin's robots.txt.

    Attributes:
        id: Its number.
        observation: What was observed first.
        change: The report on its difference from the previous version, with schema `canfetch.change/1`. None for the
            first version, and if only the text differs.
    """

    id: int
    observation: Observation
    change: dict[str, Any] | None


class Message(NamedTuple):
    """A message to send."""

    id: str
    body: bytes


class WatchHistory:
    """The versions of each origin, and the messages about their changes.

    Args:
        path: The file. It is created if it does not exist.
        read_only: Only read a file, which can be in a read-only folder.
    Raises: StoreError: The file cannot be created or opened, has hard links, or belongs to another program.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = check_path("path", path)
        check_file(self.path)
        self._cleanup = ExitStack()
        with self._converted_errors():
            try:
                if read_only:
                    self._cleanup.enter_context(without_new_log(path))
                    self._connection = connect_read_only(path, timeout=_BUSY_SECONDS)
                else:
                    self._connection = self._connect()
                self._cleanup.callback(self._connection.close)
                version = self._check_format(may_be_empty=not read_only)
                if not read_only:
                    self._prepare(version)
                query = "SELECT 1 FROM sqlite_master WHERE name = 'files'"
                self._has_files = self._connection.execute(query).fetchone() is not None
            except BaseException:
                self.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._cleanup.close()

    def claim(self, origin: str, *, now: float, every: float) -> bool:
        """Return whether an origin is due, and reserve it for this process.

        Args: every: Seconds between checks.
        """
        with self._transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO origins VALUES (?, NULL, 0)", (origin,))
            claimed = connection.execute(
                # A clock that went back must not stop the checks.
                "UPDATE origins SET claimed_until = ? WHERE origin = ? "
                "AND (claimed_until <= ? OR claimed_until > ?) "
                "AND (checked_at IS NULL OR checked_at <= ? OR checked_at > ?)",
                (now + _CLAIM_SECONDS, origin, now, now + _CLAIM_SECONDS, now - every, now),
            )
            return claimed.rowcount > 0

    def next_check_at(self, origins: list[str], *, every: float) -> float:
        """Return the time of the earliest check that is due, in seconds since the epoch."""
        times = []
        with self._converted_errors():
            for origin in origins:
                row = self._connection.execute("SELECT checked_at FROM origins WHERE origin = ?", (origin,)).fetchone()
                times.append(0.0 if row is None or row[0] is None else check_row(row, int | float)[0] + every)
        return min(times)

    def last_version(self, origin: str) -> Version | None:
        """Return the newest version of an origin, or None."""
        return next(self.versions(origin, newest_first=True), None)

    def versions(self, origin: str | None = None, *, newest_first: bool = False) -> Iterator[Version]:
        """Yield the versions of an origin, or of all origins, by default the oldest first."""
        order = "DESC" if newest_first else "ASC"
        where, values = ("", ()) if origin is None else ("WHERE versions.origin = ?", (origin,))
        with self._converted_errors():
            for row in self._connection.execute(f"{_SELECT} {where} ORDER BY id {order}", values):
                yield _to_version(row)

    def version(self, number: int) -> Version | None:
        """Return a version by its number, or None."""
        with self._converted_errors():
            row = self._connection.execute(f"{_SELECT} WHERE id = ?", (number,)).fetchone()
            return None if row is None else _to_version(row)

    def decide(self, url: AnyURL, *, at: datetime, agent: str | Agent, profile: str = "rfc9309") -> PastVerdict:
        """Decide whether an agent might fetch a URL at a time, by the version that was the newest one then.

        A version decides from the time of its check until that of the next one, both as they are printed, to the
        microsecond. Before the first version, the answer is not known.

        Args:
            url: An absolute URL.
            at: The time, with a time zone.
            agent: The agent.
            profile: How the file is parsed.
        Raises: InvalidURL, InvalidProductToken, UnknownProfile, StoreError; InvalidOption: `at` has no time zone;
            TypeError: `at` is not a datetime.
        Cost: Two lookups, and as `canfetch.parse`.
        """
        return self.copy_at(url, at=at).decide(url, agent=agent, profile=profile)

    def may_use(
        self,
        url: AnyURL,
        *,
        at: datetime,
        purpose: str,
        agent: str | Agent = "*",
        response: "PageResponse | None" = None,
        profile: str = "rfc9309",
    ) -> "UseVerdict":
        """Decide whether the content of a URL might be used for a purpose at a time, as `decide` does.

        tdmrep.json and licenses that were not recorded are sources that were not read. Before the first version,
        robots.txt is one as well.

        Args:
            url: The URL of the content.
            at: The time, with a time zone.
            purpose: As for `canfetch.may_use`.
            agent: Who collected the content.
            response: The response with the content at that time.
            profile: How the file is parsed.
        Returns: The verdict. The source `robots.txt` names the times of the version and of the next one, which
            `expires_at` has as well.
        Raises: As `decide` and `canfetch.may_use`.
        """
        known = self.copy_at(url, at=at)
        return known.may_use(url, purpose=purpose, agent=agent, response=response, profile=profile)

    def copy_at(self, url: AnyURL, *, at: datetime) -> KnownCopy:
        """Return what was known about the robots.txt of an origin at a time.

        Args:
            url: A URL of the origin.
            at: The time, with a time zone.
        Raises: As `decide`.
        """
        origin, seconds = Origin.from_url(url), seconds_of(at)
        name = str(origin)
        with self._converted_errors():
            # If a clock was set back, a version can have an earlier time than the one before it, but not its number.
            rows = self._connection.execute(
                f"{_SELECT} WHERE versions.origin = ? AND at <= ? ORDER BY id DESC", (name, seconds + _ROUNDING_SECONDS)
            )
            version = next((found for found in map(_to_version, rows) if found.observation.at <= seconds), None)
            rows.close()
            # All versions with greater numbers are later: the earliest one decides next.
            (next_at,) = self._connection.execute(
                "SELECT min(at) FROM versions WHERE origin = ? AND id > ?",
                (name, 0 if version is None else version.id),
            ).fetchone()
            if next_at is not None:
                next_at = printed_time(check_row((next_at,), int | float)[0])
        observation = None if version is None else version.observation
        return KnownCopy(origin, seconds, observation, next_at, partial(self.file_at, at=seconds))

    def file_at(self, step: FileStep, at: float) -> KeptFile | None:
        """Return a TDM file or a license as it was recorded at a time, or None if it was not recorded until then.

        Args:
            step: The step for the file.
            at: The time in seconds since the epoch.
        """
        if not self._has_files:
            return None
        with self._converted_errors():
            query = f"{_SELECT_FILE} AND at <= ? ORDER BY id DESC LIMIT 1"
            row = self._connection.execute(query, (step.url, at)).fetchone()
            if row is None:
                return None
            number, known_at, file = _to_file(row)
            query = "SELECT min(at) FROM files WHERE url = ? AND id > ?"
            (next_at,) = check_row(self._connection.execute(query, (step.url, number)).fetchone(), int | float | None)
        return KeptFile(file, inf if next_at is None else next_at, known_at)

    def record_file(self, url: str, file: SiteFile, *, now: float) -> bool:
        """Record a TDM file or a license, and return whether it differs from the one before.

        Args:
            url: The URL that was requested first.
            file: The file, as `Client.tdm_file` and `Client.license_file` return it.
            now: When it was requested, in seconds since the epoch.
        """
        with self._transaction() as connection:
            row = connection.execute(f"{_SELECT_FILE} ORDER BY id DESC LIMIT 1", (url,)).fetchone()
            if row is not None and _to_file(row)[2] == file:
                return False
            data = None if file.content is None else zlib.compress(file.content)
            row = (url, printed_time(now), data, file.problem, file.reason, file.url, file.is_requested)
            connection.execute(
                "INSERT INTO files (url, at, data, problem, reason, moved, is_requested) VALUES (?, ?, ?, ?, ?, ?, ?)",
                row,
            )
            connection.execute(
                "DELETE FROM files WHERE url = ?1 AND id <= "
                "(SELECT id FROM files WHERE url = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
                (url, MAX_VERSIONS),
            )
        return True

    def origins(self) -> list[str]:
        """Return the origins that have versions, sorted."""
        with self._converted_errors():
            return [row[0] for row in self._connection.execute("SELECT DISTINCT origin FROM versions ORDER BY origin")]

    def record_check(self, origin: str, *, now: float) -> None:
        """Record that an origin was checked, and did not change."""
        with self._transaction() as connection:
            _record_check(connection, origin, now)

    def record(
        self, observation: Observation, *, previous: Version | None, change: dict[str, Any] | None, sends: bool
    ) -> bool:
        """Record a new version, its report and its message. All of it is on the disk when this method returns.

        Args:
            previous: The version that the report compares it with.
            change: The report, or None.
            sends: Whether the report is sent.
        Returns: False if another process has recorded a version meanwhile. Nothing is recorded then.
        """
        with self._transaction() as connection:
            query = "SELECT max(id) FROM versions WHERE origin = ?"
            (newest,) = connection.execute(query, (observation.origin,)).fetchone()
            if newest != (None if previous is None else previous.id):
                return False
            if observation.content is not None:
                data = zlib.compress(observation.content)
                connection.execute("INSERT OR IGNORE INTO contents VALUES (?, ?)", (observation.sha256, data))
            report = None if change is None else json.dumps(change, ensure_ascii=False)
            connection.execute(
                "INSERT INTO versions (origin, at, effect, status, explanation, sha256, change) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    observation.origin,
                    printed_time(observation.at),
                    str(observation.effect),
                    observation.status,
                    observation.explanation,
                    observation.sha256,
                    report,
                ),
            )
            if report is not None and sends:
                row = f"msg_{secrets.token_hex(16)}", report.encode(), 0, observation.at
                connection.execute("INSERT INTO messages VALUES (?, ?, ?, ?)", row)
            _record_check(connection, observation.origin, observation.at)
            _delete_old_versions(connection, observation.origin)
        return True

    def claim_messages(self, *, due_at: float, now: float, limit: int) -> list[Message]:
        """Return messages that were due, reserved for this process for a minute, those that wait longest first.

        Args:
            due_at: When they were due at the latest, in seconds since the epoch.
            now: The current time, at or after `due_at`.
            limit: The largest number of messages.
        """
        with self._transaction() as connection:
            rows = connection.execute(_SELECT_DUE_MESSAGES, (due_at, now, limit)).fetchall()
            claimed_until = now + _CLAIMED_MESSAGE_SECONDS
            connection.executemany(
                "UPDATE messages SET next_attempt_at = ? WHERE id = ?", [(claimed_until, row[0]) for row in rows]
            )
            return [Message(*check_row(row, str, bytes)) for row in rows]

    def next_message_at(self) -> float | None:
        """Return when the next message is due, in seconds since the epoch, or None if no message waits."""
        with self._converted_errors():
            row = self._connection.execute("SELECT min(next_attempt_at) FROM messages").fetchone()
            time: float | None = check_row(row, int | float | None)[0]
            return time

    def record_attempt(self, message: Message, attempt: Attempt, *, now: float) -> bool:
        """Record the result of sending a message. After the last attempt it is dropped, but not the report.

        Returns: Whether it will be sent again.
        """
        with self._transaction() as connection:
            row = connection.execute("SELECT attempts FROM messages WHERE id = ?", (message.id,)).fetchone()
            attempts: int = 0 if row is None else check_row(row, int)[0]
            if attempt.delivered or attempt.final or not 0 <= attempts < len(RETRY_DELAYS):
                connection.execute("DELETE FROM messages WHERE id = ?", (message.id,))
                return False
            connection.execute(
                "UPDATE messages SET attempts = ?, next_attempt_at = ? WHERE id = ?",
                (attempts + 1, now + RETRY_DELAYS[attempts], message.id),
            )
        return True

    def _connect(self) -> sqlite3.Connection:
        with suppress(OSError):
            # SQLite says why a file cannot be created.
            create_private_file(self.path)
        check_hard_links(self.path)
        return connect_file(self.path, timeout=_BUSY_SECONDS)

    def _check_format(self, *, may_be_empty: bool) -> int:
        """Return the version of the file, or 0 if it is empty."""
        connection = self._connection
        # Another process may be creating the tables: read all three before or after that.
        connection.execute("BEGIN")
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        application = int(connection.execute("PRAGMA application_id").fetchone()[0])
        is_empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        connection.execute("COMMIT")
        if version > _VERSION and application == _APPLICATION_ID:
            raise StoreError(f"{self.path}: history version {version} is newer than {_VERSION}: upgrade canfetch")
        if version < 0 and application == _APPLICATION_ID:
            raise DamagedRow(f"unexpected version {version}")
        if is_empty and not may_be_empty:
            raise StoreError(f"{self.path}: the file is empty: use another file")
        if not is_empty and (application != _APPLICATION_ID or not has_only_tables(connection)):
            raise StoreError(f"{self.path}: the file is not a history: use another file")
        return version

    def _prepare(self, version: int) -> None:
        connection = self._connection
        enable_write_ahead_log(connection, _BUSY_SECONDS)
        connection.execute("PRAGMA synchronous = FULL")
        with self._transaction():
            for statement in _FILES_SCHEMA.split(";"):
                connection.execute(statement)
            # Another process may have created the tables since.
            if _VERSION in {version, connection.execute("PRAGMA user_version").fetchone()[0]}:
                return
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")

    def _transaction(self) -> Transaction:
        return Transaction(self._connection, self._converted_errors)

    @contextmanager
    def _converted_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            reason = f"{sqlite_reason(self.path, error)}{corruption_advice(error)}"
            raise StoreError(f"{self.path}: {reason}") from None
        except (zlib.error, ValueError) as error:
            # A row is damaged, in a place that SQLite does not check.
            raise StoreError(f"{self.path}: damaged: {printable_text(str(error))}; {CORRUPTION_ADVICE}") from None


def _record_check(connection: sqlite3.Connection, origin: str, now: float) -> None:
    connection.execute("INSERT OR REPLACE INTO origins VALUES (?, ?, 0)", (origin, now))


def _delete_old_versions(connection: sqlite3.Connection, origin: str) -> None:
    oldest = connection.execute(
        "SELECT id FROM versions WHERE origin = ? ORDER BY id DESC LIMIT 1 OFFSET ?", (origin, MAX_VERSIONS)
    ).fetchone()
    if oldest is not None:
        connection.execute("DELETE FROM versions WHERE origin = ? AND id <= ?", (origin, oldest[0]))
        connection.execute(
            "DELETE FROM contents WHERE NOT EXISTS (SELECT 1 FROM versions WHERE versions.sha256 = contents.sha256)"
        )


def _to_version(row: tuple[Any, ...]) -> Version:
    number, origin, at, effect, status, explanation, sha256, data, change = check_row(
        row, int, str, int | float, str, int | None, str, str | None, bytes | None, str | None
    )
    content = None if data is None else zlib.decompress(data)
    observation = Observation(origin, printed_time(at), Effect(effect), status, explanation, content)
    if observation.sha256 != sha256:
        raise ValueError(f"the SHA-256 of the content of version {number} is not that which was recorded")
    return Version(number, observation, None if change is None else _to_report(number, change))


def _to_file(row: tuple[Any, ...]) -> tuple[int, float, SiteFile]:
    number, at, data, problem, reason, moved, is_requested = check_row(
        row, int, int | float, bytes | None, str | None, str | None, str | None, int
    )
    content = None if data is None else zlib.decompress(data)
    return number, at, SiteFile(content, problem, reason, moved, bool(is_requested))


def _to_report(number: int, text: str) -> dict[str, Any]:
    try:
        report = json.loads(text)
    except RecursionError:
        report = None
    if not isinstance(report, dict):
        raise DamagedRow(f"the report of version {number} is not a JSON object")
    return report
