"""The recorder writes decisions and their basis, and never acknowledges a line that was not written."""

import hashlib
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.client.either import BOTH, EitherClient
from tests.evidence.segments import ROBOTS, VERDICT, verify_segment, write_segment
from tests.json_lines import read_json_lines

from canfetch.access.responses import Response
from canfetch.client.evidence import EvidenceHead, EvidenceRecorder, find_heads, verify_folder
from canfetch.client.evidence.chain import CONTENT_FOLDER, MAX_LINE_BYTES
from canfetch.client.private_files import SPACE_ADVICE
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.errors import EvidenceError, InvalidOption


def read_decisions(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a segment that record decisions."""
    lines = read_json_lines(path)
    return [line for line in lines if "verdict" in line]


@BOTH
def test_fetched_file_is_recorded_with_its_redirects_and_content(tmp_path: Path, kind: str) -> None:
    origin = ScriptedOrigin({"redirects": 1})
    with (
        EvidenceRecorder(tmp_path, store_content=True, durable=True) as recorder,
        EitherClient(kind, origin, evidence=recorder, clock=lambda: 5.0) as client,
    ):
        assert not client.allows("https://example.com/forbidden")
        assert client.decide("https://example.com/open").allowed

    assert verify_segment(recorder.path).decisions == 2
    line = read_decisions(recorder.path)[0]
    assert line["robots"]["hops"] == [["https://example.com/robots.txt", 302, "https://example.com/robots.txt?hop=1"]]
    assert line["verdict"]["access"]["sha256"] == line["robots"]["copy"]["sha256"]
    stored = tmp_path / CONTENT_FOLDER / line["robots"]["copy"]["sha256"]
    assert stored.read_bytes() == b"User-agent: *\nDisallow: /forbidden\n"
    assert [path.name for path in stored.parent.iterdir()] == [stored.name]


def test_rfc3986_3_2_1_credentials_are_not_recorded(tmp_path: Path) -> None:
    def redirect(request: TransportRequest) -> Response:
        if "secret" in request.url:
            return Response(request.url, 200, (), b"User-agent: *\nDisallow: /forbidden\n")
        return Response(request.url, 302, (("Location", "http://us:secret@other.example/robots.txt"),), b"")

    origin = ScriptedOrigin()
    origin.send = redirect  # type: ignore[method-assign]
    with (
        EvidenceRecorder(tmp_path) as recorder,
        Client(user_agent="ExampleBot/1.0", transport=origin, evidence=recorder) as client,
    ):
        assert not client.allows("http://user:secret@example.com/forbidden?a@b")
        assert client.allows(b"http://user@example.com/@")
        assert client.allows("http://example.com/user:pass@")

    assert b"secret" not in recorder.path.read_bytes()
    lines = read_decisions(recorder.path)
    assert [line["url"] for line in lines] == [
        "http://***@example.com/forbidden?a@b",
        "http://***@example.com/@",
        "http://example.com/user:pass@",
    ]
    assert lines[0]["robots"]["hops"] == [["http://example.com/robots.txt", 302, "http://***@other.example/robots.txt"]]
    assert lines[0]["robots"]["copy"]["url"] == "http://***@other.example/robots.txt"


@pytest.mark.parametrize("change", ["deleted", "moved", "replaced", "folder removed"])
@pytest.mark.parametrize("durable", [False, True])
def test_a_line_in_a_file_that_is_gone_is_not_acknowledged(tmp_path: Path, change: str, durable: bool) -> None:  # noqa: FBT001 - a parameter
    folder = tmp_path / "evidence"
    with (
        EvidenceRecorder(folder, durable=durable) as recorder,
        Client(user_agent="ExampleBot/1.0", transport=ScriptedOrigin(), evidence=recorder) as client,
    ):
        client.allows("https://example.com/1")
        first = recorder.path
        if change == "moved":
            first.rename(tmp_path / first.name)
        elif change == "folder removed":
            shutil.rmtree(folder)
        else:
            content = first.read_bytes()
            first.unlink()
            if change == "replaced":
                first.write_bytes(content)
        with pytest.raises(EvidenceError, match="decision not recorded: the file was deleted, moved or replaced"):
            client.allows("https://example.com/2")
        # The next decisions are in a new file.
        client.allows("https://example.com/3")
        assert recorder.path != first
        assert [line["url"] for line in read_decisions(recorder.path)] == ["https://example.com/3"]


def test_times_are_rfc3339(tmp_path: Path) -> None:
    with (
        EvidenceRecorder(tmp_path, clock=lambda: 1_700_000_000.5) as recorder,
        Client(user_agent="ExampleBot/1.0", transport=ScriptedOrigin(), evidence=recorder, clock=lambda: 5.0) as client,
    ):
        client.allows("https://example.com/")
    (line,) = read_decisions(recorder.path)
    assert line["recorded_at"] == "2023-11-14T22:13:20.5Z"
    assert line["robots"]["fetched_at"] == "1970-01-01T00:00:05Z"
    assert line["robots"]["copy"]["fetched_at"] == "1970-01-01T00:00:05Z"
    assert line["verdict"]["access"]["fetched_at"] == "1970-01-01T00:00:05Z"


def test_unreachable_origin_is_recorded_without_a_copy(tmp_path: Path) -> None:
    origin = ScriptedOrigin({"failure": "refused"})
    with (
        EvidenceRecorder(tmp_path, store_content=True) as recorder,
        Client(user_agent="ExampleBot/1.0", transport=origin, evidence=recorder) as client,
    ):
        assert not client.allows("https://example.com/")
    (line,) = read_decisions(recorder.path)
    assert (line["robots"]["copy"], line["robots"]["status"]) == (None, None)


def test_supplied_content_is_recorded_by_hash_and_stored_on_request(tmp_path: Path) -> None:
    with (
        EvidenceRecorder(tmp_path / "stored", store_content=True) as stored,
        EvidenceRecorder(tmp_path / "bare") as bare,
    ):
        for content in (ROBOTS.content, ROBOTS.content, b"another"):
            stored.record("/", VERDICT, content=content)
            bare.record(b"/\xff", VERDICT, content=content)
        bare.record("/", VERDICT)
    hashes = [hashlib.sha256(content).hexdigest() for content in (ROBOTS.content, b"another")]
    assert sorted(path.name for path in (tmp_path / "stored" / CONTENT_FOLDER).iterdir()) == sorted(hashes)
    assert verify_segment(stored.path).valid
    recorded = [line["robots"] for line in read_decisions(bare.path)]
    assert recorded == [{"copy": {"sha256": sha256}} for sha256 in (hashes[0], *hashes)] + [None]
    assert not (tmp_path / "bare" / CONTENT_FOLDER).exists()


def test_content_that_exists_is_not_stored_again(tmp_path: Path) -> None:
    written = set()
    for _ in range(2):
        with EvidenceRecorder(tmp_path, store_content=True) as recorder:
            recorder.record("/", VERDICT, content=ROBOTS.content)
        (stored,) = (tmp_path / CONTENT_FOLDER).iterdir()
        written.add((stored.stat().st_ino, stored.stat().st_mtime_ns))
    assert len(written) == 1
    assert all(report.valid for report in verify_folder(tmp_path))


@pytest.mark.parametrize("deleted", ["content", "all"])
def test_content_is_stored_again_after_its_folder_was_deleted(tmp_path: Path, deleted: str) -> None:
    folder = tmp_path / "evidence"
    with EvidenceRecorder(folder, store_content=True) as recorder:
        recorder.record("/", VERDICT, content=ROBOTS.content)
        shutil.rmtree(folder if deleted == "all" else folder / CONTENT_FOLDER)
        if deleted == "all":
            with pytest.raises(EvidenceError, match="the file was deleted"):
                recorder.record("/", VERDICT, content=ROBOTS.content)
        for content in (ROBOTS.content, b"another", ROBOTS.content):
            recorder.record("/", VERDICT, content=content)
    assert verify_segment(recorder.path).valid
    assert len(list((folder / CONTENT_FOLDER).iterdir())) == 2


def test_content_that_cannot_be_stored_prevents_the_decision(tmp_path: Path) -> None:
    with EvidenceRecorder(tmp_path, store_content=True) as recorder:
        (tmp_path / CONTENT_FOLDER).rmdir()
        (tmp_path / CONTENT_FOLDER).touch()
        with pytest.raises(EvidenceError, match=r"decision not recorded: cannot store the content"):
            recorder.record("/", VERDICT, content=ROBOTS.content)
        (tmp_path / CONTENT_FOLDER).unlink()
        recorder.record("/", VERDICT, content=ROBOTS.content)
    report = verify_segment(recorder.path)
    assert (report.valid, report.decisions) == (True, 1)


@pytest.mark.slow
def test_overlong_line_is_not_written(tmp_path: Path) -> None:
    with EvidenceRecorder(tmp_path) as recorder:
        recorder.record("/a", VERDICT)
        with pytest.raises(EvidenceError, match=r"decision not recorded: line of \d+ bytes is too long"):
            recorder.record("/" + "x" * MAX_LINE_BYTES, VERDICT)
        recorder.record("/b", VERDICT)
    report = verify_segment(recorder.path)
    assert (report.valid, report.decisions) == (True, 2)


def test_folder_that_cannot_be_created_raises(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(EvidenceError, match="cannot write evidence"):
        EvidenceRecorder(tmp_path / "file")


def test_closed_recorder_raises(tmp_path: Path) -> None:
    recorder = write_segment(tmp_path)
    with pytest.raises(EvidenceError, match="recorder is closed"):
        recorder.record("/", VERDICT)
    recorder.close()


def test_threads_share_one_chain(tmp_path: Path) -> None:
    start = threading.Barrier(8)

    def clock_that_switches_threads() -> float:
        time.sleep(0)
        return 1_700_000_000.0

    def write(recorder: EvidenceRecorder) -> None:
        start.wait(300)
        for _ in range(50):
            recorder.record("/", VERDICT)

    with EvidenceRecorder(tmp_path, clock=clock_that_switches_threads) as recorder:
        threads = [threading.Thread(target=write, args=(recorder,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    report = verify_segment(recorder.path)
    assert (report.valid, report.decisions) == (True, 400)


def _write_in_process(folder: str) -> str:
    return str(write_segment(Path(folder), 20).path)


@pytest.mark.slow
def test_processes_write_separate_segments(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        paths = set(pool.map(_write_in_process, [str(tmp_path)] * 6))

    reports = list(verify_folder(tmp_path))
    assert {str(report.path) for report in reports} == paths
    assert [report.decisions for report in reports if report.valid] == [20] * 6


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_forked_child_writes_its_own_segment(tmp_path: Path) -> None:
    with EvidenceRecorder(tmp_path) as closed, EvidenceRecorder(tmp_path) as unused:
        closed.record("/1", VERDICT)
        closed.close()
        with EvidenceRecorder(tmp_path) as shared:
            shared.record("/2", VERDICT)
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    shared.record("/3", VERDICT)
                    shared.record("/4", VERDICT)
                    with pytest.raises(EvidenceError, match="closed"):
                        closed.record("/5", VERDICT)
                    code = 0
                finally:
                    os._exit(code)
            assert os.waitpid(child, 0)[1] == 0
            shared.record("/6", VERDICT)
            segment = shared.segment
        assert unused.path.exists()
    assert all(report.problem is None and not report.torn_bytes for report in verify_folder(tmp_path))
    lines = {path.stem: len(path.read_bytes().splitlines()) for path in tmp_path.glob("*.ndjson")}
    # The child inherited three recorders and wrote with one of them. The child was not closed.
    assert sorted(lines.values()) == [2, 3, 3, 4]
    assert lines[segment] == 4
    # The seal of the parent's last recorder confirms the child's lines.
    assert all(report.valid for report in verify_folder(tmp_path))


WRITER = """
import sys
from canfetch.client.evidence import EvidenceRecorder
from canfetch.core.document import parse
verdict = parse(b"").decide("/", agent="ExampleBot")
recorder = EvidenceRecorder(sys.argv[1])
for number in range(1000000):
    recorder.record(f"/{number}", verdict)
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
"""


@pytest.mark.slow
def test_killed_writer_loses_no_acknowledged_decision(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(100):
            writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        acknowledged = 100 + sum(line.endswith("\n") for line in writer.stdout)

    (report,) = verify_folder(tmp_path)
    assert (report.intact, report.sealed, report.valid) == (True, False, False)
    assert report.decisions >= acknowledged

    # A later recorder confirms what the killed one wrote.
    with EvidenceRecorder(tmp_path) as recorder:
        recorder.record("/", VERDICT)
    after = {each.path: each for each in verify_folder(tmp_path)}
    assert [(each.valid, each.sealed) for each in (after[report.path], after[recorder.path])] == [
        (True, False),
        (True, True),
    ]
    killed = report.path.read_bytes()
    report.path.write_bytes(killed[: killed.rstrip(b"\n").rfind(b"\n") + 1])
    after = {each.path: each for each in verify_folder(tmp_path)}
    assert f"{recorder.segment} refers to" in (after[report.path].problem or "")


SHORT_RUNS = """
import sys
from canfetch.client.evidence import EvidenceRecorder
from canfetch.core.document import parse
verdict = parse(b"").decide("/", agent="ExampleBot")
while True:
    with EvidenceRecorder(sys.argv[1]) as recorder:
        for number in range(5):
            recorder.record(f"/{number}", verdict)
    sys.stdout.write(f"{recorder.head}\\n")
    sys.stdout.flush()
"""


@pytest.mark.slow
def test_folder_can_be_verified_while_processes_write_to_it_and_are_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SHORT_RUNS, str(tmp_path)]
    writers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    heads = []
    for writer in writers:
        assert writer.stdout is not None
        heads.append(EvidenceHead.parse(writer.stdout.readline()))
        assert all(report.intact for report in verify_folder(tmp_path, heads=heads))
        writer.kill()
        heads += [EvidenceHead.parse(line) for line in writer.stdout if line.endswith("\n")]
        writer.stdout.close()
        writer.wait()

    with EvidenceRecorder(tmp_path) as recorder:
        recorder.record("/", VERDICT)
    reports = list(verify_folder(tmp_path, heads=[recorder.head]))
    assert all(report.valid for report in reports)
    assert all(report.covered_lines == report.head.lines for report in reports)
    # What was acknowledged is there.
    assert {head.segment for head in heads} <= {report.head.segment for report in reports if report.sealed}
    assert all(report.valid for report in verify_folder(tmp_path, heads=heads))


def test_decisions_as_of_a_date_are_counted_with_their_times(tmp_path: Path) -> None:
    with EvidenceRecorder(tmp_path) as recorder:
        recorder.record("/", VERDICT)
        for at in (2.0, 1.5, 2.5):
            recorder.record("/", VERDICT, at=at)
    report = verify_segment(recorder.path)
    assert (report.valid, report.decisions, report.past_decisions) == (True, 4, 3)
    assert report.past_times == ("1970-01-01T00:00:01.5Z", "1970-01-01T00:00:02.5Z")
    assert [line.get("at") for line in read_decisions(recorder.path)][:2] == [None, "1970-01-01T00:00:02Z"]


@pytest.mark.parametrize("at", [b"1", b"null", b'"2026-03-15"', b'"1970-01-01T00:00:02+00:00"'])
def test_invalid_time_of_a_decision_as_of_a_date_is_reported(tmp_path: Path, at: bytes) -> None:
    with EvidenceRecorder(tmp_path) as recorder:
        recorder.record("/", VERDICT, at=2.0)
    data = recorder.path.read_bytes()
    recorder.path.write_bytes(data.replace(b'"at":"1970-01-01T00:00:02Z"', b'"at":' + at))
    report = verify_segment(recorder.path)
    assert report.broken_line == 2
    assert report.problem is not None
    assert report.problem.startswith("invalid time of a decision as of a date: ")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this platform has no /dev/full")  # noqa: PTH110 - a device
def test_full_disk_raises_and_keeps_the_head(tmp_path: Path) -> None:
    recorder = EvidenceRecorder(tmp_path)
    for url in ("/1", "/2", "/3"):
        recorder.record(url, VERDICT)
    before = recorder.head
    os.close(recorder._file)
    recorder._file = os.open("/dev/full", os.O_WRONLY)

    with pytest.raises(EvidenceError, match="decision not recorded: No space left"):
        recorder.record("/", VERDICT)

    assert recorder.head == before
    # The partial line could not be removed from the device, so the next line starts a new segment.
    recorder.record("/again", VERDICT)
    recorder.close()
    assert recorder.head.segment != before.segment
    decisions = {report.head.segment: report.decisions for report in verify_folder(tmp_path) if report.valid}
    assert decisions == {before.segment: 3, recorder.head.segment: 1}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this platform has no /dev/full")  # noqa: PTH110 - a device
def test_seal_that_cannot_be_written_raises_and_closes(tmp_path: Path) -> None:
    recorder = EvidenceRecorder(tmp_path)
    recorder.record("/", VERDICT)
    recorder._file = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(EvidenceError, match="segment not sealed: No space left"):
        recorder.close()
    with pytest.raises(EvidenceError, match="recorder is closed"):
        recorder.record("/", VERDICT)
    recorder.close()
    (report,) = verify_folder(tmp_path)
    assert (report.intact, report.sealed, report.decisions) == (True, False, 1)


LIMITED_WRITER = """
import resource, signal, sys
from canfetch.client.evidence import EvidenceRecorder
from canfetch.core.document import parse
from canfetch.errors import EvidenceError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
# Python would save the bytecode of a module cut off at the limit, and fail to import it from then on.
sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
verdict = parse(b"").decide("/", agent="ExampleBot")
recorder = EvidenceRecorder(sys.argv[1])
written = 0
try:
    while True:
        recorder.record("/", verdict)
        written += 1
except EvidenceError as error:
    print(written, error)
"""


LIMITED_OPENING = """
import resource, signal, sys
from canfetch.client.evidence import EvidenceRecorder
from canfetch.core.document import parse
from canfetch.errors import EvidenceError
verdict = parse(b"").decide("/", agent="ExampleBot")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
try:
    EvidenceRecorder(sys.argv[1], clock=lambda: 1.0)
except EvidenceError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
with EvidenceRecorder(sys.argv[1], clock=lambda: 2.0) as recorder:
    recorder.record("/", verdict)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the limit is POSIX's")
def test_partly_written_line_is_removed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LIMITED_WRITER, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    written, _, error = ran.stdout.partition(" ")
    assert error.endswith(f"decision not recorded: only a part of the line could be written: {SPACE_ADVICE}\n")
    (report,) = verify_folder(tmp_path)
    assert (report.intact, report.sealed, report.decisions, report.torn_bytes) == (True, False, int(written), 0)


@pytest.mark.skipif(sys.platform == "win32", reason="the limit is POSIX's")
def test_opening_line_that_cannot_be_written_leaves_no_segment(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LIMITED_OPENING, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "segment not opened: only a part of the line could be written" in ran.stdout
    (report,) = verify_folder(tmp_path)
    assert (report.valid, report.decisions) == (True, 1)
    assert list(tmp_path.iterdir()) == [report.path]


def test_segments_follow_each_other(tmp_path: Path) -> None:
    now = iter(range(1_700_000_000, 1_800_000_000))
    recorders = []
    for _ in range(3):
        with EvidenceRecorder(tmp_path, clock=lambda: float(next(now))) as recorder:
            recorder.record("/", VERDICT)
        recorders.append(recorder)
    openings = [json.loads(recorder.path.read_bytes().splitlines()[0]) for recorder in recorders]
    assert [opening["follows"] for opening in openings] == [
        [],
        [recorders[0].head.to_json()],
        [recorders[1].head.to_json()],
    ]
    assert find_heads(tmp_path) == [recorders[2].head]


def test_seal_refers_to_segments_of_others(tmp_path: Path) -> None:
    with EvidenceRecorder(tmp_path) as first:
        with EvidenceRecorder(tmp_path) as second:
            opened = second.head
            second.record("/", VERDICT)
        first.record("/", VERDICT)
    seals = [json.loads(recorder.path.read_bytes().splitlines()[-1]) for recorder in (first, second)]
    # The second recorder already referred to the first line of the first one.
    assert [seal["follows"] for seal in seals] == [[second.head.to_json()], []]
    assert (opened.lines, second.head.lines, first.head.lines) == (1, 3, 3)
    assert find_heads(tmp_path) == [first.head]


def test_segment_that_is_being_written_is_referred_to_up_to_its_current_line(tmp_path: Path) -> None:
    with EvidenceRecorder(tmp_path) as first:
        first.record("/", VERDICT)
        before = first.head
        with EvidenceRecorder(tmp_path) as second:
            pass
        opening = json.loads(second.path.read_bytes().splitlines()[0])
        assert opening["follows"] == [before.to_json()]
        reports = {report.head.segment: report for report in verify_folder(tmp_path)}
        assert reports[first.segment].valid
        first.record("/more", VERDICT)
        reports = {report.head.segment: report for report in verify_folder(tmp_path)}
        assert not reports[first.segment].valid
        assert reports[first.segment].intact
    assert all(report.valid for report in verify_folder(tmp_path))


def test_unreadable_segment_is_logged_and_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "evidence-folder.ndjson").mkdir()
    with EvidenceRecorder(tmp_path) as recorder:
        recorder.record("/", VERDICT)
    assert json.loads(recorder.path.read_bytes().splitlines()[0])["follows"] == []
    assert "evidence-folder.ndjson: cannot be read" in caplog.text


@pytest.mark.parametrize("damage", [b"garbage\n", b"[" * 100_000 + b"\n", b'{"sequence":"x"}\n', b"x" * 40_000 + b"\n"])
def test_damaged_segment_is_referred_to_as_it_is(tmp_path: Path, damage: bytes) -> None:
    damaged = write_segment(tmp_path)
    damaged.path.write_bytes(damaged.path.read_bytes() + damage)
    with EvidenceRecorder(tmp_path) as recorder:
        recorder.record("/", VERDICT)
    (head,) = json.loads(recorder.path.read_bytes().splitlines()[0])["follows"]
    assert (head["segment"], head["lines"]) == (damaged.segment, 6)
    assert head["sha256"] == hashlib.sha256(damage[:-1]).hexdigest()


@pytest.mark.parametrize("key", [b"short", "x" * 32])
def test_invalid_key_raises(tmp_path: Path, key: bytes) -> None:
    with pytest.raises(InvalidOption, match="invalid key"):
        EvidenceRecorder(tmp_path / "new", key=key)
    assert not (tmp_path / "new").exists()


def test_rfc3986_3_2_1_credentials_of_a_redirect_loop_are_not_recorded(tmp_path: Path) -> None:
    def redirect(request: TransportRequest) -> Response:
        return Response(request.url, 302, (("Location", "http://us:secret@other.example/r"),), b"")

    origin = ScriptedOrigin()
    origin.send = redirect  # type: ignore[method-assign]
    with (
        EvidenceRecorder(tmp_path) as recorder,
        Client(user_agent="ExampleBot/1.0", transport=origin, evidence=recorder) as client,
    ):
        verdict = client.decide("http://example.com/")
        secret = verdict.access._replace(explanation="redirect loop to http://us:secret@other.example/r")
        recorder.record("http://example.com/", verdict._replace(access=secret))

    assert verdict.explanation.endswith("redirect loop to http://***@other.example/r")
    assert b"secret" not in recorder.path.read_bytes()
    explanations = [line["verdict"]["access"]["explanation"] for line in read_decisions(recorder.path)]
    assert explanations == ["redirect loop to http://***@other.example/r"] * 2
