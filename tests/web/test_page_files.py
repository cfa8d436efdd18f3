"""The files of the page."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.conftest import API, ScriptedWeb, running_api

from canfetch.web.site.assets import Assets

SCRIPT = b"export default 1;\n" * 100


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("assets")
    (path / "static").mkdir()
    (path / "index.html").write_bytes(b"<!doctype html>")
    (path / "static.html").write_bytes(b"<!doctype html>")
    (path / "static" / "main-ABCDEFGH.js").write_bytes(SCRIPT)
    (path / "static" / "crawlers.json").write_bytes(b"{}")
    (path / "static" / "licenses-01234567.txt").write_text("© Authors", encoding="utf-8")
    (path / "parts.json").write_bytes(b"[]")
    (path / "static" / ".hidden.js").write_bytes(b"")
    (path / "static" / "key.pem").write_bytes(b"")
    return path


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[API]:
    with running_api(transport=ScriptedWeb(), assets=Assets(folder)) as running:
        yield running


def test_page_is_revalidated_and_hashed_files_are_not(served: API) -> None:
    page = served.get("/")
    assert (page.text, page.headers["content-type"]) == ("<!doctype html>", "text/html; charset=utf-8")
    assert page.headers["cache-control"] == "no-cache"
    assert served.get("/", headers={"If-None-Match": page.headers["etag"]}).status_code == 304
    script = served.get("/static/main-ABCDEFGH.js")
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert served.get("/static/crawlers.json").headers["cache-control"] == "no-cache"


def test_licenses_are_plain_text_in_utf_8(served: API) -> None:
    licences = served.get("/static/licenses-01234567.txt")
    assert (licences.text, licences.headers["content-type"]) == ("© Authors", "text/plain; charset=utf-8")


def test_files_are_compressed(served: API) -> None:
    path = "/static/main-ABCDEFGH.js"
    assert served.get(path, headers={"Accept-Encoding": "gzip"}).content == SCRIPT
    assert served.get(path, headers={"Accept-Encoding": "gzip"}).headers["content-encoding"] == "gzip"
    for accepted in ("identity", "gzip;q=0, br;q=0.0", ""):
        response = served.get(path, headers={"Accept-Encoding": accepted})
        assert "content-encoding" not in response.headers
        assert response.content == SCRIPT


def test_long_lists_of_codings_are_not_split(served: API) -> None:
    for others, coding in ((31, "gzip"), (10_000, None)):
        response = served.get("/static/main-ABCDEFGH.js", headers={"Accept-Encoding": "a," * others + "gzip"})
        assert response.headers.get("content-encoding") == coding
        assert response.content == SCRIPT


@pytest.mark.parametrize(
    "path",
    [
        "/static.html",
        "/parts.json",
        "/static/",
        "/static/.hidden.js",
        "/static/key.pem",
        "/static/..%2f..%2fapp.py",
        "/static/%2e%2e/index.html",
        "/static/a%00b.js",
        "/static/c:%5cx.js",
        "/missing",
    ],
)
def test_other_paths_do_not_exist(served: API, path: str) -> None:
    served.problem("GET", path, 404)


def test_file_that_was_built_again_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_bytes(b"old")
    assets = Assets(tmp_path)
    first = assets.find("index.html")
    (tmp_path / "index.html").write_bytes(b"new")
    # The clock of some file systems is coarse.
    os.utime(tmp_path / "index.html", (1, 1))
    second = assets.find("index.html")
    assert first is not None
    assert second is not None
    assert (first.content, second.content) == (b"old", b"new")


def test_checkout_without_a_page_says_what_to_run(tmp_path: Path) -> None:
    with running_api(transport=ScriptedWeb(), assets=Assets(tmp_path)) as unbuilt:
        response = unbuilt.get("/")
        assert response.status_code == 200
        assert "make page" in response.text
        unbuilt.problem("GET", "/static/main-ABCDEFGH.js", 404)


@pytest.mark.slow
def test_other_methods_and_keys_are_named(api: API) -> None:
    for path, allowed in (
        ("/v1/lint", "POST"),
        ("/v1/decide", "GET, HEAD, POST"),
        ("/healthz", "GET, HEAD"),
    ):
        problem = api.problem("DELETE", path, 405)
        assert problem["detail"] == f"DELETE is not supported here: use {allowed}"
        assert api.request("DELETE", path).headers["allow"] == allowed
    api.problem("POST", "/v1/nothing", 404)
    assert api.problem("POST", "/v1/lint", 422, json={"contents": ""})["errors"] == [
        {"location": "content", "message": "required, but missing"},
        {"location": "contents", "message": "unknown key: did you mean 'content'?"},
    ]
