"""`canfetch evidence`: check that recorded decisions were not changed, and print the heads to store elsewhere."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from canfetch.cli.shared.command_errors import EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.option_parameters import format_option, no_color_option
from canfetch.cli.shared.row_writers import json_writer
from canfetch.cli.shared.single_value_option import Option, complete_path
from canfetch.cli.shared.terminal import Palette, output_palette, printable
from canfetch.client.evidence import EvidenceHead, SegmentReport, find_heads, read_key, verify_folder
from canfetch.errors import CanfetchError, EvidenceError

_FOLDER_HINT: Final = "pass the folder of EvidenceRecorder or of --evidence"
_VERIFIED: Final = "Verified: the lines and the seal of each segment, references between segments, and stored files."
_NOT_VERIFIED: Final = """\
Not verified: that the recorded decisions were true, and without --head, that no segment at the end was removed and
that the evidence as a whole was not rewritten. The last line of an unsealed segment is not protected.
"""
_NOT_VERIFIED_WITH_HEAD: Final = """\
Every line that --head covers is unchanged, and none is missing.
Not verified: that the recorded decisions were true, and the origin of lines that --head does not cover.
"""


def _verify(
    *,
    folder: str,
    heads: Sequence[str],
    key_file: str | None,
    allow_unsealed: bool,
    format: str,  # noqa: A002 - click's name
    no_color: bool,
) -> int:
    code = EXIT_OK
    writer = json_writer(format)
    palette = output_palette(no_color=no_color)
    given = _parse_heads(heads)
    _reject_url(folder)
    key = _read_key(key_file)
    try:
        for report in verify_folder(Path(folder), heads=given, key=key):
            if not (report.valid or (allow_unsealed and report.intact)):
                code = EXIT_NEGATIVE
            if writer is None:
                sys.stdout.write(_text(report, palette))
            else:
                writer.write(_row(report))
        if writer is None:
            sys.stdout.write(_summary(Path(folder), code, given))
    except EvidenceError as error:
        raise CommandError(f"{error}; {_FOLDER_HINT}") from None
    if writer is not None:
        writer.end()
    return code


def _reject_url(folder: str) -> None:
    if "://" in folder:
        raise CommandError(f"{folder}: not a folder; {_FOLDER_HINT}")


def _print_heads(folder: str) -> int:
    _reject_url(folder)
    path = Path(folder)
    heads = find_heads(path)
    if not heads:
        problem = "no evidence found" if path.is_dir() else "not a folder"
        raise CommandError(f"{folder}: {problem}; {_FOLDER_HINT}")
    sys.stdout.write("".join(f"{head}\n" for head in heads))
    return EXIT_OK


def _parse_heads(texts: Sequence[str]) -> list[EvidenceHead]:
    try:
        # The output of `evidence head` can be passed as one value, with one head per line.
        return [EvidenceHead.parse(head) for text in texts for head in text.split() or [text]]
    except CanfetchError as error:
        raise CommandError(f"--head: {error}") from None


def _read_key(file: str | None) -> bytes | None:
    try:
        return None if file is None else read_key(file)
    except CanfetchError as error:
        raise CommandError(f"--key-file: {error}") from None


def _status(report: SegmentReport) -> str:
    return "valid" if report.valid else "unsealed" if report.intact else "broken"


def _row(report: SegmentReport) -> dict[str, Any]:
    return {
        **report._asdict(),
        "path": str(report.path),
        "head": report.head.to_json(),
        "status": _status(report),
        "valid": report.valid,
    }


def _text(report: SegmentReport, palette: Palette) -> str:
    status = _status(report)
    paint = {"valid": palette.good, "unsealed": palette.warning, "broken": palette.bad}[status]
    noun = "decision " if report.decisions == 1 else "decisions"
    lines = [f"{paint(f'{status:8}')}  {report.decisions:>8} {noun}  {printable(str(report.path))}"]
    lines += [f"          {note}" for note in _notes(report)]
    return "".join(f"{line}\n" for line in lines)


def _notes(report: SegmentReport) -> list[str]:
    notes = []
    if report.problem is not None:
        place = "" if report.broken_line is None else f"line {report.broken_line}: "
        notes.append(f"{place}{printable(report.problem)}")
    elif not report.sealed:
        notes.append(_seal_note(report))
    if report.torn_bytes:
        notes.append(f"incomplete last line of {report.torn_bytes} bytes ignored")
    if report.covered_lines is not None and report.covered_lines < report.head.lines:
        covered = f"only lines 1 to {report.covered_lines} are" if report.covered_lines else "not"
        notes.append(f"{covered} covered by --head")
    if report.uses:
        noun = "answer about a use was" if report.uses == 1 else "answers about uses were"
        notes.append(f"{report.recomputed_uses} of {report.uses} {noun} computed again from the stored sources")
    if report.past_decisions:
        noun = "decision is" if report.past_decisions == 1 else "decisions are"
        notes.append(f"{report.past_decisions} {noun} as of {' to '.join(dict.fromkeys(report.past_times))}")
    notes += [f"stored file {printable(sha256[:16])}... is missing" for sha256 in report.missing_content]
    notes += [f"stored file {printable(sha256[:16])}... was changed" for sha256 in report.changed_content]
    return notes


def _seal_note(report: SegmentReport) -> str:
    if report.valid:
        return "not sealed, but its last line is confirmed: the recorder was not closed"
    note = "not sealed: the recorder is open or was killed, or lines were cut off"
    if report.confirmed_lines:
        note += f"; lines 1 to {report.confirmed_lines} are confirmed"
    return note


def _summary(folder: Path, code: int, given: list[EvidenceHead]) -> str:
    if code != EXIT_OK:
        return ""
    if given:
        return f"\n{_VERIFIED}\n{_NOT_VERIFIED_WITH_HEAD}"
    heads = "".join(f"  --head {printable(str(head))}\n" for head in find_heads(folder))
    return f"\n{_VERIFIED}\n{_NOT_VERIFIED}To verify all of this later, store elsewhere:\n{heads}"


_FOLDER: Final = "folder"
command: Final = click.Group(
    "evidence",
    short_help="Verify recorded decisions.",
    help="Verify decisions recorded by `--evidence FOLDER` or EvidenceRecorder.",
    commands={
        "verify": click.Command(
            "verify",
            params=[
                click.Argument([_FOLDER], metavar="FOLDER", shell_complete=complete_path),
                Option(
                    ["--head", "heads"],
                    metavar="HEAD",
                    multiple=True,
                    help="Head that was stored elsewhere, as SEGMENT:LINES:SHA256, or several. Can be repeated.",
                ),
                Option(
                    ["--key-file"],
                    metavar="FILE",
                    type=click.Path(),
                    help="File with the key of --evidence-key. Seals made without it are then invalid.",
                ),
                Option(
                    ["--allow-unsealed"],
                    is_flag=True,
                    help="Accept segments without a seal, such as those of running processes.",
                ),
                format_option(),
                no_color_option(),
            ],
            callback=_verify,
            short_help="Verify every segment in a folder.",
            help="""Read every segment in a folder, and check its lines, its seal, the references between segments and
            the stored files. Answers about uses are computed again from the stored sources, and must be the same.

            A head is the hash of a line, with its segment and number. check, explain, matrix and use print it when
            they end. Only with --head can the verification detect that the last segment was removed, or that the
            evidence as a whole was rewritten.""",
            epilog="""\b
Examples:
  canfetch check https://example.com/fish --agent ExampleBot --evidence evidence
  canfetch evidence verify evidence
  canfetch evidence verify evidence --head "$(cat /elsewhere/head)"
  canfetch evidence verify evidence --format json

\b
json is a list of objects, ndjson has one object per line:
  path, status (valid, unsealed or broken), valid, decisions, head {segment, lines, sha256}, sealed,
  confirmed_lines or null, covered_lines (null without --head), broken_line, problem, torn_bytes,
  missing_content, changed_content, uses, recomputed_uses, past_decisions, past_times

\b
Exit codes: 0 every segment is valid, 1 a segment is broken, missing, unreadable or not sealed, 2 an error occurred.""",
        ),
        "head": click.Command(
            "head",
            params=[click.Argument([_FOLDER], metavar="FOLDER", shell_complete=complete_path)],
            callback=_print_heads,
            short_help="Print the heads to store elsewhere.",
            help="""Print the heads that cover every segment in a folder, one per line, usually a single one.

            Nothing is verified. Store the heads out of reach of everyone who can write to the folder.""",
            epilog="""\b
Examples:
  canfetch evidence head evidence > /elsewhere/head

\b
Exit codes: 0 the heads were printed, 2 no evidence found.""",
        ),
    },
)
