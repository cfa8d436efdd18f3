"""Clients with different policies share a store without losing each other's entries."""

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.stores.entries import make_entry

from canfetch.access.entries import entry_key, origin_from_key
from canfetch.access.policies import POLICIES, AccessPolicy
from canfetch.client.stores import Store
from canfetch.client.sync_client import Client

DAY_SECONDS = 86_400.0
OPEN, FORBIDDEN = "https://example.com/open", "https://example.com/forbidden"


def query(store: Store, origin: ScriptedOrigin, policy: str | AccessPolicy, now: float) -> tuple[bool, bool]:
    """Decide about two URLs with a new client."""
    client = Client(user_agent="ExampleBot/1.0", transport=origin, store=store, policy=policy, clock=lambda: now)
    # Not closed, because that would close the store.
    return client.allows(OPEN), client.allows(FORBIDDEN)


@pytest.mark.parametrize("other", [*(name for name in POLICIES if name != "rfc9309"), "rfc9309+redirect_limit=9"])
def test_rfc9309_2_4_other_policies_do_not_replace_the_last_good_copy(store: Store, other: str) -> None:
    origin = ScriptedOrigin()
    assert query(store, origin, "rfc9309", 0.0) == (True, False)
    origin.event = {"status": 503}
    at = 8 * DAY_SECONDS
    assert query(store, origin, "rfc9309", at) == (True, False)

    query(store, origin, other, at + 1)

    assert query(store, origin, "rfc9309", at + 2) == (True, False)
    assert query(store, origin, "rfc9309", at + DAY_SECONDS) == (True, False)
    origin.event = {"status": 404}
    assert query(store, origin, other, at + 2 * DAY_SECONDS) == (True, True)
    origin.event = {"status": 503}
    assert query(store, origin, "rfc9309", at + 3 * DAY_SECONDS) == (True, False)


def test_adjusted_policy_does_not_use_entries_of_the_policy_that_it_is_based_on(store: Store) -> None:
    origin = ScriptedOrigin({"status": 403})
    closed = POLICIES["rfc9309"].replace(unauthorized="full-disallow")

    assert query(store, origin, "rfc9309", 0.0) == (True, True)
    assert query(store, origin, closed, 1.0) == (False, False)
    assert query(store, origin, closed.name, 2.0) == (False, False)
    assert query(store, origin, "rfc9309", 3.0) == (True, True)

    assert len(origin.requests) == 2
    assert list(store.keys()) == ["https://example.com", "https://example.com#rfc9309+unauthorized=full-disallow"]


def test_adjusted_freshness_survives_the_store(store: Store) -> None:
    origin = ScriptedOrigin()
    monthly = POLICIES["draft1996"].replace(default_freshness=20 * 86_400, max_freshness=20 * 86_400)

    for day in (0, 19):
        assert query(store, origin, monthly, day * DAY_SECONDS) == (True, False)

    assert len(origin.requests) == 1


def test_key_contains_the_policy_unless_it_is_the_default(store: Store) -> None:
    entry = make_entry()
    assert (entry.key, entry_key(entry.origin, "google")) == ("https://example.com", "https://example.com#google")
    assert origin_from_key("https://example.com#google") == origin_from_key("https://example.com") == entry.origin
    store.put(entry)
    store.put(entry._replace(policy="google"))
    assert list(store.keys()) == ["https://example.com", "https://example.com#google"]
    assert store.acquire_lease(entry.key, holder="one", seconds=60)
    assert store.acquire_lease("https://example.com#google", holder="two", seconds=60)
    assert store.delete("https://example.com#google")
    assert store.get(entry.key) == entry
