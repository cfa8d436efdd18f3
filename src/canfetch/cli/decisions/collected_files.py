"""Many local robots.txt files, one for each origin: `--robots-dir` and `--robots-map`.

A file belongs to one origin, such as `https://example.com:8443`, or to a host with an optional port, such as
`example.com` or `example.com:8443`. A host means both its http and its https origin, unless these have own files.
"""

import csv
import io
import json
import os
import re
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from canfetch.cli.decisions.local_file import LocalFile, read_local_file
from canfetch.cli.decisions.options import DecisionOptions
from canfetch.cli.decisions.robots_files import URLsWithFiles
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.input_files import STANDARD_INPUT, read_whole_input, reading_problem
from canfetch.cli.shared.requested_urls import RequestedURL
from canfetch.core.agent import Agent
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError, InvalidURL

_SUFFIX: Final = ".txt"
_PORT_SUFFIX: Final = re.compile(r"_(\d{1,5})\Z")
_HOST_SCHEMES: Final = ("http", "https")
# The content of parsed files in memory.
_MAX_PARSED_BYTES: Final = 64 << 20
_MAX_MAP_BYTES: Final = 1 << 30
_COLUMNS: Final = ("origin", "file")


class CollectedFile(NamedTuple):
    """The name of a file and of what it belongs to, and where that is written, for messages."""

    owner: str
    file: str
    location: str


class CollectedFiles:
    """Files by origin. Each is read when the first URL needs it; the least recently used ones are read again.

    Args:
        label: The option and its value, for messages.
        files: All files.
        options: How to parse them.
        agents: The agents to decide for.
        warn: Writes a line to standard error.
    Raises: CommandError: An owner is invalid or has two files.
    Cost: O(files); the content of at most 64 MiB of them is in memory.
    """

    def __init__(
        self,
        label: str,
        files: Iterable[CollectedFile],
        options: DecisionOptions,
        agents: list[Agent],
        *,
        warn: Callable[[str], None],
    ) -> None:
        self._label = label
        self._options = options
        self._agents = agents
        self._warn = warn
        self._paths = _paths_by_origin(files)
        self._parsed: OrderedDict[Origin, LocalFile] = OrderedDict()
        self._parsed_bytes = 0

    @property
    def only_file(self) -> None:
        """None: there may be several files."""

    def assign(self, urls: Generator[RequestedURL]) -> URLsWithFiles:
        """Yield the URLs in order, each with its file or with the error."""
        with closing(urls):
            for url in urls:
                try:
                    yield url, self._file(url)
                except (CanfetchError, CommandError) as error:
                    yield url, error

    def close(self) -> None:
        """Do nothing: no file is open."""

    def _file(self, url: RequestedURL) -> LocalFile:
        if url.error:
            raise CommandError(url.error)
        if url.url.startswith("/"):
            raise InvalidURL(f"invalid URL {quoted(url.url)}: expected an absolute URL, to find its file")
        origin = Origin.from_url(url.url)
        file = self._parsed.get(origin)
        if file is not None:
            self._parsed.move_to_end(origin)
            return file
        path = self._paths.get(origin)
        if path is None:
            raise CommandError(f"no file for {origin} in {self._label}")
        file = read_local_file(path, "", self._options, self._agents, url=origin.robots_url, warn=self._warn)
        self._parsed[origin] = file
        self._parsed_bytes += file.size
        while self._parsed_bytes > _MAX_PARSED_BYTES and len(self._parsed) > 1:
            self._parsed_bytes -= self._parsed.popitem(last=False)[1].size
        return file


def list_directory(name: str) -> Iterator[CollectedFile]:
    """Yield the files of a directory. Hidden files and subdirectories are skipped.

    The name of a file, without `.txt` and after percent-decoding, is its origin or its host. After a host, `_8443` is
    the port 8443.

    Raises: CommandError: The directory cannot be read, or contains no file.
    """
    try:
        with os.scandir(name) as entries:
            files = sorted(entry.name for entry in entries if entry.is_file() and not entry.name.startswith("."))
    except OSError as error:
        raise CommandError(
            f"cannot read --robots-dir {quoted(name)}: {reading_problem(name, error, 'directory')}"
        ) from None
    if not files:
        raise CommandError(f"--robots-dir {quoted(name)} contains no files: expected files such as example.com.txt")
    for file in files:
        owner = unquote(file.removesuffix(_SUFFIX))
        if "://" not in owner:
            owner = _PORT_SUFFIX.sub(r":\1", owner)
        # pathlib would be slower for thousands of files.
        path = os.path.join(name, file)  # noqa: PTH118
        yield CollectedFile(owner, path, f"--robots-dir: {quoted(path)}: ")


def read_map(name: str) -> Iterator[CollectedFile]:
    """Yield the rows of a CSV, TSV or JSON Lines file with `origin` and `file`. Other columns are ignored.

    The names of files are relative to the folder of the list.

    Raises: CommandError: The list cannot be read, a column is missing, or a row is invalid.
    """
    content = read_whole_input(name, "--robots-map", max_bytes=_MAX_MAP_BYTES)
    source = "standard input" if name == STANDARD_INPUT else name
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CommandError(f"cannot read --robots-map {quoted(name)}: expected UTF-8") from None
    rows = _json_rows(text, source) if text.lstrip().startswith("{") else _table_rows(text, source)
    folder = "" if name == STANDARD_INPUT else os.path.dirname(name)  # noqa: PTH120 - see `list_directory`
    for number, row in rows:
        location = f"{source}:{number}: "
        owner, file = (_cell(row, column, location) for column in _COLUMNS)
        yield CollectedFile(owner, os.path.join(folder, file), location)  # noqa: PTH118 - see `list_directory`


def _json_rows(text: str, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise CommandError(f"{source}:{number}: expected a JSON object with 'origin' and 'file'")
        yield number, row


def _table_rows(text: str, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    header = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if "\t" in header else ",", strict=True)
    try:
        missing = [column for column in _COLUMNS if column not in (reader.fieldnames or ())]
        if missing:
            raise CommandError(
                f"{source}:1: no column {quoted(missing[0])}: expected a header with 'origin' and 'file'"
            )
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise CommandError(f"{source}: invalid CSV: {error}") from None


def _cell(row: dict[str, Any], column: str, location: str) -> str:
    value = row.get(column)
    if not isinstance(value, str) or not value.strip():
        raise CommandError(f"{location}expected text in column {quoted(column)}")
    return value.strip()


def _paths_by_origin(files: Iterable[CollectedFile]) -> dict[Origin, str]:
    exact: dict[Origin, str] = {}
    by_host: dict[Origin, str] = {}
    for file in files:
        is_origin = "://" in file.owner
        urls = [file.owner] if is_origin else [f"{scheme}://{file.owner}" for scheme in _HOST_SCHEMES]
        paths = exact if is_origin else by_host
        for url in urls:
            origin = _parse_owner(url, file)
            if origin in paths:
                raise CommandError(f"{file.location}{file.owner} has two files: {quoted(paths[origin])} is another")
            paths[origin] = file.file
    return by_host | exact


def _parse_owner(url: str, file: CollectedFile) -> Origin:
    expected = (
        f"{file.location}invalid origin {quoted(file.owner)}: expected one such as https://example.com or example.com"
    )
    try:
        origin = Origin.from_url(url)
    except InvalidURL:
        raise CommandError(expected) from None
    rest = url.partition("://")[2].partition("/")
    if rest[2] or "?" in rest[0] or "#" in rest[0] or "@" in rest[0]:
        raise CommandError(expected)
    return origin
