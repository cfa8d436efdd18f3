"""The shapes that programs read: JSON, NDJSON and CSV of `check` and `explain`.

`json` is a list, `ndjson` the same objects one a line, in the order of the URLs and, for each, of the agents.
An object is the verdict's own (`Verdict.to_json`, schema `canfetch.verdict/2`) behind two keys of ours:

    url         what was asked, as given; an octet that is no UTF-8 as its escape
    agent_name  who asked, as given; `agent.tokens` is the chain that was tried

Where no verdict could be computed, the object has these two, `allowed`, which is null, and `error`, a text.

`csv` has a header and one line for each verdict: url, agent_name, allowed (`true`, `false`, or empty where it could
not be computed), reason, rule_type, rule_pattern, rule_line, rule_octets, group_choice, group_token, target,
profile, error. Control characters are written as escapes, so that a line is a row.

All are ASCII or UTF-8, and are written as the answers come: memory does not grow with the list.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Protocol, TypeVar

from canfetch.cli.decisions.run import Answer, Session
from canfetch.cli.shared.terminal import shown
from canfetch.core.text import display_text, encode_text
from canfetch.core.verdict import Verdict

CSV_COLUMNS: Final = (
    "url",
    "agent_name",
    "allowed",
    "reason",
    "rule_type",
    "rule_pattern",
    "rule_line",
    "rule_octets",
    "group_choice",
    "group_token",
    "target",
    "profile",
    "error",
)


Row = TypeVar("Row")
Row_contra = TypeVar("Row_contra", contravariant=True)
Cells = list[str | int | None]


class Writer(Protocol[Row_contra]):
    """Writes one thing after the other, and what belongs at the end."""

    def write(self, row: Row_contra, /) -> None:
        """Write one."""

    def end(self) -> None:
        """Write what belongs at the end."""


class JsonWriter:
    """A list, or one object a line."""

    __slots__ = ("_encode", "_lines", "_started")

    def __init__(self, *, lines: bool) -> None:
        import json  # noqa: PLC0415 - text needs none

        self._encode: Callable[[Any], str] = json.JSONEncoder().encode
        self._lines = lines
        self._started = False

    def write(self, row: dict[str, Any]) -> None:
        """Write one object."""
        before = "" if self._lines else ",\n" if self._started else "[\n"
        after = "\n" if self._lines else ""
        self._started = True
        sys.stdout.write(f"{before}{self._encode(row)}{after}")

    def end(self) -> None:
        """Close the list."""
        if not self._lines:
            sys.stdout.write("\n]\n" if self._started else "[]\n")


class CsvWriter:
    """A header and rows."""

    __slots__ = ("_header", "_rows")

    def __init__(self, header: Iterable[str]) -> None:
        import csv  # noqa: PLC0415 - text needs none

        self._rows = csv.writer(sys.stdout, lineterminator="\n")
        self._header: Iterable[str] | None = header

    def write(self, row: Cells) -> None:
        """Write one row; the header comes with the first, so that a run that fails at once writes nothing."""
        if self._header is not None:
            self._rows.writerow(self._header)
            self._header = None
        self._rows.writerow([shown(cell) if isinstance(cell, str) else cell for cell in row])

    def end(self) -> None:
        """Nothing belongs at the end."""


def as_given(text: str) -> str:
    """Give a URL or a name as programs get it: octets that are no UTF-8 become escapes, which mean the same."""
    return display_text(encode_text(text))


def verdict_json(url: str, agent_name: str, verdict: Verdict) -> dict[str, Any]:
    """Give the object of one verdict."""
    return {"url": as_given(url), "agent_name": as_given(agent_name), **verdict.to_json()}


def error_json(url: str, agent_name: str, error: str) -> dict[str, Any]:
    """Give the object of a verdict that could not be computed."""
    return {"url": as_given(url), "agent_name": as_given(agent_name), "allowed": None, "error": error}


def verdict_cells(url: str, agent_name: str, verdict: Verdict) -> Cells:
    """Give the CSV row of one verdict."""
    rule = verdict.rule
    return [
        as_given(url),
        as_given(agent_name),
        "true" if verdict.allowed else "false",
        str(verdict.reason),
        *((None,) * 4 if rule is None else (rule.type, display_text(rule.pattern), rule.line, rule.specificity)),
        str(verdict.group.choice),
        verdict.group.token,
        display_text(verdict.target),
        verdict.profile,
        None,
    ]


def error_cells(url: str, agent_name: str, error: str) -> Cells:
    """Give the CSV row of a verdict that could not be computed."""
    return [as_given(url), as_given(agent_name), *(None,) * 10, error]


def write_answers(session: Session, text_writer: Callable[[Session], Writer[Answer]]) -> None:
    """Write every answer, in the format that is asked for.

    Args:
        session: the run.
        text_writer: makes what writes the text of the command.
    Cost: O(octets); an answer is written before the next is computed.
    """
    name = session.question.format
    if name == "text":
        write_all(session.answers(), text_writer(session))
    elif name == "csv":
        write_all(_rows(session, verdict_cells, error_cells), CsvWriter(CSV_COLUMNS))
    else:
        write_all(_rows(session, verdict_json, error_json), JsonWriter(lines=name == "ndjson"))


def write_all(rows: Iterable[Row], writer: Writer[Row]) -> None:
    """Write rows as they come, and the end."""
    for row in rows:
        writer.write(row)
    writer.end()


def _rows(
    session: Session, of_verdict: Callable[[str, str, Verdict], Row], of_error: Callable[[str, str, str], Row]
) -> Iterator[Row]:
    for answer in session.answers():
        for place, asker in enumerate(session.askers):
            if answer.verdicts:
                yield of_verdict(answer.url, asker.name, answer.verdicts[place])
            else:
                yield of_error(answer.url, asker.name, answer.error)
