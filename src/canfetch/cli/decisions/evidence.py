"""`canfetch evidence verify`: whether a record of decisions still holds, and what that proves."""

import sys
from pathlib import Path
from typing import Final, NoReturn

import click

from canfetch.cli.decisions.verdict_rows import JsonWriter
from canfetch.cli.shared.problems import ALLOWED, DISALLOWED, Problem
from canfetch.cli.shared.terminal import Palette, shown, wants_color
from canfetch.client.evidence import SegmentReport, verify_folder
from canfetch.errors import EvidenceError

_PROVES: Final = """
A chain that holds proves that no line in it was changed, left out or put in, unless all later lines were
written anew. It does not prove that nothing was cut off its end (compare the head with one kept elsewhere),
nor that no segment was removed, nor that what was recorded was true.
"""


def _verify(folder: str, format: str, no_color: bool) -> NoReturn:  # noqa: A002, FBT001 - click calls it
    code = ALLOWED
    writer = None if format == "text" else JsonWriter(lines=format == "ndjson")
    palette = Palette(on=wants_color(no_color=no_color))
    try:
        for report in verify_folder(Path(folder)):
            if not report.holds:
                code = DISALLOWED
            if writer is None:
                sys.stdout.write(_text(report, palette))
            else:
                writer.write({**report._asdict(), "path": str(report.path), "holds": report.holds})
    except EvidenceError as error:
        raise Problem(f"{error}: give the folder that a recorder wrote to") from None
    if writer is None:
        sys.stdout.write(_PROVES)
    else:
        writer.end()
    click.get_current_context().exit(code)


def _text(report: SegmentReport, palette: Palette) -> str:
    status = palette.good("holds ") if report.holds else palette.bad("broken")
    lines = [f"{status}  {report.decisions:>8} decisions  head {report.head[:16]}...  {shown(str(report.path))}"]
    if report.problem is not None:
        lines.append(f"        line {report.broken_at}: {report.problem}")
    if report.torn_octets:
        lines.append(f"        {report.torn_octets} octets of a last line that was never finished are dropped")
    lines += [f"        the octets {shown(sha256[:16])}... are missing" for sha256 in report.missing_octets]
    lines += [f"        the octets {shown(sha256[:16])}... are not theirs any more" for sha256 in report.changed_octets]
    return "".join(f"{line}\n" for line in lines)


command: Final = click.Group(
    "evidence",
    short_help="Verify records of decisions.",
    help="Verify records of decisions, as `--evidence FOLDER` and EvidenceRecorder write them.",
    commands={
        "verify": click.Command(
            "verify",
            params=[
                click.Argument(["folder"], metavar="FOLDER"),
                click.Option(
                    ["--format"], type=click.Choice(("text", "json", "ndjson")), default="text", show_default=True
                ),
                click.Option(["--no-color"], is_flag=True, help="No colour, even on a terminal."),
            ],
            callback=_verify,
            short_help="Say whether the record of a folder holds.",
            help="Read every segment of a folder again, and say whether its chain holds.",
            epilog="""\b
Examples:
  canfetch evidence verify /var/lib/crawler/evidence
  canfetch check https://example.com/fish --agent ExampleBot --evidence evidence
  canfetch evidence verify evidence --format json

\b
Exit code: 0 every segment holds, 1 some segment is broken, 2 there is nothing to verify.""",
        )
    },
)
