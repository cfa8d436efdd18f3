"""The frontier of a crawl: URLs, handed out when their origins may be requested, and kept in a file or a database.

    sources, links -> queue of URLs -> origins by due time -> robots.txt checks -> ready origins by priority -> Turn

`url_queue.py` is the interface of a queue, and `queue_values.py` what passes through it. All queues are rows of one
SQLite file, by default a temporary one (`sqlite_queue.py`), or of a PostgreSQL database that many processes share
(`postgres_worker.py`), and every lookup uses an index. So memory does not grow with the crawl, a turn takes O(log n)
steps, and each transition is one transaction that survives a killed process. The database is called in the event loop:
a transaction of SQLite takes less time than a change of threads. Or the queues are in a service that other crawlers
share (`urlfrontier_queue.py`).

- `frontier.py`, the file to open first, looks for turns in one task at a time, and decides.
- `intake.py` cleans, filters and adds URLs, or refuses them with a reason.
- `grouping.py` says which origins are a group, and `group_turns.py` decides which URL of a group is next.
- `turn.py` and `open_turns.py` are the turns and their ends.
- `recrawl.py` says when a URL that is done is due again.
- `origin_checks.py` obtains robots.txt files in the background.
- `clocks.py` is the time of a frontier, which no setting of the machine's clock changes.
- `sources.py` reads the sources of URLs.
- `heartbeat.py` renews the lease of a process that shares a database, and takes over from those that died.
- `claimed_origins.py` chooses among the origins that one of several processes has.
- `report.py` and `postgres_report.py` read what a crawl waits for.
- `transfer.py` moves a crawl between files and databases, as the lines of `transfer_lines.py`, and `requeue.py` queues
  failed URLs from outside of a crawl.
- `urlfrontier_leases.py` keeps the leases of URLs.
- `urlfrontier_service.py` is a crawl in the service with the limits of origins, `urlfrontier_connection.py` calls it,
  `urlfrontier_schema.py` has its messages, and `urlfrontier_metadata.py` what is stored with each URL there.
- `database.py` opens the file and `postgres_connection.py` the database. `queue_connection.py` is what all connections
  share.
- `url_identity.py` decides which URLs are the same page.
"""

from canfetch.client.frontier.frontier import Frontier
from canfetch.client.frontier.grouping import GroupBy
from canfetch.client.frontier.postgres_queue import PostgresQueue
from canfetch.client.frontier.queue_values import FailedURL, FrontierCounts
from canfetch.client.frontier.recrawl import Recrawl
from canfetch.client.frontier.transfer import export_frontier, import_frontier
from canfetch.client.frontier.turn import SkippedURL, Turn
from canfetch.client.frontier.urlfrontier_queue import URLFrontier

__all__ = [
    "FailedURL",
    "Frontier",
    "FrontierCounts",
    "GroupBy",
    "PostgresQueue",
    "Recrawl",
    "SkippedURL",
    "Turn",
    "URLFrontier",
    "export_frontier",
    "import_frontier",
]
