"""Ask all implementations, and save their answers, from which `make docs` builds the scoreboard.

Run it with `make scoreboard`. It builds the adapters first. `python -m conformance.scoreboard diff OLD NEW` compares
two files of saved answers instead: it prints a line for each change, and exits with 1 if there are any.
"""

import argparse
import datetime as dt
import os
import platform
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from conformance.scoreboard.builder import BuildError, build
from conformance.scoreboard.catalogue import BUILD, Adapter, adapters
from conformance.scoreboard.changes import changes
from conformance.scoreboard.results import Row, run
from conformance.scoreboard.saved_results import RESULTS, Results


def main(arguments: list[str] | None = None) -> int:
    """Ask the adapters and save their answers. Return 0, or 2 if no adapter could be built."""
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == ["diff"]:
        return _diff(given[1:])
    options = _options(arguments)
    chosen = [adapters()[name] for name in options.adapter or adapters()]
    failed = _build(chosen)
    usable = [adapter for adapter in chosen if adapter.build not in failed]
    if not usable:
        print("scoreboard: no adapter could be built", file=sys.stderr)
        return 2
    answered = Results.of_run(_ask(usable, options.processes), dt.datetime.now(dt.UTC).date(), machine())
    # An adapter that was not asked keeps its results.
    results = Results.load(options.output).replaced_by(answered) if options.output.exists() else answered
    results.save(options.output)
    return 0


def _diff(arguments: list[str]) -> int:
    """Print what differs between two files of results. Return 1 if something does, and 2 if a file is invalid."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance.scoreboard diff", description="Show which answers changed between two runs."
    )
    for name in ("old", "new"):
        parser.add_argument(name, type=Path, metavar=name.upper(), help="A file of results, such as results.json.")
    options = parser.parse_args(arguments)
    results = []
    for path in (options.old, options.new):
        try:
            results.append(Results.load(path))
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"scoreboard: {path}: not a file of results: {error!r}", file=sys.stderr)
            return 2
    lines = changes(*results)
    print("\n".join(lines) if lines else "no answer changed")
    return int(bool(lines))


def machine() -> str:
    """Describe the processors of this machine."""
    try:
        found = re.search(r"^model name\s*: *(.+)$", Path("/proc/cpuinfo").read_text("utf-8", "replace"), re.MULTILINE)
    except OSError:
        found = None
    name = found[1].strip() if found else platform.machine()
    return f"{os.cpu_count()} processors of the type {name} with {platform.system()}"


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m conformance.scoreboard", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--adapter", action="append", choices=adapters(), metavar="NAME", help="Ask only NAME. Can be repeated."
    )
    parser.add_argument("--processes", type=int, default=2, help="Ask this many programs at once.")
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FILE", help="Update the results in FILE.")
    return parser.parse_args(arguments)


def _build(chosen: list[Adapter]) -> dict[str | None, str]:
    """Build what the adapters need. Return the reason for each language that cannot be built."""
    failed: dict[str | None, str] = {}
    for language in dict.fromkeys(adapter.build for adapter in chosen if adapter.build is not None):
        try:
            build(language, BUILD)
        except BuildError as error:
            print(f"scoreboard: cannot build the adapters in {language}: {error}", file=sys.stderr)
            failed[language] = str(error).partition("\n")[0]
    return failed


def _ask(chosen: list[Adapter], processes: int) -> list[Row]:
    def ask(task: tuple[Adapter, str]) -> Row:
        adapter, profile = task
        row = run(adapter, profile)
        print(f"scoreboard: {adapter.name}, profile {profile}: {len(row.failures())} failures", file=sys.stderr)
        return row

    with ThreadPoolExecutor(processes) as pool:
        return list(pool.map(ask, [(adapter, profile) for adapter in chosen for profile in adapter.profiles]))


if __name__ == "__main__":
    sys.exit(main())
