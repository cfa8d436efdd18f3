"""Front ends word the same fact alike."""

import json
from typing import Any

import pytest

from canfetch.agents import REGISTRY
from canfetch.answers.crawlers import compliance_text, token_only_text
from canfetch.answers.pace import stated_pace
from canfetch.answers.pace_text import facts_for
from canfetch.answers.reasons import group_reason, reason_text
from canfetch.core.agent import Agent
from canfetch.core.document import parse
from canfetch.core.verdict import Reason
from canfetch.lsp.file_view import FileView
from canfetch.lsp.hover import hover_at
from canfetch.web.api.decisions import explain
from canfetch.web.api.facts import Facts
from canfetch.web.mcp.agents import STAND_IN, parse_agent
from canfetch.web.mcp.explain import explain_draft
from canfetch.web.mcp.lint import lint_draft

Run = Any

NAME = "ExampleBot"


@pytest.mark.parametrize(
    "rules, line, reason",
    [
        (b"Disallow: /a\n", 2, "no other rule matches"),
        (b"Disallow: /\nAllow: /a\n", 3, "the most specific matching rule wins"),
        (b"Disallow: /a\nAllow: /a\n", 3, "of equally specific rules, allow wins"),
        (b"Disallow: /b\n", None, "no rule of the agent's group matches, so the URL is allowed"),
    ],
)
def test_the_reason_of_a_verdict_is_the_same(run: Run, rules: bytes, line: int | None, reason: str) -> None:
    content = f"User-agent: {NAME}\n".encode() + rules
    verdict = parse(content).decide("/a", agent=NAME)
    assert reason_text(verdict) == reason
    assert reason in run("explain", "/a", "--agent", NAME, "--robots", "-", stdin=content).lines[1]
    # A sentence starts with a capital letter.
    assert reason[1:] in explain_draft(content.decode(), "/a", [parse_agent(NAME, STAND_IN)]).text
    request = {"url": "/a", "agent": NAME, "content": content.decode()}
    answer = explain(json.dumps(request).encode(), Facts(0.0, Agent(NAME)))
    assert {reason} == {answer["why"]} | {one["why"] for one in answer["profiles"] if one["profile"] == "strict"}
    if line is not None:
        hover = hover_at(FileView(content, "rfc9309"), line - 1)
        assert hover is not None
        assert f"it decides `/a` ({reason})" in hover.text


@pytest.mark.parametrize("agent", ["Googlebot-Image", "Googlebot", "bingbot", NAME])
def test_the_reason_of_a_group_is_the_same(run: Run, agent: str) -> None:
    content = b"User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow: /\n"
    verdict = parse(content).decide("/a", agent=REGISTRY.agent(agent))
    reason = group_reason(verdict)
    (fact,) = [
        line
        for line in run("explain", "/a", "--agent", agent, "--robots", "-", stdin=content).lines
        if line.startswith("  group ")
    ]
    assert fact.endswith(f": {reason}")
    text = explain_draft(content.decode(), "/a", [parse_agent(agent, STAND_IN)]).text
    assert f": {reason}." in text.replace("`", "")


def test_a_file_without_a_group_for_the_agent_gives_the_same_reason(run: Run) -> None:
    content = b"User-agent: Other\nDisallow: /\n"
    verdict = parse(content).decide("/a", agent=NAME)
    assert verdict.reason is Reason.NO_GROUP
    shown = run("explain", "/a", "--agent", NAME, "--robots", "-", stdin=content).lines
    assert shown[1] == f"  {reason_text(verdict)}"
    assert f"  group     none: {group_reason(verdict)}" in shown
    text = explain_draft(content.decode(), "/a", [parse_agent(NAME, STAND_IN)]).text
    assert reason_text(verdict)[1:] in text


def test_the_pace_is_the_same(run: Run) -> None:
    content = b"User-agent: YandexBot\nDisallow: /a\nCrawl-delay: 10\nRequest-rate: 1/20\nVisit-time: 0000-2400\n"
    pace = stated_pace(parse(content), Agent("YandexBot"), 0.0)
    expected = [text for _, text in facts_for("YandexBot", pace, 0.0)]
    assert expected[0] == "10 s between requests (line 3); ignored by YandexBot"
    for arguments in (
        ("explain", "/b", "--agent", "YandexBot", "--robots", "-"),
        ("facts", "-", "--agent", "YandexBot"),
    ):
        lines = [line.strip() for line in run(*arguments, stdin=content).lines]
        assert [text for text in expected if any(line.endswith(text) for line in lines)] == expected


@pytest.mark.parametrize("name", ["ChatGPT-User", "ia_archiver", "Bytespider"])
def test_the_compliance_of_a_crawler_is_the_same(run: Run, name: str) -> None:
    crawler = REGISTRY.get_crawler(name)
    assert crawler is not None
    text = compliance_text(crawler)
    assert f"  compliance  {text}" in run("agents", "show", name).lines
    assert text in run("explain", "/", "--agent", name, "--robots", "robots.txt").out
    hover = hover_at(FileView(f"User-agent: {name}\nDisallow: /\n".encode(), "rfc9309"), 0)
    assert hover is not None
    assert f"It {text}." in hover.text


def test_a_token_that_fetches_nothing_is_described_alike(run: Run) -> None:
    name = "Google-Extended"
    crawler = REGISTRY.get_crawler(name)
    assert crawler is not None
    text = f"{name} {token_only_text(crawler)}"
    assert text in run("explain", "/", "--agent", name, "--robots", "robots.txt").out
    assert text in explain_draft("", "/", [parse_agent(name, STAND_IN)]).text


def test_findings_are_counted_alike(run: Run) -> None:
    content = b"User-agent: GPTBot*\nDisallow: a\nDisalow: /x\n"
    shown = run("lint", "-", stdin=content).out
    counts = lint_draft(content).text.partition(".")[0]
    assert counts.startswith("Found ")
    assert f": {counts}." in shown
