"""`canfetch frontier export` and `import`: a crawl as JSON lines, between files and databases."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, Final

import click

from canfetch.cli.shared.command_errors import EXIT_OK, CommandError
from canfetch.cli.shared.input_files import STANDARD_INPUT, open_input
from canfetch.cli.shared.option_parameters import format_option
from canfetch.cli.shared.output_files import PendingFile
from canfetch.cli.shared.output_parameters import OutputFile, check_outputs
from canfetch.cli.shared.progress import Progress, byte_progress, stream_progress
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.terminal import is_terminal, printable
from canfetch.client.frontier.postgres_connection import is_database_url
from canfetch.client.frontier.postgres_queue import PostgresQueue
from canfetch.client.frontier.transfer import export_frontier, import_frontier
from canfetch.client.frontier.transfer_lines import MAX_LINE_BYTES, InvalidExport
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption, MissingExtra, StoreError

# The beginning of a connection string of libpq, which can contain a password.
_CONNECTION_STRING: Final = re.compile(r"\s*(host|hostaddr|port|dbname|user|password|passfile|service|sslmode)\s*=")
# The addresses of a URLFrontier service.
_SERVICE: Final = re.compile(r"(urlfrontier://)?[\w.-]+:\d+(,.*)?")


def crawl_argument() -> click.Argument:
    """Return the argument for the file or database of a crawl."""
    return click.Argument(["file"], metavar="FILE|postgresql://...")


def crawl_option() -> Option:
    """Return `--crawl`."""
    return Option(["--crawl"], metavar="NAME", help="The crawl, if a database is given.")


def check_crawl(name: str, crawl: str | None) -> None:
    """Check that `--crawl` is passed for a database, and only then.

    Raises: CommandError. Also for a connection string or a service, which would be read as the name of a file.
    """
    if _SERVICE.fullmatch(name) and not Path(name).exists():
        raise CommandError(
            f"invalid file {quoted(name)}: the crawls of a URLFrontier service cannot be read or written; begin the "
            "name of a file such as 'x:1' with ./"
        )
    if _CONNECTION_STRING.match(name):
        raise CommandError(
            "invalid database: expected a URL such as postgresql://user@host:5432/database, not a connection string; "
            "begin the name of a file such as 'host=x' with ./"
        )
    is_database = is_database_url(name)
    if is_database != (crawl is not None):
        problem = "a database can have many crawls: name one with --crawl" if is_database else "a file has one crawl"
        raise CommandError(f"invalid --crawl: {problem}")


def open_crawl(name: str, crawl: str | None) -> str | PostgresQueue:
    """Return the file or the database of a crawl.

    Raises: CommandError.
    """
    check_crawl(name, crawl)
    if crawl is None:
        return name
    try:
        return PostgresQueue(name, crawl=crawl, outage_seconds=5.0)
    except (InvalidOption, MissingExtra) as error:
        raise CommandError(str(error)) from None


def _export(file: str, crawl: str | None, output: str | None, force: bool) -> int:  # noqa: FBT001 - of click
    check_outputs()
    lines = export_frontier(open_crawl(file, crawl))
    try:
        if output is None:
            # A bar and lines on one terminal would mix.
            _write(lines, sys.stdout.write, byte_progress(None, enabled=not is_terminal(sys.stdout)))
        else:
            label = f"--output {quoted(output)}"
            with PendingFile(output, label, force=force, is_private=True) as pending:
                _write(lines, lambda line: pending.write(line.encode()), byte_progress(None, enabled=True))
                pending.commit()
    except StoreError as error:
        raise CommandError(str(error)) from None
    return EXIT_OK


def _write(lines: Iterator[str], write: Callable[[str], object], progress: Progress) -> None:
    with closing(progress):
        for line in lines:
            write(line)
            progress.advance(len(line))


def _import(source: str, file: str, crawl: str | None, format: str) -> int:  # noqa: A002 - click's name
    target = open_crawl(file, crawl)
    stream = open_input(source)
    progress = stream_progress(stream, enabled=True)
    try:
        counts = import_frontier(_read_lines(stream, source, progress), target)
    except InvalidExport as error:
        name = "standard input" if source == STANDARD_INPUT else source
        raise CommandError(f"{name}: {error}") from None
    except StoreError as error:
        raise CommandError(str(error)) from None
    finally:
        progress.close()
        if source != STANDARD_INPUT:
            stream.close()
    if format == "json":
        sys.stdout.write(json.dumps(counts._asdict(), indent=2) + "\n")
    else:
        # The name of a database can contain a password.
        name = file if isinstance(target, str) else f"the crawl {target.crawl}"
        parts = "  ".join(f"{key.replace('_', ' ')} {number}" for key, number in counts._asdict().items())
        sys.stdout.write(f"{printable(name)}: imported\n{parts}\n")
    return EXIT_OK


def _read_lines(stream: BinaryIO, name: str, progress: Progress) -> Iterator[bytes]:
    while True:
        try:
            # One byte more than is accepted.
            line = stream.readline(MAX_LINE_BYTES + 1)
        except OSError as error:
            raise CommandError(f"cannot read {quoted(name)}: {error.strerror or error}") from None
        if not line:
            return
        progress.advance(len(line))
        yield line


EXPORT: Final = click.Command(
    "export",
    params=[
        crawl_argument(),
        crawl_option(),
        Option(
            ["-o", "--output"],
            metavar="FILE",
            type=OutputFile(),
            help="File to write instead of standard output. It appears when it is complete, and only you can read it.",
        ),
        Option(["--force"], is_flag=True, help="Replace an existing file of --output."),
    ],
    callback=_export,
    short_help="Write a crawl as JSON lines, to move it.",
    help="""Write a stopped crawl as JSON lines, which `canfetch frontier import` reads: all URLs that wait or failed,
    with attempts and times, the delays of origins, and which URLs are known already.

    The crawl may have been killed. A crawl that a process uses cannot be exported, and an export that was cut off
    cannot be imported. An export to a file that is killed leaves a file `.canfetch-...` in the same folder: delete
    it.""",
    epilog="""\b
Examples:
  canfetch frontier export crawl.sqlite3 > crawl.jsonl
  canfetch frontier export crawl.sqlite3 --output moved.jsonl
  canfetch frontier export postgresql://crawler@db/crawls --crawl news > crawl.jsonl

\b
Exit codes: 0 success, 2 the crawl cannot be read, is in use, or is not a frontier.""",
)
IMPORT: Final = click.Command(
    "import",
    params=[
        click.Argument(["source"], metavar="EXPORT_FILE|-"),
        crawl_argument(),
        crawl_option(),
        format_option(("text", "json")),
    ],
    callback=_import,
    short_help="Read the JSON lines of a crawl into a file or database.",
    help="""Read the JSON lines of `canfetch frontier export` into a new file, or into a crawl of a database that has no
    URLs. After an error, nothing is imported.

    Then run the crawler with the new file or database, and no longer with the old one.""",
    epilog="""\b
Examples:
  canfetch frontier import exported.jsonl moved.sqlite3
  canfetch frontier export crawl.sqlite3 | canfetch frontier import - copy.sqlite3
  canfetch frontier import exported.jsonl postgresql://crawler@db/crawls --crawl news

\b
Exit codes: 0 success, 2 a line is invalid, the crawl is not empty or in use, or cannot be written.""",
)
