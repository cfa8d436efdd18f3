"""Entries of a newer format: during an upgrade, old and new versions of canfetch share a store."""

import json
import logging

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.stores.conftest import replace_stored_text, stored_text
from tests.stores.entries import make_entry

from canfetch.access.entries import ENTRY_FORMAT
from canfetch.access.responses import Failure, Response
from canfetch.client.stores import Store
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.errors import CorruptEntry, NewerEntry

KEY = "https://example.com"


def newer_text(**values: object) -> str:
    """Return the text of an entry of the next format."""
    return json.dumps(make_entry().to_dict() | {"format": ENTRY_FORMAT + 1, "new": "value"} | values)


def put_text(store: Store, text: str) -> None:
    store.put(make_entry())
    replace_stored_text(store, KEY, text)


def make_client(store: Store, origin: ScriptedOrigin) -> Client:
    return Client(user_agent="ExampleBot/1.0", transport=origin, store=store, clock=lambda: 1000.0)


def test_newer_entry_raises_and_is_not_replaced(store: Store) -> None:
    text = newer_text()
    put_text(store, text)
    message = f"format {ENTRY_FORMAT + 1} is newer than the supported format {ENTRY_FORMAT}; upgrade canfetch"
    with pytest.raises(NewerEntry, match=message):
        store.get(KEY)
    with pytest.raises(NewerEntry, match=message):
        store.put(make_entry())
    assert stored_text(store, KEY) == text
    assert list(store.keys()) == [KEY]
    store.put(make_entry("https://other.example/"))
    assert store.get("https://other.example") is not None
    assert store.delete(KEY)
    store.put(make_entry())
    assert store.get(KEY) == make_entry()


@pytest.mark.parametrize("values", [{}, {"copy": None, "access": ["unknown"]}])
def test_client_leaves_a_newer_entry_alone(
    store: Store, caplog: pytest.LogCaptureFixture, values: dict[str, object]
) -> None:
    text = newer_text(**values)
    put_text(store, text)
    origin = ScriptedOrigin()
    client = make_client(store, origin)
    for _ in range(3):
        assert not client.allows(f"{KEY}/forbidden")
        assert client.allows(f"{KEY}/open")
    client.origin_state(KEY, refresh=True)
    assert list(client.entries()) == []
    assert stored_text(store, KEY) == text
    assert len(origin.requests) == 2
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "entries of a newer format stay in the store" in caplog.text
    assert client.store_error is None
    assert store.acquire_lease(KEY, holder="another worker", seconds=60)


def test_entry_that_is_newer_after_the_fetch_is_not_replaced(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    text = newer_text()

    class UpgradedWorker(ScriptedOrigin):
        def send(self, request: TransportRequest) -> Response | Failure:
            put_text(store, text)
            return super().send(request)

    client = make_client(store, UpgradedWorker())
    assert not client.allows(f"{KEY}/forbidden")
    assert stored_text(store, KEY) == text
    assert len(caplog.records) == 1
    assert store.acquire_lease(KEY, holder="another worker", seconds=60)


def test_client_offline_does_not_change_a_newer_entry(store: Store) -> None:
    text = newer_text()
    put_text(store, text)
    client = make_client(store, ScriptedOrigin())
    state = client.origin_state(KEY, offline=True)
    assert state.entry.outcome.detail == "offline and not cached"
    assert stored_text(store, KEY) == text


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"format": 2}', '{"format": "4"}', '{"format": true}', '{"format": 3.5}']
)
def test_corrupt_or_older_entry_is_replaced(store: Store, text: str) -> None:
    put_text(store, text)
    with pytest.raises(CorruptEntry):
        store.get(KEY)
    store.put(make_entry())
    assert store.get(KEY) == make_entry()

    put_text(store, text)
    client = make_client(store, ScriptedOrigin())
    assert not client.allows(f"{KEY}/forbidden")
    assert store.get(KEY) is not None
