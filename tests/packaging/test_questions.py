"""The questions that each package is asked are rows of conformance cases whose level is MUST."""

import os
import tomllib
from pathlib import Path

import pytest

from check_packages import ROOT, Answer, PackageError, Place, Result, answers_of, faults_of, questions


def test_questions_are_rows_of_cases() -> None:
    cases = {
        case["id"]: case
        for file in (ROOT / "conformance" / "rfc9309").glob("*.toml")
        for case in tomllib.loads(file.read_text(encoding="utf-8"))["case"]
    }
    asked = questions()
    assert len(asked) == len({question["case"] for question in asked}) == 20
    for question in asked:
        case = cases[question["case"]]
        assert (case["level"], case["robots"]) == ("MUST", question["robots"])
        rows = [
            (row.get("agent", case["agent"]), row.get("url"), row["allowed"], row["line"]) for row in case["expect"]
        ]
        assert (question["agent"], question["url"], question["allowed"], question["line"]) in rows


def test_questions_are_varied() -> None:
    asked = questions()
    assert 8 <= sum(question["allowed"] for question in asked) <= 12
    assert len({question["line"] for question in asked}) >= 6
    assert {question["case"].split("-")[1] for question in asked} >= {"2.2", "2.2.1", "2.2.2", "2.2.3", "2.3.1.5"}


def test_answers_are_read_from_verdicts() -> None:
    lines = ["disallowed: line 2, Disallow: /a", "allowed: no rule for * matches", "allowed: line 10, Allow: /line 3"]
    assert answers_of(lines) == [Answer(False, 2), Answer(True, 0), Answer(True, 10)]


def test_wrong_answers_are_faults() -> None:
    correct = [Answer(question["allowed"], question["line"]) for question in questions()]
    assert faults_of(lambda _: Result(correct, "package 1")) == ([], "package 1")
    first = questions()[0]
    wrong = Answer(allowed=not first["allowed"], line=7)
    faults, _ = faults_of(lambda _: Result([wrong, *correct[1:]], ""))
    expected = f"{first['case']}: {first['url']} for {first['agent']}: expected {correct[0]}, and not {wrong}"
    assert faults == [expected]
    assert faults_of(lambda _: Result(correct[1:], ""))[0] == ["19 answers to 20 questions"]


def test_package_that_cannot_be_installed_is_a_fault() -> None:
    assert faults_of(lambda place: Result([], Place(place).run("no-such-program")))[0] == [
        "no-such-program is not installed"
    ]
    faults, _ = faults_of(lambda place: Result([], Place(place).run("sh", "-c", "echo reason >&2; exit 3")))
    assert faults == ["exit code 3 of sh -c echo reason >&2; exit 3\nreason\n"]
    with pytest.raises(PackageError, match="not a verdict: 'error'"):
        answers_of(["error"])


def test_nothing_of_the_checkout_is_where_packages_are_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    monkeypatch.setenv("VIRTUAL_ENV", str(ROOT / ".venv"))
    monkeypatch.setenv("CANFETCH_ENGINE", "python")
    monkeypatch.setenv("PATH", f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    place = Place(tmp_path)
    assert not [name for name, value in place.environment.items() if str(ROOT) in value]
    assert not {"PYTHONPATH", "VIRTUAL_ENV", "CANFETCH_ENGINE"} & place.environment.keys()
    assert place.environment["HOME"] == str(tmp_path / "home")
    assert Path(place.run("pwd").strip()) == tmp_path / "elsewhere"
