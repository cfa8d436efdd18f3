"""The example of docs/mcp.md is what the server answers."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.docs.blocks import blocks
from tests.mcp.asking import state_of

from canfetch.client.site_files import SiteFile
from canfetch.web.mcp.agents import STAND_IN, parse_agent
from canfetch.web.mcp.arguments import MayFetchArguments
from canfetch.web.mcp.may_fetch import may_fetch
from canfetch.web.mcp.service import FetchedFiles

PAGE = Path(__file__).parents[2] / "docs/mcp.md"


@pytest.mark.slow
def test_the_example_of_the_documentation() -> None:
    content, text = (block.text for block in blocks(PAGE) if block.language == "text")
    arguments, result, *_ = (json.loads(block.text) for block in blocks(PAGE) if block.language == "json")
    fetched_at = datetime.fromisoformat(result["robots_txt"]["fetched_at"])
    now = fetched_at.astimezone(UTC).timestamp()
    state = state_of(content.encode(), origin="https://www.example.com", now=now)
    agent = parse_agent(arguments["agent"], STAND_IN)
    terms = SiteFile(b'<rsl xmlns="https://rslstandard.org/rsl"/>')
    files = FetchedFiles(SiteFile(), {"https://www.example.com/license.xml": terms})
    answer = may_fetch(state, MayFetchArguments(**arguments), agent, now, files)
    assert answer.text + "\n" == text
    expected: dict[str, Any] = result
    assert answer.result.model_dump(mode="json") == expected
