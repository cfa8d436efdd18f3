"""Writing evidence: every decision one line, in a segment that one writer has to itself."""

import contextlib
import hashlib
import os
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from canfetch.client.evidence.lines import (
    EVIDENCE_FORMAT,
    FIRST_PREVIOUS,
    LONGEST_LINE_OCTETS,
    OCTETS_FOLDER,
    hash_of,
    line_of,
)
from canfetch.client.evidence.redacting import without_credentials
from canfetch.client.forking import renewed_in_children
from canfetch.client.origin_state import OriginState
from canfetch.client.procedure import Clock
from canfetch.core.text import display_text, encode_text
from canfetch.core.verdict import Verdict
from canfetch.errors import EvidenceError

# In place of a file.
_CLOSED: Final = -1
_NOT_YET_OPEN: Final = -2
# Files that are known to be there, so that nobody looks again; a crawl of millions forgets some, and looks.
_REMEMBERED_HASHES: Final = 65_536


class EvidenceRecorder:
    """Appends decisions to a segment of its own in a folder; safe for the threads of a process.

    A line that `record` has returned for is with the operating system, and outlives this process however
    that ends; with `durable` it is on the disk.

    Args:
        folder: where segments are; made where it is not there. Any number of writers may share it.
        keep_octets: keep each robots.txt that counted too, once, under its hash.
        durable: wait for the disk with every line.
        clock: seconds since the epoch.
    Raises: EvidenceError: the folder cannot be made or written.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        keep_octets: bool = False,
        durable: bool = False,
        clock: Clock = time.time,
    ) -> None:
        self.folder = Path(folder)
        self._keep_octets = keep_octets
        self._durable = durable
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: set[str] = set()
        self._last_given: tuple[bytes, str] | None = None
        self._file: int = _NOT_YET_OPEN
        self._open()
        renewed_in_children(self)

    def renew_in_child(self) -> None:
        """Leave the segment to the parent: one writer each. The child's begins with its first line."""
        self._lock = threading.Lock()
        if self._file >= 0:
            os.close(self._file)
            self._file = _NOT_YET_OPEN

    def _open(self) -> None:
        self._sequence = 0
        self._previous = FIRST_PREVIOUS
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(self._clock()))
        self.segment = f"evidence-{moment}-{os.getpid()}-{os.urandom(6).hex()}"
        try:
            (self.folder / OCTETS_FOLDER if self._keep_octets else self.folder).mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL
            self._file = os.open(self.path, flags, 0o644)
        except OSError as error:
            raise EvidenceError(f"{self.folder}: evidence cannot be written there: {error.strerror}") from None
        self._put({"opened": True, "keeps_octets": self._keep_octets})

    @property
    def path(self) -> Path:
        """The segment's file."""
        return self.folder / f"{self.segment}.ndjson"

    @property
    def head(self) -> str:
        """The hash of the last line: kept elsewhere, it proves that nothing was cut off since."""
        return self._previous

    def record(
        self, url: str | bytes, verdict: Verdict, known: OriginState | None = None, *, octets: bytes | None = None
    ) -> None:
        """Put a decision on the record.

        Args:
            url: what was asked for; `***` stands on the record for its user information.
            known: what was known of the origin, where the file was fetched.
            octets: the file itself, where it was given.
        Raises: EvidenceError: it cannot be written, or takes more than 16 MiB; nothing of it is on the record then.
        Cost: one write; with `keep_octets`, one file for each new robots.txt.
        """
        robots = self._robots(known) if known is not None else None if octets is None else self._given(octets)
        asked = url if isinstance(url, bytes) else encode_text(url)
        self._append({"url": display_text(without_credentials(asked)), "verdict": verdict.to_json(), "robots": robots})

    def close(self) -> None:
        """Close the segment; a closed recorder records nothing more."""
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
            self._file = _CLOSED

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _robots(self, known: OriginState) -> dict[str, Any]:
        entry = known.entry
        copy = entry.copy
        sha256 = known.sha256
        if copy is not None and sha256 is not None:
            self._keep(sha256, copy.content)
        return {
            "origin": entry.origin,
            "access": str(entry.outcome.access),
            "status": entry.status,
            "url": _shown(entry.url),
            "hops": [[_shown(hop.url), hop.status, _shown(hop.location)] for hop in entry.hops],
            "fetched_at": entry.fetched_at,
            "copy": None
            if copy is None
            else {"sha256": sha256, "url": _shown(copy.url), "fetched_at": copy.fetched_at},
        }

    def _given(self, octets: bytes) -> dict[str, Any]:
        # The same object has the same hash: a file is asked often.
        if self._last_given is None or self._last_given[0] is not octets:
            self._last_given = (octets, hashlib.sha256(octets).hexdigest())
        sha256 = self._last_given[1]
        self._keep(sha256, octets)
        return {"copy": {"sha256": sha256}}

    def _append(self, content: dict[str, Any]) -> None:
        with self._lock:
            if self._file == _CLOSED:
                raise EvidenceError(f"{self.path}: the recorder is closed")
            if self._file == _NOT_YET_OPEN:
                self._open()
            self._put(content)

    def _put(self, content: dict[str, Any]) -> None:
        line = line_of(
            {
                "format": EVIDENCE_FORMAT,
                "segment": self.segment,
                "sequence": self._sequence,
                "previous": self._previous,
                "at_seconds": self._clock(),
                **content,
            }
        )
        if len(line) >= LONGEST_LINE_OCTETS:
            problem = f"a line of {len(line)} octets is too long, {LONGEST_LINE_OCTETS} with its end is the most"
            raise EvidenceError(f"{self.path}: {problem}; the decision is not on the record")
        self._write(line + b"\n")
        self._sequence += 1
        self._previous = hash_of(line)

    def _write(self, octets: bytes) -> None:
        end = os.lseek(self._file, 0, os.SEEK_END)
        try:
            written = os.write(self._file, octets)
            if self._durable:
                os.fsync(self._file)
            problem = None if written == len(octets) else "the disk took a part of the line"
        except OSError as error:
            problem = error.strerror
        if problem is not None:
            # A part of a line is no line: what follows must not stand behind it.
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, end)
            raise EvidenceError(f"{self.path}: {problem}; the decision is not on the record")

    def _keep(self, sha256: str, octets: bytes) -> None:
        if not self._keep_octets or sha256 in self._kept:
            return
        if len(self._kept) == _REMEMBERED_HASHES:
            self._kept.clear()
        place = self.folder / OCTETS_FOLDER / sha256
        try:
            if not place.exists():
                beside = place.with_name(f"{sha256}.{os.getpid()}.{os.urandom(4).hex()}")
                beside.write_bytes(octets)
                beside.replace(place)
        except OSError as error:
            raise EvidenceError(f"{place}: {error.strerror}; the octets are not kept") from None
        self._kept.add(sha256)


def _shown(url: str) -> str:
    return display_text(without_credentials(encode_text(url)))
