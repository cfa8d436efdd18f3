"""Write the lock files of the Python adapters: conformance/adapters/python*/requirements.txt.

usage: tools/lock_adapters.py [--upgrade]

Each `requirements.txt` lists what its `requirements.in` needs on Linux with x86-64, for each CPython of `PYTHONS`, with
the hashes of the files that pip installs there. Versions stay as they are, unless `requirements.in` or `--upgrade`
changes them.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename

ADAPTERS = Path(__file__).resolve().parents[1] / "conformance" / "adapters"
# jwm.robotstxt cannot be installed on later ones.
PYTHONS = ((3, 11), (3, 12), (3, 13))
# The names of glibc 2.28, the newest first.
PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in range(28, 4, -1)] + ["linux_x86_64"]
LEGACY = {"manylinux2014": "manylinux_2_17", "manylinux2010": "manylinux_2_12", "manylinux1": "manylinux_2_5"}


def tags_of(python: tuple[int, int]) -> list[Tag]:
    """Return the tags of wheels that an interpreter installs, the best first."""
    interpreter = f"cp{python[0]}{python[1]}"
    return [*cpython_tags(python, platforms=PLATFORMS), *compatible_tags(python, interpreter, PLATFORMS)]


def resolve(source: Path, python: tuple[int, int], pins: Path) -> Iterator[dict[str, Any]]:
    """Yield the packages that `source` needs, as tables of a pylock.toml file."""
    version = ".".join(map(str, python))
    options = ["--quiet", "--format", "pylock.toml", "--constraint", str(pins), "--python-version", version]
    options += ["--python-platform", "x86_64-manylinux_2_28", str(source)]
    command = [sys.executable, "-m", "uv", "pip", "compile", *options]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    yield from tomllib.loads(output)["packages"]


def hash_of_file(package: dict[str, Any], tags: list[Tag]) -> str:
    """Return the hash of the wheel that pip chooses, or of the sdist if no wheel has one of `tags`."""
    ranked = []
    for wheel in package.get("wheels", ()):
        name = wheel["url"].rpartition("/")[2]
        for legacy, platform in LEGACY.items():
            name = name.replace(f"{legacy}_", f"{platform}_")
        ranked += [(tags.index(tag), wheel) for tag in parse_wheel_filename(name)[3] if tag in tags]
    file = min(ranked, key=lambda pair: pair[0])[1] if ranked else package["sdist"]
    return f"--hash=sha256:{file['hashes']['sha256']}"


def lock(source: Path, pins: Path) -> str:
    """Return the content of the lock file for `source`."""
    hashes: dict[str, dict[str, None]] = defaultdict(dict)
    for python in PYTHONS:
        tags = tags_of(python)
        for package in resolve(source, python, pins):
            requirement = f"{package['name']}=={package['version']}"
            hashes[requirement][hash_of_file(package, tags)] = None
    lines = []
    for requirement, values in sorted(hashes.items()):
        separator = " " if len(values) == 1 else " \\\n    "
        lines.append(separator.join([requirement, *values]) + "\n")
    return "".join(lines)


def main() -> None:
    """Write the lock files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upgrade", action="store_true", help="use the newest version of each package")
    upgrade = parser.parse_args().upgrade
    for source in sorted(ADAPTERS.glob("*/requirements.in")):
        target = source.with_suffix(".txt")
        wanted = set(re.findall(r"^[\w.-]+(?===)", source.read_text("utf-8"), re.MULTILINE))
        pinned = [] if upgrade else re.findall(r"^([\w.-]+)(==[^\s;\\]+)", target.read_text("utf-8"), re.MULTILINE)
        with tempfile.TemporaryDirectory() as folder:
            pins = Path(folder, "pins.txt")
            pins.write_text("".join(f"{name}{version}\n" for name, version in pinned if name not in wanted))
            target.write_text(lock(source, pins), encoding="utf-8")


if __name__ == "__main__":
    main()
