"""Verification accepts intact segments and reports every kind of damage."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.evidence.segments import ROBOTS, VERDICT, write_raw_segment, write_segment

from canfetch.client.evidence import EvidenceRecorder, verify_folder, verify_segment
from canfetch.client.evidence.chain import CONTENT_FOLDER, EVIDENCE_FORMAT, INITIAL_HASH, MAX_LINE_BYTES, hash_line
from canfetch.client.sync_client import Client
from canfetch.errors import EvidenceError


def test_intact_segment_is_valid(tmp_path: Path) -> None:
    recorder = write_segment(tmp_path)

    report = verify_segment(recorder.path)

    assert report.valid
    assert (report.decisions, report.torn_bytes, report.head) == (3, 0, recorder.head)
    raw = recorder.path.read_bytes().splitlines()
    lines = [json.loads(line) for line in raw]
    assert lines[1]["previous"] == hash_line(raw[0])
    assert lines[2]["url"] == "https://example.com/1"
    assert lines[2]["verdict"]["reason"] == "no-match"


@pytest.mark.parametrize("changed", [1, 2, 3])
def test_changed_line_breaks_the_link_of_the_next_line(tmp_path: Path, changed: int) -> None:
    recorder = write_segment(tmp_path, 4)
    lines = recorder.path.read_bytes().splitlines(keepends=True)
    lines[changed] = lines[changed].replace(b'"allowed":true', b'"allowed":false')
    recorder.path.write_bytes(b"".join(lines))

    report = verify_segment(recorder.path)

    assert not report.valid
    assert report.broken_line == changed + 2


def test_change_of_the_last_line_changes_the_head(tmp_path: Path) -> None:
    recorder = write_segment(tmp_path)
    recorder.path.write_bytes(recorder.path.read_bytes().replace(b"example.com/2", b"example.com/9"))

    report = verify_segment(recorder.path)

    assert report.valid
    assert report.head != recorder.head


@pytest.mark.parametrize(
    "edit, problem",
    [
        (lambda lines: [lines[0], *lines[2:]], "unexpected sequence number 2: expected 1"),
        (lambda lines: [lines[0], lines[1], lines[1], *lines[2:]], "unexpected sequence number 1: expected 2"),
        (lambda lines: [lines[0], b"{\n", *lines[2:]], "not a JSON object"),
        (lambda lines: [lines[0], b"[]\n", *lines[2:]], "not a JSON object"),
        (lambda lines: [lines[0].replace(b"canfetch.evidence/", b"canfetch.evidence/9"), *lines[1:]], "format"),
    ],
)
def test_broken_segment_is_reported(tmp_path: Path, edit: Callable[[list[bytes]], list[bytes]], problem: str) -> None:
    recorder = write_segment(tmp_path)
    lines = recorder.path.read_bytes().splitlines(keepends=True)
    recorder.path.write_bytes(b"".join(edit(lines)))

    report = verify_segment(recorder.path)

    assert not report.valid
    assert problem in (report.problem or "")


def test_overlong_line_breaks_the_segment(tmp_path: Path) -> None:
    with EvidenceRecorder(tmp_path) as recorder:
        recorder.record("/a", VERDICT)
        recorder.record("/" + "x" * (MAX_LINE_BYTES - 5_000), VERDICT)
        recorder.record("/b", VERDICT)
        recorder.record("/c", VERDICT)
    lines = recorder.path.read_bytes().splitlines(keepends=True)
    assert verify_segment(recorder.path).decisions == 4

    lines[2] = lines[2].replace(b"/xxx", b"/" + b"x" * 6_000)
    recorder.path.write_bytes(b"".join(lines))

    report = verify_segment(recorder.path)
    assert (report.valid, report.decisions, report.broken_line, report.torn_bytes) == (False, 1, 3, 0)
    assert report.problem == f"line is longer than {MAX_LINE_BYTES} bytes"


def test_change_after_a_line_of_nearly_the_maximum_length_is_reported(tmp_path: Path) -> None:
    with EvidenceRecorder(tmp_path) as recorder:
        recorder.record("/" + "x" * (MAX_LINE_BYTES - 5_000), VERDICT)
        recorder.record("/b", VERDICT)
        recorder.record("/c", VERDICT)
    recorder.path.write_bytes(recorder.path.read_bytes().replace(b'"url":"/b"', b'"url":"/Z"'))
    assert verify_segment(recorder.path).broken_line == 4


def test_deeply_nested_json_is_reported(tmp_path: Path) -> None:
    write_raw_segment(tmp_path, b"[" * 100_000)
    (report,) = verify_folder(tmp_path)
    assert (report.broken_line, report.problem) == (1, "not a JSON object")


@pytest.mark.parametrize("name", ["format", "segment", "sequence"])
def test_problem_quotes_long_values_in_part(tmp_path: Path, name: str) -> None:
    record = {"format": EVIDENCE_FORMAT, "segment": "evidence-x", "sequence": 0, name: "x" * 200_000}
    problem = verify_segment(write_raw_segment(tmp_path, json.dumps(record).encode())).problem
    assert problem is not None
    assert "xxx...xxx" in problem
    assert len(problem) < 400


@pytest.mark.parametrize("sha256", ["a" * 300, "a" * 63, "A" * 64, "\u0664" * 64, "../../etc/passwd", "\0", ""])
def test_invalid_hash_is_never_used_as_a_path(tmp_path: Path, sha256: str) -> None:
    (tmp_path / CONTENT_FOLDER).mkdir()
    record = {
        "format": EVIDENCE_FORMAT,
        "segment": "evidence-x",
        "sequence": 0,
        "previous": INITIAL_HASH,
        "stores_content": True,
        "robots": {"copy": {"sha256": sha256}},
    }
    report = verify_segment(write_raw_segment(tmp_path, json.dumps(record).encode()))
    assert report.missing_content == (sha256,)


def test_renamed_segment_is_reported(tmp_path: Path) -> None:
    renamed = write_segment(tmp_path).path.rename(tmp_path / "evidence-other.ndjson")
    assert "line of another segment" in (verify_segment(renamed).problem or "")


@pytest.mark.parametrize("data", [b"", b"{"])
def test_segment_without_a_complete_line_is_valid(tmp_path: Path, data: bytes) -> None:
    recorder = write_segment(tmp_path)
    (tmp_path / "evidence-x.ndjson").write_bytes(data)

    reports = list(verify_folder(tmp_path))

    assert [(report.decisions, report.torn_bytes, report.valid) for report in reports] == [
        (3, 0, True),
        (0, len(data), True),
    ]
    assert reports[1].head != recorder.head


@pytest.mark.parametrize("cut", [1, 10, 200])
def test_torn_last_line_is_reported_and_not_counted(tmp_path: Path, cut: int) -> None:
    recorder = write_segment(tmp_path)
    data = recorder.path.read_bytes()
    last = len(data.splitlines(keepends=True)[-1])
    recorder.path.write_bytes(data[:-cut])

    report = verify_segment(recorder.path)

    assert report.valid
    assert (report.decisions, report.torn_bytes) == (2, last - cut)


def test_missing_and_changed_content_is_reported(tmp_path: Path) -> None:
    with (
        EvidenceRecorder(tmp_path, store_content=True) as recorder,
        Client(user_agent="ExampleBot/1.0", transport=ScriptedOrigin(), evidence=recorder) as client,
    ):
        client.allows("https://example.com/")
    (stored,) = (tmp_path / CONTENT_FOLDER).iterdir()
    stored.write_bytes(b"changed")
    assert verify_segment(recorder.path).changed_content == (stored.name,)
    stored.unlink()
    assert verify_segment(recorder.path).missing_content == (stored.name,)
    assert not verify_segment(recorder.path).valid


def test_missing_content_folder_matters_only_to_segments_that_store_content(tmp_path: Path) -> None:
    with EvidenceRecorder(tmp_path, store_content=True) as recorder, EvidenceRecorder(tmp_path) as bare:
        recorder.record("/", VERDICT, content=ROBOTS.content)
        bare.record("/", VERDICT, content=b"not stored")
    assert all(report.valid for report in verify_folder(tmp_path))

    (stored,) = (tmp_path / CONTENT_FOLDER).iterdir()
    stored.unlink()
    (tmp_path / CONTENT_FOLDER).rmdir()

    assert verify_segment(recorder.path).missing_content == (stored.name,)
    assert verify_segment(bare.path).valid


def test_unreadable_content_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with EvidenceRecorder(tmp_path, store_content=True) as recorder:
        recorder.record("/", VERDICT, content=ROBOTS.content)

    def unreadable(_: Path) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "read_bytes", unreadable)
    with pytest.raises(EvidenceError, match=r"content.[0-9a-f]{64}: cannot be read: Input/output error"):
        verify_segment(recorder.path)


def test_folder_without_evidence_raises(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="not a folder"):
        verify_folder(tmp_path / "nowhere")
    with pytest.raises(EvidenceError, match="no evidence found"):
        verify_folder(tmp_path)
    with pytest.raises(EvidenceError, match="cannot be read"):
        verify_segment(tmp_path / "nowhere.ndjson")
