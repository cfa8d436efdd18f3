"""`canfetch fmt`: one way of writing a robots.txt, with every verdict as it was."""

import sys
from contextlib import closing
from typing import Any, Final, NamedTuple, NoReturn

import click

from canfetch.author.formatting import FormatResult, format_robots
from canfetch.cli.decisions.options import STANDARD_INPUT
from canfetch.cli.decisions.verdict_rows import JsonWriter, as_given
from canfetch.cli.linting.diffs import difference_lines
from canfetch.cli.linting.sources import is_origin, read_source, sources_of
from canfetch.cli.shared.output_files import rewrite, to_standard_output
from canfetch.cli.shared.problems import ALLOWED, DISALLOWED, UNCOMPUTED, Problem, cropped
from canfetch.cli.shared.progress import progress_of
from canfetch.cli.shared.terminal import is_terminal, shown

_LEFT: Final = {
    "records": "how records are written",
    "group-gaps": "blank lines between groups",
    "blank-lines": "blank lines",
}


class FormatQuestion(NamedTuple):
    """The options of `canfetch fmt`, as given."""

    names: tuple[str, ...]
    check: bool
    diff: bool
    format: str

    @property
    def writes(self) -> bool:
        """Whether files are written."""
        return not self.check and not self.diff


class _Done(NamedTuple):
    """What became of one file; `problem` is in a line why nothing did."""

    name: str
    before: bytes
    result: FormatResult
    problem: str

    @property
    def changed(self) -> bool:
        return self.result.content != self.before


def _run(**given: Any) -> NoReturn:
    question = FormatQuestion(**given)
    names = tuple(sources_of(question.names or ("robots.txt",)))
    if any(map(is_origin, names)):
        raise Problem("what is fetched cannot be written back: save it, and give the file")
    if names.count(STANDARD_INPUT) > 1:
        raise Problem("standard input can be read once: give - once")
    if question.format != "text" and not question.check:
        raise Problem(f"--format {question.format} tells what would change: give --check, too")
    click.get_current_context().exit(_format(question, names))


def _format(question: FormatQuestion, names: tuple[str, ...]) -> int:
    writer = None if question.format == "text" else JsonWriter(lines=question.format == "ndjson")
    code = ALLOWED
    with closing(progress_of(len(names), wanted=not is_terminal(sys.stdout))) as progress:
        for done in map(_done, names):
            if done.problem:
                code = UNCOMPUTED
                progress.say(f"canfetch: {cropped(done.problem)}")
            elif done.changed and not question.writes:
                code = max(code, DISALLOWED)
            if writer is None:
                _tell(question, done)
            else:
                writer.write(_json(done))
            progress.advance(1)
    if writer is not None:
        writer.end()
    return code


def _done(name: str) -> _Done:
    source = read_source(name)
    if source.given is None:
        return _Done(name, b"", FormatResult(b"", source.problem), source.problem)
    result = format_robots(source.given.content)
    problem = f"{name} is not formatted: {result.refusal}" if result.refusal else ""
    return _Done(name, source.given.content, result, problem)


def _tell(question: FormatQuestion, done: _Done) -> None:
    if question.diff:
        sys.stdout.writelines(difference_lines(done.name, done.before, done.result.content))
    elif done.name == STANDARD_INPUT and question.writes:
        # Also where it is refused: a pipe that loses the file would be worse.
        to_standard_output(done.result.content)
    elif done.changed:
        if question.writes:
            rewrite(done.name, done.result.content)
        left = ", ".join(_LEFT[name] for name in done.result.skipped)
        said = "written anew" if question.writes else "would be written anew"
        because = f"; left as it is, since verdicts would change: {left}" if left else ""
        sys.stdout.write(f"{shown(done.name)}: {said}{because}\n")


def _json(done: _Done) -> dict[str, Any]:
    return {
        "name": as_given(done.name),
        "changed": done.changed,
        "refusal": done.result.refusal,
        "skipped": list(done.result.skipped),
    }


command: Final = click.Command(
    "fmt",
    params=[
        click.Argument(["names"], nargs=-1, metavar="[FILE|FOLDER|-]..."),
        click.Option(["--check"], is_flag=True, help="Write nothing; exit 1 where something would change."),
        click.Option(["--diff"], is_flag=True, help="Write nothing; show what would change, and exit 1."),
        click.Option(
            ["--format"],
            type=click.Choice(("text", "json", "ndjson")),
            default="text",
            show_default=True,
            help="How --check tells it.",
        ),
    ],
    callback=_run,
    short_help="Put a robots.txt into order, with every verdict kept.",
    help="""Write robots.txt files in their one form: keys as the RFC writes them, single blank lines, LF at line ends.

    Comments, values and the order of lines stay. Every verdict stays in every profile, which is proved each time; a
    file of which that cannot be said is left as it is. A folder stands for every robots.txt below it, - for standard
    input, which is written to standard output; without any, robots.txt in this folder.""",
    epilog="""\b
Examples:
  canfetch fmt robots.txt
  canfetch fmt public/ --check
  canfetch fmt - < robots.txt

\b
Exit code: 0 done, 1 --check or --diff found what would change, 2 some file cannot be read or formatted.""",
)
