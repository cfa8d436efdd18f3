"""`canfetch identity`: the keys with which a crawler signs its requests."""

import json
import os
import re
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from sqlite3 import Error as SQLiteError
from typing import Any, Final
from urllib.parse import unquote

import click

from canfetch.agents.cards import CARD_PATH, CARD_TYPE
from canfetch.cli.shared.command_errors import EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.network_options import connection_parameters, pop_connection_options
from canfetch.cli.shared.option_parameters import format_option
from canfetch.cli.shared.origin_arguments import to_origin_url
from canfetch.cli.shared.origin_lookup import OriginLookup
from canfetch.cli.shared.output_files import replace_file
from canfetch.cli.shared.progress import Progress
from canfetch.cli.shared.single_value_option import Choice, Option
from canfetch.cli.shared.terminal import print_message, printable
from canfetch.client.identity.identity_file import (
    DEFAULT_LEAD,
    FORMS,
    IDENTITY_NAME,
    MAX_IDENTITY_BYTES,
    IdentityFile,
    check_private,
    new_identity,
    parse_identity,
)
from canfetch.client.identity.keys import DIRECTORY_PATH, DIRECTORY_TYPE
from canfetch.client.private_files import PRIVATE_FILE_MODE, os_reason
from canfetch.client.regular_files import TEMPORARY_PREFIX, open_regular_file
from canfetch.client.sqlite_files import FileLock
from canfetch.core.quoting import quoted
from canfetch.core.times import optional_rfc3339, rfc3339
from canfetch.errors import CanfetchError, InvalidOption

PUBLIC_FOLDER: Final = "public"
_MAX_LEAD: Final = 365 * 86_400
_SERVERS: Final = ("nginx", "apache")
# In the path of a Location. Backslashes are escapes there if the path also has one of the others.
_APACHE_WILDCARD: Final = re.compile(r"[*?\[\\]")
# A web server may have to read the public keys.
_FOLDER_MODE: Final = 0o755


def _init(folder: str, url: str, **values: Any) -> int:
    now = time.time()
    try:
        identity = new_identity(to_origin_url(url), now=now, **values)
        Path(folder).mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
    except CanfetchError as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"cannot create {quoted(folder)}: {os_reason(error)}") from None
    file = Path(folder) / IDENTITY_NAME
    try:
        descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE_MODE)
    except FileExistsError:
        raise CommandError(
            f"{quoted(str(file))} already exists: use 'canfetch identity rotate' for a new key"
        ) from None
    except OSError as error:
        raise CommandError(f"cannot write {quoted(str(file))}: {os_reason(error)}") from None
    os.close(descriptor)
    try:
        check_private(file)
    except CanfetchError as error:
        file.unlink()
        raise CommandError(str(error)) from None
    try:
        _write(folder, identity, now)
    except CommandError:
        # Such as on a full disk. The command can be repeated.
        with suppress(OSError):
            if not file.stat().st_size:
                file.unlink()
        raise
    _print_next_steps(folder, identity)
    return EXIT_OK


def _write(folder: str, identity: IdentityFile, now: float) -> None:
    """Replace the file of an identity, with its permissions, the public keys, and the card.

    If the process is killed in between, a next key that only the public keys have does no harm. If the new key signs at
    once, the file of the identity comes first, because the public keys follow from it.
    """
    public = Path(_public_file(folder))
    try:
        public.parent.mkdir(parents=True, exist_ok=True)
        # Those of a process that was killed have private keys.
        for leftover in Path(folder).glob(f"{TEMPORARY_PREFIX}*"):
            leftover.unlink(missing_ok=True)
    except OSError as error:
        raise CommandError(f"cannot write {quoted(folder)}: {os_reason(error)}") from None
    files = [(str(public), identity.key_set(now)), (str(Path(folder) / IDENTITY_NAME), identity.to_json())]
    signs_at_once = identity.active_key(now) is identity.keys[-1]
    for file, content in reversed(files) if signs_at_once else files:
        replace_file(file, content)
    if identity.card is not None:
        replace_file(_public_file(folder, CARD_PATH), identity.card_content())


def _print_next_steps(folder: str, identity: IdentityFile) -> None:
    print_message(
        f"canfetch: keys written to {quoted(folder)}. Publish {quoted(_public_file(folder))} "
        f"at {identity.directory_url} with media type {DIRECTORY_TYPE}, and the card "
        f"{quoted(_public_file(folder, CARD_PATH))} at {identity.card_url} with {CARD_TYPE}, then run: "
        f"canfetch identity check {identity.directory_url}"
    )


def _public_file(folder: str, path: str = DIRECTORY_PATH) -> str:
    return str(Path(folder) / PUBLIC_FOLDER / path.lstrip("/"))


def _read(folder: str) -> IdentityFile:
    """Return an identity.

    Raises: CommandError.
    """
    file = Path(folder) / IDENTITY_NAME
    try:
        check_private(file)
        with open_regular_file(file) as stream:
            content = stream.read(MAX_IDENTITY_BYTES + 1)
        return parse_identity(content)
    except CanfetchError as error:
        raise CommandError(f"{quoted(folder)}: {error}") from None
    except OSError as error:
        raise CommandError(f"cannot read {quoted(str(file))}: {os_reason(error)}") from None


def _show(
    folder: str,
    *,
    sign: str | None,
    server: str | None,
    card: bool,
    keys: bool,
    format: str,  # noqa: A002 - click calls it
) -> int:
    given = (("--sign", sign is not None), ("--server", server is not None), ("--card", card), ("--keys", keys))
    names = [name for name, is_given in given if is_given]
    if len(names) > 1:
        raise CommandError(f"{names[0]} and {names[1]} cannot be used together")
    identity, now = _read(folder), time.time()
    _warn_if_unpublished(folder, identity.active_key(now).thumbprint)
    if keys:
        sys.stdout.write(identity.key_set(now).decode() + "\n")
    elif card:
        if identity.card is None:
            raise CommandError(f"{quoted(folder)} has no card: add an object 'card' to its {IDENTITY_NAME}")
        sys.stdout.write(identity.card_content().decode())
    elif sign is not None:
        _write_signature(folder, sign, format)
    elif server is not None:
        sys.stdout.write(_server_lines(folder, identity, server))
    elif format == "json":
        sys.stdout.write(json.dumps(_facts(identity, now)) + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in _text_lines(identity, now)))
    return EXIT_OK


def _warn_if_unpublished(folder: str, key: str) -> None:
    """Print a note if the public file lacks the key that signs, as after `rotate` was killed."""
    file = Path(_public_file(folder))
    try:
        with open_regular_file(file) as stream:
            is_missing = key.encode() not in stream.read(MAX_IDENTITY_BYTES)
    except OSError:
        # It may be elsewhere.
        return
    if is_missing:
        print_message(
            f"canfetch: note: {quoted(str(file))} does not have the key that signs, {key}: replace it with the output "
            f"of 'canfetch identity show {printable(folder)} --keys'"
        )


def _facts(identity: IdentityFile, now: float) -> dict[str, Any]:
    active, listed = identity.active_key(now), identity.listed_keys(now)
    keys = [
        {
            "key": key.thumbprint,
            "status": "signing" if key is active else "next" if key.use_from > now else "retiring",
            "use_from": rfc3339(key.use_from),
            "listed_until": optional_rfc3339(key.listed_until),
        }
        for key in listed
    ]
    return {"directory_url": identity.directory_url, "form": identity.form, "keys": keys, "card": identity.card}


def _text_lines(identity: IdentityFile, now: float) -> list[str]:
    facts = _facts(identity, now)
    lines = [f"keys      {facts['directory_url']}", f"form      {facts['form']}"]
    for key in facts["keys"]:
        until = f", published until {key['listed_until']}" if key["listed_until"] else ""
        lines.append(f"{key['status']:<9} {key['key']} (from {key['use_from']}{until})")
    return lines if identity.card_url is None else [*lines, f"card      {identity.card_url}"]


def _write_signature(folder: str, url: str, format_: str) -> None:
    from canfetch.client.identity.signing import SigningIdentity  # noqa: PLC0415 - imports the client

    try:
        headers = SigningIdentity(folder).headers("GET", url)
    except CanfetchError as error:
        raise CommandError(f"--sign: {error}") from None
    if not headers:
        raise CommandError(f"--sign {quoted(url)}: only https URLs are signed")
    if format_ == "json":
        sys.stdout.write(json.dumps(dict(headers)) + "\n")
    else:
        sys.stdout.write("".join(f"{name}: {value}\n" for name, value in headers))


def _server_lines(folder: str, identity: IdentityFile, server: str) -> str:
    """Return the lines of a server that publish the keys and the card as files."""
    published = [(identity.directory_url, DIRECTORY_PATH, DIRECTORY_TYPE)]
    if identity.card_url is not None:
        published.append((identity.card_url, CARD_PATH, CARD_TYPE))
    lines = ""
    for url, name, media_type in published:
        # Servers compare decoded paths.
        path = unquote(f"/{url.partition('://')[2].partition('/')[2]}", errors="surrogateescape")
        file = str(Path(_public_file(folder, name)).absolute())
        if server == "nginx":
            # The path of a location has no variables.
            quoted_path, quoted_file = _quoted_for(server, path), _quoted_for(server, file, variable=r"\$")
            lines += (
                f"location = {quoted_path} {{\n    alias {quoted_file};\n    default_type {media_type};\n"
                f'    types {{ }}\n    add_header Cache-Control "max-age={identity.max_age}";\n}}\n'
            )
        else:
            quoted_path, quoted_file = (_quoted_for(server, text, variable=r"\$\{") for text in (path, file))
            pattern = _quoted_for(server, _APACHE_WILDCARD.sub(r"[\\\g<0>]", path))
            lines += (
                f"Alias {quoted_path} {quoted_file}\n<Location {pattern}>\n    Require all granted\n"
                f'    ForceType {media_type}\n    Header set Cache-Control "max-age={identity.max_age}"\n</Location>\n'
            )
    return lines


def _quoted_for(server: str, path: str, *, variable: str = r"(?!)") -> str:
    """Return a path in quotes for nginx or Apache, which have the same escapes.

    Args: variable: A regex for the start of a variable, which cannot be escaped.
    Raises: CommandError: The path has characters that cannot be written.
    """
    # Others than UTF-8 are surrogates.
    found = re.search(rf"[\x00-\x1F\x7F\uD800-\uDFFF]|{variable}", path)
    if found is not None:
        raise CommandError(
            f"cannot write the path {quoted(path)} for {server}, which has no escape for {quoted(found[0])}: "
            "use another path"
        )
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _rotate(folder: str, lead: int, compromised: bool) -> int:  # noqa: FBT001 - click calls it
    lead = 0 if compromised else lead
    # Two rotations at once would lose one of the new keys.
    lock = str(Path(folder) / f"{IDENTITY_NAME}.lock")
    _read(folder)
    try:
        with closing(FileLock(lock)):
            now = time.time()
            identity = _read(folder).rotated(now, lead=lead)
            _write(folder, identity, now)
    except SQLiteError as error:
        raise CommandError(f"cannot lock {quoted(lock)}: {error}") from None
    except InvalidOption as error:
        raise CommandError(f"{quoted(folder)}: {error}") from None
    key = identity.keys[-1]
    when = f"from {rfc3339(key.use_from)}" if lead else "now"
    sys.stdout.write(f"{key.thumbprint} signs {when}\n")
    print_message(f"canfetch: publish {quoted(_public_file(folder))} at {identity.directory_url} again")
    return EXIT_OK


def _check(url: str, format: str, **values: Any) -> int:  # noqa: A002 - click calls it
    from canfetch.client.identity.directory_check import (  # noqa: PLC0415 - the client
        check_directory,
        check_published_card,
    )

    network = pop_connection_options(values)
    with closing(OriginLookup(network, warn=Progress().print_error, agent=None)) as lookup:
        try:
            found = check_directory(lookup.client, to_origin_url(url), now=time.time())
            card = None if found.status is None else check_published_card(lookup.client, found)
        except CanfetchError as error:
            raise CommandError(str(error)) from None
    faults = () if card is None else card.card.faults
    if format == "json":
        sys.stdout.write(json.dumps({**found.to_json(), "card": None if card is None else card.to_json()}) + "\n")
    else:
        status = "no response" if found.status is None else f"status {found.status}"
        lines = [f"{found.url}: {status}, {len(found.keys)} usable"]
        lines += [f"key    {key}{' (has signed the response)' if key in found.signed_by else ''}" for key in found.keys]
        lines += [f"fault  {fault}" for fault in found.faults]
        lines += [f"note   {note}" for note in found.notes]
        if card is not None:
            lines.append(f"card   {card.url}")
            lines += [f"fault  card: {fault}" for fault in faults]
        elif found.status is not None:
            lines.append("note   no signature agent card is published")
        sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))
    return EXIT_NEGATIVE if found.faults or faults else EXIT_OK


_FOLDER: Final = click.Argument(["folder"], metavar="FOLDER")
_EXIT_CODES: Final = "\b\nExit codes: 0 success, 2 an error occurred."

command: Final = click.Group(
    "identity",
    short_help="Make, rotate and check the keys that sign requests.",
    help="Make, show, rotate and check the keys with which a crawler signs its requests (Web Bot Auth), so that sites "
    "can tell it from others that send its name.",
    epilog="""\b
Examples:
  canfetch identity init bot --url https://bot.example
  canfetch identity show bot --server nginx
  canfetch identity check https://bot.example
  canfetch identity rotate bot""",
    commands={
        "init": click.Command(
            "init",
            params=[
                _FOLDER,
                Option(
                    ["--url"],
                    metavar="URL",
                    required=True,
                    help="Origin or https URL of the public keys. An origin means its well-known path for keys.",
                ),
                Option(
                    ["--form"],
                    type=Choice(FORMS),
                    default=FORMS[0],
                    help="Form of the header that names the keys: that of the current draft, or of earlier ones.",
                ),
                Option(["--name"], metavar="NAME", help="Name of the crawler, for its card."),
                Option(
                    ["--contact", "contacts"],
                    metavar="URI",
                    multiple=True,
                    help="Email address or URI of the operator, for the card. Can be repeated.",
                ),
                Option(["--purpose"], metavar="TEXT", help="What the crawler uses content for, for the card."),
                Option(
                    ["--product-token", "token"], metavar="TOKEN", help="Product token in robots.txt, for the card."
                ),
            ],
            callback=_init,
            short_help="Make a key.",
            help=f"Make a key in a new folder: {IDENTITY_NAME} with the private key, which only its owner can read, "
            f"and the public keys in {PUBLIC_FOLDER}, with a signature agent card, which describes the crawler.",
            epilog="\b\nExamples:\n  canfetch identity init bot --url https://bot.example\n  canfetch identity init "
            "other --url https://bot.example --product-token ExampleBot --contact bot@bot.example\n\n" + _EXIT_CODES,
        ),
        "show": click.Command(
            "show",
            params=[
                _FOLDER,
                Option(["--sign"], metavar="URL", help="Print the headers that sign a GET request for this URL."),
                Option(["--server"], type=Choice(_SERVERS), help="Print the lines of a server that publish the files."),
                Option(["--card"], is_flag=True, help="Print the signature agent card."),
                Option(["--keys"], is_flag=True, help="Print the file of the public keys, without those that ended."),
                format_option(("text", "json")),
            ],
            callback=_show,
            short_help="Show the public keys, a signature, or the lines of a server.",
            help="Show which keys are published, which one signs, and from when. No private key is shown.",
            epilog="\b\nExamples:\n  canfetch identity show bot\n  canfetch identity show bot --sign "
            "https://example.com/\n\n" + _EXIT_CODES,
        ),
        "rotate": click.Command(
            "rotate",
            params=[
                _FOLDER,
                Option(
                    ["--lead"],
                    metavar="SECONDS",
                    type=click.IntRange(1, _MAX_LEAD),
                    default=DEFAULT_LEAD,
                    help="How long the new key is published before it signs, and the last one after.",
                ),
                Option(
                    ["--compromised"],
                    is_flag=True,
                    help="Others may know the key: sign with the new one at once, and remove the others.",
                ),
            ],
            callback=_rotate,
            short_help="Add the next key.",
            help="Add a key that signs when verifiers have seen it. Running crawlers need no restart.",
            epilog="\b\nExamples:\n  canfetch identity rotate bot\n  canfetch identity rotate bot --compromised\n\n"
            + _EXIT_CODES,
        ),
        "check": click.Command(
            "check",
            params=[
                click.Argument(["url"], metavar="URL"),
                format_option(("text", "json")),
                *connection_parameters("request"),
            ],
            callback=_check,
            short_help="Check published keys as a verifier does.",
            help="Request published keys as a verifier does, without redirects, and say which ones can be used, which "
            "have signed the response, and what is wrong. The signature agent card at the well-known path is checked, "
            "too.",
            epilog="""\b
Examples:
  canfetch identity check https://bot.example
  canfetch identity check https://bot.example/keys.json --format json

\b
json is an object: url, status, keys, signed_by, faults, notes, card

\b
Exit codes: 0 no faults, 1 faults, 2 an error occurred.""",
        ),
    },
)
