"""The command line `python -m conformance`, for authors of other implementations."""

import json
import os
import shlex
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from conformance.__main__ import fill_template, main, notice_of_waiting
from conformance.cases import ROOT, Answer, build_parts, load
from conformance.protocol import parse_answer

ANSWERER = shlex.join([sys.executable, str(ROOT / "answer.py")])
COMMAND = (
    shlex.join([sys.executable, "-m", "canfetch"])
    + " check {url} --exact --agent {agent} --robots {robots} --profile {profile} --format json"
    + " --robots-url={robots_url} --max-bytes={max_bytes}"
)


def program(source: str) -> str:
    return shlex.join([sys.executable, "-c", source])


def always(answer: str) -> str:
    return program(f"import sys\nfor line in sys.stdin: print({answer!r}, flush=True)")


@pytest.mark.slow
def test_program_with_canfetch_passes(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    monkeypatch.setenv("CANFETCH_ENGINE", engine)

    assert main(["--program", ANSWERER, "--id", "rfc9309-2.2.1-", "--id", "table-", "--quiet"]) == 0

    out = capfd.readouterr().out
    assert out.endswith(" cases\n")
    assert " 0 failed, 0 skipped" in out


@pytest.mark.slow
def test_command_with_canfetch_passes(capfd: pytest.CaptureFixture[str]) -> None:
    only = ["--id", "disputed-1", "--id", "table-origins-ipv6", "--id", "rfc9309-2.2.2-uri-fragment"]

    assert main(["--command", COMMAND, *only, "--profile", "rfc9309"]) == 0

    assert " 0 failed, 0 skipped" in capfd.readouterr().out


@pytest.mark.slow
def test_questions_that_a_command_cannot_express_are_skipped(capfd: pytest.CaptureFixture[str]) -> None:
    template = "true {robots} {agent} {url}"

    assert main(["--command", template, "--id", "rfc9309-2.2.1-chain", "--id", "table-origins", "--quiet"]) == 0

    out = capfd.readouterr().out
    assert "0 passed, 0 failed" in out


@pytest.mark.slow
def test_wrong_answers_are_reported(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--program", always('{"allowed": true}'), "--id", "disputed-01", "--id", "disputed-03"]) == 1

    out = capfd.readouterr().out
    assert "pass disputed-01-tie-by-rule-length" in out
    assert "FAIL disputed-03-merge" in out
    assert "expected disallowed, line 8" in out
    assert "got      allowed" in out
    assert "1 passed, 1 failed, 0 skipped, of 2 cases" in out


@pytest.mark.slow
def test_failures_show_the_words_of_the_source_and_count_levels(capfd: pytest.CaptureFixture[str]) -> None:
    older = "as-draft1996-original1994"
    cases = (f"disputed-other-02-longest-not-first-{older}", f"disputed-other-16-bom-{older}")
    only = ["--program", always('{"allowed": true}'), *(word for case in cases for word in ("--case", case))]

    assert main([*only, "--quiet"]) == 1

    out = capfd.readouterr().out
    assert "  “any URL that starts with this value will not be retrieved” (the standard of 1994: Disallow)\n" in out
    assert "\nfailed by level: 1 stated, 1 canfetch (choices of this project, which are not errors)\n0 passed, " in out

    assert main([*only, "--skip-level", "canfetch", "--quiet"]) == 1

    assert "\nfailed by level: 1 stated\n0 passed, 1 failed, 0 skipped, of 1 cases\n" in capfd.readouterr().out


@pytest.mark.slow
def test_output_fits_every_encoding() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "--command", "false", "--case", "rfc9309-2.2.1-non-ascii-token"],
        cwd=ROOT.parent,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (1, "")
    assert "F\\xdcCHSBOT" in done.stdout


@pytest.mark.slow
def test_exit_code_of_command_is_the_answer(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--command", "true {url}", "--id", "disputed-01"]) == 0
    assert main(["--command", "false {url}", "--id", "disputed-01"]) == 1
    assert "got      disallowed" in capfd.readouterr().out


@pytest.mark.slow
def test_lines_and_reasons_can_be_ignored(capfd: pytest.CaptureFixture[str]) -> None:
    only = ["--program", always('{"allowed": true, "line": 9, "reason": "x"}'), "--id", "disputed-04"]

    assert main(only) == 1
    assert main([*only, "--no-lines"]) == 1
    assert main([*only, "--no-lines", "--no-reasons"]) == 0
    assert "of 1 cases" in capfd.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--program", program("pass"), "--id", "disputed-01"], "exited with code 0 at disputed-01"),
        (["--program", "sh -c 'exec 0<&-; exit 3'", "--id", "disputed-01"], "exited with code 3 at disputed-01"),
        (["--program", always("yes"), "--id", "disputed-01"], "invalid answer 'yes': expected a JSON object"),
        (["--program", always("{}"), "--id", "disputed-01"], 'expected "allowed" with true or false'),
        (["--program", always('{"allowed": "yes"}'), "--id", "disputed-01"], 'expected "allowed" with true or false'),
        (["--program", always('{"allowed": null}'), "--id", "disputed-01"], 'expected "allowed" with true or false'),
        (["--program", "/nowhere/at-all", "--id", "disputed-01"], "conformance: "),
        (["--command", "true", "--id", "no-such-case"], "no case matches"),
        (["--command", "true", "--profile", "rfc9903"], ", rfc9309, strict, "),
        (["--command", "true", "--level", "must"], "; levels: MAY, MUST"),
    ],
)
def test_unusable_program_or_selection_exits_with_2(
    arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2

    error = capfd.readouterr().err.splitlines()[-1]
    assert message in error


def test_user_is_notified_if_no_answer_arrives() -> None:
    notices: list[str] = []
    notified = threading.Event()

    def notify(case: str) -> None:
        notices.append(case)
        notified.set()

    with notice_of_waiting("disputed-01", notify, seconds=0.0):
        assert notified.wait(60)

    assert notices == ["disputed-01"]


def test_user_is_not_notified_after_an_answer() -> None:
    notices: list[str] = []

    with notice_of_waiting("disputed-01", notices.append, seconds=3600.0) as timer:
        pass

    timer.join(60)
    assert not timer.is_alive()
    assert notices == []


@pytest.mark.parametrize(
    "first, name",
    [
        ("/usr/bin/canfetch-conformance", "canfetch-conformance"),
        ("/srv/conformance/__main__.py", "python -m conformance"),
    ],
)
def test_usage_names_the_command_that_runs(
    first: str, name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [first])

    with pytest.raises(SystemExit):
        main([])

    assert capfd.readouterr().err.startswith(f"usage: {name} ")


@pytest.mark.slow
def test_known_failures_do_not_fail_the_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    known = tmp_path / "known.txt"
    known.write_text("# read the whole file\ndisputed-03-merge # merges nothing\n\ndisputed-01-tie-by-rule-length\n")
    only = ["--program", always('{"allowed": true}'), "--id", "disputed-01", "--id", "disputed-03", "--quiet"]

    assert main([*only, "--known-failures", str(known)]) == 0

    out = capfd.readouterr().out
    assert "fixed disputed-01-tie-by-rule-length" in out
    assert "disputed-03-merge" not in out
    assert out.endswith("1 passed, 0 failed, 0 skipped, of 2 cases; 1 known failures, 1 fixed\n")
    assert main([*only, "--known-failures", str(tmp_path / "missing.txt")]) == 2


@pytest.mark.slow
def test_reason_for_skipping_is_reported(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--program", always('{"skip": "no profiles"}'), "--id", "disputed-01"]) == 0

    out = capfd.readouterr().out
    assert "skip disputed-01-tie-by-rule-length" in out
    assert "no profiles" in out


@pytest.mark.slow
def test_export_contains_every_question(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--export", "--file", "disputed/", "--level", "MUST"]) == 0

    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    cases = [case for case in load() if case.file.startswith("disputed/") and case.level == "MUST"]
    assert len(lines) == sum(len(list(case.questions())) for case in cases)
    assert {line["id"] for line in lines} == {case.id for case in cases}
    assert all(line["expected"]["allowed"] in {True, False} for line in lines)


@pytest.mark.slow
def test_profile_selects_questions(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--program", ANSWERER, "--profile", "strict", "--file", "strict/", "--file", "google/"]) == 0

    assert " 0 failed, 0 skipped" in capfd.readouterr().out


@pytest.mark.slow
def test_module_runs_from_a_shell() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "--command", "true", "--id", "disputed-01"],
        cwd=ROOT.parent,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_parts_are_built() -> None:
    parts: list[dict[str, Any]] = [
        {"text": "é"},
        {"hex": "00 FF"},
        {"parts": [{"text": "{n}"}, {"text": "-", "repeat": 2}], "repeat": 2, "numbered": True},
        {"text": "{n}", "repeat": 2},
        {"parts": [{"text": "a", "grows": True}, {"text": "/"}], "repeat": 3, "numbered": True},
    ]

    assert build_parts(parts) == b"\xc3\xa9\x00\xff1--2--{n}{n}a/aa/aaa/"


@pytest.mark.parametrize(
    "text, answer",
    [
        ('{"allowed": true}', Answer(True)),
        ('{"allowed": false, "line": 3, "reason": "disallow-rule"}', Answer(False, 3, "disallow-rule")),
        ('[{"allowed": false, "rule": {"line": 4}}]', Answer(False, 4)),
        ('{"allowed": true, "rule": null}', Answer(True, 0)),
        ('{"error": "origin-mismatch"}', Answer(error="origin-mismatch")),
        ('{"skip": "cannot"}', "cannot"),
    ],
)
def test_answers_are_parsed(text: str, answer: Answer | str) -> None:
    assert parse_answer(text) == answer


@pytest.mark.slow
def test_template_is_filled_in(tmp_path: Path) -> None:
    question = next(next(case for case in load() if case.id.startswith("table-origins-ipv6")).questions())

    words = fill_template("p '{url}' -a={agent} --url={robots_url} --limit={max_bytes}", question, tmp_path)

    assert words == ["p", "https://[2001:db8::1]/a", "-a=ExampleBot", "--url=https://[2001:db8::1]/robots.txt"]
