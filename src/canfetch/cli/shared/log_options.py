"""The options of access logs: their form, the rules of their time, and the identity of crawlers."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.input_files import reading_problem
from canfetch.cli.shared.registry_files import open_address_lists
from canfetch.cli.shared.single_value_option import Choice, Option
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption, MissingExtra
from canfetch.logs.formats import LOG_FORMATS
from canfetch.logs.history import RobotsHistory
from canfetch.logs.json_format import JSON_FIELDS

if TYPE_CHECKING:
    from canfetch.logs.analysis import Identify, IdentifySigned

# For the keys of a signer. Anyone can name slow servers in the requests of a log, so that these are 5 minutes for all.
_KEYS_SECONDS: Final = 3.0
# Of each signer.
_MAX_NONCES: Final = 20_000
MAX_DIRECTORIES: Final = 100
"""Directories that are fetched for a log and that the registry lacks."""


def log_form_options() -> Iterator[Option]:
    """Yield `--log-format` and `--field`."""
    yield Option(["--log-format"], type=Choice(LOG_FORMATS), help="Format of the logs. By default, it is detected.")
    yield Option(
        ["--field", "fields"],
        metavar="FIELD=NAME",
        multiple=True,
        help=f"Name of a field in JSON logs: {', '.join(JSON_FIELDS)}. A dot separates the keys of nested objects. "
        "Can be repeated.",
    )


def history_folder_option() -> Option:
    """Return `--history` for logs."""
    return Option(
        ["--history"],
        metavar="DIR",
        type=click.Path(),
        help="Folder of robots.txt files by date, such as 2026-05-01.txt or www.example.com/2026-05-01.txt.",
    )


def identity_options() -> Iterator[Option]:
    """Yield `--addresses` and `--verify-dns`."""
    yield Option(
        ["--addresses"],
        metavar="FILE",
        type=click.Path(),
        help="Verify crawlers by published addresses, in a file of 'canfetch agents refresh'.",
    )
    yield Option(["--verify-dns"], is_flag=True, help="Verify crawlers by the names of their addresses in DNS.")


def parse_log_fields(fields: tuple[str, ...]) -> dict[str, str]:
    """Return the values of `--field`.

    Raises: CommandError: One is invalid.
    """
    parsed: dict[str, str] = {}
    for field in fields:
        key, separator, name = field.partition("=")
        if not (separator and name) or key not in JSON_FIELDS:
            choices = ", ".join(JSON_FIELDS)
            raise CommandError(f"invalid --field {quoted(field)}: expected FIELD=NAME, with one of {choices}")
        parsed[key] = name
    return parsed


def open_history_folder(folder: str, *, profile: str) -> RobotsHistory:
    """Read the folder of `--history`.

    Raises: CommandError: It cannot be read, or the name of a file is invalid.
    """
    try:
        return RobotsHistory.from_folder(Path(folder), profile=profile)
    except InvalidOption as error:
        raise CommandError(f"--history: {error}") from None
    except OSError as error:
        name = folder if error.filename is None else str(error.filename)
        problem = reading_problem(name, error, "directory")
        raise CommandError(f"cannot read --history {quoted(name)}: {problem}") from None


def signature_options() -> Iterator[Option]:
    """Yield `--verify-signatures` and `--reject-replays`."""
    yield Option(
        ["--verify-signatures"],
        is_flag=True,
        help="Verify signatures (Web Bot Auth) in JSON logs. The keys of their signers are fetched, from public "
        "addresses only.",
    )
    yield Option(
        ["--reject-replays"],
        is_flag=True,
        help="Signatures whose nonce was used before are invalid. Pass logs in the order of time.",
    )


def open_verification(
    addresses: str | None,
    *,
    dns: bool,
    signatures: bool = False,
    hosts: tuple[str, ...] = (),
    reject_replays: bool = False,
) -> "tuple[Identify | None, IdentifySigned | None]":
    """Return what verifies crawlers by their addresses, and signed requests, or None without the options for it.

    Raises: CommandError: The file of `--addresses` cannot be read, an option is invalid, or an extra is missing.
    """
    for name, value in (("--host", hosts), ("--reject-replays", reject_replays)):
        if value and not signatures:
            raise CommandError(f"{name} requires --verify-signatures")
    if addresses is None and not dns and not signatures:
        return None, None
    from canfetch.client.identity import IdentityVerifier, SignatureVerifier  # noqa: PLC0415 - only for these options
    from canfetch.client.transports.http_transport import HTTPTransport  # noqa: PLC0415 - as above

    lists = None if addresses is None else open_address_lists(addresses, "--addresses")
    if not signatures:
        return IdentityVerifier(address_lists=lists, dns=dns).verify, None
    now = time.time()
    try:
        verifier = SignatureVerifier(
            hosts=hosts or None,
            reject_replays=reject_replays,
            require_nonce=False,
            max_nonces=_MAX_NONCES,
            timeout=_KEYS_SECONDS,
            fetch_timeout=_KEYS_SECONDS,
            transport=HTTPTransport(trust_env=False),
            # The clock stands still, so that each directory is fetched once, and the limit holds for all logs.
            max_fetches_per_minute=MAX_DIRECTORIES,
            clock=lambda: now,
        )
    except MissingExtra as error:
        raise CommandError(f"--verify-signatures: {error}") from None
    except InvalidOption as error:
        raise CommandError(f"--host: {error}") from None
    both = IdentityVerifier(address_lists=lists, dns=dns, signatures=verifier)
    return both.verify if dns or lists is not None else None, both.verify_recorded
