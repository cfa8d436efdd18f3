"""The files of widespread software, which many sites leave unchanged, and the names in lists of blocked bots."""

from typing import Final, NamedTuple


class Template(NamedTuple):
    """A file, and the user agents that it names besides `*`, each with whether it is disallowed everything."""

    text: str
    names: tuple[tuple[str, bool], ...]

    @property
    def agents(self) -> dict[str, bool]:
        """The user agents, by name."""
        return dict(self.names)


WORDPRESS: Final = "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n"

_SHOP_PATHS: Final = """\
Disallow: /a/downloads/-/*
Disallow: /admin
Disallow: /cart
Disallow: /orders
Disallow: /checkouts/
Disallow: /checkout
Disallow: /carts
Disallow: /account
Disallow: /collections/*sort_by*
Disallow: /*/collections/*sort_by*
Disallow: /collections/*+*
Disallow: /collections/*%2B*
Disallow: /blogs/*+*
Disallow: /*?*oseid=*
Disallow: /*preview_theme_id*
Disallow: /policies/
Disallow: /search
"""
# A hosted shop: the user agents that it names explain why these are among the most frequent of all sites.
SHOP: Final = Template(
    f"""\
User-agent: *
{_SHOP_PATHS}
# Google's ads bot ignores rules for *
User-agent: AdsBot-Google
Disallow: /checkouts/
Disallow: /checkout
Disallow: /carts
Disallow: /orders
Disallow: /*preview_theme_id*

User-agent: Nutch
Disallow: /

User-agent: AhrefsBot
Crawl-delay: 10
{_SHOP_PATHS}
User-agent: AhrefsSiteAudit
Crawl-delay: 10
Disallow: /checkouts/
Disallow: /orders

User-agent: MJ12bot
Crawl-delay: 10
Disallow: /checkouts/

User-agent: Pinterest
Crawl-delay: 1
Disallow: /checkouts/
""",
    (
        ("AdsBot-Google", False),
        ("Nutch", True),
        ("AhrefsBot", False),
        ("AhrefsSiteAudit", False),
        ("MJ12bot", False),
        ("Pinterest", False),
    ),
)
SITE_BUILDER: Final = Template(
    """\
User-agent: *
Allow: /
Disallow: /*?lightbox=

# For ads
User-agent: AdsBot-Google-Mobile
User-agent: AdsBot-Google
Disallow: /_api/*
Disallow: /_partials*
Disallow: /pro-gallery-webapp/v1/galleries/*

User-agent: PetalBot
Disallow: /

User-agent: DotBot
Crawl-delay: 10
Disallow: /_api/*

User-agent: AhrefsBot
Crawl-delay: 10
Disallow: /_api/*
""",
    (
        ("AdsBot-Google-Mobile", False),
        ("AdsBot-Google", False),
        ("PetalBot", True),
        ("DotBot", False),
        ("AhrefsBot", False),
    ),
)
# What is served as robots.txt by sites that answer any path with a page.
ERROR_PAGE: Final = """\
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Page not found</title></head>
<body><h1>Page not found</h1><p>Back to the <a href="/">home page</a>.</p></body>
</html>
"""
# Names that are frequent in lists of blocked bots: commoncrawl/robotstxt-experiments, user-agents-frequent.csv.
BLOCKED_BOTS: Final = (
    "WebCopier",
    "WebZIP",
    "rogerbot",
    "psbot",
    "WebStripper",
    "SiteSnagger",
    "Wget",
    "Offline Explorer",
    "Teleport",
    "TeleportPro",
    "Exabot",
    "larbin",
    "MSIECrawler",
    "Gigabot",
    "TurnitinBot",
    "HTTrack",
    "EmailSiphon",
    "ExtractorPro",
    "asterias",
    "spbot",
    "EmailCollector",
    "LinkWalker",
    "NetAnts",
    "WebAuto",
    "CherryPicker",
    "Zeus",
    "lwp-trivial",
    "sistrix",
    "CheeseBot",
    "ProWebWalker",
    "moget",
    "True_Robot",
    "InfoNaviRobot",
    "BuiltBotTough",
    "DittoSpyder",
    "CopyRightCheck",
    "LexiBot",
    "RepoMonkey",
    "Crescent",
    "TheNomad",
    "hloader",
    "WebReaper",
    "WebEnhancer",
    "EmailWolf",
    "LinkextractorPro",
    "NICErsPRO",
    "suzuran",
    "humanlinks",
    "turingos",
    "Telesoft",
    "Openfind",
    "BotALot",
    "cosmos",
    "Mister PiX",
    "JennyBot",
    "QueryN Metasearch",
    "Kenjin Spider",
    "Website Quester",
    "URLy Warning",
    "ichiro",
    "NPBot",
    "magpie-crawler",
    "Xenu",
    "heritrix",
    "proximic",
    "SEOkicks-Robot",
    "BLEXBot",
    "Scrapy",
)
