"""The page-level rules that canfetch reads."""

import base64
import json
import sys
from datetime import datetime
from typing import Any

import canfetch
from canfetch.pages import parse_page


def answer(fields: dict[str, Any]) -> dict[str, Any]:
    """Answer one question about a page."""
    page, url = fields["page"], base64.b64decode(fields["url"]).decode()
    agent = canfetch.Agent(fields["agents"], star_applies=fields["star_applies"])
    robots = page.get("robots")
    verdict = parse_page(
        None if page["html"] is None else base64.b64decode(page["html"]),
        headers=[tuple(part.strip() for part in line.split(":", 1)) for line in page["headers"]],
        url=url,
        tdm_file=page.get("tdm_file"),
    ).decide(
        agent=agent,
        now=datetime.fromisoformat(page["now"]).timestamp(),
        robots=None if robots is None else canfetch.parse(robots).decide(url, agent=agent),
        dialect=fields["profile"],
    )
    return {"allowed": getattr(verdict, page["decision"]).allowed}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
