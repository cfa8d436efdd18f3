"""The disk: what SQLite writes, what it has synchronised, and what is left of it without power.

SQLite reaches files through a table of functions, its VFS. `Disk` registers one in which opening, deleting, writing,
truncating and synchronising files pass through Python before the functions of the system are called. So nothing is
assumed about journal modes or the setting `synchronous`: every write and every call of `fsync` is observed as it is
made, for each file of its own: the database, the write-ahead log and rollback journals.

A process that is killed leaves all its writes. Without power, only the writes are certain that the file's last
synchronisation covers. Of the later ones, any subset reaches the disk, in sectors of 512 bytes, each independently of
the others, also of the earlier ones, and so does any subset of the truncations. A file that was deleted without
synchronising its folder may exist again, in place of a new one with its name, until another file was synchronised.
Two properties of systems are taken for granted, as SQLite does: a write changes no byte beside it, and the names in a
folder change in their order, and not after later calls of `fsync`.

Real calls of `fsync` are omitted, because what a kill leaves does not depend on them.
"""

import _sqlite3
import ctypes
import os
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from simulation.processes import PROCESS, Process

_SECTOR: Final = 512
_OK: Final = 0
_IOERR_WRITE: Final = 778
_IOERR_FSYNC: Final = 1034
_IOERR_TRUNCATE: Final = 1546
_IOERR_DELETE: Final = 2570
_CANTOPEN: Final = 14
# SQLITE_OPEN_MAIN_DB, SQLITE_OPEN_MAIN_JOURNAL and SQLITE_OPEN_WAL.
_RECORDED: Final = 0x100 | 0x800 | 0x80000
_VOID: Final = ctypes.c_void_p
_INT: Final = ctypes.c_int
_INT64: Final = ctypes.c_int64


class _VFS(ctypes.Structure):
    pass


_OPEN = ctypes.CFUNCTYPE(_INT, _VOID, _VOID, _VOID, _INT, _VOID)
_DELETE = ctypes.CFUNCTYPE(_INT, _VOID, ctypes.c_char_p, _INT)
_RANDOMNESS = ctypes.CFUNCTYPE(_INT, _VOID, _INT, _VOID)
_SLEEP = ctypes.CFUNCTYPE(_INT, _VOID, _INT)
_VFS._fields_ = [
    ("iVersion", _INT),
    ("szOsFile", _INT),
    ("mxPathname", _INT),
    ("pNext", _VOID),
    ("zName", ctypes.c_char_p),
    ("pAppData", _VOID),
    ("xOpen", _OPEN),
    ("xDelete", _DELETE),
    ("xAccess", _VOID),
    ("xFullPathname", _VOID),
    ("xDlOpen", _VOID),
    ("xDlError", _VOID),
    ("xDlSym", _VOID),
    ("xDlClose", _VOID),
    ("xRandomness", _RANDOMNESS),
    ("xSleep", _SLEEP),
    ("xCurrentTime", _VOID),
    ("xGetLastError", _VOID),
    ("xCurrentTimeInt64", _VOID),
    ("xSetSystemCall", _VOID),
    ("xGetSystemCall", _VOID),
    ("xNextSystemCall", _VOID),
]

_WRITE = ctypes.CFUNCTYPE(_INT, _VOID, _VOID, _INT, _INT64)
_TRUNCATE = ctypes.CFUNCTYPE(_INT, _VOID, _INT64)
_SYNC = ctypes.CFUNCTYPE(_INT, _VOID, _INT)


class _Methods(ctypes.Structure):
    pass


_Methods._fields_ = [
    ("iVersion", _INT),
    ("xClose", _VOID),
    ("xRead", _VOID),
    ("xWrite", _WRITE),
    ("xTruncate", _TRUNCATE),
    ("xSync", _SYNC),
    ("xFileSize", _VOID),
    ("xLock", _VOID),
    ("xUnlock", _VOID),
    ("xCheckReservedLock", _VOID),
    ("xFileControl", _VOID),
    ("xSectorSize", _VOID),
    ("xDeviceCharacteristics", _VOID),
    ("xShmMap", _VOID),
    ("xShmLock", _VOID),
    ("xShmBarrier", _VOID),
    ("xShmUnmap", _VOID),
    ("xFetch", _VOID),
    ("xUnfetch", _VOID),
]


class _File:
    """A file: what is certain of it, and what was written since it was synchronised."""

    def __init__(self, content: bytes) -> None:
        self.certain = bytearray(content)
        # Pairs of an offset and data, or a new size.
        self.pending: list[tuple[int, bytes] | int] = []

    def synchronise(self) -> None:
        for change in self.pending:
            _apply(self.certain, change)
        self.pending.clear()

    def lose_power(self, chance: random.Random) -> bytes:
        """Return what is left of the file."""
        left = bytearray(self.certain)
        share = chance.choice((0.0, 0.1, 0.5, 0.9, 1.0))
        for change in self.pending:
            if isinstance(change, int):
                if chance.random() < share:
                    _apply(left, change)
                continue
            offset, data = change
            start = 0
            while start < len(data):
                # Up to the next sector of the disk.
                end = min(len(data), start + _SECTOR - (offset + start) % _SECTOR)
                if chance.random() < share:
                    _apply(left, (offset + start, data[start:end]))
                start = end
        return bytes(left)


def _apply(content: bytearray, change: tuple[int, bytes] | int) -> None:
    if isinstance(change, int):
        del content[change:]
        return
    offset, data = change
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data


class Disk:
    """The disk of a simulated machine, for all connections that are opened in the block.

    Args:
        chance: The numbers that SQLite obtains as random ones.
        note: Called with each event.
        records: Whether what is not synchronised is recorded, for `lose_power`.
    """

    def __init__(self, chance: random.Random, note: Callable[..., object], *, records: bool = True) -> None:
        self._chance = chance
        self._note = note
        self._records = records
        self._files: dict[str, _File] = {}
        # Files that were deleted, and may exist again without power.
        self._deleted: dict[str, _File] = {}
        # By the address of SQLite's open file.
        self._opened: dict[int, tuple[str, Process | None]] = {}
        self._methods: dict[int, _Methods] = {}
        self._library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
        find = self._library.sqlite3_vfs_find
        find.restype = ctypes.POINTER(_VFS)
        find.argtypes = [ctypes.c_char_p]
        self._system = find(None)
        self._vfs = _VFS()
        ctypes.pointer(self._vfs)[0] = self._system.contents
        self._vfs.pNext = None
        self._vfs.zName = b"simulation"
        self._vfs.xOpen = _OPEN(self._open)
        self._vfs.xDelete = _DELETE(self._delete)
        self._vfs.xRandomness = _RANDOMNESS(self._randomness)
        self._vfs.xSleep = _SLEEP(lambda _, microseconds: microseconds)

    def __enter__(self) -> Self:
        self._library.sqlite3_vfs_register(ctypes.byref(self._vfs), 1)
        # SQLite asks for random bytes again.
        self._library.sqlite3_randomness(0, None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._library.sqlite3_vfs_unregister(ctypes.byref(self._vfs))
        self._library.sqlite3_vfs_register(self._system, 1)
        self._library.sqlite3_randomness(0, None)

    def lose_power(self) -> None:
        """Let the power fail, after all processes have died. What is not synchronised is lost in part."""
        for path in sorted({*self._files, *self._deleted}):
            file = self._files.get(path)
            if path in self._deleted and self._chance.random() < 0.5:
                file = self._deleted[path]
            if file is None:
                continue
            left = file.lose_power(self._chance)
            Path(path).write_bytes(left)
            self._files[path] = _File(left)
            self._note("left", left)
            with suppress(FileNotFoundError):
                Path(f"{path}-shm").unlink()
        self._deleted.clear()

    def _open(self, _vfs: Any, name: Any, file: Any, flags: int, out_flags: Any) -> int:
        process = PROCESS.get()
        if process is not None and not process.is_alive:
            return _CANTOPEN
        result: int = self._system.contents.xOpen(ctypes.addressof(self._system.contents), name, file, flags, out_flags)
        if result == _OK and name and flags & _RECORDED:
            path = os.fsdecode(ctypes.string_at(name))
            if self._records and path not in self._files:
                self._files[path] = _File(Path(path).read_bytes())
            self._opened[file] = path, process
            methods = ctypes.cast(file, ctypes.POINTER(_VOID))
            address = methods[0]
            assert address is not None
            methods[0] = ctypes.addressof(self._own_methods(address))
        return result

    def _own_methods(self, address: int) -> _Methods:
        """Return a table of methods that calls those at an address."""
        if address in self._methods:
            return self._methods[address]
        system = _Methods.from_address(address)
        write, truncate = system.xWrite, system.xTruncate

        def own_write(file: int, data: int, size: int, offset: int) -> int:
            recorded = self._begin_change(file)
            if recorded is None:
                return _IOERR_WRITE
            if self._records:
                written = ctypes.string_at(data, size)
                recorded.pending.append((offset, written))
                self._note("write", offset, written)
            result: int = write(file, data, size, offset)
            return result

        def own_truncate(file: int, size: int) -> int:
            recorded = self._begin_change(file)
            if recorded is None:
                return _IOERR_TRUNCATE
            recorded.pending.append(size)
            self._note("truncate", size)
            result: int = truncate(file, size)
            return result

        def own_sync(file: int, flags: int) -> int:  # noqa: ARG001 - the kind of fsync
            recorded = self._begin_change(file)
            if recorded is None:
                return _IOERR_FSYNC
            recorded.synchronise()
            self._deleted.clear()
            self._note("sync")
            return _OK

        own = _Methods()
        ctypes.pointer(own)[0] = system
        own.xWrite, own.xTruncate, own.xSync = _WRITE(own_write), _TRUNCATE(own_truncate), _SYNC(own_sync)
        self._methods[address] = own
        return own

    def _begin_change(self, file: int) -> _File | None:
        """Return what is recorded of an open file before it is changed, or None if its process is dead."""
        path, process = self._opened[file]
        if process is not None and not process.happens("write"):
            return None
        return self._files[path] if self._records else _File(b"")

    def _delete(self, _vfs: Any, name: bytes, sync_folder: int) -> int:
        process = PROCESS.get()
        if process is not None and not process.happens("write"):
            return _IOERR_DELETE
        path = os.fsdecode(name)
        file = self._files.pop(path, None)
        if file is not None and not sync_folder:
            self._deleted[path] = file
        result: int = self._system.contents.xDelete(ctypes.addressof(self._system.contents), name, sync_folder)
        return result

    def _randomness(self, _vfs: Any, size: int, out: int) -> int:
        ctypes.memmove(out, self._chance.randbytes(size), size)
        return size
