"""The options `--evidence` and `--evidence-key`, and the recorder that they select."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.terminal import print_message
from canfetch.errors import CanfetchError

if TYPE_CHECKING:
    from canfetch.client.evidence import EvidenceRecorder


def evidence_options(*, records: str) -> Iterator[Option]:
    """Yield `--evidence` and `--evidence-key`.

    Args: records: What is recorded, for the help of `--evidence`.
    """
    yield Option(
        ["--evidence"],
        metavar="FOLDER",
        type=click.Path(),
        help=f"Folder in which to record {records}.",
    )
    yield Option(
        ["--evidence-key"],
        metavar="FILE",
        type=click.Path(),
        help="File with a secret key of at least 16 bytes for the seal of the evidence.",
    )


def open_evidence(folder: str | None, key_file: str | None) -> "EvidenceRecorder | None":
    """Return the recorder of `--evidence`, or None without this option.

    Raises: CommandError.
    """
    if folder is None:
        if key_file is not None:
            raise CommandError("--evidence-key requires --evidence FOLDER")
        return None
    if not folder:
        raise CommandError("invalid --evidence '': expected a folder, such as evidence, or . for this one")

    from canfetch.client.evidence import EvidenceRecorder, read_key  # noqa: PLC0415 - imports the client

    try:
        key = None if key_file is None else read_key(key_file)
    except CanfetchError as error:
        raise CommandError(f"--evidence-key: {error}") from None
    try:
        return EvidenceRecorder(folder, store_content=True, key=key)
    except CanfetchError as error:
        raise CommandError(f"--evidence: {error}") from None


def close_evidence(evidence: "EvidenceRecorder", *, quiet: bool, print_line: Callable[[str], object]) -> None:
    """Close the recorder, and print its head.

    Raises: CommandError: The segment cannot be sealed.
    """
    try:
        evidence.close()
    except CanfetchError as error:
        raise CommandError(f"--evidence: {error}") from None
    if quiet:
        return
    line = f"canfetch: evidence head: {evidence.head}"
    try:
        print_line(line)
    except BrokenPipeError:
        # Standard output is closed, but the message is still printed.
        print_message(line)
        raise
