"""A common interface to all libraries: parse a file, bind an agent, check a URL.

Each library is called in its fastest way, with input of the type it takes: bytes or str, and a URL or (for fastrobots,
which does not split URLs) the path with its query. Preparing the input is not timed.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import platform
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.inputs import ORIGIN, RobotsFile

Document = Any  # bytes or str, as the library takes it
Parsed = Any  # the library's parsed file, or the document if the library has no such object
Parse = Callable[[Document], Parsed]
Check = Callable[[str], bool]
Loop = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Contender:
    """One library, or one engine of canfetch.

    `parse` is None if the library has no parsed files and reads the text again for every URL. `bind` and `loop` then
    take the document. `parse_and_check(document, agent, url)` parses the document and checks one URL.
    `loop(parsed, agent, urls)` returns a function that checks all URLs without any overhead.
    """

    key: str
    title: str
    module: str
    takes_bytes: bool
    takes_path: bool
    parse: Parse | None
    bind: Callable[[Parsed, str], Check]
    loop: Callable[[Parsed, str, list[str]], Loop]
    parse_and_check: Callable[[Document, str, str], bool]

    @property
    def column(self) -> str:
        """The title without the part in parentheses."""
        return self.title.partition(" (")[0]

    def prepare_file(self, file: RobotsFile) -> bytes | str:
        """Return the file in the type that the library takes."""
        return file.content if self.takes_bytes else file.text

    def prepare_url(self, url: str) -> str:
        """Return the URL in the form that the library takes."""
        if not self.takes_path:
            return url
        rest = url.partition("//")[2]
        slash = rest.find("/")
        return rest[slash:].partition("#")[0] if slash >= 0 else "/"

    def parse_file(self, file: RobotsFile) -> Parsed:
        """Return the parsed file, or the document if the library has no parsed files."""
        document = self.prepare_file(file)
        return self.parse(document) if self.parse else document


def _agent_last(check: Callable[[str, str], bool], agent: str, urls: list[str]) -> Loop:
    """Return a loop over `check(url, agent)`."""

    def run() -> None:
        for url in urls:
            check(url, agent)

    return run


def _agent_first(check: Callable[[str, str], bool], agent: str, urls: list[str]) -> Loop:
    """Return a loop over `check(agent, url)`."""

    def run() -> None:
        for url in urls:
            check(agent, url)

    return run


def _document_first(
    check: Callable[[Document, Any, str], bool], document: Document, agent: object, urls: list[str]
) -> Loop:
    """Return a loop over `check(document, agent, url)`."""

    def run() -> None:
        for url in urls:
            check(document, agent, url)

    return run


def _protego(version: str) -> Contender:
    from protego import Protego

    def bind(parsed: Parsed, agent: str) -> Check:
        can_fetch = parsed.can_fetch
        return lambda url: can_fetch(url, agent)

    def parse_and_check(text: str, agent: str, url: str) -> bool:
        return bool(Protego.parse(text).can_fetch(url, agent))

    def loop(parsed: Parsed, agent: str, urls: list[str]) -> Loop:
        return _agent_last(parsed.can_fetch, agent, urls)

    return Contender(
        "protego", f"Protego {version}", "protego", False, False, Protego.parse, bind, loop, parse_and_check
    )


def _first_match() -> bool:
    """Return whether this Python has the old robotparser, in which the first matching rule decides."""
    from urllib.robotparser import RobotFileParser

    parser = RobotFileParser()
    parser.parse(["User-agent: *", "Disallow: /a", "Allow: /ab"])
    return not parser.can_fetch("x", ORIGIN + "/ab")


def _stdlib() -> Contender:
    from urllib.robotparser import RobotFileParser

    def parse(text: str) -> Parsed:
        parser = RobotFileParser()
        parser.parse(text.splitlines())
        return parser

    def bind(parsed: Parsed, agent: str) -> Check:
        can_fetch = parsed.can_fetch
        return lambda url: can_fetch(agent, url)

    def parse_and_check(text: str, agent: str, url: str) -> bool:
        return bool(parse(text).can_fetch(agent, url))

    def loop(parsed: Parsed, agent: str, urls: list[str]) -> Loop:
        return _agent_first(parsed.can_fetch, agent, urls)

    variant = "first match" if _first_match() else "longest match"
    title = f"stdlib {platform.python_version()} ({variant})"
    return Contender("stdlib", title, "urllib.robotparser", False, False, parse, bind, loop, parse_and_check)


def _jwm(version: str) -> Contender:
    from jwm.robotstxt import googlebot

    allowed = googlebot.RobotsMatcher().AllowedByRobots  # one matcher for all URLs, as its documentation recommends

    def bind(content: bytes, agent: str) -> Check:
        agents = [agent]
        return lambda url: allowed(content, agents, url)

    def parse_and_check(content: bytes, agent: str, url: str) -> bool:
        return bool(allowed(content, [agent], url))

    def loop(content: bytes, agent: str, urls: list[str]) -> Loop:
        return _document_first(allowed, content, [agent], urls)

    title = f"jwm.robotstxt {version} (Google's C++)"
    return Contender("jwm", title, "jwm.robotstxt.googlebot", True, False, None, bind, loop, parse_and_check)


def _fast_robotstxt(version: str) -> Contender:
    from robotstxt import RobotsMatcher  # type: ignore[import-not-found,unused-ignore]

    allowed = RobotsMatcher().is_allowed

    def bind(text: str, agent: str) -> Check:
        return lambda url: allowed(text, agent, url)

    def loop(text: str, agent: str, urls: list[str]) -> Loop:
        return _document_first(allowed, text, agent, urls)

    title = f"fast-robotstxt {version}"
    return Contender("fast-robotstxt", title, "robotstxt", False, False, None, bind, loop, allowed)


def _fastrobots(version: str) -> Contender:
    from fastrobots import Robots  # type: ignore[import-not-found,unused-ignore]

    parse = Robots.parse

    def bind(parsed: Parsed, agent: str) -> Check:
        allowed = parsed.allowed  # faster than Robots.agent(name).allowed(path)
        return lambda path: allowed(path, agent)

    def parse_and_check(text: str, agent: str, path: str) -> bool:
        return bool(parse(text).allowed(path, agent))

    def loop(parsed: Parsed, agent: str, paths: list[str]) -> Loop:
        return _agent_last(parsed.allowed, agent, paths)

    return Contender(
        "fastrobots", f"fastrobots {version}", "fastrobots", False, True, parse, bind, loop, parse_and_check
    )


def _robotspy(version: str) -> Contender:
    from robots import RobotsParser  # type: ignore[import-not-found,unused-ignore]

    def bind(parsed: Parsed, agent: str) -> Check:
        can_fetch = parsed.can_fetch
        return lambda url: can_fetch(agent, url)

    def parse_and_check(text: str, agent: str, url: str) -> bool:
        return bool(RobotsParser.from_string(text).can_fetch(agent, url))

    def loop(parsed: Parsed, agent: str, urls: list[str]) -> Loop:
        return _agent_first(parsed.can_fetch, agent, urls)

    parse = RobotsParser.from_string
    return Contender("robotspy", f"robotspy {version}", "robots", False, False, parse, bind, loop, parse_and_check)


def canfetch_engine(engine: str, profile: str | None = None) -> Contender:
    """Return one engine of canfetch, as plain `canfetch.parse` if engine and profile are the defaults."""
    canfetch = importlib.import_module("canfetch")
    options = {"profile": profile} if profile else {}
    if engine != canfetch.engine:
        options["engine"] = engine
    parse = functools.partial(canfetch.parse, **options) if options else canfetch.parse

    def bind(parsed: Parsed, agent: str) -> Check:
        check: Check = parsed.rules_for(agent).allows
        return check

    def loop(parsed: Parsed, agent: str, urls: list[str]) -> Loop:
        allows = parsed.rules_for(agent).allows

        def run() -> None:
            for url in urls:
                allows(url)

        return run

    def parse_and_check(content: bytes, agent: str, url: str) -> bool:
        return bool(parse(content).allows(url, agent=agent))

    title = f"canfetch {canfetch.__version__} {engine}"
    return Contender(f"canfetch-{engine}", title, "canfetch", True, False, parse, bind, loop, parse_and_check)


_PEERS: dict[str, tuple[str, Callable[[str], Contender]]] = {
    "protego": ("Protego", _protego),
    "stdlib": ("", lambda _: _stdlib()),
    "jwm": ("jwm.robotstxt", _jwm),
    "fast-robotstxt": ("fast-robotstxt", _fast_robotstxt),
    "fastrobots": ("fastrobots", _fastrobots),
    "robotspy": ("robotspy", _robotspy),
}
PEER_KEYS = tuple(_PEERS)
DISTRIBUTIONS = {key: distribution for key, (distribution, _) in _PEERS.items()}
ENGINES = ("native", "python")


@functools.cache
def get_contender(key: str) -> Contender:
    """Return a contender by its key: the key of a peer, or `canfetch-ENGINE`.

    Raises: ImportError: The library is not installed, or canfetch does not have that engine.
    """
    if key.startswith("canfetch-"):
        chosen = canfetch_engine(key.removeprefix("canfetch-"))
        chosen.parse_file(RobotsFile("", b"", ""))
        return chosen
    distribution, make = _PEERS[key]
    try:
        return make(importlib.metadata.version(distribution) if distribution else "")
    except importlib.metadata.PackageNotFoundError as error:
        raise ImportError(f"{distribution} is not installed") from error


def available(keys: tuple[str, ...]) -> tuple[dict[str, Contender], dict[str, str]]:
    """Return the available contenders by key, and for the others the reason why they are not available."""
    loaded: dict[str, Contender] = {}
    missing: dict[str, str] = {}
    for key in keys:
        try:
            loaded[key] = get_contender(key)
        except Exception as error:  # noqa: BLE001 (a peer that fails is listed in the table)
            missing[key] = f"{type(error).__name__}: {error}".splitlines()[0]
    return loaded, missing
