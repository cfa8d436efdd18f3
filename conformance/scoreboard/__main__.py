"""Ask all implementations, and save their answers, from which `make docs` builds the scoreboard.

Run it with `make scoreboard`. It builds the adapters first. `python -m conformance.scoreboard diff OLD NEW` compares
two files of saved answers instead, or two versions of a library, such as `protego@0.4.0` and `protego`. It prints a
line for each change, and exits with 1 if there are any.
"""

import argparse
import datetime as dt
import os
import platform
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from conformance.scoreboard.builder import BuildError, build_for
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
    usable = _build([adapters()[name] for name in options.adapter or adapters()])
    if not usable:
        print("scoreboard: no adapter could be built", file=sys.stderr)
        return 2
    answered = Results.of_run(_ask(usable, options.processes), dt.datetime.now(dt.UTC).date(), machine())
    # An adapter that was not asked keeps its results.
    results = Results.load(options.output).replaced_by(answered) if options.output.exists() else answered
    results.save(options.output)
    return 0


def _diff(arguments: list[str]) -> int:
    """Print what differs between two results. Return 1 if something does, and 2 if an argument is invalid."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance.scoreboard diff",
        description="Show which answers changed between two runs, or between two versions of a library.",
    )
    for name in ("old", "new"):
        text = "A file of results, such as results.json, or an adapter: NAME, or NAME@VERSION."
        parser.add_argument(name, metavar=name.upper(), help=text)
    options = parser.parse_args(arguments)
    results = []
    for word in (options.old, options.new):
        try:
            results.append(_results_of(word))
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"scoreboard: {word}: neither a file of results nor a saved adapter: {error!r}", file=sys.stderr)
            return 2
    lines = changes(*results)
    print("\n".join(lines) if lines else "no answer changed")
    return int(bool(lines))


def _results_of(word: str) -> Results:
    """Return the results in a file, or those of one version of a library in the file of this folder."""
    name, _, version = word.partition("@")
    if name not in adapters() or Path(word).exists():
        return Results.load(Path(word))
    saved = Results.load()
    rows = [each for row in saved.rows if row.adapter.name == name for each in (row, *row.older)]
    if not rows:
        raise ValueError("no saved results")
    version = version or rows[0].version
    chosen = tuple(row for row in rows if version in {row.version, row.adapter.version})
    if not chosen:
        known = ", ".join(dict.fromkeys(row.version for row in rows))
        raise ValueError(f"unknown version {version}: expected one of {known}")
    return saved._replace(rows=chosen)


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


def _build(chosen: list[Adapter]) -> list[list[Adapter]]:
    """Build what the adapters need. Return the versions of each that could be built, unless its newest could not."""
    usable: list[list[Adapter]] = []
    failed: set[str | None] = set()
    for newest in chosen:
        built: list[Adapter] = []
        for adapter in newest.releases() if newest.build not in failed else ():
            if adapter.build is not None:
                print(f"scoreboard: building {adapter.label}", file=sys.stderr, flush=True)
            try:
                build_for(adapter, BUILD)
            except BuildError as error:
                print(f"scoreboard: cannot build {adapter.label}: {error}", file=sys.stderr)
                if not adapter.is_older:
                    failed.add(adapter.build)
                    break
            else:
                built.append(adapter)
        usable += [built] if built else []
    return usable


def _ask(chosen: list[list[Adapter]], processes: int) -> list[Row]:
    def ask(task: tuple[list[Adapter], str]) -> Row:
        releases, profile = task
        row = run(releases, profile)
        for each in (row, *row.older):
            failures = len(each.failures())
            print(f"scoreboard: {each.adapter.label}, profile {profile}: {failures} failures", file=sys.stderr)
        return row

    with ThreadPoolExecutor(processes) as pool:
        return list(pool.map(ask, [(releases, profile) for releases in chosen for profile in releases[0].profiles]))


if __name__ == "__main__":
    sys.exit(main())
