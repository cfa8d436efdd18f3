"""The counts of a recipe over the captures of a store, by several processes."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from canfetch.access.policies import get_policy
from canfetch.bulk.archives.archive_job import Part, list_parts
from canfetch.bulk.archives.capture_store import CaptureStore
from canfetch.bulk.archives.resolution import resolve_capture
from canfetch.bulk.reading.captures import Capture
from canfetch.bulk.studies.recipes import get_recipe
from canfetch.bulk.writing.columns import Column, ColumnType, Row, Schema
from canfetch.bulk.writing.part_files import read_checked, write_checked
from canfetch.bulk.writing.processes import run_tasks

PERIODS: Final = ("month", "year", "day", "none")
_PERIOD_FORMATS: Final = {"month": "%Y-%m", "year": "%Y", "day": "%Y-%m-%d"}
STUDY: Final = Schema(
    "canfetch.study/1",
    (
        Column("study", ColumnType.TEXT, "The recipe."),
        Column("period", ColumnType.TEXT, "The month, year or day of the captures."),
        Column("subject", ColumnType.TEXT, "The agent, `any agent`, `all agents`, or `*`."),
        Column("measure", ColumnType.TEXT, "What is measured, such as the name of a definition."),
        Column("class", ColumnType.TEXT, "The class of files."),
        Column("files", ColumnType.INTEGER, "The number of files."),
        Column("share", ColumnType.NUMBER, "Their share of the files with this period, subject and measure."),
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
    """
    total: Counter[_Key] = Counter()
    with CaptureStore(store, read_only=True) as captures:
        parts = list_parts(captures.last_id())
    missing = []
    for part in parts:
        counts = _read_counts(_path(folder, part.number))
        if counts is None:
            missing.append(part)
        else:
            total.update(counts)
            advance(part.last - part.first + 1)
    run = partial(_count_part, _StudyPart(store.absolute(), folder.absolute(), options))
    for part, counts in run_tasks(run, missing, processes=processes, engine=engine):
        total.update(counts)
        advance(part.last - part.first + 1)
    return list(_rows(total, options.recipe))


def _path(folder: Path, number: int) -> Path:
    return folder / f"counts-{number:08d}.json"


def _read_counts(path: Path) -> Counter[_Key] | None:
    rows = read_checked(path)
    if rows is None:
        return None
    return Counter({(period, subject, measure, label): count for period, subject, measure, label, count in rows})


def _count_part(study: _StudyPart, part: Part) -> Counter[_Key]:
    options = study.options
    policy, recipe = get_policy(options.policy), get_recipe(options.recipe)
    counts: Counter[_Key] = Counter()
    with CaptureStore(study.store, read_only=True) as store:
        for _, capture in store.files(part.first, part.last):
            period = period_of(capture, options.period)
            file = resolve_capture(capture, store, policy)
            counts.update((period, *cell) for cell in recipe.cells(file, options.agents))
    write_checked(_path(study.folder, part.number), [[*key, count] for key, count in counts.items()])
    return counts


def period_of(capture: Capture, period: str) -> str:
    """Return the period of a capture, such as `2026-05`, or an empty text if its time is unknown."""
    form = _PERIOD_FORMATS.get(period)
    if form is None or capture.time is None:
        return ""
    return datetime.fromtimestamp(capture.time, UTC).strftime(form)


def _rows(counts: Counter[_Key], recipe: str) -> Iterator[Row]:
    totals: Counter[tuple[str, str, str]] = Counter()
    for key, count in counts.items():
        totals[key[:3]] += count
    for key, count in sorted(counts.items()):
        yield (recipe, *key, count, count / totals[key[:3]])
