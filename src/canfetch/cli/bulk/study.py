"""`canfetch study`: the tables of published studies, recomputed from archives."""

from contextlib import closing
from typing import Any, Final

import click

from canfetch.bulk.archives.archive_job import store_path
from canfetch.bulk.studies.plot import draw_study
from canfetch.bulk.studies.recipes import RECIPES, Recipe, get_recipe
from canfetch.bulk.studies.study_job import PERIODS, STUDY, StudyOptions, count_study
from canfetch.bulk.writing.columns import Row
from canfetch.bulk.writing.part_writers import open_part
from canfetch.bulk.writing.processes import DUCKDB, ENGINES
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.cli.bulk.archive_run import collect_captures, open_faults, print_counts, unfinished
from canfetch.cli.bulk.options import (
    find_sources,
    input_argument,
    open_work_folder,
    output_format,
    pop_run_options,
    process_count,
    run_parameters,
)
from canfetch.cli.shared.agent_arguments import print_notes_about_names, resolve_agent
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_OK
from canfetch.cli.shared.output_files import PendingFile
from canfetch.cli.shared.output_parameters import OutputFile, plot_format
from canfetch.cli.shared.progress import item_progress
from canfetch.cli.shared.single_value_option import Choice, Option
from canfetch.core.quoting import quoted
from canfetch.core.text import counted

# Files are read by definitions, each with its own parser.
_NO_PROFILE: Final = "profile"
_ENGINES: Final = tuple(engine for engine in ENGINES if engine != DUCKDB)


def _run(
    name: str,
    inputs: tuple[str, ...],
    *,
    agents: tuple[str, ...],
    period: str,
    plot: str | None,
    **values: Any,
) -> int:
    run = pop_run_options({**values, _NO_PROFILE: "rfc9309"})
    recipe = get_recipe(name)
    for agent in agents:
        resolve_agent(agent, exact=True)
    options = StudyOptions(name, agents or recipe.agents, period, run.policy)
    drawn_as = None if plot is None else plot_format(plot)
    form = output_format(run)
    sources = find_sources(inputs, run.input_format)
    print_notes_about_names(agents)
    settings = {"command": "study", "options": options._asdict(), "input_format": run.input_format}
    with (
        open_work_folder(run, form, [source.name for source in sources], settings) as folder,
        unfinished(folder),
        open_faults(run) as aside,
    ):
        store = store_path(folder)
        collected = collect_captures(sources, store, aside)
        with closing(item_progress(collected.captures, enabled=True)) as progress:
            rows = count_study(
                store,
                folder.path,
                options,
                processes=process_count(run),
                advance=progress.advance,
                engine=run.engine,
            )
        if plot is not None and drawn_as is not None:
            with PendingFile(plot, f"--plot {quoted(plot)}", force=run.force) as file:
                file.write(draw_study(rows, recipe, drawn_as))
                file.flush()
                # The plot appears after the table: the command that continues a failed run must not find it.
                _write(folder, rows)
                file.commit()
        else:
            _write(folder, rows)
    what = f"{counted(len(rows), 'row')} about {counted(collected.captures, 'file')}"
    print_counts(what, collected, aside, run.output)
    return EXIT_ERROR if collected.is_cut else EXIT_OK


def _write(folder: WorkFolder, rows: list[Row]) -> None:
    with open_part(folder.parts.path(0), folder.format, STUDY, header=True) as sink:
        for row in rows:
            sink.write(row)
    folder.finish(1)


def _recipe_lines(recipes: dict[str, Recipe]) -> str:
    width = max(map(len, recipes))
    return "\n".join(f"  {name:<{width}}  {recipe.summary}" for name, recipe in recipes.items())


command: Final = click.Command(
    "study",
    params=[
        click.Argument(["name"], type=Choice(tuple(RECIPES)), metavar="STUDY"),
        input_argument(),
        Option(
            ["--agent", "agents"],
            metavar="TOKEN",
            multiple=True,
            help="Product token to count, as the studies do without fallback tokens. Can be repeated.  "
            "[default: those of the study]",
        ),
        Option(
            ["--period"],
            type=Choice(PERIODS),
            default="month",
            help="Count the captures of each month, year, day or crawl of Common Crawl separately, or all together.",
        ),
        Option(["--plot"], metavar="FILE", type=OutputFile(), help="Draw the study as a .png, .svg or .pdf file."),
        *[parameter for parameter in run_parameters(_ENGINES) if parameter.name != _NO_PROFILE],
    ],
    callback=_run,
    short_help="Recompute the tables of published studies.",
    help=f"""Count the files of archives as published studies do, as a table and a plot.

The archives are those of 'canfetch bulk parse'. Each row is a class of files, with their number and share.

\b
Studies:
{_recipe_lines(RECIPES)}""",
    epilog="""\b
Examples:
  canfetch study consent-in-crisis robots.warc.gz -o consent.csv --plot consent.svg
  canfetch study definitions files.parquet --agent GPTBot --period none -o definitions.csv

\b
Exit codes: 0 the output is complete, 2 an archive ends within a record or
  damage, no record of it can be used, or an error occurred.""",
)
