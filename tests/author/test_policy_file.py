"""Parsing of policies in TOML, and errors that name the key, the value and the expected values."""

from pathlib import Path
from typing import Any

import pytest
from tests.author.policies import POLICIES

import canfetch
from canfetch.core.extensions.preference import UsagePurpose


def test_parsed_policy() -> None:
    policy = canfetch.author.parse_policy("""
        comments = ["Hello."]
        sitemaps = ["https://www.example.com/sitemap.xml"]

        [everyone]
        disallow = ["/f\u00fcr/", "/%7ejoe"]
        usage = { training = false, search = true }
        crawl_delay = 1.5
        licenses = ["https://www.example.com/license.xml"]

        [crawler.googlebot-image]
        fetch = "none"
        allow_file_types = [".png"]
        allow_pages = ["/a b.html"]
        usage = { search = false }

        [[page]]
        paths = ["/drafts/"]
        rules = ["noindex"]
        crawler = "Googlebot"
    """)
    assert [rule.pattern for rule in policy.everyone.rules] == ["/f%C3%BCr/", "/~joe"]
    (image,) = policy.crawlers
    assert str(image) == "crawler.Googlebot-Image: none, allow /a%20b.html$, allow /a%20b.html?, allow /*.png$"
    # Missing keys are inherited from everyone, one by one.
    assert image.usage == {UsagePurpose.TRAINING: False, UsagePurpose.SEARCH: False}
    assert (image.crawl_delay, image.licenses) == (1.5, ("https://www.example.com/license.xml",))
    assert policy.headers("/drafts/x") == (("X-Robots-Tag", "googlebot: noindex"),)
    assert policy.headers("/x") == ()


def test_intents_decide_like_robots_txt() -> None:
    (intent, *_) = canfetch.author.parse_policy("""
        [crawler.GPTBot]
        fetch = "none"
        allow = ["/press/", "/a*b"]
        disallow = ["/press/x/"]
    """).intents
    assert [intent.allows(target) for target in ("/", "/press/", "/press/x/", "/%70ress/y", "/aXb")] == [
        False,
        True,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("name", POLICIES)
def test_shared_policies_are_valid(name: str) -> None:
    assert canfetch.author.parse_policy(POLICIES[name]).everyone.audience.kind == "everyone"


@pytest.mark.parametrize(
    "toml, message",
    [
        ("[everyone", "invalid TOML"),
        (f"a = {'[' * 10_000}", "invalid TOML"),
        (f"a = {'1' * 5000}", "invalid TOML"),
        ("sitemap = []", "^unknown key 'sitemap': did you mean 'sitemaps'"),
        ("[everyone]\nblock = []", "^everyone: unknown key 'block': choose from 'fetch'"),
        ("everyone = 1", "^invalid everyone 1: expected a table"),
        ("[everyone]\nfetch = 'some'", "^invalid everyone.fetch 'some': expected 'all' or 'none'"),
        ("[everyone]\nfetch = ['all']", "^invalid everyone.fetch"),
        ("[everyone]\ndisallow = '/a'", "^invalid everyone.disallow '/a': expected a list of strings"),
        ("[everyone]\ndisallow = [1]", "^invalid everyone.disallow"),
        (
            "[everyone]\ndisallow = ['a']",
            "^everyone.disallow: invalid pattern 'a': expected a pattern",
        ),
        ("[everyone]\ndisallow = ['*.gif$']", r"not all crawlers support a leading '\*'; write '/\*.gif\$'"),
        ("[everyone]\ndisallow = ['/a#b']", "'#' starts a comment"),
        ("[everyone]\ndisallow = ['/a$b']", "write %24"),
        ("[everyone]\ndisallow = ['/']", "invalid pattern '/': to match everything, use fetch"),
        ("[everyone]\ndisallow = ['/*']", "to match everything, use fetch"),
        ("[everyone]\ndisallow = ['/*$']", "to match everything, use fetch"),
        ("[everyone]\ndisallow = ['/**$']", r"'\*\*' matches the same as '\*'"),
        ("[everyone]\ndisallow = ['/a/../b']", "^everyone.disallow: invalid pattern '/a/../b': it matches nothing"),
        (
            "[everyone]\ndisallow_pages = ['/a/..']",
            r"^everyone.disallow_pages: invalid pattern '/a/..\$': it",
        ),
        (
            "[everyone]\ndisallow = ['/robots.txt']",
            "^everyone.disallow: invalid pattern '/robots.txt': crawlers",
        ),
        (
            "[everyone]\nallow_pages = ['/robots.txt']",
            "^everyone.allow_pages: invalid pattern '/robots.txt.'",
        ),
        ("[everyone]\nallow = ['/a']", "^everyone: with fetch = 'all', these rules change nothing: add disallow rules"),
        (
            "[everyone]\nfetch = 'none'\ndisallow = ['/a']",
            "^everyone: with fetch = 'none', these rules",
        ),
        ("[everyone]\ndisallow = ['/a']\nallow = ['/a']", "^everyone: '/a' is both allowed and disallowed"),
        ("[everyone]\ndisallow_pages = ['/a*']", r"^everyone.disallow_pages: invalid page path '/a\*'"),
        ("[everyone]\ndisallow_pages = ['/a?b']", "invalid page path '/a.b': expected a path without a query"),
        ("[everyone]\ndisallow_pages = ['a']", "invalid path 'a': expected a path that starts with '/'"),
        ("[everyone]\ndisallow_file_types = ['a/b']", "invalid file type 'a/b'"),
        ("[everyone]\ndisallow_file_types = ['']", "invalid file type ''"),
        ("[everyone]\ndisallow_file_types = ['.']", "invalid file type '.'"),
        ("[everyone]\ndisallow = ['/~a']\nallow = ['/%7Ea']", "^everyone: '/~a' is both allowed and disallowed"),
        ("[everyone]\nusage = 'no'", "^invalid everyone.usage 'no': expected a table"),
        ("[everyone]\nusage = { ads = true }", "^everyone.usage: unknown use 'ads'"),
        ("[everyone]\nusage = { search = 'y' }", "^everyone.usage: invalid search 'y': expected true or false"),
        ("[everyone]\nusage = {}", "^everyone.usage: no usage preference"),
        (
            "[everyone]\ncrawl_delay = -1",
            "^invalid everyone.crawl_delay -1: expected a number of seconds from 0.001 to 86400, or 0",
        ),
        ("[everyone]\ncrawl_delay = true", "^invalid everyone.crawl_delay True"),
        ("[everyone]\ncrawl_delay = 0.0001", "^invalid everyone.crawl_delay 0.0001: expected"),
        ("[everyone]\ncrawl_delay = false", "^invalid everyone.crawl_delay False: expected"),
        ("[everyone]\ncrawl_delay = '5'", "^invalid everyone.crawl_delay '5': expected"),
        ("[everyone]\ncrawl_delay = nan", "^invalid everyone.crawl_delay nan"),
        ("[everyone]\nlicenses = ['/l']", "^everyone.licenses: invalid license URL '/l'"),
        ("[everyone]\ninclude_star_ignorers = 1", "^invalid everyone.include_star_ignorers 1: expected true or false"),
        ("[crawler.GPTBot]\ninclude_star_ignorers = true", "^crawler.GPTBot: unknown key 'include_star_ignorers'"),
        ("purpose = 1", "^invalid purpose 1: expected a table"),
        ("[purpose.traning]", "^purpose.traning: unknown purpose 'traning': did you mean 'training'"),
        ("[crawler.'a b']", "^crawler.a b: invalid product token 'a b'"),
        ("[crawler.'*']", r"^crawler.\*: expected the name of one crawler; use \[everyone\]"),
        ("[crawler.gptbot]\n[crawler.GPTBot]", "^crawler.GPTBot: duplicate table, in another spelling"),
        ("page = 1", r"^invalid page 1: expected \[\[page\]\] tables"),
        ("[[page]]\nrules = ['noindex']", "^page 1: expected paths and rules"),
        ("[[page]]\npaths = ['/a']", "^page 1: expected paths and rules"),
        (
            "[[page]]\npaths = ['/a']\nrules = ['noidex']",
            "^page 1.rules: unknown page-level rule 'noidex': did you mean 'noindex'",
        ),
        ("[[page]]\npaths = ['/a']\nrules = ['max-snippet: x']", "expected one directive with a valid value"),
        ("[[page]]\npaths = ['/a']\nrules = ['noindex, nofollow']", "unknown page-level rule 'noindex, nofollow'"),
        ("[[page]]\npaths = ['/a']\nrules = ['unavailable_after: soon']", "expected one directive with a valid value"),
        ("[[page]]\npaths = ['/a']\nrules = ['unavailable_after: 2030-01-01\"; x']", "invalid page-level rule"),
        (
            "[[page]]\npaths = ['/a']\nrules = ['noindex']\ncrawler = 1",
            "^invalid page 1.crawler 1: expected",
        ),
        ("[[page]]\npaths = ['/a']\nrules = ['noindex']\ncrawler = 'max-snippet'", "ambiguous X-Robots-Tag header"),
        ("[[page]]\npaths = ['/a']\nrules = ['noindex']\ncrawl = 'a'", "^page 1: unknown key 'crawl'"),
        ("sitemaps = ['/s.xml']", "^sitemaps: invalid sitemap URL '/s.xml'"),
        ("sitemaps = ['https://e.com/s', 'https://e.com/s']", "^sitemaps: duplicate URL 'https://e.com/s'"),
        ("licenses = ['x']", "^licenses: invalid license URL 'x'"),
        ('comments = ["a\\nb"]', "^comments: invalid comment"),
    ],
)
def test_invalid_policies(toml: str, message: str) -> None:
    with pytest.raises(canfetch.errors.InvalidSitePolicy, match=message):
        canfetch.author.parse_policy(toml)


@pytest.mark.parametrize("toml", [b"", None, Path("policy.toml")], ids=["bytes", "none", "path"])
def test_policy_of_another_type_raises(toml: Any) -> None:
    with pytest.raises(TypeError, match="toml must be a str, the content of a policy file, not "):
        canfetch.author.parse_policy(toml)


def test_byte_order_mark_of_a_policy_is_ignored() -> None:
    assert canfetch.author.parse_policy("\ufeff[everyone]\nfetch = 'none'").everyone.fetch is False


def test_delay_of_0_overrides_that_of_everyone() -> None:
    toml = "[everyone]\ndisallow = ['/a']\ncrawl_delay = 2\n[crawler.GPTBot]\ncrawl_delay = 0"
    robots = canfetch.author.render_policy(canfetch.author.parse_policy(toml))
    assert robots.count("Crawl-delay") == 1
    assert robots.endswith("User-agent: *\nDisallow: /a\nCrawl-delay: 2\n")


def test_page_headers_may_be_for_robots_txt() -> None:
    policy = canfetch.author.parse_policy("[[page]]\npaths = ['/robots.txt$']\nrules = ['noindex']")
    assert policy.headers("/robots.txt") == (("X-Robots-Tag", "noindex"),)


def test_unknown_form() -> None:
    with pytest.raises(
        canfetch.errors.InvalidOption, match="unknown form 'lighttpd': choose from 'robots', 'headers', 'nginx'"
    ):
        canfetch.author.render_policy(canfetch.author.parse_policy(""), "lighttpd")


def test_page_headers_as_text() -> None:
    policy = canfetch.author.parse_policy("[[page]]\npaths = ['/a', '/b$']\nrules = ['noindex', 'nofollow']")
    assert canfetch.author.render_policy(policy, "headers") == "# /a /b$\nX-Robots-Tag: noindex, nofollow\n"
