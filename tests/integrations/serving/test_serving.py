"""Requests for /robots.txt, on real servers."""

import hashlib
import os
from pathlib import Path

import pytest
from tests.integrations.serving.conftest import RULES, Serve
from tests.integrations.serving.hosts import PAGE

ETAG = f'"{hashlib.sha256(RULES).hexdigest()[:32]}"'
TIME = 1_700_000_000
DATE = "Tue, 14 Nov 2023 22:13:20 GMT"


def test_file_is_served(serve: Serve) -> None:
    answer = serve().send("/robots.txt")
    assert (answer.status, answer.body) == (200, RULES)
    expected = {
        "content-type": "text/plain; charset=utf-8",
        "content-length": str(len(RULES)),
        "etag": ETAG,
        "cache-control": "public, max-age=3600",
    }
    assert expected.items() <= answer.headers.items()
    assert "last-modified" not in answer.headers


def test_head_has_the_headers_of_get(serve: Serve) -> None:
    server = serve()
    get, head = server.send("/robots.txt"), server.send("/robots.txt", method="HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers.keys() - {"date", "server"} == get.headers.keys() - {"date", "server"}
    assert head.headers["content-length"] == str(len(RULES))


@pytest.mark.parametrize("method", ["POST", "OPTIONS", "BREW"])
def test_other_methods_are_refused(serve: Serve, method: str) -> None:
    answer = serve().send("/robots.txt", "Content-Length: 0", method=method)
    assert answer.status == 405
    assert answer.headers["allow"] == "GET, HEAD"
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize(
    "target, is_robots",
    [
        ("/robots.txt", True),
        ("/robots.txt?", True),
        ("/robots.txt?version=2", True),
        ("/%72obots.txt", True),
        ("/robots%2Etxt", True),
        ("/robots.txt/", False),
        ("/Robots.txt", False),
        ("/blog/robots.txt", False),
        ("/robots.txt%20", False),
        ("/robots.txt%00", False),
        ("/robots.txt%3Fversion=2", False),
        ("/robots.txt;version=2", False),
        ("/%2Frobots.txt", False),
        ("/x/%2E%2E/robots.txt", False),
        ("/robots%252Etxt", False),
    ],
)
def test_only_the_path_at_the_root_is_the_robots_txt(serve: Serve, target: str, is_robots: object) -> None:
    assert serve().send(target).body == (RULES if is_robots else PAGE)


@pytest.mark.parametrize(
    "field, status",
    [
        (f"If-None-Match: {ETAG}", 304),
        (f"If-None-Match: W/{ETAG}", 304),
        (f'If-None-Match: "a", W/"b,c" , {ETAG}', 304),
        ("If-None-Match: *", 304),
        ('If-None-Match: "other"', 200),
        ("If-None-Match: ", 200),
        (f"If-None-Match: {ETAG[1:-1]}", 200),
        ('If-None-Match: "\xe9\xff', 200),
        (f"If-Match: {ETAG}", 200),
        ("If-Match: *", 200),
        (f"If-Match: W/{ETAG}", 412),
        ('If-Match: "other"', 412),
        (f"If-Modified-Since: {DATE}", 200),
        ("If-Modified-Since: Wed, 15 Nov 9999 22:13:20 GMT", 200),
        ("If-Modified-Since: Tue, 14 Nov 2023 22:13:20 EST", 200),
        ("If-Modified-Since: yesterday", 200),
        ("If-Unmodified-Since: Tue, 14 Nov 2023 22:13:19 GMT", 200),
        ("If-Unmodified-Since: yesterday", 200),
    ],
)
def test_conditional_requests(serve: Serve, robots_file: Path, field: str, status: int) -> None:
    os.utime(robots_file, (TIME, TIME))
    server = serve(robots_file)
    answer = server.send("/robots.txt", field)
    assert answer.status == status
    assert answer.body == {200: RULES, 304: b"", 412: b"412 Precondition Failed\n"}[status]
    if status != 412:
        assert answer.headers["etag"] == ETAG
        assert "last-modified" not in answer.headers
        assert answer.headers["cache-control"] == "public, max-age=3600"
    if status == 304:
        assert "content-type" not in answer.headers
        assert answer.headers.get("content-length", "0") == "0"
    head = server.send("/robots.txt", field, method="HEAD")
    assert (head.status, head.body) == (status, b"")


@pytest.mark.parametrize("tag, status", [(ETAG, 304), ('"other"', 200)])
def test_entity_tags_decide_also_with_dates(serve: Serve, robots_file: Path, tag: str, status: int) -> None:
    os.utime(robots_file, (TIME, TIME))
    fields = (f"If-None-Match: {tag}", f"If-Modified-Since: {DATE}", f"If-Unmodified-Since: {DATE}")
    assert serve(robots_file).send("/robots.txt", *fields).status == status


_POLICY = b"""\
[everyone]
disallow = ["/private/"]

[environment.production]
hosts = ["www.example.com"]

[environment.staging]
hosts = ["staging.example"]
closed = true
"""


@pytest.mark.parametrize(
    "environment, host", [("staging", "www.example.com"), ("misspelt", "www.example.com"), ("by-host", "backend:8000")]
)
def test_a_date_does_not_keep_the_file_of_another_environment(
    serve: Serve, tmp_path: Path, environment: str, host: str
) -> None:
    policy = tmp_path / "site.toml"
    policy.write_bytes(_POLICY)
    os.utime(policy, (TIME, TIME))
    closed = serve(policy, environment=environment).send("/robots.txt", host=host)
    assert (closed.status, b"\nDisallow: /\n" in closed.body) == (200, True)
    repaired = "by-host" if environment == "by-host" else "production"
    date = closed.headers.get("last-modified", DATE)
    answer = serve(policy, environment=repaired).send(
        "/robots.txt", f"If-Modified-Since: {date}", host="www.example.com"
    )
    assert (answer.status, answer.body) == (200, b"User-agent: *\nDisallow: /private/\n")


@pytest.mark.parametrize("seconds", [TIME, TIME - 3600], ids=["the same time", "an older time"])
def test_a_date_does_not_keep_a_file_that_was_replaced(serve: Serve, robots_file: Path, seconds: int) -> None:
    os.utime(robots_file, (TIME, TIME))
    server = serve(robots_file)
    date = server.send("/robots.txt").headers.get("last-modified", DATE)
    new = robots_file.with_name("new")
    new.write_bytes(b"User-agent: *\nDisallow: /other/\n")
    os.utime(new, (seconds, seconds))
    new.replace(robots_file)
    answer = server.send("/robots.txt", f"If-Modified-Since: {date}")
    assert (answer.status, answer.body) == (200, b"User-agent: *\nDisallow: /other/\n")


def test_several_fields_are_one_list(serve: Serve) -> None:
    assert serve().send("/robots.txt", 'If-None-Match: "a"', f"If-None-Match: {ETAG}").status == 304


@pytest.mark.parametrize("max_age, value", [(0, "no-cache"), (86_400, "public, max-age=86400")])
def test_cache_control(serve: Serve, max_age: int, value: str) -> None:
    assert serve(max_age=max_age).send("/robots.txt").headers["cache-control"] == value


def test_changed_file_is_served_at_once(serve: Serve, robots_file: Path) -> None:
    server = serve(robots_file)
    first = server.send("/robots.txt")
    new = robots_file.with_name("new")
    new.write_bytes(b"User-agent: *\nDisallow: /other/\n")
    new.replace(robots_file)
    second = server.send("/robots.txt", f"If-None-Match: {first.headers['etag']}")
    assert (second.status, second.body) == (200, b"User-agent: *\nDisallow: /other/\n")
    robots_file.unlink()
    assert server.send("/robots.txt").body == second.body
    # A deployment must not close the site by accident.
    robots_file.write_bytes(b"User-agent: *\nDisallow: /\n")
    assert server.send("/robots.txt").body == second.body


def test_pages_are_not_changed(serve: Serve) -> None:
    answer = serve().send("/private/", "User-Agent: GPTBot/1.0", method="POST")
    assert (answer.status, answer.body) == (200, PAGE)


@pytest.mark.parametrize(
    "host, body",
    [
        ("www.example.com", b"# www\n"),
        ("WWW.Example.COM.", b"# www\n"),
        ("www.example.com:80", b"# www\n"),
        ("www.example.com:8080", b"# 8080\n"),
        ("xn--mller-kva.example", b"# umlaut\n"),
        ("[2001:DB8:0::1]:8000", b"# address\n"),
        ("example.org", b"# all others\n"),
    ],
)
def test_each_host_has_its_file(serve: Serve, host: str, body: bytes) -> None:
    robots = {
        "www.example.com": b"# www\n",
        "www.example.com:8080": b"# 8080\n",
        "m\u00fcller.example": b"# umlaut\n",
        "[2001:db8::1]": b"# address\n",
        "*": lambda _: "# all others\n",
    }
    assert serve(robots).send("/robots.txt", host=host).body == body


def test_unknown_host_reaches_the_application(serve: Serve) -> None:
    server = serve({"www.example.com": RULES})
    assert server.send("/robots.txt", host="example.com").body == PAGE
    assert server.send("/robots.txt", host="www.example.com").body == RULES


def test_function_returns_the_file_of_a_host(serve: Serve) -> None:
    server = serve(lambda host: None if host == "example.org" else f"# {host}\n")
    assert server.send("/robots.txt", host="Example.COM:8000").body == b"# example.com\n"
    assert server.send("/robots.txt", host="example.org").body == PAGE


def test_function_that_fails_is_answered_with_503_or_the_last_good_file(serve: Serve) -> None:
    results: list[object] = [RULES, KeyError("host"), b"User-agent: *\nDisallow: /", 7, b"<!doctype html><html>"]

    def robots(host: str) -> object:
        if host == "new.example.com":
            raise RuntimeError("the database is down")
        result = results.pop(0)
        if isinstance(result, Exception):
            raise result
        return result

    server = serve(robots)
    assert [server.send("/robots.txt").body for _ in range(5)] == [RULES] * 5
    answer = server.send("/robots.txt", host="new.example.com")
    assert answer.status == 503
    assert answer.headers["retry-after"] == "60"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.body == b"503 Service Unavailable: the robots.txt of this host cannot be served\n"
