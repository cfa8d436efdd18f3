"""Validation of the arguments of a frontier."""

import json
import sys
from collections.abc import AsyncIterable, Callable, Iterable
from inspect import isbuiltin
from typing import Any, Final

from canfetch.client.argument_checks import check_callable, check_count, check_positive_seconds
from canfetch.core.quoting import quoted
from canfetch.core.urls import is_url_object
from canfetch.errors import InvalidOption

_MAX_NUMBER: Final = sys.float_info.max
# The largest integer of PostgreSQL.
_MAX_DEPTH: Final = 2**31 - 1
# Bytes of JSON, which has only ASCII characters here.
_MAX_METADATA: Final = 16_384
# Lists and dicts in one another. The module json reads about ten times as many, less the calls that lead to it.
_MAX_LEVELS: Final = 100
_TOO_DEEP: Final = f"more than {_MAX_LEVELS} levels of lists and dicts"
# About 31 years, as for `Recrawl`. Threads cannot wait for much longer.
_MAX_SECONDS: Final = 1e9
# Characters of the name of a crawl.
_MAX_NAME: Final = 200


def check_source(urls: object) -> None:
    """Reject what is not iterable, and a single URL, whose characters would be read as URLs.

    Raises: TypeError.
    """
    if isinstance(urls, str | bytes):
        raise TypeError(f"invalid urls {quoted(urls)}: expected an iterable of URLs, such as [{quoted(urls)}]")
    if isinstance(urls, type) and not isinstance(urls, Iterable | AsyncIterable):
        raise TypeError(f"invalid urls {urls.__name__}: pass an object, {urls.__name__}(...)")
    if is_url_object(urls) or not (isinstance(urls, Iterable | AsyncIterable) or hasattr(urls, "__getitem__")):
        raise TypeError(f"invalid urls of type {type(urls).__name__}: expected an iterable of URLs, such as [url]")


def check_links(urls: object) -> None:
    """Check URLs as `check_source`, and reject what can only be read in the background.

    Raises: TypeError.
    """
    check_source(urls)
    if isinstance(urls, AsyncIterable) and not isinstance(urls, Iterable):
        raise TypeError(
            f"invalid urls of type {type(urls).__name__}: pass an asynchronous iterable to Frontier.add_source"
        )


def check_priority(priority: Any) -> float:
    """Return the priority of URLs as a float, because SQLite has no integers of more than 64 bits.

    Raises: InvalidOption.
    """
    if (
        isinstance(priority, bool)
        or not isinstance(priority, int | float)
        or not -_MAX_NUMBER <= priority <= _MAX_NUMBER
    ):
        raise InvalidOption(f"invalid priority {quoted(priority)}: expected a finite number")
    return float(priority)


def check_depth(name: str, depth: Any) -> int:
    """Return a number of links.

    Raises: InvalidOption.
    """
    if isinstance(depth, bool) or not isinstance(depth, int) or not 0 <= depth <= _MAX_DEPTH:
        raise InvalidOption(f"invalid {name} {quoted(depth)}: expected an integer from 0 to {_MAX_DEPTH}")
    return depth


def metadata_json(metadata: Any) -> str | None:
    """Return metadata as JSON, or None if there are none.

    Raises: InvalidOption: They are not a value of JSON, too large, or nested too deeply.
    """
    if metadata is None:
        return None
    try:
        text = json.dumps(metadata, allow_nan=False, separators=(",", ":"))
    except RecursionError:
        raise InvalidOption(f"invalid metadata: {_TOO_DEEP}") from None
    except (TypeError, ValueError) as error:
        raise InvalidOption(f"invalid metadata {quoted(metadata)}: expected a value of JSON: {error}") from None
    if len(text) > _MAX_METADATA:
        raise InvalidOption(f"invalid metadata: {len(text)} bytes of JSON, expected at most {_MAX_METADATA}")
    if _is_too_deep(text):
        raise InvalidOption(f"invalid metadata: {_TOO_DEEP}")
    return text


def read_metadata(text: str | None) -> Any:
    """Return metadata from JSON.

    Raises: ValueError: They are damaged, or an earlier version stored them and they are nested too deeply.
    """
    if text is None:
        return None
    if _is_too_deep(text):
        raise ValueError(_TOO_DEEP)
    return json.loads(text)


def _is_too_deep(text: str) -> bool:
    # Most have fewer brackets, also in their texts.
    if text.count("[") + text.count("{") <= _MAX_LEVELS:
        return False
    try:
        value = json.loads(text)
    except RecursionError:
        return True
    values = [value] if isinstance(value, dict | list) else []
    for _ in range(_MAX_LEVELS):
        inner = (value.values() if isinstance(value, dict) else value for value in values)
        values = [child for children in inner for child in children if isinstance(child, dict | list)]
    return bool(values)


def filtered_url(url_filter: Callable[[str], str | None], url: str) -> str | None:
    """Return what a filter returns for a URL.

    Raises: TypeError: It is neither a str nor None; what the filter raises.
    """
    result: object = url_filter(url)
    if not isinstance(result, str | None):
        raise TypeError(f"invalid result of url_filter of type {type(result).__name__}: expected a URL as str, or None")
    return result


def check_retry_after(retry_after: object) -> None:
    """Check the value of a `Retry-After` header.

    Raises: TypeError: It is neither a str nor a number nor None. Whether a text is valid is up to the server;
        InvalidOption: It is a negative number or NaN.
    """
    if isinstance(retry_after, bool) or not isinstance(retry_after, str | int | float | None):
        raise TypeError(
            f"invalid retry_after {quoted(retry_after)}: expected the header as str, a number of seconds, or None"
        )
    if isinstance(retry_after, int | float) and not retry_after >= 0:
        raise InvalidOption(f"invalid retry_after {quoted(retry_after)}: expected a number of seconds, 0 or more")


def check_error(error: object) -> None:
    """Check the reason of a retry.

    Raises: TypeError: It is neither an exception nor a str nor None.
    """
    if not isinstance(error, BaseException | str | None):
        raise TypeError(f"invalid error {quoted(error)}: expected an exception, a str, or None")


def check_backend(backend: object, path: object) -> None:
    """Check where the URLs of a frontier are kept.

    Raises: InvalidOption: There are two places; TypeError: `backend` is not a back end.
    """
    if backend is None:
        return
    if path is not None:
        raise InvalidOption(f"invalid path {quoted(path)}: a frontier has a path or a backend, not both")
    if isinstance(backend, type):
        raise TypeError(f"invalid backend {backend.__name__}: pass an object, {backend.__name__}(...)")
    if not callable(getattr(backend, "open_queue", None)):
        raise TypeError(
            f"invalid backend of type {type(backend).__name__}: expected a PostgresQueue, a URLFrontier, or None"
        )


def check_shared_crawl(crawl: object, *, accepts: Callable[[str], bool], lease: float, outage_seconds: float) -> None:
    """Check the options of a crawl that several processes share.

    Args: accepts: Returns whether a name has no character that the service refuses.
    Raises: InvalidOption.
    """
    for name, seconds in (("lease", lease), ("outage_seconds", outage_seconds)):
        check_positive_seconds(name, seconds)
        if seconds > _MAX_SECONDS:
            raise InvalidOption(f"invalid {name} {quoted(seconds)}: expected at most {_MAX_SECONDS:.0e} seconds")
    if not isinstance(crawl, str) or not 0 < len(crawl) <= _MAX_NAME or not accepts(crawl):
        raise InvalidOption(f"invalid crawl {quoted(crawl)}: expected a name of 1 to {_MAX_NAME} characters")


def check_counts(**counts: Any) -> None:
    """Check options that are counts.

    Raises: InvalidOption.
    """
    for name, count in counts.items():
        check_count(name, count)


def check_functions(
    *, clock: Any, monotonic: Any, on_failure: Any, on_skip: Any, resolver: Any, sleep: Any, url_filter: Any
) -> None:
    """Check the functions that a frontier calls.

    Raises: InvalidOption.
    """
    check_callable("clock", clock)
    check_callable("monotonic", monotonic)
    if on_skip is not None:
        check_callable("on_skip", on_skip)
    if on_failure is not None:
        check_callable("on_failure", on_failure)
    if url_filter is not None:
        check_callable("url_filter", url_filter)
    for name, function in (("resolver", resolver), ("sleep", sleep)):
        # A built-in function such as `time.sleep` would block all tasks.
        if not callable(function) or isbuiltin(function):
            raise InvalidOption(f"invalid {name} {quoted(function)}: expected an async function")
