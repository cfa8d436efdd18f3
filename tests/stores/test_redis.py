"""What is specific to the Redis store: invalid URLs, a server that is down, invalid values, a missing library."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.servers.dead_ports import refusing_port
from tests.stores.conftest import start_redis
from tests.stores.entries import make_entry

from canfetch.client.resilient_store import ResilientStore
from canfetch.client.stores.locations import open_store_at
from canfetch.errors import CorruptEntry, InvalidOption, StoreError

pytest.importorskip("redis")

from canfetch.client.stores.redis import RedisStore

ORIGIN = "https://example.com"


@pytest.mark.parametrize("url", ["redis://localhost:port", "http://localhost", "redis"])
def test_redis_invalid_url_raises(url: str) -> None:
    with pytest.raises(StoreError, match=f"'{url}': invalid Redis URL"):
        RedisStore(url)


@pytest.mark.parametrize("url", ["redis://:secret@localhost:port", "redis://me:secret@localhost:port/0"])
def test_redis_password_is_redacted(url: str) -> None:
    with pytest.raises(StoreError, match=r":\*\*\*@localhost:port") as error:
        RedisStore(url)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    "url, redacted",
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
def test_redis_password_in_the_options_is_redacted(url: str, redacted: str) -> None:
    # An unknown option raises when the store is created, a refused connection on first use.
    with (
        refusing_port() as port,
        pytest.raises(StoreError) as error,
        closing(RedisStore(url.format(port))) as store,
    ):
        store.get(ORIGIN)
    assert "secret" not in str(error.value)
    assert redacted.format(port) in str(error.value)


def test_redis_unknown_option_raises() -> None:
    with pytest.raises(StoreError, match=r"'redis://127.0.0.1:1\?foo=1': invalid Redis URL: unknown option 'foo'"):
        RedisStore("redis://127.0.0.1:1?foo=1")


@pytest.mark.parametrize(
    "url, problem",
    [
        ("redis://localhost/abc", "unknown database 'abc': expected a number, as in redis://localhost/0"),
        ("rediss://localhost/1/2", "unknown database '1/2': expected a number"),
        ("redis://localhost/-1", "unknown database '-1': expected a number"),
        ("redis://localhost/0?db=", "invalid value for the option 'db'"),
        ("unix:///run/redis.sock?db=abc", "invalid value for the option 'db'"),
        ("redis://localhost:0/1", "the port is not a number from 1 to 65535"),
        ("redis://localhost/0#1", "unexpected '#'"),
        ("redis://localhost/0?socket_timeout=-1", "socket_connect_timeout and socket_timeout: expected"),
        ("redis://localhost/0?socket_connect_timeout=nan", "socket_connect_timeout and socket_timeout: expected"),
    ],
)
def test_redis_url_that_the_library_reads_as_another_one_raises(url: str, problem: str) -> None:
    with pytest.raises(StoreError) as error:
        RedisStore(url)
    assert str(error.value).startswith(f"{url!r}: invalid Redis URL: {problem}")


@pytest.mark.parametrize("option", ["protocol=9", "ssl_cert_reqs=bogus"])
def test_redis_option_that_the_library_rejects_raises(option: str) -> None:
    with pytest.raises(StoreError, match=r"invalid Redis URL: "):
        RedisStore(f"rediss://localhost/0?{option}")


def test_redis_arguments_of_another_type_raise() -> None:
    with pytest.raises(InvalidOption, match=r"invalid url b'redis://localhost': expected a str"):
        RedisStore(b"redis://localhost")  # type: ignore[arg-type]  # a mistake of the caller
    with pytest.raises(InvalidOption, match="invalid prefix 5: expected a str"):
        RedisStore("redis://localhost", prefix=5)  # type: ignore[arg-type]  # a mistake of the caller


@pytest.mark.parametrize("location", ["redis:localhost", "redis:/localhost", "valkey:6379", "unix:/run/redis.sock"])
def test_redis_url_without_slashes_is_not_a_file(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidOption, match=r"^invalid URL '.*': expected [a-z]+:// before the server$"):
        open_store_at(location)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("url", ["redis://localhost/7", "redis://localhost/7/", "redis://localhost/%37", "redis:///7"])
def test_redis_database(url: str) -> None:
    with closing(RedisStore(url)) as store:
        assert store._redis.connection_pool.connection_kwargs["db"] == 7


@pytest.mark.parametrize("password", ["geh/eim", "geh#eim", "geh?eim", "geh?a=eim"])
def test_redis_password_that_is_not_escaped_is_not_shown(password: str) -> None:
    with pytest.raises(StoreError, match=r"write '/' as %2F") as error:
        RedisStore(f"redis://me:{password}@localhost:6379/0")
    assert "geh" not in str(error.value)
    assert "eim" not in str(error.value)


@pytest.mark.service
def test_redis_login_problems_are_named(tmp_path: Path) -> None:
    limited = "--user limited on >secret ~other:* +@all"
    with start_redis(tmp_path, "--requirepass", "secret", *limited.split()) as address:
        for login, problem in {
            "": "the server requires a password: add it to the URL, as in redis://USER:PASSWORD@HOST",
            ":wrong@": "wrong user name or password",
            "nobody:secret@": "wrong user name or password",
            "limited:secret@": "the user lacks a permission for the keys canfetch:*",
        }.items():
            with closing(RedisStore(f"redis://{login}{address}/0")) as store, pytest.raises(StoreError) as error:
                store.get(ORIGIN)
            shown = login if ":" not in login else f"{login.partition(':')[0]}:***@"
            assert str(error.value).startswith(f"redis://{shown}{address}/0: {problem}")
        with closing(RedisStore(f"redis://:secret@{address}/0")) as store:
            assert store.get(ORIGIN) is None
            assert not store.delete(ORIGIN)


@pytest.mark.service
def test_redis_password_for_a_server_without_one_is_named(redis_url: str) -> None:
    # With version 3 of the protocol, such a server accepts any password.
    url = redis_url.replace("://", "://:secret@") + "?protocol=2"
    with closing(RedisStore(url)) as store, pytest.raises(StoreError, match="the server has no password: remove it"):
        store.get(ORIGIN)


def test_redis_every_method_raises_while_the_server_is_down() -> None:
    with refusing_port() as port, closing(RedisStore(f"redis://:secret@127.0.0.1:{port}/0")) as store:
        for call in (
            lambda: store.get(ORIGIN),
            lambda: store.put(make_entry()),
            lambda: store.delete(ORIGIN),
            lambda: list(store.keys()),
            lambda: store.acquire_lease(ORIGIN, holder="one", seconds=60),
            lambda: store.release_lease(ORIGIN, holder="one"),
        ):
            with pytest.raises(StoreError) as error:
                call()
            assert str(error.value).startswith(f"redis://:***@127.0.0.1:{port}/0: ")
            assert not str(error.value).endswith(".")


@pytest.mark.parametrize("value", [b"nonsense", b"[" * 100_000, b"\xff", b"null", b"{}"])
def test_redis_corrupt_entry_raises(redis_url: str, value: bytes) -> None:
    import redis

    with (
        closing(RedisStore(redis_url, prefix="canfetch-corrupt:")) as store,
        closing(redis.Redis.from_url(redis_url)) as server,
    ):
        store.put(make_entry())
        server.set(f"canfetch-corrupt:entry:{ORIGIN}", value)
        with pytest.raises(CorruptEntry, match="corrupt cache entry"):
            store.get(ORIGIN)
        assert store.delete(ORIGIN)


def test_redis_entry_expires(redis_url: str) -> None:
    import redis

    with (
        closing(RedisStore(redis_url, prefix="canfetch-ttl:", ttl=1000)) as store,
        closing(redis.Redis.from_url(redis_url)) as server,
    ):
        store.put(make_entry())
        assert 0 < server.ttl(f"canfetch-ttl:entry:{ORIGIN}") <= 1000
        store.delete(ORIGIN)


@pytest.mark.slow
def test_redis_missing_library_raises() -> None:
    code = (
        "import sys; sys.modules['redis'] = None\n"
        "from canfetch.client.stores.redis import RedisStore\n"
        "from canfetch.errors import MissingExtra\n"
        "try:\n    RedisStore('redis://localhost')\n"
        "except MissingExtra as error:\n    print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == 'the Redis store requires the library redis: pip install "canfetch[redis]"\n'


@pytest.mark.service
def test_keys_of_another_type_are_reported_and_replaced(redis_url: str, caplog: pytest.LogCaptureFixture) -> None:
    import redis

    key = f"{ORIGIN}:wrong-type"
    with closing(redis.Redis.from_url(redis_url)) as server, closing(RedisStore(redis_url)) as store:
        for kind in ("entry", "lease"):
            server.lpush(f"canfetch:{kind}:{key}", "another program")
        with pytest.raises(CorruptEntry, match="corrupt cache entry: its key has another type than a string"):
            store.get(key)
        store.release_lease(key, holder="b")
        resilient = ResilientStore(store)
        assert resilient.get(key) is None
        assert resilient.acquire_lease(key, 10.0)
        assert (resilient.corrupt_entries, resilient.error_count) == (1, 0)
        assert [record.getMessage() for record in caplog.records if "another type" in record.getMessage()]
        assert not store.acquire_lease(key, holder="b", seconds=10.0)
        assert server.keys(f"canfetch:entry:{key}") == []
