"""Evidence: an append-only record of decisions, in which each line contains the hash of the line before it."""

from canfetch.client.evidence.recorder import EvidenceRecorder
from canfetch.client.evidence.verification import SegmentReport, verify_folder, verify_segment

__all__ = ["EvidenceRecorder", "SegmentReport", "verify_folder", "verify_segment"]
