"""`canfetch cache`: list, export and clear cached robots.txt files."""

import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

import click

from canfetch.access.entries import CacheEntry, entry_key, origin_from_key
from canfetch.access.redacted_entries import redact_entry
from canfetch.cli.shared.command_errors import EXIT_ERROR, EXIT_OK, CommandError
from canfetch.cli.shared.option_parameters import format_option
from canfetch.cli.shared.origin_arguments import to_origin
from canfetch.cli.shared.row_writers import JsonWriter, json_writer
from canfetch.cli.shared.single_value_option import Option
from canfetch.cli.shared.store_option import open_existing_store
from canfetch.cli.shared.terminal import print_error, print_message, printable
from canfetch.client.stores import Store
from canfetch.client.stores.locations import restore_scheme
from canfetch.core.text import counted
from canfetch.core.times import rfc3339
from canfetch.errors import CanfetchError, CorruptEntry, NewerEntry, StoreError

_HEADING: Final = "FETCHED               STATUS  ACCESS        BYTES  ORIGIN\n"


def _with_store(function: Callable[..., int]) -> Callable[..., int]:
    def run(store: str | None, **values: Any) -> int:
        opened = open_existing_store(store, warn=print_message)
        try:
            return function(opened, **values)
        except StoreError as error:
            raise CommandError(f"--store {restore_scheme(str(error), store)}") from None
        finally:
            opened.close()

    return run


def _entries(store: Store, origins: tuple[str, ...]) -> Iterator[tuple[str, CacheEntry | CanfetchError]]:
    """Yield the entries of the given origins, or all entries, each with its origin."""
    found: set[str] = set()
    for key in _keys(store, origins):
        origin = origin_from_key(key)
        try:
            entry = store.get(key)
        except (CorruptEntry, NewerEntry) as error:
            found.add(origin)
            yield key, error
            continue
        if entry is not None:
            found.add(origin)
            yield origin, redact_entry(entry)
    for origin in map(str, map(to_origin, origins)):
        if origin not in found:
            yield origin, CorruptEntry("not cached")


def _keys(store: Store, origins: tuple[str, ...]) -> Iterator[str]:
    """Yield all keys, or those of the given origins in their order, with one key for each policy and variant."""
    if not origins:
        yield from list(store.keys())
        return
    by_origin: dict[str, list[str]] = {str(to_origin(origin)): [] for origin in origins}
    # The names of adjusted policies are only known from the keys.
    for key in store.keys():  # noqa: SIM118 - a store is not a dictionary
        if origin_from_key(key) in by_origin:
            by_origin[origin_from_key(key)].append(key)
    for keys in by_origin.values():
        yield from keys


def _list(store: Store, origins: tuple[str, ...], format: str) -> int:  # noqa: A002 - the option's name
    code = EXIT_OK
    has_heading = False
    writer = json_writer(format)
    for origin, entry in _entries(store, origins):
        if isinstance(entry, CanfetchError):
            code = EXIT_ERROR
            print_error(f"{origin}: {entry}")
        elif writer is not None:
            writer.write({"origin": origin, **_summary(entry)})
        else:
            if not has_heading:
                has_heading = True
                sys.stdout.write(_HEADING)
            sys.stdout.write(_row(origin, entry))
    if writer is not None:
        writer.end()
    return code


def _row(origin: str, entry: CacheEntry) -> str:
    size = "-" if entry.copy is None else str(len(entry.copy.content))
    status = "-" if entry.status is None else str(entry.status)
    # The key of the default policy is the origin.
    policy = "" if entry_key(origin, entry.policy) == origin else f"  policy {printable(entry.policy)}"
    variant = f"  variant {printable(entry.variant)}" if entry.variant else ""
    vary = f"  vary {printable(', '.join(field.name for field in entry.vary))}" if entry.vary else ""
    cells = f"{rfc3339(int(entry.fetched_at))}  {status:>6}  {entry.outcome.access!s:11}  {size:>6}"
    return f"{cells}  {printable(origin)}{policy}{variant}{vary}\n"


def _summary(entry: CacheEntry) -> dict[str, Any]:
    return {
        "policy": entry.policy,
        "variant": entry.variant,
        "vary": [field.name for field in entry.vary],
        "access": str(entry.outcome.access),
        "detail": entry.outcome.detail,
        "status": entry.status,
        "fetched_at": rfc3339(entry.fetched_at),
        "next_fetch_at": rfc3339(entry.next_fetch_at),
        "bytes": None if entry.copy is None else len(entry.copy.content),
        "sha256": None if entry.copy is None else entry.copy.sha256,
    }


def _export(store: Store, origins: tuple[str, ...]) -> int:
    code = EXIT_OK
    writer = JsonWriter(lines=True)
    for origin, entry in _entries(store, origins):
        if isinstance(entry, CanfetchError):
            code = EXIT_ERROR
            print_error(f"{origin}: {entry}")
        else:
            writer.write(entry.to_dict())
    writer.end()
    return code


def _clear(store: Store, origins: tuple[str, ...], all_: bool) -> int:  # noqa: FBT001 - click calls it
    if bool(origins) == all_:
        raise CommandError("expected either origins or --all")
    removed = len({origin_from_key(key) for key in _keys(store, origins) if store.delete(key)})
    print_message(f"removed {counted(removed, 'origin')}")
    return EXIT_OK


_STORE: Final = Option(
    ["--store"],
    metavar="FILE|URL",
    help="SQLite file or redis:// URL.  [default: a file in the user's cache directory]",
)
_EPILOG: Final = """\b
Examples:
  canfetch cache {0}
  canfetch cache {0} https://example.com --store robots.sqlite3

\b
Exit codes: 0 success, 2 the store does not exist, an origin is not cached, or an entry cannot be read."""
_ORIGINS: Final = click.Argument(["origins"], nargs=-1, metavar="[ORIGIN]...")

command: Final = click.Group(
    "cache",
    short_help="List, export and clear cached robots.txt files.",
    help="List, export and clear cached robots.txt files.",
    epilog="""\b
Examples:
  canfetch cache list
  canfetch cache export https://example.com > entry.ndjson
  canfetch cache clear https://example.com
  canfetch cache clear --all""",
    commands={
        "list": click.Command(
            "list",
            params=[_ORIGINS, _STORE, format_option()],
            callback=_with_store(_list),
            short_help="List cached origins.",
            help="List cached origins with the time of the last fetch, the status, the access, and the size of the "
            "cached copy.",
            epilog=_EPILOG.format("list"),
        ),
        "export": click.Command(
            "export",
            params=[_ORIGINS, _STORE],
            callback=_with_store(_export),
            short_help="Print cache entries as NDJSON.",
            help="Print cache entries as NDJSON, with the content in base64, and without user information in URLs.",
            epilog=_EPILOG.format("export"),
        ),
        "clear": click.Command(
            "clear",
            params=[_ORIGINS, _STORE, Option(["--all", "all_"], is_flag=True, help="Remove all origins.")],
            callback=_with_store(_clear),
            help="Remove origins from the cache.",
            epilog="""\b
Examples:
  canfetch cache clear https://example.com
  canfetch cache clear --all --store redis://localhost:6379/0

\b
Exit codes: 0 success, 2 an error occurred.""",
        ),
    },
)
