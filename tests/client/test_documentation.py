"""The examples on the page about fetching and caching run."""

import re
from pathlib import Path

import pytest
from tests.access.conftest import AsyncScriptedOrigin, ScriptedOrigin

PAGE = Path(__file__).parents[2] / "docs" / "access.md"
EXAMPLES = [
    block
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    if ">>>" not in block
]


def test_page_has_examples() -> None:
    assert len(EXAMPLES) == 5


@pytest.mark.parametrize("example", EXAMPLES, ids=["client", "store", "transport", "schedule", "evidence"])
def test_example_runs(
    example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run an example with transports that need no network."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("canfetch.client.sync_client._default_transport", ScriptedOrigin)
    monkeypatch.setattr("canfetch.client.async_client._default_transport", AsyncScriptedOrigin)
    if "aiohttp_transport" in example:
        pytest.importorskip("aiohttp")
        monkeypatch.setattr("canfetch.client.transports.aiohttp_transport.AiohttpTransport", AsyncScriptedOrigin)
    exec(compile(example, str(PAGE), "exec"), {"__name__": "example"})  # noqa: S102 - our own documentation
    assert capsys.readouterr().out.startswith(("True", "invalid URL 'not a URL'"))
