"""canfetch. The environment variable CANFETCH_ENGINE selects the engine."""

import base64
import json
import sys
from typing import Any

import canfetch


def answer(fields: dict[str, Any]) -> dict[str, Any]:
    """Answer all questions: unlike most libraries, canfetch has an interface for each of them."""
    try:
        robots = canfetch.parse(
            base64.b64decode(fields["robots"]),
            url=fields["robots_url"],
            profile=fields["profile"],
            max_bytes=fields["max_bytes"] or 512_000,
        )
        tokens = fields["agents"] or [canfetch.product_token(fields["user_agent"])]
        agent = canfetch.Agent(tokens, star_applies=fields["star_applies"])
        return {"allowed": robots.allows(base64.b64decode(fields["url"]), agent=agent)}
    except (canfetch.CanfetchError, ValueError) as error:
        return {"exception": f"{type(error).__name__}: {error}"[:200]}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
