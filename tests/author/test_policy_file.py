"""A policy in TOML is read as it is written, and refused with the key and the mend where it cannot be meant."""

import pytest
from tests.author.policies import POLICIES

import canfetch
from canfetch.core.extensions.preference import UsagePurpose


def test_a_policy_is_read_as_it_is_written() -> None:
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
    # What is not said is everyone's, key by key.
    assert image.usage == {UsagePurpose.TRAINING: False, UsagePurpose.SEARCH: False}
    assert (image.crawl_delay, image.licenses) == (1.5, ("https://www.example.com/license.xml",))
    assert policy.headers("/drafts/x") == (("X-Robots-Tag", "googlebot: noindex"),)
    assert policy.headers("/x") == ()


def test_an_intent_decides_as_robots_txt_does() -> None:
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
def test_shared_policies_are_policies(name: str) -> None:
    assert canfetch.author.parse_policy(POLICIES[name]).everyone.audience.kind == "everyone"


@pytest.mark.parametrize(
    "toml, told",
    [
        ("[everyone", "the policy is no TOML"),
        ("sitemap = []", "^unknown key 'sitemap': did you mean 'sitemaps'"),
        ("[everyone]\nblock = []", "^everyone: unknown key 'block': choose from 'fetch'"),
        ("everyone = 1", "^everyone is 1: give a table"),
        ("[everyone]\nfetch = 'some'", "^everyone.fetch is 'some': give 'all' or 'none'"),
        ("[everyone]\nfetch = ['all']", "^everyone.fetch is"),
        ("[everyone]\ndisallow = '/a'", "^everyone.disallow is '/a': give a list of texts"),
        ("[everyone]\ndisallow = [1]", "^everyone.disallow is"),
        ("[everyone]\ndisallow = ['a']", "^everyone.disallow: pattern 'a' can match nothing"),
        ("[everyone]\ndisallow = ['*.gif$']", r"begins with '\*', which not all crawlers read: write '/\*.gif\$'"),
        ("[everyone]\ndisallow = ['/a#b']", "begins a comment"),
        ("[everyone]\ndisallow = ['/a$b']", "write %24"),
        ("[everyone]\ndisallow = ['/']", "'/' is everything: say fetch"),
        ("[everyone]\ndisallow = ['/*']", "is everything"),
        ("[everyone]\ndisallow = ['/*$']", "is everything"),
        ("[everyone]\ndisallow = ['/**$']", "has two stars in a row"),
        ("[everyone]\ndisallow = ['/a/../b']", "^everyone.disallow: pattern '/a/../b' can match nothing"),
        ("[everyone]\ndisallow_pages = ['/a/..']", r"^everyone.disallow_pages: pattern '/a/..\$' can match nothing"),
        ("[everyone]\ndisallow = ['/robots.txt']", "^everyone.disallow: pattern '/robots.txt' is about this file"),
        ("[everyone]\nallow_pages = ['/robots.txt']", "^everyone.allow_pages: pattern '/robots.txt.' is about this"),
        ("[everyone]\nallow = ['/a']", "^everyone: fetch = 'all' and what is given beside it say the same"),
        ("[everyone]\nfetch = 'none'\ndisallow = ['/a']", "^everyone: fetch = 'none' and what"),
        ("[everyone]\ndisallow = ['/a']\nallow = ['/a']", "^everyone: '/a' is both allowed and disallowed"),
        ("[everyone]\ndisallow_pages = ['/a*']", r"^everyone.disallow_pages: '/a\*' is no page's path"),
        ("[everyone]\ndisallow_pages = ['/a?b']", "is no page's path: leave out its query"),
        ("[everyone]\ndisallow_pages = ['a']", "begin it with '/'"),
        ("[everyone]\ndisallow_file_types = ['a/b']", "'a/b' is no file type"),
        ("[everyone]\ndisallow_file_types = ['']", "'' is no file type"),
        ("[everyone]\ndisallow_file_types = ['.']", "'.' is no file type"),
        ("[everyone]\ndisallow = ['/~a']\nallow = ['/%7Ea']", "^everyone: '/~a' is both allowed and disallowed"),
        ("[everyone]\nusage = 'no'", "^everyone.usage is 'no': give a table"),
        ("[everyone]\nusage = { ads = true }", "^everyone.usage: unknown use 'ads'"),
        ("[everyone]\nusage = { search = 'y' }", "^everyone.usage: use search is 'y'"),
        ("[everyone]\nusage = {}", "^everyone.usage: nothing is said"),
        (
            "[everyone]\ncrawl_delay = -1",
            "^everyone.crawl_delay is -1: give a number from 0.001 to 86400, or 0",
        ),
        ("[everyone]\ncrawl_delay = true", "^everyone.crawl_delay is True"),
        ("[everyone]\ncrawl_delay = 0.0001", "^everyone.crawl_delay is 0.0001: give"),
        ("[everyone]\ncrawl_delay = false", "^everyone.crawl_delay is False: give"),
        ("[everyone]\ncrawl_delay = '5'", "^everyone.crawl_delay is '5': give"),
        ("[everyone]\ncrawl_delay = nan", "^everyone.crawl_delay is nan"),
        ("[everyone]\nlicenses = ['/l']", "^everyone.licenses: license URL '/l' is not absolute"),
        ("[everyone]\ninclude_star_ignorers = 1", "^everyone.include_star_ignorers is 1: give true or false"),
        ("[crawler.GPTBot]\ninclude_star_ignorers = true", "^crawler.GPTBot: unknown key 'include_star_ignorers'"),
        ("purpose = 1", "^purpose is 1: give a table"),
        ("[purpose.traning]", "^purpose.traning: unknown purpose 'traning': did you mean 'training'"),
        ("[crawler.'a b']", "^crawler.a b: 'a b' is no product token"),
        ("[crawler.'*']", r"^crawler.\*: '\*' is no crawler: say it under \[everyone\]"),
        ("[crawler.gptbot]\n[crawler.GPTBot]", "^crawler.GPTBot is there twice, in two spellings"),
        ("page = 1", "^page is 1: give tables"),
        ("[[page]]\nrules = ['noindex']", "^page 1: give paths and rules"),
        ("[[page]]\npaths = ['/a']", "^page 1: give paths and rules"),
        (
            "[[page]]\npaths = ['/a']\nrules = ['noidex']",
            "^page 1.rules: unknown page-level rule 'noidex': did you mean 'noindex'",
        ),
        ("[[page]]\npaths = ['/a']\nrules = ['max-snippet: x']", "is not read as it is meant"),
        ("[[page]]\npaths = ['/a']\nrules = ['noindex, nofollow']", "unknown page-level rule 'noindex, nofollow'"),
        ("[[page]]\npaths = ['/a']\nrules = ['unavailable_after: soon']", "is not read as it is meant"),
        ("[[page]]\npaths = ['/a']\nrules = ['unavailable_after: 2030-01-01\"; x']", "invalid page-level rule"),
        ("[[page]]\npaths = ['/a']\nrules = ['noindex']\ncrawler = 1", "^page 1.crawler is 1: give a product token"),
        ("[[page]]\npaths = ['/a']\nrules = ['noindex']\ncrawler = 'max-snippet'", "not read as it is meant"),
        ("[[page]]\npaths = ['/a']\nrules = ['noindex']\ncrawl = 'a'", "^page 1: unknown key 'crawl'"),
        ("sitemaps = ['/s.xml']", "^sitemaps: sitemap URL '/s.xml' is not absolute"),
        ("sitemaps = ['https://e.com/s', 'https://e.com/s']", "^sitemaps: 'https://e.com/s' is there twice: name it"),
        ("licenses = ['x']", "^licenses: license URL 'x' is not absolute"),
        ('comments = ["a\\nb"]', "^comments: comment"),
    ],
)
def test_a_policy_that_cannot_be_meant_is_refused(toml: str, told: str) -> None:
    with pytest.raises(canfetch.errors.InvalidSitePolicy, match=told):
        canfetch.author.parse_policy(toml)


def test_a_delay_of_none_stands_in_place_of_everyones() -> None:
    toml = "[everyone]\ndisallow = ['/a']\ncrawl_delay = 2\n[crawler.GPTBot]\ncrawl_delay = 0"
    robots = canfetch.author.render_policy(canfetch.author.parse_policy(toml))
    assert robots.count("Crawl-delay") == 1
    assert robots.endswith("User-agent: *\nDisallow: /a\nCrawl-delay: 2\n")


def test_headers_of_pages_may_be_about_robots_txt() -> None:
    policy = canfetch.author.parse_policy("[[page]]\npaths = ['/robots.txt$']\nrules = ['noindex']")
    assert policy.headers("/robots.txt") == (("X-Robots-Tag", "noindex"),)


def test_a_form_that_there_is_not_is_told() -> None:
    with pytest.raises(
        canfetch.errors.InvalidOption, match="unknown form 'iis': choose from 'robots', 'headers', 'nginx'"
    ):
        canfetch.author.render_policy(canfetch.author.parse_policy(""), "iis")


def test_headers_of_pages_as_text() -> None:
    policy = canfetch.author.parse_policy("[[page]]\npaths = ['/a', '/b$']\nrules = ['noindex', 'nofollow']")
    assert canfetch.author.render_policy(policy, "headers") == "# /a /b$\nX-Robots-Tag: noindex, nofollow\n"
