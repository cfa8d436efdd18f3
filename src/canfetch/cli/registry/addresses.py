"""The addresses that operators publish for their crawlers: `canfetch agents refresh`, `addresses` and `verify`.

`json` is a list of objects and `ndjson` has one object per line, with the keys of these columns of `csv`:

- `refresh`: `url`, `status` (`updated`, `failed`), `reason` (null if updated)
- `addresses`: `url`, `status` (`current`, `old`, `missing`), `fetched_at`, `age_seconds`, `prefixes`, `crawlers`
- `verify`: `crawler`, `address`, `status` (`verified`, `impostor`, `undecided`), `reason`, and `signature`: with
  `--request`, `SignatureCheck.to_json`, in `csv` its `detail`
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from canfetch.agents import Crawler, Registry
from canfetch.agents.identity import Identity, IdentityStatus, SignatureStatus, SignedRequest, parse_address
from canfetch.cli.shared.agent_arguments import unknown_crawler
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.history_options import parse_time
from canfetch.cli.shared.input_files import read_whole_input
from canfetch.cli.shared.network_options import NO_PROXY, NetworkOptions, connection_parameters, pop_connection_options
from canfetch.cli.shared.option_parameters import (
    complete_crawler,
    format_option,
    input_file_option,
    registry_option,
)
from canfetch.cli.shared.output_parameters import OutputFile, check_outputs
from canfetch.cli.shared.registry_files import load_registry, open_address_lists
from canfetch.cli.shared.row_writers import CsvWriter, JsonWriter, write_rows
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.terminal import pad, printable
from canfetch.core.quoting import quoted
from canfetch.core.times import rfc3339
from canfetch.errors import CanfetchError, InvalidOption, MissingExtra

if TYPE_CHECKING:
    from canfetch.agents.address_lists import AddressLists
    from canfetch.client.identity import IdentityVerifier

_FORMATS: Final = ("text", "json", "ndjson", "csv")
_REFRESH_COLUMNS: Final = ("url", "status", "reason")
_ADDRESS_COLUMNS: Final = ("url", "status", "fetched_at", "age_seconds", "prefixes", "crawlers")
_VERIFY_COLUMNS: Final = ("crawler", "address", "status", "reason", "signature")
_DAY: Final = 86_400.0
_HOUR: Final = 3600.0
_DEFAULT_MAX_AGE_DAYS: Final = 14.0
_STATUS_WIDTH: Final = 9
_ADDRESS_WIDTH: Final = 15
_MAX_DAYS: Final = 3660

Row = dict[str, Any]


def _refresh(file: str, names: tuple[str, ...], agents_registry: str | None, format: str, **values: Any) -> int:  # noqa: A002 - the option's name
    network = pop_connection_options(values)
    check_outputs()
    crawlers = _crawlers(names, load_registry(agents_registry))
    if not _list_urls(crawlers):
        raise CommandError("the operators of these crawlers publish no addresses")
    from canfetch.cli.shared.command_transport import CommandTransport  # noqa: PLC0415 - imports the client
    from canfetch.client.identity import refresh_address_lists  # noqa: PLC0415 - the same

    try:
        result = refresh_address_lists(
            file,
            user_agent=network.user_agent,
            crawlers=crawlers,
            transport=CommandTransport(network),
            timeout=network.timeout,
            allow_private=not network.public_only,
        )
    except CanfetchError as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"cannot write {quoted(file)}: {error.strerror or error}") from None
    rows = [{"url": url, "status": "updated", "reason": None} for url in result.updated]
    rows += [{"url": url, "status": "failed", "reason": reason} for url, reason in result.failed.items()]
    rows.sort(key=lambda row: str(row["url"]))
    _write(rows, format, _REFRESH_COLUMNS, lambda row: f"{pad(row['status'], 7)}  {row['url']}{_after(row['reason'])}")
    return EXIT_NEGATIVE if result.failed else EXIT_OK


def _addresses(
    file: str,
    names: tuple[str, ...],
    agents_registry: str | None,
    max_age: float,
    format: str,  # noqa: A002 - the option's name
) -> int:
    registry = load_registry(agents_registry)
    lists = open_address_lists(file).current()
    urls = _list_urls(_crawlers(names, registry))
    if not names:
        urls = sorted({*urls, *lists.lists})
    rows = [_address_row(url, lists, registry, max_age * _DAY) for url in urls]
    if format == "text":
        sys.stdout.write(f"{'FETCHED':20}  {'AGE':>8}  {'PREFIXES':>8}  {'STATUS':7}  LIST\n")
    _write(rows, format, _ADDRESS_COLUMNS, _address_text)
    return EXIT_OK if all(row["status"] == "current" for row in rows) else EXIT_NEGATIVE


def _address_row(url: str, lists: "AddressLists", registry: Registry, max_age: float) -> Row:
    found = lists.lists.get(url)
    age = None if found is None else time.time() - found.fetched_at
    return {
        "url": url,
        "status": "missing" if age is None else "current" if age <= max_age else "old",
        "fetched_at": None if found is None else rfc3339(found.fetched_at),
        "age_seconds": None if age is None else round(age),
        "prefixes": 0 if found is None else len(found.ranges.prefixes),
        "crawlers": [crawler.name for crawler in registry.crawlers if url in crawler.verification.address_lists],
    }


def _address_text(row: Row) -> str:
    fetched_at = "-" if row["fetched_at"] is None else row["fetched_at"][:19] + "Z"
    age = "-" if row["age_seconds"] is None else _age(row["age_seconds"])
    return f"{fetched_at:20}  {age:>8}  {row['prefixes']:>8}  {row['status']:7}  {row['url']}"


def _age(seconds: float) -> str:
    # A clock may have been ahead when the list was fetched.
    days, hours = max(0, int(seconds // _DAY)), max(0, int(seconds // _HOUR))
    return f"{days} days" if days > 1 else f"{hours} hours" if hours != 1 else "1 hour"


def _verify(
    *,
    name: str | None,
    addresses: tuple[str, ...],
    agents_registry: str | None,
    lists: str | None,
    dns: bool,
    request: str | None,
    host: str | None,
    at: str | None,
    timeout: float,
    format: str,  # noqa: A002 - the option's name
    **values: Any,
) -> int:
    if request is not None and name is not None and parse_address(name) is not None:
        addresses = (name, *addresses)
        name = None
    if request is None:
        _check_without_request(name, addresses, {"--at": at, "--host": host})
    if request is not None and len(addresses) > 1:
        raise CommandError("--request is one request: pass at most one ADDRESS, that of its client")
    for address in addresses:
        if parse_address(address) is None:
            raise CommandError(f"invalid address {quoted(address)}: expected an IP address, such as 192.0.2.1")
    signed = None if request is None else _read_head(request)
    network = pop_connection_options({"timeout": timeout, "public_only": not values.pop("allow_private"), **values})
    registry = load_registry(agents_registry)
    crawler = _named_crawler(name, signed, registry)
    verifier = _open_verifier(lists, network, dns=dns, has_request=signed is not None, host=host)
    seconds = None if at is None else parse_time(at).timestamp()
    code = EXIT_OK

    def verified() -> Iterator[Row]:
        nonlocal code
        clients: tuple[str | None, ...] = addresses or (None,)
        for address in clients:
            if signed is not None:
                found = verifier.verify_recorded(signed, crawler, address, seconds)
            else:
                assert crawler is not None
                found = verifier.verify(crawler, address)
            code = max(code, _exit_code(found, crawler))
            yield {"crawler": None if crawler is None else crawler.name, "address": address, **found.to_json()}

    _write(verified(), format, _VERIFY_COLUMNS, _verified_text)
    return code


def _check_without_request(name: str | None, addresses: tuple[str, ...], options: Mapping[str, str | None]) -> None:
    for option, value in options.items():
        if value is not None:
            raise CommandError(f"{option} requires --request FILE")
    if not (name and addresses):
        raise CommandError("pass NAME and an ADDRESS, or --request FILE")


def _read_head(file: str) -> SignedRequest:
    from canfetch.client.identity.recorded_requests import (  # noqa: PLC0415 - only for this option
        MAX_HEAD_BYTES,
        parse_request_head,
    )

    try:
        return parse_request_head(read_whole_input(file, "--request", max_bytes=MAX_HEAD_BYTES))
    except InvalidOption as error:
        raise CommandError(f"--request {quoted(file)}: {error}") from None


def _named_crawler(name: str | None, request: SignedRequest | None, registry: Registry) -> Crawler | None:
    """Return the crawler of NAME, or else the one that a request names."""
    if name is None:
        return registry.find_crawler((request and request.field("user-agent")) or "")
    crawler = registry.get_crawler(name) or registry.find_crawler(name)
    if crawler is None:
        raise CommandError(unknown_crawler(name, printable(name), registry))
    return crawler


def _open_verifier(
    lists: str | None, network: NetworkOptions, *, dns: bool, has_request: bool, host: str | None
) -> "IdentityVerifier":
    from canfetch.cli.shared.command_transport import CommandTransport  # noqa: PLC0415 - imports the client
    from canfetch.client.identity import IdentityVerifier, SignatureVerifier  # noqa: PLC0415 - the same
    from canfetch.client.options import Options  # noqa: PLC0415 - the same

    opened = None if lists is None else open_address_lists(lists, "--addresses")
    signatures = None
    if has_request:
        transport = CommandTransport(network)
        try:
            transport.check_options(
                Options.validated(user_agent=network.user_agent, allow_private=not network.public_only)
            )
        except InvalidOption:
            raise CommandError(
                "keys are fetched from public addresses only, and a proxy hides the addresses of the servers: "
                f"pass --proxy {NO_PROXY} to connect directly, or --allow-private"
            ) from None
        try:
            signatures = SignatureVerifier(
                hosts=None if host is None else [host],
                timeout=network.timeout,
                fetch_timeout=network.timeout,
                transport=transport,
                user_agent=network.user_agent,
                allow_private=not network.public_only,
            )
        except MissingExtra as error:
            raise CommandError(f"--request: {error}") from None
        except InvalidOption as error:
            raise CommandError(f"--host: {error}") from None
    return IdentityVerifier(address_lists=opened, dns=dns, timeout=network.timeout, signatures=signatures)


def _exit_code(found: Identity, crawler: Crawler | None) -> int:
    if crawler is not None or found.signature is None:
        codes = {IdentityStatus.VERIFIED: EXIT_OK, IdentityStatus.IMPOSTOR: EXIT_NEGATIVE}
        return codes.get(found.status, EXIT_ERROR)
    # Nothing but the signature can be verified.
    by_signature = {SignatureStatus.VALID: EXIT_OK, SignatureStatus.INVALID: EXIT_NEGATIVE}
    return by_signature.get(found.signature.status, EXIT_ERROR)


def _verified_text(row: Row) -> str:
    address = pad(row["address"] or "-", _ADDRESS_WIDTH)
    text = f"{pad(row['status'], _STATUS_WIDTH)}  {address}  {row['reason']}"
    signature = row["signature"]
    if signature is None:
        return text
    if signature["detail"] != row["reason"]:
        text = f"{text}\n  signature {signature['status']}: {signature['detail']}"
    return f"{text}\n  covered: {', '.join(signature['components'])}" if signature["components"] else text


def _crawlers(names: tuple[str, ...], registry: Registry) -> list[Crawler]:
    """Return the crawlers with these names, or all.

    Raises: CommandError: A name is unknown.
    """
    if not names:
        return list(registry.crawlers)
    crawlers = []
    for name in names:
        crawler = registry.get_crawler(name)
        if crawler is None:
            raise CommandError(unknown_crawler(name, printable(name), registry))
        crawlers.append(crawler)
    return crawlers


def _list_urls(crawlers: Iterable[Crawler]) -> list[str]:
    return sorted({url for crawler in crawlers for url in crawler.verification.address_lists})


def _write(rows: Iterable[Row], format: str, columns: tuple[str, ...], text: Callable[[Row], str]) -> None:  # noqa: A002 - the option's name
    if format == "text":
        for row in rows:
            sys.stdout.writelines(f"{printable(line)}\n" for line in text(row).split("\n"))
    elif format == "csv":
        write_rows(([_cell(row[column]) for column in columns] for row in rows), CsvWriter(columns))
    else:
        write_rows(rows, JsonWriter(lines=format == "ndjson"))


def _cell(value: Any) -> str | int | None:
    if isinstance(value, dict):
        return str(value["detail"])
    return " ".join(value) if isinstance(value, list) else value


def _after(reason: str | None) -> str:
    return "" if reason is None else f": {reason}"


_file_argument: Final = partial(click.Argument, ["file"], metavar="FILE")
_names_argument: Final = partial(
    click.Argument, ["names"], nargs=-1, metavar="[NAME]...", shell_complete=complete_crawler
)

refresh_command: Final = click.Command(
    "refresh",
    params=[
        _file_argument(type=OutputFile(replaces=True)),
        _names_argument(),
        registry_option(),
        format_option(_FORMATS),
        *connection_parameters("list of addresses"),
    ],
    callback=_refresh,
    short_help="Fetch the addresses that operators publish.",
    help="Fetch the addresses that the operators of crawlers publish, and write them to FILE. Run it once a day.\n\n"
    "Without NAME, the lists of all crawlers in the registry are fetched. A list that cannot be fetched keeps its "
    "previous copy in FILE. Running programs that use FILE read it again.",
    epilog="""\b
Examples:
  canfetch agents refresh addresses.json
  canfetch agents refresh addresses.json Googlebot GPTBot --format json

\b
Exit codes: 0 all lists were fetched, 1 some list was not, 2 FILE cannot be written, or an argument is invalid.""",
)

addresses_command: Final = click.Command(
    "addresses",
    params=[
        _file_argument(type=click.Path()),
        _names_argument(),
        Option(
            ["--max-age"],
            metavar="DAYS",
            type=click.FloatRange(0, _MAX_DAYS),
            default=_DEFAULT_MAX_AGE_DAYS,
            help="Age above which a list is old. Old lists identify no impostors.",
        ),
        registry_option(),
        format_option(_FORMATS),
    ],
    callback=_addresses,
    short_help="Show the age of the addresses that operators publish.",
    help="Show the lists of addresses in FILE, which 'canfetch agents refresh' writes: when each was fetched, its age "
    "and its size. Lists of the registry that are not in FILE are missing.",
    epilog="""\b
Examples:
  canfetch agents addresses addresses.json
  canfetch agents addresses addresses.json GPTBot --max-age 2 --format json

\b
Exit codes: 0 all lists are current, 1 some list is old or missing, 2 FILE cannot be read, or an argument is
invalid.""",
)

verify_command: Final = click.Command(
    "verify",
    params=[
        click.Argument(["name"], metavar="[NAME]", required=False, shell_complete=complete_crawler),
        click.Argument(["addresses"], nargs=-1, metavar="[ADDRESS]..."),
        input_file_option(
            "--request",
            help="Head of a recorded request, whose signatures are verified: METHOD URL, then NAME: VALUE lines.",
        ),
        Option(
            ["--host"],
            metavar="HOST",
            help="Host of the site, with --request. Signatures for other hosts are invalid.",
        ),
        Option(
            ["--at"], metavar="TIME", help="When the request was received. By default, the time is the current one."
        ),
        Option(
            ["--addresses", "lists"],
            metavar="FILE",
            type=click.Path(),
            help="Published addresses, in a file of 'canfetch agents refresh'.",
        ),
        Option(["--dns/--no-dns"], default=True, help="Look up the names of addresses."),
        Option(
            ["--timeout"],
            metavar="SECONDS",
            type=click.FloatRange(0.001, 3600),
            default=10.0,
            help="Time for the lookups of one address, and for the keys of a signer.",
        ),
        Option(["--allow-private"], is_flag=True, help="Fetch keys from private and loopback addresses as well."),
        registry_option(),
        format_option(_FORMATS),
        *connection_parameters("set of keys", without={"timeout", "public_only"}),
    ],
    callback=_verify,
    short_help="Verify addresses, or a signed request.",
    help="Verify that addresses are those of a crawler, by the methods that its operator documents: published "
    "addresses, and names in DNS.\n\nNAME is a product token or a whole User-Agent header.\n\n"
    "With --request, also verify the signatures (Web Bot Auth) of a recorded request, and show who signed it. Its "
    "User-Agent field is then the default of NAME. Keys are fetched from public addresses only.",
    epilog="""\b
Examples:
  canfetch agents verify Googlebot 66.249.66.1
  canfetch agents verify --request head.txt --at 2026-11-27T12:00:00Z
  canfetch agents verify GPTBot 192.0.2.1 2001:db8::1 --addresses addresses.json --format json

\b
Exit codes: 0 all addresses are verified, 1 some address is an impostor's, 2 some cannot be verified, or an argument is
invalid. For a request that names no crawler: 0 a signature is valid, 1 none is, 2 it is not signed, or its keys are not
available.""",
)
