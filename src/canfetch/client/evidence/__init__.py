"""Evidence: an append-only record of decisions, in which each line contains the hash of the line before it.

    verdict -> line with the hash of the line before it -> segment -> seal -> verification

Open `recorder.py` first: a recorder writes one line for each decision to a segment of its own. The line format is in
`chain.py`, and the last line of a closed segment in `seals.py`. The first and the last line of a segment refer to the
other segments of the folder (`unreferenced_heads.py`). `verification.py` checks the segments of a folder against them.
"""

from canfetch.client.evidence.chain import EvidenceHead
from canfetch.client.evidence.recorder import EvidenceRecorder
from canfetch.client.evidence.seals import read_key
from canfetch.client.evidence.segment_check import SegmentReport
from canfetch.client.evidence.unreferenced_heads import find_heads
from canfetch.client.evidence.verification import verify_folder

__all__ = [
    "EvidenceHead",
    "EvidenceRecorder",
    "SegmentReport",
    "find_heads",
    "read_key",
    "verify_folder",
]
