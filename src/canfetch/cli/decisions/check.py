"""`canfetch check`: one line a URL and agent, with what decided."""

import sys
from typing import Final

from canfetch.cli.decisions.options import Question, question_command
from canfetch.cli.decisions.run import Answer, Session
from canfetch.cli.decisions.verdict_rows import write_answers
from canfetch.cli.shared.agent_arguments import chain_lines
from canfetch.cli.shared.terminal import Palette, columns, is_terminal, padded, shown, terminal_columns, wants_color

# A longer URL pushes its own line, and not all the others.
_URL_COLUMNS: Final = 72
_LEAST_URL_COLUMNS: Final = 24
# What stands around a URL, with the gaps: the answer before it, a usual reason behind the agent.
_STATUS_COLUMNS: Final = 14
_REASON_COLUMNS: Final = 28


@question_command(
    "check",
    short="Say whether agents may fetch URLs.",
    text="""Say of each URL whether each agent may fetch it, and which line says so.

    A URL is absolute, or '//host/path', or a path that begins with '/'.""",
    epilog="""\b
Examples:
  canfetch check https://example.com/fish --agent ExampleBot
  canfetch check /fish /fowl --agent GPTBot --agent Googlebot-Image --robots robots.txt
  curl -sS https://example.com/robots.txt | canfetch check /fish --agent GPTBot --robots -
  canfetch check --urls-file urls.txt --agent GPTBot --robots robots.txt --format csv
  canfetch check --urls-file urls.txt --agent ExampleBot --parallel 256 --evidence evidence
  canfetch check /fish --agent GPTBot --robots robots.txt --quiet && echo allowed

\b
json is a list of objects, ndjson one object a line:
  url, agent_name, schema, allowed, reason, rule {type, pattern, line, octets} or null,
  also_matched [rule...], group {choice, token, lines}, agent {tokens, star_applies}, target, profile,
  access {access, effect, because, policy, robots_url, fetched_at, sha256}, or null: the file was given
  without a verdict: url, agent_name, allowed (null), error

\b
Exit code: 0 all allowed, 1 some URL is not, 2 some verdict could not be computed.""",
)
def command(question: Question) -> int:
    """Answer, and give the exit code."""
    with Session(question) as session:
        if question.quiet:
            session.settle()
        else:
            write_answers(session, TextWriter)
        return session.exit_code


class TextWriter:
    """One line a verdict; above them, once, the chains that the registry gave."""

    def __init__(self, session: Session) -> None:
        self._palette = Palette(on=wants_color(no_color=session.question.no_color))
        self._askers = session.askers
        self._name_columns = max(columns(shown(asker.name)) for asker in session.askers)
        self._most_columns = _URL_COLUMNS
        if is_terminal(sys.stdout):
            free = terminal_columns() - _STATUS_COLUMNS - self._name_columns - _REASON_COLUMNS
            self._most_columns = max(_LEAST_URL_COLUMNS, min(free, _URL_COLUMNS))
        urls = (columns(shown(url)) for url in session.question.urls)
        self._url_columns = max((width for width in urls if width <= self._most_columns), default=0)
        self._started = False

    def write(self, answer: Answer) -> None:
        """Write a line for each agent; a URL without verdicts has its line on standard error."""
        if not self._started:
            self._started = True
            sys.stdout.write("".join(chain_lines(self._askers, self._palette)))
        url = shown(answer.url)
        if self._url_columns < columns(url) <= self._most_columns:
            self._url_columns = columns(url)
        for asker, verdict in zip(self._askers, answer.verdicts, strict=False):
            status = self._palette.good("allowed   ") if verdict.allowed else self._palette.bad("disallowed")
            sys.stdout.write(
                f"{status}  {padded(url, self._url_columns)}  {padded(shown(asker.name), self._name_columns)}  "
                f"{self._palette.faint(shown(verdict.explanation))}\n"
            )

    def end(self) -> None:
        """Nothing belongs at the end."""
