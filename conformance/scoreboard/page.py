"""Build the scoreboard from the saved results: Markdown pages and a JSON file."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from conformance.cases import Case
from conformance.open_questions import OpenQuestion, find_question, open_questions
from conformance.protocol import describe
from conformance.scoreboard.badges import LABEL, badge, badge_path
from conformance.scoreboard.catalogue import ACCESS, PAGES, ROBOTS, Adapter, unavailable
from conformance.scoreboard.changes import changed_results
from conformance.scoreboard.program import CLIENT_SECONDS, MEGABYTES, SECONDS
from conformance.scoreboard.results import HOSTILE, LEVELS, OWN_LEVEL, PASSED, SKIPPED, WRONG, CaseResult, Row
from conformance.scoreboard.saved_results import Results
from conformance.scoreboard.tables import (
    FOLDER,
    SECTIONS,
    UNNAMED,
    VERSIONS,
    cell,
    has_level,
    improvement,
    in_section,
    page_path,
    profile_tables,
    table,
    versions_table,
)

# The headings of the tables, by what is asked and by profile, access policy or dialect.
PROFILES = {
    ROBOTS: {
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
    },
    ACCESS: {
        "rfc9309": "Clients: RFC 9309",
        "google": "Clients: Google's specification",
        "google2019": "Clients: Google's specification of 2019",
        "yandex": "Clients: Yandex's documentation",
        "draft1996": "Clients: the draft of 1996",
    },
    PAGES: {
        "google": "Page-level rules: Google's documentation",
        "bing": "Page-level rules: Bing's documentation",
        "yandex": "Page-level rules: Yandex's documentation",
        "apple": "Page-level rules: Apple's documentation",
        "amazon": "Page-level rules: Amazon's documentation",
        "repext": "Page-level rules: draft-illyes-repext",
        "restrictive": "Page-level rules: no documentation",
    },
}
# What a client needs for the cases about sequences of questions, as shown on the page.
NEEDS = {"kept-clients": "all of them", "clocks": "over time", "agents-of-one-client": "two agents"}
COMMAND = "make scoreboard"
INDEX = f"{FOLDER}/index.md"
JSON_FILE = "scoreboard.json"
OWN_CHOICES = "own-choices"
OWN_CHOICE_COLUMNS = ("case", "choice of this project", "left open")
OPEN_QUESTIONS = "What RFC 9309 leaves open"
# A case is listed as widely failed if at least this share of the implementations fails it.
WIDELY = 0.5
# A choice of this project is listed as disputed if at least this many implementations differ.
DISPUTED = 2


REPEAT = "The commands run in the folder that contains `conformance/`: a checkout, or the unpacked release archive."


def reproduce(adapter: Adapter, profile: str, case: Case) -> str:
    """Return the command that asks an implementation one case again."""
    return f"python -m conformance --adapter {adapter.label} --profile {profile} --case {case.id}"


def case_link(case: Case, root: str) -> str:
    """Return a link to the line of a case. `root` is the path of the repository from the page."""
    # The documentation as HTML offers the file as a download, so the line is also in the text.
    return f"[`{case.id}`, line {case.line}]({root}/conformance/{case.file}#L{case.line})"


def pages(results: Results) -> dict[str, str]:
    """Return the text of all pages and of the JSON file, by path below the folder of the documentation."""
    rows = results.rows
    found = {INDEX: index_page(results), f"{FOLDER}/{OWN_CHOICES}.md": own_choices_page(rows)}
    for adapter in dict.fromkeys(row.adapter for row in rows):
        found[f"{FOLDER}/{page_path(adapter)}"] = failures_page(
            adapter, [row for row in rows if row.adapter == adapter]
        )
    for row in rows:
        if (svg := badge(row)) is not None:
            found[badge_path(row.adapter.name)] = svg
    text = json.dumps(as_json(results), indent=1, ensure_ascii=False)
    return {**found, f"{FOLDER}/{JSON_FILE}": text + "\n"}


def index_page(results: Results) -> str:
    """Return the page with the tables."""
    rows, missing = results.rows, unavailable()
    parts = ["# Scoreboard", _summary(results)]
    for asks, profiles in PROFILES.items():
        for profile, title in profiles.items():
            chosen = [row for row in rows if (row.adapter.asks, row.profile) == (asks, profile)]
            if chosen:
                parts += [f"## {title}", *profile_tables(chosen)]
    parts += ["## Conditions", *_conditions(results)]
    parts += _not_asked(rows)
    parts += _widely_failed([row for row in rows if row.adapter.asks == ROBOTS])
    parts += ["## Implementations", *_implementations(rows)]
    if missing:
        parts += ["## Not on the scoreboard"]
        parts += ["\n".join(f"- {each.title} ({each.language}): {each.reason}" for each in missing)]
    names = [page_path(adapter).removesuffix(".md") for adapter in dict.fromkeys(row.adapter for row in rows)]
    parts += ["```{toctree}\n:maxdepth: 1\n:caption: Failures\n\n" + "\n".join([*names, OWN_CHOICES])]
    return "\n\n".join(parts) + "\n```\n"


def failures_page(adapter: Adapter, rows: Sequence[Row]) -> str:
    """Return the page with the failures of one implementation. `rows` are its rows."""
    older = f" [Older versions](#{VERSIONS.lower()}) are below." if rows[0].older else ""
    parts = [
        f"# Failures of {adapter.title}",
        f"Version {rows[0].version}, see [Scoreboard](index.md).{older} {REPEAT}",
    ]
    if any(badge(row) is not None for row in rows):
        name = badge_path(adapter.name).removeprefix(f"{FOLDER}/")
        parts.append(f"![{LABEL}]({name})")
    if not any(row.failures() for row in rows):
        parts.append("No case failed.")
    for row in rows:
        if row.failures():
            parts.append(f"## {PROFILES[adapter.asks][row.profile]}")
            parts.append("\n".join(_failure_item(row, result) for result in row.failures()))
    for row in rows:
        parts += _versions(row)
    return "\n\n".join(parts) + "\n"


def _versions(row: Row) -> list[str]:
    """Return the section about the older versions of an implementation."""
    if not row.older:
        return []
    level, before, after, asked = improvement(row)
    oldest = row.older[-1]
    verb = "improved" if after > before else "declined" if after < before else "stayed"
    numbers = f"from {before} to {after}" if after != before else f"at {after}"
    parts = [
        f"## {VERSIONS}",
        f"{row.adapter.title} {verb} {numbers} of {asked} {level} cases since {oldest.version}.",
        versions_table(row),
        f"Ask an older version: `python -m conformance --adapter {oldest.adapter.label} --profile {row.profile}`.",
    ]
    for new, old in pairwise((row, *row.older)):
        changed = [(was, now) for was, now in changed_results(old, new) if was.counts and now.counts]
        passed = [now for _was, now in changed if now.outcome == PASSED]
        failed = [now for was, now in changed if was.outcome == PASSED]
        parts.append(f"### From {old.version} to {new.version}")
        if not passed and not failed:
            parts.append("The same cases pass.")
        for title, results in (("pass", passed), ("fail", failed)):
            if results:
                items = (f"- {case_link(one.case, '../..')} ({one.case.level}): {one.case.why}" for one in results)
                parts += [f"Cases that {title} since {new.version}: {len(results)}", "\n".join(items)]
    return parts


def own_choices_page(rows: Sequence[Row]) -> str:
    """Return the page with the choices of this project on which several implementations with one claim differ."""
    parts = [
        "# Own choices on which others differ",
        (
            f"The sources of these cases are silent, so the expected result is a choice of this project. At least"
            f" {DISPUTED} implementations that claim to follow the same document decide differently. They are not"
            " wrong, and the cases do not count on the [scoreboard](index.md). The cases on which most of them"
            " differ come first. If all that were asked differ, canfetch stands alone. Exceptions and slow answers are"
            " no decisions, and are not counted. Versions of one implementation count once. `left open` names the"
            f" question that RFC 9309 leaves open: [its words]({_anchor(OPEN_QUESTIONS)}) are at the end of this page."
        ),
    ]
    questions = open_questions()
    for asks, profiles in PROFILES.items():
        for profile, title in profiles.items():
            chosen = [
                row
                for row in rows
                if (row.adapter.asks, row.profile) == (asks, profile) and row.adapter.package != "canfetch"
            ]
            if lines := _disputed(chosen, OWN_LEVEL, questions):
                parts += [f"## {title}", table([*OWN_CHOICE_COLUMNS, "differ", "asked"], lines)]
            if profile == "rfc9309" and (lines := _disputed(chosen, "google", questions)):
                parts += [
                    "### Google's documents decide",
                    (
                        "RFC 9309 is silent about these cases, too, and Google's documents are not. They count as"
                        " `Google` on the scoreboard. An implementation that claims only the RFC is not wrong."
                    ),
                    table([*OWN_CHOICE_COLUMNS, "differ", "asked"], lines),
                ]
    parts += [f"## {OPEN_QUESTIONS}", "\n".join(map(_describe_question, questions))]
    return "\n\n".join(parts) + "\n"


def _anchor(heading: str) -> str:
    return "#" + re.sub(r"[^a-z0-9 ]", "", heading.lower()).replace(" ", "-")


def _describe_question(question: OpenQuestion) -> str:
    words = " ".join(f"“{quote}”" for quote in question.quotes)
    return f"- {question.title}: {question.text} Section {question.section}: {words}"


def as_json(results: Results) -> dict[str, Any]:
    """Return the same results as a JSON object."""
    rows = results.rows
    return {
        "date": max(results.dates.values()).isoformat(),
        "command": COMMAND,
        "machine": results.machine,
        "limits": {
            "processor_seconds": SECONDS,
            "processor_seconds_of_clients": CLIENT_SECONDS,
            "megabytes": MEGABYTES,
        },
        "implementations": [
            {
                "name": adapter.name,
                "title": adapter.title,
                "asks": adapter.asks,
                "date": results.dates[adapter.name].isoformat(),
                "language": adapter.language,
                "registry": adapter.registry,
                "package": adapter.package,
                "claim": {"quote": adapter.claim, "source": adapter.source, "named": adapter.names_specification},
                "not_asked": dict(adapter.not_asked),
                "differs": [{"quote": quote, "source": source} for quote, source in adapter.differs],
                "profiles": [_row_json(row) for row in rows if row.adapter == adapter],
            }
            for adapter in dict.fromkeys(row.adapter for row in rows)
        ],
        "unavailable": [each._asdict() for each in unavailable()],
    }


def _summary(results: Results) -> str:
    kinds = Counter(adapter.asks for adapter in {row.adapter for row in results.rows})
    date = max(results.dates.values())
    return (
        f"How often do parsers ({kinds[ROBOTS]}), clients that fetch robots.txt ({kinds[ACCESS]}) and readers of"
        f" page-level rules ({kinds[PAGES]}) decide as their specification requires? They answered the"
        f" [conformance cases](../conformance.md), most recently on {date:%d %B %Y}. The name of an"
        f" implementation links to its failures. The [conditions](#conditions) are below the tables, and all results"
        f" are in the file {{download}}`{JSON_FILE} <{JSON_FILE}>`."
    )


def _conditions(results: Results) -> list[str]:
    general = [
        (
            "An implementation is asked only in the profile, access policy or dialect that its documentation claims."
            f" {UNNAMED} marks those whose documentation does not name it. They are asked RFC 9309, because it is the"
            " standard, but they do not promise to follow it."
        ),
        "Only verdicts are compared. A case passes if all its questions are answered correctly.",
        (
            "Click a version to see older versions of the library, which answered the same cases. `change` compares"
            " the newest with the oldest of them, in the first level that has cases. If there are fewer than three, the"
            " registry has no more, or [they cannot be asked](#not-on-the-scoreboard)."
        ),
        (
            "A cell shows the share of the cases that passed, and their number, of those that were asked. Questions"
            " that an interface cannot express, such as a list of agents, are skipped."
        ),
        (
            "One defect can fail many cases, and cases are not weighted. A file of cases is a topic: `topics` shows of"
            " how many an implementation passes every case that counts."
        ),
        (
            "The cases and canfetch have the same authors. Its rows show that the two agree, not that they are right:"
            " see [cases that may be wrong](../conformance.md#cases-that-may-be-wrong)."
        ),
        (
            "`Google` counts what Google's documents state where the RFC is silent. Parsers that claim only the RFC may"
            " decide otherwise."
        ),
        (
            f"Cases of the level `{OWN_LEVEL}` are choices of this project, and `MAY` is optional. Neither counts."
            f" Choices on which several implementations differ are [listed]({OWN_CHOICES}.md)."
        ),
        (
            f"Each question may take {SECONDS:g} second of processor time, {CLIENT_SECONDS:g} for a client, and"
            f" {MEGABYTES} MB of memory. A crash or a slow answer counts at every level. Processor time depends on the"
            f" machine, which was {results.machine}. Answers that take about as long as the limit may differ from run"
            " to run."
        ),
        "A question that crashes a program or exceeds the memory is repeated in a new process before it counts.",
        (
            "Each list of failures prints a command for each case. It builds the implementation from its lock file, and"
            " needs Python 3.11 or later and the tools that `conformance/adapters/README.md` lists for the language."
        ),
        (
            "Of parsers, `wrong` and `raised` (an exception) count hostile cases; `crashed`, `too slow` and `large`"
            " count all cases."
        ),
    ]
    clients = [
        "A client fetches the robots.txt of an origin on loopback that redirects, fails or responds with errors.",
        (
            "Clients that keep copies are also asked over time, with two origins and for two agents, if their"
            " interface permits it: see [what clients are not asked](#what-clients-are-not-asked)."
        ),
        "`raised` leaves the decision to the caller. Such a case does not pass, but it is not wrong.",
        "Clients have a timeout of at most ten seconds, and otherwise their default options.",
    ]
    lists = [("", general), ("Clients:", clients)]
    return [part for title, items in lists for part in (title, "\n".join(f"- {item}" for item in items)) if part]


def _not_asked(rows: Sequence[Row]) -> list[str]:
    """Return the section about questions that the interfaces of clients cannot express."""
    lines = [
        [adapter.title, NEEDS[need], reason]
        for adapter in dict.fromkeys(row.adapter for row in rows)
        for need, reason in adapter.not_asked
    ]
    if not lines:
        return []
    return [
        "## What clients are not asked",
        (
            "The cases of `conformance/access/sequences.toml` are about one client that keeps its"
            " copies. They contain only what the sources require. For time, the clock of a client is set: that which"
            " canfetch takes, and for the others in Python, `time.time`."
        ),
        table(["client", "not asked", "reason"], lines),
    ]


def _disputed(rows: Sequence[Row], level: str, questions: Sequence[OpenQuestion]) -> list[list[str]]:
    # Versions of one implementation have the same claim.
    rows = list({(row.adapter.claim, row.adapter.source): row for row in rows}.values())
    own = [result for row in rows for result in row.results if result.case.level == level]
    cases = {result.case.id: result.case for result in own}
    asked = Counter(result.case.id for result in own if result.outcome != SKIPPED)
    differ = Counter(result.case.id for result in own if result.outcome == WRONG)
    # The level of Google's documents includes much that the RFC states, too.
    found = {name: find_question(name, questions) for name in cases}
    disputed = [name for name in cases if differ[name] >= DISPUTED and (level == OWN_LEVEL or found[name])]
    disputed.sort(key=lambda name: differ[name] / asked[name], reverse=True)
    lines = []
    for name in disputed:
        question = found[name]
        left_open = question.title if question else "-"
        lines.append([case_link(cases[name], "../.."), cases[name].why, left_open, f"{differ[name]}", f"{asked[name]}"])
    return lines


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
            "Parsers with the profile `rfc9309`, without canfetch. Such a case shows a common defect, or is wrong"
            " itself: see [cases that may be wrong](../conformance.md#cases-that-may-be-wrong)."
        ),
        table(
            ["case", "source", "level", "failed", "asked"],
            [
                [case_link(cases[key], "../.."), cases[key].source, cases[key].level, f"{failed[key]}", f"{asked[key]}"]
                for key in widely
            ],
        ),
    ]


def _implementations(rows: Sequence[Row]) -> Iterable[str]:
    lines = []
    versions = {row.adapter: row.version for row in rows}
    for adapter, version in versions.items():
        package = f"{adapter.registry}: `{adapter.package}`" if adapter.registry else f"`{adapter.package}`"
        # The version that answers may be that of an interpreter in the package.
        pinned = f"{adapter.version}, with {version}" if adapter.version not in ("", version) else version
        quotes = "; ".join(f"“{quote}” ({source})" for quote, source in adapter.differs)
        claim = f"“{adapter.claim}” ({adapter.source})"
        lines.append([adapter.title, adapter.language, f"{package} {pinned}", claim, quotes or "-"])
    yield table(["implementation", "language", "package", "claim", "deliberate differences"], lines)


def _failure_item(row: Row, result: CaseResult) -> str:
    assert result.failure is not None
    case, failure = result.case, result.failure
    question = _code(describe(failure.question).partition(": ")[2])
    return (
        f"- {case_link(case, '../..')} ({case.level}; {case.source}): {case.why} {question}: expected"
        f" {_code(failure.question.expected._replace(line=None, reason=None))}, got {_code(failure.answer)}.\n\n"
        f"      {reproduce(row.adapter, row.profile, case)}\n"
    )


def _row_json(row: Row) -> dict[str, Any]:
    return {
        "profile": row.profile,
        "version": row.version,
        "released": row.adapter.released,
        "levels": _levels_json(row),
        "sections": {key: row.score(in_section(key)) for key in SECTIONS if cell(row, in_section(key))},
        "topics": row.topics(),
        "may": row.score(has_level("MAY")),
        "own_choices": row.score(has_level(OWN_LEVEL)),
        "outcomes": dict(row.outcomes(lambda result: result.counts)),
        "older": [
            {
                "version": old.version,
                "released": old.adapter.released,
                "levels": _levels_json(old),
                # The outcome of this version and of the next newer one.
                "differs": {now.case.id: (was.outcome, now.outcome) for was, now in changed_results(old, new)},
            }
            for new, old in pairwise((row, *row.older))
        ],
        "failures": [
            {
                "case": result.case.id,
                "file": f"conformance/{result.case.file}",
                "line": result.case.line,
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


def _levels_json(row: Row) -> dict[str, tuple[int, int]]:
    return {name: row.score(has_level(name)) for name in [*LEVELS, HOSTILE]}


def _code(value: object) -> str:
    """Return text as inline code. Control characters and line ends are escaped."""
    text = "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in str(value))
    fence = "``" if "`" in text else "`"
    return f"{fence}{' ' if len(fence) > 1 else ''}{text}{' ' if len(fence) > 1 else ''}{fence}"
