"""JSON, NDJSON and CSV of `check` and `explain`.

`json` is a list of objects; `ndjson` has one object per line. Objects are in the order of the URLs and, for each URL,
of the agents. An object is the verdict (`Verdict.to_json`, schema `canfetch.verdict/2`) with two keys in front, and the
facts of the file (`AgentFacts.to_json`) behind:

    url         the URL as typed; bytes that are not UTF-8 are written as escapes
    agent_name  the agent as typed; `agent.tokens` is the chain of tokens that was tried

If no verdict could be computed, the object has `url`, `agent_name`, `allowed`, which is null, and `error`, a text.

`csv` has a header and one row for each verdict: url, agent_name, allowed (`true`, `false`, or empty if it could not be
computed), reason, rule_type, rule_pattern, rule_line, rule_specificity, group_choice, group_token, target, profile,
error. Control characters are written as escapes, so that every row is one line.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from canfetch.answers.verdicts import URLVerdicts
from canfetch.cli.decisions.stated_facts import StatedFacts
from canfetch.cli.shared.row_writers import Cells, CsvWriter, JsonWriter, RowWriter, write_rows
from canfetch.core.text import display_text, printable_text

if TYPE_CHECKING:
    from canfetch.cli.decisions.run import Answer, DecisionRun

_CSV_COLUMNS: Final = (
    "url",
    "agent_name",
    "allowed",
    "reason",
    "rule_type",
    "rule_pattern",
    "rule_line",
    "rule_specificity",
    "group_choice",
    "group_token",
    "target",
    "profile",
    "error",
)


def write_answers(run: "DecisionRun", make_text_writer: "Callable[[DecisionRun], RowWriter[Answer]]") -> None:
    """Write every answer in the format that the options select.

    Args: make_text_writer: Makes the writer of the command's text format.
    Cost: O(bytes); an answer is written before the next is computed.
    """
    name = run.options.format
    if name == "text":
        write_rows(run.answers(), make_text_writer(run))
    elif name == "csv":
        write_rows((row for answer in run.answers() for row in _cells(answer.result)), CsvWriter(_CSV_COLUMNS))
    else:
        facts = StatedFacts(run)
        objects = (row for answer in run.answers() for row in facts.objects(answer))
        write_rows(objects, JsonWriter(lines=name == "ndjson"))


def _cells(result: URLVerdicts) -> Iterator[Cells]:
    url = printable_text(result.url)
    if not result.verdicts:
        for agent in result.agents:
            yield [url, printable_text(agent.name), *(None,) * 10, result.error]
    for agent, verdict in zip(result.agents, result.verdicts, strict=False):
        rule = verdict.rule
        yield [
            url,
            printable_text(agent.name),
            "true" if verdict.allowed else "false",
            str(verdict.reason),
            *((None,) * 4 if rule is None else (rule.type, display_text(rule.pattern), rule.line, rule.specificity)),
            str(verdict.group.choice),
            verdict.group.token,
            display_text(verdict.target),
            verdict.profile,
            None,
        ]
