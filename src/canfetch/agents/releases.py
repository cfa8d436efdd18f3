"""Releases of the registry: data with a date, apart from the code that reads it.

The package has a release, `registry.json`. `canfetch agents update` installs a later one for the user, which all
programs of that user read from then on. A release is one JSON file:

    {"schema": "canfetch.registry/1", "version": "2026-11-27",
     "crawlers": [{"tokens": ["ExampleBot"], "operator": "Example", "purposes": ["search-index"],
                   "source": "https://example.com/bot", "checked": "2026-11-26", ...}],
     "other_headers": [{"value": "Mozilla/5.0 ...", "source": "..."}]}

The keys of a crawler are the fields of `Crawler`; an omitted key has its default. A `comment` is for the maintainers.
The source and the date of a crawler are those of all its fields, except for those in `field_sources`, and for headers,
which have their own. The other headers are those of browsers, apps and libraries, which declare no crawler. Only
published releases have them.
"""

import json
import os
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, get_args

from canfetch.agents.crawler import Crawler, FieldSource, PublishedHeader, SourceKind, Verification
from canfetch.agents.validation import is_day, validate_crawler
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError, InvalidRegistry

REGISTRY_SCHEMA: Final = "canfetch.registry/1"
REGISTRY_VARIABLE: Final = "CANFETCH_REGISTRY"
"""The variable that names the file of the release to read. `builtin` is that of the package."""
BUILTIN: Final = "builtin"
MAX_RELEASE_BYTES: Final = 8 << 20
"""The largest release. That of the package has 130 KB."""
_MAX_CRAWLERS: Final = 10_000
_MAX_HEADERS: Final = 20_000
_REQUIRED_KEYS: Final = ("tokens", "operator", "purposes", "source")
_COMMENT: Final = "comment"
_KEYS: Final = (*Crawler._fields, _COMMENT)


class Release(NamedTuple):
    """A release of the registry.

    Attributes:
        version: Its date, as YYYY-MM-DD.
        crawlers: The crawlers.
        other_headers: Headers that declare no crawler.
        path: The file, or None for the release of the package.
    """

    version: str
    crawlers: tuple[Crawler, ...]
    other_headers: tuple[PublishedHeader, ...] = ()
    path: str | None = None


def parse_release(content: bytes, path: str | None = None) -> Release:
    """Return a release.

    Args:
        content: The file.
        path: Its name, which the release has as an attribute.
    Raises: InvalidRegistry: It is not a release, or an entry is invalid.
    Cost: O(bytes).
    """
    if len(content) > MAX_RELEASE_BYTES:
        raise InvalidRegistry(f"the registry has more than {MAX_RELEASE_BYTES >> 20} MiB")
    try:
        plain = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InvalidRegistry(f"the registry is not valid JSON: {error}") from None
    if not isinstance(plain, dict) or plain.get("schema") != REGISTRY_SCHEMA:
        raise InvalidRegistry(f"not a registry: expected an object with the schema {REGISTRY_SCHEMA!r}")
    try:
        version = _version(plain.get("version"))
        crawlers = _each("crawlers", plain.get("crawlers"), _MAX_CRAWLERS, _valid_crawler)
        others = _each("other_headers", plain.get("other_headers", []), _MAX_HEADERS, _valid_header)
    except (CanfetchError, TypeError) as error:
        raise InvalidRegistry(f"invalid registry: {error}") from None
    if not crawlers:
        raise InvalidRegistry("the registry has no crawlers")
    names = [crawler.name.lower() for crawler in crawlers]
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise InvalidRegistry(f"invalid registry: two crawlers are named {quoted(repeated)}")
    return Release(version, crawlers, others, path)


def _version(text: object) -> str:
    if not isinstance(text, str) or not is_day(text):
        raise TypeError(f"version {quoted(text)}: expected a date such as 2026-11-20")
    return text


def _each(key: str, rows: object, most: int, parse: Callable[[Any], Any]) -> tuple[Any, ...]:
    if not isinstance(rows, list) or len(rows) > most:
        raise TypeError(f"{key}: expected a list of at most {most:,} entries")
    found = []
    for number, row in enumerate(rows, 1):
        try:
            found.append(parse(row))
        except (CanfetchError, TypeError) as error:
            raise TypeError(f"{key}, entry {number}: {error}") from None
    return tuple(found)


def _valid_crawler(row: Any) -> Crawler:
    return validate_crawler(parse_crawler(row))


def parse_crawler(row: Any) -> Crawler:
    """Return the crawler of a table, with lists as tuples. Its values are not checked: see `validate_crawler`.

    Raises: TypeError: It is not a table, a key is missing, or a key is unknown.
    """
    if not isinstance(row, dict):
        raise TypeError("expected a table")
    missing = [key for key in _REQUIRED_KEYS if key not in row]
    if missing:
        required = ", ".join(map(repr, _REQUIRED_KEYS))
        raise TypeError(f"missing key {missing[0]!r}: required keys are {required}")
    _check_keys("", row, _KEYS)
    values = _with_tuples(row)
    values.pop(_COMMENT, None)
    verification = values.get("verification")
    if isinstance(verification, dict):
        _check_keys("verification: ", verification, Verification._fields)
        values["verification"] = Verification(**_with_tuples(verification))
    for key, parse in (("headers", _parse_header), ("field_sources", _parse_field_source)):
        tables = values.get(key)
        if isinstance(tables, tuple) and all(isinstance(table, dict) for table in tables):
            values[key] = tuple(map(parse, tables))
    return Crawler(**values)


def _parse_header(table: Any) -> PublishedHeader:
    if not isinstance(table, dict):
        raise TypeError("headers: expected tables")
    _check_keys("headers: ", table, PublishedHeader._fields)
    missing = [key for key in ("value", "source") if not isinstance(table.get(key), str)]
    if missing:
        raise TypeError(f"headers: missing key {missing[0]!r}: required keys are 'value', 'source'")
    return PublishedHeader(**table)


def _parse_field_source(table: Any) -> FieldSource:
    _check_keys("field_sources: ", table, FieldSource._fields)
    missing = [key for key in FieldSource._fields if key not in table]
    if missing:
        raise TypeError(f"field_sources: missing key {missing[0]!r}")
    return FieldSource(**table)


def _valid_header(table: Any) -> PublishedHeader:
    header = _parse_header(table)
    is_dated = header.checked == "" or is_day(header.checked)
    if not header.value or header.source_kind not in get_args(SourceKind) or not is_dated:
        raise TypeError(
            f"invalid header {quoted(table)}: expected a value, and a source_kind of {get_args(SourceKind)}"
        )
    return header


def _check_keys(name: str, table: Mapping[str, Any], keys: Sequence[str]) -> None:
    unknown = [key for key in table if key not in keys]
    if unknown:
        raise TypeError(f"{name}{unknown_choice('key', unknown[0], keys)}")


def _with_tuples(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


def builtin_release() -> Release:
    """Return the release of the package.

    Cost: O(bytes).
    """
    plain = json.loads(_builtin_content())
    return Release(plain["version"], tuple(map(parse_crawler, plain["crawlers"])))


def _builtin_content() -> bytes:
    # The loader, because the package can be in a ZIP file.
    loader: Any = globals()["__loader__"]
    path = os.path.join(os.path.dirname(__file__), "registry.json")  # noqa: PTH118, PTH120 - imported at each start
    content: bytes = loader.get_data(path)
    return content


def builtin_version() -> str:
    """Return the version of the release of the package, without reading the rest."""
    return _builtin_content().partition(b'"version": "')[2].partition(b'"')[0].decode()


def installed_path() -> str | None:
    """Return the file that `canfetch agents update` writes for this user, or None if no folder is known for it."""
    folder = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_DATA_HOME")
    if not folder:
        home = os.path.expanduser("~")  # noqa: PTH111 - imported at each start
        if home == "~":
            return None
        parts = {"darwin": ("Library", "Application Support"), "win32": ("AppData", "Local")}
        folder = os.path.join(home, *parts.get(sys.platform, (".local", "share")))  # noqa: PTH118 - as above
    return os.path.join(folder, "canfetch", "registry.json")  # noqa: PTH118 - as above


def current_release() -> Release:
    """Return the installed release, or that of the package if none is installed, or if it is not older.

    The variable CANFETCH_REGISTRY names another file, or `builtin`. A damaged file is reported by a warning, and not
    read.
    """
    named = os.environ.get(REGISTRY_VARIABLE)
    path = None if named == BUILTIN else named or installed_path()
    if path is None:
        return builtin_release()
    try:
        found = read_release(path)
    except OSError as error:
        # There may be no home, or that of another user.
        if not named:
            return builtin_release()
        problem: Exception = error
    except InvalidRegistry as error:
        problem = error
    else:
        # Whoever names a file wants that one.
        return found if named or found.version > builtin_version() else builtin_release()
    import warnings  # noqa: PLC0415 - not needed without a problem

    message = f"the registry of crawlers at {quoted(path)} is not read: {problem}; that of the package is used"
    warnings.warn(message, RuntimeWarning, stacklevel=2)
    return builtin_release()


def read_release(path: str) -> Release:
    """Return the release in a file.

    Raises: InvalidRegistry; OSError.
    """
    status = os.stat(path)  # noqa: PTH116 - as above
    if not stat.S_ISREG(status.st_mode):
        # A named pipe without a writer would block every program.
        raise InvalidRegistry("the registry is not a regular file")
    with open(path, "rb") as file:  # noqa: PTH123 - as above
        return parse_release(file.read(MAX_RELEASE_BYTES + 1), path)
