"""Segments for the tests of evidence."""

from pathlib import Path

from canfetch.client.evidence import EvidenceRecorder, SegmentReport
from canfetch.client.evidence.chain import EVIDENCE_FORMAT, INITIAL_HASH
from canfetch.client.evidence.segment_check import SegmentCheck
from canfetch.core.document import parse

ROBOTS = parse(b"User-agent: *\nDisallow: /forbidden\n")
VERDICT = ROBOTS.decide("/", agent="ExampleBot")


def write_segment(folder: Path, decisions: int = 3) -> EvidenceRecorder:
    """Record that many decisions at a fixed time, and return the closed recorder."""
    with EvidenceRecorder(folder, clock=lambda: 1_700_000_000.0) as recorder:
        for number in range(decisions):
            url = f"https://example.com/{number}"
            recorder.record(url, ROBOTS.decide(url, agent="ExampleBot"))
    return recorder


def opening(**more: object) -> dict[str, object]:
    """Return the first line of the segment that `write_raw_segment` writes."""
    return {
        "format": EVIDENCE_FORMAT,
        "segment": "evidence-x",
        "sequence": 0,
        "previous": INITIAL_HASH,
        "opened": True,
        "follows": [],
        **more,
    }


def write_raw_segment(folder: Path, line: bytes) -> Path:
    """Write a segment of one line, valid or not, and return its path."""
    path = folder / "evidence-x.ndjson"
    path.write_bytes(line + b"\n")
    return path


def verify_segment(path: Path, *, key: bytes | None = None) -> SegmentReport:
    """Verify one segment, without the references from other segments.

    Args: key: The key that the seal must have been made with, or None to check it without a key.
    """
    return SegmentCheck(path, key, ()).run()
