"""The cases of access/answers.toml, as questions for clients.

A client fetches the robots.txt of an origin on loopback that plays the event of a case. Then it decides about `/open`,
which the file allows, and `/forbidden`, which it disallows.
"""

import tomllib
from typing import Any

from conformance.cases import ROOT, Case, id_lines

FILE = ROOT / "access" / "answers.toml"
# By effect: whether /open and /forbidden are allowed.
ALLOWED = {
    "rules": (True, False),
    "full-allow": (True, True),
    "full-disallow": (False, False),
    "full-allow-by-rules": (True, True),
}


def load_access() -> list[Case]:
    """Load the cases. A case with several access policies becomes several cases, because its claims differ."""
    text = FILE.read_bytes().decode()
    content = tomllib.loads(text)
    lines = id_lines(text)
    return [
        Case(
            id=table["id"],
            source=table["source"],
            level=expected["claim"],
            why=table["why"],
            profiles=(policy,),
            file=FILE.relative_to(ROOT).as_posix(),
            line=lines[table["id"]],
            table=_as_questions({"body": content["rules"], **table["event"]}, expected["effect"]),
        )
        for table in content["case"]
        for policy, expected in table["expect"].items()
    ]


def _as_questions(event: dict[str, Any], effect: str) -> dict[str, Any]:
    urls = zip(("/open", "/forbidden"), ALLOWED[effect], strict=True)
    expect = [{"url": url, "allowed": allowed} for url, allowed in urls]
    return {"agent": "ExampleBot", "robots": "", "event": event, "expect": expect}
