"""The endpoints for files return what the library returns."""

from base64 import b64decode, b64encode

import pytest
from tests.web.conftest import API, ScriptedWeb

import canfetch
from canfetch.answers.linting import MAX_FIXED_BYTES
from canfetch.author.formatting import format_robots
from canfetch.consent import PageResponse
from canfetch.lint import Linter, load_catalogue

DRAFT = "Useragent: *\nDisalow: /a\nDisallow: /b\nDisallow: /b/c\nContent-Signal: ai-train=no\nSitemap: /map.xml\n"


def test_lint_equals_the_library(api: API) -> None:
    report = Linter().lint(DRAFT.encode()).to_json()
    assert api.answer("lint", content=DRAFT) == report
    assert report["findings"]


def test_lint_in_another_language(api: API) -> None:
    expected = Linter().lint(DRAFT.encode()).to_json(load_catalogue("de"))
    assert api.answer("lint", content=DRAFT, language="de") == expected


def test_lint_selects_checks(api: API) -> None:
    report = api.answer("lint", content=DRAFT, select=["CF2"], ignore=["CF202"])
    codes = {finding["code"] for finding in report["findings"]}
    assert codes
    assert all(code.startswith("CF2") and code != "CF202" for code in codes)


def test_fix_applies_safe_fixes(api: API) -> None:
    expected = Linter().fix(DRAFT.encode())
    answer = api.answer("fix", content=DRAFT)
    assert answer["content"] == expected.content.decode()
    assert [finding["code"] for finding in answer["fixed"]] == [finding.check.code for finding in expected.fixed]
    assert answer["changed_profiles"] == []


def test_fix_for_a_profile(api: API) -> None:
    expected = Linter().fix(DRAFT.encode(), for_profiles=["googlebot"])
    answer = api.answer("fix", content=DRAFT, for_profiles=["googlebot"])
    assert answer["content"] == expected.content.decode()
    assert "googlebot" not in answer["changed_profiles"]


def test_fix_applies_chosen_fixes(api: API) -> None:
    report = api.answer("lint", content=DRAFT)
    finding = next(one for one in report["findings"] if one["code"] == "CF202")
    place = {"code": finding["code"], "span": finding["span"]}
    answer = api.answer("fix", content=DRAFT, findings=[place])
    assert answer["content"].startswith("User-agent: *\n")
    assert len(answer["fixed"]) == 1
    assert answer["changed_profiles"]


def test_only_chosen_fixes_are_applied_to_large_files(api: API) -> None:
    content = DRAFT + "#" * MAX_FIXED_BYTES
    problem = api.problem("POST", "/v1/fix", 413, json={"content": content})
    assert problem["detail"].startswith("the file is larger than 128 KiB: ")
    finding = next(one for one in api.answer("lint", content=content)["findings"] if one["code"] == "CF202")
    place = {"code": finding["code"], "span": finding["span"]}
    assert len(api.answer("fix", content=content, findings=[place])["fixed"]) == 1


def test_edits_turn_the_draft_into_the_fixed_file(api: API) -> None:
    answer = api.answer("fix", content=DRAFT, unsafe=True)
    content = DRAFT.encode()
    for edit in reversed(answer["edits"]):
        start, end = edit["span"]
        content = content[:start] + edit["replacement"].encode() + content[end:]
    assert content.decode() == answer["content"] != DRAFT


def test_unknown_finding_is_a_problem(api: API) -> None:
    body = {"content": DRAFT, "findings": [{"code": "CF202", "span": [3, 4]}]}
    problem = api.problem("POST", "/v1/fix", 422, json=body)
    assert problem["type"] == "urn:canfetch:problem:invalid-option"
    assert problem["detail"] == "no finding CF202 at the bytes 3 to 4: lint the file again"


def test_format_equals_the_library(api: API) -> None:
    answer = api.answer("format", content="useragent:*\r\ndisallow:/x")
    assert answer["content"].encode() == format_robots(b"useragent:*\r\ndisallow:/x").content
    assert answer["changed"]


def test_parse_returns_groups_and_records(api: API) -> None:
    answer = api.answer("parse", content=DRAFT, profile="googlebot")
    robots = canfetch.parse(DRAFT, profile="googlebot")
    assert [group["rules"] for group in answer["groups"]] == [
        [rule.to_json() for rule in group.rules] for group in robots.groups
    ]
    assert [record["key"] for record in answer["records"]] == [line.split(":")[0] for line in DRAFT.splitlines()]
    assert answer["sitemaps"] == ["/map.xml"]


def test_uses_equal_the_library(api: API) -> None:
    content, tdm_file = (
        "User-agent: *\nContent-Signal: ai-train=yes\nAllow: /\n",
        '[{"location": "/a", "tdm-reservation": 1}]',
    )
    asked = {
        "content": content,
        "agents": ["GPTBot"],
        "url": "/a",
        "headers": "X-Robots-Tag: noai",
        "tdm_file": tdm_file,
    }
    answer = api.answer("use", **asked)
    (crawler,) = answer["crawlers"]
    for purpose in ("training", "search", "ai-use"):
        expected = canfetch.may_use(
            "/a",
            purpose=purpose,
            agent=canfetch.agent("GPTBot"),
            robots=canfetch.parse(content),
            response=PageResponse(200, {"X-Robots-Tag": "noai"}),
            tdm=tdm_file,
        ).to_json()
        assert crawler["uses"][purpose] == {key: expected[key] for key in crawler["uses"][purpose]}
        assert answer["sources"] == expected["sources"]
    assert crawler["uses"]["training"]["allowed"] is False
    assert [record["line"] for record in answer["records"]] == [2]


@pytest.mark.slow
def test_base64_for_files_in_utf_16(api: API) -> None:
    # "User-agent: *" and "Disallow: /x" in UTF-16 with a byte order mark.
    content = "//5VAHMAZQByAC0AYQBnAGUAbgB0ADoAIAAqAAoARABpAHMAYQBsAGwAbwB3ADoAIAAvAHgACgA="
    answer = api.answer("parse", content=content, content_encoding="base64", profile="bing")
    assert answer["bytes"]
    problem = api.problem("POST", "/v1/parse", 422, json={"content": "%", "content_encoding": "base64"})
    assert problem["type"] == "urn:canfetch:problem:invalid-option"


LATIN_1 = b"user-agent: *\nDisalow: /caf\xe9\nAllow:/\xff\n"


@pytest.mark.parametrize("path", ["fix", "format"])
def test_rewritten_files_keep_bytes_that_are_not_utf8(api: API, path: str) -> None:
    expected = Linter().fix(LATIN_1).content if path == "fix" else format_robots(LATIN_1).content
    assert b"\xe9" in expected
    answer = api.answer(path, content=b64encode(LATIN_1).decode(), content_encoding="base64")
    assert (answer["content_encoding"], b64decode(answer["content"])) == ("base64", expected)
    content = LATIN_1
    for edit in reversed(answer["edits"]):
        start, end = edit["span"]
        is_text = edit.get("replacement_encoding") is None
        replacement = edit["replacement"].encode() if is_text else b64decode(edit["replacement"])
        content = content[:start] + replacement + content[end:]
    assert content == expected
    assert api.answer(path, content=DRAFT)["content_encoding"] == "utf-8"


def test_versions_of_a_file_are_compared_in_any_encoding(api: API) -> None:
    old, new = (
        b64encode(b"User-agent: *\nAllow: /\xff\n").decode(),
        b64encode(b"User-agent: *\nDisallow: /caf\xe9\n").decode(),
    )
    asked = {"old": old, "old_encoding": "base64", "new": new, "new_encoding": "base64", "agents": ["GPTBot"]}
    answer = api.answer("compare", **asked, urls=["/caf%E9", "/%FF"])
    assert [(change["url"], change["new"]["allowed"]) for change in answer["changed"]] == [("/caf%E9", False)]
    problem = api.problem("POST", "/v1/compare", 422, json={**asked, "new": "?"})
    assert problem["detail"].startswith("invalid Base64 in content")


def test_the_robots_txt_of_a_page_has_any_encoding(api: API) -> None:
    robots = b64encode(b"\xff\xfe" + "User-agent: *\nDisallow: /a".encode("utf-16-le")).decode()
    page = {"url": "https://www.example.com/a", "headers": "X-Robots-Tag: noindex", "agents": ["GPTBot"]}
    (row,) = api.answer("page", **page, robots=robots, robots_encoding="base64")["rows"]
    (as_text,) = api.answer("page", **page, robots="User-agent: *\nDisallow: /a")["rows"]
    assert row["robots"] == as_text["robots"]


def test_a_fetched_file_keeps_its_bytes(web: ScriptedWeb, live: API) -> None:
    web.add("https://www.example.com/robots.txt", LATIN_1)
    answer = live.answer("fetch", url="https://www.example.com/")
    assert (answer["content_encoding"], b64decode(answer["content"])) == ("base64", LATIN_1)


def test_lint_reports_how_the_live_file_is_delivered(live: API, web: ScriptedWeb) -> None:
    robots_url = "https://site.example/robots.txt"
    headers = (("content-type", "text/plain; charset=iso-8859-1"),)
    web.add(robots_url, b"User-agent: *\nDisallow: /a\n", headers=headers)
    asked = {"content": "User-agent: *\nDisallow: /a\n", "robots_url": robots_url}

    def codes(**options: object) -> set[str]:
        return {finding["code"] for finding in live.answer("lint", **asked, **options)["findings"]}

    assert codes(delivery=True, edition="google2019") - codes() == {"CF804"}
    problem = live.problem("POST", "/v1/lint", 422, json={"content": "", "delivery": True})
    assert problem["detail"] == "delivery needs the key robots_url"
