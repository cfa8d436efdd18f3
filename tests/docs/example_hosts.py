"""The hosts that the examples of the documentation use."""

import ssl
from pathlib import Path

from tests.docs.blocks import ROOT
from tests.servers.web import Exchange, Site

_ROBOTS = b"""\
User-agent: *
Disallow: /private/

User-agent: GPTBot
Disallow: /

Sitemap: https://example.com/sitemap.xml
"""
_SITEMAP = b"""\
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/fish</loc><lastmod>2026-11-20</lastmod></url>
<url><loc>https://example.com/private/notes</loc></url>
</urlset>
"""
_PAGE = b"""\
<!doctype html>
<title>Fish</title>
<meta name="robots" content="max-snippet:50">
<meta name="googlebot" content="noindex">
<link rel="stylesheet" href="/private/style.css">
<script src="https://www.example.com/shop/fish.js"></script>
<p>A page about <a href="/fish">fish</a>.
"""


def _file(path: Path) -> bytes:
    return path.read_bytes()


# The robots.txt of each host, or the status of the response. All other hosts do not exist.
ROBOTS: dict[str, bytes | int] = {
    "example.com": _ROBOTS,
    "www.example.com": _file(ROOT / "examples" / "robots.txt"),
    "shop.example.com": b"User-agent: *\nDisallow: /cart/\n",
    "staging.example.com": b"User-agent: *\nDisallow: /\n",
    "example.org": 404,
    "example.net": 503,
}


async def _respond(exchange: Exchange) -> None:
    if exchange.request.target == "/moved":
        await exchange.respond(301, b"", "Location: /private/notes", reason="Moved Permanently")
        return
    if exchange.request.target == "/sitemap.xml":
        await exchange.respond(200, _SITEMAP, "Content-Type: application/xml")
        return
    if exchange.request.target != "/robots.txt":
        await exchange.respond(200, _PAGE, "Content-Type: text/html; charset=utf-8")
        return
    robots = ROBOTS[exchange.request.host]
    if isinstance(robots, int):
        await exchange.respond(robots, reason="Error")
    else:
        await exchange.respond(200, robots, "Content-Type: text/plain")


def example_site(tls: ssl.SSLContext | None) -> Site:
    """Return a server for all hosts, which is not started yet."""
    labels = {host.partition(".")[0] for host in ROBOTS}
    return Site(tls=tls, behaviours=dict.fromkeys(labels, _respond))
