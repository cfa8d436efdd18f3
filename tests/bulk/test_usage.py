"""The column `usage` has the preferences of `RobotsTxt.usage`, row by row."""

import random
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests.bulk.generated_rows import generated_rows
from tests.bulk.generated_usage import URLS, generated_content, usage_lines

from canfetch import PROFILES, parse
from canfetch.bulk import usage
from canfetch.bulk.kernels import KernelOptions, create_kernel
from canfetch.bulk.preferences import usage_by_purpose
from canfetch.errors import InvalidColumn, InvalidOption, InvalidProductToken, InvalidURL
from canfetch.extensions import AITrainingRule, ContentSignal, ContentUsage, Usage, UsagePurpose

CONTENT = """User-agent: a
User-agent: B
Disallow: /x
Allow: /é

User-agent: *
Content-Signal: ai-train=no
Disallow:
"""
PURPOSES = [str(purpose) for purpose in UsagePurpose]
NOTHING = dict.fromkeys(["preference", "reason", "allowed", "lines", "explanation", "kind", "line"])
KINDS = {ContentSignal: "content-signal", ContentUsage: "content-usage", AITrainingRule: "ai-training-rule"}
AGENTS = ["a", "b", "c", "GPTBot", "two words", None]


def usage_rows(rows: Iterable[tuple[Any, Any, Any, Any]], **options: Any) -> list[dict[str, Any]]:
    """Return the preference of each row, as the Python engine returns it for one URL."""
    found = []
    files: dict[Any, Any] = {}
    for content, agent, url, purpose in rows:
        if None in (content, agent, url) or not purpose:
            found.append(NOTHING)
            continue
        if content not in files:
            files[content] = parse(content, engine="python", **options)
        try:
            one = files[content].usage(url, agent=agent, purpose=purpose)
        except InvalidProductToken:
            found.append(NOTHING | {"reason": "invalid-agent"})
        except InvalidURL:
            found.append(NOTHING | {"reason": "invalid-url"})
        else:
            cells = (
                str(one.preference),
                str(one.verdict.reason),
                one.verdict.allowed,
                list(one.lines),
                one.explanation,
                *decided_by(one),
            )
            found.append(dict(zip(NOTHING, cells, strict=True)))
    return found


def decided_by(usage: Usage) -> tuple[str | None, int | None]:
    """Return the kind and the line of what decides."""
    if usage.verdict.rule is not None and not usage.verdict.allowed:
        return "rule", usage.verdict.rule.line
    for statement in usage.statements:
        if statement.usage_preference.preference is usage.preference:
            return KINDS[type(statement.record.parsed)], statement.line
    return None, None


@pytest.mark.slow
@pytest.mark.parametrize("profile", PROFILES)
def test_usage_is_that_of_parse(profile: str, engine: str) -> None:
    dice = random.Random(profile)  # noqa: S311 - not for cryptography
    contents: list[bytes | None] = [generated_content(dice) for _ in range(40)]
    contents += [generated_content(dice).decode().encode("utf-16"), None, b""]
    for _ in range(2):
        rows = [
            (dice.choice(contents), dice.choice(AGENTS), dice.choice(URLS), dice.choice([*PURPOSES, None, ""]))
            for _ in range(2_000)
        ]
        expected = usage_rows(rows, profile=profile)
        assert (
            usage_by_purpose(*map(list, zip(*rows, strict=True)), profile=profile, engine=engine).to_pylist()
            == expected
        )
        assert {row["preference"] for row in expected} == {"allow", "disallow", "unknown", None}


@pytest.mark.slow
def test_usage_of_generated_or_real_files(engine: str) -> None:
    rows = generated_rows()
    dice = random.Random(9309)  # noqa: S311
    contents = [
        # Statements follow the lines of the first group, or are outside of groups.
        content
        and dice.choice(
            [content, b"\n".join([*map(str.encode, usage_lines(dice)), content, *map(str.encode, usage_lines(dice))])]
        )
        for content in rows.files.values()
    ]
    columns: list[list[Any]] = [[contents[number % len(contents)] for number in rows.ids], rows.agents, rows.urls]
    # Every third row, with the last ones, which have no verdict.
    columns = [[*column[:-4:3], *column[-4:]] for column in columns]
    columns.append([dice.choice(PURPOSES) for _ in columns[0]])
    expected = usage_rows(zip(*columns, strict=True))
    assert usage_by_purpose(*columns, engine=engine).to_pylist() == expected


def test_the_fields_of_usage(engine: str) -> None:
    urls = ["/x", "/y", None, "x"]
    found = usage(CONTENT, ["a", "bot", "bot", "bot"], urls, purpose="training", engine=engine).to_pylist()
    assert [tuple(row.values()) for row in found] == [
        ("unknown", "disallow-rule", False, [], "the URL may not be fetched: line 3, Disallow: /x", "rule", 3),
        ("disallow", "no-match", True, [7], "line 7, content-signal: ai-train=no (disallow)", "content-signal", 7),
        (None, None, None, None, None, None, None),
        (None, "invalid-url", None, None, None, None, None),
    ]
    assert usage([CONTENT], "bot", ["/y"], purpose="search", engine=engine).to_pylist()[0]["preference"] == "unknown"


def test_a_pattern_that_is_not_ascii_is_displayed(engine: str) -> None:
    content = "user-agent: *\ndisallow: /é\ndisallow: /\x1b\u200b\ndisallow: /z"
    urls = ["/é", "/z", "/\x1b\u200b", "/é"]
    found = usage(content, "bot", urls, purpose="search", engine=engine).to_pylist()
    assert [row["explanation"].partition(": ")[2] for row in found] == [
        "line 2, Disallow: /é",
        "line 4, Disallow: /z",
        "line 3, Disallow: /%1B%E2%80%8B",
        "line 2, Disallow: /é",
    ]


def test_purposes_are_a_column_or_repeated(engine: str) -> None:
    purposes = ["training", None, "", "search"]
    found = usage_by_purpose(CONTENT, "bot", "/y", purposes, engine=engine).to_pylist()
    assert [row["preference"] for row in found] == ["disallow", None, None, "unknown"]
    assert found[1] == found[2] == NOTHING
    found = usage_by_purpose(CONTENT, "bot", ["/y", "/z"], ["training"], engine=engine).to_pylist()
    assert [row["preference"] for row in found] == ["disallow"] * 2
    assert usage_by_purpose([], "bot", [], [], engine=engine).to_pylist() == []
    with pytest.raises(InvalidColumn, match=r"different numbers of rows: url 2, purpose 3$"):
        usage_by_purpose(CONTENT, "bot", ["/y", "/z"], ["training"] * 3, engine=engine)
    with pytest.raises(InvalidColumn, match="column of integers: expected purposes"):
        usage_by_purpose(CONTENT, "bot", "/", [1], engine=engine)


@pytest.mark.parametrize("purpose", ["x", "Training", b"\xff"])
def test_an_unknown_purpose_raises(purpose: Any, engine: str) -> None:
    with pytest.raises(InvalidOption, match="unknown purpose"):
        usage_by_purpose(CONTENT, "bot", ["/", "/"], ["training", purpose], engine=engine)
    with pytest.raises(InvalidOption, match="unknown purpose 'x'"):
        usage(CONTENT, "bot", "/", purpose="x", engine=engine)


def test_rows_that_alternate_between_files(engine: str) -> None:
    contents = [CONTENT, "user-agent: *\ncontent-signal: ai-train=yes"] * 3
    found = usage(contents, "bot", "/y", purpose="training", engine=engine).to_pylist()
    assert [row["preference"] for row in found] == ["disallow", "allow"] * 3


def test_many_combinations_of_equally_specific_paths(engine: str) -> None:
    letters = "abcdefgh"
    content = "user-agent: *\n" + "".join(f"content-usage: /*{letter} train-ai=y\n" for letter in letters)
    urls = ["/" + "".join(letter for bit, letter in enumerate(letters) if number >> bit & 1) for number in range(256)]
    expected = usage_rows((content, "bot", url, "training") for url in urls)
    assert usage(content, "bot", urls, purpose="training", engine=engine).to_pylist() == expected
    assert len({row["explanation"] for row in expected}) == 256


@pytest.mark.parametrize("text", ["train-ai=n", "train-ai=n;x=" + "y" * 1_500])
def test_the_lines_and_the_explanation_of_a_row_are_limited(text: str, engine: str) -> None:
    for path in ["", "/a "]:
        content = "User-agent: *\n" + f"Content-Usage: {path}{text}\n" * 2_000
        explanation = parse(content).usage("/a", agent="a", purpose="training").explanation
        assert (len(explanation), explanation[-1]) == (1_001, "…")
        (row,) = usage([content], "a", ["/a"], purpose="training", engine=engine).to_pylist()
        assert (row["lines"], row["explanation"]) == (list(range(2, 102)), explanation)


@pytest.mark.slow
def test_files_with_more_statements_than_are_kept(engine: str) -> None:
    # Each file needs 3 MB.
    lines = [f"content-usage: /{number}-{'x' * 1_000} train-ai=y, search=y, ai-use=n" for number in range(400)]
    contents = ["\n".join(["user-agent: *", f"disallow: /{number}$", *lines]) for number in range(8)] * 2
    url = "/7-" + "x" * 1_000
    found = usage(contents, "bot", url, purpose="training", engine=engine).to_pylist()
    assert [row["lines"] for row in found] == [[10]] * len(contents)


@pytest.mark.slow
def test_threads_share_a_kernel_that_forgets_its_files() -> None:
    kernel = create_kernel(KernelOptions(engine="native"), by_id=False)
    dice = random.Random(1)  # noqa: S311
    contents = [generated_content(dice) for _ in range(200)]
    rows = [(content, agent, url, "training") for content in contents for agent in "ab" for url in ("/a", "/b", "/a/b")]
    expected = usage_rows(rows)
    columns = [list(column) for column in zip(*rows, strict=True)]

    def decide(_: int) -> list[Any]:
        found: list[Any] = kernel.usage(*columns).to_pylist()
        return found

    def forget(_: int) -> None:
        kernel.clear()

    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(forget if number % 4 == 3 else decide, number) for number in range(24)]
        for call in calls:
            assert call.result() in (None, expected)
