"""Facts about a site that only the crawler knows: `site_reachable` and `misconfigured_origins`."""

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.client.either import BOTH, EitherClient

from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client
from canfetch.errors import InvalidOption, InvalidURL

USER_AGENT = "ExampleBot/1.0"
ORIGIN = "https://example.com"
OPEN = f"{ORIGIN}/open"
DAY_SECONDS = 86_400.0


@pytest.mark.parametrize(
    "site_reachable, allowed, explanation",
    [
        (True, True, "the site is reachable"),
        (False, False, "the site is unreachable"),
        (None, False, "it is unknown whether the site is reachable"),
    ],
)
@BOTH
def test_google_reachability_of_the_site_decides_after_thirty_days(
    kind: str, *, site_reachable: bool | None, allowed: bool, explanation: str
) -> None:
    now = [0.0]
    with EitherClient(kind, ScriptedOrigin({"status": 503}), policy="google", clock=lambda: now[0]) as client:
        assert not client.allows(OPEN, site_reachable=True)
        now[0] = 31 * DAY_SECONDS
        verdict = client.decide(OPEN, site_reachable=site_reachable)
        assert client.allows(OPEN, site_reachable=site_reachable) is allowed
        assert client.origin_state(OPEN).allows(OPEN, None, now[0], site_reachable=site_reachable) is allowed
        # The argument applies to one call only.
        assert not client.allows(OPEN)
    assert verdict.allowed is allowed
    assert verdict.access is not None
    assert explanation in verdict.access.explanation


@BOTH
def test_google2019_5xx_of_a_misconfigured_origin_is_a_404(kind: str) -> None:
    origins = ["https://EXAMPLE.com/", "https://other.example"]
    transport = ScriptedOrigin({"status": 500})
    with EitherClient(kind, transport, policy="google2019", misconfigured_origins=origins) as client:
        assert client.allows(OPEN)
        assert not client.allows("https://unknown.example/open")
        assert client.decide(OPEN).access.effect == "full-allow"


def test_google2019_5xx_classified_by_another_client_is_fetched_again() -> None:
    store, origin = MemoryStore(), ScriptedOrigin({"status": 500})

    def query(*misconfigured: str) -> bool:
        client = Client(
            user_agent=USER_AGENT,
            policy="google2019",
            transport=origin,
            store=store,
            misconfigured_origins=misconfigured,
        )
        return client.allows(OPEN)

    assert [query(), query(ORIGIN), query(ORIGIN), query()] == [False, True, True, False]
    assert len(origin.requests) == 3


@pytest.mark.parametrize("value, error", [(ORIGIN, InvalidOption), (["nowhere"], InvalidURL)])
def test_invalid_misconfigured_origins_raise(value: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        Client(user_agent=USER_AGENT, misconfigured_origins=value)  # type: ignore[arg-type]  # invalid on purpose
