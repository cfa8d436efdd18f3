"""A site that all tests of a module share."""

from collections.abc import Iterator

import pytest
from tests.servers.valid import respond
from tests.servers.web import Site

ROBOTS = b"""\
User-agent: *
Disallow: /private
Crawl-delay: 10
Content-Signal: search=yes, ai-train=no

User-agent: GPTBot
User-agent: ClaudeBot
Disallow: /

License: https://example.com/license.xml
"""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """Return a site with `ROBOTS`."""
    with Site() as running:
        running.serve("/robots.txt", respond(ROBOTS, "Content-Type: text/plain", "Cache-Control: max-age=3600"))
        yield running
