"""Answers are bounded before they are built: each verdict names all lines of its group and all rules that matched."""

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from tests.web.conftest import API

from canfetch.web.api.outcomes import AnswerTooLarge, encode_answer

URL = "https://example.com/"
# 570 KB, of which each verdict repeats nearly all.
LONG = "User-agent: ExampleBot\n" * 5_000 + "Disallow: /x\nAllow: /\n" * 20_000


@pytest.mark.slow
@pytest.mark.parametrize("path", ["decide/batch", "compare"])
def test_answers_of_hundreds_of_megabytes_are_refused(api: API, path: str) -> None:
    urls = [f"{URL}x{number}" for number in range(2_000)]
    files: dict[str, Any] = {"content": LONG} if path == "decide/batch" else {"old": LONG, "new": "Disallow: /"}
    if path == "compare":
        files["new"] = LONG.replace("Allow: /\n", "Disallow: /\n")
        urls = [url.replace("/x", "/y") for url in urls]
    problem = api.problem("POST", f"/v1/{path}", 422, json={**files, "urls": urls, "agents": ["ExampleBot"]})

    assert problem["type"] == "urn:canfetch:problem:answer-too-large"
    assert problem["detail"] == "the answer is larger than 32 MiB: ask about fewer URLs or agents at a time"


@pytest.mark.slow
def test_usage_tables_that_repeat_many_records_are_refused(api: API) -> None:
    content = "User-agent: *\n" + "Content-Signal: ai-train=no\n" * 10_000
    agents = [f"Bot{first}{second}" for first in "abcde" for second in "abcde"]
    problem = api.problem("POST", "/v1/usage", 422, json={"content": content, "agents": agents})
    assert problem["type"] == "urn:canfetch:problem:answer-too-large"


@pytest.mark.slow
@pytest.mark.parametrize("path", ["matrix", "lint"])
def test_bodies_with_millions_of_values_are_read_in_a_process(api: API, path: str) -> None:
    body = b'{"content":[' + b"[]," * 300_000 + b"[]]}"
    problem = api.problem("POST", f"/v1/{path}", 422, content=body, headers={"Content-Type": "application/json"})
    assert problem["errors"]


@pytest.mark.slow
def test_a_small_part_of_the_same_question_is_answered(api: API) -> None:
    body = {"content": LONG, "urls": [f"{URL}x"], "agents": ["ExampleBot"]}
    (verdict,) = api.post("/v1/decide/batch", json=body).json()["verdicts"]
    assert len(verdict["group"]["lines"]) == 5_000
    assert len(verdict["also_matched"]) > 30_000
    matrix = api.post("/v1/matrix", json={**body, "urls": [f"{URL}{number}" for number in range(50)]})
    assert len(matrix.json()["rows"]) == 50
    assert api.post("/v1/decide", json={"content": LONG, "url": f"{URL}x", "agent": "ExampleBot"}).json() == {**verdict}


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
