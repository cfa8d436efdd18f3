"""`--evidence FOLDER` and `canfetch evidence verify`: record decisions, and verify them."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import sites
from tests.cli.test_streams import started
from tests.servers.valid import RULES

Run = Any
EVIDENCE = ("--evidence", "evidence")
GIVEN = ("check", "/x", "/shop/", "--agent", "GPTBot", "--robots", "robots.txt", *EVIDENCE)
VERIFY = ("evidence", "verify", "evidence")


def recorded(folder: Path) -> list[dict[str, Any]]:
    """Return the decisions of the only segment."""
    [segment] = (folder / "evidence").glob("evidence-*.ndjson")
    opened, *decisions = [json.loads(line) for line in segment.read_bytes().splitlines()]
    assert opened["opened"] is True
    return decisions


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
    ran = run(*GIVEN[:-1], "")
    assert (ran.code, ran.out) == (2, "")
    assert "invalid --evidence ''" in ran.err
    assert sorted(folder.iterdir()) == before


def test_each_run_has_a_segment_of_its_own(run: Run) -> None:
    for _ in range(3):
        run(*GIVEN)
    ran = run(*VERIFY)
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[:3] for line in ran.lines[:3]] == [["valid", "2", "decisions"]] * 3
    assert "does not prove" in ran.out


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_verification_in_structured_formats(run: Run, form: str) -> None:
    run(*GIVEN)
    ran = run(*VERIFY, "--format", form)
    [row] = json.loads(ran.out) if form == "json" else [json.loads(line) for line in ran.lines]
    assert (row["valid"], row["decisions"], row["broken_line"], row["problem"]) == (True, 2, None, None)
    assert (row["torn_bytes"], row["missing_content"], row["changed_content"]) == (0, [], [])
    assert len(row["head"]) == 64


def test_changed_line_breaks_the_chain(run: Run, folder: Path) -> None:
    run(*GIVEN)
    [segment] = (folder / "evidence").glob("evidence-*.ndjson")
    segment.write_bytes(segment.read_bytes().replace(b'"allowed":false', b'"allowed":true', 1))
    ran = run(*VERIFY)
    assert ran.code == 1
    assert ran.lines[0].startswith("broken         1 decision ")
    assert ran.lines[1] == "        line 3: hash of the previous line does not match: one of the two lines was changed"
    assert run(*VERIFY, "--format", "json").code == 1


def test_changed_or_missing_file_breaks_the_segment(run: Run, folder: Path) -> None:
    run(*GIVEN)
    [content] = (folder / "evidence" / "content").iterdir()
    content.write_bytes(b"other")
    ran = run(*VERIFY)
    assert (ran.code, ran.lines[1]) == (1, f"        robots.txt {content.name[:16]}... was changed")
    content.unlink()
    ran = run(*VERIFY)
    assert (ran.code, ran.lines[1]) == (1, f"        robots.txt {content.name[:16]}... is missing")


def test_incomplete_last_line_is_ignored(run: Run, folder: Path) -> None:
    run(*GIVEN)
    [segment] = (folder / "evidence").glob("evidence-*.ndjson")
    segment.write_bytes(segment.read_bytes() + b'{"format"')
    ran = run(*VERIFY)
    assert ran.code == 0
    assert ran.lines[1] == "        incomplete last line of 9 bytes ignored"


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
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith("canfetch: --evidence: cannot write evidence to robots.txt: ")


def test_decision_that_cannot_be_recorded_is_an_error(folder: Path, environment: Any) -> None:
    live = ("check", "--urls-file", "-", "--agent", "GPTBot", "--store", "none", *EVIDENCE)
    with sites("rules", "disallow-all") as [one, two], started(folder, environment(), *live) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(f"{one.origin}/fish\n".encode())
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"allowed")
        shutil.rmtree(folder / "evidence" / "content")
        process.stdin.write(f"{two.origin}/fish\n".encode())
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.stderr.read().endswith(b": cannot store robots.txt: No such file or directory\n")
        assert process.wait() == 2
    assert len(recorded(folder)) == 1


def test_control_characters_of_a_hash_are_escaped(run: Run, folder: Path) -> None:
    (folder / "evidence" / "content").mkdir(parents=True)
    line = {"format": "canfetch.evidence/2", "segment": "evidence-x", "sequence": 0, "previous": "0" * 64}
    line |= {"stores_content": True, "robots": {"copy": {"sha256": "\x1b[31m"}}}
    (folder / "evidence" / "evidence-x.ndjson").write_text(f"{json.dumps(line)}\n", encoding="utf-8")
    ran = run(*VERIFY)
    assert (ran.code, ran.lines[1], ran.err) == (1, "        robots.txt %1B[31m... is missing", "")


def test_file_error_names_the_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> None:
        raise OSError(5, "Input/output error", "evidence/part")

    monkeypatch.setattr("canfetch.cli.decisions.evidence.verify_folder", broken)
    assert run(*VERIFY) == (2, "", "canfetch: 'evidence/part': Input/output error\n")
