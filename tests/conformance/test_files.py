"""The case files match the schema and the README, and every requirement of the RFC has cases."""

import json
import re
import tomllib
from collections import Counter
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from conformance.cases import FOLDERS, ROOT, Case, case_files, load_tables
from tests.conformance.case_files import CASES, STANDARD_LIBRARY, check_each
from tests.missing import in_ci

from canfetch import PROFILES

FILES = case_files()
BY_ID = {case.id: case for case in CASES}
REQUIREMENTS: list[dict[str, Any]] = tomllib.loads((ROOT / "requirements.toml").read_bytes().decode())["requirement"]
# The prefixes that the ids of each folder may have.
PREFIXES = {
    "google": ("google-", "googlebot-", "google2019-"),
    "hostile": ("hostile-",),
    "rfc9309": ("rfc9309-",),
    "disputed": ("disputed-",),
    "strict": ("strict-",),
    "tables": ("table-",),
}
# How often each key word appears in each section of the RFC. A key word that applies to two things counts twice.
KEY_WORDS = {
    "2.2.1": {"MUST": 4, "SHOULD": 3},
    "2.2.2": {"MUST": 5, "SHOULD": 3, "MAY": 2},
    "2.2.3": {"MUST": 1, "SHOULD": 1},
    "2.2.4": {"MAY": 2, "MUST NOT": 2},
    "2.3": {"MUST": 3},
    "2.3.1.1": {"MUST": 1},
    "2.3.1.2": {"SHOULD": 1, "MUST": 1, "MAY": 1},
    "2.3.1.3": {"MAY": 1},
    "2.3.1.4": {"MUST": 1, "MAY": 1},
    "2.3.1.5": {"MUST": 2},
    "2.4": {"MAY": 2, "SHOULD NOT": 1},
    "2.5": {"SHOULD": 1, "MUST": 1},
    "5.2": {"MUST": 1},
}
LEVELS_WITHOUT_KEY_WORD = {"stated", "example"}


@cache
def schema_validator() -> Any:
    from jsonschema import Draft202012Validator

    schema = json.loads((ROOT / "schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_file_matches_schema(path: Path) -> None:
    if in_ci() and find_spec("jsonschema") is None:
        pytest.fail("jsonschema is not installed, but CI requires it")
    pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    errors = schema_validator().iter_errors(tomllib.loads(path.read_bytes().decode()))

    assert [f"{error.json_path}: {error.message}" for error in errors] == []


def test_a_case_has_the_question_of_another_one() -> None:
    keys = 'source = "a document"\nlevel = "stated"\nwhy = "It shows something."\nprofile = "google"\n'
    expect = 'expect = [{ url = "/", allowed = true, line = 0 }]\n'
    first = f'[[case]]\nid = "table-a"\n{keys}agent = "a"\nrobots_url = "https://a.example/"\nrobots = "x"\n{expect}'
    second = f'[[case]]\nid = "table-b"\nlike = "table-a"\n{keys}{expect}'
    third = second.replace("table-b", "table-c").replace('"table-a"', '"table-b"')
    tables = list(load_tables(first + second + third))
    assert [{**table, "like": "", "id": ""} for table in tables] == [{**tables[0], "like": "", "id": ""}] * 3
    if find_spec("jsonschema") is not None:
        assert schema_validator().is_valid(tomllib.loads(first + second))
        assert not schema_validator().is_valid(tomllib.loads(first + second + 'agent = "b"\n'))


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.toml")), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_toml_1_0_file_is_valid(path: Path) -> None:
    # In binary mode: text mode would convert CR to LF, which TOML does not.
    with path.open("rb") as stream:
        assert tomllib.load(stream)


def test_cr_only_cases_contain_no_lf() -> None:
    cases = [case for case in CASES if "cr-only" in case.id]
    assert len(cases) >= 4
    for case in cases:
        robots = next(case.questions()).robots
        assert b"\r" in robots
        assert b"\n" not in robots


def test_every_folder_has_cases_and_ids_are_unique() -> None:
    assert {path.parent.name for path in FILES} == set(FOLDERS) == set(PREFIXES)
    assert [name for name, times in Counter(case.id for case in CASES).items() if times > 1] == []


def test_every_case_is_consistent() -> None:
    check_each(CASES, check_consistency)


def check_consistency(case: Case) -> None:
    assert case.id.startswith(PREFIXES[case.file.partition("/")[0]])
    assert set(case.profiles) <= PROFILES.keys() | STANDARD_LIBRARY
    lines = 1 + len(re.findall(rb"\r\n|\r|\n", next(case.questions()).robots))
    for question in case.questions():
        allowed, line, reason, error = question.expected
        if error is not None:
            continue
        assert line is not None
        # A disallowed URL has a deciding rule, on a line of the file. (Lines of UTF-16 are counted after decoding.)
        assert allowed or line
        assert line <= lines or question.robots[:2] in {b"\xff\xfe", b"\xfe\xff"}
        if reason is not None:
            assert bool(line) == reason.endswith("-rule")
            assert allowed == (reason != "disallow-rule")


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda requirement: f"rfc9309-{requirement['id']}")
def test_requirement_has_cases(requirement: dict[str, Any]) -> None:
    assert requirement["id"].startswith(requirement["section"])
    assert requirement["text"].endswith(".")
    if "area" in requirement:
        assert requirement["area"] in {"access", "crawler"}
        assert requirement["area"] == "crawler" or requirement["section"].startswith(("2.3", "2.4"))
        assert "cases" not in requirement
    else:
        assert requirement["cases"]
        assert [name for name in requirement["cases"] if name not in BY_ID] == []


def test_rfc9309_every_key_word_is_a_requirement() -> None:
    counted: dict[str, Counter[str]] = {}
    for requirement in REQUIREMENTS:
        if requirement["level"] not in LEVELS_WITHOUT_KEY_WORD:
            counted.setdefault(requirement["section"], Counter())[requirement["level"]] += 1

    assert counted == KEY_WORDS
    assert len({requirement["id"] for requirement in REQUIREMENTS}) == len(REQUIREMENTS)


def test_rfc9309_every_case_belongs_to_a_requirement() -> None:
    listed = {name for requirement in REQUIREMENTS for name in requirement.get("cases", [])}
    binding = [case for case in CASES if case.level not in {"canfetch", "google"}]
    from_rfc = {case.id for case in binding if case.file.startswith("rfc9309/") or case.source.startswith("RFC 9309 ")}

    assert from_rfc - listed == set()
