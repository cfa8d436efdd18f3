"""The questions that each package is asked are rows of conformance cases whose level is MUST."""

import json
import os
import sys
import tomllib
from pathlib import Path

import pytest

import check_packages
from check_packages import (
    ROOT,
    Answer,
    CleanFolder,
    PackageError,
    Result,
    answers_of,
    chosen_checks,
    faults_of,
    main,
    questions,
)


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
    assert faults_of(lambda place: Result([], CleanFolder(place).run("no-such-program")))[0] == [
        "no-such-program is not installed"
    ]
    faults, _ = faults_of(lambda place: Result([], CleanFolder(place).run("sh", "-c", "echo reason >&2; exit 3")))
    assert faults == ["exit code 3 of sh -c echo reason >&2; exit 3\nreason\n"]
    with pytest.raises(PackageError, match="not a verdict: 'error'"):
        answers_of(["error"])
    assert faults_of(lambda _: json.loads("text"))[0] == ["JSONDecodeError: Expecting value: line 1 column 1 (char 0)"]


def test_a_missing_package_or_interpreter_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check_packages, "DIST", tmp_path)
    monkeypatch.setattr(check_packages, "interpreters", lambda: {"3.11.7": Path(sys.executable)})
    assert main(["npm"]) == 2
    assert capsys.readouterr().err == "canfetch: dist/npm/canfetch-*.tgz: 0 files, and not one: run make packages\n"
    assert main(["python"]) == 2
    message = capsys.readouterr().err
    assert message.startswith("canfetch: no package 'python': expected one of sdist, sdist without Rust, wheel with")
    assert message.count("\n") == 1
    monkeypatch.setattr(check_packages, "interpreters", dict)
    assert main([]) == 2
    assert capsys.readouterr().err == "canfetch: no CPython 3.11 or later with ensurepip and venv is installed\n"


def test_only_the_chosen_packages_must_be_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_packages, "DIST", tmp_path)
    monkeypatch.setattr(check_packages, "interpreters", lambda: {"3.11.7": Path(sys.executable)})
    (tmp_path / "npm").mkdir()
    (tmp_path / "npm" / "canfetch-1.0.0.tgz").touch()
    assert list(chosen_checks(["npm"])) == ["npm"]


def test_settings_of_the_user_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NPM_CONFIG_USERCONFIG", "npm_config_userconfig", "PIP_CONFIG_FILE", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "user"
    (home / ".config" / "pip").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    for name in ("NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "REQUESTS_CA_BUNDLE"):
        monkeypatch.setenv(name, "/certificates.pem")
    files = {"NPM_CONFIG_USERCONFIG": home / ".npmrc", "PIP_CONFIG_FILE": home / ".config" / "pip" / "pip.conf"}
    (tmp_path / "before").mkdir()
    assert not files.keys() & CleanFolder(tmp_path / "before").environment.keys()
    for file in files.values():
        file.touch()
    (tmp_path / "after").mkdir()
    environment = CleanFolder(tmp_path / "after").environment
    assert {name: environment[name] for name in files} == {name: str(file) for name, file in files.items()}
    assert environment["NODE_EXTRA_CA_CERTS"] == environment["GIT_SSL_CAINFO"] == "/certificates.pem"
    assert environment["REQUESTS_CA_BUNDLE"] == "/certificates.pem"
    monkeypatch.setenv("PIP_CONFIG_FILE", "/pip.conf")
    (tmp_path / "given").mkdir()
    assert CleanFolder(tmp_path / "given").environment["PIP_CONFIG_FILE"] == "/pip.conf"


def test_nothing_of_the_checkout_is_where_packages_are_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    monkeypatch.setenv("VIRTUAL_ENV", str(ROOT / ".venv"))
    monkeypatch.setenv("CANFETCH_ENGINE", "python")
    monkeypatch.setenv("PATH", f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    place = CleanFolder(tmp_path)
    assert not [name for name, value in place.environment.items() if str(ROOT) in value]
    assert not {"PYTHONPATH", "VIRTUAL_ENV", "CANFETCH_ENGINE"} & place.environment.keys()
    assert place.environment["HOME"] == str(tmp_path / "home")
    assert Path(place.run("pwd").strip()) == tmp_path / "elsewhere"
