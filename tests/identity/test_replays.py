"""Replay protection: no signature is accepted twice, whatever the memory has forgotten."""

from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from canfetch.client.identity.replays import NonceMemory, Replay, SignatureNonce


def record(memory: NonceMemory, nonce: str, created: int, *, signer: str = "a", trusted: bool = True) -> Replay:
    return memory.record(SignatureNonce(signer, "key", nonce, created, trusted))


def test_a_nonce_is_accepted_once_for_each_key_and_signer() -> None:
    memory = NonceMemory(10)
    assert record(memory, "n", 1) is Replay.NEW
    assert record(memory, "n", 1) is Replay.SEEN
    assert record(memory, "n", 2) is Replay.SEEN
    assert record(memory, "m", 1) is Replay.NEW
    assert record(memory, "n", 1, signer="b") is Replay.NEW
    assert memory.record(SignatureNonce("a", "other", "n", 1, trusted=True)) is Replay.NEW


def test_the_signatures_of_a_request_are_recorded_together() -> None:
    memory = NonceMemory(10)
    first, second, third = (SignatureNonce("a", "key", name, 1, trusted=True) for name in "abc")
    assert memory.record(first, [second]) is Replay.NEW
    assert memory.record(second) is Replay.SEEN
    # Whoever repeats a signature cannot use up others.
    assert memory.record(second, [third]) is Replay.SEEN
    assert memory.record(third) is Replay.NEW


def test_a_full_memory_accepts_only_newer_signatures() -> None:
    memory = NonceMemory(3)
    for created in (1, 3, 2):
        assert record(memory, f"n{created}", created) is Replay.NEW
    assert record(memory, "n4", 4) is Replay.NEW
    # n1 was forgotten.
    assert record(memory, "n1", 1) is Replay.FORGOTTEN
    assert record(memory, "late", 1) is Replay.FORGOTTEN
    assert record(memory, "n2", 2) is Replay.SEEN
    assert record(memory, "m2", 2) is Replay.NEW


def test_signers_do_not_share_a_memory() -> None:
    memory = NonceMemory(2)
    for number in range(10):
        assert record(memory, f"n{number}", 10**12 + number, signer="evil", trusted=False) is Replay.NEW
    assert record(memory, "n", 5, signer="other", trusted=False) is Replay.NEW
    assert record(memory, "n", 5) is Replay.NEW
    # Many signers push one another out, but none that is trusted, and no signature is accepted twice.
    for number in range(200):
        assert record(memory, "n", 5, signer=f"s{number}", trusted=False) in {Replay.NEW, Replay.FORGOTTEN}
    assert record(memory, "n", 5, signer="other", trusted=False) is Replay.FORGOTTEN
    assert record(memory, "n", 5) is Replay.SEEN
    assert record(memory, "m", 5) is Replay.NEW
    assert len(memory._signers) == 100


def test_a_signer_that_becomes_trusted_keeps_its_memory() -> None:
    memory = NonceMemory(10)
    assert record(memory, "n", 1, trusted=False) is Replay.NEW
    assert record(memory, "n", 1) is Replay.SEEN
    assert record(memory, "m", 1) is Replay.NEW
    assert record(memory, "m", 1, trusted=False) is Replay.SEEN
    # Nor is the memory of a signer that was forgotten taken for an empty one.
    assert record(memory, "n", 1, signer="b", trusted=False) is Replay.NEW
    for number in range(100):
        record(memory, "n", 1, signer=f"s{number}", trusted=False)
    assert record(memory, "n", 1, signer="b") is Replay.FORGOTTEN
    assert record(memory, "n", 2, signer="b") is Replay.NEW


@given(
    st.integers(1, 4),
    st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 6), st.integers(0, 150), st.booleans()), max_size=40
    ),
)
def test_no_signature_is_accepted_twice(size: int, signatures: list[tuple[str, int, int, bool]]) -> None:
    memory = NonceMemory(size)
    accepted = set()
    for nonce, created, signer, trusted in signatures:
        identity = (f"{nonce}{created}", signer % 5 if trusted else signer)
        found = record(memory, identity[0], created, signer=str(identity[1]), trusted=trusted)
        if found is Replay.NEW:
            assert identity not in accepted
            accepted.add(identity)
    assert sum(len(one._seen) for one in memory._trusted.values()) <= 5 * size


def test_threads_accept_a_nonce_once() -> None:
    memory = NonceMemory(1000)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: record(memory, f"n{number % 50}", 1), range(400)))
    assert found.count(Replay.NEW) == 50
