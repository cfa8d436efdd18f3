"""The behaviour that all stores have in common."""

import threading

from tests.stores.entries import make_entry

from canfetch.client.stores import Store


def test_stored_entry_is_returned(store: Store) -> None:
    entry = make_entry()
    assert store.get(entry.origin) is None

    store.put(entry)

    assert store.get(entry.origin) == entry


def test_entry_replaces_the_previous_one(store: Store) -> None:
    store.put(make_entry(body=b"first"))
    last = make_entry(body=b"last", now=2000.0)

    store.put(last)

    assert store.get(last.origin) == last
    assert list(store.keys()) == ["https://example.com"]


def test_keys_are_sorted_and_entries_can_be_deleted(store: Store) -> None:
    for url in ("https://b.example/", "http://a.example/", "https://a.example:8443/"):
        store.put(make_entry(url))
    assert list(store.keys()) == ["http://a.example", "https://a.example:8443", "https://b.example"]

    assert store.delete("https://b.example")
    assert not store.delete("https://b.example")

    assert store.get("https://b.example") is None
    assert list(store.keys()) == ["http://a.example", "https://a.example:8443"]


def test_lease_has_one_holder(store: Store) -> None:
    assert store.acquire_lease("https://example.com", holder="one", seconds=60)
    assert not store.acquire_lease("https://example.com", holder="two", seconds=60)
    assert store.acquire_lease("https://example.com", holder="one", seconds=60)
    assert store.acquire_lease("https://other.example", holder="two", seconds=60)

    store.release_lease("https://example.com", holder="two")
    assert not store.acquire_lease("https://example.com", holder="two", seconds=60)
    store.release_lease("https://example.com", holder="one")
    assert store.acquire_lease("https://example.com", holder="two", seconds=60)


def test_one_of_many_threads_acquires_a_lease(store: Store) -> None:
    barrier = threading.Barrier(16)
    acquired: list[bool] = []

    def acquire(holder: str) -> None:
        barrier.wait()
        acquired.append(store.acquire_lease("https://example.com", holder=holder, seconds=60))

    threads = [threading.Thread(target=acquire, args=(str(number),)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(acquired) == [False] * 15 + [True]
