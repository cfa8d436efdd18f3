"""What the Redis store does beyond the contract: bad URLs, a server that is down, what is no entry, no library."""

import subprocess
import sys
from contextlib import closing

import pytest
from tests.servers.dead_ports import refusing_port
from tests.stores.entries import entry_of

from canfetch.errors import CorruptEntry, StoreError

pytest.importorskip("redis")

from canfetch.client.stores.redis import RedisStore

ORIGIN = "https://example.com"


@pytest.mark.parametrize("url", ["redis://localhost:port", "http://localhost", "redis"])
def test_redis_url_that_is_none_is_told(url: str) -> None:
    with pytest.raises(StoreError, match=f"'{url}': invalid Redis URL"):
        RedisStore(url)


@pytest.mark.parametrize("url", ["redis://:secret@localhost:port", "redis://me:secret@localhost:port/0"])
def test_redis_password_is_not_shown(url: str) -> None:
    with pytest.raises(StoreError, match=r":\*\*\*@localhost:port") as told:
        RedisStore(url)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    "url, shown",
    [
        ("redis://127.0.0.1:{}?password=secret", "redis://127.0.0.1:{}?password=***"),
        (
            "redis://127.0.0.1:{}/0?db=1&PassWord=secret&protocol=3",
            "redis://127.0.0.1:{}/0?db=1&PassWord=***&protocol=3",
        ),
        ("redis://127.0.0.1:{}?pass%77ord=secret", "redis://127.0.0.1:{}?pass%77ord=***"),
        ("redis://me:secret@127.0.0.1:{}?password=secret", "redis://me:***@127.0.0.1:{}?password=***"),
    ],
)
def test_redis_password_among_the_options_is_not_shown(url: str, shown: str) -> None:
    # What no connection takes is told when the store is made, what nobody answers with the first question.
    with (
        refusing_port() as port,
        pytest.raises(StoreError) as told,
        closing(RedisStore(url.format(port))) as store,
    ):
        store.get(ORIGIN)
    assert "secret" not in str(told.value)
    assert shown.format(port) in str(told.value)


def test_redis_option_that_there_is_not_is_told() -> None:
    with pytest.raises(StoreError, match=r"'redis://127.0.0.1:1\?foo=1': invalid Redis URL: unknown option 'foo'"):
        RedisStore("redis://127.0.0.1:1?foo=1")


def test_redis_server_that_is_down_is_told_by_each_call() -> None:
    with refusing_port() as port, closing(RedisStore(f"redis://:secret@127.0.0.1:{port}/0")) as store:
        for call in (
            lambda: store.get(ORIGIN),
            lambda: store.put(entry_of()),
            lambda: store.delete(ORIGIN),
            lambda: list(store.keys()),
            lambda: store.acquire_lease(ORIGIN, holder="one", seconds=60),
            lambda: store.release_lease(ORIGIN, holder="one"),
        ):
            with pytest.raises(StoreError) as told:
                call()
            assert str(told.value).startswith(f"redis://:***@127.0.0.1:{port}/0: ")
            assert not str(told.value).endswith(".")


@pytest.mark.parametrize("kept", [b"nonsense", b"[" * 100_000, b"\xff", b"null", b"{}"])
def test_redis_what_is_no_entry_is_told(redis_url: str, kept: bytes) -> None:
    import redis

    with (
        closing(RedisStore(redis_url, prefix="canfetch-corrupt:")) as store,
        closing(redis.Redis.from_url(redis_url)) as server,
    ):
        store.put(entry_of())
        server.set(f"canfetch-corrupt:entry:{ORIGIN}", kept)
        with pytest.raises(CorruptEntry, match="corrupt cache entry"):
            store.get(ORIGIN)
        assert store.delete(ORIGIN)


def test_redis_key_of_another_kind_is_told(redis_url: str) -> None:
    import redis

    with (
        closing(RedisStore(redis_url, prefix="canfetch-kind:")) as store,
        closing(redis.Redis.from_url(redis_url)) as server,
    ):
        server.rpush(f"canfetch-kind:entry:{ORIGIN}", "a list")
        with pytest.raises(StoreError, match="WRONGTYPE"):
            store.get(ORIGIN)
        store.delete(ORIGIN)


def test_redis_entry_that_nobody_renews_is_forgotten(redis_url: str) -> None:
    import redis

    with (
        closing(RedisStore(redis_url, prefix="canfetch-kept:", ttl=1000)) as store,
        closing(redis.Redis.from_url(redis_url)) as server,
    ):
        store.put(entry_of())
        assert 0 < server.ttl(f"canfetch-kept:entry:{ORIGIN}") <= 1000
        store.delete(ORIGIN)


def test_redis_without_its_library_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['redis'] = None\n"
        "from canfetch.client.stores.redis import RedisStore\n"
        "from canfetch.errors import MissingExtra\n"
        "try:\n    RedisStore('redis://localhost')\n"
        "except MissingExtra as error:\n    print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == 'the Redis store requires the library redis: pip install "canfetch[redis]"\n'
