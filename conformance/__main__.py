"""Run the conformance cases against an implementation.

There are three ways to connect an implementation, which README.md describes: a program that reads questions and writes
answers as lines of JSON (`--program`), a command that is run for each question (`--command`), or one of the adapters of
the scoreboard (`--adapter`).
"""

import argparse
import io
import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from conformance.cases import Answer, Case, Question, load
from conformance.protocol import describe, export_question, parse_answer, to_json
from conformance.quotations import quotes_of_cases
from conformance.scoreboard.builder import BuildError, build_for
from conformance.scoreboard.catalogue import BUILD, Adapter, find_adapter
from conformance.scoreboard.program import AdapterProgram
from conformance.scoreboard.results import OWN_LEVEL

Implementation = Callable[[Question], "Answer | str"]
# After this time without an answer, a program has probably not flushed its output.
NOTICE_SECONDS = 10.0


def main(arguments: list[str] | None = None) -> int:
    """Run the selected cases. Return 0 if all answers are correct, 1 if not, 2 if the cases could not be run."""
    options = _options(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Cases contain characters that not every console can encode.
        sys.stdout.reconfigure(errors="backslashreplace")
    loaded = options.adapter.cases() if options.adapter else load()
    cases = [case for case in loaded if _is_selected(case, options)]
    if options.export:
        for case in cases:
            for question in case.questions():
                print(json.dumps(export_question(question)))
        return 0
    if not cases:
        print(f"conformance: {_describe_selection(loaded)}", file=sys.stderr)
        return 2
    try:
        with _start(options) as answer_question:
            return _run(cases, answer_question, options)
    except (BuildError, OSError, ValueError) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2


def _options(arguments: list[str] | None) -> argparse.Namespace:
    # A module has the name of its file as its first argument, and an installed command its own name.
    name = Path(sys.argv[0]).stem
    program = name if name == "canfetch-conformance" else "python -m conformance"
    parser = argparse.ArgumentParser(prog=program, description=__doc__.partition("\n")[0])
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument(
        "--program", metavar="COMMAND", help="Start COMMAND once; it reads questions and writes answers as JSON lines."
    )
    mode.add_argument(
        "--command",
        metavar="TEMPLATE",
        help="Run TEMPLATE for each question, with {robots}, {agent}, {url} and {profile} filled in.",
    )
    mode.add_argument(
        "--adapter",
        metavar="NAME",
        type=find_adapter,
        help="Build and ask the adapter NAME or NAME@VERSION of the scoreboard, with its limits on time and memory.",
    )
    mode.add_argument("--export", action="store_true", help="Print all questions with their answers as JSON lines.")
    parser.add_argument("--profile", action="append", help="Use only this profile. Can be repeated.")
    parser.add_argument("--level", action="append", help="Use only cases of this level, such as MUST. Can be repeated.")
    parser.add_argument(
        "--skip-level",
        action="append",
        default=[],
        metavar="LEVEL",
        help="Leave out cases of this level, such as canfetch. Can be repeated.",
    )
    parser.add_argument(
        "--file",
        action="append",
        metavar="PREFIX",
        help="Use only files whose path has this prefix. Can be repeated.",
    )
    parser.add_argument(
        "--id", action="append", metavar="PREFIX", help="Use only cases whose ID has this prefix. Can be repeated."
    )
    parser.add_argument("--case", action="append", metavar="ID", help="Use only the case ID. Can be repeated.")
    parser.add_argument("--no-lines", action="store_true", help="Do not compare the lines of deciding rules.")
    parser.add_argument("--no-reasons", action="store_true", help="Do not compare reasons.")
    parser.add_argument(
        "--known-failures",
        type=Path,
        metavar="FILE",
        help="Ignore failures of the cases whose IDs FILE lists, one on each line; # starts a comment.",
    )
    parser.add_argument("--quiet", action="store_true", help="Print only failures and the total.")
    return parser.parse_args(arguments)


def _describe_selection(cases: list[Case]) -> str:
    profiles = sorted({profile for case in cases for profile in case.profiles})
    levels = sorted({case.level for case in cases})
    return (
        "no case matches --case, --file, --id, --level, --skip-level and --profile;"
        f" profiles: {', '.join(profiles)}; levels: {', '.join(levels)}"
    )


def _is_selected(case: Case, options: argparse.Namespace) -> bool:
    def has_prefix(text: str, prefixes: list[str] | None) -> bool:
        return prefixes is None or text.startswith(tuple(prefixes))

    profile = options.profile is None or bool(set(options.profile) & set(case.profiles))
    level = (options.level is None or case.level in options.level) and case.level not in options.skip_level
    exact = options.case is None or case.id in options.case
    return profile and level and exact and has_prefix(case.file, options.file) and has_prefix(case.id, options.id)


def _run(cases: list[Case], answer_question: Implementation, options: argparse.Namespace) -> int:
    known = _known_failures(options.known_failures)
    quotes = quotes_of_cases()
    totals: Counter[str] = Counter()
    failed_levels: Counter[str] = Counter()
    for case in cases:
        wrong, skipped = [], ""
        for question in case.questions():
            if options.profile is not None and question.profile not in options.profile:
                continue
            answer = answer_question(question)
            if isinstance(answer, str):
                skipped = answer
            elif not answer.matches(
                question.expected, compare_lines=not options.no_lines, compare_reasons=not options.no_reasons
            ):
                wrong.append(f"  {describe(question)}\n    expected {question.expected}\n    got      {answer}")
        outcome = "FAIL" if wrong else "skip" if skipped else "pass"
        if case.id in known and outcome != "skip":
            outcome = "known" if wrong else "fixed"
        totals[outcome] += 1
        if outcome in ("FAIL", "fixed") or not options.quiet:
            print(f"{outcome} {case.id} [{case.level}; {case.source}]", skipped if outcome == "skip" else "")
        if outcome == "FAIL":
            failed_levels[case.level] += 1
            keys = [case.id, *(f"{case.id} {policy}" for policy in case.profiles)]
            words = [f"  {quote}" for key in keys for quote in quotes.get(key, ())]
            print("\n".join([f"  {case.why}", *words, *wrong]))
    passed = totals["pass"] + totals["fixed"]
    others = f"; {totals['known']} known failures, {totals['fixed']} fixed" if known else ""
    if failed_levels:
        print(f"failed by level: {_describe_levels(failed_levels)}")
    print(f"{passed} passed, {totals['FAIL']} failed, {totals['skip']} skipped, of {len(cases)} cases{others}")
    return 1 if totals["FAIL"] else 0


def _describe_levels(failed: Counter[str]) -> str:
    levels = sorted(failed, key=lambda level: (level == OWN_LEVEL, level))
    note = " (choices of this project, which are not errors)" if OWN_LEVEL in failed else ""
    return ", ".join(f"{failed[level]} {level}" for level in levels) + note


def _known_failures(path: Path | None) -> set[str]:
    lines = [] if path is None else path.read_text("utf-8").splitlines()
    return {line.partition("#")[0].strip() for line in lines} - {""}


@contextmanager
def _start(options: argparse.Namespace) -> Iterator[Implementation]:
    if options.adapter:
        connection = _adapter(options.adapter)
    elif options.program:
        connection = _program(options.program)
    else:
        connection = _command(options.command)
    with connection as implementation:
        yield implementation


@contextmanager
def _adapter(adapter: Adapter) -> Iterator[Implementation]:
    """Build and start an adapter of the scoreboard."""
    build_for(adapter, BUILD)
    with AdapterProgram(adapter.command(), adapter.process_environment(), adapter.asks) as program:
        yield lambda question: adapter.reason_to_skip(question) or program.ask(question)


@contextmanager
def _program(command: str) -> Iterator[Implementation]:
    """Start a program that reads one question per line and writes one answer per line."""
    with subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        stdin, stdout = program.stdin, program.stdout
        assert stdin is not None
        assert stdout is not None

        def answer_question(question: Question) -> "Answer | str":
            line = ""
            # A program that has exited does not read the question. Its code says more than the broken pipe.
            with suppress(BrokenPipeError), notice_of_waiting(question.case):
                stdin.write(json.dumps(to_json(question)) + "\n")
                stdin.flush()
                line = stdout.readline()
            if not line:
                with suppress(BrokenPipeError):
                    stdin.close()
                raise ValueError(f"the program exited with code {program.wait()} at {question.case}")
            return parse_answer(line, strict=True)

        yield answer_question
        stdin.close()


def _print_notice(case: str) -> None:
    print(f"conformance: waiting for the answer to {case}; a program must flush each line of output", file=sys.stderr)


@contextmanager
def notice_of_waiting(
    case: str, notify: Callable[[str], object] = _print_notice, seconds: float = NOTICE_SECONDS
) -> Iterator[threading.Timer]:
    """Notify the user once if the block takes longer than `seconds`."""
    timer = threading.Timer(seconds, notify, [case])
    timer.daemon = True
    timer.start()
    try:
        yield timer
    finally:
        timer.cancel()


@contextmanager
def _command(template: str) -> Iterator[Implementation]:
    """Run a command for each question. The exit code is the answer, unless the output is JSON."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "robots.txt")

        def answer_question(question: Question) -> "Answer | str":
            if len(question.agents) != 1 or not question.star_applies:
                return "a command takes exactly one product token, with `*` as fallback"
            if len(question.url) > 100_000 or b"\0" in question.url:
                return "the URL does not fit on a command line"
            for key, value in (("{robots_url}", question.robots_url), ("{max_bytes}", question.max_bytes)):
                if value is not None and key not in template:
                    return f"the command does not use {key}"
            path.write_bytes(question.robots)
            words = fill_template(template, question, path)
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.stdout.lstrip().startswith(("{", "[")):
                answer = parse_answer(done.stdout)
                if isinstance(answer, Answer) and answer.error is not None:
                    # The error is free text, so any error counts as the expected one.
                    return answer._replace(error=question.expected.error or answer.error)
                return answer
            if done.returncode in {0, 1}:
                return Answer(done.returncode == 0)
            return Answer(error=question.expected.error or done.stderr.strip() or f"exit code {done.returncode}")

        yield answer_question


def fill_template(template: str, question: Question, path: Path) -> list[str]:
    """Fill in a command template. Drop words whose {robots_url} or {max_bytes} the question does not set."""
    values = {
        "{robots}": str(path),
        "{agent}": question.agents[0],
        "{url}": os.fsdecode(question.url),
        "{profile}": question.profile,
        "{robots_url}": question.robots_url,
        "{max_bytes}": None if question.max_bytes is None else str(question.max_bytes),
    }
    unset = [key for key, value in values.items() if value is None]
    words = [word for word in shlex.split(template) if not any(key in word for key in unset)]
    for key, value in values.items():
        words = [word.replace(key, value or "") for word in words]
    return words


if __name__ == "__main__":
    sys.exit(main())
