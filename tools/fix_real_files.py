"""Fix many files with each choice of fixes, and report how many files and verdicts change.

usage: python tools/fix_real_files.py FOLDER [--every N] [--choice OPTIONS]

For each file and each profile of the table, the engine is asked about a path for every rule of both versions, for
every crawler that the file names, Googlebot, bingbot, and a crawler without a group. Files with a difference are
counted exactly, with `VerdictChanges`, which also counts those that it cannot decide. With `--every N`, only every
Nth file is fixed. `--choice` selects one row of the table.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from canfetch import RobotsTxt, parse
from canfetch.errors import InvalidProductToken, InvalidURL
from canfetch.lint import Linter, LintInput
from canfetch.lint.analysis.example_paths import example_path
from canfetch.lint.verdict_changes import VerdictChanges

_LINTER: Final = Linter(severities="all", findings_limit=None)
_PROFILES: Final = ("rfc9309", "google", "googlebot", "bing", "yandex")
_AGENTS: Final = ("Googlebot", "bingbot", "ExampleBot")


class Choice(NamedTuple):
    """A choice of fixes: the options of the command, and the arguments of `Linter.fix`."""

    options: str
    unsafe: bool = False
    for_profiles: tuple[str, ...] = ()


_CHOICES: Final = (
    Choice("--fix"),
    *(Choice(f"--fix --for {profile}", for_profiles=(profile,)) for profile in ("google", "rfc9309")),
    Choice("--unsafe-fixes", unsafe=True),
)


def questions(before: RobotsTxt, after: RobotsTxt) -> Iterator[tuple[str, str]]:
    """Yield agents and paths to ask about."""
    rules = {rule.pattern for robots in (before, after) for group in robots.groups for rule in group.rules}
    paths = sorted({path for rule in rules if (path := example_path(rule)) is not None} | {"/"})
    tokens = {token for robots in (before, after) for group in robots.groups for token in group.tokens}
    for agent in sorted({*tokens, *_AGENTS}):
        for path in paths:
            yield agent, path


def changed_answers(before: RobotsTxt, after: RobotsTxt) -> tuple[int, int]:
    """Return the number of questions, and of those with another answer."""
    asked = changed = 0
    for agent, path in questions(before, after):
        try:
            answers = before.allows(path, agent=agent), after.allows(path, agent=agent)
        except (InvalidProductToken, InvalidURL):
            continue
        asked += 1
        changed += answers[0] is not answers[1]
    return asked, changed


def main() -> int:
    """Fix all files in a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--choice", choices=[choice.options for choice in _CHOICES])
    arguments = parser.parse_args()
    paths = sorted(path for path in arguments.folder.rglob("*") if path.is_file())
    contents = [path.read_bytes() for path in paths[:: arguments.every]]
    print(f"{len(contents):,} files\n")
    print("| Options | Files changed | Fixes | " + " | ".join(f"`{profile}`" for profile in _PROFILES) + " |")
    print("| --- " * (3 + len(_PROFILES)) + "|")
    kept_promises = True
    for choice in _CHOICES:
        if arguments.choice not in (None, choice.options):
            continue
        start = time.perf_counter()
        files = fixes = asked = 0
        other_files: Counter[str] = Counter()
        other_answers: Counter[str] = Counter()
        for content in contents:
            result = _LINTER.fix(LintInput(content), unsafe=choice.unsafe, for_profiles=choice.for_profiles)
            if result.content == content:
                continue
            files += 1
            fixes += len(result.fixed)
            changes = VerdictChanges(content).changed_profiles(result.content, _PROFILES, steps=200_000)
            other_files.update(changes)
            for profile in _PROFILES:
                some, different = changed_answers(
                    parse(content, profile=profile), parse(result.content, profile=profile)
                )
                asked += some
                other_answers[profile] += different
        cells = (f"{other_files[profile]} files, {other_answers[profile]:,} answers" for profile in _PROFILES)
        print(f"| `{choice.options}` | {files:,} | {fixes:,} | {' | '.join(cells)} |", flush=True)
        print(f"{asked:,} questions in {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
        kept = choice.for_profiles or (() if choice.unsafe else _PROFILES)
        kept_promises &= not any(other_files[profile] or other_answers[profile] for profile in kept)
    return 0 if kept_promises else 1


if __name__ == "__main__":
    sys.exit(main())
