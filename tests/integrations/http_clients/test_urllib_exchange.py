"""How an opener of urllib fetches robots.txt, beyond the contract in `tests/transports/sessions/test_responses.py`."""

import threading
from typing import Any

import pytest
from tests.servers.redirects import redirect
from tests.servers.web import Site
from tests.transports.harness import SHORT_SECONDS, Send, failure_kind, make_request
from tests.transports.session_harness import opener_send

from canfetch.access.responses import FailureKind, Response


@pytest.fixture(scope="module")
def send() -> Send:
    return opener_send()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_not_followed(send: Send, site: Site, status: int) -> None:
    site.serve("/robots.txt", redirect("/rules", status))
    answer = send(make_request(f"{site.origin}/robots.txt"))
    assert isinstance(answer, Response), answer
    assert (answer.status, answer.header("location")) == (status, "/rules")
    assert len(site.requests) == 1


def test_a_host_without_an_address_is_a_failure(send: Send) -> None:
    assert failure_kind(send(make_request("http://nowhere.invalid/"))) is FailureKind.DNS


def test_thread_of_an_abandoned_body_ends(send: Send, shared_site: Site) -> None:
    # The threads of other tests wait for heads that do not end.
    others = set(threading.enumerate())
    for label in ("slow-body", "silent-body"):
        answer = send(make_request(shared_site.url(label), timeout=SHORT_SECONDS))
        assert failure_kind(answer) is FailureKind.TIMEOUT
    for thread in set(threading.enumerate()) - others:
        thread.join(300)
        assert not thread.is_alive()


@pytest.mark.slow
def test_credentials_of_the_opener_are_not_sent_to_another_origin(site: Site) -> None:
    from urllib.request import build_opener

    from canfetch.integrations.urllib import RobotsHandler

    with Site() as other, RobotsHandler(user_agent="ExampleBot/1.0") as handler:
        opener: Any = build_opener(handler)
        opener.addheaders = [("X-Api-Key", "secret"), ("X-Team", "7")]
        site.serve("/robots.txt", redirect(f"http://localhost:{other.port}/rules"))
        opener.open(site.url("rules")).close()
    assert [request.headers.get("x-api-key") for request in site.requests] == ["secret", "secret"]
    assert [request.headers.get("x-api-key", "") for request in other.requests] == [""]
    assert {request.headers["x-team"] for request in (*site.requests, *other.requests)} == {"7"}
