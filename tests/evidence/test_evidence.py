"""Evidence: what is written holds, and what was tampered with is told."""

import hashlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.access.conftest import ScriptedOrigin

from canfetch.access.responses import Response
from canfetch.client.evidence import EvidenceRecorder, verify_folder, verify_segment
from canfetch.client.evidence.lines import LONGEST_LINE_OCTETS, hash_of
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.core.document import parse
from canfetch.errors import EvidenceError

ROBOTS = parse(b"User-agent: *\nDisallow: /forbidden\n")


def record(folder: Path, count: int = 3) -> EvidenceRecorder:
    """Record some decisions, and close."""
    with EvidenceRecorder(folder, clock=lambda: 1_700_000_000.0) as recorder:
        for number in range(count):
            url = f"https://example.com/{number}"
            recorder.record(url, ROBOTS.decide(url, agent="ExampleBot"))
    return recorder


def test_evidence_holds_and_counts(tmp_path: Path) -> None:
    recorder = record(tmp_path)

    report = verify_segment(recorder.path)

    assert report.holds
    assert (report.decisions, report.torn_octets, report.head) == (3, 0, recorder.head)
    lines = [json.loads(line) for line in recorder.path.read_bytes().splitlines()]
    assert lines[1]["previous"] == hash_of(recorder.path.read_bytes().splitlines()[0])
    assert lines[2]["url"] == "https://example.com/1"
    assert lines[2]["verdict"]["reason"] == "no-match"


def test_evidence_of_a_fetch_says_what_was_seen(tmp_path: Path) -> None:
    origin = ScriptedOrigin({"redirects": 1})
    with (
        EvidenceRecorder(tmp_path, keep_octets=True, durable=True) as recorder,
        Client(user_agent="ExampleBot/1.0", transport=origin, evidence=recorder, clock=lambda: 5.0) as client,
    ):
        assert not client.allows("https://example.com/forbidden")
        assert client.decide("https://example.com/open").allowed

    assert verify_segment(recorder.path).decisions == 2
    line = json.loads(recorder.path.read_bytes().splitlines()[1])
    assert line["robots"]["hops"] == [["https://example.com/robots.txt", 302, "https://example.com/robots.txt?hop=1"]]
    assert line["verdict"]["access"]["sha256"] == line["robots"]["copy"]["sha256"]
    kept = tmp_path / "octets" / line["robots"]["copy"]["sha256"]
    assert kept.read_bytes() == b"User-agent: *\nDisallow: /forbidden\n"
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]


def test_rfc3986_3_2_1_evidence_shows_no_credentials(tmp_path: Path) -> None:
    def redirecting(request: TransportRequest) -> Response:
        if "secret" in request.url:
            return Response(request.url, 200, (), b"User-agent: *\nDisallow: /forbidden\n")
        return Response(request.url, 302, (("Location", "http://us:secret@other.example/robots.txt"),), b"")

    origin = ScriptedOrigin()
    origin.send = redirecting  # type: ignore[method-assign]  # the script of this test
    with (
        EvidenceRecorder(tmp_path) as recorder,
        Client(user_agent="ExampleBot/1.0", transport=origin, evidence=recorder) as client,
    ):
        assert not client.allows("http://user:secret@example.com/forbidden?a@b")
        assert client.allows(b"http://user@example.com/@")
        assert client.allows("http://example.com/user:pass@")

    octets = recorder.path.read_bytes()
    lines = [json.loads(line) for line in octets.splitlines()[1:]]
    assert b"secret" not in octets
    assert [line["url"] for line in lines] == [
        "http://***@example.com/forbidden?a@b",
        "http://***@example.com/@",
        "http://example.com/user:pass@",
    ]
    assert lines[0]["robots"]["hops"] == [["http://example.com/robots.txt", 302, "http://***@other.example/robots.txt"]]
    assert lines[0]["robots"]["copy"]["url"] == "http://***@other.example/robots.txt"


@pytest.mark.parametrize("line_number", [1, 2, 3])
def test_evidence_changed_line_is_told(tmp_path: Path, line_number: int) -> None:
    recorder = record(tmp_path, 4)
    lines = recorder.path.read_bytes().splitlines(keepends=True)
    lines[line_number] = lines[line_number].replace(b'"allowed":true', b'"allowed":false')
    recorder.path.write_bytes(b"".join(lines))

    report = verify_segment(recorder.path)

    assert not report.holds
    # The line after the changed one no longer names it.
    assert report.broken_at == line_number + 2


def test_evidence_line_that_is_too_long_is_neither_written_nor_taken_for_a_torn_one(tmp_path: Path) -> None:
    verdict = ROBOTS.decide("/", agent="ExampleBot")
    with EvidenceRecorder(tmp_path) as recorder:
        recorder.record("/a", verdict)
        with pytest.raises(EvidenceError, match=r"too long.*not on the record"):
            recorder.record("/" + "x" * LONGEST_LINE_OCTETS, verdict)
        recorder.record("/" + "x" * (LONGEST_LINE_OCTETS - 5_000), verdict)
        recorder.record("/b", verdict)
        recorder.record("/c", verdict)
    whole = recorder.path.read_bytes()
    assert verify_segment(recorder.path).decisions == 4

    recorder.path.write_bytes(whole.replace(b'"url":"/b"', b'"url":"/Z"'))
    assert verify_segment(recorder.path).broken_at == 5

    lines = whole.splitlines(keepends=True)
    lines[2] = lines[2].replace(b"/xxx", b"/" + b"x" * 6_000)
    recorder.path.write_bytes(b"".join(lines))
    report = verify_segment(recorder.path)
    assert (report.holds, report.decisions, report.broken_at, report.torn_octets) == (False, 1, 3, 0)
    assert "longer" in (report.problem or "")


def test_evidence_last_line_changed_needs_the_head(tmp_path: Path) -> None:
    recorder = record(tmp_path)
    octets = recorder.path.read_bytes()
    recorder.path.write_bytes(octets.replace(b"example.com/2", b"example.com/9"))

    report = verify_segment(recorder.path)

    assert report.holds
    assert report.head != recorder.head


@pytest.mark.parametrize(
    "edit, problem",
    [
        (lambda lines: [lines[0], *lines[2:]], "sequence"),
        (lambda lines: [lines[0], lines[1], lines[1], *lines[2:]], "sequence"),
        (lambda lines: [lines[0], b"{\n", *lines[2:]], "no JSON object"),
        (lambda lines: [lines[0], b"[]\n", *lines[2:]], "no JSON object"),
        (lambda lines: [lines[0].replace(b"evidence/1", b"evidence/9"), *lines[1:]], "format"),
    ],
)
def test_evidence_broken_segment_is_told(tmp_path: Path, edit: object, problem: str) -> None:
    recorder = record(tmp_path)
    lines = recorder.path.read_bytes().splitlines(keepends=True)
    assert callable(edit)
    recorder.path.write_bytes(b"".join(edit(lines)))

    report = verify_segment(recorder.path)

    assert not report.holds
    assert report.problem is not None
    assert problem in report.problem


def written(folder: Path, line: bytes) -> Path:
    """Write a segment of one line, whatever it is."""
    path = folder / "evidence-x.ndjson"
    path.write_bytes(line + b"\n")
    return path


def test_evidence_of_brackets_within_brackets_is_told(tmp_path: Path) -> None:
    written(tmp_path, b"[" * 100_000)
    (report,) = verify_folder(tmp_path)
    assert (report.broken_at, report.problem) == (1, "is no JSON object")


@pytest.mark.parametrize("name", ["format", "segment", "sequence"])
def test_evidence_quotes_no_long_value_whole(tmp_path: Path, name: str) -> None:
    record = {"format": "canfetch.evidence/1", "segment": "evidence-x", "sequence": 0, name: "x" * 200_000}
    problem = verify_segment(written(tmp_path, json.dumps(record).encode())).problem
    assert problem is not None
    assert "xxx...xxx" in problem
    assert len(problem) < 400


@pytest.mark.parametrize("sha256", ["a" * 300, "a" * 63, "A" * 64, "\u0664" * 64, "../../etc/passwd", "\0", ""])
def test_evidence_names_kept_files_by_hashes_alone(tmp_path: Path, sha256: str) -> None:
    (tmp_path / "octets").mkdir()
    record = {
        "format": "canfetch.evidence/1",
        "segment": "evidence-x",
        "sequence": 0,
        "previous": "0" * 64,
        "keeps_octets": True,
        "robots": {"copy": {"sha256": sha256}},
    }
    assert verify_segment(written(tmp_path, json.dumps(record).encode())).missing_octets == (sha256,)


def test_evidence_kept_octets_that_cannot_be_read_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with EvidenceRecorder(tmp_path, keep_octets=True) as recorder:
        recorder.record("/", ROBOTS.decide("/", agent="ExampleBot"), octets=ROBOTS.content)

    def unreadable(_: Path) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "read_bytes", unreadable)
    with pytest.raises(EvidenceError, match=r"octets.[0-9a-f]{64}: cannot be read: Input/output error"):
        verify_segment(recorder.path)


def test_evidence_segment_of_another_name_is_told(tmp_path: Path) -> None:
    recorder = record(tmp_path)
    other = recorder.path.rename(tmp_path / "evidence-other.ndjson")
    assert "is of segment" in (verify_segment(other).problem or "")


@pytest.mark.parametrize("octets", [b"", b"{"])
def test_evidence_of_a_writer_that_died_before_its_first_line_breaks_nothing(tmp_path: Path, octets: bytes) -> None:
    recorder = record(tmp_path)
    (tmp_path / "evidence-x.ndjson").write_bytes(octets)

    reports = list(verify_folder(tmp_path))

    assert [(report.decisions, report.torn_octets, report.holds) for report in reports] == [
        (3, 0, True),
        (0, len(octets), True),
    ]
    assert reports[1].head != recorder.head


@pytest.mark.parametrize("cut", [1, 10, 200])
def test_evidence_torn_last_line_is_dropped_and_reported(tmp_path: Path, cut: int) -> None:
    recorder = record(tmp_path)
    octets = recorder.path.read_bytes()
    last = len(octets.splitlines(keepends=True)[-1])
    recorder.path.write_bytes(octets[:-cut])

    report = verify_segment(recorder.path)

    assert report.holds
    assert (report.decisions, report.torn_octets) == (2, last - cut)


def test_evidence_kept_octets_missing_and_changed_are_told(tmp_path: Path) -> None:
    with (
        EvidenceRecorder(tmp_path, keep_octets=True) as recorder,
        Client(user_agent="ExampleBot/1.0", transport=ScriptedOrigin(), evidence=recorder) as client,
    ):
        client.allows("https://example.com/")
    kept = next((tmp_path / "octets").iterdir())
    kept.write_bytes(b"changed")
    assert verify_segment(recorder.path).changed_octets == (kept.name,)
    kept.unlink()
    assert verify_segment(recorder.path).missing_octets == (kept.name,)
    assert not verify_segment(recorder.path).holds


def test_evidence_folder_of_kept_octets_that_is_gone_is_told(tmp_path: Path) -> None:
    with EvidenceRecorder(tmp_path, keep_octets=True) as recorder, EvidenceRecorder(tmp_path) as bare:
        recorder.record("/", ROBOTS.decide("/", agent="ExampleBot"), octets=ROBOTS.content)
        # Who keeps none misses none, though others of the folder do.
        bare.record("/", ROBOTS.decide("/", agent="ExampleBot"), octets=b"not kept")
    assert all(report.holds for report in verify_folder(tmp_path))

    (kept,) = (tmp_path / "octets").iterdir()
    kept.unlink()
    (tmp_path / "octets").rmdir()

    assert verify_segment(recorder.path).missing_octets == (kept.name,)
    assert verify_segment(bare.path).holds


def test_evidence_threads_share_one_chain(tmp_path: Path) -> None:
    verdict = ROBOTS.decide("/", agent="ExampleBot")

    def write(recorder: EvidenceRecorder) -> None:
        for _ in range(50):
            recorder.record("/", verdict)

    with EvidenceRecorder(tmp_path) as recorder:
        threads = [threading.Thread(target=write, args=(recorder,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    report = verify_segment(recorder.path)
    assert (report.holds, report.decisions) == (True, 400)


def _record_in_process(folder: str) -> str:
    return str(record(Path(folder), 20).path)


def test_evidence_processes_have_segments_of_their_own(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        paths = set(pool.map(_record_in_process, [str(tmp_path)] * 6))

    reports = list(verify_folder(tmp_path))
    assert {str(report.path) for report in reports} == paths
    assert [report.decisions for report in reports if report.holds] == [20] * 6


WRITER = """
import sys
from pathlib import Path
from canfetch.client.evidence import EvidenceRecorder
from canfetch.core.document import parse
verdict = parse(b"").decide("/", agent="ExampleBot")
recorder = EvidenceRecorder(sys.argv[1])
for number in range(1000000):
    recorder.record(f"/{number}", verdict)
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
"""


def test_evidence_killed_writer_loses_nothing_acknowledged(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(100):
            writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        acknowledged = 100 + sum(line.endswith("\n") for line in writer.stdout)

    (report,) = verify_folder(tmp_path)
    assert report.holds
    assert report.decisions >= acknowledged


def test_evidence_bad_folders_are_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EvidenceError, match="cannot be written"):
        EvidenceRecorder(tmp_path / "file")
    with pytest.raises(EvidenceError, match="no folder"):
        verify_folder(tmp_path / "nowhere")
    with pytest.raises(EvidenceError, match="no segment"):
        verify_folder(tmp_path)
    with pytest.raises(EvidenceError, match="cannot be read"):
        verify_segment(tmp_path / "nowhere.ndjson")


def test_evidence_closed_recorder_says_so(tmp_path: Path) -> None:
    recorder = record(tmp_path)
    with pytest.raises(EvidenceError, match="closed"):
        recorder.record("/", ROBOTS.decide("/", agent="ExampleBot"))
    recorder.close()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")  # noqa: PTH110 - a device
def test_evidence_full_disk_costs_one_line_and_says_so(tmp_path: Path) -> None:
    recorder = record(tmp_path)
    before = recorder.head
    recorder._file = os.open("/dev/full", os.O_WRONLY)

    with pytest.raises(EvidenceError, match="not on the record"):
        recorder.record("/", ROBOTS.decide("/", agent="ExampleBot"))

    assert recorder.head == before
    recorder.close()


def test_evidence_of_a_given_file_names_and_keeps_its_octets(tmp_path: Path) -> None:
    verdict = ROBOTS.decide("/", agent="ExampleBot")
    with EvidenceRecorder(tmp_path / "kept", keep_octets=True) as kept, EvidenceRecorder(tmp_path / "bare") as bare:
        for octets in (ROBOTS.content, ROBOTS.content, b"another"):
            kept.record("/", verdict, octets=octets)
            bare.record(b"/\xff", verdict, octets=octets)
        bare.record("/", verdict)
    hashes = [hashlib.sha256(octets).hexdigest() for octets in (ROBOTS.content, b"another")]
    assert sorted(path.name for path in (tmp_path / "kept" / "octets").iterdir()) == sorted(hashes)
    assert verify_segment(kept.path).holds
    lines = [json.loads(line)["robots"] for line in bare.path.read_bytes().splitlines()[1:]]
    assert lines == [{"copy": {"sha256": sha256}} for sha256 in (hashes[0], *hashes)] + [None]
    assert not (tmp_path / "bare" / "octets").exists()


def test_evidence_of_an_origin_that_nobody_reaches_has_no_copy(tmp_path: Path) -> None:
    origin = ScriptedOrigin({"failure": "refused"})
    with (
        EvidenceRecorder(tmp_path, keep_octets=True) as recorder,
        Client(user_agent="ExampleBot/1.0", transport=origin, evidence=recorder) as client,
    ):
        assert not client.allows("https://example.com/")
    line = json.loads(recorder.path.read_bytes().splitlines()[1])
    assert (line["robots"]["copy"], line["robots"]["status"]) == (None, None)


def test_evidence_octets_that_cannot_be_kept_are_no_decision(tmp_path: Path) -> None:
    with EvidenceRecorder(tmp_path, keep_octets=True) as recorder:
        (tmp_path / "octets").rmdir()
        with pytest.raises(EvidenceError, match="the octets are not kept"):
            recorder.record("/", ROBOTS.decide("/", agent="ExampleBot"), octets=ROBOTS.content)
        (tmp_path / "octets").mkdir()
        recorder.record("/", ROBOTS.decide("/", agent="ExampleBot"), octets=ROBOTS.content)
    report = verify_segment(recorder.path)
    assert (report.holds, report.decisions) == (True, 1)


def test_evidence_that_is_there_already_is_not_written_again(tmp_path: Path) -> None:
    for _ in range(2):
        with EvidenceRecorder(tmp_path, keep_octets=True) as recorder:
            recorder.record("/", ROBOTS.decide("/", agent="ExampleBot"), octets=ROBOTS.content)
    assert len(list((tmp_path / "octets").iterdir())) == 1
    assert all(report.holds for report in verify_folder(tmp_path))


LIMITED = """
import resource, signal, sys
from canfetch.client.evidence import EvidenceRecorder
from canfetch.core.document import parse
from canfetch.errors import EvidenceError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
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


@pytest.mark.skipif(sys.platform == "win32", reason="limits as POSIX has them")
def test_evidence_disk_that_takes_a_part_of_a_line_keeps_the_lines_before_it(tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", LIMITED, str(tmp_path)], capture_output=True, text=True, check=True)
    written, _, said = ran.stdout.partition(" ")
    assert "the disk took a part of the line; the decision is not on the record" in said
    (report,) = verify_folder(tmp_path)
    assert (report.holds, report.decisions, report.torn_octets) == (True, int(written), 0)


def test_evidence_of_very_many_files_forgets_which_are_there_and_looks(tmp_path: Path) -> None:
    with EvidenceRecorder(tmp_path, keep_octets=True) as recorder:
        for octets in (b"one", b"two", b"one"):
            recorder.record("/", ROBOTS.decide("/", agent="ExampleBot"), octets=octets)
            recorder._kept.update(map(str, range(65_536 - len(recorder._kept))))
    assert len(list((tmp_path / "octets").iterdir())) == 2
    assert verify_segment(recorder.path).holds


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_evidence_of_a_forked_child_is_a_segment_of_its_own(tmp_path: Path) -> None:
    verdict = ROBOTS.decide("/x", agent="a")
    with EvidenceRecorder(tmp_path) as recorder, EvidenceRecorder(tmp_path) as unused:
        recorder.record("/1", verdict)
        recorder.close()
        with EvidenceRecorder(tmp_path) as shared:
            shared.record("/2", verdict)
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    shared.record("/3", verdict)
                    shared.record("/4", verdict)
                    with pytest.raises(EvidenceError, match="closed"):
                        recorder.record("/5", verdict)
                    code = 0
                finally:
                    os._exit(code)
            assert os.waitpid(child, 0)[1] == 0
            shared.record("/6", verdict)
            segment = shared.segment
        assert unused.path.exists()
    assert all(report.problem is None and not report.torn_octets for report in verify_folder(tmp_path))
    lines = {path.stem: len(path.read_bytes().splitlines()) for path in tmp_path.glob("*.ndjson")}
    # The child had four recorders, and wrote to one.
    assert sorted(lines.values()) == [1, 2, 3, 3]
    assert lines[segment] == 3
