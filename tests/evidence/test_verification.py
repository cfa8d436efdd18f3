"""Verification accepts intact segments and reports every kind of damage."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.evidence.segments import ROBOTS, VERDICT, opening, verify_segment, write_raw_segment, write_segment

from canfetch.client.evidence import EvidenceHead, EvidenceRecorder, find_heads, verify_folder
from canfetch.client.evidence.chain import (
    CONTENT_FOLDER,
    EVIDENCE_FORMAT,
    INITIAL_HASH,
    MAX_LINE_BYTES,
    encode_record,
    hash_line,
)
from canfetch.client.evidence.seals import sealed_record
from canfetch.client.sync_client import Client
from canfetch.errors import EvidenceError, InvalidOption


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


def test_change_of_the_last_line_needs_a_head(tmp_path: Path) -> None:
    recorder = EvidenceRecorder(tmp_path)
    recorder.record("https://example.com/2", VERDICT)
    head = recorder.head
    recorder.path.write_bytes(recorder.path.read_bytes().replace(b"example.com/2", b"example.com/9"))

    report = verify_segment(recorder.path)
    assert (report.intact, report.sealed, report.valid) == (True, False, False)
    assert report.head != head

    (report,) = verify_folder(tmp_path, heads=[head])
    assert (report.broken_line, report.covered_lines) == (2, 1)
    assert report.problem == "not the line that the given head refers to: this line or an earlier one was changed"


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


@pytest.mark.slow
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


@pytest.mark.slow
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
    record = opening(stores_content=True, robots={"copy": {"sha256": sha256}})
    report = verify_segment(write_raw_segment(tmp_path, json.dumps(record).encode()))
    assert report.missing_content == (sha256,)


def test_renamed_segment_is_reported(tmp_path: Path) -> None:
    renamed = write_segment(tmp_path).path.rename(tmp_path / "evidence-other.ndjson")
    assert "line of another segment" in (verify_segment(renamed).problem or "")


@pytest.mark.parametrize("data", [b"", b"{"])
def test_segment_without_a_complete_line_is_unsealed(tmp_path: Path, data: bytes) -> None:
    write_segment(tmp_path)
    (tmp_path / "evidence-x.ndjson").write_bytes(data)

    reports = list(verify_folder(tmp_path))

    assert [(report.decisions, report.torn_bytes, report.intact, report.valid) for report in reports] == [
        (3, 0, True, True),
        (0, len(data), True, False),
    ]
    assert reports[1].head == EvidenceHead("evidence-x", 0, INITIAL_HASH)


@pytest.mark.parametrize("cut", [1, 10, 200])
def test_torn_last_line_is_reported_and_not_counted(tmp_path: Path, cut: int) -> None:
    recorder = write_segment(tmp_path)
    data = recorder.path.read_bytes()
    last = len(data.splitlines(keepends=True)[-1])
    recorder.path.write_bytes(data[:-cut])

    report = verify_segment(recorder.path)

    assert (report.intact, report.sealed, report.valid) == (True, False, False)
    assert (report.decisions, report.torn_bytes) == (3, last - cut)


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


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file here that opens and cannot be read")
def test_unreadable_content_is_reported(tmp_path: Path) -> None:
    with EvidenceRecorder(tmp_path, store_content=True) as recorder:
        recorder.record("/", VERDICT, content=ROBOTS.content)
    (stored,) = (tmp_path / CONTENT_FOLDER).iterdir()
    stored.unlink()
    stored.symlink_to("/proc/self/mem")

    message = f"{stored}: cannot be read: Input/output error"
    with pytest.raises(EvidenceError, match=message):
        verify_segment(recorder.path)
    (report,) = verify_folder(tmp_path)
    assert (report.valid, report.problem) == (False, message)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")
def test_named_pipes_are_not_opened(tmp_path: Path) -> None:
    with EvidenceRecorder(tmp_path, store_content=True) as recorder:
        recorder.record("/", VERDICT, content=ROBOTS.content)
    (stored,) = (tmp_path / CONTENT_FOLDER).iterdir()
    stored.unlink()
    os.mkfifo(stored)
    assert verify_segment(recorder.path).missing_content == (stored.name,)
    pipe = tmp_path / "evidence-pipe.ndjson"
    os.mkfifo(pipe)
    with pytest.raises(EvidenceError, match=r"evidence-pipe\.ndjson: cannot be read: not a regular file"):
        verify_segment(pipe)
    assert [head.segment for head in find_heads(tmp_path)] == [recorder.segment]
    assert find_heads(str(tmp_path)) == find_heads(tmp_path)


@pytest.mark.parametrize(
    "record, problem",
    [
        (opening(opened=False), "the first line must open the segment"),
        (opening(follows=None), "invalid references to other segments: None"),
        (opening(follows=[{"segment": "../x", "lines": 1, "sha256": INITIAL_HASH}]), "invalid references"),
        (opening(follows=[{"segment": "evidence-1", "lines": True, "sha256": INITIAL_HASH}]), "invalid references"),
        (opening(follows=[{"segment": "evidence-1", "lines": 1, "sha256": "x"}]), "invalid references"),
        (opening(follows=[["evidence-1", 1, INITIAL_HASH]]), "invalid references"),
    ],
)
def test_invalid_opening_line_is_reported(tmp_path: Path, record: dict[str, object], problem: str) -> None:
    write_raw_segment(tmp_path, json.dumps(record).encode())
    (report,) = verify_folder(tmp_path)
    assert report.broken_line == 1
    assert problem in (report.problem or "")


@pytest.mark.parametrize(
    "before, after, problem",
    [
        (b'"decisions":3', b'"decisions":4', "the seal was changed: its checksum does not match"),
        (b'"sealed":true', b'"sealed": true', "the seal was changed: its checksum does not match"),
        (b'"sequence":4}', b'"sequence":4,"sequence":4}', "the seal was changed: its checksum does not match"),
        (b'"sequence":4}\n', b'"sequence":4}\n\n', "the segment continues after its seal"),
        (b'"sequence":4}\n', b'"sequence":4}\n{', "the segment continues after its seal"),
    ],
)
def test_changed_seal_is_reported(tmp_path: Path, before: bytes, after: bytes, problem: str) -> None:
    recorder = write_segment(tmp_path)
    data = recorder.path.read_bytes()
    assert data.count(before) == 1
    recorder.path.write_bytes(data.replace(before, after))
    assert verify_segment(recorder.path).problem == problem


@pytest.mark.parametrize("decisions", [2, "x" * 100_000], ids=["wrong", "long"])
def test_seal_with_a_wrong_count_is_reported(tmp_path: Path, decisions: object) -> None:
    recorder = write_segment(tmp_path)
    *lines, last = recorder.path.read_bytes().splitlines(keepends=True)
    seal = {name: value for name, value in json.loads(last).items() if name != "checksum"}
    forged = encode_record(sealed_record({**seal, "decisions": decisions}, None))
    recorder.path.write_bytes(b"".join(lines) + forged + b"\n")
    problem = verify_segment(recorder.path).problem or ""
    assert problem.startswith("the seal counts ")
    assert problem.endswith(" decisions, but the segment contains 3")
    assert len(problem) < 400


@pytest.mark.slow
def test_deeply_nested_seal_is_reported(tmp_path: Path) -> None:
    first = json.dumps(opening()).encode()
    seal = encode_record({**opening(opened=False), "sequence": 1, "previous": hash_line(first), "sealed": True})
    # Around the depth that the JSON decoder of this Python accepts.
    for depth in range(0, 1100, 3):
        nested = seal.removesuffix(b"}") + b',"x":' + b"[" * depth + b"]" * depth + b"}"
        path = write_raw_segment(tmp_path, first + b"\n" + nested)
        assert verify_segment(path).broken_line == 2


KEY, OTHER_KEY = b"k" * 16, b"o" * 16


def test_seal_with_a_key_cannot_be_made_without_it(tmp_path: Path) -> None:
    with EvidenceRecorder(tmp_path, key=KEY) as keyed:
        keyed.record("/", VERDICT)
    assert verify_segment(keyed.path).valid
    assert verify_segment(keyed.path, key=KEY).valid
    assert verify_segment(keyed.path, key=OTHER_KEY).problem == "the seal was not made with this key"
    data = keyed.path.read_bytes()
    for text in (b"\\u00e9", b"\\ud800", b" "):
        keyed.path.write_bytes(data.replace(b'"hmac":"', b'"hmac":"' + text))
        assert verify_segment(keyed.path, key=KEY).problem == "the seal was not made with this key"

    with EvidenceRecorder(tmp_path) as bare:
        bare.record("/", VERDICT)
    assert verify_segment(bare.path, key=KEY).problem == "the seal was made without a key"
    assert not any(report.valid for report in verify_folder(tmp_path, key=KEY))


def test_invalid_key_raises(tmp_path: Path) -> None:
    write_segment(tmp_path)
    with pytest.raises(InvalidOption, match="invalid key of 1 bytes: expected at least 16 random bytes"):
        verify_folder(tmp_path, key=b"x")
    with pytest.raises(InvalidOption, match="invalid key"):
        verify_folder(tmp_path, key=b"")


@pytest.mark.parametrize(
    "text",
    ["", "evidence-x", "evidence-x:1:", "evidence-x:-1:{}", "x:1:{}", "evidence-a/b:1:{}", "evidence-x:\u0661:{}"],
)
def test_invalid_head_raises(text: str) -> None:
    with pytest.raises(InvalidOption, match="expected SEGMENT:LINES:SHA256"):
        EvidenceHead.parse(text.format(INITIAL_HASH))
    with pytest.raises(InvalidOption):
        EvidenceHead.parse(f"evidence-x:{'9' * 5000}:{INITIAL_HASH}")


def test_head_survives_its_text(tmp_path: Path) -> None:
    head = write_segment(tmp_path).head
    assert EvidenceHead.parse(f" {head}\n") == head
    assert EvidenceHead.from_json(head.to_json()) == head


def test_head_covers_what_its_lines_refer_to(tmp_path: Path) -> None:
    first = write_segment(tmp_path)
    open_head = None
    with EvidenceRecorder(tmp_path) as second:
        open_head = second.head
        third = write_segment(tmp_path)
        second.record("/", VERDICT)
    covered = {
        head: {report.head.segment: report.covered_lines for report in verify_folder(tmp_path, heads=[head])}
        for head in (first.head, open_head, third.head, second.head)
    }
    one, two, three = first.segment, second.segment, third.segment
    assert covered[first.head] == {one: 5, two: 0, three: 0}
    assert covered[open_head] == {one: 5, two: 1, three: 0}
    # The third segment was opened when the second had one line.
    assert covered[third.head] == {one: 5, two: 1, three: 5}
    assert covered[second.head] == {one: 5, two: 3, three: 5}


def test_missing_segment_has_a_report(tmp_path: Path) -> None:
    first, second = write_segment(tmp_path), write_segment(tmp_path)
    first.path.unlink()
    reports = {report.head.segment: report for report in verify_folder(tmp_path)}
    assert reports[second.segment].valid
    assert reports[first.segment].problem == f"missing, but {second.segment} refers to it"
    assert (reports[first.segment].valid, reports[first.segment].broken_line) == (False, None)
    second.path.unlink()
    (report,) = verify_folder(tmp_path, heads=[second.head])
    assert report.problem == "missing, but the given head refers to it"


@pytest.mark.slow
def test_folder_without_evidence_raises(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match="not a folder"):
        verify_folder(tmp_path / "nowhere")
    with pytest.raises(EvidenceError, match="no evidence found"):
        verify_folder(tmp_path)
    with pytest.raises(EvidenceError, match="cannot be read"):
        verify_segment(tmp_path / "nowhere.ndjson")


def test_a_folder_can_be_a_str(tmp_path: Path) -> None:
    EvidenceRecorder(tmp_path).close()
    assert [report.path.parent for report in verify_folder(str(tmp_path))] == [tmp_path]
    with pytest.raises(EvidenceError, match=r"x{300}: File name too long"):
        verify_folder(str(tmp_path / ("x" * 300)))
    with pytest.raises(InvalidOption, match="invalid folder 3"):
        verify_folder(3)  # type: ignore[arg-type]  # an invalid argument
