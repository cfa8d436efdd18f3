"""`canfetch matrix`: a table of agents and URLs.

`json` is a list of objects and `ndjson` has one object per line; there is one for each URL:

    {"url": URL, "verdicts": {NAME: {"allowed": bool, "reason": TEXT, "line": N or null}, ...}}
    {"url": URL, "error": TEXT}            if no verdict could be computed

`csv` has the header `url`, the names of the agents, `error`. A cell is `allowed`, `disallowed`, or empty if the verdict
could not be computed.
"""

from collections.abc import Iterator

from canfetch.cli.decisions.matrix_tables import MatrixTables
from canfetch.cli.decisions.options import DecisionOptions, decision_command
from canfetch.cli.decisions.run import DecisionRun
from canfetch.cli.shared.row_writers import Cells, CsvWriter, JsonWriter, write_rows
from canfetch.core.text import printable_text


@decision_command(
    "matrix",
    summary="Compare agents and URLs in a table.",
    description="""Check every URL for every agent, and print a table.

    Each cell is 'yes' or 'no' and the number of the line that decides.""",
    epilog="""\b
Examples:
  canfetch matrix / /fish --agent GPTBot --agent Googlebot --agent bingbot --robots robots.txt
  canfetch matrix --urls-file urls.txt --agents-file agents.txt --robots robots.txt --format csv

\b
json is a list of objects, ndjson has one object per line, one for each URL:
  url, verdicts {NAME: {allowed, reason, line}}; without verdicts: url, error
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
            write_rows(
                (answer.result.to_matrix_row() for answer in run.answers()),
                JsonWriter(lines=options.format == "ndjson"),
            )
        return run.exit_code


def _cells(run: DecisionRun) -> Iterator[Cells]:
    for answer in run.answers():
        words: Cells = ["allowed" if verdict.allowed else "disallowed" for verdict in answer.verdicts]
        yield [printable_text(answer.url), *(words or [None] * len(run.agents)), answer.result.error or None]
