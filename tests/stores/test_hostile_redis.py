"""A hostile Redis server raises nothing but StoreError, is not waited for, and controls no terminal."""

import itertools
from collections.abc import Callable
from contextlib import closing

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.client.either import BOTH, EitherClient
from tests.servers.redis import FixedRedis
from tests.stores.entries import make_entry

from canfetch.errors import StoreError

pytest.importorskip("redis")

from canfetch.client.stores.redis import RedisStore

ORIGIN = "https://example.com"
USER_AGENT = "ExampleBot/1.0"
NESTED = b"*1\r\n" * 200_000
CALLS: dict[str, Callable[[RedisStore], object]] = {
    "get": lambda store: store.get(ORIGIN),
    "put": lambda store: store.put(make_entry()),
    "delete": lambda store: store.delete(ORIGIN),
    "keys": lambda store: list(store.keys()),
    "acquire": lambda store: store.acquire_lease(ORIGIN, holder="one", seconds=60),
    "release": lambda store: store.release_lease(ORIGIN, holder="one"),
}


@pytest.mark.parametrize("call", CALLS)
def test_nested_answer_is_a_store_error(call: str) -> None:
    with (
        FixedRedis([NESTED]) as server,
        closing(RedisStore(server.url)) as store,
        pytest.raises(StoreError, match="unexpected answer of the server"),
    ):
        CALLS[call](store)


@pytest.mark.parametrize("answer", [b":nonsense\r\n", b"$x\r\n", b"*x\r\n", b"?\r\n", b"\xff\xfe\r\n"])
@pytest.mark.parametrize("call", CALLS)
def test_invalid_answer_is_a_store_error(call: str, answer: bytes) -> None:
    with FixedRedis([answer]) as server, closing(RedisStore(server.url)) as store, pytest.raises(StoreError):
        CALLS[call](store)


@pytest.mark.parametrize("answer", [b"$3\r\n\x1b[m\r\n", b"*1\r\n:1\r\n", b"*2\r\n:0\r\n:0\r\n"])
def test_answer_of_another_type_is_a_store_error(answer: bytes) -> None:
    for call in (CALLS["put"], CALLS["keys"]):
        with FixedRedis([answer]) as server, closing(RedisStore(server.url)) as store, pytest.raises(StoreError):
            call(store)


@pytest.mark.parametrize("call", CALLS)
def test_dripped_answer_ends_at_the_deadline(call: str) -> None:
    # Each byte arrives in time. Only the operation as a whole takes too long.
    answer = itertools.chain([b"$100000000\r\n"], itertools.repeat(b"x"))
    with (
        FixedRedis(answer) as server,
        closing(RedisStore(server.url, timeout=0.05)) as store,
        pytest.raises(StoreError, match=r"[Tt]imed? ?out"),
    ):
        CALLS[call](store)


def test_error_message_of_the_server_is_escaped() -> None:
    answer = b"-ERR \x1b[31mred\x07 \xe2\x80\xae\r\n"
    with (
        FixedRedis([answer]) as server,
        closing(RedisStore(server.url)) as store,
        pytest.raises(StoreError) as raised,
    ):
        store.get(ORIGIN)
    assert str(raised.value).endswith("%1B[31mred%07 %E2%80%AE")
    assert str(raised.value).isprintable()


@BOTH
def test_hostile_server_does_not_prevent_decisions(kind: str) -> None:
    with (
        FixedRedis([NESTED]) as server,
        EitherClient(kind, ScriptedOrigin(), store=RedisStore(server.url)) as client,
    ):
        assert client.allows(f"{ORIGIN}/open")
        assert not client.allows(f"{ORIGIN}/forbidden")
        assert client.store_error is not None
