"""Checks of arguments that clients, stores, recorders and frontiers have in common."""

import sys
from inspect import iscoroutinefunction
from os import PathLike, fsencode, fspath
from pathlib import Path
from typing import Any, Final

from canfetch.client.options import Options
from canfetch.core.agent import Agent
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

# Larger integers cannot be compared with the times of a clock.
_MAX_NUMBER: Final = sys.float_info.max
# SQLite has integers of 64 bits.
_MAX_COUNT: Final = (1 << 63) - 1
# The characters that end a token in a user-agent line, or begin a comment.
_NAME_ENDS: Final = frozenset("*,#")


def check_callable(name: str, value: Any) -> None:
    """Check an argument that is called without waiting for its result.

    Raises: InvalidOption: It is not callable, or its result would have to be awaited.
    """
    if not callable(value):
        raise InvalidOption(f"invalid {name} {quoted(value)}: expected a function")
    if iscoroutinefunction(value) or iscoroutinefunction(type(value).__call__):
        raise InvalidOption(f"invalid {name} {quoted(value)}: expected a function that is not async")


def check_flag(name: str, value: Any) -> None:
    """Check an argument that is True or False.

    Raises: InvalidOption.
    """
    if not isinstance(value, bool):
        raise InvalidOption(f"invalid {name} {quoted(value)}: expected True or False")


def check_time(name: str, value: Any) -> float:
    """Return the time that a clock has returned.

    Args: name: The option that is the clock.
    Raises: InvalidOption: It is not a finite number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not -_MAX_NUMBER <= value <= _MAX_NUMBER:
        raise InvalidOption(f"invalid result of {name} {quoted(value)}: expected a finite number of seconds")
    return value


def check_agent(agent: Agent) -> Agent:
    """Return an agent if user-agent lines can name its tokens: no rule is about a token such as `GPTBot,CCBot`.

    Raises: InvalidProductToken: A token contains `,`, `*` or `#`.
    """
    for name in agent.tokens:
        if name != "*" and not _NAME_ENDS.isdisjoint(name):
            from canfetch.agents.requested import requested_agent  # noqa: PLC0415 - imports the registry

            requested_agent(name, exact=True)
    return agent


def check_whole_seconds(name: str, seconds: Any) -> None:
    """Check an argument that is a duration in whole seconds.

    Raises: InvalidOption.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int) or seconds < 1:
        raise InvalidOption(f"invalid {name} {quoted(seconds)}: expected an integer number of seconds, 1 or more")


def check_positive_seconds(name: str, seconds: Any) -> None:
    """Check an argument that is a duration.

    Raises: InvalidOption.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= _MAX_NUMBER:
        raise InvalidOption(f"invalid {name} {quoted(seconds)}: expected a positive, finite number of seconds")


def check_count(name: str, number: Any) -> None:
    """Check an argument that is a number of things.

    Raises: InvalidOption.
    """
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise InvalidOption(f"invalid {name} {quoted(number)}: expected an integer, 1 or more")
    if number > _MAX_COUNT:
        raise InvalidOption(f"invalid {name} {quoted(number)}: expected at most {_MAX_COUNT}")


def check_path(name: str, path: Any) -> Path:
    """Return the path of a file or folder.

    Raises: InvalidOption: It is neither a str nor a path object of a str, or it is empty, or no file can have this
        name: it contains a null character, or characters that the system cannot encode. Or it starts with `~` or
        `~user`, which a shell would expand, or is relative to a working directory that was deleted.
    """
    text = fspath(path) if isinstance(path, str | PathLike) else path
    if not isinstance(text, str) or not text:
        raise InvalidOption(f"invalid {name} {quoted(path)}: expected a path, as str or os.PathLike[str]")
    checked = Path(text)
    try:
        is_valid = b"\0" not in fsencode(checked)
    except UnicodeEncodeError:
        is_valid = False
    if not is_valid:
        raise InvalidOption(f"invalid {name} {quoted(str(checked))}: no file can have this name")
    if _is_in_home(checked):
        # Otherwise, a folder of this name would be created.
        raise InvalidOption(f"invalid {name} {quoted(text)}: '~' is not expanded: use the path of the home directory")
    try:
        checked.absolute()
    except FileNotFoundError:
        raise InvalidOption(f"invalid {name} {quoted(text)}: the working directory was deleted") from None
    return checked


def _is_in_home(path: Path) -> bool:
    """Return whether a shell would expand a path: `~/x`, or `~user/x` if there is such a user."""
    try:
        return path.parts[:1] == ("~",) or path.expanduser() != path
    except RuntimeError:
        return False


def check_durations(**durations: Any) -> None:
    """Check arguments that are durations, and may be zero.

    Raises: InvalidOption.
    """
    for name, seconds in durations.items():
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= _MAX_NUMBER:
            raise InvalidOption(f"invalid {name} {quoted(seconds)}: expected a finite number of seconds, 0 or more")


def check_delay_bounds(*, min_delay: Any, max_delay: Any) -> None:
    """Check that the bounds of a delay include some delay.

    Raises: InvalidOption.
    """
    check_durations(min_delay=min_delay, max_delay=max_delay)
    if min_delay > max_delay:
        raise InvalidOption(f"invalid min_delay {quoted(min_delay)}: expected at most max_delay, {quoted(max_delay)}")


_STORE_METHODS: Final = ("get", "put", "delete", "keys", "acquire_lease", "release_lease", "close")
_TRANSPORT_METHODS: Final = ("send", "close")
# The sessions of HTTP libraries, and the transports that send requests with them.
_SESSION_TRANSPORTS: Final = {
    ("httpx2", "Client"): "Httpx2Transport(client=...)",
    ("httpx2", "AsyncClient"): "AsyncHttpx2Transport(client=...)",
    ("aiohttp", "ClientSession"): "AiohttpTransport(session=...)",
    ("httpx", "Client"): "HTTPTransport()",
    ("httpx", "AsyncClient"): "AsyncHTTPTransport()",
    ("requests", "Session"): "RequestsTransport(session=...)",
}


def check_store(store: object) -> None:
    """Check that `store` is a store.

    Raises: InvalidOption: It is not.
    """
    if isinstance(store, str):
        raise InvalidOption(f"invalid store {quoted(store)}: pass an object such as SQLiteStore({quoted(store)})")
    _check_methods("store", store, _STORE_METHODS, "MemoryStore()")


def check_evidence(evidence: object) -> None:
    """Check that `evidence` is an evidence recorder.

    Raises: InvalidOption: It is not.
    """
    if isinstance(evidence, str | PathLike):
        raise InvalidOption(
            f"invalid evidence {quoted(evidence)}: pass an object such as EvidenceRecorder({quoted(str(evidence))})"
        )
    _check_methods("evidence", evidence, ("record",), "EvidenceRecorder(folder)")


def check_transport(transport: object, options: Options, *, is_async: bool) -> None:
    """Check that `transport` is a transport for the client and can guarantee its options.

    Args:
        is_async: Whether the client is asynchronous.
    Raises: InvalidOption: It is not a transport, is one for the other client, or cannot guarantee an option.
    """
    for base in type(transport).__mro__:
        session_transport = _SESSION_TRANSPORTS.get((base.__module__.partition(".")[0], base.__name__))
        if session_transport is not None:
            raise InvalidOption(f"invalid transport {quoted(transport)}: pass {session_transport}")
    example = "AsyncHTTPTransport()" if is_async else "HTTPTransport()"
    _check_methods("transport", transport, _TRANSPORT_METHODS, example)
    coroutines = {iscoroutinefunction(getattr(transport, method)) for method in _TRANSPORT_METHODS}
    # An asynchronous method need not be a coroutine function, so both must be wrong to be sure.
    if (is_async and coroutines == {False}) or (not is_async and True in coroutines):
        other = "Client" if is_async else "AsyncClient"
        raise InvalidOption(
            f"invalid transport {type(transport).__name__}: it belongs to {other}; expected one such as {example}"
        )
    check_options = getattr(transport, "check_options", None)
    if check_options is not None:
        check_options(options)


def _check_methods(option: str, value: object, methods: tuple[str, ...], example: str) -> None:
    if isinstance(value, type):
        raise InvalidOption(f"invalid {option} {value.__name__}: pass an object, {value.__name__}(...)")
    missing = [method for method in methods if not callable(getattr(value, method, None))]
    if missing:
        raise InvalidOption(
            f"invalid {option} {quoted(value)}: it has no method {missing[0]}; expected an object such as {example}"
        )
