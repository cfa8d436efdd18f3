"""`canfetch bulk`: tables from archives of robots.txt files. `docs/bulk.md` describes their columns."""

from typing import Any, Final

import click

from canfetch.bulk.archives.output_tables import TableOptions
from canfetch.cli.bulk.archive_run import run_archive_command
from canfetch.cli.bulk.filter import command as filter_command
from canfetch.cli.bulk.options import agent_parameters, input_argument, pop_run_options, run_parameters, selected_agents
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.single_value_option import Choice, Option
from canfetch.core.quoting import quoted

_INPUTS: Final = """\
INPUT is a WARC, WET or ARC file, a folder or a tar file with one robots.txt per file, or a Parquet, CSV, TSV or NDJSON
    table with columns such as origin, time, status and content. Most can be compressed with gzip or bzip2; - reads
    standard input. A record that cannot be read is set aside and reported."""
_EXIT_CODES: Final = """\b
Exit codes: 0 the output is complete, 2 an archive ends within a record or
  damage, no record of it can be used, or an error occurred."""


def _parse(inputs: tuple[str, ...], table: str, **values: Any) -> int:
    run = pop_run_options(values)
    options = TableOptions(table, profile=run.profile)
    return run_archive_command("parse", inputs, options, run)


def _decide(inputs: tuple[str, ...], paths: tuple[str, ...], **values: Any) -> int:
    run = pop_run_options(values)
    options = TableOptions("decisions", selected_agents(values), _check_paths(paths), run.profile)
    return run_archive_command("decide", inputs, options, run)


def _matrix(inputs: tuple[str, ...], path: str, **values: Any) -> int:
    run = pop_run_options(values)
    agents = selected_agents(values, all_by_default=True)
    options = TableOptions("matrix", agents, _check_paths((path,)), run.profile)
    _check_columns(options)
    return run_archive_command("matrix", inputs, options, run)


def _metrics(inputs: tuple[str, ...], **values: Any) -> int:
    run = pop_run_options(values)
    options = TableOptions("metrics", profile=run.profile)
    return run_archive_command("metrics", inputs, options, run)


def _check_columns(options: TableOptions) -> None:
    """Check that no two columns of a matrix have the same name, of which databases ignore the case."""
    own = {column.name for column in options._replace(agents=()).schema.columns}
    seen: dict[str, str] = {}
    for name, _ in options.agents:
        folded = name.lower()
        if folded in own:
            raise CommandError(f"invalid agent {quoted(name)}: the matrix has its own column {quoted(folded)}")
        if folded in seen:
            both = f"{quoted(seen[folded])} and {quoted(name)}"
            raise CommandError(f"invalid agents {both}: columns of a matrix must differ in more than case")
        seen[folded] = name


def _check_paths(paths: tuple[str, ...]) -> tuple[str, ...]:
    for path in paths:
        if not path.startswith("/") or path.startswith("//"):
            raise CommandError(f"invalid --path {quoted(path)}: expected a path such as /fish")
    return paths


command: Final = click.Group(
    "bulk",
    short_help="Make tables from archives of robots.txt files.",
    help="""Make tables from archives of robots.txt files, as Parquet, NDJSON or CSV.

    All cores are used, and memory is bounded. An interrupted run is continued by the same command.""",
    epilog="""\b
Examples:
  canfetch bulk parse robots.warc.gz -o files.parquet
  canfetch bulk decide files.parquet --agent GPTBot --path / --path /blog/ -o decisions.parquet
  canfetch bulk matrix files.parquet -o matrix.csv""",
    commands={
        "parse": click.Command(
            "parse",
            params=[
                input_argument(),
                Option(
                    ["--table"],
                    type=Choice(("files", "records")),
                    default="files",
                    help="One row for each file with its content, or one for each record of the files.",
                ),
                *run_parameters(),
            ],
            callback=_parse,
            short_help="Write the files of archives, or their records, as a table.",
            help=f"Write the robots.txt files of archives as a table, with what their responses mean.\n\n    {_INPUTS}",
            epilog=f"""\b
Examples:
  canfetch bulk parse robots.warc.gz -o files.parquet
  canfetch bulk parse robots/ --table records -o records.csv

{_EXIT_CODES}""",
        ),
        "decide": click.Command(
            "decide",
            params=[
                input_argument(),
                *agent_parameters(),
                Option(
                    ["--path", "paths"],
                    metavar="PATH",
                    multiple=True,
                    default=("/",),
                    help="Path to decide about on every origin. Can be repeated.",
                ),
                *run_parameters(),
            ],
            callback=_decide,
            short_help="Decide about paths on all origins of archives.",
            help="Decide for each file, agent and path, and write one row each, with the deciding rule.\n\n"
            f"    {_INPUTS}",
            epilog=f"""\b
Examples:
  canfetch bulk decide robots.warc.gz --agent GPTBot --agent CCBot -o decisions.parquet
  canfetch bulk decide files.parquet --agents-file agents.txt --path /blog/ -o decisions.csv

{_EXIT_CODES}""",
        ),
        "matrix": click.Command(
            "matrix",
            params=[
                input_argument(),
                *agent_parameters(),
                Option(["--path"], metavar="PATH", default="/", help="Path to decide about."),
                *run_parameters(),
            ],
            callback=_matrix,
            short_help="Write one row for each file and one column for each agent.",
            help="Write a table with one row for each file and one column for each agent: whether it may fetch a "
            "path. Without --agent, all crawlers of the registry are columns.\n\n"
            f"    {_INPUTS}",
            epilog=f"""\b
Examples:
  canfetch bulk matrix robots.warc.gz -o matrix.parquet
  canfetch bulk matrix robots/ --agent GPTBot --agent Googlebot -o matrix.csv

{_EXIT_CODES}""",
        ),
        "metrics": click.Command(
            "metrics",
            params=[input_argument(), *run_parameters()],
            callback=_metrics,
            short_help="Write the metrics of HTTP Archive.",
            help="Write the fields of HTTP Archive's custom metric robots_txt, with its counts of records.\n\n"
            f"    {_INPUTS}",
            epilog=f"""\b
Examples:
  canfetch bulk metrics robots.warc.gz -o metrics.parquet

{_EXIT_CODES}""",
        ),
        "filter": filter_command,
    },
)
