"""The local files and headers that the commands on pages read in place of a server."""

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

import click

from canfetch.answers.pages import is_status_line, parse_header, parse_status
from canfetch.cli.shared.input_files import (
    check_standard_input,
    read_input,
    read_robots,
    warn_about_content,
    warn_about_html,
)
from canfetch.cli.shared.network_options import reject_network_options
from canfetch.cli.shared.progress import Progress
from canfetch.cli.shared.single_value_option import Option
from canfetch.consent.sources import PageResponse
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.quoting import quoted
from canfetch.pages.tdm import MAX_TDM_BYTES

_OK: Final = 200


class SourceOptions(Protocol):
    """The values of `source_parameters` and `--profile`."""

    @property
    def html(self) -> str | None:
        """The value of --html."""

    @property
    def response_headers(self) -> tuple[str, ...]:
        """The values of --response-header."""

    @property
    def robots(self) -> str | None:
        """The value of --robots."""

    @property
    def tdm_file(self) -> str | None:
        """The value of --tdm-file."""

    @property
    def profile(self) -> str:
        """The value of --profile."""


def source_parameters(*, with_files: str) -> Iterator[click.Option]:
    """Yield the options for local files and headers.

    Args: with_files: The end of the help of --robots and --tdm-file.
    """
    path = click.Path(allow_dash=True)
    yield Option(
        ["--html"],
        metavar="FILE",
        type=path,
        help="HTML of the page; - reads standard input. Nothing is fetched.",
    )
    yield Option(
        ["--response-header", "response_headers"],
        metavar="'NAME: VALUE'",
        multiple=True,
        help="Header of the response, or its status line, such as 'HTTP/1.1 402'. Nothing is fetched. Can be repeated.",
    )
    yield Option(["--robots"], metavar="FILE", type=path, help=f"robots.txt of the site{with_files}")
    yield Option(["--tdm-file"], metavar="FILE", type=path, help=f"tdmrep.json of the site{with_files}")


class LocalSources:
    """The files and headers in the options. Nothing is fetched.

    Args:
        options: The values of the options.
        max_bytes: The number of bytes of HTML to read.
        other_files: Further options with files, and their values: only one of all can be standard input.

    Attributes:
        html: The HTML of the page, or None.
        headers: The headers of the response.
        response: The response if there is a part of it, or None.
        robots: The robots.txt, or None.
        tdm_file: The tdmrep.json, or None.
    Raises: CommandError: A file cannot be read, or an option is about the network; InvalidOption: A header is invalid.
    """

    def __init__(
        self, options: SourceOptions, *, max_bytes: int, other_files: Sequence[tuple[str, str | None]] = ()
    ) -> None:
        files = [("--html", options.html), ("--robots", options.robots), ("--tdm-file", options.tdm_file), *other_files]
        named = (f"{option} FILE" for option, value in files if value is not None)
        reject_network_options(next(named, "--response-header"))
        check_standard_input(files)
        self.html: bytes | None = None
        if options.html is not None:
            self.html = read_input(options.html, "--html", max_bytes=max_bytes + 1)
            warn_about_html(self.html, options.html, "--html", warn=Progress().print_error)
        self.headers: list[tuple[str, str]] = []
        status: int | None = None
        for line in options.response_headers:
            if is_status_line(line):
                if status is not None:
                    # The head before was that of a redirect.
                    self.headers.clear()
                status = parse_status(line) or _OK
            else:
                self.headers.append(parse_header(line, f"--response-header {quoted(line)}"))
        self.response: PageResponse | None = None
        if self.html is not None or options.response_headers:
            self.response = PageResponse(status or _OK, self.headers or None, self.html)
        self.tdm_file: bytes | None = None
        if options.tdm_file is not None:
            self.tdm_file = read_input(options.tdm_file, "--tdm-file", max_bytes=MAX_TDM_BYTES + 1)
        self.robots: RobotsTxt | None = None
        if options.robots is not None:
            self.robots = parse(read_robots(options.robots), profile=options.profile)
            warn_about_content(self.robots.render(), options.robots, warn=Progress().print_error)
