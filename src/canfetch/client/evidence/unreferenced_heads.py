"""The heads of a folder that no line refers to yet: what a new line has to refer to, and what to store elsewhere."""

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Final

from canfetch.client.evidence.chain import SEGMENT_PATTERN, EvidenceHead
from canfetch.client.evidence.segment_ends import SegmentEnds, read_ends
from canfetch.client.loggers import EVIDENCE_LOGGER

# Bounds the length of a line. Heads beyond it are referred to by the next line that opens or seals a segment.
_MAX_HEADS: Final = 10_000


class UnreferencedHeads:
    """Finds the unreferenced heads of a folder. It remembers sealed segments that are referred to.

    Args:
        folder: The folder. It may not exist yet.
        sync: Called with the file of each head, and waits until its lines are on the disk. The process that wrote them
            may have ended before, and without power a line would be lost that another one refers to.
    """

    def __init__(self, folder: Path, *, sync: Callable[[Path], object] | None = None) -> None:
        self._folder = folder
        self._sync = sync
        # References are never removed, and sealed segments do not change.
        self._referenced: set[tuple[str, str]] = set()
        self._settled: set[str] = set()

    def find(self, *, own_segment: str | None = None) -> list[EvidenceHead]:
        """Return the heads that no opening line and no seal in the folder refers to, sorted by segment.

        A segment that cannot be read or synchronized is left out, and logged as a warning.

        Args: own_segment: A segment to leave out.
        Cost: Two small reads for each segment that is not known from an earlier call.
        """
        ends: list[SegmentEnds] = []
        for path in sorted(self._folder.glob(SEGMENT_PATTERN)):
            if path.stem not in self._settled:
                try:
                    ends.append(read_ends(path))
                except OSError as error:
                    EVIDENCE_LOGGER.warning(
                        "%s: cannot be read (%s); new segments do not refer to it", path, error.strerror
                    )
        for end in ends:
            followed = (*end.opening_follows, *end.seal_follows)
            self._referenced.update((head.segment, head.sha256) for head in followed)
        heads: list[EvidenceHead] = []
        for end in ends:
            head = end.head
            if (head.segment, head.sha256) not in self._referenced:
                if head.segment != own_segment and head.is_well_formed and len(heads) < _MAX_HEADS:
                    heads.append(head)
            elif end.sealed:
                self._settled.add(head.segment)
        return heads if self._sync is None else [head for head in heads if self._is_synced(head, self._sync)]

    def _is_synced(self, head: EvidenceHead, sync: Callable[[Path], object]) -> bool:
        path = self._folder / f"{head.segment}.ndjson"
        try:
            sync(path)
        except OSError as error:
            EVIDENCE_LOGGER.warning(
                "%s: cannot be synchronized (%s); new segments do not refer to it", path, error.strerror
            )
            return False
        return True


def find_heads(folder: str | PathLike[str]) -> list[EvidenceHead]:
    """Return the heads to store elsewhere: together they cover every segment in `folder`."""
    return UnreferencedHeads(Path(folder)).find()
