"""FTP by anonymous login, as Google's document asks for: what it says, and what it is taken for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.servers.deaf import accepting_port, refusing_port
from tests.servers.ftp import FtpSite, ScriptedFtp
from tests.servers.proper import RULES
from tests.servers.web import Site, everywhere_is
from tests.transports.faces import HERE, Ask, asking, face

from canfetch.access.responses import Failure, FailureKind, Response

SHORT_SECONDS = 0.15


@pytest.fixture(params=["standard", "standard-async"])
def ask(request: pytest.FixtureRequest) -> Iterator[Ask]:
    with face(request.param) as asked:
        yield asked


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "robots.txt").write_bytes(RULES)
    (tmp_path / "größe").mkdir()
    (tmp_path / "größe" / "robots.txt").write_bytes(b"Allow: /\n")
    return tmp_path


def kind_of(answer: Response | Failure) -> FailureKind:
    assert isinstance(answer, Failure), answer
    assert answer.detail
    return answer.kind


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_google_ftp_is_fetched_by_anonymous_login(ask: Ask, folder: Path, host: str) -> None:
    with FtpSite(folder, host=host) as site:
        assert ask(asking(site.url())) == Response(site.url(), 200, (), RULES)


def test_names_are_resolved(ask: Ask, folder: Path) -> None:
    with FtpSite(folder) as site:
        answer = ask(asking(f"ftp://files.test:{site.port}/robots.txt"))
    assert isinstance(answer, Response)
    assert answer.body == RULES


def test_paths_are_decoded(ask: Ask, folder: Path) -> None:
    with FtpSite(folder) as site:
        for path in ("größe/robots.txt", "gr%C3%B6%C3%9Fe/robots.txt"):
            answer = ask(asking(site.url(path)))
            assert isinstance(answer, Response)
            assert answer.body == b"Allow: /\n"


def test_missing_file_is_404(ask: Ask, folder: Path) -> None:
    with FtpSite(folder) as site:
        assert ask(asking(site.url("missing.txt"))) == Response(site.url("missing.txt"), 404, (), b"")


def test_login_that_is_refused_is_401(ask: Ask, folder: Path) -> None:
    with FtpSite(folder, anonymous=False) as site:
        assert ask(asking(site.url())) == Response(site.url(), 401, (), b"")


def test_too_many_users_are_no_missing_file(ask: Ask, folder: Path) -> None:
    with FtpSite(folder, most=1) as site:
        assert kind_of(ask(asking(site.url()))) is FailureKind.PROTOCOL


@pytest.mark.parametrize("limit", [0, 10, len(RULES) - 1, len(RULES)])
def test_reading_stops_one_octet_past_the_limit(ask: Ask, folder: Path, limit: int) -> None:
    with FtpSite(folder) as site:
        answer = ask(asking(site.url(), max_bytes=limit))
    assert isinstance(answer, Response)
    assert answer.body == RULES[: limit + 1]


def test_large_file_is_cut(ask: Ask, folder: Path) -> None:
    (folder / "robots.txt").write_bytes(b"#" * 5_000_000)
    with FtpSite(folder) as site:
        answer = ask(asking(site.url(), max_bytes=512_000))
    assert isinstance(answer, Response)
    assert len(answer.body) == 512_001


def test_guard_refuses_private_addresses(folder: Path) -> None:
    with FtpSite(folder) as site, face("standard", resolve=everywhere_is("127.0.0.1")) as ask:
        for url in (site.url(), f"ftp://innocent.test:{site.port}/robots.txt"):
            assert kind_of(ask(asking(url, allow_private=False))) is FailureKind.FORBIDDEN_ADDRESS


def test_data_comes_from_whom_was_asked(ask: Ask, site: Site) -> None:
    # The server points at somebody else; the client must neither go there nor take the port of a neighbour for it.
    with ScriptedFtp(pasv=("192.0.2.1", site.port)) as ftp:
        answer = ask(asking(ftp.url(), timeout=SHORT_SECONDS))
    assert kind_of(answer) is FailureKind.TIMEOUT
    assert site.asked == []


def test_address_of_a_router_is_not_believed(ask: Ask, folder: Path) -> None:
    with FtpSite(folder, masquerade="192.0.2.1") as site:
        assert ask(asking(site.url())) == Response(site.url(), 200, (), RULES)


def test_commands_are_those_of_an_anonymous_visitor(ask: Ask) -> None:
    with ScriptedFtp() as ftp:
        ask(asking(ftp.url("a/robots.txt")))
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
def test_replies_become_what_http_would_say(ask: Ask, command: str, reply: str, expected: int | FailureKind) -> None:
    with ScriptedFtp({"ACCT": "532 no", command: reply}) as ftp:
        answer = ask(asking(ftp.url()))
        if isinstance(expected, int):
            assert answer == Response(ftp.url(), expected, (), b"")
        else:
            assert kind_of(answer) is expected, answer


@pytest.mark.parametrize("command", ["welcome", "USER", "PASS", "TYPE", "PASV", "RETR", "done"])
@pytest.mark.parametrize("bound", ["read_timeout", "timeout"])
def test_silence_ends_in_time(ask: Ask, command: str, bound: str) -> None:
    with ScriptedFtp({command: None}) as ftp:
        assert kind_of(ask(asking(ftp.url(), **{bound: SHORT_SECONDS}))) is FailureKind.TIMEOUT


def test_silent_data_ends_in_time(ask: Ask) -> None:
    with ScriptedFtp(data=None) as ftp:
        assert kind_of(ask(asking(ftp.url(), read_timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT


def test_endless_replies_end(ask: Ask) -> None:
    with ScriptedFtp({"welcome": "220-hello\r\n" + "and more\r\n" * 20_000}) as ftp:
        assert kind_of(ask(asking(ftp.url()))) is FailureKind.PROTOCOL


def test_end_that_is_not_reached_needs_no_last_word(ask: Ask) -> None:
    with ScriptedFtp({"done": None}) as ftp:
        answer = ask(asking(ftp.url(), max_bytes=4))
    assert isinstance(answer, Response)
    assert answer.body == b"User-"


@pytest.mark.parametrize("path", ["a%0D%0ADELE%20b", "a%0Ab", "a%00b"])
def test_commands_are_not_smuggled(ask: Ask, path: str) -> None:
    with ScriptedFtp() as ftp:
        assert kind_of(ask(asking(ftp.url(path)))) is FailureKind.PROTOCOL
        assert ftp.commands == []


def test_nobody_there_is_a_failure(ask: Ask) -> None:
    with refusing_port() as port:
        assert kind_of(ask(asking(f"ftp://127.0.0.1:{port}/robots.txt"))) is FailureKind.CONNECT
    with accepting_port() as port:
        url = f"ftp://127.0.0.1:{port}/robots.txt"
        assert kind_of(ask(asking(url, read_timeout=SHORT_SECONDS))) is FailureKind.TIMEOUT


def test_other_transports_do_not_speak_ftp() -> None:
    for name in ("httpx2", "httpx2-async", "aiohttp"):
        with face(name, resolve=HERE) as ask:
            assert kind_of(ask(asking("ftp://127.0.0.1/robots.txt"))) is FailureKind.SCHEME
