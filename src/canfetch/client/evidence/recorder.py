"""Write evidence: a line for each decision and each answer about a use, in a segment that one process writes to."""

import errno
import hashlib
import os
import threading
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from canfetch.access.redacted_entries import redact_entry
from canfetch.client.argument_checks import check_callable, check_path
from canfetch.client.evidence.chain import (
    CONTENT_FOLDER,
    EVIDENCE_FORMAT,
    INITIAL_HASH,
    MAX_LINE_BYTES,
    EvidenceHead,
    encode_record,
    hash_line,
)
from canfetch.client.evidence.seals import check_key, sealed_record
from canfetch.client.evidence.unreferenced_heads import UnreferencedHeads
from canfetch.client.forking import reset_on_fork
from canfetch.client.origin_state import OriginState
from canfetch.client.private_files import (
    PRIVATE_FILE_MODE,
    SPACE_ADVICE,
    create_private_file,
    create_private_folder,
    os_reason,
)
from canfetch.client.procedure import Clock
from canfetch.client.regular_files import is_same_file
from canfetch.core.redaction import redact_credentials_in, redacted_url
from canfetch.core.times import optional_rfc3339, rfc3339
from canfetch.core.verdict import Verdict
from canfetch.errors import EvidenceError

if TYPE_CHECKING:
    from canfetch.client.use import AnsweredUse

# Values of `_file` that are not file descriptors.
_CLOSED: Final = -1
_NOT_YET_OPEN: Final = -2


class EvidenceRecorder:
    """Append decisions to a new segment in a folder.

    When `record` returns, the operating system has the line, and the line survives a crash of the process.
    With `durable`, the line is on the disk and survives a power failure too.

    The first line refers to the other segments in the folder, and so does the seal that `close` writes. Store the
    `head` of the closed recorder elsewhere to prove later that none of these lines was changed or removed.

    A recorder can be shared by the threads of a process. After a fork, the child writes to a segment of its own.

    Args:
        folder: Where segments are written. It is created if it does not exist. Any number of recorders can
            write to the same folder.
        store_content: Store each robots.txt that a decision depends on, and each source of an answer about a use, once,
            in a file named by its hash.
        durable: Wait for the disk after every line.
        key: A secret of at least 16 random bytes. The seal then contains an HMAC-SHA256 made with it, so that only
            holders of the key can rewrite the segment and seal it again.
        clock: Returns the current time in seconds since the epoch.
    Raises: EvidenceError: The folder cannot be created or written to. InvalidOption: The key or the clock is invalid.
    Cost: Two small reads for each segment in the folder. With `durable`, each segment that no line refers to yet is
        synchronized as well.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        store_content: bool = False,
        durable: bool = False,
        key: bytes | None = None,
        clock: Clock = time.time,
    ) -> None:
        check_callable("clock", clock)
        # As it is named in messages. Processes change their working directory, and a forked one opens the folder again.
        self._name = check_path("folder", folder)
        self.folder = self._name.absolute()
        self._content_files = ContentFiles(self.folder, durable=durable) if store_content else None
        self._durable = durable
        self._key = None if key is None else check_key(key)
        self._clock = clock
        self._lock = threading.Lock()
        self._other_heads = UnreferencedHeads(self.folder, sync=_sync_file if durable else None)
        self._file: int = _NOT_YET_OPEN
        # The head after the line that is being written, and the bytes of the file before and after it.
        self._pending: tuple[EvidenceHead, int, int] | None = None
        self._open()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Leave the segment to the parent process. The child opens its own segment with its first line."""
        self._lock = threading.Lock()
        self._abandon()

    @property
    def path(self) -> Path:
        """The segment's file."""
        return self.folder / f"{self.segment}.ndjson"

    @property
    def head(self) -> EvidenceHead:
        """The segment, its number of lines, and the hash of the last line.

        Store `str(recorder.head)` elsewhere, and pass it to `canfetch evidence verify --head` to prove later that no
        line up to this one was changed, and that none was removed. After `close`, the last line is the seal.
        """
        with self._lock:
            self._settle()
            return self._head

    def record(
        self,
        url: str | bytes,
        verdict: Verdict,
        state: OriginState | None = None,
        *,
        content: bytes | None = None,
        at: float | None = None,
    ) -> None:
        """Append a decision to the segment.

        Args:
            url: The URL that was checked. Its user information is recorded as `***`.
            verdict: The decision.
            state: State of the origin, if the robots.txt was fetched.
            content: Content of the robots.txt, if the caller supplied it.
            at: The time that the decision is about, in seconds since the epoch, if it is as of a date.
        Raises: EvidenceError: The recorder is closed, the line cannot be written, or it is longer than 16 MiB.
            The decision is not recorded then.
        Cost: One write, and one file for each new robots.txt with `store_content`.
        """
        robots = self._describe_state(state) if state is not None else None
        if state is None and content is not None:
            robots = self._describe_content(content)
        fields = {"url": redacted_url(url), "verdict": _verdict_json(verdict), "robots": robots}
        self._append(fields if at is None else {**fields, "at": rfc3339(at)})

    def record_use(self, answered: "AnsweredUse") -> None:
        """Append an answer about a use to the segment, with the sources that it depends on.

        `Client.may_use` does this itself. With `store_content`, the content of each source is stored, and verification
        computes the answer again.

        Args: answered: The answer. User information in its URLs is recorded as `***`.
        Raises: EvidenceError: As for `record`. The answer is not recorded then.
        Cost: One write, and one file for each new source with `store_content`.
        """
        from canfetch.client.evidence.use_records import use_fields  # noqa: PLC0415 - crawlers do not parse pages

        self._append(use_fields(answered, describe_state=self._describe_state, store=self._store_content))

    def _append(self, fields: dict[str, Any]) -> None:
        with self._lock:
            if self._file == _CLOSED:
                raise EvidenceError(f"{self.path}: recorder is closed")
            self._settle()
            if self._file == _NOT_YET_OPEN:
                self._open()
            self._write_record(fields, "decision not recorded")

    def close(self) -> None:
        """Seal and close the segment. A closed recorder can no longer record.

        Raises: EvidenceError: The seal cannot be written. The recorder is closed, and its decisions are recorded.
        Cost: Two small reads for each segment that was added to the folder.
        """
        with self._lock:
            self._settle()
            file = self._file
            try:
                if file >= 0:
                    follows = self._other_heads.find(own_segment=self.segment)
                    fields = {
                        "sealed": True,
                        "decisions": self._head.lines - 1,
                        "follows": [head.to_json() for head in follows],
                    }
                    self._write_record(fields, "segment not sealed", seal=True)
            finally:
                if self._file >= 0:
                    os.close(file)
                self._file = _CLOSED
                self._pending = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> None:
        opened_at = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(self._clock()))
        self.segment = f"evidence-{opened_at}-{os.getpid()}-{os.urandom(6).hex()}"
        self._head = EvidenceHead(self.segment, 0, INITIAL_HASH)
        try:
            create_private_folder(self.folder)
            if self._content_files is not None:
                self._content_files.create_folder()
            follows = self._other_heads.find()
            self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, PRIVATE_FILE_MODE)
            self._identity = os.fstat(self._file)
            if self._durable:
                sync_folder(self.folder)
        except OSError as error:
            self._discard()
            raise EvidenceError(f"cannot write evidence to {self._name}: {os_reason(error)}") from None
        except BaseException:
            self._abandon()
            raise
        fields = {
            "opened": True,
            "stores_content": self._content_files is not None,
            "follows": [head.to_json() for head in follows],
        }
        try:
            self._write_record(fields, "segment not opened")
        except EvidenceError:
            self._discard()
            raise
        except BaseException:
            # After an interrupt, the next decision opens another segment, because each begins with this line.
            self._abandon()
            raise

    def _discard(self) -> None:
        """Close and remove the file of a segment without a line."""
        self._abandon()
        with suppress(OSError):
            self.path.unlink()

    def _abandon(self) -> None:
        """Close the file. The next decision opens a new segment, whose first line refers to this one."""
        self._pending = None
        if self._file >= 0:
            os.close(self._file)
            self._file = _NOT_YET_OPEN

    def _describe_state(self, state: OriginState) -> dict[str, Any]:
        entry = redact_entry(state.entry)
        sha256 = state.sha256
        copy = None if sha256 is None else entry.copy
        if copy is not None and sha256 is not None:
            self._store(sha256, copy.content)
        return {
            "origin": entry.origin,
            "access": str(entry.outcome.access),
            "status": entry.status,
            "url": entry.url,
            "hops": [list(hop) for hop in entry.hops],
            "fetched_at": optional_rfc3339(entry.last_attempt_at),
            "copy": None
            if copy is None
            else {"sha256": sha256, "url": copy.url, "fetched_at": rfc3339(copy.fetched_at)},
        }

    def _describe_content(self, content: bytes) -> dict[str, Any]:
        return {"copy": {"sha256": self._store_content(content)}}

    def _store_content(self, content: bytes) -> str:
        sha256 = _sha256(bytes(content))
        self._store(sha256, content)
        return sha256

    def _store(self, sha256: str, content: bytes) -> None:
        if self._content_files is not None:
            self._content_files.store(sha256, content)

    def _write_record(self, fields: dict[str, Any], consequence: str, *, seal: bool = False) -> None:
        """Write a line, and advance the head. Without a complete line, the head stays, and an error is raised."""
        record = {
            "format": EVIDENCE_FORMAT,
            "segment": self.segment,
            "sequence": self._head.lines,
            "previous": self._head.sha256,
            "recorded_at": rfc3339(self._clock()),
            **fields,
        }
        line = encode_record(sealed_record(record, self._key) if seal else record)
        if len(line) >= MAX_LINE_BYTES:
            problem = f"line of {len(line)} bytes is too long: expected less than {MAX_LINE_BYTES}"
            raise EvidenceError(f"{self.path}: {consequence}: {problem}")
        self._write(line + b"\n", EvidenceHead(self.segment, self._head.lines + 1, hash_line(line)), consequence)

    def _settle(self) -> None:
        """Finish a write that was interrupted: its line counts if it is complete, and is removed if it is not."""
        if self._pending is None:
            return
        head, start, end = self._pending
        if os.lseek(self._file, 0, os.SEEK_END) == end:
            self._head = head
            self._pending = None
        else:
            self._remove_line(start)

    def _remove_line(self, start: int) -> None:
        """Remove a partial line, so that the next line does not continue it."""
        self._pending = None
        try:
            os.ftruncate(self._file, start)
        except OSError:
            self._abandon()

    def _write(self, data: bytes, head: EvidenceHead, consequence: str) -> None:
        if not is_same_file(self.path, self._identity):
            self._abandon()
            raise EvidenceError(
                f"{self.path}: {consequence}: the file was deleted, moved or replaced while it was in use"
            )
        end = os.lseek(self._file, 0, os.SEEK_END)
        self._pending = head, end, end + len(data)
        try:
            written = os.write(self._file, data)
            if self._durable:
                os.fsync(self._file)
            problem = None if written == len(data) else f"only a part of the line could be written: {SPACE_ADVICE}"
        except OSError as error:
            problem = os_reason(error)
        if problem is None:
            self._head = head
            self._pending = None
            return
        self._remove_line(end)
        raise EvidenceError(f"{self.path}: {consequence}: {problem}")


# Callers usually ask about many URLs with the same files. Python computes the key of the cache once for each object.
@lru_cache(8)
def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON. The explanation of its access can contain the target of a redirect."""
    fields = verdict.to_json()
    access = fields["access"]
    if access is not None:
        access["explanation"] = redact_credentials_in(access["explanation"])
    return fields


class ContentFiles:
    """Stores robots.txt files and other sources next to the segments.

    Args:
        folder: The folder of the segments.
        durable: Wait for the disk after every new file.
    """

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self._folder = folder / CONTENT_FOLDER
        self._durable = durable

    def create_folder(self) -> None:
        """Create the folder of the files, and its parents.

        Raises: OSError: It cannot be created, or is a symbolic link: the files would not be part of the evidence.
        """
        if self._folder.is_symlink():
            raise OSError(errno.ELOOP, f"{CONTENT_FOLDER!r} is a symbolic link, expected a folder")
        create_private_folder(self._folder)

    def store(self, sha256: str, content: bytes) -> None:
        """Store a file, unless it exists. The folder can have been deleted since the last one.

        Raises: EvidenceError.
        """
        path = self._folder / sha256
        try:
            if not path.exists():
                self.create_folder()
                self._write(path, content)
        except OSError as error:
            raise EvidenceError(
                f"{path}: decision not recorded: cannot store the content: {os_reason(error)}"
            ) from None

    def _write(self, path: Path, content: bytes) -> None:
        temporary = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
        create_private_file(temporary)
        with temporary.open("wb") as file:
            file.write(content)
            if self._durable:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
        if self._durable:
            sync_folder(self._folder)


def _sync_file(path: Path) -> None:
    """Wait until a file is on the disk, whichever process wrote it.

    Raises: OSError.
    """
    # Windows synchronizes only files that are open for writing.
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Wait until the names of new files in `folder` are on the disk. Windows does this itself.

    Raises: OSError.
    """
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
