"""Output with one JSON value per line."""

import json
from pathlib import Path
from typing import Any


def read_json_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]
