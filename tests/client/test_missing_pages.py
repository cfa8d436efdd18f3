"""The probe for sites that respond with 5xx for every missing page."""

import pytest

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.missing_pages import MissingPages, MissingPagesProbe, probe_missing_pages
from canfetch.core.origin import Origin

ORIGIN = Origin.from_url("https://example.com")
HOME = "https://example.com/"


def probe(home: int | None, missing: int | None) -> tuple[MissingPagesProbe, list[str]]:
    """Probe a site with these statuses, None for no response, and return the URLs that were requested."""
    requested: list[str] = []

    def send(url: str) -> Response | Failure:
        requested.append(url)
        status = home if url == HOME else missing
        return Failure(url, FailureKind.TIMEOUT, "") if status is None else Response(url, status, (), b"")

    return probe_missing_pages(ORIGIN, send), requested


@pytest.mark.parametrize(
    "home, missing, expected",
    [
        (200, 500, MissingPages.SERVER_ERROR),
        (301, 503, MissingPages.SERVER_ERROR),
        (200, 404, MissingPages.OTHER_STATUS),
        (404, 200, MissingPages.OTHER_STATUS),
        (200, None, MissingPages.UNKNOWN),
    ],
)
def test_google2019_missing_page_is_requested_if_the_home_page_works(
    home: int, missing: int | None, expected: MissingPages
) -> None:
    found, requested = probe(home, missing)
    assert found == MissingPagesProbe(expected, home, missing)
    assert requested[0] == HOME
    assert len(requested) == 2
    # The name cannot exist by chance, and differs each time.
    assert requested[1] != probe(home, missing)[1][1]


@pytest.mark.parametrize("home", [None, 500, 503])
def test_a_site_that_fails_as_a_whole_shows_nothing(home: int | None) -> None:
    found, requested = probe(home, 500)
    assert found == MissingPagesProbe(MissingPages.UNKNOWN, home, None)
    assert requested == [HOME]
