"""The tables of the scoreboard, in Markdown."""

from collections.abc import Callable, Iterable, Sequence

from conformance.cases import RAISED, Case
from conformance.scoreboard.catalogue import PAGES, ROBOTS, Adapter
from conformance.scoreboard.program import CRASHED, LARGE, SLOW
from conformance.scoreboard.results import HOSTILE, LEVELS, OWN_LEVEL, WRONG, Row, level_group, section

# The folder of the pages in the documentation.
FOLDER = "scoreboard"
# The heading of the older versions on the page of an implementation.
VERSIONS = "Versions"
# Topics are shown for at least this many files of cases.
TOPICS = 5
# The classes of cells, each with its least share in percent.
SHARES = {"share-all": 100, "share-most": 95, "share-many": 85, "share-some": 70, "share-few": 0}
# Marks an implementation whose documentation does not name the specification of its profile.
UNNAMED = "†"
SECTIONS = {
    "2.1": "2.1 protocol",
    "2.2": "2.2 formal syntax",
    "2.2.1": "2.2.1 user-agent lines",
    "2.2.2": "2.2.2 allow and disallow lines",
    "2.2.3": "2.2.3 special characters",
    "2.2.4": "2.2.4 other records",
    "2.3": "2.3 access method",
    "2.3.1.1": "2.3.1.1 success",
    "2.3.1.2": "2.3.1.2 redirects",
    "2.3.1.3": "2.3.1.3 unavailable",
    "2.3.1.4": "2.3.1.4 unreachable",
    "2.3.1.5": "2.3.1.5 parsing errors",
    "2.5": "2.5 limits",
    "3": "3 security",
    "5.1": "5.1 example",
    "5.2": "5.2 example",
    "errata": "errata",
    "RFC 3986": "RFC 3986",
    "Google": "Google's documents",
    "other": "other",
}


def page_path(adapter: Adapter) -> str:
    """Return the file of the page with the failures of an implementation, in the folder of the scoreboard."""
    return f"{adapter.name}.md"


def profile_tables(rows: Sequence[Row]) -> list[str]:
    """Return the tables of one profile: by level, and by section of the RFC if there are several.

    In the first table, the older versions of an implementation follow it in rows that the style sheet hides until the
    newest version is clicked.
    """
    rows = sorted(rows, key=_share, reverse=True)
    columns = [name for name in LEVELS if any(cell(row, has_level(name)) for row in rows)]
    asks = rows[0].adapter.asks
    asks_files = asks == ROBOTS
    shows_topics = max(row.topics()[1] for row in rows) >= TOPICS
    header = [
        "implementation",
        "version",
        *(["change"] if any(row.older for row in rows) else []),
        *columns,
        *([HOSTILE] if asks_files else []),
        *(["topics"] if shows_topics else []),
        *(WRONG, RAISED, CRASHED, SLOW, "large"),
        "(MAY)",
        "(own choices)",
    ]
    by_level = []
    for row in (each for newest in rows for each in (newest, *newest.older)):
        outcomes = row.outcomes(lambda result: result.counts)
        # Of files, most cases would count as wrong or raised, so only hostile ones are counted.
        answers = row.outcomes(lambda result: result.case.file.startswith(HOSTILE) and result.counts)
        if not asks_files:
            answers = outcomes
        by_level.append(
            [
                f"[{row.adapter.title}]({page_path(row.adapter)}){_mark(row.adapter)}",
                _version_cell(row),
                *([_change_cell(row)] if "change" in header else []),
                *(cell(row, has_level(name)) or "-" for name in columns),
                *([cell(row, has_level(HOSTILE)) or "-"] if asks_files else []),
                *(["/".join(f"{number}" for number in row.topics())] if shows_topics else []),
                *(f"{answers[kind]}" for kind in (WRONG, RAISED)),
                *(f"{outcomes[kind]}" for kind in (CRASHED, SLOW, LARGE)),
                *(cell(row, has_level(level)) or "-" for level in ("MAY", OWN_LEVEL)),
            ]
        )
    tables = [colored(header, by_level)]
    sections = [key for key in SECTIONS if any(cell(row, in_section(key)) for row in rows)]
    if asks != PAGES and any(row.adapter.package != "canfetch" for row in rows) and len(sections) > 1:
        tables.append("By section of the RFC, without hostile and optional cases:")
        tables.append(
            colored(
                ["section", *(row.adapter.title for row in rows)],
                [[SECTIONS[key], *(cell(row, in_section(key)) or "-" for row in rows)] for key in sections],
            )
        )
    return tables


def _version_cell(row: Row) -> str:
    if row.adapter.is_older:
        return f"[{row.version}]{{.older}} {row.adapter.released}"
    return f"<details><summary>{row.version}</summary></details>" if row.older else row.version


def _change_cell(row: Row) -> str:
    if not row.older:
        return "-"
    level, before, after, _asked = improvement(row)
    change = f"{after - before:+}" if after != before else "±0"
    return f"[{level} {change}]({page_path(row.adapter)}#{VERSIONS.lower()}) since {row.older[-1].version}"


def improvement(row: Row) -> tuple[str, int, int, int]:
    """Return the first level with cases, how many of them the oldest and the newest version pass, and of how many."""
    level = next(name for name in (*LEVELS, HOSTILE) if row.score(has_level(name))[1])
    passed, asked = row.score(has_level(level))
    return level, row.older[-1].score(has_level(level))[0], passed, asked


def versions_table(row: Row) -> str:
    """Return the table of the versions of an implementation, the newest first."""
    columns = [name for name in (*LEVELS, HOSTILE) if cell(row, has_level(name))]
    lines = [
        [each.version, each.adapter.released or "-", *(cell(each, has_level(name)) or "-" for name in columns)]
        for each in (row, *row.older)
    ]
    return colored(["version", "released", *columns], lines)


def _mark(adapter: Adapter) -> str:
    return "" if adapter.names_specification else f" {UNNAMED}"


def has_level(name: str) -> Callable[[Case], bool]:
    """Return whether a case belongs to a column of levels."""
    return lambda case: level_group(case) == name


def in_section(key: str) -> Callable[[Case], bool]:
    """Return whether a case that counts belongs to a section."""
    return lambda case: level_group(case) in LEVELS and section(case) == key


def cell(row: Row, select: Callable[[Case], bool]) -> str:
    """Return the share and the number of the selected cases that passed, of those that were asked, or nothing.

    The share is in a span of a class, by which the style sheet colours the cell. It is 100 % only if all passed.
    """
    passed, asked = row.score(select)
    if not asked:
        return ""
    percent = 100 * passed // asked
    step = next(step for step, least in SHARES.items() if percent >= least)
    return f"[{percent} %]{{.{step}}} {passed}/{asked}"


def _share(row: Row) -> float:
    passed, asked = row.score(lambda case: level_group(case) in (*LEVELS, HOSTILE))
    return passed / asked if asked else 0.0


def colored(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a wide table of shares in Markdown."""
    return f"::::{{container}} wide shares\n\n{table(header, rows)}\n\n::::"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)
