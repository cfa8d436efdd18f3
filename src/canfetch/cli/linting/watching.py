"""Looking again whenever a file changes."""

import sys
import time
from pathlib import Path
from typing import Final

import click

from canfetch.cli.decisions.options import STANDARD_INPUT
from canfetch.cli.linting.options import LintQuestion
from canfetch.cli.linting.report_writers import output_of
from canfetch.cli.linting.sources import is_origin, read_source, sources_of
from canfetch.cli.shared.output_files import rewrite
from canfetch.cli.shared.problems import Problem, cropped
from canfetch.cli.shared.terminal import Palette
from canfetch.lint.catalogue import Catalogue
from canfetch.lint.linter import Linter

# Quick for a person, nothing for a machine.
_LOOK_SECONDS: Final = 0.25
_STREAMED: Final = ("text", "ndjson", "github")
_Stamp = tuple[int, int] | None


def watch(question: LintQuestion, linter: Linter, catalogue: Catalogue, palette: Palette) -> int:
    """Report each file now and after each change, until interrupted.

    Raises: Problem: something is to be watched that cannot be; KeyboardInterrupt: as the way to end.
    """
    if question.format not in _STREAMED or question.output is not None or question.diff:
        raise Problem(f"--watch never ends: give --format {', '.join(_STREAMED)}, and neither --output nor --diff")
    given = question.names or ("robots.txt",)
    if any(is_origin(name) or name == STANDARD_INPUT for name in given):
        raise Problem("--watch looks at files: save what is fetched or piped, and give the file")
    output = output_of(question.format, sys.stdout, catalogue, palette)
    seen: dict[str, _Stamp] = {}
    while True:
        for name in sources_of(given):
            stamp = _stamp(name)
            if name in seen and seen[name] == stamp:
                continue
            source = read_source(name, url=question.robots_url)
            if source.given is None:
                click.echo(f"canfetch: {cropped(source.problem)}", err=True)
            elif question.mends and (fixed := linter.fix(source.given, unsafe=question.unsafe_fixes)).fixed:
                rewrite(name, fixed.content)
                stamp = _stamp(name)
                output.write(fixed.report)
            else:
                output.write(linter.lint(source.given))
            seen[name] = stamp
            sys.stdout.flush()
        time.sleep(_LOOK_SECONDS)


def _stamp(name: str) -> _Stamp:
    try:
        status = Path(name).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
