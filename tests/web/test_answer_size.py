"""Answers are bounded before they are built, and lists of verdicts contain groups and rules once."""

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from tests.web.conftest import API

from canfetch.agents.requested import requested_agent
from canfetch.answers.use import use_table
from canfetch.consent.decision import UseSources
from canfetch.core.document import parse
from canfetch.errors import InvalidOption
from canfetch.web.api.decisions import ListedVerdicts, bounded_verdicts
from canfetch.web.api.outcomes import AnswerTooLarge, encode_answer

URL = "https://example.com/"
# 570 KB, of which each verdict repeats nearly all.
LONG = "User-agent: ExampleBot\n" * 5_000 + "Disallow: /x\nAllow: /\n" * 20_000


@pytest.mark.slow
def test_answers_of_hundreds_of_megabytes_are_refused(api: API) -> None:
    body = {"old": LONG, "new": LONG.replace("Allow: /\n", "Disallow: /\n"), "agents": ["ExampleBot"]}
    problem = api.problem("POST", "/v1/compare", 422, json={**body, "urls": [f"{URL}y{n}" for n in range(2_000)]})

    assert problem["type"] == "urn:canfetch:problem:answer-too-large"
    assert problem["detail"] == "the answer is larger than 32 MiB: ask about fewer URLs or agents at a time"


@pytest.mark.slow
def test_a_batch_contains_groups_and_rules_once(api: API) -> None:
    body = {"content": LONG, "agents": ["ExampleBot"]}
    sizes = [len(api.post("/v1/decide/batch", json={**body, "urls": [f"{URL}x"] * n}).content) for n in (1, 11)]

    # Each verdict alone is larger than 2 MB.
    assert sizes[0] < 3_000_000
    assert sizes[1] - sizes[0] < 10 * 400


def test_batches_whose_lists_of_rules_are_too_large_are_refused_while_they_are_computed() -> None:
    content = "User-agent: *\n" + "".join(f"Disallow: /*{letter}\n" for letter in "abcdefghijkl")
    # Each URL matches another set of rules.
    urls = [
        f"/{''.join(letter for place, letter in enumerate('abcdefghijkl') if number >> place & 1)}"
        for number in range(1 << 12)
    ]
    found = ListedVerdicts(parse(content), urls, [requested_agent("ExampleBot")])
    verdicts = found.to_json()["verdicts"]
    assert next(verdicts)["allowed"] is True
    with pytest.raises(AnswerTooLarge):
        list(bounded_verdicts(verdicts, found, max_bytes=5_000))
    assert found.min_list_bytes < 5_100


@pytest.mark.slow
def test_the_statements_on_a_use_are_bounded(api: API) -> None:
    content = "User-agent: *\n" + "Content-Signal: ai-train=no\n" * 10_000
    agents = [f"Bot{first}{second}" for first in "abcde" for second in "abcde"]
    answer = api.answer("use", content=content, agents=agents)
    assert {len(one["uses"]["training"]["statements"]) for one in answer["crawlers"]} == {100}


def test_tables_with_too_many_licenses_are_refused_before_they_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    def decide(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(UseSources, "decide", decide)
    robots = parse("User-agent: *\n" + "".join(f"License: https://example.com/{n}.xml\n" for n in range(5_000)))
    agents = [requested_agent(f"Bot{'x' * number}") for number in range(84)]
    with pytest.raises(InvalidOption, match="50400 statements of License lines requested: expected at most 50000"):
        use_table(robots, URL, agents, headers="", tdm_file=None, now=0.0)
    assert use_table(robots, URL, agents[:83], headers="", tdm_file=None, now=0.0).agents == agents[:83]


@pytest.mark.slow
@pytest.mark.parametrize("path", ["matrix", "lint"])
def test_bodies_with_millions_of_values_are_read_in_a_process(api: API, path: str) -> None:
    body = b'{"content":[' + b"[]," * 300_000 + b"[]]}"
    problem = api.problem("POST", f"/v1/{path}", 422, content=body, headers={"Content-Type": "application/json"})
    assert problem["errors"]


@pytest.mark.slow
def test_a_small_part_of_the_same_question_is_answered(api: API) -> None:
    body = {"content": LONG, "urls": [f"{URL}x"], "agents": ["ExampleBot"]}
    batch = api.post("/v1/decide/batch", json=body).json()
    (listed,), (group,), (rule_list,) = batch["verdicts"], batch["groups"], batch["rule_lists"]
    matrix = api.post("/v1/matrix", json={**body, "urls": [f"{URL}{number}" for number in range(50)]})
    assert len(matrix.json()["rows"]) == 50
    verdict = api.post("/v1/decide", json={"content": LONG, "url": f"{URL}x", "agent": "ExampleBot"}).json()
    assert len(verdict["group"]["lines"]) == 5_000
    assert len(verdict["also_matched"]) > 30_000
    assert verdict == {
        **listed,
        "schema": verdict["schema"],
        "group": group,
        "rule": batch["rules"][listed["rule"]],
        "also_matched": [batch["rules"][index] for index in rule_list],
    }


def test_a_stream_answers_with_a_large_file(api: API) -> None:
    lines = [{"content": LONG}, {"url": f"{URL}x", "agent": "ExampleBot"}, {"url": "nonsense", "agent": "ExampleBot"}]
    answer = api.post(
        "/v1/decide/stream",
        content="\n".join(map(json.dumps, lines)),
        headers={"Content-Type": "application/x-ndjson"},
    )
    verdict, error = map(json.loads, answer.text.splitlines())
    assert len(verdict["also_matched"]) > 30_000
    assert error["allowed"] is None


def test_items_after_the_limit_are_never_computed() -> None:
    computed = []

    def items() -> Iterator[str]:
        for number in range(1_000):
            computed.append(number)
            yield "x" * 1_000

    with pytest.raises(AnswerTooLarge):
        encode_answer({"before": 1, "items": items()}, max_bytes=10_000)
    assert len(computed) == 10


@pytest.mark.parametrize(
    "answer",
    [{}, {"a": 1}, {"a": []}, {"a": [1]}, {"a": [1, {"b": [2]}], "ü\n": "é", "c": None, "d": {"e": []}, "f": ()}],
    ids=str,
)
def test_answers_are_written_as_json(answer: dict[str, Any]) -> None:
    expected = json.loads(json.dumps(answer))
    assert json.loads(encode_answer(answer)) == expected
    lists = {name: iter(value) if isinstance(value, list) else value for name, value in answer.items()}
    assert json.loads(encode_answer(lists, max_bytes=sys.maxsize)) == expected
