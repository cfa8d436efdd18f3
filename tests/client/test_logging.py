"""What clients log: one line for each fetch, a warning for each failure, and decisions at the level DEBUG."""

import logging
import subprocess
import sys

import pytest
from tests.access.conftest import ScriptedOrigin
from tests.client.either import BOTH, EitherClient, decide_with_either, scripted

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.stores.memory import MemoryStore
from canfetch.client.sync_client import Client
from canfetch.client.transports import TransportRequest
from canfetch.core.redaction import loggable_url, redact_urls

URL = "https://example.com/forbidden"


def shapes(caplog: pytest.LogCaptureFixture, name: str) -> list[tuple[str, str]]:
    """Return level and message of the records of a logger, without durations."""
    return [
        (record.levelname, record.msg % tuple(0 if isinstance(each, float) else each for each in record.args or ()))
        for record in caplog.records
        if record.name == name
    ]


@BOTH
@pytest.mark.parametrize(
    "event, level, message",
    [
        (
            {"status": 200},
            "INFO",
            "fetched https://example.com/robots.txt: status 200, 0 redirects, 35 bytes in 0.000 s",
        ),
        (
            {"status": 404},
            "INFO",
            "fetched https://example.com/robots.txt: status 404, 0 redirects, 35 bytes in 0.000 s",
        ),
        (
            {"redirects": 2, "other_authority": True},
            "INFO",
            (
                "fetched https://example.com/robots.txt (redirected to https://other.example/robots.txt?***): "
                "status 200, 2 redirects, 35 bytes in 0.000 s"
            ),
        ),
        ({"status": 503}, "WARNING", "cannot fetch https://example.com/robots.txt: status 503, 0 redirects, 0.000 s"),
        (
            {"failure": "refused"},
            "WARNING",
            "cannot fetch https://example.com/robots.txt: connect: scripted failure, 0 redirects, 0.000 s",
        ),
    ],
)
def test_each_fetch_is_one_record(
    kind: str, event: dict[str, object], level: str, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "canfetch")
    decide_with_either(kind, scripted(**event), URL, URL)
    assert shapes(caplog, "canfetch.fetch") == [(level, message)]
    assert shapes(caplog, "canfetch.decisions") == []


@BOTH
def test_requests_are_logged_at_debug(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "canfetch.fetch")
    store = MemoryStore()
    decide_with_either(kind, scripted(redirects=1), URL, store=store)
    decide_with_either(kind, scripted(redirects=1), URL, store=store)
    decide_with_either(kind, scripted(failure="refused"), "http://example.org/")
    assert [message for level, message in shapes(caplog, "canfetch.fetch") if level == "DEBUG"] == [
        "requested https://example.com/robots.txt: status 302",
        "requested https://example.com/robots.txt?***: status 200",
        "using the robots.txt of https://example.com from the store",
        "requested http://example.org/robots.txt: connect: scripted failure",
    ]


@BOTH
def test_decisions_are_logged_at_debug(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "canfetch")
    decide_with_either(kind, scripted(status=200), f"{URL}?token=secret#x", "https://me:secret@example.com/open")
    assert shapes(caplog, "canfetch.decisions") == [
        ("DEBUG", "disallowed https://example.com/forbidden?*** for ExampleBot: line 2, Disallow: /forbidden"),
        ("DEBUG", "allowed https://***@example.com/open for ExampleBot: no rule for * matches"),
    ]
    assert "secret" not in caplog.text


@BOTH
def test_allows_is_logged_too(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "canfetch.decisions")
    with EitherClient(kind, ScriptedOrigin()) as client:
        assert not client.allows(URL)
    assert [record.levelname for record in caplog.records] == ["DEBUG"]


def test_level_that_changes_takes_effect_after_the_next_fetch(caplog: pytest.LogCaptureFixture) -> None:
    with Client(user_agent="ExampleBot/1.0", transport=ScriptedOrigin()) as client:
        assert client.allows("https://example.com/")
        caplog.set_level(logging.DEBUG, "canfetch.decisions")
        assert client.allows("https://example.com/")
        assert caplog.records == []
        assert client.allows("https://example.org/")
        assert client.allows("https://example.com/")
    assert shapes(caplog, "canfetch.decisions") == [
        ("DEBUG", "allowed https://example.com/ for ExampleBot: no rule for * matches")
    ]


def test_secrets_of_redirects_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    def answer(request: TransportRequest) -> Response:
        return Response(request.url, 302, (("Location", "https://me:secret@other.example/?token=secret"),), b"")

    caplog.set_level(logging.DEBUG, "canfetch")
    decide_with_either("sync", answer, URL, policy="google")
    assert "redirect loop to https://***@other.example/?***" in caplog.text
    assert "secret" not in caplog.text


def test_failure_of_a_policy_that_allows_everything_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    client = decide_with_either("sync", scripted(failure="never-answers"), URL, policy="draft1996")
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert client.stats.failures == {"timeout": 1}


def test_interrupted_fetch_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def interrupted(_request: TransportRequest) -> Response:
        raise KeyboardInterrupt

    caplog.set_level(logging.INFO, "canfetch")
    with pytest.raises(KeyboardInterrupt):
        decide_with_either("sync", interrupted, URL)
    [(level, message)] = shapes(caplog, "canfetch.fetch")
    assert (level, message) == ("INFO", "fetch of https://example.com/robots.txt interrupted after 0.000 s")


@pytest.mark.slow
def test_library_writes_nothing_without_a_configuration() -> None:
    program = (
        "import canfetch, logging\n"
        "from tests.access.conftest import ScriptedOrigin\n"
        "origin = ScriptedOrigin({'failure': 'refused'})\n"
        "with canfetch.Client(user_agent='ExampleBot/1.0', transport=origin) as client:\n"
        "    client.allows('https://example.com/')\n"
        "assert client.stats.failures == {'connect': 1}\n"
        "assert logging.getLogger().handlers == []\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "url, expected",
    [
        ("https://example.com/a", "https://example.com/a"),
        ("https://u:p@example.com/a?q=1#f", "https://***@example.com/a?***"),
        (b"https://example.com/\xff?", "https://example.com/%FF?***"),
        ("https://example.com/#secret", "https://example.com/"),
        ("/path?query@x", "/path?***"),
        ("https://example.com?x#y?z", "https://example.com?***"),
        ("https://example.com/\n\x1b[31m", "https://example.com/%0A%1B[31m"),
        ("https://u:p w@example.com/a", "https://***@example.com/a"),
        ("https://u:p@[::1/a", "https://***@[::1/a"),
        ("//u:p@example.com/a@b", "//***@example.com/a@b"),
    ],
)
def test_loggable_url_has_no_secrets(url: str | bytes, expected: str) -> None:
    assert loggable_url(url) == expected


def test_urls_in_a_message_are_redacted() -> None:
    assert redact_urls("loop to https://u:p@h/?q after 3") == "loop to https://***@h/?*** after 3"
    assert redact_urls("no URL here?x") == "no URL here?x"


def test_failure_before_the_first_request_is_a_fetch(caplog: pytest.LogCaptureFixture) -> None:
    def slow(request: TransportRequest) -> Failure:
        return Failure(request.url, FailureKind.TIMEOUT, "no answer")

    client = decide_with_either("sync", slow, URL, timeout=1e-9)
    assert client.stats.fetches == 1
    assert client.stats.failures == {"timeout": 1}
    assert len(caplog.records) == 1


@BOTH
def test_text_of_a_server_is_escaped(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "canfetch")
    detail = "unsupported content coding: \x1b[31m\x07\x9b\u202e\nforged line"
    decide_with_either(kind, lambda request: Failure(request.url, FailureKind.ENCODING, detail), URL)
    escaped = "unsupported content coding: %1B[31m%07%C2%9B%E2%80%AE%0Aforged line"
    messages = [record.getMessage() for record in caplog.records]
    assert [escaped in message for message in messages] == [True, True, True]
    assert all(map(str.isprintable, messages))
