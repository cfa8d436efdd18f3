"""Write evidence: one line for each decision, in a segment that only one process writes to."""

import contextlib
import hashlib
import os
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from canfetch.client.evidence.chain import (
    CONTENT_FOLDER,
    EVIDENCE_FORMAT,
    INITIAL_HASH,
    MAX_LINE_BYTES,
    encode_record,
    hash_line,
)
from canfetch.client.evidence.redaction import redact_credentials
from canfetch.client.forking import reset_on_fork
from canfetch.client.origin_state import OriginState
from canfetch.client.procedure import Clock
from canfetch.core.text import display_text, encode_text
from canfetch.core.times import rfc3339
from canfetch.core.verdict import Verdict
from canfetch.errors import EvidenceError

# Values of `_file` that are not file descriptors.
_CLOSED: Final = -1
_NOT_YET_OPEN: Final = -2
# Hashes of files known to exist, which need no look at the disk. The set is cleared when it is full.
_MAX_STORED_HASHES: Final = 65_536


class EvidenceRecorder:
    """Append decisions to a new segment in a folder.

    When `record` returns, the operating system has the line, and the line survives a crash of the process.
    With `durable`, the line is on the disk and survives a power failure too.

    A recorder can be shared by the threads of a process. After a fork, the child writes to a segment of its own.

    Args:
        folder: Where segments are written. It is created if it does not exist. Any number of recorders can
            write to the same folder.
        store_content: Store each robots.txt that a decision depends on, once, in a file named by its hash.
        durable: Wait for the disk after every line.
        clock: Returns the current time in seconds since the epoch.
    Raises: EvidenceError: The folder cannot be created or written to.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        store_content: bool = False,
        durable: bool = False,
        clock: Clock = time.time,
    ) -> None:
        self.folder = Path(folder)
        self._store_content = store_content
        self._durable = durable
        self._clock = clock
        self._lock = threading.Lock()
        self._stored_hashes: set[str] = set()
        self._last_content: tuple[bytes, str] | None = None
        self._file: int = _NOT_YET_OPEN
        self._open()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Leave the segment to the parent process. The child opens its own segment with its first line."""
        self._lock = threading.Lock()
        if self._file >= 0:
            os.close(self._file)
            self._file = _NOT_YET_OPEN

    def _open(self) -> None:
        self._sequence = 0
        self._previous = INITIAL_HASH
        opened_at = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(self._clock()))
        self.segment = f"evidence-{opened_at}-{os.getpid()}-{os.urandom(6).hex()}"
        try:
            (self.folder / CONTENT_FOLDER if self._store_content else self.folder).mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL
            self._file = os.open(self.path, flags, 0o644)
        except OSError as error:
            raise EvidenceError(f"cannot write evidence to {self.folder}: {error.strerror}") from None
        self._write_record({"opened": True, "stores_content": self._store_content})

    @property
    def path(self) -> Path:
        """The segment's file."""
        return self.folder / f"{self.segment}.ndjson"

    @property
    def head(self) -> str:
        """The hash of the last line.

        Store it elsewhere to prove later that the last line was not changed and no lines were cut off the end.
        """
        return self._previous

    def record(
        self, url: str | bytes, verdict: Verdict, state: OriginState | None = None, *, content: bytes | None = None
    ) -> None:
        """Append a decision to the segment.

        Args:
            url: The URL that was checked. Its user information is recorded as `***`.
            verdict: The decision.
            state: State of the origin, if the robots.txt was fetched.
            content: Content of the robots.txt, if the caller supplied it.
        Raises: EvidenceError: The recorder is closed, the line cannot be written, or it is longer than 16 MiB.
            The decision is not recorded then.
        Cost: One write, and one file for each new robots.txt with `store_content`.
        """
        robots = self._describe_state(state) if state is not None else None
        if state is None and content is not None:
            robots = self._describe_content(content)
        self._append({"url": _redacted(url), "verdict": verdict.to_json(), "robots": robots})

    def close(self) -> None:
        """Close the segment. A closed recorder cannot record any more."""
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

    def _describe_state(self, state: OriginState) -> dict[str, Any]:
        entry = state.entry
        copy = entry.copy
        sha256 = state.sha256
        if copy is not None and sha256 is not None:
            self._store(sha256, copy.content)
        return {
            "origin": entry.origin,
            "access": str(entry.outcome.access),
            "status": entry.status,
            "url": _redacted(entry.url),
            "hops": [[_redacted(hop.url), hop.status, _redacted(hop.location)] for hop in entry.hops],
            "fetched_at": rfc3339(entry.fetched_at),
            "copy": None
            if copy is None
            else {"sha256": sha256, "url": _redacted(copy.url), "fetched_at": rfc3339(copy.fetched_at)},
        }

    def _describe_content(self, content: bytes) -> dict[str, Any]:
        # Callers usually check many URLs against one file, so the last hash is cached.
        if self._last_content is None or self._last_content[0] is not content:
            self._last_content = (content, hashlib.sha256(content).hexdigest())
        sha256 = self._last_content[1]
        self._store(sha256, content)
        return {"copy": {"sha256": sha256}}

    def _append(self, fields: dict[str, Any]) -> None:
        with self._lock:
            if self._file == _CLOSED:
                raise EvidenceError(f"{self.path}: recorder is closed")
            if self._file == _NOT_YET_OPEN:
                self._open()
            self._write_record(fields)

    def _write_record(self, fields: dict[str, Any]) -> None:
        line = encode_record(
            {
                "format": EVIDENCE_FORMAT,
                "segment": self.segment,
                "sequence": self._sequence,
                "previous": self._previous,
                "recorded_at": rfc3339(self._clock()),
                **fields,
            }
        )
        if len(line) >= MAX_LINE_BYTES:
            problem = f"line of {len(line)} bytes is too long: expected less than {MAX_LINE_BYTES}"
            raise EvidenceError(f"{self.path}: decision not recorded: {problem}")
        self._write(line + b"\n")
        self._sequence += 1
        self._previous = hash_line(line)

    def _write(self, data: bytes) -> None:
        end = os.lseek(self._file, 0, os.SEEK_END)
        try:
            written = os.write(self._file, data)
            if self._durable:
                os.fsync(self._file)
            problem = None if written == len(data) else "only a part of the line could be written"
        except OSError as error:
            problem = error.strerror
        if problem is not None:
            # Remove the partial line, so that the next line does not continue it.
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, end)
            raise EvidenceError(f"{self.path}: decision not recorded: {problem}")

    def _store(self, sha256: str, content: bytes) -> None:
        if not self._store_content or sha256 in self._stored_hashes:
            return
        if len(self._stored_hashes) == _MAX_STORED_HASHES:
            self._stored_hashes.clear()
        path = self.folder / CONTENT_FOLDER / sha256
        try:
            if not path.exists():
                temporary = path.with_name(f"{sha256}.{os.getpid()}.{os.urandom(4).hex()}")
                temporary.write_bytes(content)
                temporary.replace(path)
        except OSError as error:
            raise EvidenceError(f"{path}: decision not recorded: cannot store robots.txt: {error.strerror}") from None
        self._stored_hashes.add(sha256)


def _redacted(url: str | bytes) -> str:
    return display_text(redact_credentials(url if isinstance(url, bytes) else encode_text(url)))
