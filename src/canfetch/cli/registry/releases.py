"""The releases of the registry: `canfetch agents update`, `diff` and `report`.

`json` is one object: for `update` with `version`, `path` and `is_installed`; for `diff`, `ReleaseChanges.to_json`,
schema `canfetch.registry-changes/1`; for `report`, `ReleaseReport.to_json`, schema `canfetch.registry-report/1`.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Error as SQLiteError
from typing import TYPE_CHECKING, Any, Final

import click

from canfetch.agents.registry import RELEASE
from canfetch.agents.releases import (
    BUILTIN,
    MAX_RELEASE_BYTES,
    REGISTRY_VARIABLE,
    Release,
    builtin_release,
    installed_path,
    parse_release,
)
from canfetch.cli.shared.command_errors import EXIT_NEGATIVE, EXIT_OK, CommandError
from canfetch.cli.shared.edition_option import edition_option
from canfetch.cli.shared.input_files import read_robots, read_whole_input
from canfetch.cli.shared.network_options import NetworkOptions, connection_parameters, pop_connection_options
from canfetch.cli.shared.option_parameters import format_option, input_file_option, profile_option
from canfetch.cli.shared.single_value_option import Option, complete_path
from canfetch.cli.shared.terminal import print_message, printable
from canfetch.core.document import parse
from canfetch.core.quoting import quoted
from canfetch.core.text import counted
from canfetch.errors import CanfetchError, InvalidRegistry
from canfetch.repository import RELEASE_KEYS

if TYPE_CHECKING:
    from canfetch.answers.registry_changes import CrawlerChange, ReleaseReport

_CURRENT: Final = "current"
_FORMATS: Final = ("text", "json")
_DEFAULT_KEYS: Final = "the keys of this version" if RELEASE_KEYS else "the keys of this version, which has none yet"
_MAX_KEY_BYTES: Final = 1 << 16
_MAX_SIGNATURE_BYTES: Final = 1 << 10


def _update(format: str, *, source: str | None, key: str | None, signature: str | None, **values: Any) -> int:  # noqa: A002 - the option's name
    is_removed, allow_older = values.pop("builtin"), values.pop("allow_older")
    network = pop_connection_options(values)
    named = os.environ.get(REGISTRY_VARIABLE)
    if named:
        raise CommandError(
            f"{REGISTRY_VARIABLE} names the registry to read, {quoted(named)}: unset it to install another"
        )
    path = installed_path()
    if path is None:
        raise CommandError("no home directory for the registry: set HOME")
    if is_removed == (source is not None):
        missing = "pass the release, a URL or a file, or --builtin"
        raise CommandError("--builtin cannot be used with the release, a URL or a file" if is_removed else missing)
    if source is None:
        try:
            Path(path).unlink(missing_ok=True)
        except OSError as error:
            raise CommandError(f"cannot remove {quoted(path)}: {error.strerror or error}") from None
        return _print_update(builtin_release(), format)
    try:
        release = _install(path, network, source, key, signature, allow_older=allow_older)
    except OSError as error:
        raise CommandError(f"cannot write {quoted(path)}: {error.strerror or error}") from None
    except SQLiteError as error:
        raise CommandError(f"cannot lock {quoted(path)}: {error}") from None
    except CanfetchError as error:
        raise CommandError(str(error)) from None
    if release is None:
        return EXIT_NEGATIVE
    return _print_update(release, format)


def _install(
    path: str, network: NetworkOptions, source: str, key: str | None, signature: str | None, *, allow_older: bool
) -> Release | None:
    """Install a release, or return None if it is not later than the one in use."""
    from canfetch.client.registry_update import (  # noqa: PLC0415 - imports the client
        SIGNATURE_SUFFIX,
        NoLaterRelease,
        install_release,
        parse_release_key,
        pinned_keys,
    )

    pem = None if key is None else read_whole_input(key, "--key", max_bytes=_MAX_KEY_BYTES)
    keys = pinned_keys() if pem is None else [parse_release_key(pem)]
    if not keys:
        raise CommandError("this version of canfetch has no key for releases yet: pass --key FILE")
    read = _reader(network)
    content = read(source, MAX_RELEASE_BYTES)
    signed = read(signature or f"{source}{SIGNATURE_SUFFIX}", _MAX_SIGNATURE_BYTES)
    try:
        return install_release(path, content, signed, keys, allow_older=allow_older)
    except NoLaterRelease as error:
        print_message(f"canfetch: {error}")
        return None


def _reader(network: NetworkOptions) -> Callable[[str, int], bytes]:
    """Return the function that reads a file or a URL."""
    from canfetch.cli.shared.command_transport import CommandTransport  # noqa: PLC0415 - imports the client
    from canfetch.client.registry_update import fetch_release  # noqa: PLC0415 - the same

    def read(name: str, max_bytes: int) -> bytes:
        if "://" not in name:
            return read_whole_input(name, max_bytes=max_bytes)
        return fetch_release(
            name,
            max_bytes=max_bytes,
            user_agent=network.user_agent,
            transport=CommandTransport(network),
            timeout=network.timeout,
            allow_private=not network.public_only,
        )

    return read


def _print_update(release: Release, format: str) -> int:  # noqa: A002 - the option's name
    is_installed = release.path is not None
    if format == "json":
        value = {"version": release.version, "path": release.path, "is_installed": is_installed}
        sys.stdout.write(json.dumps(value) + "\n")
    else:
        place = f"installed at {release.path}" if is_installed else "of the package"
        sys.stdout.write(printable(f"registry of {release.version}, {place}") + "\n")
    return EXIT_OK


def _release(name: str) -> Release:
    """Return the release that an argument names."""
    if name == BUILTIN:
        return builtin_release()
    if name == _CURRENT:
        return RELEASE
    try:
        return parse_release(read_whole_input(name, max_bytes=MAX_RELEASE_BYTES), name)
    except InvalidRegistry as error:
        raise CommandError(f"{quoted(name)}: {error}") from None


def _diff(old: str, new: str, robots: str | None, profile: str, format: str, **_: Any) -> int:  # noqa: A002 - the option's name
    from canfetch.answers.registry_changes import compare_releases  # noqa: PLC0415 - imports the comparison

    file = None if robots is None else parse(read_robots(robots), profile=profile)
    changes = compare_releases(_release(old), _release(new), file)
    if format == "json":
        sys.stdout.write(json.dumps(changes.to_json()) + "\n")
    else:
        for change in changes.crawlers:
            sys.stdout.write("".join(f"{printable(line)}\n" for line in _change_lines(change)))
        for sign, headers in (("+", changes.added_headers), ("-", changes.removed_headers)):
            sys.stdout.write("".join(f"other header: {sign}{printable(header)}\n" for header in headers))
        number = counted(len(changes.crawlers), "crawler")
        sys.stdout.write(f"{changes.before} -> {changes.after}: {number} changed\n")
    has_changes = changes.crawlers or changes.added_headers or changes.removed_headers
    return EXIT_NEGATIVE if has_changes else EXIT_OK


def _change_lines(change: "CrawlerChange") -> Iterator[str]:
    entry = change.after or change.before
    assert entry is not None
    known = f" ({entry.operator}, {', '.join(entry.purposes)})"
    yield f"{change.name}: {change.kind}{'' if change.kind == 'changed' else known}"
    for field in change.fields:
        yield f"  {field}"
    if change.is_undecided:
        yield "  the robots.txt has too many rules to compare its verdicts"
    if change.verdicts is not None:
        for verb, urls in (
            ("allowed", change.verdicts.newly_allowed),
            ("disallowed", change.verdicts.newly_disallowed),
        ):
            if urls:
                patterns = ", ".join([*urls.patterns, *(f"part of {one}" for one in urls.partial_patterns)])
                yield f"  in this robots.txt, newly {verb}: {patterns}, such as {urls.examples[0]}"


def _report(release: str, format: str) -> int:  # noqa: A002 - the option's name
    from canfetch.answers.registry_changes import report_release  # noqa: PLC0415 - imports the comparison

    report = report_release(_release(release), datetime.now(UTC).date())
    if format == "json":
        sys.stdout.write(json.dumps(report.to_json()) + "\n")
    else:
        sys.stdout.write("".join(f"{printable(line)}\n" for line in _report_lines(report)))
    return EXIT_NEGATIVE if report.old else EXIT_OK


def _report_lines(report: "ReleaseReport") -> Iterator[str]:
    release = report.release
    yield f"registry of {release.version}, {'of the package' if release.path is None else release.path}"
    crawlers = counted(len(release.crawlers), "crawler")
    yield f"{crawlers}, {counted(sum(len(one.headers) for one in release.crawlers), 'header')}"
    yield f"checked more than a year ago: {len(report.old) or 'none'}"
    for one in report.old:
        # Most sources are those of nearly all fields of a crawler.
        field = f" ({one.fields[0]})" if len(one.fields) == 1 else ""
        yield f"  {one.checked}  {one.name}{field}  {one.source}"
    yield f"unknown: {len(report.unknown) or 'nothing'}"
    for crawler, fields in report.unknown:
        yield f"  {crawler.name}: {', '.join(fields)}"
    yield f"headers without a date: {report.undated_headers or 'none'}"


_RELEASES: Final = f"a file, {BUILTIN!r} for the release of the package, or {_CURRENT!r} for the one in use"

update_command: Final = click.Command(
    "update",
    params=[
        click.Argument(["source"], metavar="[RELEASE]", required=False, shell_complete=complete_path),
        Option(
            ["--key"],
            metavar="FILE",
            type=click.Path(),
            help=f"Public key of the release in PEM.  [default: {_DEFAULT_KEYS}]",
        ),
        Option(
            ["--signature"],
            metavar="SOURCE",
            help="Signature, a URL or a file.  [default: RELEASE with .sig at its end]",
        ),
        Option(
            ["--allow-older"],
            is_flag=True,
            help="Also install a release that is older than one that was installed before.",
        ),
        Option(["--builtin"], is_flag=True, help="Remove the installed release, and use that of the package again."),
        format_option(_FORMATS),
        *connection_parameters("release"),
    ],
    callback=_update,
    short_help="Install a later release of the registry.",
    help="Install a later release of the registry of crawlers, from a URL or a file. Its signature is verified.\n\n"
    "All programs of this user that use canfetch read it from then on. The variable CANFETCH_REGISTRY names another "
    f"file to read, or {BUILTIN!r}. Nothing is ever updated by itself.\n\n"
    "An older release is refused, also after --builtin, unless --allow-older is passed.",
    epilog="""\b
Examples:
  canfetch agents update registry-2026-12-01.json --key releases.pem
  canfetch agents update https://example.com/registry-2026-12-01.json --key releases.pem
  canfetch agents update --builtin

\b
Exit codes: 0 the release was installed, 1 it is older than one that was installed, or not later than the one in use,
2 it cannot be read, its signature is invalid, or an option is.""",
)

diff_command: Final = click.Command(
    "diff",
    params=[
        click.Argument(["old"], metavar="OLD", shell_complete=complete_path),
        click.Argument(["new"], metavar="NEW", shell_complete=complete_path),
        input_file_option("--robots", help="Also show which verdicts of this robots.txt change."),
        profile_option(),
        edition_option(),
        format_option(_FORMATS),
    ],
    callback=_diff,
    short_help="Show what changes between two releases of the registry.",
    help="Show which tokens, purposes, addresses, headers and other facts of crawlers differ between two releases of "
    f"the registry.\n\nOLD and NEW are {_RELEASES}.",
    epilog="""\b
Examples:
  canfetch agents diff builtin registry-2026-12-01.json
  canfetch agents diff builtin current --robots robots.txt --format json

\b
Exit codes: 0 nothing differs, 1 something does, 2 a release or the robots.txt cannot be read.""",
)

report_command: Final = click.Command(
    "report",
    params=[
        click.Argument(["release"], metavar="[RELEASE]", default=_CURRENT, shell_complete=complete_path),
        format_option(_FORMATS),
    ],
    callback=_report,
    short_help="Show how old and complete the registry is.",
    help="Show which facts of a release of the registry were checked more than a year ago, and which are unknown.\n\n"
    f"RELEASE is {_RELEASES}.",
    epilog="""\b
Examples:
  canfetch agents report
  canfetch agents report registry-2026-12-01.json --format json

\b
Exit codes: 0 everything was checked within a year, 1 something was not, 2 the release cannot be read.""",
)
