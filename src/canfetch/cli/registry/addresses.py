"""The addresses that operators publish for their crawlers: `canfetch agents refresh`, `addresses` and `verify`.

`json` is a list of objects and `ndjson` has one object per line, with the keys of these columns of `csv`:

- `refresh`: `url`, `status` (`updated`, `failed`), `reason` (null if updated)
- `addresses`: `url`, `status` (`current`, `old`, `missing`), `fetched_at`, `age_seconds`, `prefixes`, `crawlers`
- `verify`: `crawler`, `address`, `status` (`verified`, `impostor`, `undecided`), `reason`
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from canfetch.agents import Crawler, Registry
from canfetch.agents.identity import IdentityStatus, parse_address
from canfetch.cli.shared.address_lists import open_address_lists
from canfetch.cli.shared.agent_arguments import unknown_crawler
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.network_options import connection_parameters, pop_connection_options
from canfetch.cli.shared.option_parameters import complete_crawler, format_option, registry_option
from canfetch.cli.shared.output_parameters import OutputFile, check_outputs
from canfetch.cli.shared.registry_file import load_registry
from canfetch.cli.shared.row_writers import CsvWriter, JsonWriter, write_rows
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.terminal import pad, printable
from canfetch.core.quoting import quoted
from canfetch.core.times import rfc3339
from canfetch.errors import CanfetchError

if TYPE_CHECKING:
    from canfetch.agents.address_lists import AddressLists

_FORMATS: Final = ("text", "json", "ndjson", "csv")
_REFRESH_COLUMNS: Final = ("url", "status", "reason")
_ADDRESS_COLUMNS: Final = ("url", "status", "fetched_at", "age_seconds", "prefixes", "crawlers")
_VERIFY_COLUMNS: Final = ("crawler", "address", "status", "reason")
_DAY: Final = 86_400.0
_HOUR: Final = 3600.0
_DEFAULT_MAX_AGE_DAYS: Final = 14.0
_STATUS_WIDTH: Final = 9
_ADDRESS_WIDTH: Final = 15
_MAX_DAYS: Final = 3660

Row = dict[str, Any]


def _refresh(file: str, names: tuple[str, ...], agents_registry: str | None, format: str, **values: Any) -> NoReturn:  # noqa: A002 - the option's name
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
    except OSError as error:
        raise CommandError(f"cannot write {quoted(file)}: {error.strerror or error}") from None
    except CanfetchError as error:
        raise CommandError(str(error)) from None
    rows = [{"url": url, "status": "updated", "reason": None} for url in result.updated]
    rows += [{"url": url, "status": "failed", "reason": reason} for url, reason in result.failed.items()]
    rows.sort(key=lambda row: str(row["url"]))
    _write(rows, format, _REFRESH_COLUMNS, lambda row: f"{pad(row['status'], 7)}  {row['url']}{_after(row['reason'])}")
    click.get_current_context().exit(EXIT_NEGATIVE if result.failed else EXIT_OK)


def _addresses(
    file: str,
    names: tuple[str, ...],
    agents_registry: str | None,
    max_age: float,
    format: str,  # noqa: A002 - the option's name
) -> NoReturn:
    registry = load_registry(agents_registry)
    lists = open_address_lists(file).current()
    urls = _list_urls(_crawlers(names, registry))
    if not names:
        urls = sorted({*urls, *lists.lists})
    rows = [_address_row(url, lists, registry, max_age * _DAY) for url in urls]
    if format == "text":
        sys.stdout.write(f"{'FETCHED':20}  {'AGE':>8}  {'PREFIXES':>8}  {'STATUS':7}  LIST\n")
    _write(rows, format, _ADDRESS_COLUMNS, _address_text)
    click.get_current_context().exit(EXIT_OK if all(row["status"] == "current" for row in rows) else EXIT_NEGATIVE)


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
    name: str,
    addresses: tuple[str, ...],
    agents_registry: str | None,
    lists: str | None,
    dns: bool,
    timeout: float,
    format: str,  # noqa: A002 - the option's name
) -> NoReturn:
    for address in addresses:
        if parse_address(address) is None:
            raise CommandError(f"invalid address {quoted(address)}: expected an IP address, such as 192.0.2.1")
    registry = load_registry(agents_registry)
    crawler = registry.get_crawler(name) or registry.find_crawler(name)
    if crawler is None:
        raise CommandError(unknown_crawler(name, printable(name), registry))
    from canfetch.client.identity import IdentityVerifier  # noqa: PLC0415 - imports the client

    verifier = IdentityVerifier(
        address_lists=None if lists is None else open_address_lists(lists, "--addresses"), dns=dns, timeout=timeout
    )
    code = EXIT_OK

    def verified() -> Iterator[Row]:
        nonlocal code
        for address in addresses:
            status, reason, _ = verifier.verify(crawler, address)
            if status is IdentityStatus.UNDECIDED:
                code = EXIT_ERROR
            elif status is IdentityStatus.IMPOSTOR and code == EXIT_OK:
                code = EXIT_NEGATIVE
            yield {"crawler": crawler.name, "address": address, "status": str(status), "reason": reason}

    _write(
        verified(),
        format,
        _VERIFY_COLUMNS,
        lambda row: f"{pad(row['status'], _STATUS_WIDTH)}  {pad(row['address'], _ADDRESS_WIDTH)}  {row['reason']}",
    )
    click.get_current_context().exit(code)


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
            sys.stdout.write(f"{printable(text(row))}\n")
    elif format == "csv":
        write_rows(([_cell(row[column]) for column in columns] for row in rows), CsvWriter(columns))
    else:
        write_rows(rows, JsonWriter(lines=format == "ndjson"))


def _cell(value: Any) -> str | int | None:
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
        click.Argument(["name"], metavar="NAME", shell_complete=complete_crawler),
        click.Argument(["addresses"], nargs=-1, required=True, metavar="ADDRESS..."),
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
            help="Time for the lookups of one address.",
        ),
        registry_option(),
        format_option(_FORMATS),
    ],
    callback=_verify,
    short_help="Verify that addresses are a crawler's.",
    help="Verify that addresses are those of a crawler, by the methods that its operator documents: published "
    "addresses, and names in DNS.\n\nNAME is a product token or a whole User-Agent header.",
    epilog="""\b
Examples:
  canfetch agents verify Googlebot 66.249.66.1
  canfetch agents verify GPTBot 192.0.2.1 2001:db8::1 --addresses addresses.json --format json

\b
Exit codes: 0 all addresses are verified, 1 some address is an impostor's, 2 some cannot be verified, or an argument is
invalid.""",
)
