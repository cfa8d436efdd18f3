"""The virtual environment of the peers under build/, with a fixed version of each.

`python -m benchmarks.peers` creates it, and `--fresh` recreates it. The table lists the peers that could not be
installed, with the reason.
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
# Let old sources build with newer versions of Python and CMake.
BUILD_ENVIRONMENT = {"PYO3_USE_ABI3_FORWARD_COMPATIBILITY": "1", "CMAKE_POLICY_VERSION_MINIMUM": "3.5"}


@dataclass(frozen=True, slots=True)
class Peer:
    """A package to measure: its distribution name, its version, and a module to import."""

    name: str
    version: str
    module: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of installing a peer. `reason` is empty if it was installed."""

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
    # For the rows of warm caches only.
    Peer("Scrapy", "2.19.0", "scrapy.downloadermiddlewares.robotstxt"),
    Peer("crawlee", "1.11.0", "crawlee._utils.robots"),
)


def folder() -> Path:
    """Return the folder of this interpreter's peers."""
    tag = sysconfig.get_config_var("SOABI") or f"{sys.implementation.name}-{sys.version_info.major}"
    return BUILD / f"peers-venv-{tag}"


def _python() -> Path:
    return folder() / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def site_packages() -> Path:
    """Return the environment's site-packages folder."""
    base = str(folder())
    return Path(sysconfig.get_path("platlib", vars={"base": base, "platbase": base}))


def find_reason(log: str) -> str:
    """Return the most specific error line of an installer's log."""
    lines = [line.strip(" |\t>\u2502\u2570\u2500\u00d7") for line in log.splitlines()]
    lines = [line for line in lines if line]
    error_lines = [
        index for index, line in enumerate(lines) if re.match(r"(error|fatal|ERROR|CMake Error|\w*Error)\b", line)
    ]
    unspecific = ("subprocess-exited", "Failed building wheel", "Failed to build", "metadata-generation-failed")
    useful = [index for index in error_lines if not any(words in lines[index] for words in unspecific)]
    index = (useful or error_lines or [0])[0]
    chosen = lines[index] if lines else "no output"
    if chosen.endswith(":"):
        chosen = " ".join(lines[index : index + 2])
    return re.sub(r"(?<![\w/:])/\S+/", "", chosen)[:160]


def _run(command: list[str], **environment: str) -> tuple[bool, str]:
    try:
        done = subprocess.run(  # uses the index that pip is configured for
            command,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LIMIT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, f"error: not finished after {LIMIT_SECONDS:.0f} s"
    return done.returncode == 0, done.stderr + done.stdout


def install(peer: Peer) -> Outcome:
    """Install one peer, from a wheel if there is one, or else from its source."""
    pip = [str(_python()), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    required = f"{peer.name}=={peer.version}"
    attempts = {
        "wheel": ([*pip, "--only-binary", ":all:", required], {}),
        "built from its sdist": ([*pip, required], BUILD_ENVIRONMENT),
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
    return Outcome(peer.name, peer.version, reason=find_reason(log))


def prepare(*, fresh: bool = False) -> dict[str, Outcome]:
    """Create the environment if necessary.

    Args: fresh: Recreate it, and retry failed installations.
    Returns: The result for each peer, by name.
    """
    required = {peer.name: peer.version for peer in PEERS}
    stamp = folder() / "peers.json"
    known: dict[str, Outcome] = {}
    if stamp.exists() and not fresh:
        stored = [Outcome(**entry) for entry in json.loads(stamp.read_text(encoding="utf-8"))]
        known = {outcome.name: outcome for outcome in stored if required.get(outcome.name) == outcome.version}
        if known.keys() == required.keys():
            return known
    if not known:
        if folder().exists():
            shutil.rmtree(folder())
        print(f"creating the environment of the peers in {folder().relative_to(BUILD.parent)} ...", file=sys.stderr)
        created, log = _run([sys.executable, "-m", "venv", str(folder())])
        if not created:
            return {peer.name: Outcome(peer.name, peer.version, reason=find_reason(log)) for peer in PEERS}
    outcomes = []
    for peer in PEERS:
        # Installing a new peer does not change the installed ones, except for common dependencies.
        outcome = known.get(peer.name) or install(peer)
        print(f"  {peer.name} {peer.version}: {outcome.reason or outcome.how}", file=sys.stderr)
        outcomes.append(outcome)
    stamp.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1), encoding="utf-8")
    return {outcome.name: outcome for outcome in outcomes}


def activate() -> None:
    """Make the peers importable in this process. Packages of this process take precedence."""
    if site_packages().is_dir():
        site.addsitedir(str(site_packages()))


def main() -> None:
    """Create the environment and print the result for each peer."""
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    arguments.add_argument("--fresh", action="store_true", help="Recreate the environment.")
    for outcome in prepare(fresh=arguments.parse_args().fresh).values():
        print(f"{outcome.name} {outcome.version}: {outcome.reason or outcome.how}")


if __name__ == "__main__":
    main()
