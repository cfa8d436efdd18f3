"""Environments of policies: which one a host or a name selects, what applies in it, and what is an error."""

import pytest

import canfetch
from canfetch.author import SitePolicy, parse_policy, prove, render_policy
from canfetch.errors import InvalidOption, InvalidSitePolicy

POLICY = """
sitemaps = ["https://www.example.com/sitemap.xml"]

[everyone]
disallow = ["/private/"]
crawl_delay = 2

[purpose.training]
fetch = "none"

[crawler.gptbot]
disallow = ["/gpt/"]

[refusal]
status = 451

[environment.production]
hosts = ["www.example.com", "example.com", "*.example.com"]

[environment.staging]
hosts = ["staging.example.com", "*.preview.example.com"]
closed = true

[environment.staging.crawler.ExampleAuditBot]
fetch = "all"

[environment.demo]
hosts = ["demo.example.com"]
closed = false
sitemaps = []

[environment.demo.everyone]
disallow = ["/demo/"]

[environment.demo.crawler.GPTBot]
fetch = "none"

[environment.test]

[environment.test.everyone]
fetch = "none"

[environment.test.crawler.GPTBot]
fetch = "none"
"""
PARSED = parse_policy(POLICY)


def allows(policy: SitePolicy, target: str, agent: str) -> bool:
    return canfetch.parse(render_policy(policy)).allows(target, agent=canfetch.agent(agent))


@pytest.mark.parametrize(
    "host, name",
    [
        ("www.example.com", "production"),
        ("WWW.EXAMPLE.COM.:8443", "production"),
        ("other.example.com", "production"),
        # The most specific pattern decides, in whatever order they are listed.
        ("staging.example.com", "staging"),
        ("preview.example.com", "production"),
        ("pr-1.preview.example.com", "staging"),
        ("demo.example.com", "demo"),
        ("example.org", None),
        ("", None),
        ("staging.example.com, www.example.com", None),
        ("staging.example.com,www.example.com", None),
        ("www.example.com/../staging.example.com", None),
        ("user@www.example.com", None),
        ("www.example.com\r\n", None),
        ("[::1]", None),
        ("127.0.0.1", None),
        ("w" * 10_000, None),
    ],
)
def test_host_selects_the_environment(host: str, name: str | None) -> None:
    found = PARSED.environment_of(host)
    assert (None if found is None else found.name) == name
    if found is not None:
        assert PARSED.for_host(host) == found.policy == PARSED.for_environment(found.name)


@pytest.mark.parametrize("unknown", [PARSED.for_host("example.org"), PARSED.for_environment("Production")])
def test_unknown_environment_is_closed_and_says_so(unknown: SitePolicy) -> None:
    (comment,) = unknown.comments
    assert comment.startswith("Everything is disallowed: ")
    assert render_policy(unknown).startswith(f"# {comment}\n")
    # The second crawler ignores `*`.
    assert not any(allows(unknown, "/", name) for name in ("Googlebot", "AdsBot-Google", "GPTBot", "SomeBot"))
    assert unknown.refusal == PARSED.refusal


def test_environment_replaces_single_tables() -> None:
    production, demo = PARSED.for_environment("production"), PARSED.for_environment("demo")
    assert production == parse_policy(POLICY.partition("[environment")[0])
    assert production.sitemaps
    assert demo.sitemaps == ()
    assert [allows(demo, target, "Googlebot") for target in ("/demo/", "/private/")] == [False, True]
    # In place of the table with another spelling of the name.
    assert [intent.audience.name for intent in demo.crawlers] == ["GPTBot"]
    assert not allows(demo, "/", "GPTBot")
    # The other tables apply, and inherit from the new table of everyone.
    assert not allows(demo, "/", "CCBot")
    assert (demo.purposes[0].crawl_delay, production.purposes[0].crawl_delay) == (None, 2)


def test_closed_environment_starts_with_nothing() -> None:
    staging = PARSED.for_environment("staging")
    assert (staging.purposes, staging.sitemaps, staging.refusal) == ((), (), PARSED.refusal)
    assert [allows(staging, "/", name) for name in ("ExampleAuditBot", "Googlebot", "GPTBot")] == [True, False, False]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["production", "staging", "demo", "test", "unknown"])
def test_each_environment_holds(name: str) -> None:
    assert prove(PARSED.for_environment(name)).holds


def test_environment_has_to_be_chosen() -> None:
    for form in ("robots", "headers", "nginx"):
        with pytest.raises(InvalidSitePolicy, match="has environments: choose one of 'production', 'staging'"):
            render_policy(PARSED, form)
    with pytest.raises(InvalidSitePolicy, match="the policy has environments"):
        prove(PARSED)


def test_policy_without_environments_is_the_same_everywhere() -> None:
    policy = parse_policy("[everyone]\ndisallow = ['/a']")
    assert policy.for_host("example.org") is policy
    with pytest.raises(InvalidOption, match="environment 'staging' cannot be chosen: the policy has no environments"):
        policy.for_environment("staging")


OPEN = "[environment.production]\n"
TEST = "[environment.test]\nclosed = true\n"
GPTBOT = "[crawler.GPTBot]\ndisallow = ['/a']\n"
PAGES = "[[environment.production.page]]\npaths = ['/a']\nrules = "


@pytest.mark.parametrize(
    "toml, message, line",
    [
        (
            f"{OPEN}\n[environment.staging] # soon\nhosts = ['a.example']",
            "environment.staging: it leaves the site open to search engines; write closed = true to close it, or",
            3,
        ),
        (
            f"[everyone]\n# all\nfetch = 'none'\n{OPEN}",
            "environment.production: everyone closes the whole site to search engines, in production; change it, or",
            3,
        ),
        (
            f"{OPEN}everyone.fetch = 'none'",
            "environment.production: environment.production.everyone closes the whole site to search engines, in pro",
            2,
        ),
        (
            f"{OPEN}closed = false\neveryone.fetch = 'none'",
            "environment.production.closed: it is false, but environment.production.everyone closes the whole site to",
            2,
        ),
        (
            f"{OPEN}{TEST}crawler.Googlebot.fetch = 'all'",
            "environment.test.closed: it is true, but the rules of the environment leave the site open to search eng",
            3,
        ),
        (
            f"\n{TEST}",
            "environment: production is missing, so it would be closed: add [environment.production] with",
            2,
        ),
        (
            f"{GPTBOT}{OPEN}\n[environment.test]\neveryone.fetch = 'none'",
            "environment.test: crawler.GPTBot leaves the site open to these crawlers; write closed = true to close it",
            5,
        ),
        ("[environment.prod]", "environment: production is missing, so it would be closed", 1),
        (
            f"{OPEN}hosts = {[f'h{number}.example' for number in range(1001)]}",
            "environment: 1001 hosts: expected at",
            1,
        ),
        (f"{OPEN}closed = 'yes'", "invalid environment.production.closed 'yes': expected true or false", 2),
        (f"{OPEN}host = []", "environment.production: unknown key 'host': did you mean 'hosts'? (choose from 'host", 2),
        (f"{OPEN}hosts = 'a.example'", "invalid environment.production.hosts 'a.example': expected a list of str", 2),
        (f"{OPEN}hosts = ['a/b']", "environment.production.hosts: invalid host 'a/b': expected a host such as", 2),
        (f"{OPEN}hosts = [\n'a.b',\n'A.B.']", "environment.production.hosts: duplicate host 'a.b', also of envir", 2),
        (
            f"{OPEN}hosts = ['*.a.example']\n{TEST}hosts = ['*.A.example']",
            "environment.test.hosts: duplicate host '*.a.example', also of environment.production",
            5,
        ),
        (
            f"{OPEN}hosts = ['a*.x.y']\n{TEST}hosts = ['*b.x.y']",
            "environment.test.hosts: '*b.x.y' and 'a*.x.y' of environment.production match the same hosts, and neither",
            5,
        ),
        ("environment = 1", "invalid environment 1: expected a table", 1),
        (f"{OPEN}[[environment.staging]]", "invalid environment.staging [{}]: expected a table", 2),
        ("[environment]\nhosts = ['a.b']", "environment.hosts: 'hosts' cannot be the name of an environment: wri", 2),
        ("[environment.everyone]", "environment.everyone: 'everyone' cannot be the name of an environment", 1),
        ("[environment.by-host]", "environment.by-host: 'by-host' cannot be the name of an environment", 1),
        ("[environment.Googlebot]", "environment.Googlebot: invalid environment 'Googlebot': expected up to 63 l", 1),
        ("[environment.'a b']", "environment.a b: invalid environment 'a b'", 1),
        ("[environment.'']", "environment.: invalid environment ''", 1),
        (f"{OPEN}[environment.test.environment.x]", "environment.test: unknown key 'environment'", 2),
        ("[environments.staging]", "unknown key 'environments': did you mean 'environment'?", 1),
        (f"{OPEN}\neveryone.fetc = 'all'", "environment.production.everyone: unknown key 'fetc': did you mean 'f", 3),
        (
            f"{OPEN}[environment.production.crawler.'my.bot']\ndisallow = ['a']",
            "environment.production.crawler.my.bot.disallow: invalid pattern 'a'",
            3,
        ),
        (
            f"{OPEN}{PAGES}['noindex']\n{PAGES}['noidex']",
            "environment.production.page 2.rules: unknown page-level rule 'noidex'",
            7,
        ),
        (f"{OPEN}purpose = 1", "invalid environment.production.purpose 1: expected a table", 2),
        (f"{OPEN}purpose.x = 1", "environment.production.purpose.x: unknown purpose 'x'", 2),
        (f"{OPEN}refusal.status = 200", "environment.production.refusal: ", 2),
        (f"{OPEN}sitemaps = ['/s']", "environment.production.sitemaps: invalid sitemap URL '/s'", 2),
        ("\n[everyone]\n\ndisallow = ['a']", "everyone.disallow: invalid pattern 'a'", 4),
    ],
)
def test_invalid_environments(toml: str, message: str, line: int) -> None:
    with pytest.raises(InvalidSitePolicy) as raised:
        parse_policy(toml)
    assert str(raised.value).startswith(message)
    assert str(raised.value).endswith(f" (at line {line})")
    assert raised.value.line == line


@pytest.mark.parametrize(
    "text",
    ["[x = {a = 1, b = 2} #]", "[x = " + "[" * 5000, "[x]]]", "[[", "= 1", "x." * 500 + "x = 1", "9" * 5000],
    ids=["table", "nested", "brackets", "opening", "value", "path", "digits"],
)
def test_line_is_found_after_any_text(text: str) -> None:
    toml = f"comments = ['''\n{text}\n''', 1]\n"
    with pytest.raises(InvalidSitePolicy, match=r"^invalid comments .* \(at line 1\)$"):
        parse_policy(toml)


@pytest.mark.parametrize("toml", ["x = " + "[" * 5000, "x = " + "9" * 5000], ids=["nested", "digits"])
def test_toml_that_python_cannot_read_is_invalid(toml: str) -> None:
    with pytest.raises(InvalidSitePolicy, match=r"^invalid TOML: "):
        parse_policy(toml)


def test_number_of_environments_is_limited() -> None:
    toml = OPEN + "".join(f"[environment.e{number}]\n" for number in range(100))
    with pytest.raises(InvalidSitePolicy, match=r"^environment: 101 environments: expected at most 100 \(at line 1\)$"):
        parse_policy(toml)


@pytest.mark.parametrize(
    "toml",
    [
        f"{OPEN}closed = true",
        f"{OPEN}closed = true\neveryone.fetch = 'none'",
        f"{OPEN}closed = false",
        f"[everyone]\nfetch = 'none'\n{OPEN}closed = true",
        f"[everyone]\nfetch = 'none'\n{OPEN}everyone.fetch = 'all'\n[environment.test]",
        f"{OPEN}[environment.test]\nclosed = false",
        f"{OPEN}{TEST}everyone = {{ fetch = 'none', allow_pages = ['/ads.txt'] }}",
        f"{GPTBOT}{OPEN}[environment.test]\neveryone.fetch = 'none'\ncrawler.gptbot.fetch = 'all'",
        f"{OPEN}hosts = ['a', '*.a.b']\n{TEST}hosts = ['a:1', '*.b.a.b', '*-a.a.b']",
    ],
)
def test_stated_effects_are_valid(toml: str) -> None:
    for environment in parse_policy(toml).environments:
        intended = environment.name != "production" if environment.closed is None else environment.closed
        assert allows(environment.policy, "/", "Googlebot") is not intended
