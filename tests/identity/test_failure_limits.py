"""Limits of invalid signatures: by address, by network and for the total, with a clock of the test."""

from collections.abc import Callable

import pytest

from canfetch.agents.identity import SignatureCheck, SignatureReason, SignatureStatus
from canfetch.client.identity import failure_limits
from canfetch.client.identity.failure_limits import FailureLimits

BAD = SignatureCheck(SignatureStatus.INVALID, SignatureReason.BAD_SIGNATURE, "")
VALID = SignatureCheck(SignatureStatus.VALID, SignatureReason.VERIFIED, "")
OUTAGE = SignatureCheck(SignatureStatus.UNVERIFIED, SignatureReason.DIRECTORY_UNAVAILABLE, "")
PENDING = OUTAGE._replace(reason=SignatureReason.DIRECTORY_PENDING)


class Peers:
    """Limits with a clock, and peers that send invalid signatures."""

    def __init__(self, *, max_failures: int = 4, max_share: float = 0.1) -> None:
        self.seconds = 1000.0
        self.limits = FailureLimits(max_failures=max_failures, max_share=max_share, monotonic=lambda: self.seconds)

    def fail(self, peer: str | None, number: int, *, check: SignatureCheck | None = BAD, spent: float = 0.0) -> int:
        """Send invalid signatures, and return how many are examined."""
        examined = 0
        for _ in range(number):
            if self.limits.find_reached(peer) is None:
                examined += 1
                self.limits.record(peer, check, spent, is_of_crawler=True)
        return examined

    def prove(self, peer: str | None) -> None:
        """Send a valid signature of a crawler."""
        self.limits.record(peer, VALID, 9.0, is_of_crawler=True)

    def fail_from(self, new_peer: Callable[[int], str], number: int) -> int:
        return sum(self.fail(new_peer(index), 1) for index in range(number))

    def reason(self, peer: str | None) -> str:
        found = self.limits.find_reached(peer)
        return "examined" if found is None else f"{found.status}: {found.reason}"


def test_failures_of_an_address() -> None:
    peers = Peers()
    assert peers.fail("8.8.8.8", 10) == 4
    assert peers.reason("8.8.8.8") == "not-checked: too-many-failures"
    assert peers.reason("8.8.8.9") == "examined"
    # One more is examined every 15 s, and after a minute four.
    peers.seconds += 15
    assert peers.fail("8.8.8.8", 10) == 1
    peers.seconds += 60
    assert peers.fail("8.8.8.8", 10) == 4
    # Other forms of the same address.
    assert peers.reason("::ffff:8.8.8.8") == "not-checked: too-many-failures"
    assert peers.reason("::FFFF:0808:0808%eth0") == "not-checked: too-many-failures"


@pytest.mark.parametrize("network, other", [("8.8.8.{}", "8.8.9.1"), ("2a00:1450:4001:{:x}::1", "2a00:1450:4002::1")])
def test_failures_of_a_network(network: str, other: str) -> None:
    peers = Peers()
    assert peers.fail_from(network.format, 100) == 16
    assert peers.reason(network.format(200)) == "not-checked: too-many-failures"
    assert peers.reason(other) == "examined"


@pytest.mark.parametrize("peer, neighbour", [("8.8.8.1", "8.8.8.2"), ("2a00:1450:4001::1", "2a00:1450:4001:2::1")])
def test_peers_with_a_valid_signature(peer: str, neighbour: str) -> None:
    peers = Peers()
    peers.prove(peer)
    # Neither the limit of all peers nor the failures of its network apply, and ten times as many failures are examined.
    assert peers.fail("9.9.9.9", 10, spent=1.0) == 1
    assert peers.reason("7.7.7.7") == "not-checked: overloaded"
    assert peers.fail(neighbour, 100, spent=1.0) == 4
    for number in range(200):
        peers.fail(peer.rstrip("1") + f"{number + 3}", 4)
    assert peers.reason(neighbour) == "not-checked: too-many-failures"
    assert peers.fail(peer, 100, spent=1.0) == 40
    # They add nothing to the limit of all peers.
    peers.seconds += 10
    assert peers.reason("7.7.7.7") == "examined"
    # For an hour.
    peers.seconds += 3600
    assert peers.fail(peer, 100) == 4


def test_a_valid_signature_is_recorded_again_only_when_half_an_hour_has_passed() -> None:
    peers = Peers()
    for passed in (0, 1790, 20, 3590):
        peers.seconds += passed
        peers.prove("8.8.8.8")
    peers.fail("9.9.9.9", 1, spent=1000.0)
    assert peers.reason("8.8.8.8") == "examined"
    peers.seconds += 3601
    assert peers.reason("8.8.8.8") == "not-checked: overloaded"


@pytest.mark.parametrize(
    "peer", [None, "", "unix", "8.8.8", "8.8.8.8\0", "\u0661.1.1.1", "10.0.0.1", "127.0.0.1", "::1"]
)
def test_clients_without_a_public_address_have_only_the_limit_of_all(peer: str | None) -> None:
    # They may all have the address of one proxy.
    peers = Peers()
    assert peers.fail(peer, 100) == 100
    peers.prove(peer)
    assert peers.reason(peer) == "examined"
    assert peers.fail(peer, 100, spent=0.15) == 2
    assert peers.reason(peer) == "not-checked: overloaded"


def test_the_time_of_all_failures() -> None:
    peers = Peers()
    assert peers.fail_from(lambda index: f"8.{index}.1.1", 100) == 100
    for index in range(3):
        assert peers.fail(f"9.{index}.1.1", 1, spent=0.1) == 1
    # 0.3 s were taken of the 0.2 s that they may take at once, and a tenth of the time comes back.
    assert peers.reason("7.7.7.7") == "not-checked: overloaded"
    peers.seconds += 0.9
    assert peers.reason("7.7.7.7") == "not-checked: overloaded"
    peers.seconds += 0.2
    assert peers.reason("7.7.7.7") == "examined"
    # A verification that was cancelled took time as well, but is not a failure.
    assert peers.fail("7.7.7.7", 9, check=None, spent=0.01) == 2


def test_an_outage_of_a_directory_is_not_a_failure_of_the_client() -> None:
    peers = Peers()
    assert peers.fail("8.8.8.8", 100, check=OUTAGE) == 100
    assert peers.fail("8.8.8.8", 100, check=PENDING) == 100
    assert peers.fail("8.8.8.8", 100, check=OUTAGE, spent=0.1) == 3


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failure_limits, "_MAX_ENTRIES", 10)
    peers = Peers()
    for index in range(50):
        peers.fail(f"8.{index}.1.1", 4)
        peers.prove(f"9.{index}.1.1")
    assert len(peers.limits._failed) == len(peers.limits._proven) == 10
    assert len(peers.limits._proven_of) == 5
    # The latest are kept.
    assert (peers.reason("8.49.1.1"), peers.reason("8.1.1.1")) == ("not-checked: too-many-failures", "examined")


def test_an_attacker_with_keys_of_its_own_has_the_usual_limits() -> None:
    peers = Peers()
    for _ in range(2):
        peers.limits.record("8.8.8.8", VALID, 9.0, is_of_crawler=False)
    # A valid signature is not a failure, either.
    assert peers.reason("7.7.7.7") == "examined"
    assert peers.fail("8.8.8.8", 100, spent=0.01) == 4
    assert peers.fail_from("8.8.8.{}".format, 100) == 12
    peers.fail("9.9.9.9", 1, spent=1.0)
    peers.seconds += 5
    assert peers.reason("8.8.8.200") == "not-checked: overloaded"


def test_one_network_does_not_replace_the_others_in_memory() -> None:
    peers = Peers()
    peers.prove("66.249.66.1")
    for index in range(20_001):
        peers.prove(f"2a01:4f8:1:{index >> 12:x}::{index:x}")
    peers.fail("9.9.9.9", 1, spent=10.0)
    assert peers.reason("66.249.66.1") == "examined"
    # Further addresses have the exemption of their network only.
    assert peers.reason("2a01:4f8:1:5::1") == "examined"
    assert len(peers.limits._proven) == 259
    # When these entries have ended, the network can have others.
    peers.seconds += 3601
    peers.prove("2a01:4f8:1:6::1")
    assert len(peers.limits._proven) == 2
    assert peers.limits._proven_of == {bytes.fromhex("2a0104f80001"): 1}


def test_a_forked_process_has_a_lock_of_its_own() -> None:
    peers = Peers()
    with peers.limits._lock:
        peers.limits.reset_after_fork()
        peers.limits.record("8.8.8.8", BAD, 0.0, is_of_crawler=True)
    assert peers.fail("8.8.8.8", 10) == 3
