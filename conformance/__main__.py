"""Puts every case to an implementation and says which answers are right: `python -m conformance --help`.

An implementation is reached in one of two ways, which README.md describes: a program that stays and answers a line of
JSON with a line of JSON (`--program`), or a command that is run for each question (`--command`).
"""

import argparse
import base64
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conformance.cases import Answer, Case, Question, load

type_of_asker = Callable[[Question], "Answer | str"]


def main(arguments: list[str] | None = None) -> int:
    """Run the cases. 0: all answers were right. 1: some were not. 2: the cases could not be put."""
    options = _options(arguments)
    cases = [case for case in load() if _wanted(case, options)]
    if options.export:
        for case in cases:
            for question in case.questions():
                print(json.dumps(exported(question)))
        return 0
    if not cases:
        print("conformance: no case is left by --file, --id, --level and --profile", file=sys.stderr)
        return 2
    try:
        with _asker(options) as ask:
            return _run(cases, ask, options)
    except (OSError, ValueError) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m conformance", description=__doc__.partition("\n")[0])
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--program", metavar="COMMAND", help="a program that reads questions and writes answers")
    way.add_argument("--command", metavar="TEMPLATE", help="a command with {robots}, {agent}, {url} and {profile}")
    way.add_argument("--export", action="store_true", help="write the questions and their answers as lines of JSON")
    parser.add_argument("--profile", action="append", help="only these profiles")
    parser.add_argument("--level", action="append", help="only cases of these levels, such as MUST")
    parser.add_argument("--file", action="append", help="only cases of files whose path begins so, such as rfc9309/")
    parser.add_argument("--id", action="append", help="only cases whose id begins so")
    parser.add_argument("--no-lines", action="store_true", help="compare verdicts, not lines")
    parser.add_argument("--no-reasons", action="store_true", help="do not compare reasons")
    parser.add_argument("--quiet", action="store_true", help="write only what is wrong, and the total")
    return parser.parse_args(arguments)


def _wanted(case: Case, options: argparse.Namespace) -> bool:
    def begins(text: str, starts: list[str] | None) -> bool:
        return starts is None or text.startswith(tuple(starts))

    profiles = options.profile is None or bool(set(options.profile) & set(case.profiles))
    level = options.level is None or case.level in options.level
    return profiles and level and begins(case.file, options.file) and begins(case.id, options.id)


def _run(cases: list[Case], ask: type_of_asker, options: argparse.Namespace) -> int:
    totals: Counter[str] = Counter()
    for case in cases:
        wrong, skipped = [], ""
        for question in case.questions():
            if options.profile is not None and question.profile not in options.profile:
                continue
            answer = ask(question)
            if isinstance(answer, str):
                skipped = answer
            elif not answer.meets(
                question.expected, compare_lines=not options.no_lines, compare_reasons=not options.no_reasons
            ):
                wrong.append(f"  {described(question)}\n    expected {question.expected}\n    answered {answer}")
        outcome = "FAIL" if wrong else "skip" if skipped else "pass"
        totals[outcome] += 1
        if wrong or not options.quiet:
            print(f"{outcome} {case.id} [{case.level}; {case.source}]", skipped if outcome == "skip" else "")
        if wrong:
            print("\n".join([f"  {case.why}", *wrong]))
    print(f"{totals['pass']} passed, {totals['FAIL']} failed, {totals['skip']} skipped, of {len(cases)} cases")
    return 1 if totals["FAIL"] else 0


def described(question: Question) -> str:
    """Say on one line what was asked; long URLs are cut."""
    url = question.url if len(question.url) <= 100 else question.url[:80] + b"... (%d octets)" % len(question.url)
    names = question.agents or (f"{question.user_agent}",)
    agents = ", ".join(name if len(name) <= 40 else f"{name[:40]}..." for name in names)
    return f"{question.profile}: {agents} asks for {url.decode('utf-8', 'backslashreplace')!r}"


def asked(question: Question) -> dict[str, Any]:
    """Give a question as the object that a program reads."""
    return {
        "id": question.case,
        "profile": question.profile,
        "agents": list(question.agents),
        "user_agent": question.user_agent,
        "star_applies": question.star_applies,
        "robots": base64.b64encode(question.robots).decode(),
        "robots_url": question.robots_url,
        "max_bytes": question.max_bytes,
        "url": base64.b64encode(question.url).decode(),
    }


def exported(question: Question) -> dict[str, Any]:
    """Give a question and its answer as one object."""
    answer = {key: value for key, value in question.expected._asdict().items() if value is not None}
    return {**asked(question), "expected": answer}


def understood(text: str) -> "Answer | str":
    """Read an answer: the object, or the first of a list of them. A text is why the question is skipped."""
    value = json.loads(text)
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        raise ValueError(f"an answer is an object of JSON, not {text.strip()[:80]!r}")  # noqa: TRY004
    if "skip" in value:
        return str(value["skip"])
    line, reason, allowed = value.get("line"), value.get("reason"), value.get("allowed")
    if line is None and "rule" in value:
        line = value["rule"]["line"] if value["rule"] else 0
    if allowed is None:
        return Answer(error=str(value.get("error")))
    return Answer(bool(allowed), line, reason)


@contextmanager
def _asker(options: argparse.Namespace) -> Iterator[type_of_asker]:
    with _program(options.program) if options.program else _command(options.command) as ask:
        yield ask


@contextmanager
def _program(command: str) -> Iterator[type_of_asker]:
    """Start a program that stays: a line with a question in, a line with an answer out."""
    with subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        stdin, stdout = program.stdin, program.stdout
        assert stdin is not None
        assert stdout is not None

        def ask(question: Question) -> "Answer | str":
            stdin.write(json.dumps(asked(question)) + "\n")
            stdin.flush()
            line = stdout.readline()
            if not line:
                raise ValueError(f"the program ended at {question.case}, exit code {program.wait()}")
            return understood(line)

        yield ask
        stdin.close()


@contextmanager
def _command(template: str) -> Iterator[type_of_asker]:
    """Run a command for each question, with the file on disk; the exit code speaks where the output is no JSON."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "robots.txt")

        def ask(question: Question) -> "Answer | str":
            if len(question.agents) != 1 or not question.star_applies:
                return "a command is asked for one product token, with `*`"
            if len(question.url) > 100_000 or b"\0" in question.url:
                return "no command line holds this URL"
            for key, value in (("{robots_url}", question.robots_url), ("{max_bytes}", question.max_bytes)):
                if value is not None and key not in template:
                    return f"the command has no {key}"
            path.write_bytes(question.robots)
            words = filled(template, question, path)
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            if done.stdout.lstrip().startswith(("{", "[")):
                answer = understood(done.stdout)
                if isinstance(answer, Answer) and answer.error is not None:
                    # What a person reads: that it is an error has to do.
                    return answer._replace(error=question.expected.error or answer.error)
                return answer
            if done.returncode in {0, 1}:
                return Answer(done.returncode == 0)
            return Answer(error=question.expected.error or done.stderr.strip() or f"exit code {done.returncode}")

        yield ask


def filled(template: str, question: Question, path: Path) -> list[str]:
    """Put a question into a command; words with {robots_url} or {max_bytes} go where the question has none."""
    values = {
        "{robots}": str(path),
        "{agent}": question.agents[0],
        "{url}": os.fsdecode(question.url),
        "{profile}": question.profile,
        "{robots_url}": question.robots_url,
        "{max_bytes}": None if question.max_bytes is None else str(question.max_bytes),
    }
    without = [key for key, value in values.items() if value is None]
    words = [word for word in shlex.split(template) if not any(key in word for key in without)]
    for key, value in values.items():
        words = [word.replace(key, value or "") for word in words]
    return words


if __name__ == "__main__":
    sys.exit(main())
