"""Proofs of findings: only crawlers that read the finding's group, verdicts of an independent parse, and a contrast."""

import random
from collections.abc import Iterable, Iterator

import pytest
from tests.lint.corpus import corpus_files

from canfetch import Agent, Group, RobotsTxt, parse
from canfetch.agents import REGISTRY
from canfetch.lint import CHECKS, LANGUAGES, CrawlerVerdict, Finding, Linter, LintInput, load_catalogue
from canfetch.lint.analysis.example_paths import example_path
from canfetch.lint.fixes import apply_fixes
from canfetch.lint.formats.github import github_lines
from canfetch.lint.proofs import FIX_BUDGET_BYTES, Contrast, Proof

LINTER = Linter(findings_limit=None)
_AGENTS = (
    "*",
    "Googlebot",
    "bingbot",
    "Yandex",
    "GPTBot",
    "Google-Extended",
    "FooBot",
    "Googelbot",
    "all",
    "AdsBot-Google",
)
_LINES = (
    "Disallow: shop",
    "Disallow: *",
    "Disallow: /a*",
    "Disallow: /{{ path }}",
    "Disallow: https://example.com/b",
    'Disallow: "/c/"',
    "Disallow: /d e",
    "Disallow /f",
    "Dissallow: /g",
    "Disalow: /h",
    "Disallowed: /i",
    "Disallow: /%7Ej",
    "Allow: /k/index.html",
    "Disallow: /k/",
    "Disallow: /k/l",
    "Disallow: /",
    "Crawl-delay: 5",
    "",
)


def agent_of(name: str) -> Agent:
    """Return the agent that a crawler's name in a proof represents."""
    return Agent(name) if name == "*" else REGISTRY.agent(name)


def read_groups(robots: RobotsTxt, name: str) -> list[Group]:
    """Return the groups that a crawler reads."""
    return [robots.groups[index] for index in robots.rules_for(agent_of(name)).group_indices]


def lines_at(robots: RobotsTxt, lines: Iterable[int]) -> set[int]:
    """Return the user-agent lines of the groups of some lines."""
    groups = (robots.records[line - 1].group for line in lines)
    found = [robots.groups[group] for group in groups if group is not None and group < len(robots.groups)]
    return {agent.line for group in found for agent in group.user_agents}


def reads(robots: RobotsTxt, name: str, lines: set[int]) -> bool:
    """Return whether a crawler reads a group with one of these user-agent lines."""
    return any(agent.line in lines for group in read_groups(robots, name) for agent in group.user_agents)


def broken_by_verdict(content: bytes, finding: Finding, proof: Proof, verdict: CrawlerVerdict) -> Iterator[str]:
    """Yield the laws that one verdict of a proof breaks."""
    crawler = REGISTRY.get_crawler(verdict.crawler)
    if crawler is not None and (crawler.token_only or crawler.retired or crawler.obeys == "no"):
        yield f"{verdict.crawler} does not read robots.txt"
    robots = parse(content, profile=verdict.profile)
    decided = robots.decide(verdict.url, agent=agent_of(verdict.crawler))
    if (decided.allowed, decided.line) != (verdict.allowed, verdict.line):
        yield f"{verdict} is not the verdict of the engine"
    if any(mark in verdict.url for mark in '{} "') or "://" in verdict.url[8:]:
        yield f"absurd URL {verdict.url}"
    is_reader = reads(robots, verdict.crawler, lines_at(parse(content), proof.lines))
    if proof.contrast is Contrast.FIX:
        assert finding.fix is not None
        fixed, _ = apply_fixes(content, [finding.fix])
        after = parse(fixed, profile=verdict.profile)
        if after.allows(verdict.url, agent=agent_of(verdict.crawler)) is not verdict.allowed_after_fix:
            yield f"{verdict} is not the verdict after the fix"
        if verdict.allowed is verdict.allowed_after_fix:
            yield f"the fix does not change {verdict}"
        # The fix edits a line of the group, or adds the user-agent line above it.
        end = len(content) - finding.fix.edits[-1].end
        edited = {
            len(fixed[: len(fixed) - end].splitlines()),
            len((fixed[: finding.fix.edits[0].start] + b"x").splitlines()),
        }
        is_reader = is_reader or reads(after, verdict.crawler, lines_at(parse(fixed), edited))
    if not is_reader:
        yield f"{verdict.crawler} does not read the group"


def broken_laws(content: bytes, finding: Finding) -> Iterator[str]:
    """Yield the laws of proofs that a finding breaks."""
    proof = finding.proof
    if proof is None:
        if finding.effect() or finding.verdicts:
            yield "effect without a proof"
        return
    for verdict in proof.verdicts:
        yield from broken_by_verdict(content, finding, proof, verdict)
    if proof.contrast is Contrast.CRAWLERS and len({verdict.allowed for verdict in proof.verdicts}) < 2:
        yield "crawlers do not differ"
    if proof.contrast is not Contrast.FIX and not any(verdict.line in proof.lines for verdict in proof.verdicts):
        yield "no crawler obeys the line"


def crowded_files(count: int) -> Iterator[bytes]:
    """Generate files with several groups, each with odd lines."""
    randomness = random.Random(9309)  # noqa: S311 - reproducible test data
    for _ in range(count):
        lines: list[str] = []
        for _ in range(randomness.randrange(1, 4)):
            lines += (f"User-agent: {name}" for name in randomness.sample(_AGENTS, randomness.randrange(1, 3)))
            lines += randomness.choices(_LINES, k=randomness.randrange(1, 6))
        yield ("\n".join(lines) + "\n").encode()


@pytest.mark.slow
def test_every_proof_keeps_the_laws() -> None:
    files = [*corpus_files(generated=40), *((f"crowded-{i}", content) for i, content in enumerate(crowded_files(80)))]
    broken: list[str] = []
    contrasts: set[Contrast] = set()
    for name, content in files:
        report = LINTER.lint(content)
        for finding in report.findings:
            broken += (f"{name}: {finding!r}: {law}" for law in broken_laws(report.file.content, finding))
            if finding.proof is not None:
                contrasts.add(finding.proof.contrast)
    assert broken == []
    assert contrasts == set(Contrast)


def effects(content: bytes) -> dict[str, str]:
    """Return the effect of the last finding of each check that has one."""
    return {finding.check.code: finding.effect() for finding in LINTER.lint(content).findings if finding.effect()}


NAMED = b"User-agent: Googlebot\nUser-agent: bingbot\nUser-agent: YandexBot\nDisallow:\n"


@pytest.mark.parametrize(
    "content, code, effect",
    [
        (b"User-agent: GPTBot\nDisallow: shop\n", "CF401", "GPTBot may fetch /shop today, but not once this is fixed"),
        (
            b"User-agent: FooBot\nDisallow: shop\n",
            "CF401",
            "any crawler named FooBot may fetch /shop today, but not once this is fixed",
        ),
        (
            b"User-agent: bingbot\nUser-agent: Googlebot\nDisallow: /%7Ea\n",
            "CF417",
            "because of line 3, bingbot may not fetch /~a; Googlebot may",
        ),
        (
            b"User-agent: Yandex\nDisallow: shop\n",
            "CF401",
            "YandexBot may fetch /shop today, but not once this is fixed",
        ),
        (
            b"User-agent: Google-bot\nDisallow: /private/\n",
            "CF501",
            "Googlebot may fetch /private/ today, but not once this is fixed",
        ),
        (
            b"\xef\xbb\xbfUser-agent: Google-bot\nDisallow: /private/\n",
            "CF501",
            "Googlebot may fetch /private/ today, but not once this is fixed",
        ),
        (
            b"User-agent: GPTBot, ClaudeBot\r\nDisallow: /private/\r\n",
            "CF503",
            "ClaudeBot may fetch /private/ today, but not once this is fixed",
        ),
        (
            b"User-agent: FooBot\nDisallow: /a/\n\nUser-agent: *\nDisallow: /b/\n",
            "CF307",
            "because of line 5, other crawlers may not fetch /b/; any crawler named FooBot may",
        ),
        (
            b"User-agent: a\nUser-agent: CCBot\nUser-agent: GPTBot\nUser-agent: b\nUser-agent: Applebot\nDisallow: /\n",
            "CF702",
            "because of line 6, Applebot may not fetch /",
        ),
        (
            b"User-agent: *\nDisallow: /x\n\nUser-agent: Yandex\nUser-agent: FooBot\nAllow: /ads.txt\nDisallow: /\n",
            "CF702",
            "because of line 7, YandexBot may not fetch /page",
        ),
        (
            "User-agent: Googlebot\u200b\nDisallow: /\n".encode(),
            "CF112",
            "because of line 2, Googlebot may not fetch /",
        ),
        (
            "User-agent: bingbot\u200b\nDisallow: /\n".encode(),
            "CF112",
            "bingbot may fetch / today, but not once this is fixed",
        ),
        (
            "User-agent: a\n\u200bDisallow: /b\n".encode(),
            "CF112",
            "any crawler named a may fetch /b today, but not once this is fixed",
        ),
        (
            "User-agent: *\nDisallow: /a\n\ufeffUser-agent: GPTBot\nAllow: /c\nDisallow: /b\n".encode(),
            "CF112",
            "Googlebot, bingbot, YandexBot and other crawlers may not fetch /b today, but may once this is fixed",
        ),
        (
            b"User-agent: *\nDisallow: /a\nUsr-agnt: GPTBot\nDisallow: /\n",
            "CF203",
            "Googlebot, bingbot, YandexBot and other crawlers may not fetch / today, but may once this is fixed",
        ),
        (
            NAMED + b"\nUser-agent: *\nDisallow: shop\n",
            "CF401",
            "crawlers without a group of their own may fetch /shop today, but not once this is fixed",
        ),
        (b"User-agent= GPTBot\nDisallow: /b\n", "CF211", "GPTBot may fetch /b today, but not once this is fixed"),
    ],
)
def test_proof_names_the_crawlers_of_the_group(content: bytes, code: str, effect: str) -> None:
    assert effects(content)[code] == effect


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"User-agent: AhrefsBot\nDisallow: *\n", id="every crawler of the group agrees"),
        pytest.param(b"User-agent: *\nDisallow: /a/*\n", id="a superfluous star changes nothing"),
        pytest.param(b"User-agent: *\nDisallow: /a/\nDisallow: /a/b/\n", id="a covered rule changes nothing"),
        pytest.param(b"User-agent: Googlebot\nDisalow: /a/\n", id="a misspelt key, which the crawler accepts"),
        pytest.param(b"User-agent: Google-Extended\nDisallow: shop\n", id="a token that only controls use"),
        pytest.param(b"User-agent: all\nDisallow: shop\n", id="a word that no crawler has as its name"),
        pytest.param(b"User-agent: *\nDisallow: https://example.org/a\n", id="the path of another site"),
        pytest.param(b"User-agent: *\nDisallow: /{{ path }}\n", id="a placeholder of a template"),
    ],
)
def test_no_proof_without_a_contrast(content: bytes) -> None:
    assert effects(content) == {}


@pytest.mark.parametrize(
    "pattern, path",
    [
        (b"/a", "/a"),
        (b"/a/*.gif$", "/a/x.gif"),
        (b"*.gif$", "/x.gif"),
        (b"*", "/"),
        (b"/*?", "/x?"),
        (b"//a", "https://example.com//a"),
        (b"a", None),
        (b"", None),
        (b"https://example.com/a", None),
        (b"/https://example.com/a", None),
        (b"/{{ path }}", None),
        (b"/%7B%7Bpath%7D%7D", None),
        (b"/a/../b", None),
        (b"/a/..", None),
        (b"/(a|b)/.*", None),
        (b"/a b", None),
        (b'/"a"', None),
        (b"/" + b"a" * 500, None),
    ],
)
def test_example_path(pattern: bytes, path: str | None) -> None:
    assert example_path(pattern) == path


@pytest.mark.slow
def test_large_files_examine_the_fixes_of_the_most_severe_findings() -> None:
    lines = b"".join(b"Disallow: /a%d b\n" % number for number in range(20_000))
    content = b"User-agent: *\n" + lines + b"Disallow: shop\n"
    findings = Linter().lint(content).findings
    examined = [finding for finding in findings if finding.examines_fix]
    assert len(examined) == FIX_BUDGET_BYTES // len(content)
    assert (
        examined[-1].effect()
        == "Googlebot, bingbot, YandexBot and other crawlers may fetch /shop today, but not once this is fixed"
    )


@pytest.fixture(scope="module")
def findings_of_bad_examples() -> list[Finding]:
    return [finding for check in CHECKS for finding in LINTER.lint(check.bad_input()).findings]


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_names_the_crawlers_the_url_and_the_line(
    findings_of_bad_examples: list[Finding], language: str
) -> None:
    catalogue = load_catalogue(language)
    seen: set[Contrast] = set()
    for finding in findings_of_bad_examples:
        proof: Proof | None = finding.proof
        if proof is not None:
            seen.add(proof.contrast)
            effect = finding.effect(catalogue)
            assert proof.verdicts[0].url in effect
            assert "{" not in effect
            if proof.contrast is not Contrast.FIX:
                assert any(str(line) in effect for line in proof.lines)
            for verdict in proof.verdicts:
                assert verdict.crawler == "*" or verdict.crawler in effect
    assert seen == set(Contrast)


@pytest.mark.slow
def test_proof_is_a_clause_of_its_own_in_one_line() -> None:
    report = Linter(select=["CF201"]).lint(LintInput(b"User-agent: *\nDisallow /c/\n"))
    (line,) = github_lines([report])
    assert line.endswith(
        "::the colon after `Disallow` is missing "
        "(because of line 2, Googlebot, bingbot and other crawlers may not fetch /c/; YandexBot may)"
    )
