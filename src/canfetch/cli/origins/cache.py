"""`canfetch cache`: what is kept of robots.txt files, listed, exported and cleared."""

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn

import click

from canfetch.access.entries import CacheEntry, entry_key, origin_from_key
from canfetch.access.policies import POLICIES
from canfetch.cli.decisions.verdict_rows import JsonWriter
from canfetch.cli.shared.origin_arguments import url_of_origin
from canfetch.cli.shared.problems import ALLOWED, UNCOMPUTED, Problem, cropped
from canfetch.cli.shared.store_option import as_typed, open_kept_store
from canfetch.cli.shared.terminal import shown
from canfetch.client.stores import Store
from canfetch.core.origin import Origin
from canfetch.errors import CanfetchError, CorruptEntry, InvalidURL, StoreError

_HEADING: Final = "ASKED              STATUS  MEANS        OCTETS  ORIGIN\n"
_FORMATS: Final = ("text", "json", "ndjson")


def _with_store(work: Callable[..., int]) -> Callable[..., NoReturn]:
    def run(store: str | None, **given: Any) -> NoReturn:
        opened = open_kept_store(store)
        try:
            code = work(opened, **given)
        except StoreError as error:
            raise Problem(f"--store {as_typed(str(error), store)}") from None
        finally:
            opened.close()
        click.get_current_context().exit(code)

    return run


def _entries(store: Store, origins: tuple[str, ...]) -> Iterator[tuple[str, CacheEntry | CanfetchError]]:
    found: set[str] = set()
    for key in _keys(store, origins):
        name = origin_from_key(key)
        try:
            entry = store.get(key)
        except CorruptEntry as error:
            found.add(name)
            yield key, error
            continue
        if entry is not None:
            found.add(name)
            yield name, entry
    for name in map(_origin_name, origins):
        if name not in found:
            yield name, CorruptEntry("nothing is kept of it")


def _keys(store: Store, origins: tuple[str, ...]) -> Iterator[str]:
    """Yield the keys that there are, or those that there may be of some origins: one for each policy."""
    if origins:
        yield from (entry_key(_origin_name(origin), policy) for origin in origins for policy in POLICIES)
    else:
        yield from list(store.keys())


def _origin_name(text: str) -> str:
    try:
        return str(Origin.from_url(url_of_origin(text)))
    except InvalidURL as error:
        raise Problem(str(error)) from None


def _list(store: Store, origins: tuple[str, ...], format: str) -> int:  # noqa: A002 - the option's name
    code = ALLOWED
    headed = False
    writer = None if format == "text" else JsonWriter(lines=format == "ndjson")
    for name, entry in _entries(store, origins):
        if isinstance(entry, CanfetchError):
            code = UNCOMPUTED
            click.echo(f"canfetch: {cropped(f'{name}: {entry}')}", err=True)
        elif writer is not None:
            writer.write({"origin": name, **_summary(entry)})
        else:
            at = time.strftime("%Y-%m-%d %H:%MZ", time.gmtime(entry.fetched_at))
            if not headed:
                headed = True
                sys.stdout.write(_HEADING)
            octets = "-" if entry.copy is None else str(len(entry.copy.content))
            status = "-" if entry.status is None else str(entry.status)
            # The policy is said where it is not the usual one.
            policy = "" if entry.key == name else f"  by policy {shown(entry.policy)}"
            sys.stdout.write(f"{at}  {status:>6}  {entry.outcome.access!s:11}  {octets:>6}  {shown(name)}{policy}\n")
    if writer is not None:
        writer.end()
    return code


def _summary(entry: CacheEntry) -> dict[str, Any]:
    return {
        "policy": entry.policy,
        "access": str(entry.outcome.access),
        "detail": entry.outcome.detail,
        "status": entry.status,
        "fetched_at": entry.fetched_at,
        "next_fetch_at": entry.next_fetch_at,
        "octets": None if entry.copy is None else len(entry.copy.content),
        "sha256": None if entry.copy is None else entry.copy.sha256,
    }


def _export(store: Store, origins: tuple[str, ...]) -> int:
    code = ALLOWED
    writer = JsonWriter(lines=True)
    for name, entry in _entries(store, origins):
        if isinstance(entry, CanfetchError):
            code = UNCOMPUTED
            click.echo(f"canfetch: {cropped(f'{name}: {entry}')}", err=True)
        else:
            writer.write(entry.to_dict())
    writer.end()
    return code


def _clear(store: Store, origins: tuple[str, ...], all_: bool) -> int:  # noqa: FBT001 - click calls it
    if bool(origins) == all_:
        raise Problem("give the origins to forget, or --all")
    forgotten = len({origin_from_key(key) for key in _keys(store, origins) if store.delete(key)})
    click.echo(f"{forgotten} {'origin' if forgotten == 1 else 'origins'} forgotten", err=True)
    return ALLOWED


_STORE: Final = click.Option(
    ["--store"],
    metavar="FILE|URL",
    help="An SQLite file or a redis:// URL; by default a file in the user's cache folder.",
)
_STORE_EXAMPLES: Final = """\b
Examples:
  canfetch cache {0}
  canfetch cache {0} https://example.com --store robots.sqlite3

\b
Exit code: 0 done, 2 there is no such store, or of some origin nothing usable is kept."""
_ORIGINS: Final = click.Argument(["origins"], nargs=-1, metavar="[ORIGIN]...")

command: Final = click.Group(
    "cache",
    short_help="List, export and clear what is kept.",
    help="List, export and clear what is kept of robots.txt files.",
    epilog="""\b
Examples:
  canfetch cache list
  canfetch cache export https://example.com > entry.ndjson
  canfetch cache clear https://example.com
  canfetch cache clear --all""",
    commands={
        "list": click.Command(
            "list",
            params=[
                _ORIGINS,
                _STORE,
                click.Option(["--format"], type=click.Choice(_FORMATS), default="text", show_default=True),
            ],
            callback=_with_store(_list),
            short_help="List origins and what came of them.",
            help="List origins: when they were asked, the status, what that means, the octets of the copy.",
            epilog=_STORE_EXAMPLES.format("list"),
        ),
        "export": click.Command(
            "export",
            params=[_ORIGINS, _STORE],
            callback=_with_store(_export),
            help="Write whole entries, octets in base64, as NDJSON.",
            epilog=_STORE_EXAMPLES.format("export"),
        ),
        "clear": click.Command(
            "clear",
            params=[_ORIGINS, _STORE, click.Option(["--all", "all_"], is_flag=True, help="Forget every origin.")],
            callback=_with_store(_clear),
            help="Forget origins.",
            epilog="""\b
Examples:
  canfetch cache clear https://example.com
  canfetch cache clear --all --store redis://localhost:6379/0""",
        ),
    },
)
