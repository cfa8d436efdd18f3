"""Defects, put back one at a time, that show whether the simulation finds them.

Each replaces a piece of the source of a function, or of a statement. If the piece is no longer there, the defect has to
be written anew.
"""

import inspect
import sys
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from simulation.plans import Backend


class Change(NamedTuple):
    """A piece of the source of a function, or of a constant, and what replaces it."""

    module: str
    function: str
    old: str
    new: str


class Defect(NamedTuple):
    """A defect.

    Attributes:
        first_seed: The first seed that is tried.
        backend: Where the URLs are.
    """

    name: str
    description: str
    changes: tuple[Change, ...]
    first_seed: int = 0
    backend: Backend = "sqlite"


_QUEUE: Final = "canfetch.client.frontier.sqlite_queue"
_TURNS: Final = "canfetch.client.frontier.open_turns"
_TURN: Final = "canfetch.client.frontier.turn"
_RECRAWL: Final = "canfetch.client.frontier.recrawl"
_IDENTITY: Final = "canfetch.client.frontier.url_identity"
_ORIGINS: Final = "canfetch.client.frontier.origin_turns"
_GROUPS: Final = "canfetch.client.frontier.group_turns"
_GROUPING: Final = "canfetch.client.frontier.grouping"
_WORKER: Final = "canfetch.client.frontier.postgres_worker"
_STATEMENTS: Final = "canfetch.client.frontier.postgres_statements"
_HEARTBEAT: Final = "canfetch.client.frontier.heartbeat"
_CONNECTION: Final = "canfetch.client.frontier.postgres_connection"
_SERVICE: Final = "canfetch.client.frontier.urlfrontier_service"
_CALLS: Final = "canfetch.client.frontier.urlfrontier_connection"
_LEASES: Final = "canfetch.client.frontier.urlfrontier_leases"
_CHECKS: Final = "canfetch.client.frontier.origin_checks"
_QUEUES: Final = "canfetch.client.frontier.urlfrontier_queue"
_CLOCKS: Final = "canfetch.client.frontier.clocks"
_PROCEDURE: Final = "canfetch.client.procedure"
_SQLITE: Final = "canfetch.client.stores.sqlite"
_TRANSITIONS: Final = "canfetch.access.transitions"
_RECORDER: Final = "canfetch.client.evidence.recorder"
_HEADS: Final = "canfetch.client.evidence.unreferenced_heads"
_HISTORY: Final = "canfetch.client.watch.history"


def _defect(name: str, description: str, *changes: tuple[str, str, str, str], first_seed: int = 0) -> Defect:
    return Defect(name, description, tuple(Change(*change) for change in changes), first_seed)


def _postgres_defect(name: str, description: str, *changes: tuple[str, str, str, str]) -> Defect:
    return _defect(name, description, *changes)._replace(backend="postgresql")


def _service_defect(name: str, description: str, *changes: tuple[str, str, str, str]) -> Defect:
    return _defect(name, description, *changes)._replace(backend="urlfrontier")


DEFECTS: Final = (
    # Those that attacks had found before.
    _defect(
        "last-attempt",
        "the file does not open after a kill in the last attempt of an origin's only URL",
        (
            _QUEUE,
            "SQLiteQueue._resume",
            "coalesce((SELECT priority {queued}), (SELECT priority {delayed}), 0)",
            "(SELECT priority {queued})",
        ),
    ),
    _defect(
        "wall-clock",
        "delays are measured with the clock of the machine",
        (_CLOCKS, "FrontierClocks.now", "self._start + self._monotonic()", "self._clock()"),
        (_CLOCKS, "FrontierClocks.at", "self._start + self._monotonic()", "self._clock()"),
    ),
    _defect(
        "future-times",
        "times of the file that are in the future are kept",
        (
            _QUEUE,
            "SQLiteQueue._resume",
            '"WHERE phase != 0 OR in_flight > 0 OR due_at > ?",',
            '"WHERE phase != 0 AND due_at <= ?",',
        ),
    ),
    _defect(
        "any-scheme",
        "links that no transport can fetch are origins",
        ("canfetch.client.frontier.url_identity", "identify_url", "origin.scheme not in DEFAULT_PORTS", "False"),
    ),
    _defect(
        "failed-vanish",
        "URLs that failed are not listed",
        (_QUEUE, "SQLiteQueue._end_url", "state = 3", "state = 9"),
    ),
    _defect(
        "retry-at-once",
        "a URL that failed is tried again at once",
        (_TURNS, "OpenTurns.retry", "now.at + min(delay, MAX_RETRY_AFTER)", "now.at"),
    ),
    _defect(
        "dead-first",
        "origins that fail slowly are asked before those that respond",
        (_QUEUE, "SQLiteQueue.next_unchecked", "if self._is_random_next:", "if False:"),
    ),
    _defect(
        "local-is-unreachable",
        "a failure of this machine is an answer of the site",
        (_PROCEDURE, "_Procedure._fetch", "answer.kind is FailureKind.LOCAL", "False"),
    ),
    _defect(
        "unencodable-url",
        "a URL that HTTP clients cannot send is handed out",
        (_IDENTITY, "clean_url", "portable_text(text)", "text"),
        ("canfetch.client.frontier.queue_values", "url_text", "portable_text", "str"),
    ),
    _defect(
        "ended-twice",
        "a turn ends twice if `on_failure` raises an exception",
        (
            _TURN,
            "Turn.retry",
            "self._is_open = False\n    if failed is not None:\n        self._open_turns.report(failed)",
            "if failed is not None:\n        self._open_turns.report(failed)\n    self._is_open = False",
        ),
    ),
    _defect(
        "long-urls",
        "links of any length are added",
        (_IDENTITY, "identify_url", "len(encoded) > _MAX_BYTES", "False"),
    ),
    # One that the simulation found.
    _defect(
        "future-leases",
        "a lease of a process that died, acquired by a clock that was ahead, is held until then",
        (_SQLITE, "SQLiteStore.acquire_lease", "OR expires_at > ? OR", "OR expires_at > ? + 1e12 OR"),
    ),
    # Others.
    _defect(
        "done-stays",
        "a page that is done stays queued",
        (_QUEUE, "SQLiteQueue._end_url", "DELETE FROM urls WHERE id = ?", "UPDATE urls SET state = 0 WHERE id = ?"),
    ),
    _defect(
        "endless-attempts",
        "the number of attempts is not counted",
        (_QUEUE, "SQLiteQueue.take", "attempt = attempt + 1", "attempt = attempt"),
    ),
    _defect(
        "no-delay",
        "nothing waits for the delay of an origin",
        (_TURNS, "_due_after", "grant.pace, last_request_at=now.at", "grant.pace, last_request_at=None"),
        (_ORIGINS, "OriginTurns.choose", "last_request_at=origin.last_request_at", "last_request_at=None"),
        (_ORIGINS, "OriginTurns.choose", "checked.pace, last_request_at=now.at", "checked.pace, last_request_at=None"),
    ),
    _defect(
        "disallowed",
        "disallowed URLs are handed out",
        (_ORIGINS, "OriginTurns._decide_first", "if verdict.allowed:", "if True:"),
    ),
    _defect(
        "delayed-forever",
        "URLs that wait for another attempt are never queued again",
        (_QUEUE, "SQLiteQueue.queue_due_urls", "is not None", "is None and False"),
    ),
    _defect(
        "same-identity",
        "all URLs of an origin have the same identity",
        (_QUEUE, "SQLiteQueue.add", "origin, identity).rowcount", "origin, b'').rowcount"),
    ),
    _defect(
        "asleep",
        "an origin without URLs is not woken by a new one",
        (_QUEUE, "SQLiteQueue._wake", "if phase != Phase.IDLE:", "if True:"),
    ),
    _defect(
        "in-flight-stays",
        "URLs in flight are not queued again after a kill",
        (
            _QUEUE,
            "SQLiteQueue._resume",
            "UPDATE urls SET state = 0 WHERE state = 1",
            "UPDATE urls SET state = 0 WHERE state = 7",
        ),
    ),
    _defect(
        "retry-loses",
        "a URL that fails is lost",
        (_QUEUE, "SQLiteQueue._end_url", "if end.again_at is not None:", "if False:"),
    ),
    _defect(
        "two-transactions",
        "a turn is two transactions",
        (
            _QUEUE,
            "SQLiteQueue._end_url",
            "self._count(",
            '[self._execute(each) for each in ("COMMIT", "BEGIN IMMEDIATE")]; self._count(',
        ),
    ),
    # Pages that are visited again.
    _defect(
        "visited-early",
        "the interval between two visits is halved",
        (_TURNS, "OpenTurns.end", "now.at + visit.interval", "now.at + visit.interval / 2"),
    ),
    _defect(
        "visited-once",
        "a page is not visited again",
        (_QUEUE, "SQLiteQueue._end_url", "if end.again_at is not None:", "if end.result is Result.RETRIED:"),
    ),
    _defect(
        "visit-forgotten",
        "a page that fails is visited again without its validators",
        (_QUEUE, "SQLiteQueue._insert_again", "end.visit or url.visit", "end.visit"),
    ),
    _defect(
        "headers-dropped",
        "a page that has not changed loses the validators that its response omits",
        (_RECRAWL, "Recrawl.next_visit", "if changed is False:", "if False:"),
    ),
    _defect(
        "interval-below-minimum",
        "the shortest interval has no effect",
        (_RECRAWL, "Recrawl.interval", "max(last.interval * factor, shortest)", "last.interval * factor"),
    ),
    _defect(
        "skipped-early",
        "a page that is skipped is visited again at once",
        (_QUEUE, "SQLiteQueue._skip", "self._clock() + self._skip_seconds", "self._clock()"),
    ),
    _defect(
        "killed-early",
        "a page whose process died in its last attempt is visited again at once",
        (_QUEUE, "SQLiteQueue._fail_killed", "now + self._skip_seconds", "now"),
    ),
    # Groups of origins.
    _defect(
        "split-hosts",
        "each scheme and port of a host is a group",
        (_GROUPING, "group_name", "group_by is GroupBy.ORIGIN", "group_by in (GroupBy.ORIGIN, GroupBy.HOST)"),
    ),
    _defect(
        "split-domains",
        "each host of a registrable domain is a group",
        (_GROUPING, "group_name", "return domain or host", "return host"),
    ),
    _defect(
        "first-address",
        "the first address of a host counts, and not the smallest",
        (
            _GROUPING,
            "resolved_group",
            "min(addresses, key=lambda address: (address.version, int(address)))",
            "addresses[0]",
        ),
    ),
    _defect(
        "delay-of-origin",
        "a group waits for the delay of the next origin, and not for the strictest one",
        (
            _QUEUE,
            "SQLiteQueue.note_check",
            "(SELECT max(delay) FROM members WHERE origin = origins.id)",
            "(SELECT delay FROM members WHERE origin = origins.id AND name = '{member}')",
        ),
        (_QUEUE, "SQLiteQueue.note_check", '"WHERE id = ?"', 'f"WHERE id = ?".format(member=member)'),
    ),
    _defect(
        "uncounted-checks",
        "requests for robots.txt files are not requests to the group",
        (_GROUPS, "GroupTurns._request", "requested_at=now.at", "requested_at=None"),
        (_GROUPS, "GroupTurns.end_checks", "now.at if check.requested else None", "None"),
    ),
    _defect(
        "group-forgets",
        "the delays of the origins of a group are not stored",
        (
            _QUEUE,
            "SQLiteQueue.note_check",
            '"UPDATE members SET delay = ? WHERE name = ?", delay, member',
            '"SELECT 1"',
        ),
    ),
    _defect(
        "hosts-left-behind",
        "the URLs of a host that joins a group stay behind",
        (_QUEUE, "SQLiteQueue.resolve", '("urls", "known", "members")', '("known", "members")'),
    ),
    _defect(
        "resolved-again",
        "the host that joins a group is not remembered",
        (
            _QUEUE,
            "SQLiteQueue.resolve",
            '"INSERT OR IGNORE INTO members (name, origin) VALUES (?, ?)"',
            '"SELECT ?, ?"',
        ),
    ),
    # Stores.
    _defect(
        "no-lease",
        "a lease that another process has is acquired",
        (_SQLITE, "SQLiteStore.acquire_lease", "other is None or not has_ended(str(other[0]))", "other is None"),
        ("canfetch.client.stores.memory", "MemoryStore.acquire_lease", "return False", "return True"),
    ),
    _defect(
        "short-wait",
        "workers that waited for a killed one fetch all at once",
        (_PROCEDURE, "_Procedure._acquire_lease", "2 * self._options", "self._options"),
    ),
    _defect(
        "no-second-look",
        "a process that waited for a lease fetches again",
        (_PROCEDURE, "_Procedure._is_new_and_fresh", "return newer_entry", "return False and newer_entry"),
    ),
    _defect(
        "not-stored",
        "results are not stored",
        ("canfetch.client.resilient_store", "ResilientStore.put", "store.put(entry)", "pass"),
    ),
    _defect(
        "unsynced-store",
        "entries are not synchronised after a lease was acquired",
        (_SQLITE, "_without_sync", '"PRAGMA synchronous = FULL"', '"PRAGMA synchronous = NORMAL"'),
    ),
    _defect(
        "old-copy-wins",
        "a copy from before the clock was set back is new again later",
        ("canfetch.client.clock_watch", "ClockWatch.check", "<= MAX_CLOCK_SKEW", "<= 1e300"),
    ),
    _defect(
        "failure-drops-copy",
        "a failure replaces the last good copy",
        (_TRANSITIONS, "_next_copy", "return None if fetched.not_modified else last_good", "return None"),
    ),
    _defect(
        "no-backoff",
        "an origin that fails is asked again at once",
        (_TRANSITIONS, "next_entry", "wait = retry_delay(", "wait = 0.0 * retry_delay("),
    ),
    # Evidence.
    _defect(
        "unrecorded-turns",
        "the decision of a turn is not recorded",
        (_ORIGINS, "OriginTurns.choose", "self._record(first.queued.url, first.verdict, first.state)", "pass"),
    ),
    _defect(
        "broken-chain",
        "a line has the hash of the line before the last one",
        (_RECORDER, "EvidenceRecorder._write_record", "hash_line(line))", "record['previous'])"),
    ),
    _defect(
        "unsynced-evidence",
        "durable evidence is not synchronised",
        (_RECORDER, "EvidenceRecorder._write", "if self._durable:", "if False:"),
    ),
    _defect(
        "unsynced-references",
        "durable evidence refers to a line that is not synchronised",
        (_HEADS, "UnreferencedHeads.find", "heads if self._sync is None", "heads if True"),
        # Rare: another recorder has to open between the write and the fsync of the one that dies.
        first_seed=24_600,
    ),
    # Watched origins.
    _defect(
        "unsynced-history",
        "versions are not synchronised",
        (_HISTORY, "WatchHistory._prepare", '"PRAGMA synchronous = FULL"', '"PRAGMA synchronous = NORMAL"'),
    ),
    # Crawls on PostgreSQL.
    _postgres_defect(
        "first-beat",
        "a frontier cannot be opened if a connection breaks while it looks for expired leases",
        (
            _HEARTBEAT,
            "Heartbeat._try_to_work",
            "CLIENT_LOGGER.warning(",
            "if not hasattr(self, '_thread'):\n                raise\n            CLIENT_LOGGER.warning(",
        ),
    ),
    _postgres_defect(
        "shifted-twice",
        "requests after the clock of the server was set back are moved with those before it",
        (_STATEMENTS, "SHIFT_ORIGINS", "CASE WHEN last_request_at > %(now)s THEN", "CASE WHEN true THEN"),
        (_STATEMENTS, "SHIFT_ORIGINS", "CASE WHEN last_request_at > %(now)s THEN", "CASE WHEN true THEN"),
    ),
    _postgres_defect(
        "suspended-is-outage",
        "the time for which a process was suspended in a statement is an outage of the server",
        (
            _CONNECTION,
            "PostgresConnection._run",
            "failed_at: float | None = None",
            "failed_at: float | None = time.monotonic()",
        ),
        (
            _CONNECTION,
            "PostgresConnection._run",
            "min(now - failed_at, _LONGEST_PAUSE + _CONNECT_SECONDS)",
            "now - failed_at",
        ),
    ),
    _postgres_defect(
        "lease-never-ends",
        "an expired lease is not ended",
        (_STATEMENTS, "EXPIRED", "alive_until < least(", "alive_until < 0 * least("),
    ),
    _postgres_defect(
        "lease-not-renewed",
        "a lease is not renewed",
        (_STATEMENTS, "RENEW", " + %(lease)s", " + 0 * %(lease)s"),
    ),
    _postgres_defect(
        "outage-ends-leases",
        "leases that could not be renewed during an outage end",
        (_HEARTBEAT, "Heartbeat._beat", "was_set_back or now > seen_at + self._lease / 2", "was_set_back"),
    ),
    _postgres_defect(
        "delay-of-worker",
        "the delay of an origin is kept by the clock of the process, and not by that of the server",
        (_WORKER, "PostgresWorker.end", "ready_at=end.due_at,", "ready_in=end.due_at,"),
        (
            _STATEMENTS,
            "end_statement",
            'f"{_LANDED}, {_PLACED}"',
            'f"{_LANDED}, {_PLACED}".replace(f"{NOW} + %(ready_in)s", "%(ready_in)s")',
        ),
    ),
    _postgres_defect(
        "server-set-back",
        "waits are not counted from the new time when the clock of the server is set back",
        (_HEARTBEAT, "Heartbeat._beat", "if was_set_back:", "if False:"),
    ),
    # Crawls on URLFrontier.
    _service_defect(
        "suspended-call",
        "the time for which a process was suspended in a call is an outage of the service",
        (
            _CALLS,
            "URLFrontierConnection.repeat",
            "min(time.monotonic() - started, _CALL_SECONDS)",
            "time.monotonic() - started",
        ),
    ),
    _service_defect(
        "late-block",
        "a block that has ended is sent again, and replaces that of the next process",
        (_SERVICE, "CrawlService.block", "if end >= wall_clock():", "if True:"),
        (_SERVICE, "CrawlService._repeat_block", "and end >= wall_clock()", ""),
    ),
    _service_defect(
        "given-back-twice",
        "a URL that was perhaps given back is given back again",
        (
            _LEASES,
            "LeasedURLs._renew",
            "            del self._claims[claim.origin]\n            self._lost.append(claim.origin)\n",
            "",
        ),
        (
            _LEASES,
            "LeasedURLs._renew",
            "        elif ",
            "            del self._claims[claim.origin]\n            self._lost.append(claim.origin)\n        elif ",
        ),
    ),
    _service_defect(
        "unstored-delay",
        "the delay of an origin is lost if the lease of its group expires during the check",
        (_QUEUES, "URLFrontierQueue._new_claim", "self._unstored_delays.get(origin, {})", "{}"),
    ),
    _service_defect(
        "late-request",
        "a robots.txt is requested long after the permission, when another process has the group",
        (_CHECKS, "OriginChecks._obtain", "if permission.is_valid() else", "if True else"),
    ),
    _service_defect(
        "blocks-not-repeated",
        "blocks are not sent again after a restart of the service",
        (_SERVICE, "CrawlService._repeat_blocks", "if outages != self._outages else []", "if False else []"),
    ),
    _service_defect(
        "block-not-renewed",
        "the lease of a queue is not renewed",
        (_LEASES, "LeasedURLs._renew", "self._service.block_once(claim.node, claim.info.key, end)", "pass"),
    ),
    _service_defect(
        "clock-unread",
        "a process that was suspended does not look at its clock",
        (_LEASES, "LeasedURLs._is_lost", "if running_seconds() < claim.lost_at:", "if True:"),
        (_CALLS, "URLFrontierConnection.repeat", "if running_seconds() >= until:", "if False:"),
    ),
)


@contextmanager
def with_defect(defect: Defect) -> Iterator[None]:
    """Put a defect back for the block.

    Raises: LookupError: The source does not contain the piece that the defect replaces.
    """
    with ExitStack() as stack:
        for module_name, function in dict.fromkeys((change.module, change.function) for change in defect.changes):
            module = import_module(module_name)
            *owners, name = function.split(".")
            owner = module
            for each in owners:
                owner = getattr(owner, each)
            original = getattr(owner, name)
            is_text = isinstance(original, str)
            source = original if is_text else textwrap.dedent(inspect.getsource(original))
            for change in defect.changes:
                if (change.module, change.function) == (module_name, function):
                    if change.old not in source:
                        raise LookupError(f"{defect.name}: {function} does not contain {change.old!r}")
                    source = source.replace(change.old, change.new, 1)
            if is_text:
                stack.enter_context(patch.object(owner, name, source))
                continue
            names: dict[str, Any] = {}
            # With the names of the module itself, some of which the simulation replaces later.
            exec(compile(source, inspect.getsourcefile(module) or "", "exec"), vars(module), names)  # noqa: S102
            # Functions of a module are imported by name.
            users = [owner] if owners else [each for each in list(sys.modules.values()) if hasattr(each, name)]
            for user in users:
                if owners or getattr(user, name) is original:
                    stack.enter_context(patch.object(user, name, names[name]))
        yield
