"""The options that the commands of `canfetch bulk` share."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from canfetch import __version__
from canfetch.bulk.archives.decisions import NamedAgent
from canfetch.bulk.reading.folders import has_files
from canfetch.bulk.reading.sources import FORMATS as INPUT_FORMATS
from canfetch.bulk.reading.sources import STANDARD_INPUT, Source, is_regular_file, sources_of
from canfetch.bulk.writing.part_writers import FORMATS as OUTPUT_FORMATS
from canfetch.bulk.writing.processes import DUCKDB, ENGINES, available_cores
from canfetch.bulk.writing.work_folder import WorkFolder
from canfetch.cli.shared.agent_arguments import print_unknown_agent_notes
from canfetch.cli.shared.agent_list import requested_agents
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.edition_option import edition_option
from canfetch.cli.shared.input_files import check_standard_input
from canfetch.cli.shared.network_options import policy_option
from canfetch.cli.shared.option_parameters import (
    agent_option,
    agents_file_option,
    exact_option,
    jobs_option,
    profile_option,
    registry_option,
)
from canfetch.cli.shared.output_parameters import OutputFile, check_outputs
from canfetch.cli.shared.registry_files import load_registry
from canfetch.cli.shared.single_value_option import Choice, Option
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

_SUFFIXES: Final = {".parquet": "parquet", ".ndjson": "ndjson", ".jsonl": "ndjson", ".csv": "csv"}
_DUCKDB_THREADS: Final = ", or of threads of DuckDB"


class RunOptions(NamedTuple):
    """The values of the options that all commands have."""

    output: str
    format: str | None
    input_format: str | None
    policy: str
    profile: str
    engine: str
    jobs: int | None
    faults: str | None
    force: bool
    restart: bool


class AgentValues(NamedTuple):
    """The values of the options that select agents."""

    agents: tuple[str, ...]
    agents_file: str | None
    agents_registry: str | None
    exact: bool


def input_argument() -> click.Argument:
    """Return the argument of the inputs."""
    return click.Argument(["inputs"], nargs=-1, required=True, metavar="INPUT...", type=click.Path(allow_dash=True))


def run_parameters(engines: Sequence[str] = ENGINES) -> list[click.Parameter]:
    """Return the parameters of `RunOptions`.

    Args: engines: The engines that the command has.
    """
    return [
        Option(["-o", "--output"], metavar="FILE", type=OutputFile(), required=True, help="The file to write."),
        Option(
            ["--format"],
            type=Choice(OUTPUT_FORMATS),
            help="Format of the output.  [default: by the suffix: .parquet, .ndjson, .jsonl or .csv]",
        ),
        Option(
            ["--input-format"],
            type=Choice(INPUT_FORMATS),
            help="Format of the archives.  [default: by the suffix or the first bytes]",
        ),
        policy_option(),
        profile_option(),
        edition_option(),
        Option(
            ["--engine"],
            type=Choice(engines),
            default="local",
            help="Execution engine; local uses processes of this machine.",
        ),
        jobs_option(
            f"Number of processes on this machine{_DUCKDB_THREADS if DUCKDB in engines else ''}.  "
            "[default: one for each core]"
        ),
        Option(
            ["--faults"],
            metavar="FILE",
            type=OutputFile(),
            help="Write the records that are set aside to this file, as NDJSON: source, position, reason.",
        ),
        Option(["--force"], is_flag=True, help="Replace the files to write if they exist."),
        Option(
            ["--restart"],
            is_flag=True,
            help="Start again. Without this option, an interrupted run with the same inputs and options is continued.",
        ),
    ]


def agent_parameters() -> list[click.Parameter]:
    """Return the parameters of `AgentValues`."""
    return [
        agent_option("GPTBot"),
        agents_file_option(),
        registry_option(),
        exact_option(),
    ]


def pop_run_options(values: dict[str, Any]) -> RunOptions:
    """Remove the values of `run_parameters` from the values of a command, and return them."""
    return RunOptions(**{name: values.pop(name) for name in RunOptions._fields})


def selected_agents(values: dict[str, Any], *, all_by_default: bool = False) -> tuple[NamedAgent, ...]:
    """Remove the values of `agent_parameters` from the values of a command, and return the agents.

    Notes about unknown names are printed on standard error.

    Args: all_by_default: Whether the default is all crawlers of the registry. Otherwise, an agent is required.
    Raises: CommandError: No agent is given, or one is not valid.
    """
    options = AgentValues(**{name: values.pop(name) for name in AgentValues._fields})
    if all_by_default and not options.agents and options.agents_file is None:
        return tuple(
            NamedAgent(crawler.name, crawler.agent) for crawler in load_registry(options.agents_registry).crawlers
        )
    agents, registry = requested_agents(options)
    print_unknown_agent_notes(agents, registry)
    return tuple(NamedAgent(agent.name, agent.agent) for agent in agents)


def plain_agents(agents: tuple[NamedAgent, ...]) -> list[list[Any]]:
    """Return agents as values of JSON, for the settings of a run."""
    return [[agent.name, *agent.agent.tokens, agent.agent.star_applies] for agent in agents]


def find_sources(inputs: tuple[str, ...], input_format: str | None) -> list[Source]:
    """Return the inputs and their formats. A folder of tables or archives is replaced by its files.

    Raises: CommandError: An input cannot be read, or its format is unknown.
    """
    check_standard_input([("", name) for name in inputs])
    sources = [source for name in inputs for source in _find_parts(name, input_format)]
    pipes = [source.name for source in sources if source.size is None and source.name != STANDARD_INPUT]
    seen: set[tuple[int, int]] = set()
    for name in pipes:
        status = os.stat(name)  # noqa: PTH116 - a name as typed
        place = (status.st_dev, status.st_ino)
        # The second reader of a named pipe would wait for another writer.
        if place in seen and not os.path.isdir(name):  # noqa: PTH112 - as above
            raise CommandError(f"{quoted(name)} is not a regular file, so it can be read only once")
        seen.add(place)
    return sources


def _find_parts(name: str, input_format: str | None) -> list[Source]:
    try:
        sources = sources_of(name, input_format)
        is_empty = sources[0].format == "folder" and not has_files(name)
    except InvalidOption as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"cannot read {quoted(name)}: {error.strerror or error}") from None
    if is_empty:
        raise CommandError(f"{quoted(name)} has no files: expected robots.txt files named after their hosts")
    return sources


def output_format(run: RunOptions) -> str:
    """Check the files to write, and return the format of the output.

    Raises: CommandError: The suffix is unknown, or a file cannot be written.
    """
    check_outputs()
    form = run.format or _SUFFIXES.get(Path(run.output).suffix.lower())
    if form is None:
        raise CommandError(
            f"unknown format of --output {quoted(run.output)}: pass --format, one of {', '.join(OUTPUT_FORMATS)}"
        )
    return form


def open_work_folder(run: RunOptions, format: str, inputs: Sequence[str], settings: dict[str, Any]) -> WorkFolder:  # noqa: A002
    """Return the folder of the unfinished output. It is continued if inputs and options are the same.

    Raises: CommandError: It cannot be written, or belongs to another run.
    """
    described = {
        "version": __version__,
        "inputs": [_describe(name) for name in inputs],
        "policy": run.policy,
        "profile": run.profile,
        **settings,
    }
    try:
        # Data from a pipe cannot be read again.
        has_pipe = any(name == STANDARD_INPUT or _is_pipe(name) for name in inputs)
        return WorkFolder(Path(run.output), format, described, restart=run.restart or has_pipe)
    except InvalidOption as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        reason = error.strerror or str(error)
        if Path(run.output).parent.is_dir() and error.filename is not None:
            reason = f"{quoted(os.fsdecode(error.filename))}: {reason}"
        raise CommandError(f"cannot write --output {quoted(run.output)}: {reason}") from None


def _is_pipe(name: str) -> bool:
    # Names that start with a hyphen are options.
    return not (name.startswith("-") or os.path.isdir(name) or is_regular_file(name))  # noqa: PTH112 - a name as typed


def _describe(name: str) -> list[Any]:
    if name.startswith("-"):
        # Standard input, or an option between two lists of names.
        return [name]
    status = os.stat(name)  # noqa: PTH116 - a name as typed
    return [os.path.abspath(name), status.st_size, status.st_mtime_ns]  # noqa: PTH100 - as above


def process_count(run: RunOptions) -> int:
    """Return the number of processes."""
    return run.jobs or available_cores()
