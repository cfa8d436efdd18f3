"""Behaviours of the sites that the crawls visit."""

import time
from collections.abc import Sequence

from tests.servers.web import Behaviour, Exchange, Site

ADDON = {
    "ADDONS": {"canfetch.integrations.scrapy.Addon": 100},
    "USER_AGENT": "ExampleBot/1.0 (+https://example.com/bot)",
}


def robots(text: str, *fields: str) -> Behaviour:
    """Return a robots.txt."""

    async def respond(exchange: Exchange) -> None:
        await exchange.respond(200, text.encode(), "Content-Type: text/plain", *fields)

    return respond


def encoded(body: bytes, coding: str) -> Behaviour:
    """Return a robots.txt with a content coding although the client did not accept that."""

    async def respond(exchange: Exchange) -> None:
        await exchange.respond(200, body, "Content-Type: text/plain", f"Content-Encoding: {coding}")

    return respond


def endless(text: str) -> Behaviour:
    """Return a robots.txt without end."""

    async def respond(exchange: Exchange) -> None:
        await exchange.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + text.encode())
        while True:
            await exchange.send(b"# " + b"x" * 65_536 + b"\n")

    return respond


def failing(status: int) -> Behaviour:
    """Return an error."""

    async def respond(exchange: Exchange) -> None:
        await exchange.respond(status, b"<html>Disallow: /", reason="Error")

    return respond


def redirect(url: str) -> Behaviour:
    """Return a redirect."""

    async def respond(exchange: Exchange) -> None:
        await exchange.respond(302, b"", f"Location: {url}", reason="Found")

    return respond


async def stalled(exchange: Exchange) -> None:
    """Never answer."""
    await exchange.wait_closed()


def page(*fields: str, html: bytes = b"<!doctype html><title>A page</title>") -> Behaviour:
    """Return a page."""

    async def respond(exchange: Exchange) -> None:
        await exchange.respond(200, html, "Content-Type: text/html", *fields)

    return respond


def timed(times: list[float], behaviour: Behaviour) -> Behaviour:
    """Record the times of the requests for a behaviour."""

    async def respond(exchange: Exchange) -> None:
        times.append(time.monotonic())
        await behaviour(exchange)

    return respond


def serve_pages(site: Site, *targets: str) -> None:
    """Serve a page at each target."""
    for target in targets:
        site.serve(target, page())


def targets(site: Site) -> Sequence[str]:
    """Return the targets of the requests to a site."""
    return [request.target for request in site.requests]
