"""FTP with anonymous login, and the mapping of its replies to HTTP statuses."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.servers.dead_ports import refusing_port, unresponsive_port
from tests.servers.ftp import FtpSite, ScriptedFtp
from tests.servers.valid import RULES
from tests.servers.web import Site, resolve_all_to
from tests.transports.harness import LOOPBACK, SHORT_SECONDS, Send, failure_kind, make_request, open_transport

from canfetch.access.responses import FailureKind, Response


@pytest.fixture(params=["http", "http-async"])
def send(request: pytest.FixtureRequest) -> Iterator[Send]:
    with open_transport(request.param) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "robots.txt").write_bytes(RULES)
    (tmp_path / "größe").mkdir()
    (tmp_path / "größe" / "robots.txt").write_bytes(b"Allow: /\n")
    return tmp_path


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_google_ftp_is_fetched_by_anonymous_login(send: Send, folder: Path, host: str) -> None:
    with FtpSite(folder, host=host) as site:
        assert send(make_request(site.url())) == Response(site.url(), 200, (), RULES)


def test_name_is_resolved(send: Send, folder: Path) -> None:
    with FtpSite(folder) as site:
        answer = send(make_request(f"ftp://files.test:{site.port}/robots.txt"))
    assert isinstance(answer, Response)
    assert answer.body == RULES


def test_path_is_decoded(send: Send, folder: Path) -> None:
    with FtpSite(folder) as site:
        for path in ("größe/robots.txt", "gr%C3%B6%C3%9Fe/robots.txt"):
            answer = send(make_request(site.url(path)))
            assert isinstance(answer, Response)
            assert answer.body == b"Allow: /\n"


def test_missing_file_is_404(send: Send, folder: Path) -> None:
    with FtpSite(folder) as site:
        assert send(make_request(site.url("missing.txt"))) == Response(site.url("missing.txt"), 404, (), b"")


def test_refused_login_is_401(send: Send, folder: Path) -> None:
    with FtpSite(folder, anonymous=False) as site:
        assert send(make_request(site.url())) == Response(site.url(), 401, (), b"")


def test_too_many_users_is_a_failure(send: Send, folder: Path) -> None:
    with FtpSite(folder, max_connections=1) as site:
        assert failure_kind(send(make_request(site.url()))) is FailureKind.PROTOCOL


@pytest.mark.parametrize("limit", [0, 10, len(RULES) - 1, len(RULES)])
def test_reading_stops_one_byte_past_the_limit(send: Send, folder: Path, limit: int) -> None:
    with FtpSite(folder) as site:
        answer = send(make_request(site.url(), max_bytes=limit))
    assert isinstance(answer, Response)
    assert answer.body == RULES[: limit + 1]


def test_large_file_is_read_up_to_the_limit(send: Send, folder: Path) -> None:
    (folder / "robots.txt").write_bytes(b"#" * 5_000_000)
    with FtpSite(folder) as site:
        answer = send(make_request(site.url(), max_bytes=512_000))
    assert isinstance(answer, Response)
    assert len(answer.body) == 512_001


def test_private_address_is_forbidden(folder: Path) -> None:
    with FtpSite(folder) as site, open_transport("http", resolve=resolve_all_to("127.0.0.1")) as send:
        for url in (site.url(), f"ftp://innocent.test:{site.port}/robots.txt"):
            assert failure_kind(send(make_request(url, allow_private=False))) is FailureKind.FORBIDDEN_ADDRESS


def test_data_connection_goes_to_the_same_server(send: Send, site: Site) -> None:
    # The server announces another address. The client uses the announced port on the server's own address only.
    with ScriptedFtp(pasv=("192.0.2.1", site.port)) as ftp:
        answer = send(make_request(ftp.url(), timeout=SHORT_SECONDS))
    assert failure_kind(answer) is FailureKind.TIMEOUT
    assert site.requests == []


def test_announced_address_is_ignored(send: Send, folder: Path) -> None:
    with FtpSite(folder, masquerade="192.0.2.1") as site:
        assert send(make_request(site.url())) == Response(site.url(), 200, (), RULES)


def test_commands_of_an_anonymous_session(send: Send) -> None:
    with ScriptedFtp() as ftp:
        send(make_request(ftp.url("a/robots.txt")))
        assert ftp.commands == ["USER anonymous", "PASS anonymous@", "TYPE I", "PASV", "RETR a/robots.txt"]


@pytest.mark.parametrize(
    "command, reply, expected",
    [
        ("welcome", "421 too many users", FailureKind.PROTOCOL),
        ("welcome", "554 no", FailureKind.PROTOCOL),
        ("welcome", "HTTP/1.1 400 Bad Request", FailureKind.PROTOCOL),
        ("welcome", "", FailureKind.RESET),
        ("USER", "530 no", 401),
        ("PASS", "530 no", 401),
        ("PASS", "332 account?", 401),
        ("PASS", "421 later", FailureKind.PROTOCOL),
        ("PASS", "", FailureKind.RESET),
        ("TYPE", "500 what?", FailureKind.PROTOCOL),
        ("PASV", "502 what?", FailureKind.PROTOCOL),
        ("PASV", "227 nowhere", FailureKind.PROTOCOL),
        ("PASV", "227 (127,0,0,1,0,0)", FailureKind.CONNECT),
        ("RETR", "550 no such file", 404),
        ("RETR", "530 not for you", 401),
        ("RETR", "450 busy", FailureKind.PROTOCOL),
        ("RETR", "425 cannot connect", FailureKind.PROTOCOL),
        ("RETR", "553 no", FailureKind.PROTOCOL),
        ("RETR", "350 and?", FailureKind.PROTOCOL),
        ("RETR", "", FailureKind.RESET),
        ("done", "426 broken off", FailureKind.INCOMPLETE),
        ("done", "451 disk trouble", FailureKind.INCOMPLETE),
        ("done", "550 changed my mind", FailureKind.INCOMPLETE),
        ("done", "", FailureKind.RESET),
    ],
)
def test_reply_is_mapped_to_status_or_failure(
    send: Send, command: str, reply: str, expected: int | FailureKind
) -> None:
    with ScriptedFtp({"ACCT": "532 no", command: reply}) as ftp:
        answer = send(make_request(ftp.url()))
        if isinstance(expected, int):
            assert answer == Response(ftp.url(), expected, (), b"")
        else:
            assert failure_kind(answer) is expected, answer


@pytest.mark.parametrize("command", ["welcome", "USER", "PASS", "TYPE", "PASV", "RETR", "done"])
@pytest.mark.parametrize("bound", ["read_timeout", "timeout"])
def test_missing_reply_times_out(send: Send, command: str, bound: str) -> None:
    with ScriptedFtp({command: None}) as ftp:
        assert failure_kind(send(make_request(ftp.url(), **{bound: SHORT_SECONDS}))) is FailureKind.TIMEOUT


def test_missing_data_times_out(send: Send) -> None:
    with ScriptedFtp(data=None) as ftp:
        assert failure_kind(send(make_request(ftp.url(), read_timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT


def test_endless_reply_is_a_failure(send: Send) -> None:
    with ScriptedFtp({"welcome": "220-hello\r\n" + "and more\r\n" * 20_000}) as ftp:
        assert failure_kind(send(make_request(ftp.url()))) is FailureKind.PROTOCOL


def test_final_reply_is_not_needed_after_the_limit(send: Send) -> None:
    with ScriptedFtp({"done": None}) as ftp:
        answer = send(make_request(ftp.url(), max_bytes=4))
    assert isinstance(answer, Response)
    assert answer.body == b"User-"


@pytest.mark.parametrize("path", ["a%0D%0ADELE%20b", "a%0Ab", "a%00b"])
def test_path_cannot_inject_commands(send: Send, path: str) -> None:
    with ScriptedFtp() as ftp:
        assert failure_kind(send(make_request(ftp.url(path)))) is FailureKind.PROTOCOL
        assert ftp.commands == []


def test_server_that_does_not_respond_is_a_failure(send: Send) -> None:
    with refusing_port() as port:
        assert failure_kind(send(make_request(f"ftp://127.0.0.1:{port}/robots.txt"))) is FailureKind.CONNECT
    with unresponsive_port() as port:
        url = f"ftp://127.0.0.1:{port}/robots.txt"
        assert failure_kind(send(make_request(url, read_timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT


@pytest.mark.slow
def test_other_transports_do_not_support_ftp() -> None:
    for name in ("httpx2", "httpx2-async", "aiohttp"):
        with open_transport(name, resolve=LOOPBACK) as send:
            assert failure_kind(send(make_request("ftp://127.0.0.1/robots.txt"))) is FailureKind.SCHEME
