"""Sites for the tests of audits: pages, sitemaps and edges on loopback."""

from collections.abc import Iterable, Mapping

from tests.servers.valid import respond
from tests.servers.web import Behaviour, Exchange, Site

HTML = "Content-Type: text/html"
PAGE = b"<!doctype html><title>Fish</title><h1>Fish</h1><p>" + b"All about fish, and where they live. " * 20
ROBOTS = "User-agent: *\nDisallow: /private/\n"


def sitemap(urls: Iterable[str]) -> bytes:
    """Return a sitemap."""
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>".encode()


def with_sitemap(site: Site, robots: str = ROBOTS) -> bytes:
    """Return a robots.txt that names the sitemap of the site."""
    return f"{robots}\nSitemap: {site.origin}/sitemap.xml\n".encode()


def publish(site: Site, paths: Mapping[str, Behaviour], *, robots: str = ROBOTS) -> None:
    """Serve a robots.txt, a home page and other pages, and a sitemap with all of them, or with the home page."""
    site.serve("/robots.txt", respond(with_sitemap(site, robots)))
    site.serve("/sitemap.xml", respond(sitemap(f"{site.origin}{path}" for path in paths or ["/"])))
    for path, behaviour in {"/": respond(PAGE, HTML), **paths}.items():
        site.serve(path, behaviour)


def edge(refused: str, refusal: Behaviour, page: Behaviour | None = None) -> Behaviour:
    """Respond with a page, and with a refusal if the User-Agent header contains a name."""
    admit = respond(PAGE, HTML) if page is None else page

    async def behaviour(exchange: Exchange) -> None:
        is_refused = refused in exchange.request.headers.get("user-agent", "")
        await (refusal if is_refused else admit)(exchange)

    return behaviour


async def cut(exchange: Exchange) -> None:
    """Close the connection without a response."""
    exchange.cut()


INTENDED = """User-agent: *
Disallow: /cart/
Disallow: /theme/

Sitemap: {origin}/sitemap.xml
"""
ADDED = """# BEGIN managed by the network
User-agent: GPTBot
Disallow: /

User-agent: *
Content-Signal: ai-train=no
# END managed by the network

"""


def publish_six_faults(site: Site, other: Site) -> bytes:
    """Serve a shop with six faults, and return its intended robots.txt.

    1. A network adds lines to robots.txt.
    2. The sitemap lists a page that robots.txt disallows.
    3. The sitemap lists a page with noindex.
    4. robots.txt disallows the style sheet of the shop.
    5. The other address of the shop has other rules.
    6. The firewall refuses Bing's crawler, which robots.txt allows.
    """
    intended = INTENDED.format(origin=site.origin)
    site.serve("/robots.txt", respond(f"{ADDED}{intended}".encode()))
    other.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /\n"))
    page = PAGE.replace(b"<title>", b'<link rel="stylesheet" href="/theme/shop.css"><title>')
    pages = {
        "/": edge("bingbot", respond(b"", status=403), respond(page, HTML)),
        "/trout": respond(page, HTML),
        "/salmon": respond(page, HTML),
        "/outlet": respond(page, HTML, "X-Robots-Tag: noindex"),
        "/cart/voucher": respond(page, HTML),
    }
    for path, behaviour in pages.items():
        site.serve(path, behaviour)
    site.serve("/sitemap.xml", respond(sitemap(f"{site.origin}{path}" for path in pages)))
    return intended.encode()
