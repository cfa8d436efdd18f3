"""`canfetch bulk filter`: the decision about each URL of a list, by the robots.txt files of archives."""

import os
from collections.abc import Callable, Iterator
from typing import Any, Final

import click

from canfetch.bulk.archives.archive_job import Collected, store_path
from canfetch.bulk.archives.filter_job import check_common_types, filter_urls
from canfetch.bulk.archives.filter_lists import FilterOptions, URLList, is_empty, open_list, table_header
from canfetch.bulk.archives.filter_parts import Counts
from canfetch.bulk.extras import import_pyarrow
from canfetch.bulk.reading.captures import Fault
from canfetch.bulk.reading.datasets import list_parts
from canfetch.bulk.reading.row_files import DamagedTable, unreadable_table
from canfetch.bulk.reading.sources import WEB_ARCHIVES, Source
from canfetch.bulk.reading.url_lists import FORMATS, list_format
from canfetch.cli.bulk.archive_run import SetAside, collect_captures, open_faults, unfinished
from canfetch.cli.bulk.options import (
    agent_parameters,
    find_sources,
    open_work_folder,
    output_format,
    plain_agents,
    pop_run_options,
    process_count,
    run_parameters,
    selected_agents,
)
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_OK, CommandError
from canfetch.cli.shared.progress import Progress, byte_progress
from canfetch.cli.shared.single_value_option import Choice, Option
from canfetch.consent.purposes import find_purpose
from canfetch.core.extensions.preference import UsagePurpose
from canfetch.core.quoting import quoted
from canfetch.core.text import counted
from canfetch.errors import InvalidOption

_MISSING: Final = {"null": None, "allow": True, "deny": False}


def _run(
    lists: tuple[str, ...],
    *,
    robots: tuple[str, ...],
    pages: tuple[str, ...],
    url_column: str,
    time_column: str | None,
    urls_format: str | None,
    missing: str,
    use: str | None,
    statements: bool,
    only_allowed: bool,
    **values: Any,
) -> int:
    if statements and use is None:
        raise CommandError("--statements requires --use")
    run = pop_run_options(values)
    agents = selected_agents(values)
    options = FilterOptions(
        agents,
        url_column,
        time_column,
        _MISSING[missing],
        only_allowed,
        run.policy,
        run.profile,
        _find_use(use),
        statements,
    )
    form = output_format(run)
    damaged: list[Fault] = []
    urls = [part for name in lists for part in _open(name, urls_format, options, damaged.append)]
    if not urls:
        raise CommandError(f"{quoted(damaged[0].source)} is {damaged[0].reason}")
    if urls_format is None:
        for part in urls:
            _warn_of_header(part, url_column)
    for other in urls[1:]:
        if other.columns != urls[0].columns:
            raise CommandError(f"{quoted(other.name)} has other columns than {quoted(urls[0].name)}")
    if form == "parquet":
        _check_types(urls)
    sources = find_sources(robots, run.input_format)
    page_sources = _find_pages(pages, options)
    names = [part.name for part in urls]
    inputs = [*names, "--robots", *(source.name for source in sources)]
    inputs += ["--pages", *(source.name for source in page_sources)] if page_sources else []
    settings = {
        "command": "filter",
        "options": {**options._asdict(), "agents": plain_agents(agents)},
        "formats": [run.input_format, urls_format],
    }
    with (
        open_work_folder(run, form, inputs, settings) as folder,
        unfinished(folder),
        open_faults(run) as aside,
    ):
        for fault in damaged:
            aside.add(fault)
        collected = collect_captures(sources, store_path(folder), aside, pages=page_sources)
        if options.use is not None and not page_sources:
            _note_pages(sources, collected)
        progress = byte_progress(sum(os.path.getsize(name) for name in names), enabled=True)  # noqa: PTH202 - as typed
        aside.progress = progress
        try:
            counts = filter_urls(
                folder,
                store_path(folder),
                urls,
                options,
                processes=process_count(run),
                advance=progress.advance,
                on_fault=aside.add,
                engine=run.engine,
            )
        finally:
            progress.close()
    noun = "URL" if len(agents) == 1 else "decision"
    summary = _summary(noun, counts, with_use=options.use is not None)
    _print_counts(summary, counts, aside, run.output)
    return EXIT_ERROR if collected.is_cut or aside.is_cut else EXIT_OK


def _find_use(name: str | None) -> UsagePurpose | None:
    """Return the purpose of `--use`.

    Raises: MissingExtra: pyarrow is not installed.
    """
    if name is None:
        return None
    import_pyarrow("for --use")
    try:
        return find_purpose(name)
    except InvalidOption as error:
        raise CommandError(f"invalid --use: {error}") from None


def _find_pages(names: tuple[str, ...], options: FilterOptions) -> list[Source]:
    """Return the archives of pages, which have the headers of responses."""
    if names and options.use is None:
        raise CommandError("--pages requires --use")
    sources = find_sources(names, None)
    for source in sources:
        if source.format not in WEB_ARCHIVES:
            raise CommandError(f"invalid --pages {quoted(source.name)}: expected a WARC or ARC file")
    return sources


def _note_pages(sources: list[Source], collected: Collected) -> None:
    """Print that an archive has pages, whose headers and HTML do not count."""
    crawls = {source.name for source in sources if source.format in WEB_ARCHIVES}
    for left_out in collected.left_out:
        if left_out.source in crawls and left_out.has_files:
            name = quoted(left_out.source)
            Progress().print_error(
                f"canfetch: {name} has {counted(left_out.records, 'response')} of other URLs, such as "
                f"{quoted(left_out.example)}: pass it as --pages as well if pages, tdmrep.json and licenses count"
            )


def _open(name: str, form: str | None, options: FilterOptions, on_fault: Callable[[Fault], None]) -> Iterator[URLList]:
    """Yield a list, or those in a folder of tables, without those that cannot be read at all."""
    try:
        if is_empty(name):
            fault = Fault(name, 0, "empty: expected URLs", is_end=True, lost=None)
            if list_format(name, form) != "parquet":
                raise CommandError(f"{quoted(name)} is {fault.reason}")
            # A Parquet file without a byte is damaged. The other lists are read.
            on_fault(fault)
            return
        for part in list_parts(name, form):
            try:
                urls = open_list(part, form, options)
            except DamagedTable as error:
                on_fault(unreadable_table(error).to_fault(part, 0))
            else:
                yield urls
    except InvalidOption as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"cannot read {quoted(name)}: {error.strerror or error}") from None


def _warn_of_header(urls: URLList, url_column: str) -> None:
    header = table_header(urls, url_column)
    if header is not None:
        Progress().print_error(
            f"canfetch: warning: {quoted(urls.name)} is read as text, but its first line {quoted(header)} is the "
            "header of a table: pass --urls-format csv"
        )


def _check_types(urls: list[URLList]) -> None:
    try:
        check_common_types(urls)
    except InvalidOption as error:
        raise CommandError(str(error)) from None


def _summary(noun: str, counts: Counts, *, with_use: bool) -> str:
    """Return the numbers of decisions, and why there are some without an answer."""
    numbers = [f"{counts.allowed - counts.not_stated:,} allowed"]
    if with_use:
        numbers.append(f"{counts.not_stated:,} not stated")
    numbers += [f"{counts.rows - counts.allowed - counts.unknown:,} disallowed", f"{counts.unknown:,} unknown"]
    reasons = ", ".join(f"{reason} {number:,}" for reason, number in counts.reasons.items())
    return f"{counted(counts.rows, noun)}: {', '.join(numbers)}{reasons and f': {reasons}'}"


def _print_counts(summary: str, counts: Counts, aside: SetAside, output: str) -> None:
    # A run without any answer is most likely a mistake.
    warning = "warning: " if counts.unknown == counts.rows else ""
    text = f"canfetch: {warning}{summary}; wrote {output}"
    if counts.without_time:
        text += f"; the last capture decides about {counted(counts.without_time, 'URL')} without a time"
    Progress().print_error(text + aside.summary())


command: Final = click.Command(
    "filter",
    params=[
        click.Argument(["lists"], nargs=-1, required=True, metavar="URLS...", type=click.Path()),
        Option(
            ["--robots"],
            metavar="INPUT",
            type=click.Path(),
            multiple=True,
            required=True,
            help="Archive of robots.txt files, as for 'canfetch bulk parse'. Can be repeated.",
        ),
        Option(
            ["--pages"],
            metavar="WARC",
            type=click.Path(),
            multiple=True,
            help="With --use, WARC or ARC file with pages, tdmrep.json files and RSL licenses, which count as well. It "
            "can be the same as that of --robots. Can be repeated.",
        ),
        *agent_parameters(),
        Option(["--url-column"], metavar="NAME", default="url", help="Column of the URLs."),
        Option(
            ["--time-column"],
            metavar="NAME",
            help="Column of the times of the URLs. The robots.txt in force at that time decides.  [default: the last]",
        ),
        Option(
            ["--urls-format"],
            type=Choice(FORMATS),
            help="Format of the lists.  [default: by the suffix: .parquet, .csv, .ndjson, .xml for a sitemap, or text]",
        ),
        Option(
            ["--missing"],
            type=Choice(tuple(_MISSING)),
            default="null",
            help="The answer for URLs without a known robots.txt. Their reason is no-robots or redirect-unresolved.",
        ),
        Option(
            ["--use"],
            metavar="NAME",
            help="Add what robots.txt and --pages state on this use of the content: training, search, ai-use.",
        ),
        Option(
            ["--statements"],
            is_flag=True,
            help="With --use, add the column use_others: the statements that were found and do not decide. Takes "
            "longer.",
        ),
        Option(
            ["--only-allowed"],
            is_flag=True,
            help="Write only the rows of URLs that are allowed, and with --use not refused.",
        ),
        *run_parameters(),
    ],
    callback=_run,
    short_help="Decide about each URL of a list.",
    help="""Add the columns allowed, reason, line and rule to lists of URLs.

    URLS is a Parquet, CSV or NDJSON table, a text file with one URL per line, or a sitemap. Each URL is decided by the
    robots.txt of its origin in the archives: redirects are followed within them, and the status counts as the access
    policy defines. With several agents, there is a row for each URL and agent, with a column agent.

    --use adds the column use (allow, disallow or unknown): what the rules, the control tokens of the agent's operator
    and the preferences in robots.txt state together. With --pages, the headers and the HTML of the page, tdmrep.json
    and RSL licenses count, too. The columns use_kind, use_source, use_place, use_line, use_text, use_token, use_group
    and use_time name the statement that decides, use_standard its standard, and use_rule how statements are combined.
    robots_time, robots_url, robots_truncated and robots_detail name the capture of robots.txt. use_read lists the
    sources that were read, use_unread those that could change the answer, and use_until is when it ends. --statements
    adds use_others: the statements that do not decide.""",
    epilog="""\b
Examples:
  canfetch bulk filter urls.txt --robots files.parquet --agent GPTBot -o decided.parquet
  canfetch bulk filter urls.txt --robots robots.warc.gz --agent CCBot --only-allowed -o allowed.csv
  canfetch bulk filter urls.txt --robots files.parquet --agent GPTBot --use training -o uses.csv
  canfetch bulk filter urls.txt --robots robots.warc.gz --pages robots.warc.gz --agent CCBot --use training -o all.csv
  canfetch bulk filter pages.csv --time-column fetched_at --robots history/ --agent GPTBot -o decided.csv

\b
Exit codes: 0 the output is complete, 2 an input ends within a record or
  damage, no record of an archive can be used, or an error occurred.""",
)
