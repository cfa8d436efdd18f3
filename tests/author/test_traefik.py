"""The rules for Traefik are valid YAML and agree with robots.txt. No Traefik runs here.

A small evaluator applies the rules to paths, normalised as Traefik's documentation describes.
"""

import re
from functools import cache
from typing import Any
from urllib.parse import unquote

import pytest
from tests.author.policies import POLICIES

import canfetch
from canfetch.author.proof import sample_targets
from canfetch.author.resolution import resolve

yaml = pytest.importorskip("yaml")
TOKENS = re.compile(r"\s*(?:(&&|\|\||!|\(|\))|(HeaderRegexp|PathRegexp|Path)\(((?:`[^`]*`(?:, )?)+)\))")


@cache
def tokens_of(rule: str) -> list[tuple[str, list[str]]]:
    """Return the operators of a rule, and its matchers with their arguments."""
    tokens = []
    position = 0
    while position < len(rule):
        found = TOKENS.match(rule, position)
        assert found is not None, rule[position:]
        position = found.end()
        tokens.append((found[1] or found[2], re.findall("`([^`]*)`", found[3] or "")))
    return tokens


class RuleEvaluator:
    """Evaluates a rule for one request."""

    def __init__(self, rule: str, path: str, user_agent: str) -> None:
        self._path, self._user_agent = path, user_agent
        self._tokens: list[str | bool] = [
            self._matches(token, arguments) if arguments else token for token, arguments in tokens_of(rule)
        ]
        self._tokens.reverse()

    def _matches(self, matcher: str, arguments: list[str]) -> bool:
        if matcher == "Path":
            return arguments == [self._path]
        if matcher == "PathRegexp":
            return re.search(arguments[0], self._path) is not None
        assert arguments[0] == "User-Agent"
        return re.search(arguments[1], self._user_agent) is not None

    def value(self) -> bool:
        """Return the value of the rule; `&&` binds tighter than `||`."""
        values = [self._all()]
        while self._tokens and self._tokens[-1] == "||":
            self._tokens.pop()
            values.append(self._all())
        return any(values)

    def _all(self) -> bool:
        values = [self._one()]
        while self._tokens and self._tokens[-1] == "&&":
            self._tokens.pop()
            values.append(self._one())
        return all(values)

    def _one(self) -> bool:
        term = self._tokens.pop()
        if term == "!":
            return not self._one()
        if term == "(":
            value = self.value()
            assert self._tokens.pop() == ")"
            return value
        assert isinstance(term, bool)
        return term


RESERVED = ":/?#[]@!$&'()*+,;=%"


def routing_path(path: str) -> str:
    """Return the path as Traefik matches it: decoded except for reserved characters."""
    reserved = "".join(f"%25{ord(character):02X}|" for character in RESERVED).rstrip("|")
    path = re.sub("%[0-9A-Fa-f]{2}", lambda escape: escape[0].upper(), path)
    return unquote(re.sub(reserved.replace("%25", "%"), lambda escape: escape[0].replace("%", "%25"), path))


def render(toml: str) -> tuple[canfetch.author.SitePolicy, dict[str, Any]]:
    policy = canfetch.author.parse_policy(toml)
    return policy, (yaml.safe_load(canfetch.author.render_policy(policy, "traefik")) or {}).get("http", {})


WITHOUT_QUERIES = POLICIES["pages-and-signs"].replace(', "/q?a=b:c&d=%2Fe"', "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "toml",
    [
        POLICIES["training"],
        POLICIES["search-but-private"].replace(', "/*?preview="', ""),
        WITHOUT_QUERIES,
        POLICIES["chains"],
    ],
)
def test_rules_agree_with_robots_txt(toml: str) -> None:
    policy, http = render(toml)
    robots = canfetch.parse(canfetch.author.render_policy(policy))
    rules = [router["rule"] for router in http["routers"].values()]
    refused = 0
    for crawler in resolve(policy).crawlers:
        for target in sample_targets(policy):
            path, query, _ = target.partition("?")
            if query or not crawler.product_names or "//" in path:
                continue
            allowed = robots.allows(path, agent=crawler.agent)
            header = f"Mozilla/5.0 (compatible; {crawler.product_names[0]}/1.0)"
            is_refused = any(RuleEvaluator(rule, routing_path(path), header).value() for rule in rules)
            assert is_refused is not allowed, (crawler.name, path)
            refused += is_refused
    assert refused
    assert not any(RuleEvaluator(rule, "/robots.txt", "GPTBot/1.0").value() for rule in rules)
    assert not any(RuleEvaluator(rule, "/", "Mozilla/5.0 Firefox/145.0").value() for rule in rules)


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
        ("/x%0A.pdf", True),
        ("/x%0a/..%2Fprivate/s.html", True),
        ("/x.pdf%0A", True),
        ("/open/%00", True),
        ("/open/%09x", True),
        ("/open%0D", True),
        ("/open/%20", False),
    ],
)
def test_ambiguous_paths_are_refused(path: str, is_refused: bool) -> None:  # noqa: FBT001 - a case
    _, http = render("[crawler.ExampleBot]\ndisallow = ['/private/']\n[crawler.GPTBot]")
    (rule,) = (router["rule"] for router in http["routers"].values())
    assert RuleEvaluator(rule, routing_path(path), "ExampleBot/1.0").value() is is_refused
    for header in ("GPTBot/1.0", "Mozilla/5.0 Firefox/145.0"):
        assert not RuleEvaluator(rule, routing_path(path), header).value()


def test_patterns_match_across_line_breaks() -> None:
    _, http = render("[crawler.ExampleBot]\ndisallow = ['/a*secret']")
    (rule,) = (router["rule"] for router in http["routers"].values())
    *_, pattern = (found for _, arguments in tokens_of(rule) for found in arguments)
    assert re.search(pattern, "/a\nsecret")


def test_configuration_is_complete() -> None:
    _, http = render(POLICIES["search-but-private"].replace(', "/*?preview="', ""))
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
def test_queries_are_rejected(name: str) -> None:
    with pytest.raises(canfetch.errors.InvalidSitePolicy, match="Traefik does not match queries"):
        render(POLICIES[name])


def test_empty_policy_has_an_empty_configuration() -> None:
    assert render("")[1] == {}
