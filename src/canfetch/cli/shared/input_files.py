"""Files and standard input: the robots.txt, the URLs, the agents."""

import os
import sys
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

from canfetch.cli.decisions.options import STANDARD_INPUT, Question
from canfetch.cli.shared.problems import Problem
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.limits import DEFAULT_MAX_BYTES, MAX_BYTES_LIMIT
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidRobotsURL

# A URL longer than any server takes; a file without line ends must not fill the memory.
_LINE_OCTETS_LIMIT: Final = 1 << 20
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_UTF_16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


class ListedLine(NamedTuple):
    """A line of a list that is not blank: its text, where it stands, and the octets that it took."""

    text: str
    place: str
    octets: int
    too_long: bool


def check_standard_input(question: Question) -> None:
    """Refuse standard input for two things at once.

    Raises: Problem.
    """
    named = {
        "--robots": question.robots,
        "--urls-file": question.urls_file,
        "--agents-file": question.agents_file,
        "--agents-registry": question.agents_registry,
    }
    users = [f"{option} -" for option, name in named.items() if name == STANDARD_INPUT]
    if len(users) > 1:
        raise Problem(f"{' and '.join(users)}: standard input can be read once: give one of them as a file")


def check_limit(question: Question) -> None:
    """Refuse a limit that no reading has, before anything is read.

    Raises: Problem.
    """
    limit = question.max_bytes
    if limit < DEFAULT_MAX_BYTES:
        least = f"{DEFAULT_MAX_BYTES} or more (RFC 9309 section 2.5)"
        raise Problem(f"--max-bytes {limit} is too few: give {least}")
    if limit > MAX_BYTES_LIMIT:
        raise Problem(f"--max-bytes {limit} is too many: give {MAX_BYTES_LIMIT} or less (512 MiB)")


def open_input(name: str, option: str) -> BinaryIO:
    """Open a file, or standard input for `-`.

    Raises: Problem: it is not there, is a directory, or cannot be read.
    """
    if name == STANDARD_INPUT:
        if sys.stdin is None:
            raise Problem(f"{option} -: standard input is closed: give a file")
        return sys.stdin.buffer
    try:
        # pathlib would import urllib.parse, 5 ms of a start; Windows says of a directory that permission is denied.
        if os.path.isdir(name):  # noqa: PTH112
            raise Problem(f"{option} {quoted(name)} is a directory: give a file in it")
        return open(name, "rb")  # noqa: PTH123 - `close_input` closes it
    except FileNotFoundError:
        raise Problem(f"{option} {quoted(name)}: no such file: check the path, or give - for standard input") from None
    except PermissionError:
        raise Problem(f"{option} {quoted(name)} cannot be read: check its permissions") from None
    except (OSError, ValueError) as error:
        raise Problem(f"{option} {quoted(name)} cannot be opened: {_what(error)}: give another file") from None


def close_input(stream: BinaryIO) -> None:
    """Close a file; standard input is not ours to close."""
    if sys.stdin is None or stream is not sys.stdin.buffer:
        stream.close()


def read_robots(name: str, question: Question) -> RobotsTxt:
    """Read and parse the robots.txt of that name.

    Raises: Problem: it cannot be read, or an option does not fit.
    Cost: O(octets up to the limit); what is past it is not read into memory.
    """
    stream = open_input(name, "--robots")
    try:
        # UTF-16 takes two octets where UTF-8 takes one, and the cut needs the octet behind the limit.
        octets = stream.read(2 * question.max_bytes + 4)
    except OSError as error:
        raise Problem(f"--robots {quoted(name)} cannot be read: {_what(error)}: give another file") from None
    finally:
        close_input(stream)
    try:
        return parse(
            octets,
            url=question.robots_url,
            profile=question.profile,
            max_bytes=question.max_bytes,
            engine=question.engine,
        )
    except InvalidRobotsURL as error:
        raise Problem(f"--robots-url: {error}") from None


def listed_lines(stream: BinaryIO, name: str) -> Iterator[ListedLine]:
    """Yield the lines of a list, without white space around them and without blank ones.

    Raises: Problem: it is UTF-16, or cannot be read further.
    Cost: O(octets); one line is in memory, and no more than 1 MiB of it.
    """
    where = "standard input" if name == STANDARD_INPUT else name
    number = 0
    while True:
        number += 1
        try:
            line = stream.readline(_LINE_OCTETS_LIMIT + 1)
            octets = len(line)
            too_long = octets > _LINE_OCTETS_LIMIT and line[-1:] != b"\n"
            part = line
            while too_long and part and part[-1:] != b"\n":
                part = stream.readline(_LINE_OCTETS_LIMIT)
                octets += len(part)
        except OSError as error:
            raise Problem(f"{where} cannot be read further: {_what(error)}: give another file") from None
        if not line:
            return
        if number == 1:
            if line.startswith(_UTF_16_MARKS):
                raise Problem(f"{where} is UTF-16: save it as UTF-8")
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if too_long:
            # Enough to tell which it is.
            line = line[:1024]
        text = line.strip().decode("utf-8", "surrogateescape")
        if text:
            yield ListedLine(text, f"{where}:{number}: ", octets, too_long)


def _what(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
