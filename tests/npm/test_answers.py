"""The npm package gives the answers of the library, and passes the conformance cases."""

import base64
import json
from random import Random
from typing import Any

import pytest
from conformance.__main__ import main
from tests.differential.generator import generate_case
from tests.missing import skip_unless_ci
from tests.npm.conftest import Archive, Runtime, lines_of_json

import canfetch
from canfetch.agents import CRAWLERS
from canfetch.core.agent import STAR_IGNORERS
from canfetch.core.profiles import PROFILES
from canfetch.core.urls import url_bytes

pytestmark = pytest.mark.service

OTHERS = [
    b"Crawl-delay: 3",
    b"crawl-delay: 007,5",
    b"Crawl-delay: .5",
    b"Crawl-delay: 5s",
    b"Crawl-delay: " + b"9" * 40,
]
OTHERS += [b"Sitemap: https://example.com/s.xml", b"site-map: x\xff", b"Sitemap:", b"Host: a"]
HEADERS = [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.1; +https://openai.com/gptbot)",
    "ExampleBot/1.0",
    "Mozilla/5.0 ((a) Other/1 (b; x@example.com; Bot/2)) Tail/3",
    "Mozilla/5.0",
    "",
    "*",
    "Éléphant/1",
    "_MyBot/1.0",
    "-Bot",
    "-",
    "https://example.com/bot",
    "Mozilla/5.0 (compatible; https://example.com/bot) --",
    ") ( Mozilla; compatible ; ) Late/1 (",
]


def test_all_conformance_cases(archive: Archive, capsys: pytest.CaptureFixture[str]) -> None:
    del archive
    code = main(["--adapter", "canfetch-npm", "--quiet"])
    output = capsys.readouterr().out
    if "is not installed" in output:
        skip_unless_ci(output)
    assert code == 0, output[-2000:]


def test_answers_are_those_of_the_library(runtime: Runtime) -> None:
    random = Random(9309)  # noqa: S311 - cases, not secrets
    headers = [*HEADERS, *(header.value for crawler in CRAWLERS for header in crawler.headers)]
    questions, expected = [], []
    names = list(PROFILES)
    for seed in range(180):
        case = generate_case(seed)
        lines = case.content.split(b"\n")
        for _ in range(random.randrange(6)):
            lines.insert(random.randrange(len(lines) + 1), random.choice(OTHERS))
        agents = [token.decode(errors="replace") for token in case.agents[:4]]
        agents += ["", "*", "a b", random.choice(sorted(STAR_IGNORERS)).upper()]
        urls = [url_bytes(url) for url in case.urls[:12]]
        question = {
            "content": base64.b64encode(b"\n".join(lines)).decode(),
            "profile": names[seed % len(names)],
            "agents": agents,
            "urls": [base64.b64encode(url).decode() for url in urls],
            "headers": headers if seed == 0 else [],
        }
        questions.append(question)
        expected.append(answers(b"\n".join(lines), question, agents, urls))
    found = lines_of_json(runtime.run("answers.mjs", questions="\n".join(map(json.dumps, questions)) + "\n"))
    assert len(found) == len(expected)
    for question, answer, right in zip(questions, found, expected, strict=True):
        assert answer == right, question


def answers(content: bytes, question: dict[str, Any], agents: list[str], urls: list[bytes]) -> dict[str, Any]:
    robots = canfetch.parse(content, profile=question["profile"])
    return {
        "sitemaps": list(robots.sitemaps),
        "answers": [
            {"delay": delay(robots, agent), "verdicts": [verdict(robots, url, agent) for url in urls]}
            for agent in agents
        ],
        "tokens": [token(header) for header in question["headers"]],
    }


def delay(robots: canfetch.RobotsTxt, agent: str) -> Any:
    try:
        return robots.crawl_delay(agent=agent)
    except canfetch.InvalidProductToken:
        return {"error": "invalid-product-token"}


def token(header: str) -> Any:
    try:
        return canfetch.product_token(header)
    except canfetch.InvalidProductToken:
        return {"error": "invalid-product-token"}


def verdict(robots: canfetch.RobotsTxt, url: bytes, agent: str) -> Any:
    try:
        found = robots.decide(url, agent=agent)
    except canfetch.InvalidProductToken:
        return {"error": "invalid-product-token"}
    except canfetch.InvalidURL:
        return {"error": "invalid-url"}
    value = found.to_json()
    return {
        "allowed": value["allowed"],
        "reason": value["reason"],
        "rule": value["rule"],
        "line": found.line,
        "alsoMatched": value["also_matched"],
        "group": value["group"],
        "agent": {"tokens": list(found.agent.tokens), "starApplies": value["agent"]["star_applies"]},
        "target": value["target"],
        "profile": value["profile"],
        # The package does not look at the format of a file that has no records.
        "explanation": found._replace(notes=()).explanation,
        "text": str(found._replace(notes=())),
    }
