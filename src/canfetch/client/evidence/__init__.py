"""What was decided, on the record: append-only lines, each chained to the one before by its hash."""

from canfetch.client.evidence.recording import EvidenceRecorder
from canfetch.client.evidence.verifying import SegmentReport, verify_folder, verify_segment

__all__ = ["EvidenceRecorder", "SegmentReport", "verify_folder", "verify_segment"]
