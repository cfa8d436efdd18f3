"""Evidence: an append-only record of decisions, in which each line contains the hash of the line before it."""

from canfetch.client.evidence.chain import EvidenceHead
from canfetch.client.evidence.recorder import EvidenceRecorder
from canfetch.client.evidence.seals import read_key
from canfetch.client.evidence.segment_check import SegmentReport
from canfetch.client.evidence.unreferenced_heads import find_heads
from canfetch.client.evidence.verification import verify_folder, verify_segment

__all__ = [
    "EvidenceHead",
    "EvidenceRecorder",
    "SegmentReport",
    "find_heads",
    "read_key",
    "verify_folder",
    "verify_segment",
]
