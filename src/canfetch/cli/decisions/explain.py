"""`canfetch explain`: the verdict with the deciding line and everything that led to it."""

import sys
from collections.abc import Iterator
from typing import Final

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.agent_facts import AgentFacts
from canfetch.answers.crawlers import compliance_text, token_only_text
from canfetch.answers.reasons import group_reason, losing_reason, reason_text
from canfetch.cli.decisions.options import DecisionOptions, decision_command
from canfetch.cli.decisions.profile_comparison import ProfileComparison
from canfetch.cli.decisions.robots_files import RobotsFile
from canfetch.cli.decisions.run import Answer, DecisionRun
from canfetch.cli.decisions.stated_facts import StatedFacts
from canfetch.cli.decisions.verdict_rows import write_answers
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.terminal import Palette, display_width, output_palette, pad, printable
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt
from canfetch.core.engines import engine_name
from canfetch.core.lines import line_text
from canfetch.core.profiles import PROFILES
from canfetch.core.text import abbreviated
from canfetch.core.times import rfc3339
from canfetch.core.verdict import AccessInfo, Rule, Verdict

_MAX_LINE_NUMBERS: Final = 8
_LABEL_WIDTH: Final = 8


@decision_command(
    "explain",
    summary="Explain a decision in detail.",
    description="""Check whether an agent may fetch a URL, and explain the decision.

    The output shows the deciding line, the other rules that match, the selected group, the target that patterns are
    compared with, the tokens and engine that were used, and what the file states for the agent, such as a pace.""",
    epilog="""\b
Examples:
  canfetch explain https://example.com/fish --agent ExampleBot
  canfetch explain /fish --agent Googlebot-Image --robots robots.txt --profile googlebot
  canfetch explain /fish --agent GPTBot --robots robots.txt --all-profiles
  canfetch explain https://example.com/fish --agent Googlebot --edition google2019
  curl -sS https://example.com/robots.txt | canfetch explain /fish --agent GPTBot --robots -

\b
With --all-profiles, the output has one line for each profile, and ! marks those that differ from --profile.
json, ndjson and csv are described in 'canfetch check --help'; with --all-profiles, each profile has a verdict.

\b
Exit codes: 0 all URLs are allowed, 1 some URL is disallowed, 2 an error occurred.""",
    more=[
        Option(
            ["--all-profiles"],
            is_flag=True,
            help="Parse the file with every profile, and mark the differences.",
        )
    ],
)
def command(options: DecisionOptions) -> int:
    """Write the explanations, and return the exit code."""
    with DecisionRun(options) as run:
        if options.quiet:
            run.check_all()
        else:
            write_answers(run, ProfileComparison if options.all_profiles else _TextWriter)
        return run.exit_code


class _TextWriter:
    """Writes a block of lines for each verdict."""

    def __init__(self, run: DecisionRun) -> None:
        options = run.options
        self._run = run
        self._palette = output_palette(no_color=options.no_color)
        self._agents = run.agents
        self._parser = f"profile {options.profile}, engine {options.engine or engine_name()}"
        self._facts = StatedFacts(run)
        self._started = False

    def write(self, answer: Answer) -> None:
        """Write the block of each agent. A URL without verdicts was reported on standard error."""
        stated = self._facts.of(answer)
        for agent, verdict in zip(self._agents, answer.verdicts, strict=False):
            if self._started:
                sys.stdout.write("\n")
            self._started = True
            lines = self._lines(answer, agent, verdict, stated.get(agent.name))
            sys.stdout.write("".join(f"{line}\n" for line in lines))

    def end(self) -> None:
        """Do nothing: the text has no footer."""

    def _lines(self, answer: Answer, agent: RequestedAgent, verdict: Verdict, stated: AgentFacts | None) -> list[str]:
        palette = self._palette
        status = palette.good("allowed") if verdict.allowed else palette.bad("disallowed")
        may = "may" if verdict.allowed else "may not"
        lines = [
            f"{status}: {palette.strong(printable(agent.name))} {may} fetch {printable(answer.url)}",
            f"  {_reason(verdict)}",
            "",
            *self._excerpts(answer.file, verdict),
        ]
        if lines[-1]:
            lines.append("")
        facts = [
            ("group", _group(verdict)),
            ("target", printable(verdict.to_json()["target"])),
            ("tokens", _chain(agent)),
            ("parser", self._parser),
            *([] if stated is None else stated.lines()),
            *_access_facts(verdict),
            *(("copy", note) for note in [self._run.stored_copy_note(verdict)] if note),
            *(("note", note) for note in _content_notes(verdict)),
            *(("note", note) for note in _crawler_notes(agent)),
        ]
        return [*lines, *(f"  {palette.faint(f'{label:{_LABEL_WIDTH}}')}  {text}" for label, text in facts)]

    def _excerpts(self, file: RobotsFile | None, verdict: Verdict) -> list[str]:
        source = None if file is None else file.deciding_file()
        if source is None:
            return []
        excerpts = FileExcerpts(source.robots, printable(source.name), self._palette)
        lines: list[str] = []
        if verdict.rule is not None:
            lines += excerpts.rule_lines(verdict.rule, verdict.group.lines, note=_specificity(verdict.rule))
        elif verdict.group.lines:
            lines += excerpts.group_lines(verdict.group.lines)
        if verdict.also_matched:
            heading = "also matched" if verdict.rule is not None else "matched, but does not decide"
            lines += ["", f"  {self._palette.strong(heading)}"]
            lines += excerpts.losing_rule_lines([(rule, _losing_note(rule, verdict)) for rule in verdict.also_matched])
        return lines


def _access_facts(verdict: Verdict) -> list[tuple[str, str]]:
    access = verdict.access
    if access is None:
        return []
    return [
        ("file", f"{printable(access.robots_url)}, {_fetch_time(access)}"),
        ("access", f"{access.access}, {access.effect}: {printable(access.explanation)} (policy {access.policy})"),
    ]


def _fetch_time(access: AccessInfo) -> str:
    if access.fetched_at is None:
        return "never fetched"
    state = "no copy, last attempt" if access.sha256 is None else "fetched"
    return f"{state} at {rfc3339(access.fetched_at)}"


def _content_notes(verdict: Verdict) -> tuple[str, ...]:
    """Return the notes on a file that was not fetched. The explanation of the access includes them otherwise."""
    return verdict.notes if verdict.access is None else ()


def _reason(verdict: Verdict) -> str:
    reason = reason_text(verdict)
    return reason if verdict.rule is None else f"line {verdict.rule.line} decides: {reason}"


def _losing_note(rule: Rule, verdict: Verdict) -> str:
    reason = losing_reason(rule, verdict)
    if PROFILES[verdict.profile].first_match:
        return reason
    return f"{_specificity(rule)}: {reason}" if reason else _specificity(rule)


def _group(verdict: Verdict) -> str:
    group = verdict.group
    reason = group_reason(verdict)
    return f"{printable(group.token)}, {_line_numbers(group.lines)}: {reason}" if group.token else f"none: {reason}"


def _crawler_notes(agent: RequestedAgent) -> Iterator[str]:
    crawler = agent.crawler
    if crawler is None:
        return
    if crawler.token_only:
        yield f"{crawler.name} {token_only_text(crawler)}"
    if crawler.obeys != "yes":
        yield f"{crawler.name} ({crawler.operator}) {compliance_text(crawler)} (checked {crawler.checked})"


def _chain(agent: RequestedAgent) -> str:
    text = printable(agent.chain)
    return text if agent.agent == Agent(agent.name) else f"{text} (from the registry; see --exact)"


def _line_numbers(lines: tuple[int, ...]) -> str:
    if len(lines) == 1:
        return f"line {lines[0]}"
    return f"lines {abbreviated(list(map(str, lines)), _MAX_LINE_NUMBERS)}, merged"


def _specificity(rule: Rule) -> str:
    return "1 byte" if rule.specificity == 1 else f"{rule.specificity} bytes"


# Longer lines are cut to fit on one line of a terminal.
_MAX_LINE_CHARACTERS: Final = 100
_MAX_RULE_WIDTH: Final = 48
_CUT: Final = " [...]"


class FileExcerpts:
    """Excerpts of one file.

    Cost: the first excerpt parses the file losslessly, O(bytes) in Python.
    """

    def __init__(self, robots: RobotsTxt, name: str, palette: Palette) -> None:
        self._robots = robots
        self._name = name
        self._palette = palette

    def rule_lines(self, rule: Rule, group_lines: tuple[int, ...], *, note: str) -> list[str]:
        """Return the lines of a rule under the user-agent line of its group, with a marker under its pattern."""
        width = len(str(rule.line))
        user_agent_line = max((line for line in group_lines if line < rule.line), default=None)
        lines = [self._heading(rule.line)]
        if user_agent_line is not None:
            lines.append(self._numbered(user_agent_line, width, self._line(user_agent_line)[0]))
            if user_agent_line < rule.line - 1:
                lines.append(f"  {' ' * width} {self._palette.faint('| ...')}")
        text, before, value_width = self._line(rule.line)
        marker = "^" * max(value_width, 1)
        paint = self._palette.good if rule.allow else self._palette.bad
        lines.append(self._numbered(rule.line, width, text))
        lines.append(f"  {' ' * width} {self._palette.faint('|')} {' ' * before}{paint(marker)} {paint(note)}")
        return lines

    def group_lines(self, group_lines: tuple[int, ...]) -> list[str]:
        """Return the first user-agent line of a group."""
        line = group_lines[0]
        return [self._heading(line), self._numbered(line, len(str(line)), self._line(line)[0])]

    def losing_rule_lines(self, rules: list[tuple[Rule, str]]) -> list[str]:
        """Return a line for each rule, with a note."""
        width = max(len(str(rule.line)) for rule, _ in rules)
        texts = [printable(str(rule)) for rule, _ in rules]
        # A longer rule shifts its own note only, not the column.
        widths = (display_width(text) for text in texts)
        text_width = max((text_width for text_width in widths if text_width <= _MAX_RULE_WIDTH), default=0)
        return [
            self._numbered(rule.line, width, f"{pad(text, text_width)}  {self._palette.faint(note)}")
            for text, (rule, note) in zip(texts, rules, strict=True)
        ]

    def _heading(self, line: int) -> str:
        return f"  {self._palette.faint(f'{self._name}:{line}')}"

    def _numbered(self, line: int, width: int, text: str) -> str:
        return f"  {self._palette.faint(f'{line:>{width}} |')} {text}"

    def _line(self, number: int) -> tuple[str, int, int]:
        """Return a line's text, the width of the part before its value, and the width of the value."""
        record = self._robots.records[number - 1]
        content = self._robots.content
        start, end = record.span
        value_start, value_end = record.value or (start, start)
        before = line_text(content[start:value_start]).lstrip()
        value = line_text(content[value_start:value_end])
        text = before + value + line_text(content[value_end:end].rstrip(b"\r\n"))
        if len(text) > _MAX_LINE_CHARACTERS:
            text = text[:_MAX_LINE_CHARACTERS] + _CUT
            before = before[:_MAX_LINE_CHARACTERS]
            value = value[: max(0, _MAX_LINE_CHARACTERS - len(before))]
        return text, display_width(before), display_width(value)
