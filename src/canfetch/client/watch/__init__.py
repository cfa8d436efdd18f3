"""Watching origins: the history of their robots.txt, and what its changes mean for agents.

    OriginState -> Observation -> last version in SQLite -> (compare) report -> one transaction -> webhook, retried

Open `watcher.py` first. `history.py` has the database. The transaction stores the version, the report and the message,
so a message is neither lost nor sent for a version that was not stored. `webhooks.py` sends messages with the default
transport, several at the same time in threads. Only the main thread uses the history.

`past.py` answers as of a time, by the version that was the newest one then.
"""

from canfetch.client.watch.history import Version, WatchHistory
from canfetch.client.watch.observations import Observation
from canfetch.client.watch.past import KnownCopy, PastVerdict

__all__ = ["KnownCopy", "Observation", "PastVerdict", "Version", "WatchHistory"]
