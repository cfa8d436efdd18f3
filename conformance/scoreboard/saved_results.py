"""The saved results: the answers of all implementations, from which the scoreboard is built.

`results.json` contains only what asking shows: versions, dates, and the answers that differ from the expected ones. It
has a line for each case with such answers:

    "ID": {"0 allowed": "protego robotspy", "1 error too slow": "urllib"}

The number is the position of the question among those of the case in this profile. `skipped` marks cases that a program
refused. Of older versions of a library, it has a line for each with the cases that differ from the next newer version:

    "protego rfc9309 0.6.2": {"version": "0.6.2", "answers": {"0 allowed": "ID ID", "": "ID"}}

The empty answer stands for the expected one. `cases` has a digest of each case that an implementation was asked, and
`not_asked` of an implementation those that it was not asked, because they are newer than its date:

    "protego": {"version": "0.7.0", ..., "not_asked": {"google/google2019.toml": "1a2b3 4c5d6"}}

Everything else comes from the cases and from `adapters.toml`.
"""

import datetime as dt
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Self

from conformance.cases import ROOT, Case, Question
from conformance.scoreboard.catalogue import LOADERS, Adapter, adapters
from conformance.scoreboard.results import PASSED, SKIPPED, CaseResult, Failure, Row, outcome_of_text

RESULTS = ROOT / "scoreboard" / "results.json"
# `like` names a case whose file and agent the table has.
_NOT_PART_OF_THE_QUESTIONS = ("why", "source", "level", "like")
_DIGITS = 5


# Of the questions of cases, by file.
Digests = Mapping[str, frozenset[str]]


class Results(NamedTuple):
    """The answers of all implementations.

    `dates` has the day on which each adapter was asked, and `digests` its cases of that day, by file: a case that
    changed since then counts as not asked. `machine` describes the machine of the last run.
    """

    rows: tuple[Row, ...]
    dates: Mapping[str, dt.date]
    digests: Mapping[str, Digests]
    machine: str

    @classmethod
    def load(cls, path: Path = RESULTS) -> Self:
        """Load the saved results.

        Adapters, profiles and cases that no longer exist are left out.
        """
        saved = json.loads(path.read_text("utf-8"))
        cases, digests = _digests_of_words(saved["cases"]), dict[str, Digests]()
        dates, rows = {}, []
        for name, adapter in adapters().items():
            entry = saved["implementations"].get(name)
            if entry is None:
                continue
            dates[name] = dt.date.fromisoformat(entry["date"])
            missed = _digests_of_words(entry.get("not_asked", {}))
            files = current_digests(adapter.asks).keys() & cases.keys()
            digests[name] = {file: cases[file] - missed.get(file, frozenset()) for file in files}
            asked = list(_asked(adapter.asks, digests[name]))
            for profile in adapter.profiles:
                if profile in entry["profiles"]:
                    answers = saved["answers"].get(f"{adapter.asks} {profile}", {})
                    found = {case: key for case, keys in answers.items() for key in keys if name in keys[key].split()}
                    row = _row(adapter, entry["version"], profile, found, asked)
                    older = _older_rows(row, found, saved.get("older", {}), asked)
                    rows.append(row._replace(older=tuple(older)))
        return cls(tuple(rows), dates, digests, saved["machine"])

    @classmethod
    def of_run(cls, rows: Sequence[Row], date: dt.date, machine: str) -> Self:
        """Return the results of a run."""
        digests = {row.adapter.name: current_digests(row.adapter.asks) for row in rows}
        return cls(tuple(rows), dict.fromkeys(digests, date), digests, machine)

    def replaced_by(self, run: Self) -> Self:
        """Return these results, with those of the adapters that `run` asked again.

        Older versions that could not be asked again keep their results. Cases that changed between the runs count as
        not asked for the other adapters, until they are asked again.
        """
        kept = [row for row in self.rows if row.adapter.name not in run.dates]
        saved = {(row.adapter.name, row.profile): row for row in self.rows}
        asked = [_with_older(row, saved.get((row.adapter.name, row.profile))) for row in run.rows]
        order = list(adapters())
        rows = sorted([*kept, *asked], key=lambda row: order.index(row.adapter.name))
        names = dict.fromkeys(row.adapter.name for row in rows)
        dates, digests = {**self.dates, **run.dates}, {**self.digests, **run.digests}
        return type(self)(
            tuple(rows), {name: dates[name] for name in names}, {name: digests[name] for name in names}, run.machine
        )

    def save(self, path: Path = RESULTS) -> None:
        """Write the results, with a line for each implementation, file of cases and case."""
        versions: dict[str, Any] = {}
        answers: dict[str, dict[str, dict[str, list[str]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(list))
        )
        older: dict[str, Any] = {}
        asked: dict[str, frozenset[str]] = {}
        for row in self.rows:
            for file, found in current_digests(row.adapter.asks).items():
                known = self.digests[row.adapter.name].get(file, frozenset())
                asked[file] = asked.get(file, frozenset()) | (found & known)
        for row in self.rows:
            for newer, each in pairwise((row, *row.older)):
                before, changed = _keys(newer), defaultdict[str, list[str]](list)
                for case, key in _keys(each).items():
                    if key != before[case]:
                        changed[key].append(case)
                older[f"{row.adapter.name} {row.profile} {each.adapter.version}"] = {
                    "version": each.version,
                    "answers": {key: " ".join(cases) for key, cases in changed.items()},
                }
            name = row.adapter.name
            entry: dict[str, Any] = {"version": row.version, "date": self.dates[name].isoformat(), "profiles": []}
            files = current_digests(row.adapter.asks)
            missed = {file: asked[file] - self.digests[name].get(file, frozenset()) for file in files}
            if any(missed.values()):
                entry["not_asked"] = {file: " ".join(sorted(found)) for file, found in missed.items() if found}
            versions.setdefault(name, entry)["profiles"].append(row.profile)
            for result in row.results:
                if key := _key(row, result):
                    answers[f"{row.adapter.asks} {row.profile}"][result.case.id][key].append(name)
        parts = {
            "machine": json.dumps(self.machine),
            "implementations": _lines(versions),
            "cases": _lines({file: " ".join(sorted(found)) for file, found in asked.items()}),
            "answers": _lines(
                {
                    profile: {
                        case: {key: " ".join(names) for key, names in found.items()} for case, found in cases.items()
                    }
                    for profile, cases in answers.items()
                },
                depth=2,
            ),
            "older": _lines(older),
        }
        body = ",\n".join(f" {json.dumps(key)}: {text}" for key, text in parts.items())
        path.write_text(f"{{\n{body}\n}}\n", encoding="utf-8")


@cache
def current_digests(asks: str) -> Digests:
    """Return the digests of the questions of all cases of a kind, by file."""
    found: dict[str, set[str]] = defaultdict(set)
    for case, digest, _ in _cases(asks):
        found[case.file].add(digest)
    return {file: frozenset(digests) for file, digests in found.items()}


def _digests_of_words(saved: Mapping[str, str]) -> Digests:
    return {file: frozenset(words.split()) for file, words in saved.items()}


def case_digest(case: Case) -> str:
    """Return a short digest of the questions of a case and their expected answers."""
    table = {key: value for key, value in case.table.items() if key not in _NOT_PART_OF_THE_QUESTIONS}
    text = json.dumps([case.id, case.profiles, table], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


@cache
def _cases(asks: str) -> list[tuple[Case, str, tuple[Question, ...]]]:
    """Return all cases of a kind, with their digests and questions."""
    return [(case, case_digest(case), tuple(case.questions())) for case in LOADERS[asks]()]


def _asked(asks: str, digests: Digests) -> Iterator[tuple[Case, tuple[Question, ...] | None]]:
    """Yield each case with its questions, or None if they are not those of the day of the run."""
    for case, digest, questions in _cases(asks):
        yield case, questions if digest in digests.get(case.file, frozenset()) else None


def _with_older(row: Row, saved: Row | None) -> Row:
    """Return a row with the saved results of older versions that it has none of."""
    if saved is None:
        return row
    found = {each.adapter.version: each for each in (*saved.older, *row.older)}
    versions = [adapter.version for adapter in row.adapter.releases()]
    return row._replace(older=tuple(found[version] for version in versions if version in found))


def _row(
    adapter: Adapter,
    version: str,
    profile: str,
    keys: Mapping[str, str],
    asked: Sequence[tuple[Case, tuple[Question, ...] | None]],
) -> Row:
    results = []
    for case, questions in asked:
        if profile not in case.profiles:
            continue
        if questions is None:
            results.append(CaseResult(case, SKIPPED, "the case changed after the last run"))
        else:
            own = [question for question in questions if question.profile == profile]
            results.append(_case_result(adapter, case, own, keys.get(case.id, "")))
    return Row(adapter, version, profile, tuple(results))


def _older_rows(
    row: Row, keys: dict[str, str], saved: Mapping[str, Any], asked: Sequence[tuple[Case, tuple[Question, ...] | None]]
) -> Iterator[Row]:
    """Yield the rows of older versions, each of which is saved as what differs from the one before."""
    releases = {adapter.version: adapter for adapter in row.adapter.releases()}
    for label, entry in saved.items():
        name, profile, version = label.split()
        if (name, profile) == (row.adapter.name, row.profile):
            keys = {**keys, **{case: key for key, cases in entry["answers"].items() for case in cases.split()}}
            if version in releases:
                yield _row(releases[version], entry["version"], profile, keys, asked)


def _case_result(adapter: Adapter, case: Case, questions: Sequence[Question], key: str) -> CaseResult:
    if key == SKIPPED:
        return CaseResult(case, SKIPPED, key)
    if key:
        number, _, answer = key.partition(" ")
        outcome = outcome_of_text(answer)
        return CaseResult(case, outcome, failure=Failure(questions[int(number)], outcome, answer))
    reasons = [adapter.reason_to_skip(question) for question in questions]
    return CaseResult(case, SKIPPED, "".join(reasons[-1:])) if all(reasons) else CaseResult(case, PASSED)


def _keys(row: Row) -> dict[str, str]:
    return {result.case.id: _key(row, result) for result in row.results}


def _key(row: Row, result: CaseResult) -> str:
    """Return the key of a result in its line, or an empty string if it can be derived from the case."""
    questions = [question for question in result.case.questions() if question.profile == row.profile]
    if result.failure is not None:
        return f"{questions.index(result.failure.question)} {result.failure.answer}"
    expressible = not all(row.adapter.reason_to_skip(question) for question in questions)
    return SKIPPED if result.outcome == SKIPPED and expressible else ""


def _lines(value: Mapping[str, Any], depth: int = 1) -> str:
    """Return an object as JSON, with a line for each value at `depth`."""
    indent = "  " if depth == 1 else " "
    items: Iterable[str] = (
        f"{indent}{json.dumps(key)}: "
        + (json.dumps(inner, ensure_ascii=False) if depth == 1 else _lines(inner, depth - 1))
        for key, inner in value.items()
    )
    return "{\n" + ",\n".join(items) + f"\n{indent[:-1]}}}"
