"""Without the module, the page asks the server, and receives the same answers."""

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from tests.web.engine_module.conftest import ROOT, AgentChain, EngineModule, bundle
from tests.web.servers import running_server

from canfetch.agents import agent

pytestmark = pytest.mark.service

NAMES: Final = ("GPTBot", "Googlebot-Image", "AdsBot-Google", "Unknown-Bot", "a b")
TARGETS: Final = (
    "/",
    "/shop/cart?a=b",
    "https://www.example.com/blog/",
    "https://example.org/",
    "no URL",
    "/robots.txt",
)


def test_the_answers_of_the_server_are_those_of_the_module(engine_module: EngineModule, tmp_path: Path) -> None:
    node = shutil.which("node")
    assert node is not None
    example = (ROOT / "examples" / "robots.txt").read_bytes()
    agents = [_chain(name) for name in NAMES]
    driver = bundle(Path(__file__).with_name("server_driver.ts"), tmp_path, "--platform=node")
    files = [
        (example, None, "https://www.example.com/robots.txt"),
        (example, None, None),
        (b"Allow: /\n" + example, "base64", None),
        (example.decode().encode("utf-16"), "base64", None),
        (b"", None, None),
        (b"#" * 512_000 + b"\n" + example, None, None),
        (example * 310, None, None),
    ]
    with running_server() as port:
        command = [node, str(driver), f"http://127.0.0.1:{port}/v1/", *engine_module.profiles]
        questions = [
            {
                "content": "" if encoding else content.decode(),
                "bytes": base64.b64encode(content).decode() if encoding else None,
                "url": url,
                "profile": "rfc9309",
                "targets": TARGETS[: _size(content)],
                "agents": [
                    {"tokens": chain.tokens, "starApplies": chain.star_applies} for chain in agents[: _size(content)]
                ],
                "lines": [1, 5, 31, 32, 40],
            }
            for content, encoding, url in files
        ]
        lines = "".join(json.dumps(question) + "\n" for question in questions)
        done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True, timeout=600)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for (content, encoding, url), answer in zip(files, answers, strict=True):
        targets, chains = [target.encode() for target in TARGETS[: _size(content)]], agents[: _size(content)]
        cells = [(row, column) for row in range(len(targets)) for column in range(len(chains))]
        module = engine_module.ask(content, targets, chains, explain=cells, url=url)
        _compare(answer, module["answers"]["rfc9309"], module["readings"], in_base64=encoding is not None)


def _size(content: bytes) -> int:
    """Return how many targets and agents to ask about: one for a large file, which the server parses each time."""
    return len(TARGETS) if len(content) < 100_000 else 1


def _compare(server: dict[str, Any], module: dict[str, Any], readings: list[Any], *, in_base64: bool) -> None:
    assert server["replaced"] is None
    for key in ("marks", "lines", "rowProblems", "columnProblems"):
        assert server[key] == module[key], key
    explanations = zip(server["explanations"], module["explanations"], strict=True)
    for index, (one, other) in enumerate(explanations):
        if server["columnProblems"][index % len(server["columnProblems"])] is None:
            assert _verdict(one) == _verdict(other)
            assert server["readings"][index] == readings[index]
        else:
            # If the target is invalid as well, the module reports that.
            assert one == server["readings"][index] == {"error": "invalid-token"}
            assert other in ({"error": "invalid-token"}, {"error": "invalid-url"})
    for key in ("groups", "bytes", "unreadBytes", "encoding"):
        assert server["info"][key] == module["info"][key], key
    if not in_base64:
        for key in ("lineCount", "firstUnreadLine"):
            assert server["info"][key] == module["info"][key], key
    for line, readers in zip((1, 5, 31, 32, 40), server["readers"], strict=True):
        if line <= len(module["readers"]) and module["readers"][line - 1]["kind"] != "other":
            assert readers == module["readers"][line - 1]


def _verdict(explanation: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of an explanation that the server has, too."""
    if "error" in explanation:
        return explanation
    rules = [rule and {**rule, "path": None} for rule in (explanation["rule"], *explanation["alsoMatched"])]
    group = {key: explanation["group"][key] for key in ("choice", "token", "lines")}
    return {
        **{key: explanation[key] for key in ("allowed", "reason", "target")},
        "group": group,
        "rules": [{key: value for key, value in rule.items() if key != "type"} if rule else None for rule in rules],
    }


def _chain(name: str) -> AgentChain:
    if " " in name:
        return AgentChain((name,))
    known = agent(name)
    return AgentChain(known.tokens, known.star_applies)
