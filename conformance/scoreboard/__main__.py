"""Ask all implementations, and write the scoreboard: docs/scoreboard.md and docs/scoreboard.json.

Run it with `make scoreboard`. It builds the adapters first.
"""

import argparse
import datetime as dt
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from conformance.cases import ROOT
from conformance.scoreboard import page
from conformance.scoreboard.builder import BuildError, build
from conformance.scoreboard.catalogue import BUILD, Adapter, Unavailable, adapters, unavailable
from conformance.scoreboard.results import Row, run

DOCS = ROOT.parent / "docs"


def main(arguments: list[str] | None = None) -> int:
    """Write the scoreboard. Return 0, or 2 if no adapter could be built."""
    options = _options(arguments)
    chosen = [adapters()[name] for name in options.adapter or adapters()]
    failed = _build(chosen)
    usable = [adapter for adapter in chosen if adapter.build not in failed]
    if not usable:
        print("scoreboard: no adapter could be built", file=sys.stderr)
        return 2
    rows = _ask(usable, options.processes)
    missing = [
        *unavailable(),
        *(Unavailable(each.title, each.language, failed[each.build]) for each in chosen if each.build in failed),
    ]
    date = dt.datetime.now(dt.UTC).date()
    options.output.mkdir(parents=True, exist_ok=True)
    pages = options.output / "scoreboard"
    pages.mkdir(exist_ok=True)
    for adapter in dict.fromkeys(row.adapter for row in rows):
        text = page.failures_page(adapter, [row for row in rows if row.adapter == adapter])
        (pages / f"{adapter.name}.md").write_text(text, "utf-8")
    (options.output / f"{page.OWN_CHOICES}.md").write_text(page.own_choices_page(rows), "utf-8")
    (options.output / "scoreboard.md").write_text(page.markdown(rows, missing, date), "utf-8")
    text = json.dumps(page.as_json(rows, missing, date), indent=1, ensure_ascii=False)
    (options.output / "scoreboard.json").write_text(text + "\n", "utf-8")
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m conformance.scoreboard", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--adapter", action="append", choices=adapters(), metavar="NAME", help="Ask only NAME. Can be repeated."
    )
    parser.add_argument("--processes", type=int, default=2, help="Ask this many programs at once.")
    parser.add_argument("--output", type=Path, default=DOCS, metavar="FOLDER", help="Write both files to FOLDER.")
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
