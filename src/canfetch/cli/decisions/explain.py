"""`canfetch explain`: the verdict with the line that decides, and all that led to it."""

import sys
import time
from typing import Final

import click

from canfetch.cli.decisions.excerpts import FileQuotes
from canfetch.cli.decisions.options import Question, question_command
from canfetch.cli.decisions.profile_comparison import Readings
from canfetch.cli.decisions.robots_files import RobotsFile
from canfetch.cli.decisions.run import Answer, Session
from canfetch.cli.decisions.verdict_rows import write_answers
from canfetch.cli.shared.agent_arguments import Asker
from canfetch.cli.shared.terminal import Palette, shown, wants_color
from canfetch.core.engines import engine_name
from canfetch.core.profiles import PROFILES
from canfetch.core.verdict import GroupChoice, Reason, Rule, Verdict

_LINES_NAMED: Final = 8
_REASONS: Final = {
    Reason.ROBOTS_TXT: "/robots.txt is always allowed, whatever the rules say",
    Reason.NO_GROUP: "no group of the file is for it, so nothing is disallowed",
    Reason.NO_MATCH: "no rule of its group matches, so nothing disallows it",
}
_HABITS: Final = {
    "may-not": "its operator says that robots.txt may not apply to it",
    "no": "its operator says that it does not follow robots.txt",
    "not-documented": "its operator does not say whether it follows robots.txt",
}


@question_command(
    "explain",
    short="Say it, and show all that led to it.",
    text="""Say whether an agent may fetch a URL, and explain it.

    Shown are the line that decides, the rules that matched too and lost, the group and why it was chosen,
    the target as it was compared, and who was asked by which engine.""",
    epilog="""\b
Examples:
  canfetch explain https://example.com/fish --agent ExampleBot
  canfetch explain /fish --agent Googlebot-Image --robots robots.txt --profile googlebot
  canfetch explain /fish --agent GPTBot --robots robots.txt --all-profiles
  curl -sS https://example.com/robots.txt | canfetch explain /fish --agent GPTBot --robots -

\b
With --all-profiles there is one line a reading; ! marks those that disagree with --profile. json, ndjson and
csv are those of 'canfetch check', with a verdict for each profile where all are asked.

\b
Exit code: 0 all allowed, 1 some URL is not, 2 some verdict could not be computed.""",
    more=[
        click.Option(
            ["--all-profiles"],
            is_flag=True,
            help="Read the file by every profile, and mark where they disagree.",
        )
    ],
)
def command(question: Question) -> int:
    """Answer, and give the exit code."""
    with Session(question) as session:
        if question.quiet:
            session.settle()
        else:
            write_answers(session, Readings if question.all_profiles else Explanations)
        return session.exit_code


class Explanations:
    """A few lines for each verdict."""

    def __init__(self, session: Session) -> None:
        question = session.question
        self._palette = Palette(on=wants_color(no_color=question.no_color))
        self._askers = session.askers
        alone = PROFILES[question.profile].robotparser
        engine = "python" if alone else question.engine or engine_name()
        self._read_by = f"profile {question.profile}, engine {engine}"
        self._started = False

    def write(self, answer: Answer) -> None:
        """Write what there is to say of one URL; without verdicts, standard error has said it."""
        for asker, verdict in zip(self._askers, answer.verdicts, strict=False):
            if self._started:
                sys.stdout.write("\n")
            self._started = True
            sys.stdout.write("".join(f"{line}\n" for line in self._lines(answer, asker, verdict)))

    def end(self) -> None:
        """Nothing belongs at the end."""

    def _lines(self, answer: Answer, asker: Asker, verdict: Verdict) -> list[str]:
        paint = self._palette
        status = paint.good("allowed") if verdict.allowed else paint.bad("disallowed")
        may = "may" if verdict.allowed else "may not"
        first = f"{status}: {paint.strong(shown(asker.name))} {may} fetch {shown(answer.url)}"
        lines = [first, f"  {reason_text(verdict)}", ""]
        lines += self._quotes(answer.file, verdict)
        if lines[-1]:
            lines.append("")
        facts = [
            ("group", group_text(verdict)),
            ("target", shown(verdict.to_json()["target"])),
            ("asked as", _chain_text(asker)),
            ("read by", self._read_by),
            *fetched_facts(verdict),
            *(("note", note) for note in notes_on(asker)),
        ]
        lines += [f"  {paint.faint(f'{name:8}')}  {text}" for name, text in facts]
        return lines

    def _quotes(self, file: RobotsFile | None, verdict: Verdict) -> list[str]:
        quoted = None if file is None else file.quoted()
        if quoted is None:
            return []
        quotes = FileQuotes(quoted.robots, shown(quoted.name), self._palette)
        lines: list[str] = []
        if verdict.rule is not None:
            lines += quotes.of_rule(verdict.rule, verdict.group.lines, note=_octets(verdict.rule))
        elif verdict.group.lines:
            lines += quotes.of_group(verdict.group.lines)
        if verdict.also_matched:
            lost = "matched too, and lost" if verdict.rule is not None else "matched, and did not count"
            lines += ["", f"  {self._palette.strong(lost)}"]
            losers = verdict.also_matched
            if PROFILES[verdict.profile].first_match:
                lines += quotes.of_losers([(rule, "a later line") for rule in losers])
            else:
                lines += quotes.of_losers([(rule, losing_text(rule, verdict.rule)) for rule in losers])
        return lines


def fetched_facts(verdict: Verdict) -> list[tuple[str, str]]:
    """Say how the file was come by, where it was fetched."""
    facts = verdict.access
    if facts is None:
        return []
    at = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(facts.fetched_at))
    how = "none, as of" if facts.sha256 is None else "fetched"
    return [
        ("file", f"{shown(facts.robots_url)}, {how} {at}"),
        ("access", f"{facts.access}, {facts.effect}: {shown(facts.explanation)} (policy {facts.policy})"),
    ]


def reason_text(verdict: Verdict) -> str:
    """Say in one sentence why."""
    rule = verdict.rule
    if verdict.reason in _REASONS:
        return _REASONS[verdict.reason]
    if rule is None:
        return shown(verdict.explanation)
    if verdict.reason is Reason.EMPTY_RULE:
        return f"line {rule.line} decides: an empty rule matches everything, and disallows nothing"
    if PROFILES[verdict.profile].first_match and verdict.also_matched:
        return f"line {rule.line} decides: of the rules that match, the first wins"
    if any(other.specificity == rule.specificity and other.allow != rule.allow for other in verdict.also_matched):
        return f"line {rule.line} decides: between rules of equal length, allow wins"
    if verdict.also_matched:
        return f"line {rule.line} decides: of the rules that match, the longest wins"
    return f"line {rule.line} decides: it is the only rule that matches"


def losing_text(rule: Rule, winner: Rule | None) -> str:
    """Say why a rule that matched did not decide."""
    if winner is None:
        return _octets(rule)
    if rule.specificity < winner.specificity:
        return f"{_octets(rule)}: shorter"
    if winner.allow and not rule.allow:
        return f"{_octets(rule)}: as long, and allow wins"
    return f"{_octets(rule)}: as long, and a later line"


def group_text(verdict: Verdict) -> str:
    """Say which group was used, and why that one."""
    group = verdict.group
    token = shown(group.token or "")
    first = shown(verdict.agent.tokens[0])
    if verdict.access is not None and verdict.access.sha256 is None:
        return "none: there is no file to look in"
    if group.choice is GroupChoice.NONE:
        star = "" if verdict.agent.star_applies else ", and * is not for it"
        return f"none: no line names {_any_of(verdict)}{star}"
    where = _line_numbers(group.lines)
    if group.choice is GroupChoice.OWN_TOKEN or token == first:
        return f"{token}, {where}: its own token"
    return f"{token}, {where}: no line names {_any_of(verdict, before=group.token)}"


def notes_on(asker: Asker) -> list[str]:
    """Say what the registry knows of a crawler and a robots.txt cannot tell."""
    crawler = asker.crawler
    if crawler is None:
        return []
    notes = []
    if crawler.token_only:
        notes.append(f"{crawler.name} fetches nothing: it is a word to {crawler.operator}'s other crawlers")
    if crawler.obeys in _HABITS:
        notes.append(f"{crawler.name} ({crawler.operator}): {_HABITS[crawler.obeys]} (checked {crawler.checked})")
    return notes


def _chain_text(asker: Asker) -> str:
    text = shown(asker.chain)
    return f"{text} (from the registry; see --exact)" if asker.is_chain else text


def _any_of(verdict: Verdict, before: str | None = None) -> str:
    tokens = list(verdict.agent.tokens)
    if before in tokens:
        tokens = tokens[: tokens.index(before)]
    elif before is None and verdict.agent.star_applies and "*" not in tokens:
        tokens.append("*")
    return " or ".join(map(shown, tokens))


def _line_numbers(lines: tuple[int, ...]) -> str:
    if len(lines) == 1:
        return f"line {lines[0]}"
    more = f" and {len(lines) - _LINES_NAMED} more" if len(lines) > _LINES_NAMED else ""
    return f"lines {', '.join(map(str, lines[:_LINES_NAMED]))}{more}, merged"


def _octets(rule: Rule) -> str:
    return "1 octet" if rule.specificity == 1 else f"{rule.specificity} octets"
