"""What every store does."""

import threading

from tests.stores.entries import entry_of

from canfetch.client.stores import Store


def test_store_gives_back_what_was_put(store: Store) -> None:
    entry = entry_of()
    assert store.get(entry.origin) is None

    store.put(entry)

    assert store.get(entry.origin) == entry


def test_store_keeps_the_last_entry_of_an_origin(store: Store) -> None:
    store.put(entry_of(body=b"first"))
    last = entry_of(body=b"last", now=2000.0)

    store.put(last)

    assert store.get(last.origin) == last
    assert list(store.keys()) == ["https://example.com"]


def test_store_lists_origins_sorted_and_forgets(store: Store) -> None:
    for url in ("https://b.example/", "http://a.example/", "https://a.example:8443/"):
        store.put(entry_of(url))
    assert list(store.keys()) == ["http://a.example", "https://a.example:8443", "https://b.example"]

    assert store.delete("https://b.example")
    assert not store.delete("https://b.example")

    assert store.get("https://b.example") is None
    assert list(store.keys()) == ["http://a.example", "https://a.example:8443"]


def test_store_leases_to_one_holder(store: Store) -> None:
    assert store.acquire_lease("https://example.com", holder="one", seconds=60)
    assert not store.acquire_lease("https://example.com", holder="two", seconds=60)
    assert store.acquire_lease("https://example.com", holder="one", seconds=60)
    assert store.acquire_lease("https://other.example", holder="two", seconds=60)

    store.release_lease("https://example.com", holder="two")
    assert not store.acquire_lease("https://example.com", holder="two", seconds=60)
    store.release_lease("https://example.com", holder="one")
    assert store.acquire_lease("https://example.com", holder="two", seconds=60)


def test_store_leases_to_one_of_many_threads(store: Store) -> None:
    barrier = threading.Barrier(16)
    taken: list[bool] = []

    def take(holder: str) -> None:
        barrier.wait()
        taken.append(store.acquire_lease("https://example.com", holder=holder, seconds=60))

    threads = [threading.Thread(target=take, args=(str(number),)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(taken) == [False] * 15 + [True]
