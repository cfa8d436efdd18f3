"""The registry entries. Each has a source, and the date when the source was last checked.

The facts come from the operator's own page. If there is none, the source is that of a third party, such as a public
list, and `source_kind` is `third-party`. The date of a list is the date when it was published.
"""

from typing import Final

from canfetch.agents.crawler import Crawler
from canfetch.agents.entries.advertising import ADVERTISING
from canfetch.agents.entries.archives import ARCHIVES
from canfetch.agents.entries.assistants import ASSISTANTS
from canfetch.agents.entries.collectors import COLLECTORS
from canfetch.agents.entries.google import GOOGLE
from canfetch.agents.entries.headers import HEADERS
from canfetch.agents.entries.previews import PREVIEWS
from canfetch.agents.entries.search_engines import SEARCH_ENGINES
from canfetch.agents.entries.seo import SEO

_ENTRIES: Final[tuple[Crawler, ...]] = (
    *GOOGLE,
    *SEARCH_ENGINES,
    *ASSISTANTS,
    *COLLECTORS,
    *SEO,
    *ADVERTISING,
    *PREVIEWS,
    *ARCHIVES,
)
CRAWLERS: Final[tuple[Crawler, ...]] = tuple(entry._replace(headers=HEADERS.get(entry.name, ())) for entry in _ENTRIES)
