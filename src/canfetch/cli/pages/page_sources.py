"""Sources of a page: local files and headers, or the server of the page."""

from typing import Protocol

from canfetch.answers.pages import PageView, parse_header
from canfetch.cli.pages.options import PageOptions
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.input_files import check_standard_input, read_input, read_robots, warn_about_content
from canfetch.cli.shared.network_options import reject_network_options
from canfetch.cli.shared.progress import Progress
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.quoting import quoted
from canfetch.pages.page_rules import parse_page
from canfetch.pages.tdm import MAX_TDM_BYTES


class PageSource(Protocol):
    """Provides the page for each agent."""

    @property
    def robots(self) -> RobotsTxt | None:
        """The local robots.txt, if there is one."""

    def view(self, agent: Agent) -> PageView:
        """Return the page as `agent` sees it."""

    def close(self) -> None:
        """Release connections and the store."""


def open_page_source(options: PageOptions) -> PageSource:
    """Return the source that the options select.

    Raises: CommandError: A file cannot be read, or the options contradict each other.
    """
    if options.html is not None or options.response_headers:
        reject_network_options("--html FILE" if options.html is not None else "--response-header")
        return _LocalPage(options)
    if options.url is None:
        raise CommandError("no page: pass its URL, --html FILE, or --response-header 'X-Robots-Tag: ...'")
    if options.network.offline:
        raise CommandError("--offline requires --html FILE or --response-header: pages are not cached")
    for option, value in (("--robots", options.robots), ("--tdm-file", options.tdm_file)):
        if value is not None:
            raise CommandError(f"{option} requires --html FILE or --response-header: otherwise, the file is fetched")
    # Importing the client takes time that a run with local files does not have to spend.
    from canfetch.cli.pages.fetched_page import FetchedPage  # noqa: PLC0415

    return FetchedPage(options, options.url)


class _LocalPage:
    """A page from `--html` and `--response-header`, the same for every agent."""

    def __init__(self, options: PageOptions) -> None:
        if options.url is None:
            for option, value in (("--robots", options.robots), ("--tdm-file", options.tdm_file)):
                if value is not None:
                    raise CommandError(f"{option} requires the URL of the page")
        check_standard_input([("--html", options.html), ("--robots", options.robots), ("--tdm-file", options.tdm_file)])
        self._url = options.url
        html = None if options.html is None else read_input(options.html, "--html", max_bytes=options.max_bytes + 1)
        tdm_file = None
        if options.tdm_file is not None:
            tdm_file = read_input(options.tdm_file, "--tdm-file", max_bytes=MAX_TDM_BYTES + 1)
        self._rules = parse_page(
            html,
            headers=[parse_header(line, f"--response-header {quoted(line)}") for line in options.response_headers],
            url=options.url,
            tdm_file=tdm_file,
            max_bytes=options.max_bytes,
        )
        self.robots: RobotsTxt | None = None
        if options.robots is not None:
            self.robots = parse(read_robots(options.robots), profile=options.profile)
            warn_about_content(self.robots.render(), options.robots, warn=Progress().print_error)

    def view(self, agent: Agent) -> PageView:
        robots = None
        if self.robots is not None and self._url is not None:
            robots = self.robots.decide(self._url, agent=agent)
        return PageView(self._rules, robots, None)

    def close(self) -> None:
        """Do nothing: the page is in memory."""
