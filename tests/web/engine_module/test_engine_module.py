"""The engine of the tester page gives the same answers as the library, in every profile that it reads."""

from random import Random
from typing import Final

import pytest
from conformance.cases import Answer, Question, load
from tests.differential.generator import generate_case
from tests.web.engine_module.comparison import compare
from tests.web.engine_module.conftest import ROOT, AgentChain, EngineModule

import canfetch
from canfetch.agents import CRAWLERS
from canfetch.core.profiles import PROFILES
from canfetch.core.urls import url_bytes

pytestmark = pytest.mark.service

EXAMPLE: Final = (ROOT / "examples" / "robots.txt").read_bytes()
AGENTS: Final = (
    AgentChain(("ExampleBot",)),
    AgentChain(("Googlebot-Image", "Googlebot")),
    AgentChain(("AdsBot-Google",), star_applies=False),
    AgentChain(("GPTBot",)),
    AgentChain(("*",)),
    AgentChain(("not a token",)),
    AgentChain(("",)),
)
TARGETS: Final = (
    b"/",
    b"/a?b=c#d",
    b"/robots.txt",
    b"/private/a",
    "/caf\u00e9?x=:/".encode(),
    b"/%7Ea/../b/%2e/c",
    b"https://www.example.com/shop/cart",
    b"not a URL",
    b"https://",
    b"/\xff\x00",
    b"",
)
# The module's codes that differ from those of the conformance cases.
_ERRORS: Final = {"other-origin": "origin-mismatch"}
RULES: Final = b"User-agent: *\nDisallow: /private\nAllow: /private/*c$\n\nUser-agent: GPTBot\nDisallow: /a\n"


def test_the_module_reads_every_profile(engine_module: EngineModule) -> None:
    assert engine_module.profiles == list(PROFILES)


def test_all_conformance_cases(engine_module: EngineModule) -> None:
    count = 0
    for case in load():
        questions = [question for question in case.questions() if question.profile in engine_module.profiles]
        for question, answer in zip(questions, _answers(engine_module, questions), strict=True):
            assert answer.matches(question.expected), f"{question.case} in {question.profile}: {answer}"
            count += 1
    assert count > 10_000


def _answers(module: EngineModule, questions: list[Question]) -> list[Answer]:
    """Return the answers to the questions of one case, which are about the same file."""
    if not questions:
        return []
    chains = [
        AgentChain(question.agents or (canfetch.product_token(question.user_agent or ""),), question.star_applies)
        for question in questions
    ]
    targets, agents = list(dict.fromkeys(question.url for question in questions)), list(dict.fromkeys(chains))
    cells = [
        (targets.index(question.url), agents.index(chain)) for question, chain in zip(questions, chains, strict=True)
    ]
    explained = list(dict.fromkeys(cells))
    result = module.ask(
        questions[0].robots,
        targets,
        agents,
        profiles=sorted({question.profile for question in questions}),
        explain=explained,
        url=questions[0].robots_url,
        max_bytes=questions[0].max_bytes,
    )
    if "error" in result:
        return [Answer(error=result["error"]) for _ in questions]
    answers = []
    for question, (row, column) in zip(questions, cells, strict=True):
        answer = result["answers"][question.profile]
        explanation = answer["explanations"][explained.index((row, column))]
        if "error" in explanation:
            assert answer["rowProblems"][row] == explanation["error"]
            answers.append(Answer(error=_ERRORS.get(explanation["error"], explanation["error"])))
            continue
        line = 0 if explanation["rule"] is None else explanation["rule"]["line"]
        assert answer["lines"][row * len(agents) + column] == line
        answers.append(Answer(explanation["allowed"], line, explanation["reason"]))
    return answers


def test_generated_files(engine_module: EngineModule) -> None:
    """Thousands of verdicts, with URLs that are made from the patterns of the files."""
    count = 0
    for seed in range(150):
        case = generate_case(seed)
        targets = [url_bytes(url) for url in case.urls]
        chains = [AgentChain((token,)) for token in _texts(case.agents)]
        chains += [AgentChain(_texts(case.agents)), AgentChain(_texts(case.agents[:2]), star_applies=False)]
        random = Random(seed)  # noqa: S311 - cases, not secrets
        cells = [(random.randrange(len(targets)), random.randrange(len(chains))) for _ in range(5)]
        count += compare(engine_module, case.content, targets, chains, explain=cells)
    assert count > 100_000


def _texts(tokens: tuple[bytes, ...]) -> tuple[str, ...]:
    return tuple(token.decode(errors="replace") for token in tokens)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        EXAMPLE,
        RULES.decode().encode("utf-16"),
        b"\xfe\xff" + RULES.decode().encode("utf-16-be"),
        b"\xff\xfe" + RULES.decode().encode("utf-16-le") + b"\x00\xd8\n",
        b"\xff\xfe" + "User-agent: *\nDisallow: /\U0001f600".encode("utf-16-le") + b"\x00\xdca\x00\x00\xd8",
        b"\xef\xbb\xbf" + RULES,
        b"\xef\xbb" + RULES,
        RULES.replace(b"\n", b"\r"),
        RULES.replace(b"\n", b"\r\n"),
        RULES.replace(b"/private", b"/pri\0vate"),
        RULES.replace(b"private", b"\xff\xe2\x80\xa8"),
        b"User-agent: " + b"x" * 20_000 + b"\n" + RULES,
    ],
    ids=["empty", "example", "utf16", "utf16be", "lone-high", "lone-low", "bom", "part-of-bom"]
    + ["cr", "crlf", "nul", "invalid-utf8", "long-line"],
)
def test_unusual_files(engine_module: EngineModule, content: bytes) -> None:
    cells = [(row, column) for row in range(len(TARGETS)) for column in range(len(AGENTS))]
    compare(engine_module, content, TARGETS, AGENTS, explain=cells)


@pytest.mark.parametrize("ending", [b"\n", b"\r", b"\r\n"], ids=["lf", "cr", "crlf"])
def test_files_over_the_size_limit(engine_module: EngineModule, ending: bytes) -> None:
    lines = RULES.replace(b"\n", ending)
    for excess in range(-2, 4):
        comment = b"#" * (512_000 + excess - len(lines) * 2 - len(ending)) + ending
        compare(engine_module, lines + comment + lines + lines, TARGETS, AGENTS, explain=[(3, 0)])
    compare(engine_module, b"#" * 600_000, TARGETS[:2], AGENTS[:1])


def test_origins(engine_module: EngineModule) -> None:
    """URLs of other origins have no verdict, and hosts are compared as the library compares them."""
    targets = [
        b"/private/a",
        b"//example.com/private",
        b"https://example.com/private",
        b"HTTPS://user@EXAMPLE.com:443/private",
        b"https://example.com:0443/private",
        b"https://example.com:/private",
        b"https://example.com:444/private",
        b"http://example.com/private",
        b"https://example.org/private",
        b"//example.org",
        b"https://example.com.evil.example/private",
        b"https://example.com@evil.example/private",
        b"https://[::1]/",
        b"https://ex%61mple.com/private",
        "https://\uff45xample.com/private".encode(),
        "https://bücher.example/".encode(),
        b"https://xn--bcher-kva.example/",
        b"https://[1::zz]/",
        b"https://%ff/",
        b"///example.org/private",
    ]
    urls = [
        "https://example.com/robots.txt",
        "https://EXAMPLE.com:443/robots.txt#x",
        "http://[0:0::1]:80/robots.txt",
        "https://[::1]/robots.txt",
        "https://bücher.example/robots.txt",
        None,
    ]
    cells = [(row, 0) for row in range(len(targets))]
    for url in urls:
        compare(engine_module, RULES, targets, AGENTS[:2], explain=cells, url=url)


@pytest.mark.parametrize("url", ["https://example.com/", "/robots.txt", "https://example.com/robots.txt?a", "x"])
def test_addresses_that_are_not_of_a_robots_txt(engine_module: EngineModule, url: str) -> None:
    with pytest.raises(canfetch.errors.InvalidRobotsURL):
        canfetch.parse(RULES, url=url)
    assert engine_module.ask(RULES, [], [], url=url) == {"error": "invalid-robots-url"}


def test_all_crawlers_of_the_registry(engine_module: EngineModule) -> None:
    names = [crawler.name for crawler in CRAWLERS[::3]]
    content = EXAMPLE + "".join(f"User-agent: {name}\nDisallow: /{name}\n" for name in names).encode()
    agents = [AgentChain(crawler.tokens, crawler.star_applies) for crawler in CRAWLERS]
    targets = [f"/{name}".encode() for name in names[::10]]
    cells = [(0, column) for column in range(len(agents))]
    compare(engine_module, content, targets, agents, explain=cells)


def test_many_rows_are_answered_in_parts(engine_module: EngineModule) -> None:
    targets = [f"/private/{row}?c".encode() for row in range(11_000)]
    compare(engine_module, RULES, targets, AGENTS[:2])
