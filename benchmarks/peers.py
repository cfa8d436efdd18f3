"""The peers' own environment: made once under build/, one peer at a time, each at a fixed version.

Run `python -m benchmarks.peers` to make it, with `--fresh` to make it again. A peer that cannot be installed is kept
by name, with the first line that says why: the table shows it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import site
import subprocess
import sys
import sysconfig
from dataclasses import asdict, dataclass
from pathlib import Path

BUILD = Path(__file__).resolve().parent.parent / "build"
LIMIT_SECONDS = 900.0
# Older sources refuse a Python or a CMake that came after them, unless told.
GO_ON = {"PYO3_USE_ABI3_FORWARD_COMPATIBILITY": "1", "CMAKE_POLICY_VERSION_MINIMUM": "3.5"}


@dataclass(frozen=True, slots=True)
class Peer:
    """A package to measure: its name on the package index, the version, and the module that must import."""

    name: str
    version: str
    module: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a peer's installation; `reason` is empty where it went well."""

    name: str
    version: str
    reason: str = ""
    how: str = ""


PEERS = (
    Peer("Protego", "0.7.0", "protego"),
    Peer("jwm.robotstxt", "1.0.8", "jwm.robotstxt.googlebot"),
    Peer("fast-robotstxt", "1.1.0", "robotstxt"),
    Peer("fastrobots", "0.3.0", "fastrobots"),
    Peer("robotspy", "0.13.0", "robots"),
    # For the rows of warm caches alone: what stands before Protego in two crawlers.
    Peer("Scrapy", "2.19.0", "scrapy.downloadermiddlewares.robotstxt"),
    Peer("crawlee", "1.11.0", "crawlee._utils.robots"),
)


def folder() -> Path:
    """Where this interpreter's peers are installed."""
    tag = sysconfig.get_config_var("SOABI") or f"{sys.implementation.name}-{sys.version_info.major}"
    return BUILD / f"peers-venv-{tag}"


def _python() -> Path:
    return folder() / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def site_packages() -> Path:
    """The folder of the environment that holds its packages."""
    base = str(folder())
    return Path(sysconfig.get_path("platlib", vars={"base": base, "platbase": base}))


def first_reason(log: str) -> str:
    """Pick the line of an installer's log that says what went wrong, not that something did."""
    lines = [line.strip(" |\t>\u2502\u2570\u2500\u00d7") for line in log.splitlines()]
    lines = [line for line in lines if line]
    tell = [place for place, line in enumerate(lines) if re.match(r"(error|fatal|ERROR|CMake Error|\w*Error)\b", line)]
    empty = ("subprocess-exited", "Failed building wheel", "Failed to build", "metadata-generation-failed")
    useful = [place for place in tell if not any(words in lines[place] for words in empty)]
    place = (useful or tell or [0])[0]
    chosen = lines[place] if lines else "no output"
    if chosen.endswith(":"):
        chosen = " ".join(lines[place : place + 2])
    return re.sub(r"(?<![\w/:])/\S+/", "", chosen)[:160]


def _run(command: list[str], **environment: str) -> tuple[bool, str]:
    try:
        done = subprocess.run(  # the index is the one that the user's pip is set to
            command,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, f"error: not done after {LIMIT_SECONDS:.0f} s"
    return done.returncode == 0, done.stderr + done.stdout


def install(peer: Peer) -> Outcome:
    """Install one peer: from a wheel where there is one, otherwise from its source."""
    pip = [str(_python()), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    wanted = f"{peer.name}=={peer.version}"
    attempts = {
        "wheel": ([*pip, "--only-binary", ":all:", wanted], {}),
        "built from its sdist": ([*pip, wanted], GO_ON),
    }
    log = ""
    for how, (command, environment) in attempts.items():
        done, text = _run(command, **environment)
        if done:
            imports, text = _run([str(_python()), "-c", f"import {peer.module}"])
            if imports:
                return Outcome(peer.name, peer.version, how=how)
        if how != "wheel" or not log:
            log = text
    return Outcome(peer.name, peer.version, reason=first_reason(log))


def prepare(*, fresh: bool = False) -> dict[str, Outcome]:
    """Make the environment if need be.

    Args:
        fresh: make it again, failures too.
    Returns: what became of each peer, by name.
    """
    wanted = {peer.name: peer.version for peer in PEERS}
    stamp = folder() / "peers.json"
    known: dict[str, Outcome] = {}
    if stamp.exists() and not fresh:
        kept = [Outcome(**entry) for entry in json.loads(stamp.read_text(encoding="utf-8"))]
        known = {outcome.name: outcome for outcome in kept if wanted.get(outcome.name) == outcome.version}
        if known.keys() == wanted.keys():
            return known
    if not known:
        if folder().exists():
            shutil.rmtree(folder())
        print(f"making the peers' environment in {folder().relative_to(BUILD.parent)} ...", file=sys.stderr)
        made, log = _run([sys.executable, "-m", "venv", str(folder())])
        if not made:
            return {peer.name: Outcome(peer.name, peer.version, reason=first_reason(log)) for peer in PEERS}
    outcomes = []
    for peer in PEERS:
        # A peer that is new here takes nothing from those that are installed, save what both depend on.
        outcome = known.get(peer.name) or install(peer)
        print(f"  {peer.name} {peer.version}: {outcome.reason or outcome.how}", file=sys.stderr)
        outcomes.append(outcome)
    stamp.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1), encoding="utf-8")
    return {outcome.name: outcome for outcome in outcomes}


def activate() -> None:
    """Let this process import the peers; what it has itself comes first."""
    if site_packages().is_dir():
        site.addsitedir(str(site_packages()))


def main() -> None:
    """Make the environment and say what became of each peer."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    arguments.add_argument("--fresh", action="store_true", help="make the environment again")
    for outcome in prepare(fresh=arguments.parse_args().fresh).values():
        print(f"{outcome.name} {outcome.version}: {outcome.reason or outcome.how}")


if __name__ == "__main__":
    main()
