"""The client of the API, with a server on loopback."""

import socketserver
import sys
from collections.abc import Iterator
from itertools import islice
from threading import Thread

import pytest
from tests.servers.dead_ports import refusing_port
from tests.web.conftest import ScriptedWeb
from tests.web.servers import running_server

import canfetch
from canfetch.errors import InvalidOption
from canfetch.lint import Linter
from canfetch.web.api_client import APIClient, APIError
from canfetch.web.settings import Settings

CONTENT = "User-agent: *\nDisallow: /x\n"
TOKEN = "horse"  # noqa: S105 - a token of a test


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    web = ScriptedWeb()
    web.add("http://a.example/robots.txt", CONTENT.encode())
    with running_server(Settings(token=TOKEN), transport=web) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def client(address: str) -> Iterator[APIClient]:
    with APIClient(address, token=TOKEN) as running:
        yield running


def test_verdicts(client: APIClient) -> None:
    robots = canfetch.parse(CONTENT)
    verdict = client.decide("/x", agent="GPTBot", content=CONTENT)
    assert verdict == {"url": "/x", "agent_name": "GPTBot", **robots.decide("/x", agent="GPTBot").to_json()}
    assert client.decide("http://a.example/x", agent="GPTBot")["access"]["access"] == "successful"
    verdicts = client.decide_many(["/x", "/y"], agents=["a", "b"], content=CONTENT)
    assert [one["allowed"] for one in verdicts] == [False, False, True, True]
    # Only the key `schema` is missing.
    assert [{**one, "schema": verdict["schema"]} for one in verdicts] == [
        client.decide(url, agent=agent, content=CONTENT) for url in ("/x", "/y") for agent in ("a", "b")
    ]


@pytest.mark.slow
def test_stream_of_any_length(client: APIClient) -> None:
    questions = ({"url": "/x" if n % 2 else "/y", "agent": "GPTBot"} for n in range(2500))
    verdicts = list(client.decide_stream([{"content": CONTENT}, *questions]))
    assert [one["allowed"] for one in verdicts] == [True, False] * 1250


def test_questions_after_a_rejected_file_have_errors(client: APIClient) -> None:
    file = {"content": CONTENT, "robots_url": "http://b.example/robots.txt"}
    questions = [{"url": "/x", "agent": "GPTBot"}] * 1500
    rejected, *answers = islice(client.decide_stream([{"content": ""}, questions[0], file, *questions]), 1, None)
    keys = "profile, edition, url, agent, content, content_encoding, exact"
    assert rejected == {"error": f"robots_url: unknown key: expected {keys}"}
    assert [answer["allowed"] for answer in answers] == [None] * 1500
    assert all("the last line with a file is not valid" in answer["error"] for answer in answers)


def test_blocks_that_begin_with_a_file(client: APIClient) -> None:
    question, file = {"url": "/x", "agent": "GPTBot"}, {"content": CONTENT}
    # A rejected file is the first line of the second block, and its answer is not lost.
    answers = list(client.decide_stream([file, *[question] * 999, {"content": 5}, question]))
    assert [answer.get("allowed") for answer in answers] == [False] * 999 + [None] * 2
    assert "allowed" not in answers[999]
    # The second block has no answers.
    assert list(client.decide_stream([file] * 2000)) == []


@pytest.mark.parametrize("content, encoding", [("%%%", "base64"), (None, "utf-8"), (5, "utf-8")])
def test_files_that_are_not_valid(client: APIClient, content: object, encoding: str) -> None:
    question = {"url": "/x", "agent": "GPTBot"}
    file = {"content": content, "content_encoding": encoding}
    answers = list(client.decide_stream([{"content": CONTENT}, question, file, question]))
    assert [answer.get("allowed") for answer in answers] == [False, None, None]


def test_a_string_is_no_list(client: APIClient) -> None:
    with pytest.raises(TypeError, match=r"invalid agents 'GPTBot': expected a list, such as \['GPTBot'\]"):
        client.decide_many(["/a"], agents="GPTBot", content="")
    with pytest.raises(TypeError, match="invalid urls '/a'"):
        client.decide_many("/a", agents=["GPTBot"], content="")


def test_names_in_paths_are_encoded(client: APIClient) -> None:
    with pytest.raises(APIError, match="status 404"):
        client.get("agents/no such \u00fc")


def test_other_endpoints(client: APIClient) -> None:
    assert client.lint(CONTENT) == Linter().lint(CONTENT.encode()).to_json()
    assert client.fetch("http://a.example")["content"] == CONTENT
    assert client.post("explain", url="/x", agent="a", content=CONTENT)["verdict"]["allowed"] is False
    assert client.get("agents", purpose=["training"])["crawlers"]


def test_problems_are_exceptions(address: str, client: APIClient) -> None:
    with pytest.raises(APIError, match="invalid URL 'x'") as caught:
        client.decide("x", agent="GPTBot", content="")
    assert (caught.value.status, caught.value.code) == (422, "invalid-url")
    with APIClient(address) as stranger, pytest.raises(APIError, match="requires a token"):
        stranger.lint("")
    # The connection is used again.
    assert client.decide("/x", agent="GPTBot", content="")["allowed"]


def test_too_large_body_is_a_problem(client: APIClient) -> None:
    with pytest.raises(APIError, match="the body is larger than") as caught:
        client.lint("x" * 5_000_000)
    assert (caught.value.status, caught.value.code) == (413, "too-large")
    assert client.decide("/x", agent="GPTBot", content="")["allowed"]


@pytest.mark.slow
def test_answer_is_read_after_the_server_has_closed_the_connection() -> None:
    class Refusing(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1)
            self.request.sendall(b'HTTP/1.1 413 X\r\nContent-Length: 14\r\nConnection: close\r\n\r\n{"detail":"x"}')

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Refusing) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            with APIClient(f"http://127.0.0.1:{server.server_address[1]}") as client, pytest.raises(APIError) as caught:
                client.lint("x" * 50_000_000)
        finally:
            server.shutdown()
            thread.join()
    # Some systems discard the response when the connection is reset.
    assert caught.value.status == 413 or sys.platform != "linux"


def test_server_that_does_not_answer_is_an_exception() -> None:
    with refusing_port() as port, APIClient(f"http://127.0.0.1:{port}") as client:
        with pytest.raises(APIError, match="no answer from the server") as caught:
            client.lint("")
        assert (caught.value.status, caught.value.code) == (None, None)


@pytest.mark.slow
def test_invalid_address() -> None:
    with pytest.raises(InvalidOption, match="invalid address 'localhost'"):
        APIClient("localhost")
