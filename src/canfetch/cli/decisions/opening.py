"""Opens the robots.txt files that the options select."""

from collections.abc import Callable

from canfetch.cli.decisions.options import DecisionOptions
from canfetch.cli.decisions.robots_files import RobotsFiles
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.network_options import reject_network_options
from canfetch.core.agent import Agent


def open_robots_files(options: DecisionOptions, agents: list[Agent], *, warn: Callable[[str], None]) -> RobotsFiles:
    """Return the files that the options select.

    Args:
        agents: The agents to decide for.
        warn: Writes a line to standard error.
    Raises: CommandError: A file cannot be read, or the options are invalid or contradict each other.
    """
    # Each kind of file is imported when it is used: the client takes time that a run with a local file need not spend.
    selected = [
        (option, value)
        for option, value in (
            ("--robots", options.robots),
            ("--robots-dir", options.robots_dir),
            ("--robots-map", options.robots_map),
        )
        if value is not None
    ]
    if len(selected) > 1:
        raise CommandError(f"{selected[0][0]} and {selected[1][0]} cannot be used together")
    is_file = options.robots is not None and "://" not in options.robots
    if options.robots_url is not None and not is_file:
        raise CommandError("--robots-url requires --robots FILE")
    if options.robots is not None and is_file:
        from canfetch.cli.decisions.local_file import read_local_file  # noqa: PLC0415

        reject_network_options("--robots FILE")
        return read_local_file(options.robots, "--robots", options, agents, url=options.robots_url, warn=warn)
    if selected and options.robots is None:
        from canfetch.cli.decisions.collected_files import CollectedFiles, list_directory, read_map  # noqa: PLC0415

        [(option, name)] = selected
        reject_network_options(option)
        files = list_directory(name) if option == "--robots-dir" else read_map(name)
        return CollectedFiles(f"{option} {name}", files, options, agents, warn=warn)
    from canfetch.cli.decisions.fetched_files import FetchedFiles  # noqa: PLC0415

    return FetchedFiles(options, options.robots, agents, warn=warn)
