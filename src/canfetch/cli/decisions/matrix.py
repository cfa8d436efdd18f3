"""`canfetch matrix`: agents by URLs.

`json` is a list of objects, `ndjson` the same one a line, one for each URL:

    {"url": URL, "verdicts": {NAME: {"allowed": bool, "reason": TEXT, "line": N or null}, ...}}
    {"url": URL, "error": TEXT}            where no verdict could be computed

`csv` has the header `url`, the agents' names, `error`; a cell is `allowed`, `disallowed`, or empty where the verdict
could not be computed.
"""

from collections.abc import Iterator
from typing import Any

from canfetch.cli.decisions.matrix_tables import Grids
from canfetch.cli.decisions.options import Question, question_command
from canfetch.cli.decisions.run import Answer, Session
from canfetch.cli.decisions.verdict_rows import Cells, CsvWriter, JsonWriter, as_given, write_all


@question_command(
    "matrix",
    short="Draw a table of agents by URLs.",
    text="""Ask for every agent about every URL, and draw a table.

    In the table, 'yes' and 'no' say whether the agent may fetch the URL; the number is the line that decides.""",
    epilog="""\b
Examples:
  canfetch matrix / /fish --agent GPTBot --agent Googlebot --agent bingbot --robots robots.txt
  canfetch matrix --urls-file urls.txt --agents-file agents.txt --robots robots.txt --format csv

\b
json is a list of objects, ndjson one object a line, one for each URL:
  url, verdicts {NAME: {allowed, reason, line}}; without verdicts: url, error
csv: url, a column for each agent (allowed, disallowed or empty), error

\b
Exit code: 0 all allowed, 1 some URL is not, 2 some verdict could not be computed.""",
)
def command(question: Question) -> int:
    """Answer, and give the exit code."""
    with Session(question) as session:
        if question.quiet:
            session.settle()
        elif question.format == "text":
            write_all(session.answers(), Grids(session))
        elif question.format == "csv":
            header = ["url", *(as_given(asker.name) for asker in session.askers), "error"]
            write_all(_cells(session), CsvWriter(header))
        else:
            write_all(_objects(session), JsonWriter(lines=question.format == "ndjson"))
        return session.exit_code


def _objects(session: Session) -> Iterator[dict[str, Any]]:
    for answer in session.answers():
        yield {"url": as_given(answer.url), **_verdicts(session, answer)}


def _verdicts(session: Session, answer: Answer) -> dict[str, Any]:
    if not answer.verdicts:
        return {"error": answer.error}
    pairs = zip(session.askers, answer.verdicts, strict=True)
    return {
        "verdicts": {
            as_given(asker.name): {"allowed": verdict.allowed, "reason": str(verdict.reason), "line": verdict.line}
            for asker, verdict in pairs
        }
    }


def _cells(session: Session) -> Iterator[Cells]:
    for answer in session.answers():
        words: Cells = ["allowed" if verdict.allowed else "disallowed" for verdict in answer.verdicts]
        yield [as_given(answer.url), *(words or [None] * len(session.askers)), answer.error or None]
