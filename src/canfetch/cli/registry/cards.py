"""Signature agent cards: `canfetch agents import` and `export`.

`json` of `import` is an object: `url`, `status`, the attributes of the card, `differences` from the entry of the
registry (null without an entry), and `written`.
"""

import json
import os
import sys
from contextlib import closing
from datetime import UTC, datetime
from sqlite3 import Error as SQLiteError
from typing import TYPE_CHECKING, Any, Final, get_args

import click

from canfetch.agents import REGISTRY, Crawler, Purpose
from canfetch.cli.shared.agent_arguments import unknown_crawler
from canfetch.cli.shared.command_errors import EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.input_files import read_whole_input
from canfetch.cli.shared.network_options import connection_parameters, pop_connection_options
from canfetch.cli.shared.option_parameters import complete_crawler, format_option, registry_option
from canfetch.cli.shared.output_files import replace_file
from canfetch.cli.shared.output_parameters import OutputFile, check_outputs
from canfetch.cli.shared.progress import Progress
from canfetch.cli.shared.registry_files import load_registry
from canfetch.cli.shared.single_value_option import Choice, Option
from canfetch.cli.shared.terminal import print_message, printable
from canfetch.core.origin import find_origin
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError, InvalidOption

if TYPE_CHECKING:
    from canfetch.agents.cards import AgentCard

_LABEL_WIDTH: Final = 17


def _import(
    *,
    source: str,
    output: str | None,
    replace: bool,
    purposes: tuple[Purpose, ...],
    allow_private: bool,
    format: str,  # noqa: A002 - the option's name
    **values: Any,
) -> int:
    network = pop_connection_options({"public_only": not allow_private, **values})
    check_outputs()
    from canfetch.agents.cards import MAX_CARD_BYTES, parse_card  # noqa: PLC0415 - only for this command

    url, status = None, None
    if "://" in source:
        from canfetch.cli.shared.origin_lookup import OriginLookup  # noqa: PLC0415 - the client
        from canfetch.client.identity.directory_check import check_card  # noqa: PLC0415 - the same

        with closing(OriginLookup(network, warn=Progress().print_error, agent=None)) as lookup:
            try:
                url, status, card, _ = check_card(lookup.client, source)
            except CanfetchError as error:
                raise CommandError(str(error)) from None
        if status != 200:
            raise CommandError(f"{printable(url)}: {card.faults[0]}")
    else:
        card = parse_card(read_whole_input(source, max_bytes=MAX_CARD_BYTES))
    entry = None if card.token is None else REGISTRY.get_crawler(card.token) or REGISTRY.find_crawler(card.token)
    differences = None if entry is None else card.differences(entry)
    problem = None if output is None else _add(output, card, entry, purposes, replace=replace)
    written = output is not None and problem is None
    if format == "json":
        row = {"url": url, "status": status, **card.to_json(), "differences": differences, "written": written}
        sys.stdout.write(json.dumps(row) + "\n")
    else:
        sys.stdout.write("".join(f"{printable(line)}\n" for line in _lines(card, url, entry, differences)))
    if url is None:
        print_message("canfetch: note: the card is a file: nothing proves that it comes from its client_id")
    if output is not None:
        print_message(f"canfetch: {quoted(output)} {f'is unchanged: {problem}' if problem else 'has the crawler'}")
    failed = problem is not None if output is not None else bool(differences)
    return EXIT_NEGATIVE if card.faults or failed else EXIT_OK


def _add(
    output: str, card: "AgentCard", entry: Crawler | None, purposes: tuple[Purpose, ...], *, replace: bool
) -> str | None:
    """Add the crawler of a card to a file. Return why it is not added, or None.

    Raises: CommandError: The file cannot be read or written, or is invalid.
    """
    from canfetch.agents.cards import token_conflict  # noqa: PLC0415 - only for this option
    from canfetch.client.sqlite_files import FileLock  # noqa: PLC0415 - the same

    if card.faults:
        return "the card has faults"
    try:
        crawler = card.to_crawler(checked=datetime.now(UTC).date(), purposes=purposes)
    except InvalidOption as error:
        return printable(f"{error}{'' if 'purpose' not in str(error) else ' (--purpose)'}")
    if entry is not None and not replace:
        return f"the registry has {entry.name} of {entry.operator}: pass --replace to use the card instead"
    if not replace and (reason := token_conflict(crawler.name)):
        return f"{reason}: pass --replace to add it"
    lock = f"{os.path.realpath(output)}.lock"
    try:
        with closing(FileLock(lock)):
            return _write(output, crawler, replace=replace)
    except SQLiteError as error:
        raise CommandError(f"cannot lock {quoted(lock)}: {error}") from None


def _write(output: str, crawler: Crawler, *, replace: bool) -> str | None:
    """Add a crawler to a file that no other process changes. Return why it is not added, or None.

    Raises: CommandError.
    """
    from canfetch.agents.registry_file import (  # noqa: PLC0415 - only for this option
        MAX_REGISTRY_BYTES,
        parse_crawlers,
        with_entry,
    )

    option = "--output"
    content = read_whole_input(output, option, max_bytes=MAX_REGISTRY_BYTES) if os.path.exists(output) else b""  # noqa: PTH110 - a name as typed
    try:
        for known in parse_crawlers(content) if content.strip() else []:
            if known.name.lower() == crawler.name.lower() and known.source != crawler.source and not replace:
                return f"it has {known.name} with another source, {printable(known.source)}: pass --replace"
        changed = with_entry(content, crawler)
    except InvalidOption as error:
        raise CommandError(f"{option} {quoted(output)}: {error}") from None
    replace_file(output, changed, option=option)
    return None


def _lines(card: "AgentCard", url: str | None, entry: Crawler | None, differences: list[str] | None) -> list[str]:
    lines = [url or "card"]
    for name, value in card.to_json().items():
        if name == "jwks" and value is not None:
            value = f"{len(value['keys'])} keys"  # noqa: PLW2901 - as text
        if value not in (None, []) and name not in {"faults", "unknown"}:
            text = ", ".join(value) if isinstance(value, list) else str(value).lower() if value is True else str(value)
            lines.append(f"  {name.replace('_', ' '):{_LABEL_WIDTH}} {text}")
    lines += [f"fault  {fault}" for fault in card.faults]
    lines += [f"note   unknown member {name}" for name in card.unknown]
    if entry is None:
        lines.append("note   the registry has no crawler with this token")
    return lines + [f"differs from {entry.name if entry else ''}  {text}" for text in differences or ()]


def _export(name: str, url: str | None, agents_registry: str | None) -> int:
    from canfetch.agents.cards import card_of  # noqa: PLC0415 - only for this command

    registry = load_registry(agents_registry)
    origin = None if url is None else find_origin(url)
    if url is not None and (origin is None or origin.scheme != "https"):
        raise CommandError(f"invalid --url {quoted(url)}: expected an https URL such as https://bot.example/card")
    crawler = registry.get_crawler(name)
    if crawler is None or crawler.token_only:
        reason = (
            unknown_crawler(name, printable(name), registry) if crawler is None else f"{crawler.name} fetches nothing"
        )
        print_message(f"canfetch: {reason}")
        return EXIT_NEGATIVE
    sys.stdout.write(json.dumps(card_of(crawler, url=url), indent=2) + "\n")
    return EXIT_OK


import_command: Final = click.Command(
    "import",
    params=[
        click.Argument(["source"], metavar="URL|FILE"),
        Option(
            ["-o", "--output"],
            metavar="FILE",
            type=OutputFile(replaces=True),
            help="Add the crawler to this TOML file, for --agents-registry. Other entries of the file stay.",
        ),
        Option(["--replace"], is_flag=True, help="Replace a crawler of the registry, or one with another source."),
        Option(
            ["--purpose", "purposes"],
            multiple=True,
            metavar="PURPOSE",
            type=Choice(get_args(Purpose)),
            help="Purpose of the entry. Can be repeated.  [default: that of the card]",
        ),
        Option(["--allow-private"], is_flag=True, help="Connect to private and loopback addresses as well."),
        format_option(("text", "json")),
        *connection_parameters("request", without={"public_only"}),
    ],
    callback=_import,
    short_help="Read the card of a crawler.",
    help="Read a signature agent card, which a crawler publishes about itself. Show what it says, what is wrong, and "
    "what differs from the entry of the registry.\n\nThe origin of a URL means its well-known path. Redirects are not "
    "followed. Values with faults are not used, and a card with faults is not added to a file.",
    epilog="""\b
Examples:
  canfetch agents import card.json
  canfetch agents import https://bot.example --format json
  canfetch agents import card.json --output crawlers.toml

\b
Exit codes: 0 success, 1 the card has faults, differs from the registry, or was not added to the file, 2 it cannot be
read, or an argument is invalid.""",
)

export_command: Final = click.Command(
    "export",
    params=[
        click.Argument(["name"], metavar="NAME", shell_complete=complete_crawler),
        Option(["--url"], metavar="URL", help="URL of the card. URLs of other origins are omitted."),
        registry_option(),
    ],
    callback=_export,
    short_help="Write the card of a crawler.",
    help="Write the signature agent card of a crawler of the registry as JSON. 'canfetch identity show FOLDER --card' "
    "prints that of an identity.",
    epilog="""\b
Examples:
  canfetch agents export GPTBot
  canfetch agents export GPTBot --url https://openai.com/card.json

\b
Exit codes: 0 success, 1 the crawler is unknown or fetches nothing, 2 an argument is invalid.""",
)
