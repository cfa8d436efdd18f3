"""The frontier of a crawl: URLs, handed out when their origins may be requested, and stored in a file.

    sources, links -> urls (SQLite) -> origins by due time -> robots.txt checks -> ready origins by priority -> Turn

All queues are rows of one SQLite file, by default a temporary one, and every lookup uses an index (`url_queue.py`). So
memory does not grow with the crawl, a turn takes O(log n) steps, and each transition is one transaction that survives a
killed process. SQLite is called in the event loop: a transaction takes less time than a change of threads.

- `frontier.py`, the file to open first, looks for turns in one task at a time.
- `turn.py` and `open_turns.py` are the turns and their ends.
- `origin_checks.py` obtains robots.txt files in the background.
- `clocks.py` is the time of a frontier, which no setting of the machine's clock changes.
- `sources.py` reads the sources of URLs.
- `database.py` opens the file, and `url_identity.py` decides which URLs are the same page.
"""

from canfetch.client.frontier.frontier import Frontier
from canfetch.client.frontier.turn import SkippedURL, Turn
from canfetch.client.frontier.url_queue import FailedURL, FrontierCounts

__all__ = ["FailedURL", "Frontier", "FrontierCounts", "SkippedURL", "Turn"]
