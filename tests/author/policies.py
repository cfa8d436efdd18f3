"""Policies that the tests share, each with different features."""

from typing import Final

POLICIES: Final = {
    "training": """
        [purpose.training]
        fetch = "none"
    """,
    "search-but-private": """
        comments = ["For crawlers.", ""]
        sitemaps = ["https://www.example.com/sitemap.xml"]
        licenses = ["https://www.example.com/license.xml"]

        [everyone]
        fetch = "none"
        include_star_ignorers = true

        [purpose.search-index]
        disallow = ["/private/"]
        allow = ["/private/press/"]
        usage = { training = false, search = true }

        [crawler.Googlebot-Image]
        disallow = ["/images/private/"]
        disallow_file_types = ["gif", "tar.gz"]
        licenses = ["https://www.example.com/images.xml"]
        crawl_delay = 2

        [[page]]
        paths = ["/drafts/", "/*?preview="]
        rules = ["noindex", "max-snippet: 20"]

        [[page]]
        paths = ["/drafts/"]
        rules = ["unavailable_after: Friday, 25-Jun-10 15:00:00 GMT"]
        crawler = "Googlebot"
    """,
    "pages-and-signs": """
        [everyone]
        disallow = ["/caf\u00e9/", "/a b", "/~joe/", "/x.y", "/a(b)[c]|d\\\\e'f\\"g`h{i}^<j>", "/q?a=b:c&d=%2Fe"]
        disallow_pages = ["/private_file.html", "/f\u00fcr/50%.html"]
        allow = ["/caf\u00e9/menu$", "/x.y*z"]

        [crawler.GPTBot]
        fetch = "none"
        allow = ["/press/", "/*.md$"]
        disallow = ["/press/embargo/"]
        allow_pages = ["/"]

        [crawler."my.own_bot-2"]
        disallow = ["/*/deep/*/er"]

        [[page]]
        paths = ["/caf\u00e9/"]
        rules = ["noindex"]
    """,
    "chains": """
        [crawler.Googlebot]
        disallow = ["/google/"]

        [crawler.msnbot]
        disallow = ["/msn/"]

        [crawler.Yandex]
        fetch = "none"

        [purpose.testing]
        disallow = ["/testing/"]

        [purpose.seo]
        fetch = "none"
    """,
    "nothing": "",
}

# Traefik does not match queries.
WITHOUT_QUERIES: Final = {
    name: toml.replace(', "/*?preview="', "").replace(', "/q?a=b:c&d=%2Fe"', "") for name, toml in POLICIES.items()
}
