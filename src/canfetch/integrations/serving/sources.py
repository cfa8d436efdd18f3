"""Where the robots.txt of a host comes from: fixed content, a file, or a function."""

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Final, Protocol

from canfetch.author.draft import Draft
from canfetch.author.hosts import Host, HostPattern, parse_host_pattern
from canfetch.author.site_policy import SitePolicy
from canfetch.client.argument_checks import check_callable
from canfetch.client.forking import reset_on_fork
from canfetch.client.loggers import SERVING_LOGGER
from canfetch.client.procedure import Clock
from canfetch.client.watched_file import WatchedFile
from canfetch.core.choices import unknown_choice
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption, ServingError
from canfetch.integrations.serving.environments import SiteEnvironment
from canfetch.integrations.serving.served_file import ServedFile, build_file, policy_content

RobotsContent = bytes | str | Draft | SitePolicy
RobotsFunction = Callable[[str], RobotsContent | None]
RobotsValue = RobotsContent | os.PathLike[str] | RobotsFunction
"""The robots.txt of one host: content, the path of a file, or a function of the host."""

_OTHER_HOSTS: Final = "*"
# Clients choose the host, so the number of cached hosts is bounded.
_MAX_HOSTS: Final = 256
_MAX_FILES: Final = 64


class Source(Protocol):
    """Provides the robots.txt of a host."""

    @property
    def varies_by_host(self) -> bool:
        """Whether hosts may have different files, so that a cache must not use the file of another host."""
        ...

    def file_for(self, host: Host | None) -> ServedFile | None:
        """Return the file for a host, which is None if the request has no valid one. None: it has no robots.txt here.

        Raises: ServingError: There is one, but it cannot be served now.
        """
        ...


class FixedSource:
    """The same content for all hosts."""

    varies_by_host = False

    def __init__(self, file: ServedFile) -> None:
        self._file = file

    def file_for(self, _: Host | None) -> ServedFile:
        """Return the file."""
        return self._file


class EnvironmentsSource:
    """A policy whose environment the host of the request decides. Other hosts are closed."""

    varies_by_host = True

    def __init__(self, policy: SitePolicy, environment: SiteEnvironment) -> None:
        self._policy = policy
        self._closed = build_file(policy, environment)
        self._files = {one.name: build_file(policy, environment._replace(name=one.name)) for one in policy.environments}

    def file_for(self, host: Host | None) -> ServedFile:
        """Return the file of the environment that the host belongs to."""
        found = None if host is None else self._policy.environment_of(str(host))
        return self._closed if found is None else self._files[found.name]


class FileSource:
    """A file on disk, a robots.txt or a policy (`.toml`), for all hosts. It is read again when it changes.

    Raises: ServingError: It is missing or invalid, or its effect is not that of the environment.
    """

    def __init__(self, path: Path, environment: SiteEnvironment, *, clock: Clock) -> None:
        is_policy = path.suffix.lower() == ".toml"

        def parse(content: bytes) -> Source:
            return _build_content(policy_content(content) if is_policy else content, environment)

        try:
            self._source = WatchedFile(path, parse, max_bytes=DEFAULT_MAX_BYTES, clock=clock)
        except OSError as error:
            raise ServingError(f"cannot serve {path}: {error.strerror or error}") from None
        except ServingError as error:
            raise ServingError(f"cannot serve {path}: {error}") from None

    @property
    def varies_by_host(self) -> bool:
        """Whether the file is a policy whose environment the host decides."""
        return self._source.current().varies_by_host

    def file_for(self, host: Host | None) -> ServedFile | None:
        """Return the file as it is now, or the last good copy."""
        return self._source.current().file_for(host)


class FunctionSource:
    """The content that a function returns for a host. It is parsed only if it is new.

    If the function raises, or returns something that cannot be served, the last good file of the host is used.
    """

    varies_by_host = True

    def __init__(self, function: RobotsFunction, environment: SiteEnvironment) -> None:
        if not environment.is_by_host:
            environment.check_name()
        self._function = function
        self._environment = environment
        self._files: OrderedDict[bytes | str, ServedFile] = OrderedDict()
        self._last_good: OrderedDict[str, ServedFile] = OrderedDict()
        self.reset_after_fork()
        reset_on_fork(self)

    def reset_after_fork(self) -> None:
        """Take a new lock."""
        self._lock = Lock()

    def file_for(self, host: Host | None) -> ServedFile | None:
        """Return the file for a host.

        Raises: ServingError: The function failed, and there is no last good file.
        """
        name = "" if host is None else host.name
        try:
            content = self._function(name)
            file = None if content is None else self._build(content, host)
        except Exception as error:  # noqa: BLE001 - a function of the caller may raise anything
            SERVING_LOGGER.error("cannot serve the robots.txt of %s: %s", quoted(name), error)
            with self._lock:
                last_good = self._last_good.get(name)
            if last_good is None:
                raise ServingError("the robots.txt of this host cannot be served") from None
            return last_good
        if file is not None:
            with self._lock:
                _remember(self._last_good, name, file, _MAX_HOSTS)
        return file

    def _build(self, content: Any, host: Host | None) -> ServedFile:
        if not isinstance(content, bytes | str):
            return build_file(content, self._environment, host=host)
        with self._lock:
            file = self._files.get(content)
        if file is None:
            file = build_file(content, self._environment)
        with self._lock:
            _remember(self._files, content, file, _MAX_FILES)
        return file


class HostsSource:
    """A source for each host or pattern of hosts. The key `*` is for all other hosts."""

    varies_by_host = True

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._others = sources.get(_OTHER_HOSTS)
        self._by_host: dict[Host, Source] = {}
        self._by_pattern: dict[HostPattern, Source] = {}
        for name, source in sources.items():
            if name == _OTHER_HOSTS:
                continue
            pattern = parse_host_pattern(name)
            host = Host(*pattern)
            if host in self._by_host or any(map(pattern.is_ambiguous_with, self._by_pattern)):
                raise InvalidOption(f"invalid host {quoted(name)}: another key has the same hosts")
            if pattern.is_exact:
                self._by_host[host] = source
            else:
                self._by_pattern[pattern] = source

    def file_for(self, host: Host | None) -> ServedFile | None:
        """Return the file for a host: for its name and port, for its name, for a pattern, or for all other hosts."""
        source = None
        if host is not None:
            source = self._by_host.get(host) or self._by_host.get(host._replace(port=None)) or self._matching(host)
        source = source or self._others
        return None if source is None else source.file_for(host)

    def _matching(self, host: Host) -> Source | None:
        found = max(
            (pattern for pattern in self._by_pattern if pattern.matches(host)),
            key=lambda pattern: pattern.specificity,
            default=None,
        )
        return None if found is None else self._by_pattern[found]


def build_source(robots: object, environment: SiteEnvironment, *, clock: Clock) -> Source:
    """Return the source for the argument `robots` of a site.

    Raises: ServingError: The content is missing or invalid, or its effect is not that of the environment;
        InvalidOption: It has another type, or the environment does not exist.
    """
    if isinstance(robots, Mapping):
        if not robots or not all(isinstance(name, str) for name in robots):
            raise InvalidOption("invalid robots: expected a host as the key of each robots.txt, such as {'*': ...}")
        sources: dict[str, Source] = {}
        for name, value in robots.items():
            if isinstance(value, Mapping):
                raise InvalidOption(f"invalid robots of {quoted(name)}: expected content, a path or a function")
            sources[name] = build_source(value, environment, clock=clock)
        return HostsSource(sources)
    if isinstance(robots, os.PathLike):
        return FileSource(Path(robots), environment, clock=clock)
    if isinstance(robots, bytes | str | Draft | SitePolicy):
        try:
            return _build_content(robots, environment)
        except ServingError as error:
            raise ServingError(f"cannot serve this robots.txt: {error}") from None
    if not callable(robots):
        raise InvalidOption(
            f"invalid robots {quoted(robots)}: expected bytes, str, a Path, a Draft, a SitePolicy, a function of the "
            "host, or a mapping of hosts to these"
        )
    check_callable("robots", robots)
    return FunctionSource(robots, environment)


def _build_content(content: RobotsContent, environment: SiteEnvironment) -> Source:
    if isinstance(content, SitePolicy) and content.environments:
        if environment.is_by_host:
            environment.check_hosts(content)
            return EnvironmentsSource(content, environment)
        names = [one.name for one in content.environments]
        if environment.name not in names:
            reason = unknown_choice("environment", environment.name, names, of="the policy")
            SERVING_LOGGER.warning("the whole site is closed: %s", reason)
    return FixedSource(build_file(content, environment))


def _remember(files: "OrderedDict[Any, ServedFile]", key: object, file: ServedFile, limit: int) -> None:
    files[key] = file
    files.move_to_end(key)
    if len(files) > limit:
        files.popitem(last=False)
