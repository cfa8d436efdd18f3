"""`canfetch evidence verify`: check that recorded decisions were not changed."""

import sys
from pathlib import Path
from typing import Final, NoReturn

import click

from canfetch.cli.shared.command_errors import EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.option_parameters import format_option, no_color_option
from canfetch.cli.shared.row_writers import JsonWriter
from canfetch.cli.shared.terminal import Palette, printable, use_color
from canfetch.client.evidence import SegmentReport, verify_folder
from canfetch.errors import EvidenceError

_SCOPE: Final = """
A valid chain proves that no line before the last was changed, removed or inserted, unless all later lines were
rewritten as well. To detect a changed last line, or lines cut off the end, compare the head with a copy stored
elsewhere. A valid chain does not prove that no segment was removed, or that the recorded decisions were true.
"""


def _verify(folder: str, format: str, no_color: bool) -> NoReturn:  # noqa: A002, FBT001 - click calls it
    code = EXIT_OK
    writer = None if format == "text" else JsonWriter(lines=format == "ndjson")
    palette = Palette(enabled=use_color(no_color=no_color))
    try:
        for report in verify_folder(Path(folder)):
            if not report.valid:
                code = EXIT_NEGATIVE
            if writer is None:
                sys.stdout.write(_text(report, palette))
            else:
                writer.write({**report._asdict(), "path": str(report.path), "valid": report.valid})
    except EvidenceError as error:
        raise CommandError(f"{error}; pass the folder of EvidenceRecorder or of --evidence") from None
    if writer is None:
        sys.stdout.write(_SCOPE)
    else:
        writer.end()
    click.get_current_context().exit(code)


def _text(report: SegmentReport, palette: Palette) -> str:
    status = palette.good("valid ") if report.valid else palette.bad("broken")
    noun = "decision " if report.decisions == 1 else "decisions"
    lines = [f"{status}  {report.decisions:>8} {noun}  head {report.head[:16]}...  {printable(str(report.path))}"]
    if report.problem is not None:
        lines.append(f"        line {report.broken_line}: {report.problem}")
    if report.torn_bytes:
        lines.append(f"        incomplete last line of {report.torn_bytes} bytes ignored")
    lines += [f"        robots.txt {printable(sha256[:16])}... is missing" for sha256 in report.missing_content]
    lines += [f"        robots.txt {printable(sha256[:16])}... was changed" for sha256 in report.changed_content]
    return "".join(f"{line}\n" for line in lines)


command: Final = click.Group(
    "evidence",
    short_help="Verify recorded decisions.",
    help="Verify decisions recorded by `--evidence FOLDER` or EvidenceRecorder.",
    commands={
        "verify": click.Command(
            "verify",
            params=[click.Argument(["folder"], metavar="FOLDER"), format_option(), no_color_option()],
            callback=_verify,
            short_help="Verify every segment in a folder.",
            help="Read every segment in a folder and check its hash chain and its stored robots.txt files.",
            epilog="""\b
Examples:
  canfetch evidence verify /var/lib/crawler/evidence
  canfetch check https://example.com/fish --agent ExampleBot --evidence evidence
  canfetch evidence verify evidence --format json

\b
Exit codes: 0 every segment is valid, 1 some segment is broken, 2 no evidence found.""",
        )
    },
)
