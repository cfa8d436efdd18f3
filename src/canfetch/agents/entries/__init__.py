"""The entries, each with its source and the day on which that was checked.

Facts only: what an operator's own page says. Where there is none, the source is a list of others, `obeys`
is what is documented, and the day is that of the list.
"""

from typing import Final

from canfetch.agents.crawler import Crawler
from canfetch.agents.entries.archives import ARCHIVES
from canfetch.agents.entries.assistants import ASSISTANTS
from canfetch.agents.entries.collectors import COLLECTORS
from canfetch.agents.entries.google import GOOGLE
from canfetch.agents.entries.previews import PREVIEWS
from canfetch.agents.entries.search_engines import SEARCH_ENGINES
from canfetch.agents.entries.seo import SEO

CRAWLERS: Final[tuple[Crawler, ...]] = (
    *GOOGLE,
    *SEARCH_ENGINES,
    *ASSISTANTS,
    *COLLECTORS,
    *SEO,
    *PREVIEWS,
    *ARCHIVES,
)
