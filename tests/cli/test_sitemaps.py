"""`canfetch sitemaps`: from a file and from real servers."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.servers.dead_ports import refusing_port
from tests.servers.valid import respond
from tests.servers.web import Site

Run = Any
UNKEPT = ("--store", "none")
FILE = b"Sitemap: https://example.com/a.xml\nUser-agent: *\nDisallow: /\nsitemap:\nSITEMAP: /b\x1b.xml # two\n"


def test_sitemaps_of_a_file(run: Run, folder: Path) -> None:
    (folder / "some.txt").write_bytes(FILE)
    assert run("sitemaps", "--robots", "some.txt") == (0, "https://example.com/a.xml\n/b%1B.xml\n", "")
    assert run("sitemaps", "--robots", "-", stdin=FILE).code == 0
    assert run("sitemaps", "--robots", "robots.txt") == (1, "", "canfetch: no sitemap in robots.txt\n")


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_json_has_origin_and_line(run: Run, site: Site, form: str) -> None:
    site.serve("/robots.txt", respond(FILE))
    ran = run("sitemaps", site.origin, "nonsense:x", *UNKEPT, "--format", form)
    rows = ran.rows(form)
    assert rows[:2] == [
        {
            "origin": site.origin,
            "robots_url": f"{site.origin}/robots.txt",
            "sitemap": sitemap,
            "line": line,
        }
        for sitemap, line in (("https://example.com/a.xml", 1), ("/b%1B.xml", 5))
    ]
    assert (rows[2]["origin"], rows[2]["sitemap"]) == ("nonsense:x", None)
    assert rows[2]["error"] in ran.err
    assert ran.code == 2


def test_origin_without_robots_txt_has_no_sitemaps(run: Run, site: Site) -> None:
    ran = run("sitemaps", f"{site.origin}/some/path", *UNKEPT)
    assert ran == (1, "", f"canfetch: no sitemap in {site.origin}/robots.txt\n")
    ran = run("sitemaps", site.origin, "--format", "json", *UNKEPT)
    row = {"origin": site.origin, "robots_url": f"{site.origin}/robots.txt", "sitemap": None, "line": None}
    assert (ran.code, json.loads(ran.out), ran.err) == (1, [row], "")


def test_unreachable_origin_is_an_error(run: Run) -> None:
    with refusing_port() as port:
        ran = run("sitemaps", f"http://127.0.0.1:{port}", *UNKEPT)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "/robots.txt is unreachable: connect: " in ran.err


@pytest.mark.parametrize(
    "arguments",
    [(), ("https://example.com", "--robots", "robots.txt"), ("--robots", "missing.txt"), ("--robots", ".")],
)
def test_invalid_arguments_are_exit_2(run: Run, arguments: tuple[str, ...]) -> None:
    ran = run("sitemaps", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("name", ["robots.txt", "-", "site/robots", "missing.txt"])
def test_a_file_is_not_an_origin(run: Run, folder: Path, name: str) -> None:
    (folder / "site").mkdir()
    (folder / "site" / "robots").write_bytes(FILE)
    ran = run("sitemaps", name)
    assert ran == (2, "", f"canfetch: '{name}' is a file: pass --robots {name}\n")
    for command in (("fetch",), ("watch", "--once", "--history", "h"), ("cache", "list")):
        ran = run(*command, name)
        assert ran.code == 2
        assert f"invalid origin '{name}': expected one such as https://example.com, not a file\n" in ran.err


def test_an_origin_may_have_the_name_of_a_file(run: Run, folder: Path) -> None:
    (folder / "localhost").write_bytes(FILE)
    assert "is a file" not in run("sitemaps", "localhost", "--offline", *UNKEPT).err
