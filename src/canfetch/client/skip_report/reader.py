"""Read the skip reports of canfetch and of Browsertrix, line by line."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, BinaryIO, Final, NamedTuple

from canfetch.client.argument_checks import check_path
from canfetch.client.regular_files import open_regular_file
from canfetch.client.skip_report.skipped_page import PAGES_FORMAT, SkippedPage
from canfetch.core.lines import BYTE_ORDER_MARK
from canfetch.core.text import display_text, printable_text

MAX_LINE_BYTES: Final = 1 << 20
"""The longest line that is read. canfetch writes shorter ones, and a longer one is skipped."""
_SHOWN_BYTES: Final = 120
_NOT_UTF_8: Final = "not UTF-8"
_NOT_JSON: Final = "not JSON"
_OF_CUT_LINES: Final = (_NOT_UTF_8, _NOT_JSON)
_MAX_NAME_CHARACTERS: Final = 1_000


class DamagedLine(NamedTuple):
    """A line of a skip report that could not be read.

    Attributes:
        line: Its number, from 1.
        problem: What is wrong with it.
        text: Its beginning.
    """

    line: int
    problem: str
    text: str


def read_skip_report(source: str | os.PathLike[str] | BinaryIO) -> Iterator[SkippedPage | DamagedLine]:
    """Yield the pages of a skip report, and a `DamagedLine` for each line that is something else.

    Headers and blank lines are left out, so that joined reports can be read. Keys that are not known are ignored.

    Args: source: The file, or a stream of bytes, which is not closed.
    Raises: InvalidOption: The path is invalid. OSError: The file cannot be opened or read.
    Cost: O(bytes); one line is in memory, at most 1 MiB.
    """
    if isinstance(source, str | os.PathLike):
        with open_regular_file(check_path("source", source)) as stream:
            yield from _read_lines(stream)
    else:
        yield from _read_lines(source)


def is_report_line(line: bytes) -> bool:
    """Return whether a line is a header or a page of a skip report."""
    parsed = _parse(line.removeprefix(BYTE_ORDER_MARK))
    return not isinstance(parsed, str)


def _read_lines(stream: BinaryIO) -> Iterator[SkippedPage | DamagedLine]:
    number = 0
    while line := stream.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            _skip_rest(stream)
            yield _damaged(number, f"longer than {MAX_LINE_BYTES} bytes", line)
            continue
        if number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
        if not line.strip():
            continue
        parsed = _parse(line)
        if isinstance(parsed, str):
            # A process that is killed while it writes leaves the beginning of a line, which starts with a brace.
            is_cut = parsed in _OF_CUT_LINES and line.startswith(b"{") and not line.endswith(b"\n")
            yield _damaged(number, f"{parsed}: the last line is cut" if is_cut else parsed, line)
        elif parsed is not None:
            yield parsed


def _skip_rest(stream: BinaryIO) -> None:
    while (rest := stream.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
        pass


def _damaged(number: int, problem: str, line: bytes) -> DamagedLine:
    return DamagedLine(number, problem, printable_text(display_text(line[:_SHOWN_BYTES].rstrip(b"\r\n"))))


def _parse(line: bytes) -> SkippedPage | str | None:
    """Return the page of a line, None for a header, or what is wrong with the line."""
    try:
        fields = json.loads(line)
    except UnicodeDecodeError:
        return _NOT_UTF_8
    except RecursionError:
        return "nested too deeply"
    except ValueError:
        return _NOT_JSON
    if not isinstance(fields, dict):
        return "not a JSON object"
    form = fields.get("format")
    if form is not None and "url" not in fields:
        is_known = isinstance(form, str) and form.startswith(PAGES_FORMAT)
        return None if is_known else "a header of another format"
    url, reason = fields.get("url"), fields.get("reason")
    if not isinstance(url, str) or not url:
        return "no url"
    if not isinstance(reason, str) or not reason:
        # The lists of pages that Browsertrix writes next to the report have the same form without it.
        return "no reason"
    depth = fields.get("depth")
    return SkippedPage(
        url=url,
        reason=reason[:_MAX_NAME_CHARACTERS],
        at=_seconds(fields.get("ts")),
        seed_url=_text(fields.get("seedUrl")) or "",
        depth=depth if isinstance(depth, int) and not isinstance(depth, bool) and depth >= 0 else None,
        is_seed=fields.get("seed") is True,
        agent=(_text(fields.get("agent")) or "")[:_MAX_NAME_CHARACTERS] or None,
        explanation=_text(fields.get("explanation")),
        is_cut=fields.get("cut") is True,
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _seconds(value: Any) -> float | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
        if moment is None:
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
