"""Answer the questions of `python -m conformance --program` with canfetch, as an example of the protocol.

    python -m conformance --program 'python conformance/answer.py'

The environment variable CANFETCH_ENGINE selects the engine.
"""

import base64
import json
import sys
from typing import Any

import canfetch


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict, or the error, as a JSON object."""
    try:
        robots = canfetch.parse(
            base64.b64decode(question["robots"]),
            url=question["robots_url"],
            profile=question["profile"],
            max_bytes=question["max_bytes"] or 512_000,
        )
        tokens = question["agents"] or [canfetch.product_token(question["user_agent"])]
        agent = canfetch.Agent(tokens, star_applies=question["star_applies"])
        verdict = robots.decide(base64.b64decode(question["url"]), agent=agent)
    except canfetch.errors.InvalidRobotsURL:
        return {"error": "invalid-robots-url"}
    except canfetch.OriginMismatch:
        return {"error": "origin-mismatch"}
    except canfetch.InvalidURL:
        return {"error": "invalid-url"}
    return {"allowed": verdict.allowed, "line": verdict.line or 0, "reason": str(verdict.reason)}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
