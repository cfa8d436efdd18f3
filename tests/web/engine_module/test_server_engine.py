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
    ]
    with running_server() as port:
        command = [node, str(driver), f"http://127.0.0.1:{port}/v1/", *engine_module.profiles]
        questions = [
            {
                "content": "" if encoding else content.decode(),
                "bytes": base64.b64encode(content).decode() if encoding else None,
                "url": url,
                "profile": "rfc9309",
                "targets": TARGETS,
                "agents": [{"tokens": chain.tokens, "starApplies": chain.star_applies} for chain in agents],
                "lines": [1, 5, 31, 32, 40],
            }
            for content, encoding, url in files
        ]
        lines = "".join(json.dumps(question) + "\n" for question in questions)
        done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True, timeout=120)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for (content, _, url), answer in zip(files, answers, strict=True):
        cells = [(row, column) for row in range(len(TARGETS)) for column in range(len(agents))]
        targets = [target.encode() for target in TARGETS]
        module = engine_module.ask(content, targets, agents, explain=cells, url=url)
        _compare(answer, module["answers"]["rfc9309"], module["readings"])


def _compare(server: dict[str, Any], module: dict[str, Any], readings: list[Any]) -> None:
    assert server["replaced"] is None
    for key in ("marks", "lines", "rowProblems", "columnProblems"):
        assert server[key] == module[key], key
    explanations = zip(server["explanations"], module["explanations"], strict=True)
    for index, (one, other) in enumerate(explanations):
        if server["columnProblems"][index % len(NAMES)] is None:
            assert _verdict(one) == _verdict(other)
            assert server["readings"][index] == readings[index]
        else:
            # If the target is invalid as well, the module reports that.
            assert one == server["readings"][index] == {"error": "invalid-token"}
            assert other in ({"error": "invalid-token"}, {"error": "invalid-url"})
    assert server["info"]["groups"] == module["info"]["groups"]
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
