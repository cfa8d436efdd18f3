"""`canfetch lint --watch`: check files again whenever they change."""

import sys
import time
from pathlib import Path
from typing import Final

from canfetch.cli.linting.options import LintOptions
from canfetch.cli.linting.report_writers import LINE_FORMATS, ReportWriter
from canfetch.cli.linting.sources import DEFAULT_NAMES, expand_directories, is_url, read_source
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.garbage_collection import paused_collector
from canfetch.cli.shared.input_files import STANDARD_INPUT
from canfetch.cli.shared.output_files import replace_file
from canfetch.cli.shared.terminal import print_message, shorten_message
from canfetch.lint.linter import Linter

_POLL_SECONDS: Final = 0.25
# Modification time in nanoseconds, and size.
_Stamp = tuple[int, int] | None


def watch(options: LintOptions, linter: Linter, writer: ReportWriter) -> int:
    """Report each file now and after each change, until Ctrl-C.

    Raises: CommandError: An option or a file is not supported with `--watch`; KeyboardInterrupt: The way to stop.
    """
    if options.format not in LINE_FORMATS or options.output is not None or options.diff:
        formats = ", ".join(LINE_FORMATS)
        raise CommandError(f"--watch supports --format {formats}, without --output and --diff")
    names = options.names or DEFAULT_NAMES
    if any(is_url(name) or name == STANDARD_INPUT for name in names):
        raise CommandError("--watch supports only files and folders")
    stamps: dict[str, _Stamp] = {}
    while True:
        for name in expand_directories(names, misnamed=True):
            stamp = _stamp(name)
            if name in stamps and stamps[name] == stamp:
                continue
            source = read_source(name, url=options.robots_url, arguments=names)
            if source.lint_input is None:
                print_message(f"canfetch: {shorten_message(source.error)}")
            elif options.applies_fixes:
                result = linter.fix(source.lint_input, unsafe=options.unsafe_fixes, for_profiles=options.for_profiles)
                if result.refusal is not None:
                    print_message(f"canfetch: {shorten_message(f'cannot fix {name}: {result.refusal}')}")
                if result.fixed:
                    replace_file(name, result.content)
                    stamp = _stamp(name)
                writer.write(result.report)
            else:
                with paused_collector():
                    report = linter.lint(source.lint_input)
                writer.write(report)
            stamps[name] = stamp
            sys.stdout.flush()
        time.sleep(_POLL_SECONDS)


def _stamp(name: str) -> _Stamp:
    try:
        status = Path(name).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
