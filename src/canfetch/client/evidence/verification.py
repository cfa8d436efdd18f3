"""Read evidence and check that nothing in it was changed or removed.

Each line contains the hash of the line before it. The seal at the end of a segment protects its last line, and lines
that open or seal a segment contain the heads of the other segments. A head that was stored elsewhere covers its own
segment up to that line, and everything that these lines refer to.

Without such a head, verification cannot detect that:

- the last line of an unsealed segment was changed. The segment is reported as unsealed;
- a segment was removed that no other segment refers to, usually the last one;
- a segment was rewritten from some line to its end, together with all lines that refer to it. With a key, this cannot
  be done without the key;
- a segment was added.

With or without a head, it does not prove that the recorded decisions were true.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Final

from canfetch.client.argument_checks import check_path
from canfetch.client.evidence.chain import INITIAL_HASH, SEGMENT_PATTERN, EvidenceHead
from canfetch.client.evidence.seals import check_key
from canfetch.client.evidence.segment_check import Confirmation, SegmentCheck, SegmentReport
from canfetch.client.evidence.segment_ends import SegmentEnds, read_ends
from canfetch.client.private_files import os_reason
from canfetch.errors import EvidenceError

_GIVEN_HEAD: Final = "the given head"


def verify_folder(
    folder: str | PathLike[str], *, heads: Iterable[EvidenceHead] = (), key: bytes | None = None
) -> Iterator[SegmentReport]:
    """Verify every segment in `folder` and the references between them.

    A segment that cannot be read has a report too, and so has one that is missing although another segment or a head
    refers to it. Lines that are written during the verification may be left out.

    Args:
        folder: The folder of the segments.
        heads: Heads that were stored elsewhere. They must match, and so must everything that they cover.
        key: The key that seals must have been made with, or None to check seals without it.
    Returns: The reports, sorted by name.
    Raises: EvidenceError: `folder` is not a folder, or contains no segment.
        InvalidOption: The key or the path is invalid.
    """
    if key is not None:
        check_key(key)
    folder = check_path("folder", folder)
    try:
        is_folder = folder.is_dir()
    except OSError as error:
        raise EvidenceError(f"{folder}: {os_reason(error)}") from None
    if not is_folder:
        raise EvidenceError(f"{folder}: not a folder")
    heads = list(heads)
    names = {path.stem for path in folder.glob(SEGMENT_PATTERN)}
    if not names and not heads:
        raise EvidenceError(f"{folder}: no evidence found: expected files named {SEGMENT_PATTERN}")
    return _verify_segments(folder, names, heads, key)


def _verify_segments(
    folder: Path, names: set[str], heads: list[EvidenceHead], key: bytes | None
) -> Iterator[SegmentReport]:
    # The references are read first. Everything that they refer to was written before, so a segment that is being
    # written now contains it when it is read below.
    ends, unreadable = _read_all_ends(folder, names, heads)
    confirmations: dict[str, list[Confirmation]] = defaultdict(list)
    for name, end in ends.items():
        for head in (*end.opening_follows, *end.seal_follows):
            confirmations[head.segment].append(Confirmation(head.lines, head.sha256, name))
    for head in heads:
        confirmations[head.segment].append(Confirmation(head.lines, head.sha256, _GIVEN_HEAD))
    covered = _covered_lines(ends, heads)
    for name in sorted({*ends, *unreadable, *confirmations}):
        path = folder / f"{name}.ndjson"
        covered_lines = covered.get(name, 0) if heads else None
        if name in ends:
            check = SegmentCheck(path, key, confirmations[name])
            try:
                yield check.run(size=ends[name].size, covered_lines=covered_lines)
                continue
            except EvidenceError as error:
                problem = str(error).removeprefix(f"{path}: ")
        elif name in unreadable:
            problem = unreadable[name]
        else:
            problem = f"missing, but {confirmations[name][0].source} refers to it"
        yield _unchecked(path, problem, covered_lines=None if covered_lines is None else 0)


def _read_all_ends(
    folder: Path, names: set[str], heads: list[EvidenceHead]
) -> tuple[dict[str, SegmentEnds], dict[str, str]]:
    """Return the ends of the segments that can be read, and the problems of the others."""
    ends: dict[str, SegmentEnds] = {}
    unreadable: dict[str, str] = {}
    waiting = sorted({*names, *(head.segment for head in heads)}, reverse=True)
    while waiting:
        name = waiting.pop()
        path = folder / f"{name}.ndjson"
        # A segment can refer to one that was created after the folder was listed.
        if name in ends or name in unreadable or (name not in names and not path.exists()):
            continue
        try:
            ends[name] = read_ends(path)
        except OSError as error:
            unreadable[name] = f"cannot be read: {error.strerror}"
            continue
        waiting += [head.segment for head in (*ends[name].opening_follows, *ends[name].seal_follows)]
    return ends, unreadable


def _covered_lines(ends: dict[str, SegmentEnds], heads: list[EvidenceHead]) -> dict[str, int]:
    covered: dict[str, int] = {}
    waiting = list(heads)
    while waiting:
        head = waiting.pop()
        if head.lines <= covered.get(head.segment, 0):
            continue
        covered[head.segment] = head.lines
        end = ends.get(head.segment)
        if end is not None:
            waiting += end.opening_follows
            if end.sealed and head.lines >= end.head.lines:
                waiting += end.seal_follows
    return covered


def _unchecked(path: Path, problem: str, *, covered_lines: int | None) -> SegmentReport:
    return SegmentReport(
        path=path,
        decisions=0,
        head=EvidenceHead(path.stem, 0, INITIAL_HASH),
        sealed=False,
        confirmed_lines=None,
        covered_lines=covered_lines,
        broken_line=None,
        problem=problem,
        torn_bytes=0,
        missing_content=(),
        changed_content=(),
    )
