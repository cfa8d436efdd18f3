"""What is written for Traefik is YAML, and its rules say what the file says; no Traefik runs here.

The rules are evaluated by a small reader of our own, on the path that Traefik compares, as its documents have it.
"""

import re
from typing import Any
from urllib.parse import unquote

import pytest
from tests.author.policies import POLICIES

import canfetch
from canfetch.author.resolution import resolve
from canfetch.author.sample_targets import sample_targets

yaml = pytest.importorskip("yaml")
WORDS = re.compile(r"\s*(?:(&&|\|\||!|\(|\))|(HeaderRegexp|PathRegexp|Path)\(((?:`[^`]*`(?:, )?)+)\))")


class RuleReader:
    """Evaluates a rule for one request."""

    def __init__(self, rule: str, path: str, user_agent: str) -> None:
        self._path, self._user_agent = path, user_agent
        self._words: list[str | bool] = []
        position = 0
        while position < len(rule):
            found = WORDS.match(rule, position)
            assert found is not None, rule[position:]
            position = found.end()
            self._words.append(found[1] or self._asked(found[2], re.findall("`([^`]*)`", found[3])))
        self._words.reverse()

    def _asked(self, matcher: str, given: list[str]) -> bool:
        if matcher == "Path":
            return given == [self._path]
        if matcher == "PathRegexp":
            return re.search(given[0], self._path) is not None
        assert given[0] == "User-Agent"
        return re.search(given[1], self._user_agent) is not None

    def value(self) -> bool:
        """Give the rule's value: `||` binds less than `&&`."""
        values = [self._all()]
        while self._words and self._words[-1] == "||":
            self._words.pop()
            values.append(self._all())
        return any(values)

    def _all(self) -> bool:
        values = [self._one()]
        while self._words and self._words[-1] == "&&":
            self._words.pop()
            values.append(self._one())
        return all(values)

    def _one(self) -> bool:
        word = self._words.pop()
        if word == "!":
            return not self._one()
        if word == "(":
            value = self.value()
            assert self._words.pop() == ")"
            return value
        assert isinstance(word, bool)
        return word


RESERVED = ":/?#[]@!$&'()*+,;=%"


def routing_path(path: str) -> str:
    """Give what Traefik compares: all is decoded but reserved characters."""
    kept = "".join(f"%25{ord(character):02X}|" for character in RESERVED).rstrip("|")
    path = re.sub("%[0-9A-Fa-f]{2}", lambda escape: escape[0].upper(), path)
    return unquote(re.sub(kept.replace("%25", "%"), lambda escape: escape[0].replace("%", "%25"), path))


def configured(toml: str) -> tuple[canfetch.author.SitePolicy, dict[str, Any]]:
    policy = canfetch.author.parse_policy(toml)
    return policy, (yaml.safe_load(canfetch.author.render_policy(policy, "traefik")) or {}).get("http", {})


WITHOUT_QUERIES = POLICIES["pages-and-signs"].replace(', "/q?a=b:c&d=%2Fe"', "")


@pytest.mark.parametrize(
    "toml",
    [
        POLICIES["training"],
        POLICIES["search-but-private"].replace(', "/*?preview="', ""),
        WITHOUT_QUERIES,
        POLICIES["chains"],
    ],
)
def test_rules_for_traefik_say_what_the_file_says(toml: str) -> None:
    policy, http = configured(toml)
    robots = canfetch.parse(canfetch.author.render_policy(policy))
    rules = [router["rule"] for router in http["routers"].values()]
    refused = 0
    for crawler in resolve(policy).crawlers:
        for target in sample_targets(policy):
            path, query, _ = target.partition("?")
            if query or not crawler.product_names or "//" in path:
                continue
            wanted = robots.allows(path, agent=crawler.agent)
            header = f"Mozilla/5.0 (compatible; {crawler.product_names[0]}/1.0)"
            got = any(RuleReader(rule, routing_path(path), header).value() for rule in rules)
            assert got is not wanted, (crawler.name, path)
            refused += got
    assert refused
    assert not any(RuleReader(rule, "/robots.txt", "GPTBot/1.0").value() for rule in rules)
    assert not any(RuleReader(rule, "/", "Mozilla/5.0 Firefox/145.0").value() for rule in rules)


@pytest.mark.parametrize(
    "path, is_refused",
    [
        ("/x/..%2fprivate/s.html", True),
        ("/x%2f..%2fprivate/s.html", True),
        ("/x/%2e%2e%2fprivate/s.html", True),
        ("/.%2Fprivate/s.html", True),
        ("/x/..\\private/s.html", True),
        ("/x%5c..%5cprivate/s.html", True),
        ("/x/..;/private/s.html", True),
        ("/x%2F..", True),
        ("/x...%2fy", False),
        ("/.well-known/x", False),
        ("/x%2f.y", False),
        ("/page%23x", False),
    ],
)
def test_traefik_refuses_what_others_take_for_another_path(path: str, is_refused: bool) -> None:  # noqa: FBT001 - a row
    _, http = configured("[crawler.ExampleBot]\ndisallow = ['/private/']\n[crawler.GPTBot]")
    (rule,) = (router["rule"] for router in http["routers"].values())
    assert RuleReader(rule, routing_path(path), "ExampleBot/1.0").value() is is_refused
    for header in ("GPTBot/1.0", "Mozilla/5.0 Firefox/145.0"):
        assert not RuleReader(rule, routing_path(path), header).value()


def test_a_configuration_for_traefik_is_whole() -> None:
    _, http = configured(POLICIES["search-but-private"].replace(', "/*?preview="', ""))
    priorities = [router["priority"] for router in http["routers"].values()]
    assert priorities == sorted(priorities, reverse=True)
    for router in http["routers"].values():
        assert router["middlewares"] == ["canfetch-refuse"]
        assert router["service"] == "noop@internal"
    tags = [
        middleware["headers"]["customResponseHeaders"]["X-Robots-Tag"]
        for name, middleware in http["middlewares"].items()
        if name.startswith("canfetch-tag-")
    ]
    assert tags == ["noindex, max-snippet: 20", "googlebot: unavailable_after: Friday, 25-Jun-10 15:00:00 GMT"]


@pytest.mark.parametrize("name", ["search-but-private", "pages-and-signs"])
def test_what_traefik_cannot_compare_is_refused(name: str) -> None:
    with pytest.raises(canfetch.errors.InvalidSitePolicy, match="cannot be told from a path without its query"):
        configured(POLICIES[name])


def test_nothing_is_written_for_traefik_where_nothing_is_wanted() -> None:
    assert configured("")[1] == {}
