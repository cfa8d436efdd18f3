"""The types of the public API, checked by mypy and at run time.

Lines that mypy must reject have a `type: ignore` comment. mypy reports the comment as unused if it accepts the line.
"""

from collections.abc import Callable
from typing import Any, Literal, assert_never, assert_type

import pytest

import canfetch

FILE = b"User-agent: *\nDisallow: /private\nSitemap: https://example.com/s.xml\n"


@pytest.mark.slow
def test_types_of_a_file() -> None:
    robots = canfetch.parse(FILE)
    assert_type(robots, canfetch.RobotsTxt)
    assert_type(canfetch.parse("User-agent: *", url=b"https://example.com/robots.txt"), canfetch.RobotsTxt)
    assert_type(canfetch.parse(bytearray(FILE), max_bytes=600_000, engine="python"), canfetch.RobotsTxt)
    assert_type(robots.content, bytes)
    assert_type(robots.tail, bytes)
    assert_type(robots.source_encoding, str)
    assert_type(robots.profile, str)
    assert_type(robots.origin, canfetch.Origin | None)
    assert_type(robots.groups, tuple[canfetch.Group, ...])
    assert_type(robots.records, tuple[canfetch.Record, ...])
    assert_type(robots.sitemaps, tuple[str, ...])
    assert_type(robots.crawl_delay(agent="a"), float | None)
    assert_type(robots.render(), bytes)


def test_types_of_access_policies() -> None:
    policy = canfetch.POLICIES["rfc9309"].replace(unauthorized="full-disallow", redirect_limit=3)
    assert_type(policy, canfetch.AccessPolicy)
    assert_type(policy.unauthorized, Literal["full-allow", "full-disallow", "unreachable"])
    assert_type(policy.while_unreachable, tuple[canfetch.UnreachablePhase, ...])
    with pytest.raises(canfetch.errors.InvalidOption):
        policy.replace(unauthorized="deny")  # type: ignore[arg-type]
    with pytest.raises(canfetch.errors.InvalidOption):
        policy.replace(unauthorised="full-allow")  # type: ignore[call-arg]
    for named in (policy, policy.name):
        canfetch.Client(user_agent="ExampleBot/1.0", policy=named).close()


def test_types_of_verdicts() -> None:
    robots = canfetch.parse(FILE)
    assert_type(robots.allows("/fish", agent="a"), bool)
    assert_type(robots.allows(b"/fish", agent=canfetch.Agent(["a", "b"])), bool)
    rules = robots.rules_for("a")
    assert_type(rules, canfetch.AgentRules)
    assert_type(rules.agent, canfetch.Agent)
    assert_type(rules.allows, Callable[[canfetch.AnyURL], bool])
    assert_type(rules.allows_many(["/fish", b"/fish"]), list[bool])
    assert_type(rules.group, canfetch.GroupSelection)
    assert_type(rules.group_indices, list[int])
    verdict = rules.decide("/private")
    assert_type(verdict, canfetch.Verdict)
    assert_type(verdict.allowed, bool)
    assert_type(verdict.reason, canfetch.Reason)
    assert_type(verdict.rule, canfetch.Rule | None)
    assert_type(verdict.also_matched, tuple[canfetch.Rule, ...])
    assert_type(verdict.line, int | None)
    assert_type(verdict.target, bytes)
    assert_type(verdict.agent, canfetch.Agent)
    assert_type(verdict.group.choice, canfetch.GroupChoice)
    assert_type(verdict.group.token, str | None)
    assert_type(verdict.group.lines, tuple[int, ...])
    assert_type(verdict.to_json(), dict[str, Any])
    assert_type(verdict.explanation, str)


def check_types_of_client_verdicts(client: canfetch.Client, turn: canfetch.Turn) -> None:
    """Checked by mypy alone. A verdict of a client always has `access`, and that of a file may have none."""
    verdict = client.decide("https://example.com/")
    assert_type(verdict, canfetch.ClientVerdict)
    assert_type(verdict.access, canfetch.AccessInfo)
    assert_type(verdict.access.access, canfetch.Access)
    match verdict.access.effect:
        case canfetch.Effect.FULL_ALLOW | canfetch.Effect.FULL_DISALLOW:
            pass
        case canfetch.Effect.CONDITIONAL_ALLOW:
            pass
        case other:
            assert_never(other)
    assert_type(turn.verdict, canfetch.ClientVerdict)
    plain: canfetch.Verdict = verdict
    assert_type(plain.access, canfetch.AccessInfo | None)
    assert plain.access.effect  # type: ignore[union-attr]
    assert_type(client.access("https://example.com/"), canfetch.AccessInfo)
    assert_type(client.robots("https://example.com/"), canfetch.RobotsTxt)
    assert_type(client.crawl_delay("https://example.com/", agent="a"), float | None)
    assert_type(client.sitemaps("https://example.com/"), tuple[str, ...])
    assert_type(client.stats, canfetch.ClientStats)
    assert_type(client.stats.fetches, int)


async def check_types_of_async_client_verdicts(client: canfetch.AsyncClient) -> None:
    """Checked by mypy alone."""
    assert_type(await client.decide("https://example.com/"), canfetch.ClientVerdict)
    assert_type(await client.access("https://example.com/"), canfetch.AccessInfo)
    assert_type(await client.robots("https://example.com/"), canfetch.RobotsTxt)
    assert_type(await client.crawl_delay("https://example.com/"), float | None)
    assert_type(await client.sitemaps("https://example.com/"), tuple[str, ...])


def test_types_of_records_and_origins() -> None:
    robots = canfetch.parse(FILE)
    group, record, rule = robots.groups[0], robots.records[0], robots.groups[0].rules[0]
    assert_type(group.user_agents, tuple[canfetch.UserAgentLine, ...])
    assert_type(group.tokens, tuple[str, ...])
    assert_type(rule.pattern, bytes)
    assert_type(rule.specificity, int)
    assert_type(record.kind, canfetch.RecordKind | None)
    assert_type(record.notes, canfetch.Note)
    assert_type(record.span, tuple[int, int])
    assert_type(record.value, tuple[int, int] | None)
    assert_type(canfetch.PROFILES, dict[str, canfetch.Profile])
    assert_type(canfetch.Origin.from_url("https://example.com/"), canfetch.Origin)
    assert_type(canfetch.robots_url("https://example.com/"), str)
    assert_type(canfetch.product_token("ExampleBot/1.0"), str)
    assert_type(canfetch.agent("Googlebot-Image"), canfetch.Agent)
    assert_type(canfetch.engine, str)
    assert_type(canfetch.InvalidURL("no").index, int | None)
    assert_type(canfetch.OriginMismatch("no", index=1).index, int | None)


def test_types_of_pages() -> None:
    page = canfetch.pages.parse_page(headers={"X-Robots-Tag": "noindex"}, url="/", tdm_file=b"[]")
    assert_type(page, canfetch.pages.PageRules)
    assert_type(
        canfetch.pages.parse_page(headers=[("X-Robots-Tag", b"noindex")]).directives,
        tuple[canfetch.pages.Directive, ...],
    )
    assert_type(page.links, tuple[canfetch.pages.QualifiedLink, ...])
    assert_type(page.no_snippets, tuple[canfetch.pages.NoSnippet, ...])
    assert_type(page.reservation, canfetch.pages.Reservation | None)
    assert_type(page.tdm_file, canfetch.pages.TDMFile | None)
    assert_type(page.notes, canfetch.pages.PageNote)
    verdict = page.decide(agent=canfetch.Agent("a"), now=0)
    assert_type(verdict, canfetch.pages.PageVerdict)
    assert_type(verdict.may_index, canfetch.pages.PageDecision)
    assert_type(verdict.may_index.allowed, bool)
    assert_type(verdict.may_index.reason, canfetch.pages.PageReason)
    assert_type(verdict.may_index.directive, canfetch.pages.Directive | None)
    assert_type(verdict.may_index.limit, float | str | None)
    assert_type(verdict.robots, canfetch.Verdict | None)
    assert_type(verdict.to_json(), dict[str, Any])
    assert_type(page.directives[0].position, canfetch.pages.PagePosition)
    assert_type(page.directives[0].notes, canfetch.pages.DirectiveNote)
    assert_type(canfetch.pages.PAGE_DIALECTS, dict[str, canfetch.pages.PageDialect])


def test_type_checkers_find_mistakes() -> None:
    robots = canfetch.parse(FILE)
    with pytest.raises(AttributeError):
        robots.content = b""  # type: ignore[misc]
    with pytest.raises(TypeError):
        # Swapped arguments, a common mistake with other libraries.
        robots.allows("ExampleBot", "/fish")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        robots.allows("/fish", agent=b"ExampleBot")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        robots.allows("/fish", agent=["ExampleBot"])  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        canfetch.prase(FILE)  # type: ignore[attr-defined]


def test_types_of_records_beyond_the_rfc() -> None:
    robots = canfetch.parse(
        b"User-agent: *\nClean-param: ref\nContent-Usage: train-ai=n\nLicense: https://example.com/l\n"
    )
    assert_type(robots.extensions, canfetch.extensions.Extensions)
    assert_type(
        robots.extensions.of_type(canfetch.extensions.CleanParam),
        tuple[canfetch.extensions.Extension[canfetch.extensions.CleanParam], ...],
    )
    assert_type(robots.extensions.of_type(canfetch.extensions.CleanParam)[0].parsed.path, bytes)
    assert_type(robots.extensions.by_name("license")[0].scope, canfetch.extensions.ExtensionScope)
    assert_type(robots.extensions.unknown, tuple[canfetch.extensions.Extension[Any], ...])
    assert_type(robots.canonical("/fish?ref=1"), str)
    assert_type(robots.licenses(agent="a")[0].parsed, canfetch.extensions.License)
    assert_type(
        robots.page_rules("/", agent="a"), tuple[canfetch.extensions.Extension[canfetch.extensions.PathPageRule], ...]
    )
    usage = robots.usage("/", agent="a", purpose="training")
    assert_type(usage, canfetch.extensions.Usage)
    assert_type(usage.preference, canfetch.extensions.Preference)
    assert_type(usage.statements, tuple[canfetch.extensions.UsageStatement, ...])
    assert_type(usage.statements[0].usage_preference, canfetch.extensions.UsagePreference)
    assert_type(usage.lines, tuple[int, ...])
    assert_type(usage.verdict, canfetch.Verdict)


@pytest.mark.slow
def test_types_of_crawlers() -> None:
    assert_type(canfetch.find_crawler("GPTBot/1.2"), canfetch.Crawler | None)
    assert_type(canfetch.REGISTRY, canfetch.Registry)
    assert_type(canfetch.REGISTRY.get_crawler("GPTBot"), canfetch.Crawler | None)
    assert_type(canfetch.REGISTRY.agent("GPTBot"), canfetch.Agent)
    assert_type(canfetch.REGISTRY.crawlers[0].verification, canfetch.agents.Verification)
    assert_type(canfetch.REGISTRY.with_crawlers(), canfetch.Registry)
