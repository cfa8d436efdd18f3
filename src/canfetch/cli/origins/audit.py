"""`canfetch audit`: what sites state, serve and do."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import datetime
from functools import partial
from math import ceil, isfinite
from typing import Any, BinaryIO, Final, NamedTuple

import click

from canfetch.agents.requested import requested_agent
from canfetch.audit.crawls import BROWSERTRIX, CrawlRecords
from canfetch.audit.edge import edge_crawlers
from canfetch.audit.html_report import html_page
from canfetch.audit.intended import check_environment
from canfetch.audit.procedure import (
    DEFAULT_DELAY,
    DEFAULT_MAX_SITEMAPS,
    DEFAULT_SAMPLE,
    AuditPlan,
    audit,
    web_origin,
)
from canfetch.audit.report import ReportJson
from canfetch.audit.text_report import (
    by_severity,
    error_text,
    main_finding,
    place,
    rules_summary,
    severity_counts,
    summary,
    text_lines,
    time_text,
)
from canfetch.author import SitePolicy
from canfetch.author.policy_file import is_policy_content
from canfetch.cli.origins.audit_markdown import markdown_lines
from canfetch.cli.origins.audit_portfolio import Portfolio, WorkFolder
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.input_files import (
    check_standard_input,
    close_input,
    open_input,
    read_list,
    read_robots,
    warn_about_content,
)
from canfetch.cli.shared.log_options import (
    history_folder_option,
    identity_options,
    log_form_options,
    open_history_folder,
    open_verification,
    parse_log_fields,
    signature_options,
)
from canfetch.cli.shared.network_options import NetworkOptions, connection_parameters, pop_connection_options
from canfetch.cli.shared.option_parameters import complete_crawler, format_option, input_file_option
from canfetch.cli.shared.origin_arguments import to_origin_url
from canfetch.cli.shared.origin_lookup import OriginLookup
from canfetch.cli.shared.output_files import create_file
from canfetch.cli.shared.output_parameters import OutputFile, check_outputs
from canfetch.cli.shared.policy_files import check_environments, read_policy
from canfetch.cli.shared.progress import Progress, item_progress
from canfetch.cli.shared.single_value_option import Choice, Option
from canfetch.cli.shared.terminal import is_terminal, print_message, printable, shorten_message
from canfetch.client.sync_client import Client
from canfetch.core.origin import Origin
from canfetch.core.quoting import quoted
from canfetch.core.text import abbreviated, counted
from canfetch.core.urls import split_url, url_bytes
from canfetch.errors import InvalidOption, InvalidProductToken, InvalidURL
from canfetch.lint.formats.github import github_command
from canfetch.lint.severity import Severity, parse_severity
from canfetch.logs.formats import create_format

_ALL: Final = "all"
_POLICY_SUFFIX: Final = ".toml"
_MAX_PARALLEL: Final = 64
_DEFAULT_PARALLEL: Final = 8
_GITHUB: Final = {"error": "error", "warning": "warning", "info": "notice"}
_MAX_ANNOTATIONS: Final = 50
_MAX_DELAY: Final = 60
_MAX_REQUESTS: Final = 10_000_000
# Origins that a message names.
_MAX_SHOWN: Final = 5


class _Options(NamedTuple):
    origins: tuple[str, ...]
    origins_file: str | None
    source: str | None
    environment: str | None
    sample: int | None
    max_sitemaps: int
    hosts: tuple[str, ...]
    edge: tuple[str, ...]
    delay: float
    max_requests: int | None
    parallel: int
    work: str | None
    fail_on: str
    format: str
    output: str | None
    force: bool
    logs: tuple[str, ...]
    skip_reports: tuple[str, ...]
    history: str | None
    log_format: str | None
    fields: tuple[str, ...]
    addresses: str | None
    verify_dns: bool
    verify_signatures: bool
    reject_replays: bool
    skip_agent: str


class _Sample(click.ParamType):  # type: ignore[type-arg]  # generic only since click 8.4
    """A number of pages, or `all`, which is converted to -1."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number, or fail."""
        if isinstance(value, int):
            return value
        if value == _ALL:
            return -1
        if not str(value).isascii() or not str(value).isdigit():
            self.fail(f"{value!r} is not a number of pages or 'all'", param, ctx)
        digits = value.lstrip("0") or "0"
        # Python converts no number with thousands of digits.
        if len(digits) > len(str(_MAX_REQUESTS)) or int(digits) > _MAX_REQUESTS:
            self.fail(f"{shorten_message(digits)} is over {_MAX_REQUESTS} pages", param, ctx)
        return int(digits)


def _run(**values: Any) -> int:
    network = pop_connection_options({**values, "parallel": 1})
    own = {name: value for name, value in values.items() if name in _Options._fields}
    own["sample"] = None if own["sample"] < 0 else own["sample"]
    return _audit(_Options(**own), network)


def _audit(options: _Options, network: NetworkOptions) -> int:
    # A mistake is reported before the first request.
    check_standard_input(
        [
            ("--origins", options.origins_file),
            ("--source", options.source),
            *(("--log", name) for name in options.logs),
            *(("--skip-report", name) for name in options.skip_reports),
        ]
    )
    check_outputs()
    _check_options(options)
    urls = list(_site_urls(options))
    origins = list(dict.fromkeys(str(Origin.from_url(url)) for url in urls))
    _check_record_options(options, len(origins))
    with ExitStack() as inputs, closing(OriginLookup(network, warn=Progress().print_error, agent=None)) as lookup:
        records = _open_records(options, inputs, profile=lookup.client.options.profile.name)
        source = _read_source(options)
        plan = AuditPlan(
            sample=options.sample,
            edge=options.edge,
            hosts=tuple(str(Origin.from_url(_site_url(host, "--host: "))) for host in options.hosts),
            max_sitemaps=options.max_sitemaps,
            delay=options.delay,
            limit=options.max_requests,
            environment=options.environment,
        )
        # The delay changes no report.
        settings = {
            "source": repr(source),
            "plan": repr(replace(plan, delay=DEFAULT_DELAY)),
            "user_agent": network.user_agent,
        }
        work = None if options.work is None else WorkFolder(options.work, settings)
        finished = {} if work is None else work.read(origins)
        _print_start(urls, len(origins), plan, options.work, finished)
        progress = item_progress(len(origins), enabled=options.output is not None or not is_terminal(sys.stdout))
        run = partial(_audit_one, lookup.client, source, plan, records, progress=progress)
        portfolio = Portfolio(run, origins, options.parallel, work, finished)
        with closing(progress), closing(portfolio):
            try:
                return _write(portfolio.reports(progress.advance), len(origins), options)
            except KeyboardInterrupt:
                _print_interrupted(origins, work, options.work)
                raise


def _check_options(options: _Options) -> None:
    if options.force and options.output is None:
        raise CommandError("--force requires --output FILE")
    if options.work == "":
        raise CommandError("invalid --work '': expected the name of a folder")
    if not isfinite(options.delay):
        # FloatRange accepts NaN, because every comparison with it is false.
        raise CommandError(f"invalid --delay {options.delay}: expected 0 to {_MAX_DELAY} seconds")
    try:
        edge_crawlers(options.edge)
    except InvalidOption as error:
        raise CommandError(f"--edge: {error}") from None


def _print_start(
    urls: list[str], number: int, plan: AuditPlan, work: str | None, finished: Mapping[str, ReportJson]
) -> None:
    """Print what is ignored, which reports are used, and the largest number of requests."""
    with_more = [str(Origin.from_url(url)) for url in urls if _has_more(url)]
    if with_more:
        names = abbreviated(list(dict.fromkeys(with_more)), _MAX_SHOWN)
        print_message(f"canfetch: the whole site is audited, without the path or the credentials of the URL: {names}")
    if finished:
        oldest = time_text(min((report["checked_at"] for report in finished.values()), key=datetime.fromisoformat))
        reports = counted(len(finished), "report")
        print_message(f"canfetch: {reports} of --work {quoted(work)} used, the oldest of {oldest}")
    print_message(
        f"canfetch: {counted(number, 'site')}, at most {counted(plan.max_requests, 'request')} each, "
        f"{plan.delay:g} s apart or as robots.txt states"
    )


def _print_interrupted(origins: list[str], work: WorkFolder | None, name: str | None) -> None:
    """Print what is kept of an interrupted run, and how to continue."""
    kept = "no report was kept: with --work FOLDER, the same command continues"
    if work is not None:
        number, total = work.number_of_reports(origins), counted(len(origins), "report")
        kept = f"{number:,} of {total} kept in --work {quoted(name)}, where the same command continues"
    Progress().print_error(f"canfetch: interrupted; {kept}")


def _has_more(url: str) -> bool:
    """Return whether a URL has more than an origin: credentials, a path or a query."""
    encoded = url_bytes(url)
    split = split_url(encoded)
    return split is not None and (b"@" in split.authority or encoded[split.rest_start :] not in {b"", b"/"})


def _audit_one(
    client: Client,
    source: bytes | SitePolicy | None,
    plan: AuditPlan,
    records: CrawlRecords,
    origin: str,
    *,
    progress: Progress,
) -> ReportJson:
    def print_wait(pages: int, seconds: float) -> None:
        minutes = ceil(pages * seconds / 60)
        if seconds > plan.delay and minutes > 1:
            progress.print_error(
                f"canfetch: {origin} asks for {seconds:g} s between requests: "
                f"{counted(pages, 'listed page')} take about {counted(minutes, 'minute')} "
                "(--sample NUMBER requests fewer)"
            )

    return audit(client, origin, source=source, plan=plan, records=records, on_sample=print_wait).to_json()


def _check_record_options(options: _Options, number: int) -> None:
    """Check the options of logs and skip reports, which are those of a single site.

    Raises: CommandError.
    """
    if options.logs or options.skip_reports:
        if number > 1:
            raise CommandError("--log and --skip-report require a single site")
        if options.work is not None:
            raise CommandError("--log and --skip-report cannot be used with --work")
    for_logs = {
        "--history": options.history,
        "--log-format": options.log_format,
        "--field": options.fields,
        "--addresses": options.addresses,
        "--verify-dns": options.verify_dns,
        "--verify-signatures": options.verify_signatures,
        "--reject-replays": options.reject_replays,
    }
    unused = next((name for name, value in for_logs.items() if value), None)
    if unused is not None and not options.logs:
        raise CommandError(f"{unused} requires --log FILE")
    try:
        requested_agent(options.skip_agent)
    except InvalidProductToken as error:
        raise CommandError(f"--skip-agent: {error}") from None


def _open_records(options: _Options, inputs: ExitStack, *, profile: str) -> CrawlRecords:
    def open_all(names: tuple[str, ...], option: str) -> tuple[BinaryIO, ...]:
        streams = []
        for name in names:
            streams.append(open_input(name, option))
            # After Ctrl-C, an audit in another thread ends when its files are closed.
            inputs.callback(close_input, streams[-1])
        return tuple(streams)

    fields = parse_log_fields(options.fields)
    identify, identify_signed = open_verification(
        options.addresses,
        dns=options.verify_dns,
        signatures=options.verify_signatures,
        reject_replays=options.reject_replays,
    )
    try:
        if fields or options.log_format is not None:
            create_format(options.log_format or "json", fields)
    except InvalidOption as error:
        raise CommandError(f"--field: {error}") from None
    return CrawlRecords(
        logs=open_all(options.logs, "--log"),
        skip_reports=open_all(options.skip_reports, "--skip-report"),
        history=None if options.history is None else open_history_folder(options.history, profile=profile),
        identify=identify,
        identify_signed=identify_signed,
        log_format=options.log_format,
        fields=fields or None,
        skip_agent=options.skip_agent,
    )


def _site_urls(options: _Options) -> Iterator[str]:
    """Yield a URL of each site.

    Raises: CommandError: There is none, or one is invalid.
    """
    found = [_site_url(name) for name in options.origins]
    if options.origins_file is not None:
        lines = read_list(options.origins_file, "--origins", comments=True)
        found += [_site_url(line.text, line.location) for line in lines]
    if not found:
        raise CommandError("no site: pass an origin such as https://example.com, or --origins FILE")
    yield from found


def _site_url(name: str, location: str = "") -> str:
    try:
        url = to_origin_url(name)
        web_origin(url)
    except (InvalidURL, CommandError) as error:
        raise CommandError(f"{location}{error}") from None
    return url


def _read_source(options: _Options) -> bytes | SitePolicy | None:
    name, environment = options.source, options.environment
    is_policy = name is not None and name.lower().endswith(_POLICY_SUFFIX)
    if environment is not None and not is_policy:
        raise CommandError("--environment requires --source with a policy (.toml)")
    if name is None:
        return None
    content = read_robots(name, "--source")
    if not is_policy:
        if is_policy_content(content):
            raise CommandError(
                f"--source {quoted(name)} is a policy in TOML: its name has to end with {_POLICY_SUFFIX!r}"
            )
        warn_about_content(content, name, "--source", warn=print_message)
        return content
    label = f"--source {quoted(name)}"
    policy = read_policy(content, label)
    check_environments(policy, label, "--environment", environment)
    if environment is not None:
        try:
            check_environment(policy, environment, of=label)
        except InvalidOption as error:
            raise CommandError(str(error)) from None
    return policy


def _write(reports: Iterator[ReportJson], number: int, options: _Options) -> int:
    lowest = parse_severity(options.fail_on)
    code = EXIT_OK
    kept: list[ReportJson] = []
    lines: list[str] = []
    for report in reports:
        code = max(code, _code(report, lowest))
        # A table of all sites, and each of the other forms, needs all reports.
        kept.append(report)
    if options.format == "json":
        lines.append(json.dumps(kept))
    elif options.format == "html":
        lines.append(html_page(kept).removesuffix("\n"))
    elif options.format == "markdown":
        lines += markdown_lines(kept)
    elif options.format == "github":
        for report in kept:
            lines += _annotations(report)
    else:
        for report in kept:
            lines += [*map(printable, text_lines(report)), *([""] if number > 1 else [])]
        lines += _table(kept) if number > 1 else []
    text = "".join(f"{line}\n" for line in lines)
    if options.output is None:
        sys.stdout.write(text)
    else:
        create_file(options.output, text.encode(), force=options.force)
    return code


def _code(report: ReportJson, lowest: Severity) -> int:
    if report["error"]:
        return EXIT_ERROR
    numbers = severity_counts(report)
    failing = sum(number for name, number in numbers.items() if parse_severity(name) >= lowest)
    return EXIT_NEGATIVE if failing else EXIT_OK


def _table(reports: list[ReportJson]) -> Iterator[str]:
    ordered = [reports[index] for index in by_severity(reports)]
    rows = [
        (printable(report["origin"]), summary(report).partition(";")[0], printable(main_finding(report)))
        for report in ordered
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    for origin, numbers, main in rows:
        yield f"{origin:<{widths[0]}}  {numbers:<{widths[1]}}  {main}"
    rules = rules_summary(reports)
    if rules:
        yield printable(rules)


def _annotations(report: ReportJson) -> Iterator[str]:
    origin = printable(report["origin"])
    if error := error_text(report):
        yield github_command("error", {"title": f"canfetch audit: {origin}"}, error)
    for one in report["findings"][:_MAX_ANNOTATIONS]:
        title = f"canfetch audit: {one['kind']}"
        where = "" if one["url"] is None else f" ({place(one)})"
        text = f"{one['meaning']} {one['message']}{where}"
        yield github_command(_GITHUB[one["severity"]], {"title": title}, text)
    more = len(report["findings"]) - _MAX_ANNOTATIONS
    if more > 0:
        yield github_command("notice", {"title": f"canfetch audit: {origin}"}, f"{counted(more, 'more finding')}")


command: Final = click.Command(
    "audit",
    params=[
        click.Argument(["origins"], nargs=-1, metavar="[ORIGIN]..."),
        input_file_option(
            "--origins", "origins_file", help="File of further origins, one per line; # starts a comment."
        ),
        input_file_option("--source", help="The intended robots.txt, or the policy (.toml) from which it is made."),
        Option(
            ["--environment"],
            metavar="NAME",
            help="Environment of the policy in --source.  [default: that of the host of each origin]",
        ),
        Option(
            ["--sample"],
            metavar="N|all",
            type=_Sample(),
            default=DEFAULT_SAMPLE,
            help="Number of pages from the sitemaps to request.",
        ),
        Option(
            ["--max-sitemaps"],
            metavar="N",
            type=click.IntRange(1, 1_000_000),
            default=DEFAULT_MAX_SITEMAPS,
            help="Number of sitemaps to read.",
        ),
        Option(
            ["--host", "hosts"],
            metavar="ORIGIN",
            multiple=True,
            help="Further address of the site, whose robots.txt must have the same effect. Can be repeated.",
        ),
        Option(
            ["--edge"],
            metavar="CRAWLER",
            multiple=True,
            shell_complete=complete_crawler,
            help="Request robots.txt and the home page with the published header of this crawler, and the page with "
            "that of a browser. Can be repeated.",
        ),
        input_file_option(
            "--log",
            "logs",
            multiple=True,
            help="Access log of the site, in which crawlers are compared with the rules. Can be repeated.",
        ),
        input_file_option(
            "--skip-report",
            "skip_reports",
            multiple=True,
            help="Skip report of a crawl (skippedPages.jsonl), which is compared with the rules. Can be repeated.",
        ),
        Option(
            ["--skip-agent"],
            metavar="TOKEN",
            default=BROWSERTRIX,
            help="Product token of crawls whose skip reports do not state it.",
        ),
        history_folder_option(),
        *log_form_options(),
        *identity_options(),
        *signature_options(),
        Option(
            ["--delay"],
            metavar="SECONDS",
            type=click.FloatRange(0, _MAX_DELAY),
            default=DEFAULT_DELAY,
            help="Shortest time between two requests to an origin. A Crawl-delay can be longer.",
        ),
        Option(
            ["--max-requests"],
            metavar="N",
            type=click.IntRange(1, _MAX_REQUESTS),
            help="Largest number of requests for each site.  [default: computed from the other options]",
        ),
        Option(
            ["--parallel"],
            metavar="N",
            type=click.IntRange(1, _MAX_PARALLEL),
            default=_DEFAULT_PARALLEL,
            help="Number of sites to audit at the same time.",
        ),
        Option(
            ["--work"],
            metavar="FOLDER",
            help="Folder with a report for each finished site. A run that was interrupted continues there.",
        ),
        Option(
            ["--fail-on"],
            type=Choice([severity.label for severity in Severity]),
            default="warning",
            help="Lowest severity that results in exit code 1.",
        ),
        format_option(("text", "json", "html", "markdown", "github")),
        Option(["--output"], metavar="FILE", type=OutputFile(), help="Write the report to a file."),
        Option(["--force"], is_flag=True, help="Replace an existing file of --output."),
        *connection_parameters("request"),
    ],
    callback=_run,
    short_help="Report what sites state, serve and do.",
    help="""Report what sites state in robots.txt, what they serve, and what crawlers get.

    An origin is a URL, whose path and credentials are ignored, or a host name, which means https.

    Each site gets one request at a time, as its robots.txt allows, within a number that is printed first.
    With --source, the served file is compared by its effect with the intended one. The pages in sitemaps are checked
    against the rules, and a sample of them is requested. With --edge, the answers to the names of crawlers are compared
    with the answer to a browser. A refusal is reported, and never worked around.""",
    epilog="""\b
Examples:
  canfetch audit https://example.com
  canfetch audit example.com --source robots.txt --fail-on error
  canfetch audit staging.example.com --source policy.toml
  canfetch audit example.com --sample 100 --format html --output report.html
  canfetch audit example.com --edge GPTBot --edge Googlebot
  canfetch audit example.com --log access.log --skip-report reports/skippedPages.jsonl
  canfetch audit --origins sites.txt --work audits --format html --output sites.html

\b
json is a list of objects, one for each site:
  schema, origin, checked_at, error, environment, access, hosts [{origin, access, same}],
  purposes [{name, title, crawlers [{may_fetch, crawlers, lines, line_count}], use}],
  listed {sitemaps, urls, requested, disallowed},
  edge [{crawler, user_agent, answer, status, detail}],
  logs {number, lines, bad_lines, crawlers, crawler_requests, other_requests, other_host_requests, first, last,
  by_history, unusable_requests, not_judged},
  skips {number, skips, agreeing, differing, other_origins, not_judged, damaged_lines},
  findings [{kind, severity, message, url, line, status, text}],
  counts {kind: number}, requests, max_requests, rules

\b
Exit codes: 0 no findings at or above --fail-on, 1 some, 2 a site could not be audited, or an error occurred.""",
)
