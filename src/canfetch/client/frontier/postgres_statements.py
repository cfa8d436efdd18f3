"""The statements of a frontier on PostgreSQL. Each is one transaction, and can be repeated after it was committed.

What a worker does with its origins and URLs begins with the row of the worker, which the process that takes over the
origins of a dead worker locks first, too. So a worker that was suspended finds that row gone, and changes nothing.
`ADD_ORIGINS`, `ADD_MEMBERS`, `DEFER` and `NOTE_REQUEST` do not need that row, and `QUEUE_CHOSEN` is for callers that
have none.

Transactions lock the crawl, its workers, and origins in this order, and origins in the order of their IDs, so that no
two of them wait for one another there. `CLAIM` does not wait for origins.

URLs are locked before or after their origins. The URLs that failed are locked by `QUEUE_FAILED` and `QUEUE_CHOSEN`, in
the order of their IDs. All others belong to one worker at a time, and are locked after its row, or after that of the
crawl by a process that has locked the rows of the workers, too.

A statement that gives an origin back looks for its next URL in the snapshot of its beginning. A process that adds a URL
in that moment marks the origin with `has_new_urls`, which is read in the newest version of the row.
"""

# ruff: noqa: S608 - statements are made of parts of this module only
from functools import cache
from typing import Final

from canfetch.client.frontier.grouping import UNRESOLVED

NOW: Final = "extract(epoch FROM clock_timestamp())::float8"
_ME: Final = "me AS (SELECT id FROM canfetch_workers WHERE id = %(worker)s FOR NO KEY UPDATE)"
# The condition for rows of this worker whose key is known. With `=`, the server may use the index of all rows in this
# state instead of the key, and read each entry of it, also those of rows that have left the state.
_OWNED_BY_ME: Final = "state IS NOT DISTINCT FROM {} AND worker IS NOT DISTINCT FROM %(worker)s"
_OWNED: Final = f"id = %(origin)s AND {_OWNED_BY_ME.format(3)}"
# If a group no longer exists, because it has joined another one, the statement does not find its worker.
_ME_CURRENT: Final = _ME.replace(
    " FOR NO",
    """ AND NOT EXISTS (
    SELECT 1 FROM unnest(%(origins)s::bigint[]) AS given (id)
    WHERE NOT EXISTS (SELECT 1 FROM canfetch_origins AS o WHERE o.id = given.id)
) FOR NO""",
)
# For a statement whose loss in a crash of the server does no harm: the commit does not wait for the disk.
_ME_UNSYNCED: Final = (
    "me AS (SELECT id, set_config('synchronous_commit', 'off', true) FROM canfetch_workers WHERE id = %(worker)s "
    "FOR NO KEY UPDATE)"
)
_HAS_ME: Final = "EXISTS (SELECT 1 FROM me)"
_ALIVE: Final = f"SELECT {_HAS_ME}"
_DELAYED_PRIORITY: Final = "%(delayed_priority)s::float8"
_QUEUED_PRIORITY: Final = "NULL::float8"
# Until when an origin waits. A host without a known address is looked up meanwhile, so that its group waits, too.
_HELD_UNTIL: Final = f"CASE WHEN left(o.name, 1) <> '{UNRESOLVED}' THEN {{}} END"
_READY_AT: Final = f"greatest({NOW} + %(ready_in)s, {_HELD_UNTIL.format('o.retry_at')})"
# The columns of an origin that is given back: when it is due, and with which priority.
# Parameters: `ready_in` seconds, and what the same statement changes: `skipped` URLs, and a URL that it delays.
_PLACED: Final = f"""
    worker = NULL,
    has_new_urls = false,
    ready_at = {_READY_AT},
    (state, priority, due_at) = (
        SELECT
            CASE WHEN queued IS NULL AND delayed_at IS NULL AND NOT o.has_new_urls THEN 0 ELSE 1 END,
            greatest(coalesce(queued, delayed, 0), CASE WHEN o.has_new_urls THEN o.priority END),
            CASE WHEN queued IS NULL AND NOT o.has_new_urls
                THEN greatest(ready_at, delayed_at) ELSE ready_at END
        FROM (
            SELECT
                {_READY_AT} AS ready_at,
                greatest({_QUEUED_PRIORITY}, (
                    SELECT priority FROM canfetch_urls WHERE origin = o.id AND state = 0
                    AND id <> ALL (%(skipped)s::bigint[]) ORDER BY priority DESC, id LIMIT 1
                )) AS queued,
                least({NOW} + %(delayed_in)s::float8, (
                    SELECT due_at FROM canfetch_urls WHERE origin = o.id AND state = 2 ORDER BY due_at LIMIT 1
                )) AS delayed_at,
                coalesce((
                    SELECT priority FROM canfetch_urls WHERE origin = o.id AND state = 2 ORDER BY due_at LIMIT 1
                ), {_DELAYED_PRIORITY}) AS delayed
        ) AS next
    )"""
# What is known after a turn. `is_failure` is null if nothing is known, and `retry_in` if nothing was asked for.
_LANDED: Final = f"""
    last_request_at = {NOW},
    retry_at = greatest(o.retry_at, {NOW} + %(retry_in)s::float8),
    failures = CASE WHEN %(is_failure)s::boolean IS NULL THEN o.failures
        WHEN %(is_failure)s::boolean THEN o.failures + 1 ELSE 0 END"""
_SKIPPED: Final = f"""
skipped AS (
    DELETE FROM canfetch_urls WHERE origin = %(origin)s AND id = ANY (%(skipped)s::bigint[]) AND {_HAS_ME} RETURNING 1
),
counted AS (
    UPDATE canfetch_workers SET skipped = skipped + (SELECT count(*) FROM skipped)
    WHERE id = %(worker)s AND EXISTS (SELECT 1 FROM skipped)
)"""
_SKIPPED_OF_MANY: Final = _SKIPPED.replace("origin = %(origin)s", "origin = ANY (%(origins)s::bigint[])")


@cache
def keeping_skipped(statement: str) -> str:
    """Return a statement by which skipped URLs are not dropped, but wait for `skip_in` seconds."""
    kept = f"""
kept AS (
    INSERT INTO canfetch_urls (origin, crawl, url, priority, depth, metadata, visit, state, due_at, ended)
    SELECT origin, crawl, url, priority, depth, metadata, visit, 2, {NOW} + %(skip_in)s::float8, 2 FROM skipped
)"""
    for skipped in (_SKIPPED, _SKIPPED_OF_MANY):
        statement = statement.replace(skipped, f"{skipped.replace('RETURNING 1', 'RETURNING *')},{kept}")
    return statement


REGISTER: Final = f"""
WITH crawl AS (
    INSERT INTO canfetch_crawls (name, seen_at, group_by) VALUES (%(crawl)s, {NOW}, %(group_by)s)
    ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id, group_by
),
worker AS (
    INSERT INTO canfetch_workers (crawl, name, alive_until, reads_sources)
    SELECT id, %(name)s, {NOW} + %(lease)s, %(reads_sources)s FROM crawl WHERE group_by = %(group_by)s RETURNING id
)
SELECT (SELECT id FROM worker), id, group_by FROM crawl"""

# Half of the origins are the first in the order of turns, and half are drawn at random from the first priority. All
# that have become due are marked as ready.
CLAIM: Final = f"""
WITH {_ME_UNSYNCED},
waiting AS (
    SELECT id, priority, due_at FROM canfetch_origins
    WHERE crawl = %(crawl)s AND state = 1 AND due_at <= (SELECT {NOW}) AND {_HAS_ME}
    ORDER BY due_at, id LIMIT 1000 FOR UPDATE SKIP LOCKED
),
ready AS (
    SELECT id, priority, due_at FROM canfetch_origins WHERE crawl = %(crawl)s AND state = 2 AND {_HAS_ME}
    ORDER BY priority DESC, due_at, id LIMIT %(limit)s FOR UPDATE SKIP LOCKED
),
top AS (
    SELECT priority FROM canfetch_origins WHERE crawl = %(crawl)s AND state = 2 ORDER BY priority DESC LIMIT 1
),
span AS (
    SELECT (
        SELECT id FROM canfetch_origins WHERE crawl = %(crawl)s AND state = 2
        AND priority = (SELECT priority FROM top) ORDER BY id LIMIT 1
    ) AS low, (
        SELECT id FROM canfetch_origins WHERE crawl = %(crawl)s AND state = 2
        AND priority = (SELECT priority FROM top) ORDER BY id DESC LIMIT 1
    ) AS high
),
starts AS MATERIALIZED (
    SELECT low + floor(random() * (high - low + 1))::bigint AS id FROM span, generate_series(1, %(limit)s / 2)
),
drawn AS (
    SELECT found.* FROM starts CROSS JOIN LATERAL (
        SELECT id, priority, due_at FROM canfetch_origins
        WHERE crawl = %(crawl)s AND state = 2 AND priority = (SELECT priority FROM top)
        AND id >= starts.id AND {_HAS_ME}
        ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
    ) AS found
),
ranked AS (
    SELECT id, row_number() OVER (ORDER BY max(priority) DESC, bool_or(is_drawn) DESC, min(due_at), id) AS rank
    FROM (
        SELECT *, false AS is_drawn FROM waiting
        UNION ALL SELECT *, false FROM ready
        UNION ALL SELECT *, true FROM drawn
    ) AS candidates GROUP BY id
)
UPDATE canfetch_origins AS o SET
    state = CASE WHEN rank <= %(limit)s THEN 3 ELSE 2 END,
    worker = CASE WHEN rank <= %(limit)s THEN %(worker)s END,
    has_new_urls = false
FROM ranked WHERE o.id = ranked.id AND (rank <= %(limit)s OR o.state = 1)
RETURNING rank, o.id, o.name, o.state, o.priority, o.due_at, o.last_request_at, o.retry_at, o.failures,
    o.delay, {NOW}"""

FIRST_URLS: Final = f"""
SELECT o.id, u.id, u.url, u.priority, u.attempt, u.depth, u.metadata, u.visit,
    (SELECT due_at - {NOW} FROM canfetch_urls WHERE origin = o.id AND state = 2 ORDER BY due_at LIMIT 1)
FROM unnest(%(origins)s::bigint[]) AS o (id)
LEFT JOIN LATERAL (
    SELECT id, url, priority, attempt, depth, metadata, visit FROM canfetch_urls WHERE origin = o.id AND state = 0
    ORDER BY priority DESC, id LIMIT %(limit)s
) AS u ON true"""

NEWEST_URL: Final = "SELECT coalesce(max(id), 0) FROM canfetch_urls WHERE origin = %(origin)s"

# A claimed origin can have been deferred, by any process.
_GIVEN_BACK: Final = f"UPDATE canfetch_origins SET state = CASE WHEN due_at > {NOW} THEN 1 ELSE 2 END, worker = NULL"

# After a connection broke: claims that the server has and the worker does not know.
GIVE_BACK_OTHERS: Final = f"""
WITH {_ME},
others AS (
    SELECT id FROM canfetch_origins
    WHERE worker = %(worker)s AND state = 3 AND id <> ALL (%(origins)s::bigint[]) AND {_HAS_ME}
    ORDER BY id FOR NO KEY UPDATE
)
{_GIVEN_BACK} WHERE id = ANY (ARRAY(SELECT id FROM others))"""

GIVE_BACK: Final = f"""
WITH {_ME_UNSYNCED},
idle AS (
    SELECT id FROM canfetch_origins
    WHERE id = ANY (%(origins)s::bigint[]) AND {_OWNED_BY_ME.format(3)} AND {_HAS_ME} ORDER BY id FOR NO KEY UPDATE
)
{_GIVEN_BACK} WHERE id = ANY (ARRAY(SELECT id FROM idle))"""

# The time is a subquery, because a volatile function cannot be the bound of an index.
QUEUE_DUE: Final = f"""
WITH {_ME_UNSYNCED},
due AS (
    SELECT id, ended FROM canfetch_urls
    WHERE origin = %(origin)s AND state = 2 AND {_HAS_ME}
    AND due_at <= (SELECT CASE WHEN %(limit)s::int IS NULL THEN 'infinity'::float8 ELSE {NOW} END)
    AND (ended IS NULL OR due_at <= (SELECT {NOW}))
    ORDER BY due_at LIMIT %(limit)s::int FOR UPDATE
),
queued AS (
    UPDATE canfetch_urls SET state = 0, ended = NULL WHERE origin = %(origin)s AND id = ANY (ARRAY(SELECT id FROM due))
)
UPDATE canfetch_workers SET
    done = done - (SELECT count(*) FROM due WHERE ended = 1),
    skipped = skipped - (SELECT count(*) FROM due WHERE ended = 2),
    failed = failed - (SELECT count(*) FROM due WHERE ended = 3)
WHERE id = %(worker)s AND EXISTS (SELECT 1 FROM due WHERE ended IS NOT NULL)"""

DELAY_URLS: Final = f"""
WITH {_ME}
UPDATE canfetch_urls SET state = 2, due_at = {NOW} + %(delayed_in)s, error = %(error)s
WHERE origin = %(origin)s AND id = ANY (%(urls)s::bigint[]) AND state IS NOT DISTINCT FROM 0 AND {_HAS_ME}"""

# The request for the robots.txt of a group's origin, and the delay that it sets.
NOTE_CHECK: Final = f"""
WITH {_ME},
mine AS (
    SELECT id FROM canfetch_origins WHERE {_OWNED} AND {_HAS_ME} FOR NO KEY UPDATE
),
member AS (
    UPDATE canfetch_members SET delay = %(delay)s::float8
    WHERE crawl = %(crawl)s AND name = %(member)s AND %(delay)s::float8 IS NOT NULL AND EXISTS (SELECT 1 FROM mine)
),
noted AS (
    UPDATE canfetch_origins AS o SET
        last_request_at = CASE WHEN %(is_request)s::boolean THEN {NOW} ELSE o.last_request_at END,
        delay = CASE WHEN %(delay)s::float8 IS NULL THEN o.delay ELSE greatest(%(delay)s::float8, (
            SELECT max(delay) FROM canfetch_members WHERE origin = o.id AND name <> %(member)s
        )) END
    WHERE id IN (SELECT id FROM mine) RETURNING delay
)
SELECT {_HAS_ME}, (SELECT delay FROM noted)"""

WAIT: Final = f"""
WITH {_ME}, {_SKIPPED},
placed AS (
    UPDATE canfetch_origins AS o SET problem = %(problem)s, {_PLACED} WHERE {_OWNED} AND {_HAS_ME}
)
{_ALIVE}"""

# Other turns of the origin are open, so it stays with the worker.
DROP: Final = f"WITH {_ME}, {_SKIPPED} {_ALIVE}"

# The attempt is counted now, so that a page that ends the process is not handed out forever. A server that crashed can
# have forgotten the claim. A `retry_at` that has passed, which is the one of the claim, must not become a wait when the
# clock of the server is set back. A later one is from another process.
# An origin that another process has deferred since it was claimed is given back.
TAKE: Final = f"""
WITH {_ME}, {_SKIPPED_OF_MANY},
given AS (
    SELECT * FROM unnest(
        %(origins)s::bigint[], %(urls)s::bigint[], %(attempts)s::int[], %(waits)s::float8[],
        %(passed_retry_at)s::float8[]
    ) AS given (origin, url, attempt, wait, passed_retry_at)
),
mine AS (
    SELECT id, retry_at IS NOT NULL AND least(due_at, retry_at) > {NOW} + 0.000002 AS is_deferred
    FROM canfetch_origins
    WHERE id = ANY (%(origins)s::bigint[]) AND {_OWNED_BY_ME.format(3)} AND {_HAS_ME} ORDER BY id FOR NO KEY UPDATE
),
given_back AS (
    {_GIVEN_BACK} WHERE id IN (SELECT id FROM mine WHERE is_deferred)
    AND NOT EXISTS (SELECT 1 FROM canfetch_urls AS u WHERE u.origin = canfetch_origins.id AND u.state = 1)
),
taken AS (
    UPDATE canfetch_urls AS u SET state = 1, attempt = given.attempt + 1, worker = %(worker)s
    FROM given WHERE u.origin = given.origin AND u.id = given.url
    AND given.origin IN (SELECT id FROM mine WHERE NOT is_deferred)
    AND (u.state = 0 OR u.state = 1 AND u.worker = %(worker)s)
    RETURNING u.origin
),
started AS (
    UPDATE canfetch_origins AS o
    SET last_request_at = {NOW}, ready_at = {NOW} + %(ready_in)s + given.wait, problem = NULL,
        retry_at = nullif(o.retry_at, given.passed_retry_at)
    FROM given WHERE o.id = given.origin AND o.id IN (SELECT origin FROM taken)
)
SELECT {_HAS_ME}, ARRAY(SELECT origin FROM taken)"""
TAKE_ONLY: Final = TAKE.replace(f", {_SKIPPED_OF_MANY}", "")

_MINE: Final = f"origin = %(origin)s AND id = %(url)s AND {_OWNED_BY_ME.format(1)} AND {_HAS_ME}"
_ENDS: Final = {
    "done": f"ended AS (DELETE FROM canfetch_urls WHERE {_MINE} RETURNING 1)",
    "failed": (
        f"ended AS (UPDATE canfetch_urls SET state = 3, due_at = {NOW}, error = %(error)s, worker = NULL "
        f"WHERE {_MINE} RETURNING 1)"
    ),
    # After the other URLs with its priority.
    "retried": (
        f"ended AS (DELETE FROM canfetch_urls WHERE {_MINE} RETURNING *), "
        "again AS (INSERT INTO canfetch_urls "
        "(origin, crawl, url, priority, attempt, depth, metadata, state, due_at, error, visit, ended) "
        "SELECT origin, crawl, url, priority, CASE WHEN %(ending)s::smallint IS NULL THEN attempt ELSE 1 END, depth, "
        f"metadata, 2, {NOW} + %(delayed_in)s, %(error)s, coalesce(%(visit)s::text, visit), %(ending)s::smallint "
        "FROM ended)"
    ),
    "released": (
        f"ended AS (UPDATE canfetch_urls SET state = 0, attempt = attempt - 1, worker = NULL WHERE {_MINE} "
        "RETURNING priority)"
    ),
}
_COUNTED: Final = {"done": "done", "failed": "failed"}
_FAILURES: Final = {"done": "false", "failed": "true", "retried": "true", "released": "NULL"}


@cache
def end_statement(end: str, *, gives_back: bool, is_again: bool = False) -> str:
    """Return the statement that ends a turn.

    Args:
        end: `done`, `failed`, `retried` or `released`.
        gives_back: Whether it was the last open turn of the origin, so that other workers may have it.
        is_again: Whether the URL waits for its next visit.
    """
    column = _COUNTED.get(end)
    counted = (
        f"counted AS (UPDATE canfetch_workers SET {column} = {column} + 1 "
        "WHERE id = %(worker)s AND EXISTS (SELECT 1 FROM ended)), "
        if column
        else ""
    )
    placed = f"{_LANDED}, {_PLACED}" if gives_back else _LANDED
    if end == "released":
        # The snapshot still has it in flight.
        placed = placed.replace(_QUEUED_PRIORITY, "(SELECT priority FROM ended)")
    is_delayed = is_again or end == "retried"
    ended = _ENDS["retried" if is_again else end]
    statement = (
        f"WITH {_ME}, {ended}, {counted}landed AS (UPDATE canfetch_origins AS o SET problem = %(problem)s, {placed} "
        f"WHERE {_OWNED} AND EXISTS (SELECT 1 FROM ended)) {_ALIVE}"
    )
    # Each parameter takes time in the process and in the server.
    statement = statement.replace("%(skipped)s", "'{}'").replace("%(is_failure)s", _FAILURES[end])
    return statement if is_delayed else statement.replace("%(delayed_in)s", "NULL").replace(_DELAYED_PRIORITY, "NULL")


# A host whose address is known is no longer a group of its own.
ADD_ORIGINS: Final = """
INSERT INTO canfetch_origins (crawl, name) SELECT %(crawl)s, name FROM unnest(%(names)s::text[]) AS new (name)
WHERE NOT EXISTS (SELECT 1 FROM canfetch_members AS m WHERE m.crawl = %(crawl)s AND m.name = new.name)
ORDER BY name ON CONFLICT DO NOTHING"""
# Runs after `ADD_ORIGINS` in the same transaction: `ADD_ORIGINS` inserts a host again if it waited for the row of the
# host while another worker renamed it.
DROP_RESOLVED: Final = f"""
WITH {_ME},
resolved AS (
    SELECT id FROM canfetch_origins AS o
    WHERE crawl = %(crawl)s AND name = ANY (%(names)s::text[]) AND state = 0 AND added = 0 AND {_HAS_ME}
    AND EXISTS (SELECT 1 FROM canfetch_members AS m WHERE m.crawl = o.crawl AND m.name = o.name AND m.origin <> o.id)
    ORDER BY id FOR UPDATE
),
dropped AS (DELETE FROM canfetch_origins WHERE id = ANY (ARRAY(SELECT id FROM resolved)))
{_ALIVE}"""

FIND_ORIGINS: Final = "SELECT id, name FROM canfetch_origins WHERE crawl = %(crawl)s AND name = ANY (%(names)s::text[])"

# An origin stays in its group, whatever a newer list of suffixes in another process says.
ADD_MEMBERS: Final = """
WITH new AS (
    SELECT name, coalesce(
        (SELECT origin FROM canfetch_members WHERE crawl = %(crawl)s AND name = given.group_name),
        (SELECT id FROM canfetch_origins WHERE crawl = %(crawl)s AND name = given.group_name)
    ) AS origin FROM unnest(%(names)s::text[], %(groups)s::text[]) AS given (name, group_name)
),
locked AS (
    SELECT id FROM canfetch_origins WHERE id = ANY (ARRAY(SELECT origin FROM new)) ORDER BY id FOR KEY SHARE
)
INSERT INTO canfetch_members (crawl, name, origin)
SELECT %(crawl)s, new.name, new.origin FROM new JOIN locked ON locked.id = new.origin
ORDER BY new.name ON CONFLICT DO NOTHING"""

FIND_MEMBERS: Final = (
    "SELECT origin, name FROM canfetch_members WHERE crawl = %(crawl)s AND name = ANY (%(names)s::text[])"
)

# Runs before `ADD_WITH_LIMIT` in the same transaction, whose second snapshot has all that other workers have added.
LOCK_ORIGINS: Final = f"""
WITH {_ME}
SELECT id FROM canfetch_origins WHERE id = ANY (%(origins)s::bigint[]) AND {_HAS_ME} ORDER BY id FOR NO KEY UPDATE"""
# The unknown URLs for which their origins have no room.
_OVER: Final = f"""
rooms AS (
    SELECT id, %(limit)s - added AS room FROM canfetch_origins WHERE id = ANY (%(origins)s::bigint[]) AND {_HAS_ME}
),
over AS (
    SELECT origin, identity, position FROM (
        SELECT origin, identity, position, row_number() OVER (PARTITION BY origin ORDER BY position) AS number FROM (
            SELECT DISTINCT ON (origin, identity) origin, identity, position FROM input AS i WHERE NOT EXISTS (
                SELECT 1 FROM canfetch_known AS k WHERE k.origin = i.origin AND k.identity = i.identity
            ) ORDER BY origin, identity, position
        ) AS first
    ) AS ranked JOIN rooms ON rooms.id = origin WHERE number > room
),"""
# Rows are inserted and locked in the order of their keys, so that two workers never wait for one another.
# `woken` counts the rows of `locked`, so that they are locked first. A join would compare each origin with all others.
_ADD: Final = f"""
WITH {_ME},
input AS (
    SELECT * FROM unnest(%(origins)s::bigint[], %(identities)s::bytea[], %(urls)s::bytea[])
    WITH ORDINALITY AS given (origin, identity, url, position)
),{{over}}
new AS (
    INSERT INTO canfetch_known (origin, identity)
    SELECT DISTINCT origin, identity FROM input WHERE {_HAS_ME}{{has_room}} ORDER BY origin, identity
    ON CONFLICT DO NOTHING RETURNING origin, identity
),
added AS (
    INSERT INTO canfetch_urls (origin, crawl, url, priority, depth, metadata)
    SELECT origin, %(crawl)s, url, %(priority)s, %(depth)s, %(metadata)s::text FROM (
        SELECT DISTINCT ON (origin, identity) origin, url, position FROM input JOIN new USING (origin, identity)
        ORDER BY origin, identity, position
    ) AS first ORDER BY position
    RETURNING origin
),
counted AS (
    UPDATE canfetch_workers SET added = added + (SELECT count(*) FROM added),
        refused = refused + %(refused)s{{refused}}
    WHERE id = %(worker)s AND {_HAS_ME}
),
locked AS (
    SELECT id FROM canfetch_origins WHERE id IN (SELECT origin FROM added) ORDER BY id FOR NO KEY UPDATE
),
woken AS (
    UPDATE canfetch_origins AS o SET
        added = o.added + more.number,
        priority = CASE WHEN state = 0 THEN %(priority)s ELSE greatest(priority, %(priority)s) END,
        due_at = CASE WHEN state = 0 OR state = 1 AND ready_at < due_at THEN greatest(ready_at, {NOW})
            ELSE due_at END,
        state = CASE WHEN state = 0 THEN 1 ELSE state END,
        has_new_urls = state = 3
    FROM (SELECT origin, count(*) AS number FROM added GROUP BY origin) AS more
    WHERE o.id = more.origin AND (SELECT count(*) FROM locked) > 0
)
SELECT {_HAS_ME}, (SELECT count(*) FROM added), {{positions}}"""
ADD: Final = _ADD.format(over="", has_room="", refused="", positions="'{}'::bigint[]")
ADD_WITH_LIMIT: Final = _ADD.format(
    over=_OVER,
    has_room=" AND (origin, identity) NOT IN (SELECT origin, identity FROM over)",
    refused=" + (SELECT count(*) FROM over)",
    positions="ARRAY(SELECT position FROM over ORDER BY position)",
)


def add_statement(*, has_limit: bool, is_by_address: bool) -> tuple[str, str | None]:
    """Return the statement that adds URLs, and one that runs before it in the same transaction, or None.

    Args: is_by_address: Whether a group can have joined another one. Then nothing is added, as after a lost lease.
    """
    statement = ADD_WITH_LIMIT if has_limit else ADD
    if is_by_address:
        statement = statement.replace(_ME, _ME_CURRENT)
    return statement, LOCK_ORIGINS if has_limit or is_by_address else None


def unknown_statement(*, is_by_origin: bool) -> str:
    """Return the statement that finds the positions of URLs that were never added."""
    table, column = ("canfetch_origins", "id") if is_by_origin else ("canfetch_members", "origin")
    return f"""
SELECT position FROM unnest(%(names)s::text[], %(identities)s::bytea[])
WITH ORDINALITY AS given (name, identity, position)
WHERE NOT EXISTS (
    SELECT 1 FROM {table} AS o JOIN canfetch_known AS k ON k.origin = o.{column}
    WHERE o.crawl = %(crawl)s AND o.name = given.name AND k.identity = given.identity
)
ORDER BY position"""


# Runs before `RESOLVE`, whose snapshot then has the groups and URLs that other workers have added.
LOCK_RESOLVED: Final = f"""
WITH {_ME},
alone AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtextextended(%(name)s::text, %(crawl)s)))
SELECT id FROM canfetch_origins WHERE {_HAS_ME} AND EXISTS (SELECT 1 FROM alone) AND id IN (
    SELECT %(origin)s::bigint
    UNION ALL SELECT origin FROM canfetch_members WHERE crawl = %(crawl)s AND name = %(host)s
    UNION ALL SELECT id FROM canfetch_origins WHERE crawl = %(crawl)s AND name = %(name)s
) ORDER BY id FOR UPDATE"""
RESOLVE: Final = f"""
WITH {_ME},
mine AS (
    SELECT * FROM canfetch_origins WHERE {_OWNED} AND name = %(host)s AND {_HAS_ME}
),
target AS (
    SELECT id FROM (
        SELECT coalesce(
            (SELECT origin FROM canfetch_members WHERE crawl = %(crawl)s AND name = %(host)s),
            (SELECT id FROM canfetch_origins WHERE crawl = %(crawl)s AND name = %(name)s)
        ) AS id FROM mine
    ) AS found WHERE id IS NOT NULL
),
moved_urls AS (
    UPDATE canfetch_urls SET origin = (SELECT id FROM target)
    WHERE origin = %(origin)s AND EXISTS (SELECT 1 FROM target)
),
moved_known AS (
    UPDATE canfetch_known SET origin = (SELECT id FROM target)
    WHERE origin = %(origin)s AND EXISTS (SELECT 1 FROM target)
),
moved_members AS (
    UPDATE canfetch_members SET origin = (SELECT id FROM target)
    WHERE origin = %(origin)s AND EXISTS (SELECT 1 FROM target)
),
host AS (
    INSERT INTO canfetch_members (crawl, name, origin)
    SELECT %(crawl)s, %(host)s, coalesce((SELECT id FROM target), id) FROM mine ON CONFLICT DO NOTHING
),
gone AS (DELETE FROM canfetch_origins WHERE id = %(origin)s AND EXISTS (SELECT 1 FROM target)),
renamed AS (
    UPDATE canfetch_origins SET name = %(name)s
    WHERE id IN (SELECT id FROM mine) AND NOT EXISTS (SELECT 1 FROM target)
),
woken AS (
    UPDATE canfetch_origins AS o SET
        added = o.added + mine.added,
        retry_at = greatest(o.retry_at, mine.retry_at),
        last_request_at = greatest(o.last_request_at, mine.last_request_at),
        priority = CASE WHEN o.state = 0 THEN mine.priority ELSE greatest(o.priority, mine.priority) END,
        due_at = CASE WHEN o.state = 0 OR o.state = 1 AND o.ready_at < o.due_at THEN greatest(o.ready_at, {NOW})
            ELSE o.due_at END,
        state = CASE WHEN o.state = 0 THEN 1 ELSE o.state END,
        has_new_urls = o.state = 3
    FROM mine WHERE o.id = (SELECT id FROM target)
)
SELECT {_HAS_ME}, EXISTS (SELECT 1 FROM mine), (SELECT id FROM target)"""

DEFER: Final = f"""
UPDATE canfetch_origins AS o SET
    retry_at = greatest(retry_at, {NOW} + %(retry_in)s),
    due_at = greatest(due_at, {_HELD_UNTIL.format(f"{NOW} + %(retry_in)s")}),
    ready_at = greatest(ready_at, {_HELD_UNTIL.format(f"{NOW} + %(retry_in)s")}),
    last_request_at = {NOW}, problem = CASE WHEN ready_at >= {NOW} + %(retry_in)s THEN problem END,
    state = CASE WHEN state = 2 THEN 1 ELSE state END
WHERE id = %(origin)s RETURNING 1"""

NOTE_REQUEST: Final = f"UPDATE canfetch_origins SET last_request_at = {NOW} WHERE id = %(origin)s RETURNING 1"

NEXT_DUE: Final = f"""
SELECT due_at - {NOW} FROM canfetch_origins WHERE crawl = %(crawl)s AND state = 1 ORDER BY due_at LIMIT 1"""

# The counts of the workers that have ended are those of the crawl.
COUNTS: Final = """
SELECT
    crawl.added + worker.added, crawl.done + worker.done, crawl.failed + worker.failed,
    crawl.skipped + worker.skipped, crawl.refused + worker.refused,
    (SELECT count(*) FROM canfetch_urls WHERE crawl = %(crawl)s AND state = 1),
    EXISTS (
        SELECT 1 FROM canfetch_workers WHERE crawl = %(crawl)s AND id <> %(worker)s AND reads_sources
    )
FROM (
    SELECT sum(added)::bigint AS added, sum(done)::bigint AS done, sum(failed)::bigint AS failed,
        sum(skipped)::bigint AS skipped, sum(refused)::bigint AS refused
    FROM canfetch_crawls WHERE id = %(crawl)s
) AS crawl, (
    SELECT coalesce(sum(added), 0)::bigint AS added, coalesce(sum(done), 0)::bigint AS done,
        coalesce(sum(failed), 0)::bigint AS failed, coalesce(sum(skipped), 0)::bigint AS skipped,
        coalesce(sum(refused), 0)::bigint AS refused
    FROM canfetch_workers WHERE crawl = %(crawl)s
) AS worker"""

READS_SOURCES: Final = "UPDATE canfetch_workers SET reads_sources = %(reads_sources)s WHERE id = %(worker)s"

FAILED: Final = """
SELECT id, url, error, attempt - 1, due_at, priority FROM canfetch_urls
WHERE crawl = %(crawl)s AND state = 3 AND id > %(after)s ORDER BY id LIMIT %(limit)s"""

_WOKEN: Final = f"""
locked AS (
    SELECT id FROM canfetch_origins WHERE id IN (SELECT origin FROM queued) ORDER BY id FOR NO KEY UPDATE
),
woken AS (
    UPDATE canfetch_origins AS o SET
        priority = CASE WHEN state = 0 THEN best ELSE greatest(o.priority, best) END,
        due_at = CASE WHEN state = 0 OR state = 1 AND ready_at < due_at THEN greatest(ready_at, {NOW})
            ELSE due_at END,
        state = CASE WHEN state = 0 THEN 1 ELSE state END,
        has_new_urls = state = 3
    FROM (SELECT origin, max(priority) AS best FROM queued GROUP BY origin) AS new
    WHERE o.id = new.origin AND (SELECT count(*) FROM locked) > 0
)"""
# A URL that failed in a last attempt, which is what the counts of the crawl say, is queued as if it were new.
QUEUE_FAILED: Final = f"""
WITH {_ME},
chosen AS (
    SELECT origin, id FROM canfetch_urls WHERE crawl = %(crawl)s AND state = 3 AND {_HAS_ME}
    ORDER BY id LIMIT %(limit)s FOR UPDATE
),
queued AS (
    UPDATE canfetch_urls AS u SET state = 0, attempt = 1, error = NULL
    FROM chosen WHERE u.origin = chosen.origin AND u.id = chosen.id RETURNING u.origin, u.priority
),
counted AS (
    UPDATE canfetch_workers SET failed = failed - (SELECT count(*) FROM queued) WHERE id = %(worker)s
),
{_WOKEN.lstrip()}
SELECT {_HAS_ME}, (SELECT count(*) FROM queued)"""
# In crawls with groups: the failed URLs of the group of an origin, with the name of the group.
FAILED_OF_MEMBER: Final = """
SELECT u.url, o.name FROM canfetch_members AS m JOIN canfetch_origins AS o ON o.id = m.origin
JOIN canfetch_urls AS u ON u.origin = o.id AND u.state = 3 WHERE m.crawl = %(crawl)s AND m.name = %(name)s"""
# The same for a caller that is not a worker, and only for some URLs. The counts are those of the crawl.
QUEUE_CHOSEN: Final = f"""
WITH chosen AS (
    SELECT origin, id FROM canfetch_urls
    WHERE crawl = %(crawl)s AND state = 3 AND (%(name)s::text IS NULL OR origin = (
        SELECT id FROM canfetch_origins WHERE crawl = %(crawl)s AND name = %(name)s
    )) AND (%(urls)s::bytea[] IS NULL OR url = ANY (%(urls)s::bytea[]))
    ORDER BY id FOR UPDATE
),
queued AS (
    UPDATE canfetch_urls AS u SET state = 0, attempt = 1, error = NULL
    FROM chosen WHERE u.origin = chosen.origin AND u.id = chosen.id RETURNING u.origin, u.priority, u.url
),
counted AS (
    UPDATE canfetch_crawls SET failed = failed - (SELECT count(*) FROM queued) WHERE id = %(crawl)s
),
{_WOKEN.lstrip()}
SELECT count(*), ARRAY(SELECT url FROM queued WHERE %(lists_urls)s) FROM queued"""

# The URLs of an origin that failed, or of its group, also those that wait for their next visit.
RETRYABLE: Final = """
SELECT url FROM canfetch_urls
WHERE crawl = %(crawl)s AND (state = 3 OR state = 2 AND ended = 3) AND origin IN (
    SELECT id FROM canfetch_origins WHERE crawl = %(crawl)s AND name = %(name)s
    UNION SELECT origin FROM canfetch_members WHERE crawl = %(crawl)s AND name = %(name)s)"""
# Given URLs that failed and wait for their next visit.
FAILED_VISITS: Final = """
SELECT url FROM canfetch_urls
WHERE crawl = %(crawl)s AND state = 2 AND ended = 3 AND url = ANY (%(urls)s::bytea[])"""

# The transaction of a heartbeat. The row of the crawl is locked first, so that one worker at a time looks for others
# that have died. The rest only renew their leases.
LOCK_CRAWL: Final = f"SELECT seen_at, {NOW} FROM canfetch_crawls WHERE id = %(crawl)s FOR UPDATE"
TRY_LOCK_CRAWL: Final = f"{LOCK_CRAWL} SKIP LOCKED"
SEEN: Final = "UPDATE canfetch_crawls SET seen_at = %(now)s WHERE id = %(crawl)s"
RENEW: Final = f"UPDATE canfetch_workers SET alive_until = {NOW} + %(lease)s WHERE id = %(worker)s RETURNING 1"
# Also keeps the statements of all workers from beginning before the end of the transaction.
RENEW_ALL: Final = "UPDATE canfetch_workers SET alive_until = %(now)s + %(lease)s WHERE crawl = %(crawl)s"
# The clock can be set during the transaction, before and after which leases are renewed.
EXPIRED: Final = f"""
SELECT id FROM canfetch_workers WHERE crawl = %(crawl)s AND alive_until < least(%(now)s, {NOW}) ORDER BY id
FOR UPDATE SKIP LOCKED"""
# The clock of the server was set back by `step` seconds: all waits are as long as they were. The order of the rows is
# that of the disk, which is safe after `RENEW_ALL`. Of the statements without the row of a worker, `DEFER` and
# `NOTE_REQUEST` lock one origin, the lock of `ADD_MEMBERS` does not conflict with these, and `QUEUE_CHOSEN` runs after
# a lock of the crawl.
# A request that is not in the future may be one after that moment, and the delay counts from it. If it is an older one,
# the origin waits for its delay once more.
SHIFT_ORIGINS: Final = """
UPDATE canfetch_origins SET due_at = due_at - %(step)s, ready_at = ready_at - %(step)s,
    retry_at = CASE WHEN last_request_at > %(now)s THEN retry_at - %(step)s ELSE retry_at END,
    last_request_at = CASE WHEN last_request_at > %(now)s THEN last_request_at - %(step)s ELSE last_request_at END
WHERE crawl = %(crawl)s"""
SHIFT_URLS: Final = "UPDATE canfetch_urls SET due_at = due_at - %(step)s WHERE crawl = %(crawl)s AND state = 2"
# Runs before the statements that change the origins of workers, whose order is that of the disk.
LOCK_LEFT: Final = """
SELECT count(*) FROM (
    SELECT 1 FROM canfetch_origins WHERE worker = ANY (%(workers)s::bigint[]) AND state = 3
    ORDER BY id FOR NO KEY UPDATE
) AS locked"""
# What a worker leaves behind. The URLs in flight are queued, unless it was their last attempt. After that, they are
# listed as failed, or wait for their next visit.
REQUEUE: Final = f"""
WITH left_urls AS (
    SELECT origin, id, attempt, attempt > %(max_attempts)s AS is_last FROM canfetch_urls
    WHERE crawl = %(crawl)s AND state = 1 AND worker = %(left)s FOR UPDATE
)
UPDATE canfetch_urls AS u SET
    state = CASE WHEN NOT is_last THEN 0 WHEN %(skip_in)s::float8 IS NULL THEN 3 ELSE 2 END,
    due_at = CASE WHEN is_last THEN {NOW} + coalesce(%(skip_in)s::float8, 0) ELSE u.due_at END,
    attempt = CASE WHEN is_last AND %(skip_in)s::float8 IS NOT NULL THEN 1 ELSE u.attempt END,
    ended = CASE WHEN is_last AND %(skip_in)s::float8 IS NOT NULL THEN 3 END,
    error = CASE WHEN is_last THEN %(error)s ELSE u.error END,
    worker = NULL
FROM left_urls AS l WHERE u.origin = l.origin AND u.id = l.id
RETURNING is_last, u.url, u.error, l.attempt - 1, {NOW}, u.priority"""
# The requests of its open turns end when a worker closes its frontier, or later.
END_REQUESTS: Final = f"""
UPDATE canfetch_origins SET last_request_at = {NOW} WHERE worker = %(left)s AND state = 3
AND id IN (SELECT origin FROM canfetch_urls WHERE crawl = %(crawl)s AND state = 1 AND worker = %(left)s)"""
# The URLs of a worker that closes its frontier count as not handed out.
RELEASE_ALL: Final = """
UPDATE canfetch_urls SET state = 0, attempt = attempt - 1, worker = NULL
WHERE crawl = %(crawl)s AND state = 1 AND worker = %(left)s"""
PLACE_ALL: Final = f"""
UPDATE canfetch_origins AS o SET {
    _PLACED.replace("%(ready_in)s", "greatest(o.ready_at - clock.now, 0)")
    .replace(NOW, "clock.now")
    .replace("%(delayed_in)s", "NULL")
    .replace(_DELAYED_PRIORITY, "NULL")
    .replace("%(skipped)s", "'{}'")
}
FROM (SELECT {NOW} AS now) AS clock WHERE worker = %(left)s AND o.state = 3"""
END_WORKER: Final = """
WITH ended AS (DELETE FROM canfetch_workers WHERE id = %(left)s RETURNING *)
UPDATE canfetch_crawls AS c SET
    added = c.added + ended.added, done = c.done + ended.done, failed = c.failed + ended.failed + %(failed)s,
    skipped = c.skipped + ended.skipped, refused = c.refused + ended.refused
FROM ended WHERE c.id = ended.crawl"""
