"""The cases of access/answers.toml and access/sequences.toml, as questions for clients.

A client fetches the robots.txt of an origin on loopback that plays the event of a case. Then it decides about `/open`,
which the file allows, and `/forbidden`, which it disallows.
"""

import tomllib
from collections.abc import Iterator
from typing import Any

from conformance.cases import ROOT, Case, id_lines

ANSWERS = ROOT / "access" / "answers.toml"
SEQUENCES = ROOT / "access" / "sequences.toml"
AGENT = "ExampleBot"
# By effect: whether /open and /forbidden are allowed.
ALLOWED = {
    "rules": (True, False),
    "full-allow": (True, True),
    "full-disallow": (False, False),
    "full-allow-by-rules": (True, True),
}


def load_access() -> list[Case]:
    """Load the cases. A case with several access policies becomes several cases, because its claims differ."""
    rules = tomllib.loads(ANSWERS.read_bytes().decode())["rules"]
    return [*_answers(rules), *_sequences(rules)]


def _answers(rules: str) -> Iterator[Case]:
    text = ANSWERS.read_bytes().decode()
    lines = id_lines(text)
    for table in tomllib.loads(text)["case"]:
        for policy, expected in table["expect"].items():
            yield Case(
                id=table["id"],
                source=table["source"],
                level=expected["claim"],
                why=table["why"],
                profiles=(policy,),
                file=ANSWERS.relative_to(ROOT).as_posix(),
                line=lines[table["id"]],
                table=_as_questions({"body": rules, **table["event"]}, expected["effect"]),
            )


def _as_questions(event: dict[str, Any], effect: str) -> dict[str, Any]:
    urls = zip(("/open", "/forbidden"), ALLOWED[effect], strict=True)
    expect = [{"url": url, "allowed": allowed} for url, allowed in urls]
    return {"agent": AGENT, "robots": "", "event": event, "expect": expect}


def _sequences(rules: str) -> Iterator[Case]:
    text = SEQUENCES.read_bytes().decode()
    lines = id_lines(text)
    for table in tomllib.loads(text)["case"]:
        steps = tuple(
            {
                "hours": step["hours"],
                "origin": step.get("origin", "first"),
                "agent": step.get("agent", AGENT),
                "event": {"body": rules, **step["event"]} if "event" in step else None,
            }
            for step in table["steps"]
        )
        last = table["steps"][-1]
        expect = [{"url": f"/{page}", "allowed": last[page]} for page in ("open", "forbidden") if page in last]
        yield Case(
            id=table["id"],
            source=table["source"],
            level=table["claim"],
            why=table["why"],
            profiles=tuple(table["policy"]),
            file=SEQUENCES.relative_to(ROOT).as_posix(),
            line=lines[table["id"]],
            table={"agent": steps[-1]["agent"], "robots": "", "steps": steps, "expect": expect},
        )
