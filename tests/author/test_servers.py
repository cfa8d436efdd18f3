"""Real servers with generated rules respond as the robots.txt decides."""

import re
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

import pytest
from tests.author.policies import POLICIES, WITHOUT_QUERIES
from tests.author.servers import REFUSED, SERVERS, TRAEFIK, RunningServer, render_rules, running

import canfetch
from canfetch.author.proof import sample_targets
from canfetch.author.resolution import resolve
from canfetch.core.engines import native_module

pytestmark = pytest.mark.service

# Spellings of the same target, and similar ones.
MORE_TARGETS = (
    "/%70rivate/x",
    "/private%2Fx",
    "/PRIVATE/",
    "/caf%c3%a9/x",
    "/caf%C3%A9/menu",
    "/%7Ejoe/",
    "/%7ejoe/",
    "/x%2Ey",
    "/q?a=b%3Ac&d=%2fe",
    "/q?a=b:c&d=%2Fe",
    "/a.gif",
    "/a.gif?x",
    "/a.tar.gz",
    "/a.tarxgz",
    "/a%28b)[c]|d",
    "/a(b)[c]%7Cd%5Ce'f%22g%60h%7Bi%7D%5E%3Cj%3E",
    "/drafts/a?b",
    "/p?preview=1",
    "/robots.txt",
    "/robots.txt?x",
    "/robots.txtx",
    "/a.gif/",
    "/a.gif%2F/?x",
)
HEADERS = (
    "{name}/1.0",
    "Mozilla/5.0 (compatible; {name}/2.1; +https://example.com/bot.html)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; {folded}; +https://example.com) Chrome/131",
)
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
# The name is in a URL, an email address, or a longer name.
UNIDENTIFIED = (
    "Mozilla/5.0 (compatible; OtherBot/1.0; +https://example.com/GPTBot)",
    "OtherBot/1.0 (+gptbot@example.com)",
    "NotGPTBot/1.0",
    "GPTBot-Other/1.0",
    "my-GPTBot/1.0",
)


def as_application(target: str) -> str:
    """Return a target with the path that servers and applications route.

    It is decoded, with merged slashes, and without slashes after the name of a file.
    """
    path, mark, query = target.partition("?")
    merged = re.sub(rb"/{2,}", b"/", unquote_to_bytes(path))
    file = merged.rstrip(b"/")
    read = file if b"." in file.rpartition(b"/")[2] else merged
    return quote(read, safe="/!$&'()*+,;=:@") + mark + query


def is_robots_txt(target: str) -> bool:
    """Return whether a target is that of the robots.txt, with any query."""
    return target.partition("?")[0] == "/robots.txt"


@pytest.mark.parametrize("policy_name", POLICIES)
@pytest.mark.parametrize("name", SERVERS)
def test_server_agrees_with_robots_txt(name: str, policy_name: str, tmp_path: Path) -> None:
    policies = WITHOUT_QUERIES if name in TRAEFIK else POLICIES
    policy = canfetch.author.parse_policy(policies[policy_name])
    rules = render_rules(policy, name)
    engine = "python" if native_module() is None else "both"
    robots = canfetch.parse(canfetch.author.render_policy(policy), engine=engine)
    # Three crawlers of each intent, including the last one, whose name an earlier intent may match.
    chosen = {}
    for intent in (*policy.intents, None):
        crawlers = [one for one in resolve(policy).crawlers if one.product_names and one.intent == intent]
        chosen.update({crawler.name: crawler for crawler in [*crawlers[:2], *crawlers[-1:]]})
    chosen.update({crawler.name: crawler for crawler in resolve(policy).retired[-2:]})
    assert chosen
    targets = dict.fromkeys([*sample_targets(policy), *MORE_TARGETS])
    refused = 0
    with running(name, rules, tmp_path) as server:
        for number, crawler in enumerate(chosen.values()):
            product = crawler.product_names[-1]
            header = HEADERS[number % len(HEADERS)].format(name=product, folded=product.lower())
            for target in targets:
                reply = server.get(target, header)
                matched = target.partition("?")[0] if name in TRAEFIK else target
                readings = (matched, as_application(matched))
                allowed = all(robots.allows(read, agent=crawler.agent) for read in readings) or is_robots_txt(target)
                assert (reply.status != REFUSED) is allowed, (crawler.name, target, reply)
                tags = [value for _, value in policy.headers(matched)]
                if name in TRAEFIK:
                    # The site's routers have the tags, and a middleware replaces the header of another one.
                    tags = tags[:1] if allowed else []
                assert sorted(reply.tags) == sorted(tags), target
                refused += not allowed
        for target in targets:
            assert server.get(target, BROWSER).status != REFUSED
    assert (refused > 0) is (policy_name != "nothing")


@pytest.mark.parametrize("name", SERVERS)
def test_targets_on_which_regexes_would_backtrack(name: str, tmp_path: Path) -> None:
    patterns = ["/*a*b*c"] if name in TRAEFIK else ["/*?*session=*&page=", "/*a*b*c"]
    policy = canfetch.author.parse_policy(f"[everyone]\ndisallow = {patterns}\n")
    refused = ("/abc" + "a" * 1_500 + "b" * 1_500, "/q?session=1&page=2" + "?" * 2_000 + "session=" * 600)
    with running(name, render_rules(policy, name), tmp_path) as server:
        for target in refused[: len(patterns)]:
            assert server.get(target, "GPTBot/1.2").status == REFUSED
        for target in ("/a" + "b" * 100 + "a" * 100, "/q" + "?" * 2_000 + "session=" * 600):
            assert server.get(target, "GPTBot/1.2").status != REFUSED


# Each contains names of the policy below.
OTHER_CLIENTS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131 Mobile Safari/537.36",
    "git/2.0 (curl/8)",
    "ExampleTool/1.0 (x64)",
)


@pytest.mark.parametrize("name", SERVERS)
def test_a_policy_that_names_words_of_browsers_refuses_no_browser(name: str, tmp_path: Path) -> None:
    words = ("Safari", "Windows", "Android", "Mozilla", "curl", "x64")
    tables = [f'[crawler.{word}]\ndisallow = ["/x"]\n' for word in words]
    policy = canfetch.author.parse_policy("".join([*tables, '[crawler.GPTBot]\ndisallow = ["/y"]\n']))
    robots = canfetch.author.render_policy(policy)
    with running(name, render_rules(policy, name), tmp_path) as server:
        for header in OTHER_CLIENTS:
            assert server.get("/x", header).status != REFUSED, header
        for header in ("curl/8.5.0", "Safari/19615.3.12.11.3 CFNetwork/1410.0.3 Darwin/22.6.0"):
            assert server.get("/x", header).status == REFUSED, header
            assert not canfetch.parse(robots).allows("/x", agent=header.partition("/")[0])
        # A crawler of the registry counts, wherever it is.
        header = "curl/8 (compatible; GPTBot/1.2)"
        assert [server.get(target, header).status == REFUSED for target in ("/x", "/y")] == [False, True]


LONG_TARGETS = (
    "/" * 7_000 + "private/x",
    "/" + "%2F" * 2_300 + "private/x",
    "/x.cgi" + "/" * 7_000,
    "/x.cgi" + "%2f/" * 1_700,
    "/" + "x" * 7_000 + ".cgi/",
    "/a" + "/.x/a" * 1_400 + "/b/q?sort=",
)


@pytest.mark.parametrize("name", SERVERS)
def test_long_targets_are_refused(name: str, tmp_path: Path) -> None:
    policy = canfetch.author.parse_policy('[everyone]\ndisallow = ["/private/", "/*.cgi$", "/*/a/*/b/*sort="]\n')
    rules = render_rules(policy, name)
    with running(name, rules, tmp_path) as server:
        for target in LONG_TARGETS[:-1] if name in TRAEFIK else LONG_TARGETS:
            assert server.get(target, "GPTBot/1.2").status == REFUSED
        for target in ("/" * 7_000 + "open/x", "/x.cgi" + "/" * 7_000 + "x", "/" + "x/" * 3_500):
            # Apache refuses a folder with a long name itself.
            assert server.get(target, "GPTBot/1.2").status != REFUSED or name == "htaccess"


def test_regexes_of_caddy_read_no_long_header(tmp_path: Path) -> None:
    """Other servers limit a header by default."""
    rules = canfetch.author.render_policy(canfetch.author.parse_policy(POLICIES["training"]), "caddy")
    opened = "WhatsApp/1 A" + " (" * 480
    with running("caddy", rules, tmp_path) as server:
        # By the index of HPACK, 1 KiB are a header of 200 KB.
        size, status = server.send_http2("/x", [("user-agent", opened)] * 200)
        assert (size < 5_000, status) == (True, 431)
        assert server.send_http2("/x", [("user-agent", opened)])[1] == 200
        assert server.send_http2("/x", [("user-agent", opened), ("user-agent", "GPTBot/1.2")])[1] == REFUSED
        assert server.send_http2("/x", [("x-other", opened)] * 200)[1] == 200
        for length, expected in ((1_024, REFUSED), (1_025, 431), (500_000, 431)):
            assert server.get("/x", "GPTBot/1.2 ".ljust(length, "x")).status == expected


def test_regexes_of_caddy_read_no_long_target(tmp_path: Path) -> None:
    policy = canfetch.author.parse_policy('[crawler.GPTBot]\ndisallow = ["/x"]\n')
    with running("caddy", canfetch.author.render_policy(policy, "caddy"), tmp_path) as server:
        for target, status in (("/" + "y" * 8_191, 200), ("/" + "y" * 8_192, REFUSED), ("/robots.txt", 200)):
            assert server.get(target, "GPTBot/1.2").status == status
            assert server.get(target, BROWSER).status == 200


def test_a_raw_space_ends_no_target_of_caddy(tmp_path: Path) -> None:
    """Other servers refuse it, also in HTTP/2."""
    policy = canfetch.author.parse_policy("[crawler.ExampleBot]\ndisallow = ['/private/']\n")
    with running("caddy", canfetch.author.render_policy(policy, "caddy"), tmp_path) as server:
        for target in (
            "/open/ /../../private/x",
            "/ /../private/x",
            "/open/ #/../private/x",
            "/robots.txt /private/",
            "/a b",
        ):
            assert server.send_http2(target, [("user-agent", "ExampleBot/1.0")])[1] == REFUSED
            assert server.send_http2(target, [("user-agent", BROWSER)])[1] == 200
        assert server.send_http2("/a%20b", [("user-agent", "ExampleBot/1.0")])[1] == 200


@pytest.mark.parametrize("name", ["haproxy", "apache"])
def test_no_request_passes_because_a_regex_fails(name: str, tmp_path: Path) -> None:
    policy = canfetch.author.parse_policy('[everyone]\ndisallow = ["/private/", "/*.cgi$"]\n')
    # These groups exhaust the stack of HAProxy's engine.
    rules = render_rules(policy, name).replace("(?>", "(?:").replace(")++", ")+").replace(")*+", ")*")
    with running(name, rules, tmp_path) as server:
        for target in LONG_TARGETS[:4]:
            assert server.get(target, "GPTBot/1.2").status == REFUSED
        assert server.get("/open", "GPTBot/1.2").status != REFUSED


@pytest.fixture(scope="module", params=SERVERS)
def training_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> object:
    """Each server in turn, with rules against training."""
    policy = canfetch.author.parse_policy(POLICIES["training"])
    rules = render_rules(policy, request.param)
    with running(request.param, rules, tmp_path_factory.mktemp(request.param)) as server:
        yield server


@pytest.mark.parametrize("header", [*UNIDENTIFIED, "", BROWSER])
def test_headers_without_a_crawler_pass(training_server: RunningServer, header: str) -> None:
    assert training_server.get("/", header).status != REFUSED


@pytest.mark.parametrize(
    "crawler",
    [
        crawler
        for crawler in canfetch.REGISTRY.crawlers
        if "training" in crawler.purposes and crawler.product_names and not crawler.retired
    ],
)
def test_every_crawler_of_a_purpose_is_refused(training_server: RunningServer, crawler: canfetch.Crawler) -> None:
    for name in crawler.product_names:
        assert training_server.get("/x", f"{name}/1.0").status == REFUSED
        assert training_server.get("/robots.txt", f"{name}/1.0").status != REFUSED


@pytest.mark.parametrize(
    "target, is_refused",
    [
        ("/robots.txt", False),
        ("/robots.txt?", False),
        ("/robots.txt?version=2", False),
        ("/robots.txt?/../x", False),
        ("{origin}/robots.txt?version=2", False),
        ("/robots.txt/?x", True),
        ("/robots.txtx?", True),
        ("/robots.txt%3Fx", True),
        ("/robots.txt/../x?", True),
        ("/x?/robots.txt?", True),
        ("/%72obots.txt", True),
    ],
)
def test_robots_txt_is_served_with_any_query(
    training_server: RunningServer,
    target: str,
    is_refused: bool,  # noqa: FBT001 - a case
) -> None:
    # Traefik decodes the path, also for the backend.
    expected = is_refused and not (training_server.name in TRAEFIK and target == "/%72obots.txt")
    assert (training_server.send_line(f"GET {target} HTTP/1.1", "GPTBot/1.0") == REFUSED) is expected


@pytest.mark.parametrize(
    "line",
    [
        "GET {origin}/x HTTP/1.1",
        "GET {origin}/x?y HTTP/1.0",
        "GET {origin} HTTP/1.1",
        "GET {origin}?x HTTP/1.1",
        "POST /x HTTP/1.1",
        "HEAD /x HTTP/1.0",
        "GET  /x HTTP/1.1",
        "GET /x#y HTTP/1.1",
        "GET //x HTTP/1.1",
        "GET x HTTP/1.1",
        "GET /\xe9 HTTP/1.1",
        "GET /x\t/y HTTP/1.1",
        "GET /%00 HTTP/1.1",
    ],
)
def test_unusual_request_lines_do_not_pass(training_server: RunningServer, line: str) -> None:
    assert training_server.send_line(line, "GPTBot/1.0") in {400, 404, REFUSED}


@pytest.mark.parametrize(
    "target",
    [
        "http:{path}",
        "https:{path}",
        "HTTP:{path}",
        "x:{path}",
        "http:///{path}",
        "http:%2f{name}",
        "http:{name}",
        "x:{name}",
        "%2f{name}",
        "%2F{name}",
        "%5C{name}",
        "{name}",
        "://{name}",
        "*{path}",
        ":{path}",
        "1:{path}",
    ],
)
def test_paths_without_a_slash_at_their_start_do_not_pass(private_server: RunningServer, target: str) -> None:
    for path in ("/private/x", "/page"):
        sent = target.format(path=path, name=path[1:])
        assert private_server.send_line(f"GET {sent} HTTP/1.1", "ExampleBot/1.0") in {REFUSED, 400, 404}
        assert private_server.send_line(f"GET {sent} HTTP/1.1", BROWSER) != REFUSED


@pytest.mark.parametrize("target", ["http://private/x", "http://host.example/private", "HTTP://a-b.c:1/x?/private/"])
def test_absolute_urls_with_other_paths_pass(private_server: RunningServer, target: str) -> None:
    assert private_server.send_line(f"GET {target} HTTP/1.1", "ExampleBot/1.0") != REFUSED


@pytest.mark.parametrize("name", SERVERS)
def test_page_rules_are_sent_however_a_request_names_the_page(name: str, tmp_path: Path) -> None:
    policy = canfetch.author.parse_policy("[[page]]\npaths = ['/private/']\nrules = ['noindex']")
    served = 0
    with running(name, render_rules(policy, name), tmp_path) as server:
        for before in ("{origin}", "http:", "HTTP:", "https:", "x:"):
            reply = server.send_raw(f"GET {before}/private/x HTTP/1.1", BROWSER)
            # Most servers reject most of these.
            assert reply.tags == ["noindex"] or reply.status == 400, before
            served += reply.status < 300
            for other in ("/public/x", "/x:/private/x", "/?x:/private/x"):
                assert server.send_raw(f"GET {before}{other} HTTP/1.1", BROWSER).tags == [], other
    assert served == {"nginx": 1, "haproxy": 1, "apache": 4, "htaccess": 4}.get(name, 5)


def test_absolute_urls_are_matched_by_their_target(tmp_path_factory: pytest.TempPathFactory) -> None:
    policy = canfetch.author.parse_policy("[crawler.ExampleBot]\ndisallow = ['/private/']")
    for name in SERVERS:
        with running(name, render_rules(policy, name), tmp_path_factory.mktemp(name)) as server:
            assert server.send_line("GET {origin}/private/x HTTP/1.1", "ExampleBot/1.0") == REFUSED
            assert server.send_line("GET {origin}/public/x HTTP/1.1", "ExampleBot/1.0") < 300
            assert server.send_line("GET {origin}/robots.txt HTTP/1.1", "ExampleBot/1.0") != REFUSED


@pytest.mark.parametrize("name", ["apache", "htaccess"])
def test_apache_serves_error_pages(name: str, tmp_path: Path) -> None:
    policy = canfetch.author.parse_policy(POLICIES["training"])
    with running(name, render_rules(policy, name), tmp_path) as server:
        assert server.get("/x", "GPTBot/1.0").status == REFUSED
        assert server.body == b"a page of the site's own"
        assert server.get("/refused.html", "GPTBot/1.0").status == REFUSED


REFUSED_AT_X = '[crawler.GPTBot]\ndisallow = ["/x"]\n'


@pytest.mark.parametrize("status", [403, 404])
@pytest.mark.parametrize("page", ["/refused.html", "/index.php", "/index.php?x.html", "/missing.html", "/missing"])
@pytest.mark.parametrize("name", ["apache", "htaccess"])
def test_error_pages_of_apache_do_not_run_the_application(name: str, page: str, status: int, tmp_path: Path) -> None:
    policy = canfetch.author.parse_policy(f"{REFUSED_AT_X}[refusal]\nstatus = {status}\n")
    own = f"RewriteEngine On\nRewriteRule !robots /index.php [END]\n<If true>\nErrorDocument {status} {page}\n</If>\n"
    with running(name, render_rules(policy, name) + own, tmp_path) as server:
        (tmp_path / "site" / "index.php").write_text("the application", encoding="utf-8")
        assert server.get("/x", "GPTBot/1.0").status == status
        assert (b"page of the site's own" in server.body) is (page == "/refused.html")
        assert b"application" not in server.body
        for target, header in (("/x", BROWSER), ("/y", "GPTBot/1.0")):
            assert (server.get(target, header).status, server.body) == (200, b"the application")


@pytest.mark.parametrize("status", [403, 404])
def test_error_pages_of_nginx_do_not_run_the_application(status: int, tmp_path: Path) -> None:
    policy = canfetch.author.parse_policy(f"{REFUSED_AT_X}[refusal]\nstatus = {status}\n")
    own = f"#     error_page {status} = @app;\n#     location @app {{ return 200 app; }}\n"
    with running("nginx", render_rules(policy, "nginx") + own, tmp_path) as server:
        assert server.get("/x", "GPTBot/1.0").status == status
        assert server.body.startswith(str(status).encode())


def test_nginx_has_its_own_error_pages_for_other_reasons(tmp_path: Path) -> None:
    own = (
        f"#     root {tmp_path}/site;\n#     error_page 403 /refused.html;\n#     location = /refused.html {{ }}\n"
        "#     location = /denied { deny all; }\n"
    )
    rules = render_rules(canfetch.author.parse_policy(REFUSED_AT_X), "nginx")
    with running("nginx", rules + own, tmp_path) as server:
        assert (server.get("/x", "GPTBot/1.0").status, server.body) == (403, b"403 Forbidden")
        for header in (BROWSER, "GPTBot/1.0"):
            assert server.get("/denied", header).status == 403
            assert server.body == b"a page of the site's own"


@pytest.mark.parametrize("quick", [False, True])
def test_cache_of_apache_has_no_page_for_refused_crawlers(quick: object, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    own = f"CacheRoot {cache}\nCacheEnable disk /\nCacheHeader On\n"
    own += "Header set Cache-Control max-age=600\nRewriteRule !robots /refused.html [END]\n"
    rules = render_rules(canfetch.author.parse_policy(REFUSED_AT_X), "apache")
    # By default, as with this line, the cache responds before any rule.
    with running("apache", f"{rules}{own}{'CacheQuickHandler On' if quick else ''}\n", tmp_path) as server:
        assert server.get("/x", "GPTBot/1.0").status == REFUSED
        for _ in range(2):
            assert server.get("/x", BROWSER).status == 200
        assert server.headers["X-Cache"].startswith("HIT")
        assert server.get("/x", "GPTBot/1.0").status == (200 if quick else REFUSED)


@pytest.mark.parametrize(
    "name, own",
    [
        ("nginx", "#     rewrite ^/x /y last;\n"),
        ("nginx", "#     break;\n"),
        ("apache", "RewriteRule !robots /refused.html [END]\n"),
        ("haproxy", "    http-request set-path /y\n"),
    ],
)
def test_own_rules_after_these_skip_none(name: str, own: str, tmp_path: Path) -> None:
    rules = render_rules(canfetch.author.parse_policy(REFUSED_AT_X), name)
    with running(name, rules + own, tmp_path) as server:
        assert server.get("/x", "GPTBot/1.0").status == REFUSED
        assert server.get("/x", BROWSER).status == 200


@pytest.mark.parametrize("options, status", [("", 204), ("RewriteOptions InheritBefore\n", REFUSED)])
def test_htaccess_of_a_subfolder_replaces_the_rules_unless_it_inherits(
    options: str, status: int, tmp_path: Path
) -> None:
    policy = canfetch.author.parse_policy(POLICIES["training"])
    with running("htaccess", canfetch.author.render_policy(policy, "htaccess"), tmp_path) as server:
        (tmp_path / "site" / "shop").mkdir()
        own = f"RewriteEngine On\n{options}RewriteRule ^ - [R=204]\n"
        (tmp_path / "site" / "shop" / ".htaccess").write_text(own, encoding="utf-8")
        assert server.get("/shop/x", "GPTBot/1.0").status == status
        assert server.get("/shop/x", BROWSER).status == 204


def test_rules_of_a_virtual_host_and_of_a_htaccess_both_apply(tmp_path: Path) -> None:
    host = canfetch.author.parse_policy(f'{REFUSED_AT_X}[crawler.bingbot]\ndisallow = ["/x"]\n')
    site = canfetch.author.parse_policy('[crawler.bingbot]\ndisallow = ["/members/"]\n')
    own = (
        "RewriteRule ^/robots - [R=204]\nRewriteRule ^ - [L]\n"
        f"<Directory {tmp_path}/site>\nAllowOverride FileInfo\n</Directory>\n"
    )
    with running("apache", render_rules(host, "apache") + own, tmp_path) as server:
        rules = render_rules(site, "htaccess") + "RewriteCond %{ENV:REDIRECT_STATUS} ^$\nRewriteRule ^ - [R=204]\n"
        (tmp_path / "site" / ".htaccess").write_text(rules, encoding="utf-8")
        for target, header in (("/x", "GPTBot/1.0"), ("/x", "bingbot/2.0"), ("/members/", "bingbot/2.0")):
            assert server.get(target, header).status == REFUSED
        for target, header in (("/members/", "GPTBot/1.0"), ("/y", "bingbot/2.0"), ("/x", BROWSER)):
            assert server.get(target, header).status == 204


def test_rules_of_two_policies_for_haproxy_both_apply(tmp_path: Path) -> None:
    host = canfetch.author.parse_policy(f'{REFUSED_AT_X}[crawler.bingbot]\ndisallow = ["/x"]\n')
    site = canfetch.author.parse_policy('[crawler.bingbot]\ndisallow = ["/members/"]\n')
    with running("haproxy", render_rules(host, "haproxy") + render_rules(site, "haproxy"), tmp_path) as server:
        for target, header in (("/x", "GPTBot/1.0"), ("/x", "bingbot/2.0"), ("/members/", "bingbot/2.0")):
            assert server.get(target, header).status == REFUSED
        for target, header in (("/members/", "GPTBot/1.0"), ("/y", "bingbot/2.0"), ("/x", BROWSER)):
            assert server.get(target, header).status != REFUSED


SERVING_PAGE = Path(__file__).parents[2] / "docs" / "serving.md"


@pytest.mark.parametrize("own_page", [False, True])
@pytest.mark.parametrize("name", ["nginx", "apache", "htaccess"])
def test_documented_lines_suspend_crawling(name: str, own_page: object, tmp_path: Path) -> None:
    page = SERVING_PAGE.read_text(encoding="utf-8")
    heading = "In nginx, these" if name == "nginx" else "In Apache, in a"
    lines = page.partition(heading)[2].partition("```text\n")[2].partition("```")[0]
    # The server block of nginx is built from the lines in comments.
    rules = "".join(f"#     {line}\n" for line in lines.splitlines()) if name == "nginx" else lines
    if own_page:
        # The order of the lines of Apache does not matter; those of nginx are for the server block.
        rules += {
            "nginx": "#     error_page 503 /own.html;\n#     location = /own.html { return 200 own; }\n",
        }.get(name, "ErrorDocument 503 /refused.html\n")
    with running(name, rules, tmp_path) as server:
        for target in ("/robots.txt", "/robots.txt?x"):
            assert server.get(target, "GPTBot/1.0").status == 503
            assert server.headers["Retry-After"] == "3600"
        assert server.get("/x", "GPTBot/1.0").status < 300
        assert "Retry-After" not in server.headers


LONG_PATTERN = "/" + "a" * 1000


# nginx limits the length of a word, and a path in a folder has the limits of file names.
@pytest.mark.parametrize("name", [name for name in SERVERS if name not in {"nginx", "htaccess"}])
def test_long_patterns_are_matched(name: str, tmp_path: Path) -> None:
    policy = canfetch.author.parse_policy(f"[everyone]\ndisallow = ['{LONG_PATTERN}']")
    with running(name, render_rules(policy, name), tmp_path) as server:
        assert server.get(LONG_PATTERN, "GPTBot/1.0").status == REFUSED
        assert server.get(LONG_PATTERN[:-1], "GPTBot/1.0").status != REFUSED


def test_long_pattern_is_rejected_for_nginx() -> None:
    policy = canfetch.author.parse_policy(f"[everyone]\ndisallow = ['{LONG_PATTERN}']")
    with pytest.raises(canfetch.errors.InvalidSitePolicy, match="too long for nginx"):
        canfetch.author.render_policy(policy, "nginx")


@pytest.fixture(scope="module", params=SERVERS)
def private_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> object:
    """Each server in turn, with rules that allow most paths to one crawler."""
    policy = canfetch.author.parse_policy(
        "[crawler.ExampleBot]\n"
        "disallow = ['/private/', '/a:b/c', '/caf%C3%A9/', '/*/x.y/*z', '/q%3Fx', '/100%25']\n"
        "disallow_pages = ['/page', '/s/t']"
    )
    rules = render_rules(policy, request.param)
    with running(request.param, rules, tmp_path_factory.mktemp(request.param)) as server:
        yield server


# The backend gets `/`, `/`, and `/open%FF`.
RESOLVED_BY_TRAEFIK = ("/..", "/x/.%2e?y", "/open\xff")


@pytest.mark.parametrize(
    "target",
    [
        "/x/../private/s.html",
        "/./private/s.html",
        "/x/%2e%2E/private/s.html",
        "/x/..%2fprivate/s.html",
        "/x%2f..%2fprivate/s.html",
        "/x/%2e%2e%2fprivate/s.html",
        "/x%2F%2E%2e/private/s.html",
        "/.%2fprivate/s.html",
        "/%2e%2Fprivate/s.html",
        "/x/..\\private/s.html",
        "/x\\..\\private\\s.html",
        "/x/..%5cprivate/s.html",
        "/x%5C..%5Cprivate/s.html",
        "/x/..;/private/s.html",
        "/.;x=y/private/s.html",
        "/private%2f..",
        "/x%2f.?y",
        "/..",
        "/x/.%2e?y",
        "/page#x",
        "/page#",
        "/page?x#y",
        "/#/private/",
        "/caf\xc3\xa9/x",
        "/open\xff",
        "/open/%00",
        "/open/%09",
        "/page%00.html",
        "/s/t%0a",
        "/s/t%0D",
        "/x/%00/private/",
    ],
)
def test_ambiguous_targets_are_refused(private_server: RunningServer, target: str) -> None:
    # Apache has no page for null bytes.
    refused = {REFUSED, 400, 404}
    if private_server.name in TRAEFIK and target in RESOLVED_BY_TRAEFIK:
        refused = {200}
    assert private_server.send_line(f"GET {target} HTTP/1.1", "ExampleBot/1.0") in refused
    # Browsers and crawlers without rules are not affected.
    for header in (BROWSER, "GPTBot/1.0"):
        assert private_server.send_line(f"GET {target} HTTP/1.1", header) != REFUSED
    assert private_server.send_line(f"GET {{origin}}{target} HTTP/1.1", "ExampleBot/1.0") in refused


@pytest.mark.parametrize(
    "target",
    [
        "/private%2Fx",
        "/private%2fx",
        "/%2Fprivate/x",
        "//private/x",
        "///private%2F%2fx",
        "/%2f/private//x",
        "/%70rivate%2Fx",
        "/private%2F?x",
        "/a%3Ab/c",
        "/a%3ab%2Fc",
        "/a:b//c",
        "//a:b/%2Fc",
        "/caf%c3%a9%2Fx",
        "/o%2Fx.y/z",
        "/o//x.y//z",
        "/o/x%2Ey%2F%2Fz",
        "/s%2Ft",
        "/s//t",
        "/s%2Ft?x",
        "//page",
        "/%2Fpage",
    ],
)
def test_other_spellings_of_a_path_are_refused(private_server: RunningServer, target: str) -> None:
    for sent in (target, f"{{origin}}{target}"):
        assert private_server.send_line(f"GET {sent} HTTP/1.1", "ExampleBot/1.0") in {REFUSED, 400}
        assert private_server.send_line(f"GET {sent} HTTP/1.1", BROWSER) != REFUSED


@pytest.mark.parametrize(
    "target",
    [
        "/x.../y",
        "/...%2fy",
        "/x..%2fy",
        "/.well-known/x",
        "/x%2f.y",
        "/..x;y",
        "/x?../y",
        "/x?a=/..%2fb",
        "/page%23x",
        "/pages",
        "/%2525",
        "/open%2Fprivate/",
        "/open//private/",
        "/private%252Fx",
        "/open?x=%2Fprivate%2F",
        "/q?x",
        "/100%41",
        "/100%2Fx",
        "/s/t/",
        "/s/tt",
    ],
)
def test_dots_outside_dot_segments_pass(private_server: RunningServer, target: str) -> None:
    assert private_server.send_line(f"GET {target} HTTP/1.1", "ExampleBot/1.0") != REFUSED


@pytest.mark.parametrize("name", SERVERS)
def test_output_states_what_the_rules_match(name: str) -> None:
    rules = render_rules(canfetch.author.parse_policy(POLICIES["training"]), name)
    head = rules.partition("http:" if name in TRAEFIK else "\n\n")[0]
    assert "Rules match the" in head
    assert "Tokens in robots.txt that never send requests, and have no rules here: Google-Extended" in head
    assert all(line.startswith("#") for line in head.splitlines())
