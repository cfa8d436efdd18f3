"""A store that clients of several policies share: what one of them learns costs none of the others anything."""

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.stores.entries import entry_of

from canfetch.access.entries import entry_key, origin_from_key
from canfetch.access.policies import POLICIES
from canfetch.client.stores import Store
from canfetch.client.sync_client import Client

DAY_SECONDS = 86_400.0
OPEN, FORBIDDEN = "https://example.com/open", "https://example.com/forbidden"


def ask(store: Store, origin: ScriptedOrigin, policy: str, now: float) -> tuple[bool, bool]:
    """Ask as a new process does."""
    asking = Client(user_agent="ExampleBot/1.0", transport=origin, store=store, policy=policy, clock=lambda: now)
    # The store is the test's, and stays open.
    return asking.allows(OPEN), asking.allows(FORBIDDEN)


@pytest.mark.parametrize("other", [name for name in POLICIES if name != "rfc9309"])
def test_rfc9309_2_4_another_policy_costs_no_last_good_copy(store: Store, other: str) -> None:
    origin = ScriptedOrigin()
    assert ask(store, origin, "rfc9309", 0.0) == (True, False)
    origin.event = {"status": 503}
    at = 8 * DAY_SECONDS
    assert ask(store, origin, "rfc9309", at) == (True, False)

    ask(store, origin, other, at + 1)

    assert ask(store, origin, "rfc9309", at + 2) == (True, False)
    assert ask(store, origin, "rfc9309", at + DAY_SECONDS) == (True, False)
    origin.event = {"status": 404}
    assert ask(store, origin, other, at + 2 * DAY_SECONDS) == (True, True)
    origin.event = {"status": 503}
    assert ask(store, origin, "rfc9309", at + 3 * DAY_SECONDS) == (True, False)


def test_keys_are_origins_with_the_name_of_another_policy(store: Store) -> None:
    entry = entry_of()
    assert (entry.key, entry_key(entry.origin, "google")) == ("https://example.com", "https://example.com#google")
    assert origin_from_key("https://example.com#google") == origin_from_key("https://example.com") == entry.origin
    store.put(entry)
    store.put(entry._replace(policy="google"))
    assert list(store.keys()) == ["https://example.com", "https://example.com#google"]
    assert store.acquire_lease(entry.key, holder="one", seconds=60)
    assert store.acquire_lease("https://example.com#google", holder="two", seconds=60)
    assert store.delete("https://example.com#google")
    assert store.get(entry.key) == entry
