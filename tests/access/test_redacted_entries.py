"""Cache entries without the secrets of their URLs."""

from canfetch.access.entries import CacheEntry
from canfetch.access.fetch_plan import FetchResult, first_request, next_step
from canfetch.access.policies import get_policy
from canfetch.access.redacted_entries import redact_entry
from canfetch.access.responses import Response
from canfetch.access.transitions import next_entry
from canfetch.core.origin import Origin

ORIGIN = Origin.from_url("http://a.example/")
TARGET = "http://user:secret@b.example/robots.txt"


def entry_after(*statuses: int) -> CacheEntry:
    """Return the entry after redirects to `TARGET`, and a response without `Location` at the end."""
    policy = get_policy("rfc9309")
    step = first_request(ORIGIN)
    for status in statuses:
        headers = (("Location", TARGET),) if status == 301 else (("ETag", '"1"'),)
        following = next_step(step, Response(step.url, status, headers, b"User-agent: *\n"), policy)
        if isinstance(following, FetchResult):
            return next_entry(None, ORIGIN, following, policy, now=0.0, seed=0)
        step = following
    raise AssertionError(statuses)


def test_user_information_of_all_urls_is_replaced() -> None:
    entry = entry_after(301, 200)
    redacted = redact_entry(entry)
    assert "secret" in str(entry.to_json())
    assert "secret" not in str(redacted.to_json())
    assert redacted.copy is not None
    assert redacted.copy.url == redacted.copy.validators.url == redacted.url == "http://***@b.example/robots.txt"
    assert [hop.location for hop in redacted.hops] == [redacted.url]


def test_entries_without_a_copy() -> None:
    redacted = redact_entry(entry_after(301, 301))
    assert redacted.copy is None
    assert "secret" not in str(redacted.to_json())
    assert "redirect loop to http://***@b.example/robots.txt" in redacted.outcome.detail
