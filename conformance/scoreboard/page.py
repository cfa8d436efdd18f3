"""Write the scoreboard as Markdown pages and as JSON."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from conformance.cases import RAISED, Case
from conformance.protocol import describe
from conformance.scoreboard.catalogue import Adapter, Unavailable
from conformance.scoreboard.program import CRASHED, LARGE, MEGABYTES, SECONDS, SLOW
from conformance.scoreboard.results import (
    HOSTILE,
    LEVELS,
    OWN_LEVEL,
    SKIPPED,
    WRONG,
    CaseResult,
    Row,
    level_group,
    section,
)

PROFILES = {
    "rfc9309": "RFC 9309",
    "strict": "The grammar of RFC 9309 alone",
    "google": "Google's parser",
    "googlebot": "Googlebot",
    "google2019": "Google's specification of 2019",
    "draft1996": "The draft of 1996",
    "original1994": "The specification of 1994",
    "bing": "Bing's documentation",
    "yandex": "Yandex's documentation",
    "cpython-old": "urllib.robotparser before its rewrite",
    "cpython-new": "urllib.robotparser after its rewrite",
}
SECTIONS = {
    "2.1": "2.1 protocol",
    "2.2": "2.2 formal syntax",
    "2.2.1": "2.2.1 user-agent lines",
    "2.2.2": "2.2.2 allow and disallow lines",
    "2.2.3": "2.2.3 special characters",
    "2.2.4": "2.2.4 other records",
    "2.3": "2.3 access method",
    "2.3.1.1": "2.3.1.1 success",
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
COMMAND = "make scoreboard"
# A case is listed as widely failed if at least this share of the implementations fails it.
WIDELY = 0.5


def reproduce(adapter: Adapter, profile: str, case: Case) -> str:
    """Return the command that asks an implementation one case again."""
    return f"python -m conformance --adapter {adapter.name} --profile {profile} --case {case.id}"


def markdown(rows: Sequence[Row], missing: Sequence[Unavailable], date: dt.date) -> str:
    """Return the page with the tables."""
    implementations = list(dict.fromkeys(row.adapter for row in rows))
    parts = [
        "# Scoreboard",
        f"{len(implementations)} implementations answered the [conformance cases](conformance.md) on {date:%d %B %Y}.",
        f"`{COMMAND}` builds and asks them, and writes this page, the lists of failures and `docs/scoreboard.json`.",
        *_introduction(),
    ]
    for profile, title in PROFILES.items():
        chosen = [row for row in rows if row.profile == profile]
        if chosen:
            parts += [f"## {title}", f"Profile `{profile}`.", *_profile_tables(chosen)]
    parts += _widely_failed(rows)
    parts += ["## Implementations", *_implementations(rows)]
    if missing:
        parts += ["## Not on the scoreboard"]
        parts += ["\n".join(f"- {each.title} ({each.language}): {each.reason}" for each in missing)]
    parts += ["```{toctree}\n:maxdepth: 1\n:caption: Failures\n\n" + "\n".join(_page(each) for each in implementations)]
    return "\n\n".join(parts) + "\n```\n"


def failures_page(adapter: Adapter, rows: Sequence[Row]) -> str:
    """Return the page with the failures of one implementation. `rows` are its rows."""
    parts = [f"# Failures of {adapter.title}", f"Version {rows[0].version}, see [Scoreboard](../scoreboard.md)."]
    if not any(row.failures() for row in rows):
        parts.append("No case failed.")
    for row in rows:
        if row.failures():
            parts.append(f"## Profile {row.profile}")
            parts.append("\n".join(_failure_item(row, result) for result in row.failures()))
    return "\n\n".join(parts) + "\n"


def as_json(rows: Sequence[Row], missing: Sequence[Unavailable], date: dt.date) -> dict[str, Any]:
    """Return the same results as a JSON object."""
    return {
        "date": date.isoformat(),
        "command": COMMAND,
        "limits": {"processor_seconds": SECONDS, "megabytes": MEGABYTES},
        "implementations": [
            {
                "name": adapter.name,
                "title": adapter.title,
                "language": adapter.language,
                "registry": adapter.registry,
                "package": adapter.package,
                "claim": {"quote": adapter.claim, "source": adapter.source},
                "differs": [{"quote": quote, "source": source} for quote, source in adapter.differs],
                "profiles": [_row_json(row) for row in rows if row.adapter == adapter],
            }
            for adapter in dict.fromkeys(row.adapter for row in rows)
        ],
        "unavailable": [each._asdict() for each in missing],
    }


def _introduction() -> list[str]:
    skipped = "Questions that an interface cannot express, such as a list of agents, are skipped."
    breakdowns = "A crash or a slow answer counts at every level."
    items = [
        "An implementation is asked only in the profile that its documentation claims.",
        "Only verdicts are compared. A case passes if all its questions are answered correctly.",
        f"A cell shows how many cases passed, of those that were asked. {skipped}",
        f"Cases of the level `{OWN_LEVEL}` are choices of this project, and `MAY` is optional. Neither counts.",
        f"Each question may take {SECONDS:g} second of processor time and {MEGABYTES} MB of memory. {breakdowns}",
        "A question that crashes a program or exceeds the memory is repeated in a new process before it counts.",
        "`wrong` and `raised` (an exception) count hostile cases; `crashed`, `too slow` and `large` count all cases.",
    ]
    return ["\n".join(f"- {item}" for item in items)]


def _profile_tables(rows: Sequence[Row]) -> list[str]:
    columns = [name for name in LEVELS if any(_cell(row, _has_level(name)) for row in rows)]
    header = [
        "implementation",
        "version",
        *columns,
        *("hostile", WRONG, RAISED, CRASHED, SLOW, "large"),
        "(MAY)",
        "(own choices)",
    ]
    by_level = []
    for row in rows:
        hostile = row.outcomes(lambda result: result.case.file.startswith(HOSTILE) and result.counts)
        breakdowns = row.outcomes(lambda result: result.counts)
        by_level.append(
            [
                f"[{row.adapter.title}]({_page(row.adapter)}.md)",
                row.version,
                *(_cell(row, _has_level(name)) or "-" for name in columns),
                _cell(row, _has_level(HOSTILE)) or "-",
                f"{hostile[WRONG]}",
                f"{hostile[RAISED]}",
                *(f"{breakdowns[kind]}" for kind in (CRASHED, SLOW, LARGE)),
                *(_cell(row, _has_level(level)) or "-" for level in ("MAY", OWN_LEVEL)),
            ]
        )
    tables = [_table(header, by_level)]
    sections = [key for key in SECTIONS if any(_cell(row, _in_section(key)) for row in rows)]
    if any(row.adapter.package != "canfetch" for row in rows) and len(sections) > 1:
        tables.append("By section of the RFC, without hostile and optional cases:")
        tables.append(
            _table(
                ["section", *(row.adapter.title for row in rows)],
                [[SECTIONS[key], *(_cell(row, _in_section(key)) or "-" for row in rows)] for key in sections],
            )
        )
    return tables


def _has_level(name: str) -> Callable[[Case], bool]:
    return lambda case: level_group(case) == name


def _in_section(key: str) -> Callable[[Case], bool]:
    return lambda case: level_group(case) in LEVELS and section(case) == key


def _cell(row: Row, select: Callable[[Case], bool]) -> str:
    passed, asked = row.score(select)
    return f"{passed}/{asked}" if asked else ""


def _widely_failed(rows: Sequence[Row]) -> list[str]:
    """Return the section about cases that most implementations fail, apart from those of this project."""
    others = [row for row in rows if row.profile == "rfc9309" and row.adapter.package != "canfetch"]
    asked = Counter(result.case.id for row in others for result in row.results if result.outcome != SKIPPED)
    failed = Counter(result.case.id for row in others for result in row.failures())
    cases = {result.case.id: result.case for row in others for result in row.results}
    widely = [key for key, count in failed.most_common() if len(others) > 2 and count >= WIDELY * asked[key]]
    if not widely:
        return []
    return [
        "## Cases that most implementations fail",
        (
            "Profile `rfc9309`, without canfetch. Such a case shows a common defect, or is wrong itself: see"
            " [cases that may be wrong](conformance.md#cases-that-may-be-wrong)."
        ),
        _table(
            ["case", "source", "level", "failed", "asked"],
            [
                [_case_link(cases[key], ".."), cases[key].source, cases[key].level, f"{failed[key]}", f"{asked[key]}"]
                for key in widely
            ],
        ),
    ]


def _implementations(rows: Sequence[Row]) -> Iterable[str]:
    table = []
    versions = {row.adapter: row.version for row in rows}
    for adapter, version in versions.items():
        package = f"{adapter.registry}: `{adapter.package}`" if adapter.registry else f"`{adapter.package}`"
        quotes = "; ".join(f"“{quote}” ({source})" for quote, source in adapter.differs)
        claim = f"“{adapter.claim}” ({adapter.source})"
        table.append([adapter.title, adapter.language, f"{package} {version}", claim, quotes or "-"])
    yield _table(["implementation", "language", "package", "claim", "deliberate differences"], table)


def _failure_item(row: Row, result: CaseResult) -> str:
    assert result.failure is not None
    case, failure = result.case, result.failure
    question = _code(describe(failure.question).partition(": ")[2])
    return (
        f"- {_case_link(case, '../..')} ({case.level}; {case.source}): {case.why} {question}: expected"
        f" {_code(failure.question.expected._replace(line=None, reason=None))}, got {_code(failure.answer)}.\n\n"
        f"      {reproduce(row.adapter, row.profile, case)}\n"
    )


def _row_json(row: Row) -> dict[str, Any]:
    return {
        "profile": row.profile,
        "version": row.version,
        "levels": {name: row.score(_has_level(name)) for name in [*LEVELS, HOSTILE]},
        "sections": {key: row.score(_in_section(key)) for key in SECTIONS if _cell(row, _in_section(key))},
        "may": row.score(_has_level("MAY")),
        "own_choices": row.score(_has_level(OWN_LEVEL)),
        "outcomes": dict(row.outcomes(lambda result: result.counts)),
        "failures": [
            {
                "case": result.case.id,
                "file": f"conformance/{result.case.file}",
                "level": result.case.level,
                "source": result.case.source,
                "outcome": result.outcome,
                "question": describe(result.failure.question),
                "expected": str(result.failure.question.expected._replace(line=None, reason=None)),
                "answer": result.failure.answer,
                "command": reproduce(row.adapter, row.profile, result.case),
            }
            for result in row.failures()
            if result.failure is not None
        ],
    }


def _case_link(case: Case, root: str) -> str:
    return f"[`{case.id}`]({root}/conformance/{case.file})"


def _page(adapter: Adapter) -> str:
    return f"scoreboard/{adapter.name}"


def _code(value: object) -> str:
    """Return text as inline code. Control characters and line ends are escaped."""
    text = "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in str(value))
    fence = "``" if "`" in text else "`"
    return f"{fence}{' ' if len(fence) > 1 else ''}{text}{' ' if len(fence) > 1 else ''}{fence}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)
