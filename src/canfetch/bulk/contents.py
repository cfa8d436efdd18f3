"""Columns of contents, each distinct content parsed once: rules, sitemaps, and counts."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from canfetch.access.editions import choose_profile
from canfetch.bulk.arguments import AnyColumn, as_column
from canfetch.bulk.arrow_values import read_values
from canfetch.bulk.column import Column, build_column
from canfetch.bulk.content_check import check_contents
from canfetch.bulk.http_archive import METRICS, count_records
from canfetch.bulk.types import INT32, TEXT, list_of, struct_of
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.text import display_text
from canfetch.errors import InvalidColumn

RULES: Final = list_of(struct_of(group=INT32, agent=TEXT, kind=TEXT, pattern=TEXT, line=INT32))
SITEMAPS: Final = list_of(TEXT)

# The contents whose results are shared by rows, in bytes. Results can be larger than the contents.
_SHARED_BYTES: Final = 16 * 1024 * 1024


def rules(
    content: AnyColumn,
    *,
    profile: str | None = None,
    edition: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    engine: str | None = None,
) -> Column:
    """Return the user-agent lines and rules of each file, in file order.

    Args: content, profile, edition, max_bytes, engine: As for `allows`.
    Returns: A column of lists of structs. `group` is the number of the group, from 0, and `kind` is `user-agent`,
        `allow` or `disallow`. A user-agent line has an `agent`, and a rule has a `pattern`; the other one is null. Join
        both by `group` for the agents of each rule.
    Raises: InvalidColumn; InvalidOption: both `profile` and `edition` are set; UnknownEdition, UnknownProfile,
        InvalidLimit, EngineError, TypeError.
    Cost: O(bytes of the distinct files), plus the result.
    """
    parsed = _parser(choose_profile(profile, edition), max_bytes, engine)
    return Column(build_column(RULES, _map_distinct(content, lambda one: _rule_rows(parsed(one)))))


def sitemaps(
    content: AnyColumn,
    *,
    profile: str | None = None,
    edition: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    engine: str | None = None,
) -> Column:
    """Return the sitemaps of each file, as written.

    Args: content, profile, edition, max_bytes, engine: As for `allows`.
    Returns: A column of lists of texts.
    Raises: As `rules`.
    Cost: As `rules`.
    """
    parsed = _parser(choose_profile(profile, edition), max_bytes, engine)
    return Column(build_column(SITEMAPS, _map_distinct(content, lambda one: list(parsed(one).sitemaps))))


def metrics(content: AnyColumn) -> Column:
    """Return the counts of HTTP Archive's custom metric `robots_txt` for each file.

    The counts follow HTTP Archive's definitions, which are not those of a parser: a line counts by its key alone. The
    fields `redirected` and `status` of the metric are missing, because they are not part of the content.

    Args: content: As for `allows`.
    Returns: A column of structs: `size` in UTF-16 code units, `size_kib`, `over_google_limit`, `comment_count`, and
        `record_counts` with `by_type` and `by_useragent`. Records of other types count as `other`.
    Raises: InvalidColumn, TypeError.
    Cost: O(bytes of the distinct files).
    """
    # The fields of a row without content are null, but the row is not, so that the column is also a table.
    nothing = (None,) * len(METRICS[1])
    rows = (nothing if row is None else row for row in _map_distinct(content, count_records))
    return Column(build_column(METRICS, list(rows)))


def _rule_rows(robots: RobotsTxt) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for number, group in enumerate(robots.groups):
        # The user-agent lines of a group are before its rules.
        rows += [(number, line.token, "user-agent", None, line.line) for line in group.user_agents]
        rows += [(number, None, rule.type, display_text(rule.pattern), rule.line) for rule in group.rules]
    return rows


def _parser(profile: str, max_bytes: int, engine: str | None) -> Callable[[bytes], RobotsTxt]:
    parsed = partial(parse, profile=profile, max_bytes=max_bytes, engine=engine)
    # Raises at once if an option is invalid, also without rows.
    parsed(b"")
    return parsed


def _read_texts(column: object) -> list[bytes | None]:
    values = read_values(as_column(column))
    if any(isinstance(value, int) for value in values):
        raise InvalidColumn("invalid Arrow data: a column of integers: expected text or bytes")
    check_contents(values)
    return values  # type: ignore[return-value]  # no integers


def _map_distinct(content: AnyColumn, compute: Callable[[bytes], Any]) -> list[Any]:
    """Return the result of each row. Equal contents are computed once, in bounded memory."""
    results: dict[bytes, Any] = {}
    used = 0
    rows = []
    for value in _read_texts(content):
        if value is not None and value not in results:
            if used > _SHARED_BYTES:
                results.clear()
                used = 0
            results[value] = compute(value)
            used += len(value)
        rows.append(None if value is None else results[value])
    return rows
