"""Crawlers of SEO services and page audits."""

from typing import Final

from canfetch.agents.crawler import Crawler, Verification

_AHREFS: Final = "https://ahrefs.com/robot"
_SEMRUSH: Final = "https://www.semrush.com/bot/"
_MOZ: Final = "https://moz.com/help/moz-procedures/crawlers/"
_AHREFS_VERIFICATION: Final = Verification(
    (".ahrefs.com", ".ahrefs.net"), ("https://api.ahrefs.com/v3/public/crawler-ips",)
)
_CHECKED: Final = "2026-11-22"
_CRAWL_DELAY: Final = ("crawl-delay",)

SEO: Final[tuple[Crawler, ...]] = (
    Crawler(("AhrefsBot",), "Ahrefs", ("seo",), _AHREFS, honours=_CRAWL_DELAY, verification=_AHREFS_VERIFICATION),
    Crawler(
        # Site owners can configure it to ignore their robots.txt.
        ("AhrefsSiteAudit",),
        "Ahrefs",
        ("site-owner",),
        _AHREFS,
        obeys="might-ignore",
        honours=_CRAWL_DELAY,
        verification=_AHREFS_VERIFICATION,
    ),
    Crawler(("SemrushBot",), "Semrush", ("seo",), _SEMRUSH, honours=_CRAWL_DELAY),
    Crawler(("SiteAuditBot",), "Semrush", ("site-owner",), _SEMRUSH, honours=_CRAWL_DELAY),
    Crawler(("SemrushBot-SWA",), "Semrush", ("seo",), _SEMRUSH, honours=_CRAWL_DELAY),
    Crawler(("SemrushBot-OCOB",), "Semrush", ("seo",), _SEMRUSH, honours=_CRAWL_DELAY),
    Crawler(
        ("MJ12bot",),
        "Majestic",
        ("seo",),
        "https://mj12bot.com",
        honours=_CRAWL_DELAY,
        verification=Verification(note="not by address: it runs on volunteers' machines worldwide"),
    ),
    Crawler(("dotbot",), "Moz", ("seo",), _MOZ + "dotbot", honours=_CRAWL_DELAY),
    Crawler(
        ("rogerbot",),
        "Moz",
        ("site-owner",),
        _MOZ + "rogerbot",
        verification=Verification(note="not by address: its operator documents that it has no fixed addresses"),
    ),
    Crawler(
        ("BLEXBot",),
        "SE Ranking",
        ("seo",),
        "https://help.seranking.com/hc/en-us/articles/17126130916636-BLEXBot-Crawler",
        honours=_CRAWL_DELAY,
        verification=Verification((".seranking.com",)),
    ),
    Crawler(
        ("Barkrowler",),
        "Babbar",
        ("seo",),
        "https://www.babbar.tech/crawler",
        honours=_CRAWL_DELAY,
        verification=Verification((".babbar.eu",)),
    ),
    Crawler(
        ("DataForSeoBot",),
        "DataForSEO",
        ("seo",),
        "crawler-user-agents.json: a community-maintained list",
        obeys="not-documented",
        source_kind="third-party",
    ),
    Crawler(("serpstatbot",), "Serpstat", ("seo",), "https://serpstatbot.com/", honours=_CRAWL_DELAY),
    # `User-agent: Screaming Frog SEO Spider` is read as `Screaming`. Those who run it can configure it to ignore
    # robots.txt.
    Crawler(
        ("Screaming", "Googlebot"),
        "Screaming Frog",
        ("seo",),
        "https://www.screamingfrog.co.uk/guides/robots-txt/",
        obeys="might-ignore",
        checked=_CHECKED,
    ),
    # `User-agent: SISTRIX Crawler` is read as `SISTRIX`.
    Crawler(
        ("SISTRIX",),
        "SISTRIX",
        ("seo",),
        "https://webmasterid.com/robots/block-sistrix-crawler",
        checked=_CHECKED,
        honours=_CRAWL_DELAY,
        source_kind="third-party",
    ),
    Crawler(
        ("Chrome-Lighthouse",),
        "Google",
        ("testing",),
        "https://webmasterid.com/search-bots/lighthouse-and-pagespeed-fetchers",
        obeys="not-documented",
        checked=_CHECKED,
        source_kind="third-party",
    ),
)
