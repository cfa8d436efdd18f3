"""`canfetch matrix`: a table of agents and URLs.

`json` is a list of objects and `ndjson` has one object per line; there is one for each URL:

    {"url": URL, "verdicts": {NAME: {"allowed": bool, "reason": TEXT, "line": N or null}, ...}}
    also "pace": {NAME: {...}, ...}        if the file states a pace for some agent, as in `canfetch facts`
    {"url": URL, "error": TEXT}            if no verdict could be computed

`csv` has the header `url`, the names of the agents, `error`. A cell is `allowed`, `disallowed`, or empty if the verdict
could not be computed.
"""

from collections.abc import Iterator
from typing import Any

from canfetch.cli.decisions.matrix_tables import MatrixTables
from canfetch.cli.decisions.options import DecisionOptions, decision_command
from canfetch.cli.decisions.paces import Paces
from canfetch.cli.decisions.run import DecisionRun
from canfetch.cli.shared.row_writers import Cells, CsvWriter, JsonWriter, write_rows
from canfetch.core.text import printable_text


@decision_command(
    "matrix",
    summary="Compare agents and URLs in a table.",
    description="""Check every URL for every agent, and print a table.

    Each cell is 'yes' or 'no' and the number of the line that decides. A line that starts with # shows the Crawl-delay,
    Request-rate and Visit-time that the file states for an agent.""",
    epilog="""\b
Examples:
  canfetch matrix / /fish --agent GPTBot --agent Googlebot --agent bingbot --robots robots.txt
  canfetch matrix --urls-file urls.txt --agents-file agents.txt --robots robots.txt --format csv

\b
json is a list of objects, ndjson has one object per line, one for each URL:
  url, verdicts {NAME: {allowed, reason, line}}; if the file states a pace, pace {NAME: {...}} as in canfetch check;
  without verdicts: url, error
csv: url, a column for each agent (allowed, disallowed or empty), error

\b
Exit codes: 0 all URLs are allowed, 1 some URL is disallowed, 2 an error occurred.""",
)
def command(options: DecisionOptions) -> int:
    """Write the table, and return the exit code."""
    with DecisionRun(options) as run:
        if options.quiet:
            run.check_all()
        elif options.format == "text":
            write_rows(run.answers(), MatrixTables(run))
        elif options.format == "csv":
            header = ["url", *(printable_text(agent.name) for agent in run.agents), "error"]
            write_rows(_cells(run), CsvWriter(header))
        else:
            write_rows(_objects(run), JsonWriter(lines=options.format == "ndjson"))
        return run.exit_code


def _objects(run: DecisionRun) -> Iterator[dict[str, Any]]:
    paces = Paces(run)
    for answer in run.answers():
        pace = {printable_text(name): one for name, one in paces.to_json(answer.file).items()}
        yield {**answer.result.to_matrix_row(), **({"pace": pace} if pace else {})}


def _cells(run: DecisionRun) -> Iterator[Cells]:
    for answer in run.answers():
        words: Cells = ["allowed" if verdict.allowed else "disallowed" for verdict in answer.verdicts]
        yield [printable_text(answer.url), *(words or [None] * len(run.agents)), answer.result.error or None]
