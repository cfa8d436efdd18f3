"""The clients of a server cannot fill the disk: its store has a limit of bytes."""

from pathlib import Path

import pytest
from tests.stores.entries import make_entry
from tests.web.conftest import ScriptedWeb, running_api

from canfetch.cli.services import mcp
from canfetch.client.stores.sqlite import SQLiteStore
from canfetch.errors import InvalidOption
from canfetch.web import settings as server_settings
from canfetch.web.settings import Settings

MIB = 1 << 20
RULES = b"User-agent: *\nDisallow: /x\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "robots.sqlite3"


def test_server_evicts_the_oldest_files(web: ScriptedWeb, path: Path) -> None:
    urls = [f"https://host{number}.example/x" for number in range(40)]
    for url in urls:
        web.add(url.removesuffix("x") + "robots.txt", RULES + b"# " + url.encode() * 4_000)
    with running_api(Settings(store=str(path), max_store_bytes=MIB), transport=web) as api:
        for url in urls:
            assert not api.answer("decide", url=url, agent="ExampleBot")["allowed"]
    assert path.stat().st_size < 2 * MIB
    store = SQLiteStore(path)
    kept = set(store.keys())
    store.close()
    assert "https://host39.example" in kept
    assert "https://host0.example" not in kept


@pytest.mark.parametrize("option, is_limited", [((), False), (("--http",), True)], ids=["host", "http"])
def test_mcp_server_over_http_evicts_the_oldest_files(
    path: Path, monkeypatch: pytest.MonkeyPatch, option: tuple[str, ...], *, is_limited: bool
) -> None:
    monkeypatch.setattr(server_settings, "MAX_STORE_BYTES", MIB)
    context = mcp.command.make_context("mcp", ["--store", str(path), *option])
    service = mcp._open_service(mcp._Options(**context.params))
    store = service._settings.store
    assert store is not None
    for number in range(40):
        store.put(make_entry(f"https://host{number}.example/", body=bytes(range(256)) * 400))
    store.close()
    assert (path.stat().st_size < 2 * MIB) is is_limited


def test_limit_is_positive() -> None:
    with pytest.raises(InvalidOption, match=r"^invalid max_store_bytes 0: expected at least 1$"):
        Settings(max_store_bytes=0)
