"""Rules for servers and middlewares agree about crawlers that only the policy names, and about browsers in apps."""

import json
import re
from functools import cache
from pathlib import Path

import pytest
from tests.author.servers import REFUSED, SERVERS, TRAEFIK, render_rules, running

import canfetch
from canfetch.agents.declarations import BROWSER_REGEX, PLATFORM
from canfetch.agents.other_clients import is_other_client
from canfetch.author.servers.rules import build_server_rules
from canfetch.integrations.serving import Enforcement

ENFORCEMENT = Enforcement()
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
ANDROID = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 "
    "Chrome/125.0.0.0 Mobile Safari/537.36"
)
WINDOWS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36"
)
BROWSERS_IN_APPS = [
    f"{IPHONE} Mobile/15E148 Flipboard/4.3.6",
    f"{IPHONE} Mobile/15E148 SmartNews/8",
    f"{IPHONE} Mobile/15E148 Reddit/Version 2024.20.0/Build 615",
    f"{IPHONE} Mobile/15E148 Twitter for iPhone/9.61",
    f"{IPHONE} Mobile/15E148 YandexSearch/23.5 YaApp_iOS/60 BroPP",
    f"{IPHONE} Mobile/15E148 Snapchat/12.34.0.35 (like Safari/8614.1.25, panda)",
    f"{IPHONE} Mobile/15E148 MicroMessenger/8.0.49(0x18003137) NetType/WIFI Language/zh_CN",
    f"{IPHONE} Mobile/21F90 Instagram 338.0.0.30.109 (iPhone14,2; iOS 17_5; en_US; en; scale=3.00; 1170x2532) NW/3",
    f"{IPHONE} Mobile/15E148 [FBAN/FBIOS;FBAV/480.0.0.30.106;FBBV/650;FBDV/iPhone14,2;FBSN/iOS;FBLC/en_US;FBOP/5]",
    f"{IPHONE} Mobile/15E148 [FBAN/FBIOS;FBAV/480.0.0.30.106;FBBV/650;FBDV/iPhone14,2;FBSN/iOS;FBSV/17",
    f"{IPHONE} Version/17.5 Mobile/15E148 Safari/604.1 [LinkedInApp]/9.27.3891",
    f"{IPHONE} Version/15.0 Mobile/15E148 Safari/605.1.15 BingSapphire/28.2",
    f"{IPHONE} Mobile/15E148 ExampleReader/1.0 ref:example",
    f"{ANDROID} GoogleApp/15.2",
    f"{ANDROID} TwitterAndroid",
    f"{ANDROID} NAVER(inapp; search; 1000; 12.3.1)",
    f"{ANDROID} Line/13.3.0/IAB",
    f"{ANDROID} Viber/20.4",
    f"{ANDROID} Telegram-Android/10.5.0 (Google Pixel 6; Android 13; SDK 33; HIGH)",
    f"{ANDROID} T7/13.20 SP-engine/2.58.0 baiduboxapp/13.20.0.10 (Baidu; P1 11) NABar/1.0",
    f"{ANDROID} Instagram 312.1.0.34.111 Android (33/13; 420dpi; Google/google; Pixel 7; panther; en_US; 550)",
    f"{ANDROID} [FB_IAB/FB4A;FBAV/480.0.0.30.106;]",
    f"{WINDOWS} Notion/3.10 Electron/31",
    f"{WINDOWS} discord/0.0.320 Electron/30.2",
    f"{WINDOWS} QQBrowser/11.0 SE 2.X MetaSr 1.0",
    "Mozilla/5.0 (Windows; U; Windows NT 10.0; en-US; Valve Steam GameOverlay/1699999999; ) Chrome/85 Safari/537",
    "Mozilla/5.0 (Windows; U; Windows NT 5.1; en-US; rv:1.8.1.20) Gecko/20081217 Firefox/2.0 (.NET CLR 3.5.30729)",
    "Mozilla/5.0 (Windows NT 6.3; WOW64; Trident/7.0; Touch; MASMJS; rv:11.0) like Gecko",
    "Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; SV1; FunWebProducts; Alexa Toolbar; Crazy Browser 2.0)",
    "Mozilla/5.0 (PlayStation; PlayStation 5/6.50) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0",
    "Mozilla/5.0 (New Nintendo 3DS like iPhone) AppleWebKit/536.30 (KHTML, like Gecko) NX/3.0 NintendoBrowser/1.3",
    "Mozilla/5.0 (SymbianOS/9.4; Series60/5.0 NokiaN97-1/20.0; Profile/MIDP-2.1) AppleWebKit/525 BrowserNG/7.1.18124",
    "Mozilla/5.0(iPad; CPU OS 16_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
    "Opera/9.80 (J2ME/MIDP; Opera Mini/7.1.32052/29.3709; U; en) Presto/2.8.119 Version/11.10",
    "Opera/9.80 (Linux mips; Opera TV Store/5602; Opera TV Store) Presto/2.12.362 Version/12.11",
]
# Where a crawler declares itself, and where its name is only a word of a browser's header.
POSITIONS = {
    "ExampleBot/1.0": True,
    "ExampleBot": True,
    "OtherTool/1.0 ExampleBot/1.0": True,
    "curl/8 (ExampleBot)": True,
    "Mozilla/5.0 (compatible; ExampleBot/1.0)": True,
    "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://bot.example)": True,
    "Mozilla/5.0 (compatible; ExampleBot; Android)": True,
    "Mozilla/5.0 ExampleBot (Windows NT 10.0; Win64; x64) Gecko/20100101 Firefox/118.0": True,
    "Mozilla/5.0 ExampleBot/1.0": True,
    "Mozilla/5.0 (KHTML, like Gecko) ExampleBot/1.0": True,
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ExampleBot/1.0) Chrome/131.0 Safari/537.36": True,
    "Mozilla/5.0 (X11; Linux x86_64; ExampleBot/1.0; bot@example.com) AppleWebKit/537.36 (KHTML, like Gecko)": True,
    "Mozilla/5.0 (X11; Linux x86_64; ExampleBot/1.0; +www.example.com) AppleWebKit/537.36 (KHTML, like Gecko)": True,
    "Mozilla/5.0 (Linux; Android 13; compatible; ExampleBot) AppleWebKit/537.36 (KHTML, like Gecko)": True,
    "Mozilla/5.0 (X11; Linux) ExampleBot/1.0 (http://bot.example)": True,
    f"{ANDROID} (compatible; ExampleBot/1.0)": True,
    f"{ANDROID} (Compatible;ExampleBot)": True,
    f"{ANDROID} (ExampleBot/1.0; bot@example.com)": True,
    f"{IPHONE} Mobile/15E148 Safari/604.1; ExampleBot/1.0": True,
    f"{IPHONE} Mobile/15E148 Safari/604.1, ExampleBot": True,
    f"{WINDOWS} ExampleBot/1.0 (+https://bot.example)": True,
    f"{WINDOWS} ExampleBot/1.0": False,
    f"{WINDOWS} ExampleBot": False,
    f"{IPHONE} Mobile/15E148 [ExampleBot/1.0;x/2]": False,
    "Mozilla/5.0 (Windows NT 10.0; ExampleBot) Gecko/20100101 Firefox/118.0": False,
    "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/118.0 (ExampleBot)": False,
    "Opera/9.80 (ExampleBot; U; en) Presto/2.12.388 Version/12.18": True,
    "Mozilla/5.0 (ExampleBot/1.0)": True,
    "Mozilla/5.0 (ExampleBot)": True,
    "Mozilla/5.0 (bot; ExampleBot/1.0)": True,
    "Mozilla/5.0 (robot) ExampleBot/1.0": True,
    "Mozilla/5.0 (Linuxbot) ExampleBot/1.0": True,
}
_HEADERS = Path(__file__).parents[1] / "agents" / "other_headers.json"
OTHER_CLIENTS = [row["value"] for row in json.loads(_HEADERS.read_bytes())]
PUBLISHED = [header.value for crawler in canfetch.REGISTRY.crawlers for header in crawler.headers]


def table(name: str) -> str:
    return f'[crawler."{name}"]\nfetch = "none"\n'


@cache
def regexes(*names: str) -> list[tuple[bool, re.Pattern[str]]]:
    """Return what finds a crawler in a header, and whether its requests are refused, for a policy that closes names."""
    policy = canfetch.author.parse_policy("".join(map(table, names)))
    return [
        (any(not rule.allow for rule in intent.rules), re.compile(regex, re.IGNORECASE))
        for intent in build_server_rules(policy).intents
        for regex in intent.user_agent_regexes
    ]


def is_refused_by_servers(header: str, *names: str) -> bool:
    return next((is_refused for is_refused, regex in regexes(*names) if regex.search(header)), False)


def is_refused_by_middlewares(header: str, *names: str) -> bool:
    declared = ENFORCEMENT.read(header)
    return declared is not None and declared.known is None and not {*map(str.lower, names)}.isdisjoint(declared.names)


def words_of(header: str) -> list[str]:
    """Return the words of a header that only a policy can name, in any letter case."""
    words = {word.lower(): word for word in re.findall("[A-Za-z0-9][A-Za-z0-9_.-]*", header)}
    return [word for word in words.values() if canfetch.REGISTRY.get_crawler(word) is None]


@pytest.mark.parametrize("header", BROWSERS_IN_APPS)
def test_browsers_in_apps_pass_whatever_word_of_their_header_the_policy_names(header: str) -> None:
    words = words_of(header)
    assert not is_refused_by_middlewares(header, *words)
    assert not is_refused_by_servers(header, *words)


@pytest.mark.parametrize("header, is_refused", POSITIONS.items())
def test_crawlers_that_only_the_policy_names_are_found_where_they_declare_themselves(
    header: str,
    is_refused: bool,  # noqa: FBT001 - a case
) -> None:
    assert is_refused_by_middlewares(header, "ExampleBot") is is_refused
    assert is_refused_by_servers(header, "ExampleBot") is is_refused


def may_be_refused(header: str) -> bool:
    """Return whether a header has what docs/authoring.md names, so that a name counts anywhere in it for servers."""
    without_comments = re.sub(r"\([^()]*\)|\[[^]]*\]", "", header)
    return (
        not header.lower().startswith(("mozilla/", "opera/"))
        or "compatible;" in header
        or PLATFORM.match(re.sub(r"^[^(]*\(\s*", "", header.lower())) is None
        or re.search(r"://|@|[(;]\s*\+|:\s*/", header) is not None
        # A list outside of comments, or a comment in a comment.
        or re.search(r"[,;()]", without_comments) is not None
    )


@pytest.mark.slow
def test_servers_refuse_more_than_middlewares_only_in_documented_cases() -> None:
    different = set()
    for header in [*OTHER_CLIENTS, *BROWSERS_IN_APPS, *PUBLISHED]:
        for word in words_of(header):
            by_servers = is_refused_by_servers(header, word)
            if by_servers == is_refused_by_middlewares(header, word):
                continue
            # Names of other clients count only at the start.
            assert by_servers or is_other_client(word), (header, word)
            assert not by_servers or may_be_refused(header), (header, word)
            different.add(header)
    # The test would also pass if servers recognised no browser.
    assert sum(header in OTHER_CLIENTS for header in different) < len(OTHER_CLIENTS) / 20


def test_crawlers_of_the_registry_come_before_names_beyond_it() -> None:
    policy = canfetch.author.parse_policy(
        f"[everyone]\ndisallow = ['/x']\n{table('Flipboard')}{table('archive')}[crawler.GPTBot]\ndisallow = ['/y']\n"
    )
    intents = build_server_rules(policy).intents
    for header, expected in (
        (f"{IPHONE} Mobile/15E148 Flipboard/4.3.6 GPTBot/1.2", "crawler.GPTBot"),
        (f"{IPHONE} Mobile/15E148 Flipboard/4.3.6 (compatible; Googlebot/2.1)", "everyone"),
        ("Flipboard/1.0 (like Googlebot)", "everyone"),
        ("Mozilla/5.0 (compatible; archive.org_bot; +http://archive.org)", "everyone"),
        ("archive/1.0", "crawler.archive"),
        ("Flipboard/1.0", "crawler.Flipboard"),
    ):
        found = next(one for one in intents if re.search(one.user_agent_regex, header, re.IGNORECASE))
        assert str(found.intent.audience) == expected, header


@pytest.mark.parametrize("names", [("Example", "Example.Feeds"), ("Example.Feeds", "Example")])
def test_a_name_comes_before_the_part_before_its_dot(names: tuple[str, str]) -> None:
    rules = {"Example": "fetch = 'none'", "Example.Feeds": "disallow = ['/private/']"}
    policy = canfetch.author.parse_policy("\n".join(f'[crawler."{name}"]\n{rules[name]}' for name in names))
    robots = canfetch.parse(canfetch.author.render_policy(policy))
    for header, name in (
        ("Example.Feeds/1.0", "Example.Feeds"),
        ("Example/1.0", "Example"),
        ("Example.Other", "Example"),
    ):
        intents = build_server_rules(policy).intents
        found = next(one for one in intents if re.search(one.user_agent_regex, header, re.IGNORECASE))
        assert found.names == (name,)
        assert robots.allows("/open", agent=name) is (name == "Example.Feeds")


def test_policies_without_names_beyond_the_registry_recognise_no_browsers() -> None:
    for names in ((), ("GPTBot",), ("GPTBot", "curl")):
        policy = canfetch.author.parse_policy("".join(map(table, names)))
        assert not any(intent.is_for_browsers for intent in build_server_rules(policy).intents)


@pytest.mark.parametrize(
    "repeated", ["(", "()", "(a;", "[", "[]", "[a;", ":", "a:", " ", "a ", "; ", ";a", "compatible;"]
)
def test_browsers_are_recognised_in_linear_time(repeated: str) -> None:
    regex = re.compile(BROWSER_REGEX, re.IGNORECASE)
    for start in ("Mozilla/5.0 (", "Mozilla/5.0 (X11)", "Mozilla/5.0 (X11) ("):
        assert regex.search(start + repeated * 20_000 + "@") is None


@pytest.mark.service
@pytest.mark.parametrize("name", SERVERS)
def test_servers_pass_browsers_in_apps_and_refuse_crawlers_with_names_beyond_the_registry(
    name: str, tmp_path: Path
) -> None:
    apps = ("Flipboard", "SmartNews", "NAVER", "Notion", "GoogleApp", "Twitter", "ExampleReader")
    assert all(any(app in header for header in BROWSERS_IN_APPS) for app in apps)
    policy = canfetch.author.parse_policy("".join(map(table, (*apps, "ExampleBot", "GPTBot"))))
    with running(name, render_rules(policy, name), tmp_path) as server:
        for header in BROWSERS_IN_APPS:
            for target in ("/", "/x/..;/y"):
                assert server.get(target, header).status != REFUSED, header
        for app in apps:
            assert server.get("/", f"{app}/1.0").status == REFUSED
            assert server.get("/", f"Mozilla/5.0 (compatible; {app}/1.0)").status == REFUSED
        for header, is_refused in POSITIONS.items():
            assert (server.get("/", header).status == REFUSED) is is_refused, header
        assert server.get("/", f"{IPHONE} Mobile/15E148 Flipboard/4.3.6 GPTBot/1.2").status == REFUSED
        # The header of a browser in a second field hides no crawler, except in Traefik, which does not join the fields.
        two_fields = f"ExampleBot/1.0\r\nUser-Agent: {WINDOWS}"
        assert server.send_line("GET / HTTP/1.1", two_fields) == (200 if name in TRAEFIK else REFUSED)
        # Long headers are refused, or of no browser.
        for repeated in ("(a;)", "[a;]", "a:"):
            header = "Mozilla/5.0 (X11) " + repeated * 1_500 + "@ ExampleBot/1.0"
            assert server.get("/", header).status == (431 if name == "caddy" else REFUSED)
