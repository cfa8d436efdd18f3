"""The counts of a recipe over the captures of a store, by several processes."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

from canfetch.access.policies import get_policy
from canfetch.bulk.archives.archive_job import Part, list_parts
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.resolution import resolve_capture
from canfetch.bulk.reading.captures import Capture
from canfetch.bulk.studies.cells import Table
from canfetch.bulk.studies.named_agents import ranked_counts, sum_of_names
from canfetch.bulk.studies.recipes import get_recipe
from canfetch.bulk.writing.columns import Column, ColumnType, Row, Schema
from canfetch.bulk.writing.part_files import read_checked, write_checked
from canfetch.bulk.writing.processes import run_tasks
from canfetch.core.quoting import quoted
from canfetch.errors import StoreError

PERIODS: Final = ("month", "year", "day", "crawl", "none")
_CRAWL: Final = "crawl"
# The names of Common Crawl's crawls: a year with a week, two years, or a year. Names of files have longer numbers.
_CRAWL_NAME: Final = re.compile(r"CC-MAIN-\d{4}(?:-\d{4}|-\d{2})?(?!\d)(?!-\d{5})", re.ASCII)
_PERIOD_FORMATS: Final = {"month": "%Y-%m", "year": "%Y", "day": "%Y-%m-%d"}
STUDY: Final = Schema(
    "canfetch.study/1",
    (
        Column("study", ColumnType.TEXT, "The recipe."),
        Column("period", ColumnType.TEXT, "The month, year, day or crawl of the captures, or empty."),
        Column("subject", ColumnType.TEXT, "The agent, a name in files, `any agent`, `all agents`, `file`, or `*`."),
        Column("measure", ColumnType.TEXT, "What is measured, such as the name of a definition."),
        Column("class", ColumnType.TEXT, "The class of files."),
        Column("files", ColumnType.INTEGER, "The number of files, which may be 0."),
        Column("share", ColumnType.NUMBER, "Their share of the files with this period, subject and measure, if any."),
    ),
)
# The period, subject, measure and class of a count.
_Key = tuple[str, str, str, str]


class StudyOptions(NamedTuple):
    """The settings that the counts depend on."""

    recipe: str
    agents: tuple[str, ...]
    period: str
    policy: str


class _StudyPart(NamedTuple):
    store: Path
    folder: Path
    options: StudyOptions


def count_study(
    store: Path,
    folder: Path,
    options: StudyOptions,
    *,
    processes: int,
    advance: Callable[[int], None],
    engine: str = "local",
) -> list[Row]:
    """Return the rows of a study.

    Args:
        store: The captures.
        folder: Where the counts of parts are kept, so that a killed run continues.
        options: What to count.
        processes: The number of processes.
        advance: Called with the number of captures of each part that is complete.
        engine: As for `run_tasks`.
    Raises: StoreError: The store or the counts of a part cannot be read; and as `run_tasks`.
    """
    study = _StudyPart(store.absolute(), folder.absolute(), options)
    with CaptureStore(store, read_only=True) as captures:
        parts = list_parts(captures.last_id())
    missing = []
    for part in parts:
        if _read_counts(_path(folder, part.number)) is None:
            missing.append(part)
        else:
            advance(part.last - part.first + 1)
    for part, _ in run_tasks(partial(_count_part, study), missing, processes=processes, engine=engine):
        advance(part.last - part.first + 1)
    # In this order, the sum does not depend on which part was complete first.
    return list(_rows(_sum((_part_counts(study, part) for part in parts), options), options))


def _sum(parts: Iterable[Counter[_Key]], options: StudyOptions) -> Counter[_Key]:
    if get_recipe(options.recipe).tables is None:
        return sum_of_names(parts)
    total: Counter[_Key] = Counter()
    for counts in parts:
        total.update(counts)
    return total


def _part_counts(study: _StudyPart, part: Part) -> Counter[_Key]:
    path = _path(study.folder, part.number)
    counts = _read_counts(path)
    if counts is None:
        raise StoreError(f"{quoted(str(path))} is damaged or missing: run the command again")
    return counts


def _path(folder: Path, number: int) -> Path:
    return folder / f"counts-{number:08d}.json"


def _read_counts(path: Path) -> Counter[_Key] | None:
    rows = read_checked(path)
    if rows is None:
        return None
    return Counter({(period, subject, measure, label): count for period, subject, measure, label, count in rows})


def _count_part(study: _StudyPart, part: Part) -> None:
    with CaptureStore(study.store, read_only=True) as store:
        counts = _sum(_file_counts(study.options, store, part), study.options)
    write_checked(_path(study.folder, part.number), [[*key, count] for key, count in counts.items()])


def _file_counts(options: StudyOptions, store: CaptureStore, part: Part) -> Iterator[Counter[_Key]]:
    policy, recipe = get_policy(options.policy), get_recipe(options.recipe)
    for _, capture in store.files(part.first, part.last):
        period = period_of(capture, options.period)
        file = resolve_capture(capture, store, policy)
        yield Counter([(period, *cell) for cell in recipe.cells(file, options.agents)])


def period_of(capture: Capture, period: str) -> str:
    """Return the period of a capture, such as `2026-05`, or an empty text if its time is unknown.

    A crawl of Common Crawl is known by the name of the archive, which has that of the crawl or is in a folder with it.
    """
    if period == _CRAWL:
        crawl = _CRAWL_NAME.search(capture.source)
        return "" if crawl is None else crawl[0]
    form = _PERIOD_FORMATS.get(period)
    if form is None or capture.time is None:
        return ""
    return datetime.fromtimestamp(capture.time, UTC).strftime(form)


def _rows(counts: Counter[_Key], options: StudyOptions) -> Iterator[Row]:
    recipe = get_recipe(options.recipe)
    if recipe.tables is None:
        found = ranked_counts(counts, options.agents)
    else:
        found = _table_counts(counts, list(recipe.tables(options.agents)))
    for key, count, total in found:
        # A subject without files in a period has no share.
        yield (options.recipe, *key, count, count / total if total else None)


def _table_counts(counts: Counter[_Key], tables: list[Table]) -> Iterator[tuple[_Key, int, int]]:
    """Yield each cell of some tables in each period, with its count, and that of all classes of its table."""
    others: dict[tuple[str, str], set[str]] = {}
    for _, subject, measure, label in counts:
        others.setdefault((subject, measure), set()).add(label)
    for period in sorted({key[0] for key in counts}):
        for subject, measure, labels, is_open in sorted(tables):
            more = sorted(others.get((subject, measure), set()).difference(labels), key=_order) if is_open else ()
            found = {label: counts[period, subject, measure, label] for label in (*labels, *more)}
            total = sum(found.values())
            for label, count in found.items():
                yield (period, subject, measure, label), count, total


def _order(label: str) -> tuple[float, str]:
    """Return the order of a class: that of a number, or else after all numbers."""
    return (float(label), label) if label.replace(".", "", 1).isdecimal() else (inf, label)
