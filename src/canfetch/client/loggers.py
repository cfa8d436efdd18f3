"""The loggers of the client. Applications configure them; without a configuration, nothing is written.

- `canfetch.fetch`: each request (DEBUG), each fetch of a robots.txt (INFO), each fetch that failed (WARNING)
- `canfetch.client`: store errors and corrupt entries (WARNING); watched files that are read again (INFO), or are
  missing or invalid (ERROR)
- `canfetch.decisions`: each decision (DEBUG)
- `canfetch.serving`: files that cannot be served (ERROR), refused requests (DEBUG) and impostors (INFO)
- `canfetch.evidence`: segments that cannot be read (WARNING)
"""

import logging
from typing import Final

LOGGER: Final = logging.getLogger("canfetch")
LOGGER.addHandler(logging.NullHandler())
FETCH_LOGGER: Final = logging.getLogger("canfetch.fetch")
CLIENT_LOGGER: Final = logging.getLogger("canfetch.client")
DECISION_LOGGER: Final = logging.getLogger("canfetch.decisions")
EVIDENCE_LOGGER: Final = logging.getLogger("canfetch.evidence")
SERVING_LOGGER: Final = logging.getLogger("canfetch.serving")
