"""The answers of the API equal those of the library, for generated files, URLs and agents."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import EXAMPLES
from tests.web.conftest import API

import canfetch
from canfetch.compare import diff
from canfetch.core.profiles import PROFILES

KEYS = st.sampled_from(["User-agent", "Disallow", "Allow", "useragent", "Sitemap", "Crawl-delay", "Content-Signal"])
VALUES = st.one_of(
    st.sampled_from(["*", "GPTBot", "bingbot", "/", "/a", "/a*b$", "/é", "", "ai-train=no", "a b"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)
FILES = st.lists(st.tuples(KEYS, VALUES), max_size=12).map(
    lambda lines: "\n".join(f"{key}: {value}" for key, value in lines)
)
URLS = st.one_of(
    st.sampled_from(["/", "/a", "/ab", "/a/b", "/%C3%A9", "https://example.com/a?b", "//example.com/a", "x"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=10).map("/".__add__),
)
AGENTS = st.sampled_from(["GPTBot", "bingbot", "Googlebot-Image", "AdsBot-Google", "ExampleBot"])


QUESTIONS = st.fixed_dictionaries(
    {
        "content": FILES,
        "url": URLS,
        "agent": AGENTS,
        "profile": st.sampled_from(sorted(PROFILES)),
        "exact": st.booleans(),
    }
)


def ask_library(question: dict[str, Any]) -> dict[str, Any] | str:
    """Return the verdict on a question, or the message of an exception."""
    agent = question["agent"] if question["exact"] else canfetch.agent(question["agent"])
    robots = canfetch.parse(question["content"], profile=question["profile"])
    try:
        return robots.decide(question["url"], agent=agent).to_json()
    except canfetch.InvalidURL as error:
        return str(error)


@pytest.mark.slow
@settings(max_examples=EXAMPLES or 40)
@given(question=QUESTIONS)
def test_verdicts_equal_the_library(api: API, question: dict[str, Any]) -> None:
    expected = ask_library(question)
    if isinstance(expected, str):
        assert api.problem("POST", "/v1/decide", 422, json=question)["detail"] == expected
        return
    decided = api.answer("decide", **question)
    assert {key: decided[key] for key in expected} == expected
    explained = api.answer("explain", **question)
    assert explained["verdict"] == decided
    for one in explained["profiles"]:
        other = ask_library({**question, "profile": one["profile"]})
        assert isinstance(other, dict)
        assert {key: one[key] for key in ("allowed", "reason", "rule", "group")} == {
            key: other[key] for key in ("allowed", "reason", "rule", "group")
        }
    url, agent = question.pop("url"), question.pop("agent")
    many = {**question, "urls": [url], "agents": [agent]}
    batch = api.answer("decide/batch", **many)
    (listed,), rules = batch["verdicts"], batch["rules"]
    assert decided == {
        **listed,
        "schema": decided["schema"],
        "rule": None if listed["rule"] is None else rules[listed["rule"]],
        "also_matched": [rules[index] for index in batch["rule_lists"][listed["also_matched"]]],
        "group": batch["groups"][listed["group"]],
    }
    (row,) = api.answer("matrix", **many)["rows"]
    cell = {"allowed": decided["allowed"], "reason": decided["reason"], "line": (decided["rule"] or {}).get("line")}
    assert row["verdicts"] == {agent: cell}


@pytest.mark.slow
@settings(max_examples=EXAMPLES or 40)
@given(old=FILES, new=FILES, urls=st.lists(URLS.filter("x".__ne__), max_size=5), agent=AGENTS)
def test_comparison_equals_the_library(api: API, old: str, new: str, urls: list[str], agent: str) -> None:
    answer = api.answer("compare", old=old, new=new, urls=urls, agents=[agent])
    before, after = canfetch.parse(old), canfetch.parse(new)
    chain = canfetch.agent(agent)
    changed = [url for url in urls if before.allows(url, agent=chain) is not after.allows(url, agent=chain)]
    assert len(answer["changed"]) == len(changed)
    assert answer["compared"] == len(urls)
    changes = diff(before, after, agents=[chain])
    assert [change["newly_disallowed"]["examples"] for change in answer["all_urls"]["changes"]] == [
        list(change.newly_disallowed.examples[:20]) for change in changes
    ]
    assert not (changed and not answer["all_urls"]["changes"])
    # What is reported as unchanged is unchanged.
    for name in set(PROFILES) - set(answer["changed_profiles"]):
        first, second = canfetch.parse(old, profile=name), canfetch.parse(new, profile=name)
        assert [first.allows(url, agent=chain) for url in urls] == [second.allows(url, agent=chain) for url in urls]
