"""The libraries in one shape: parse a file, bind an agent, ask about a URL.

Each is called as its own users call it, by the quickest way it has, with input already in the type it takes: bytes or
str, a URL or (fastrobots, which cuts no URL itself) the path with its query. What that preparation costs is not timed.
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
Parsed = Any  # the library's own parsed file, or the document where it keeps none
Parse = Callable[[Document], Parsed]
Ask = Callable[[str], bool]
Sweep = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Contender:
    """One library, or one engine of canfetch.

    `parse` is None where the library keeps no parsed file and reads the text again for every question; `bind` and
    `sweep` then take the document itself. `one_shot(document, agent, url)` parses and asks once.
    `sweep(parsed, agent, urls)` gives a loop over all of them that calls the library with nothing in between.
    """

    key: str
    title: str
    module: str
    takes_bytes: bool
    takes_path: bool
    parse: Parse | None
    bind: Callable[[Parsed, str], Ask]
    sweep: Callable[[Parsed, str, list[str]], Sweep]
    one_shot: Callable[[Document, str, str], bool]

    @property
    def column(self) -> str:
        """The title without what explains it."""
        return self.title.partition(" (")[0]

    def document(self, file: RobotsFile) -> bytes | str:
        """The file in the type that this library takes."""
        return file.octets if self.takes_bytes else file.text

    def question(self, url: str) -> str:
        """The URL in the form that this library takes."""
        if not self.takes_path:
            return url
        rest = url.partition("//")[2]
        slash = rest.find("/")
        return rest[slash:].partition("#")[0] if slash >= 0 else "/"

    def parsed(self, file: RobotsFile) -> Parsed:
        """The parsed file, or the document where nothing is kept."""
        document = self.document(file)
        return self.parse(document) if self.parse else document


def _agent_last(ask: Callable[[str, str], bool], agent: str, urls: list[str]) -> Sweep:
    """Loop over `ask(url, agent)`."""

    def run() -> None:
        for url in urls:
            ask(url, agent)

    return run


def _agent_first(ask: Callable[[str, str], bool], agent: str, urls: list[str]) -> Sweep:
    """Loop over `ask(agent, url)`."""

    def run() -> None:
        for url in urls:
            ask(agent, url)

    return run


def _reading_again(
    ask: Callable[[Document, Any, str], bool], document: Document, agent: object, urls: list[str]
) -> Sweep:
    """Loop over `ask(document, agent, url)`."""

    def run() -> None:
        for url in urls:
            ask(document, agent, url)

    return run


def _protego(version: str) -> Contender:
    from protego import Protego

    def bind(parsed: Parsed, agent: str) -> Ask:
        can_fetch = parsed.can_fetch
        return lambda url: can_fetch(url, agent)

    def one_shot(text: str, agent: str, url: str) -> bool:
        return bool(Protego.parse(text).can_fetch(url, agent))

    def sweep(parsed: Parsed, agent: str, urls: list[str]) -> Sweep:
        return _agent_last(parsed.can_fetch, agent, urls)

    return Contender("protego", f"Protego {version}", "protego", False, False, Protego.parse, bind, sweep, one_shot)


def _first_match() -> bool:
    """Say whether this Python's robotparser is the old one, which lets the first matching rule decide."""
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

    def bind(parsed: Parsed, agent: str) -> Ask:
        can_fetch = parsed.can_fetch
        return lambda url: can_fetch(agent, url)

    def one_shot(text: str, agent: str, url: str) -> bool:
        return bool(parse(text).can_fetch(agent, url))

    def sweep(parsed: Parsed, agent: str, urls: list[str]) -> Sweep:
        return _agent_first(parsed.can_fetch, agent, urls)

    reading = "first match" if _first_match() else "longest match"
    title = f"stdlib {platform.python_version()} ({reading})"
    return Contender("stdlib", title, "urllib.robotparser", False, False, parse, bind, sweep, one_shot)


def _jwm(version: str) -> Contender:
    from jwm.robotstxt import googlebot

    allowed = googlebot.RobotsMatcher().AllowedByRobots  # one matcher for all questions, as its authors advise

    def bind(octets: bytes, agent: str) -> Ask:
        agents = [agent]
        return lambda url: allowed(octets, agents, url)

    def one_shot(octets: bytes, agent: str, url: str) -> bool:
        return bool(allowed(octets, [agent], url))

    def sweep(octets: bytes, agent: str, urls: list[str]) -> Sweep:
        return _reading_again(allowed, octets, [agent], urls)

    title = f"jwm.robotstxt {version} (Google's C++)"
    return Contender("jwm", title, "jwm.robotstxt.googlebot", True, False, None, bind, sweep, one_shot)


def _fast_robotstxt(version: str) -> Contender:
    from robotstxt import RobotsMatcher  # type: ignore[import-not-found,unused-ignore]

    allowed = RobotsMatcher().is_allowed

    def bind(text: str, agent: str) -> Ask:
        return lambda url: allowed(text, agent, url)

    def sweep(text: str, agent: str, urls: list[str]) -> Sweep:
        return _reading_again(allowed, text, agent, urls)

    title = f"fast-robotstxt {version}"
    return Contender("fast-robotstxt", title, "robotstxt", False, False, None, bind, sweep, allowed)


def _fastrobots(version: str) -> Contender:
    from fastrobots import Robots  # type: ignore[import-not-found,unused-ignore]

    parse = Robots.parse

    def bind(parsed: Parsed, agent: str) -> Ask:
        allowed = parsed.allowed  # Robots.agent(name).allowed(path) takes longer than naming the agent each time
        return lambda path: allowed(path, agent)

    def one_shot(text: str, agent: str, path: str) -> bool:
        return bool(parse(text).allowed(path, agent))

    def sweep(parsed: Parsed, agent: str, paths: list[str]) -> Sweep:
        return _agent_last(parsed.allowed, agent, paths)

    return Contender("fastrobots", f"fastrobots {version}", "fastrobots", False, True, parse, bind, sweep, one_shot)


def _robotspy(version: str) -> Contender:
    from robots import RobotsParser  # type: ignore[import-not-found,unused-ignore]

    def bind(parsed: Parsed, agent: str) -> Ask:
        can_fetch = parsed.can_fetch
        return lambda url: can_fetch(agent, url)

    def one_shot(text: str, agent: str, url: str) -> bool:
        return bool(RobotsParser.from_string(text).can_fetch(agent, url))

    def sweep(parsed: Parsed, agent: str, urls: list[str]) -> Sweep:
        return _agent_first(parsed.can_fetch, agent, urls)

    parse = RobotsParser.from_string
    return Contender("robotspy", f"robotspy {version}", "robots", False, False, parse, bind, sweep, one_shot)


def canfetch_engine(engine: str, profile: str | None = None) -> Contender:
    """One engine of canfetch; without a profile, and with the default engine, `canfetch.parse(octets)` as it stands."""
    canfetch = importlib.import_module("canfetch")
    options = {"profile": profile} if profile else {}
    if engine != canfetch.engine:
        options["engine"] = engine
    parse = functools.partial(canfetch.parse, **options) if options else canfetch.parse

    def bind(parsed: Parsed, agent: str) -> Ask:
        ask: Ask = parsed.rules_for(agent).allows
        return ask

    def sweep(parsed: Parsed, agent: str, urls: list[str]) -> Sweep:
        allows = parsed.rules_for(agent).allows

        def run() -> None:
            for url in urls:
                allows(url)

        return run

    def one_shot(octets: bytes, agent: str, url: str) -> bool:
        return bool(parse(octets).allows(url, agent=agent))

    title = f"canfetch {canfetch.__version__} {engine}"
    return Contender(f"canfetch-{engine}", title, "canfetch", True, False, parse, bind, sweep, one_shot)


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
def contender(key: str) -> Contender:
    """The contender of that key, whether a peer or `canfetch-ENGINE`.

    Raises: ImportError: it is not installed here, or (canfetch) has not that engine.
    """
    if key.startswith("canfetch-"):
        chosen = canfetch_engine(key.removeprefix("canfetch-"))
        chosen.parsed(RobotsFile("", b"", ""))
        return chosen
    distribution, make = _PEERS[key]
    try:
        return make(importlib.metadata.version(distribution) if distribution else "")
    except importlib.metadata.PackageNotFoundError as error:
        raise ImportError(f"{distribution} is not installed") from error


def available(keys: tuple[str, ...]) -> tuple[dict[str, Contender], dict[str, str]]:
    """Load contenders: those that are here by key, and the reason for each of the others."""
    here: dict[str, Contender] = {}
    missing: dict[str, str] = {}
    for key in keys:
        try:
            here[key] = contender(key)
        except Exception as error:  # noqa: BLE001 (a peer that fails in any way is named, never fatal)
            missing[key] = f"{type(error).__name__}: {error}".splitlines()[0]
    return here, missing
