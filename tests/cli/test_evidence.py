"""`--evidence FOLDER` and `canfetch evidence verify`: record decisions, and verify them."""

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import StartProcess, pipes, sites
from tests.evidence.segments import opening
from tests.json_lines import read_json_lines
from tests.servers.valid import RULES

import canfetch
from canfetch.client.evidence import EvidenceRecorder

Run = Any
EVIDENCE = ("--evidence", "evidence")
GIVEN = ("check", "/x", "/shop/", "--agent", "GPTBot", "--robots", "robots.txt", *EVIDENCE)
VERIFY = ("evidence", "verify", "evidence")


def recorded(folder: Path) -> list[dict[str, Any]]:
    """Return the decisions of the only segment."""
    [segment] = (folder / "evidence").glob("evidence-*.ndjson")
    opened, *decisions, sealed = read_json_lines(segment)
    assert opened["opened"] is True
    assert sealed["sealed"] is True
    return decisions


def printed_head(ran: Any) -> str:
    """Return the head that a run printed last on standard error."""
    prefix, _, head = ran.err.splitlines()[-1].rpartition(" ")
    assert prefix == "canfetch: evidence head:"
    return str(head)


def first_note(ran: Any) -> str:
    """Return the first line after the first segment's line."""
    return str(ran.lines[1].strip())


@pytest.mark.parametrize("command", ["check", "explain", "matrix"])
@pytest.mark.parametrize("more", [(), ("--quiet",), ("--format", "ndjson")])
def test_every_decision_is_one_line(run: Run, folder: Path, command: str, more: tuple[str, ...]) -> None:
    agents = ("--agent", "GPTBot", "--agent", "CCBot", "--store", "none")
    with sites("rules", "busy") as [ruled, busy]:
        urls = (f"{ruled.origin}/fish", f"{ruled.origin}/private", f"{busy.origin}/x", "nowhere")
        assert run(command, *urls, *agents, *EVIDENCE, *more).code == 2
    lines = recorded(folder)
    assert [(line["url"], line["verdict"]["allowed"]) for line in lines] == [
        (urls[0], True),
        (urls[0], True),
        (urls[1], False),
        (urls[1], False),
        (urls[2], False),
        (urls[2], False),
    ]
    assert [line["verdict"]["agent"]["tokens"] for line in lines[:2]] == [["GPTBot"], ["CCBot"]]
    sha256 = hashlib.sha256(RULES).hexdigest()
    assert [line["robots"]["copy"] and line["robots"]["copy"]["sha256"] for line in lines] == [sha256] * 4 + [None] * 2
    assert (folder / "evidence" / "content" / sha256).read_bytes() == RULES
    assert run(*VERIFY).code == 0


def test_decisions_with_a_local_file_record_its_hash(run: Run, folder: Path) -> None:
    assert run(*GIVEN, "-q").code == 1
    content = (folder / "robots.txt").read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    assert [line["robots"] for line in recorded(folder)] == [{"copy": {"sha256": sha256}}] * 2
    assert (folder / "evidence" / "content" / sha256).read_bytes() == content


def test_empty_evidence_folder_is_refused(run: Run, folder: Path) -> None:
    before = sorted(folder.iterdir())
    assert "invalid --evidence ''" in run(*GIVEN[:-1], "").refusal
    assert sorted(folder.iterdir()) == before


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need privileges on Windows")
def test_linked_folder_of_files_is_neither_written_nor_read(run: Run, folder: Path) -> None:
    assert run(*GIVEN, "-q").code == 1
    content, outside = folder / "evidence" / "content", folder / "outside"
    content.rename(outside)
    content.symlink_to("../outside", target_is_directory=True)
    (stored,) = outside.iterdir()
    ran = run(*VERIFY)
    assert ran.code == 1
    assert f"stored file {stored.name[:16]}... is missing" in ran.out
    stored.unlink()
    ran = run(*GIVEN)
    assert ran.code == 2
    assert "cannot write evidence to evidence: 'content' is a symbolic link, expected a folder" in ran.err
    assert list(outside.iterdir()) == []


def test_each_run_has_a_segment_of_its_own(run: Run) -> None:
    for _ in range(3):
        run(*GIVEN)
    ran = run(*VERIFY)
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[:3] for line in ran.lines[:3]] == [["valid", "2", "decisions"]] * 3
    assert "Not verified: that the recorded decisions were true, and without --head," in ran.out
    head = run("evidence", "head", "evidence").out.strip()
    assert ran.lines[-1] == f"  --head {head}"


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_verification_in_structured_formats(run: Run, form: str) -> None:
    head = printed_head(run(*GIVEN))
    ran = run(*VERIFY, "--format", form)
    [row] = ran.rows(form)
    assert (row["valid"], row["status"], row["sealed"]) == (True, "valid", True)
    assert (row["decisions"], row["broken_line"], row["problem"]) == (2, None, None)
    assert (row["torn_bytes"], row["missing_content"], row["changed_content"]) == (0, [], [])
    assert ":".join(str(row["head"][name]) for name in ("segment", "lines", "sha256")) == head
    assert (row["confirmed_lines"], row["covered_lines"]) == (None, None)
    ran = run(*VERIFY, "--format", form, "--head", head)
    [row] = ran.rows(form)
    assert (row["confirmed_lines"], row["covered_lines"]) == (4, 4)


def test_changed_line_breaks_the_chain(run: Run, folder: Path) -> None:
    run(*GIVEN)
    [segment] = (folder / "evidence").glob("evidence-*.ndjson")
    segment.write_bytes(segment.read_bytes().replace(b'"allowed":false', b'"allowed":true', 1))
    ran = run(*VERIFY)
    assert ran.code == 1
    assert ran.lines[0].startswith("broken           1 decision ")
    assert first_note(ran) == "line 3: hash of the previous line does not match: one of the two lines was changed"
    assert "Verified" not in ran.out
    assert run(*VERIFY, "--format", "json").code == 1


@pytest.mark.parametrize("command", ["check", "explain", "matrix"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_head_is_printed_at_the_end_and_detects_every_change(run: Run, folder: Path, command: str, form: str) -> None:
    given = (command, "/x", *GIVEN[2:], "--format", form)
    first = printed_head(run(*given))
    head = printed_head(run(*given))
    assert run("evidence", "head", "evidence") == (0, f"{head}\n", "")
    ran = run(*VERIFY, "--head", head)
    assert (ran.code, ran.err) == (0, "")
    assert "Every line that --head covers is unchanged, and none is missing." in ran.out
    # An earlier head does not cover the later run.
    ran = run(*VERIFY, "--head", first)
    assert ran.code == 0
    assert ran.out.count("not covered by --head") == 1

    segment = folder / "evidence" / f"{head.partition(':')[0]}.ndjson"
    data = segment.read_bytes()
    lines = data.splitlines(keepends=True)
    segment.write_bytes(b"".join(lines[:-1]))
    ran = run(*VERIFY, "--head", head)
    assert (ran.code, "lines were cut off" in ran.out) == (1, True)
    segment.unlink()
    assert run(*VERIFY).code == 0
    ran = run(*VERIFY, "--head", head, "--head", first)
    assert (ran.code, "missing, but the given head refers to it" in ran.out) == (1, True)


@pytest.mark.slow
def test_head_is_printed_if_nobody_reads_the_answers(start: StartProcess) -> None:
    # The output is buffered, so that the pipe is found broken at the end.
    with start(*GIVEN, env={"PYTHONUNBUFFERED": ""}) as process:
        _, answers, errors = pipes(process)
        answers.close()
        err = errors.read().decode()
    assert err.count("canfetch: evidence head: evidence-") == 1
    assert (len(err.splitlines()), process.returncode) == (1, 141)


def test_several_heads_can_be_passed_as_one_value(run: Run, folder: Path) -> None:
    with EvidenceRecorder(folder / "evidence") as first, EvidenceRecorder(folder / "evidence") as second:
        heads = f"{first.head}\n{second.head}\n"
    assert run(*VERIFY, "--head", heads).code == 0
    assert run(*VERIFY, "--head", heads.replace(":1:", ":2:")).code == 1
    assert run(*VERIFY, "--head", " ").code == 2


def test_head_is_not_printed_by_quiet(run: Run) -> None:
    assert run(*GIVEN, "--quiet").err == ""


def test_run_without_a_seal_is_reported(run: Run, folder: Path) -> None:
    run(*GIVEN)
    [segment] = (folder / "evidence").glob("evidence-*.ndjson")
    lines = segment.read_bytes().splitlines(keepends=True)
    segment.write_bytes(b"".join(lines[:-1]))
    ran = run(*VERIFY)
    assert (ran.code, ran.lines[0][:22]) == (1, "unsealed         2 dec")
    assert first_note(ran) == "not sealed: the recorder is open or was killed, or lines were cut off"
    assert run(*VERIFY, "--allow-unsealed").code == 0
    run(*GIVEN)
    ran = run(*VERIFY)
    assert ran.code == 0
    assert "not sealed, but its last line is confirmed: the recorder was not closed" in ran.out


def test_confirmed_part_of_an_open_segment_is_reported(run: Run, folder: Path) -> None:
    verdict = canfetch.parse("").decide("/", agent="a")
    with EvidenceRecorder(folder / "evidence") as first:
        first.record("/", verdict)
        with EvidenceRecorder(folder / "evidence"):
            pass
        assert run(*VERIFY).code == 0
        first.record("/", verdict)
        ran = run(*VERIFY)
        assert ran.code == 1
        assert "or lines were cut off; lines 1 to 2 are confirmed" in ran.out
    assert run(*VERIFY).code == 0


def test_unreadable_segment_is_reported_with_the_others(run: Run, folder: Path) -> None:
    assert run(*GIVEN).code == 1
    (folder / "evidence" / "evidence-x.ndjson").mkdir()
    ran = run(*VERIFY, "--format", "json")
    assert (ran.code, ran.err) == (1, "")
    assert [(report["status"], report["problem"]) for report in json.loads(ran.out)] == [
        ("valid", None),
        ("broken", "cannot be read: not a regular file"),
    ]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")
def test_named_pipe_in_the_folder_is_not_opened(run: Run, folder: Path) -> None:
    assert run(*GIVEN).code == 1
    os.mkfifo(folder / "evidence" / "evidence-x.ndjson")
    assert run(*GIVEN).code == 1
    assert run("evidence", "head", "evidence").code == 0
    ran = run(*VERIFY)
    assert (ran.code, ran.err) == (1, "")
    assert "cannot be read: not a regular file" in ran.out


def test_seal_with_a_key(run: Run, folder: Path) -> None:
    (folder / "key").write_text("0123456789abcdef\n", encoding="ascii")
    (folder / "other").write_text("another key of 16 bytes", encoding="ascii")
    (folder / "short").write_text(" 123456789abcdef\n", encoding="ascii")
    assert run(*GIVEN, "--evidence-key", "key").code == 1
    assert run(*VERIFY).code == 0
    assert run(*VERIFY, "--key-file", "key").code == 0
    ran = run(*VERIFY, "--key-file", "other")
    assert (ran.code, first_note(ran)) == (1, "line 4: the seal was not made with this key")
    for option, command in (("--evidence-key", GIVEN), ("--key-file", VERIFY)):
        ran = run(*command, option, "short")
        problem = "short: invalid key of 15 bytes: expected at least 16 random bytes"
        assert (ran.code, ran.out, ran.err) == (2, "", f"canfetch: {option}: {problem}\n")
        ran = run(*command, option, "nowhere")
        assert (ran.code, ran.err) == (2, f"canfetch: {option}: nowhere: cannot be read: No such file or directory\n")
    ran = run(*GIVEN[:-2], "--evidence-key", "key")
    assert (ran.code, ran.err) == (2, "canfetch: --evidence-key requires --evidence FOLDER\n")


def test_invalid_head_is_an_error(run: Run) -> None:
    run(*GIVEN)
    ran = run(*VERIFY, "--head", "x")
    assert ran.refusal.startswith("canfetch: --head: invalid head 'x': expected SEGMENT:LINES:SHA256")


def test_heads_of_a_folder_without_evidence_are_an_error(run: Run) -> None:
    for place, problem in (("nowhere", "not a folder"), (".", "no evidence found")):
        ran = run("evidence", "head", place)
        hint = "pass the folder of EvidenceRecorder or of --evidence"
        assert ran == (2, "", f"canfetch: {place}: {problem}; {hint}\n")


def test_changed_or_missing_file_breaks_the_segment(run: Run, folder: Path) -> None:
    run(*GIVEN)
    [content] = (folder / "evidence" / "content").iterdir()
    content.write_bytes(b"other")
    ran = run(*VERIFY)
    assert (ran.code, first_note(ran)) == (1, f"stored file {content.name[:16]}... was changed")
    content.unlink()
    ran = run(*VERIFY)
    assert (ran.code, first_note(ran)) == (1, f"stored file {content.name[:16]}... is missing")


def test_incomplete_last_line_is_ignored(run: Run, folder: Path) -> None:
    run(*GIVEN)
    [segment] = (folder / "evidence").glob("evidence-*.ndjson")
    lines = segment.read_bytes().splitlines(keepends=True)
    segment.write_bytes(b"".join(lines[:-1]) + b'{"format"')
    ran = run(*VERIFY)
    assert (ran.code, ran.lines[2].strip()) == (1, "incomplete last line of 9 bytes ignored")
    assert run(*VERIFY, "--allow-unsealed").code == 0


@pytest.mark.parametrize(
    "place, message",
    [
        ("nowhere", "nowhere: not a folder; pass the folder of EvidenceRecorder or of --evidence"),
        ("robots.txt", "robots.txt: not a folder; pass the folder of EvidenceRecorder or of --evidence"),
        (
            ".",
            (
                ".: no evidence found: expected files named evidence-*.ndjson"
                "; pass the folder of EvidenceRecorder or of --evidence"
            ),
        ),
    ],
)
def test_folder_without_evidence_is_exit_2(run: Run, place: str, message: str) -> None:
    for form in ("text", "json"):
        assert run("evidence", "verify", place, "--format", form) == (2, "", f"canfetch: {message}\n")


def test_unwritable_evidence_is_reported_before_any_answer(run: Run) -> None:
    ran = run(*GIVEN[:-1], "robots.txt")
    assert (ran.code, ran.out) == (2, "")
    problem = f"{str(Path('robots.txt').absolute())!r} is a file, expected a folder"
    assert ran.err == f"canfetch: --evidence: cannot write evidence to robots.txt: {problem}\n"


@pytest.mark.slow
def test_decision_that_cannot_be_recorded_is_an_error(folder: Path, start: StartProcess) -> None:
    live = ("check", "--urls-file", "-", "--agent", "GPTBot", "--store", "none", *EVIDENCE)
    with sites("rules", "disallow-all") as [one, two], start(*live) as process:
        urls, answers, errors = pipes(process)
        urls.write(f"{one.origin}/fish\n".encode())
        urls.flush()
        assert answers.readline().startswith(b"allowed")
        shutil.rmtree(folder / "evidence" / "content")
        (folder / "evidence" / "content").touch()
        urls.write(f"{two.origin}/fish\n".encode())
        urls.close()
        assert answers.read() == b""
        assert b"evidence/content' is a file, expected a folder\n" in errors.read()
        assert process.wait() == 2
    assert len(recorded(folder)) == 1


def test_control_characters_of_a_hash_are_escaped(run: Run, folder: Path) -> None:
    (folder / "evidence" / "content").mkdir(parents=True)
    line = opening(stores_content=True, robots={"copy": {"sha256": "\x1b[31m"}})
    (folder / "evidence" / "evidence-x.ndjson").write_text(f"{json.dumps(line)}\n", encoding="utf-8")
    ran = run(*VERIFY)
    assert (ran.code, ran.lines[2].strip(), ran.err) == (1, "stored file %1B[31m... is missing", "")


def test_file_error_names_the_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object, **_options: object) -> None:
        raise OSError(5, "Input/output error", "evidence/part")

    monkeypatch.setattr("canfetch.cli.decisions.evidence.verify_folder", broken)
    assert run(*VERIFY) == (2, "", "canfetch: 'evidence/part': Input/output error\n")
