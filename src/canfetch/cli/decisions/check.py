"""`canfetch check`: one line for each URL and agent, with the deciding line."""

import sys
from typing import Final

from canfetch.cli.decisions.options import DecisionOptions, decision_command
from canfetch.cli.decisions.run import Answer, DecisionRun
from canfetch.cli.decisions.stated_facts import StatedFacts
from canfetch.cli.decisions.verdict_rows import write_answers
from canfetch.cli.shared.agent_list import chain_lines
from canfetch.cli.shared.terminal import (
    display_width,
    is_terminal,
    output_palette,
    pad,
    printable,
    terminal_width,
)

# A longer URL shifts its own line only, not the column.
_MAX_URL_WIDTH: Final = 72
_MIN_URL_WIDTH: Final = 24
# The columns of the answer before the URL, and of a typical explanation after the agent, with gaps.
_ANSWER_WIDTH: Final = 14
_EXPLANATION_WIDTH: Final = 28


@decision_command(
    "check",
    summary="Check whether agents may fetch URLs.",
    description="""Check whether agents may fetch URLs, and show the line that decides.

    A URL is absolute, '//host/path', or a path that starts with '/'. Without --robots, the robots.txt of each URL's
    origin is fetched and cached. With --robots-dir or --robots-map, each URL is checked against the file of its origin,
    and a URL without a file is an error.

    A line that starts with # shows the Crawl-delay, Request-rate and Visit-time that the file states for an agent.""",
    epilog="""\b
Examples:
  canfetch check https://example.com/fish --agent ExampleBot
  canfetch check /fish /fowl --agent GPTBot --agent Googlebot-Image --robots robots.txt
  curl -sS https://example.com/robots.txt | canfetch check /fish --agent GPTBot --robots -
  canfetch check --urls-file urls.txt --agent GPTBot --robots robots.txt --format csv
  canfetch check --urls-file urls.txt --agent GPTBot --robots-dir robots
  canfetch check --urls-file urls.txt --agent ExampleBot --parallel 256 --evidence evidence
  canfetch check /fish --agent GPTBot --robots robots.txt --quiet && echo allowed

\b
json is a list of objects, ndjson has one object per line:
  url, agent_name, schema, allowed, reason, rule {type, pattern, line, specificity} or null,
  also_matched [rule...], group {choice, token, lines}, agent {tokens, star_applies}, target, profile,
  notes [text...],
  access {access, effect, explanation, policy, robots_url, fetched_at, sha256}, or null with --robots FILE,
  and what the file states for the agent, such as pace {seconds_between_requests, crawl_delay, crawl_delay_line,
  request_rates, visit_times, may_visit_now, next_visit_at}
  without a verdict: url, agent_name, allowed (null), error

\b
Exit codes: 0 all URLs are allowed, 1 some URL is disallowed, 2 an error occurred.""",
)
def command(options: DecisionOptions) -> int:
    """Write the answers, and return the exit code."""
    with DecisionRun(options) as run:
        if options.quiet:
            run.check_all()
        else:
            write_answers(run, _TextWriter)
        return run.exit_code


class _TextWriter:
    """Writes the registry's token chains, the pace that each file states, and one line for each verdict."""

    def __init__(self, run: DecisionRun) -> None:
        self._run = run
        self._palette = output_palette(no_color=run.options.no_color)
        self._agents = run.agents
        self._agent_width = max(display_width(printable(agent.name)) for agent in run.agents)
        self._max_url_width = _MAX_URL_WIDTH
        if is_terminal(sys.stdout):
            free = terminal_width() - _ANSWER_WIDTH - self._agent_width - _EXPLANATION_WIDTH
            self._max_url_width = max(_MIN_URL_WIDTH, min(free, _MAX_URL_WIDTH))
        widths = (display_width(printable(url)) for url in run.options.urls)
        self._url_width = max((width for width in widths if width <= self._max_url_width), default=0)
        self._facts = StatedFacts(run)
        self._started = False

    def write(self, answer: Answer) -> None:
        """Write a line for each agent. A URL without verdicts was reported on standard error."""
        if not self._started:
            self._started = True
            sys.stdout.write("".join(chain_lines(self._agents, self._palette)))
        sys.stdout.writelines(self._facts.pace_lines(answer, self._palette))
        url = printable(answer.url)
        if self._url_width < display_width(url) <= self._max_url_width:
            self._url_width = display_width(url)
        for agent, verdict in zip(self._agents, answer.verdicts, strict=False):
            status = self._palette.good("allowed   ") if verdict.allowed else self._palette.bad("disallowed")
            note = self._run.stored_copy_note(verdict)
            why = printable(verdict.explanation) + (f" ({note})" if note else "")
            sys.stdout.write(
                f"{status}  {pad(url, self._url_width)}  {pad(printable(agent.name), self._agent_width)}  "
                f"{self._palette.faint(why)}\n"
            )

    def end(self) -> None:
        """Do nothing: the text has no footer."""
