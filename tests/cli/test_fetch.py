"""`canfetch fetch` on real servers."""

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from tests.cli.conftest import serving, sites
from tests.servers.behaviours import BEHAVIOURS
from tests.servers.dead_ports import refusing_port
from tests.servers.redirects import redirect
from tests.servers.valid import respond
from tests.servers.web import Site

Run = Any
UNKEPT = ("--store", "none")
RULES_BEHAVIOUR = BEHAVIOURS["rules"]


def test_fetch_shows_the_response(run: Run) -> None:
    with sites("revalidating") as [site]:
        ran = run("fetch", f"{site.origin}/some/page?x", *UNKEPT)
    assert (ran.code, ran.err) == (0, "")
    assert ran.lines[:-1] == [
        f"{site.origin}/robots.txt: conditional-allow",
        f"  200  {site.origin}/robots.txt",
        "       content-type: text/plain",
        '       etag: "one"',
        "       cache-control: max-age=600",
        "  access   successful: status 200",
        "  policy   rfc9309, success",
        "  file     33 bytes, sha256 38ee13a89fd0de18...",
    ]
    assert ran.lines[-1].startswith("  fetched  20")
    assert ran.lines[-1].endswith("Z, fresh for 10 min")


def test_fetch_shows_every_hop(run: Run, site: Site) -> None:
    with serving(redirect(f"{site.origin}/chain-1", 301)) as first:
        ran = run("fetch", first.origin, *UNKEPT)
    assert ran.code == 0
    assert ran.lines[:4] == [
        f"{first.origin}/robots.txt: conditional-allow",
        f"  301  {first.origin}/robots.txt -> {site.origin}/chain-1",
        f"  302  {site.origin}/chain-1 -> {site.origin}/chain-0",
        f"  200  {site.origin}/chain-0",
    ]


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_json_has_the_same_facts(run: Run, form: str) -> None:
    with sites("rules", "busy", "empty") as running, Site() as bare:
        origins = [site.origin for site in (*running, bare)]
        ran = run("fetch", *origins, "http://", *UNKEPT, "--format", form)
    rows = ran.rows(form)
    assert ran.code == 2
    assert rows[4] == {
        "origin": "http://",
        "error": "invalid URL 'http://': expected an absolute URL such as 'https://example.com/'",
    }
    assert ran.err == f"canfetch: {rows[4]['error']}\n"
    assert [row["origin"] for row in rows[:4]] == origins
    assert [(row["status"], row["access"], row["effect"], row["outcome"]) for row in rows[:4]] == [
        (200, "successful", "conditional-allow", "success"),
        (503, "unreachable", "full-disallow", "server_error"),
        (200, "successful", "conditional-allow", "success"),
        (404, "unavailable", "full-allow", "client_error"),
    ]
    assert [row["copy"] and row["copy"]["bytes"] for row in rows[:4]] == [33, None, 0, None]
    assert (rows[0]["schema"], rows[0]["failures"], rows[1]["failures"]) == ("canfetch.origin/2", 0, 1)
    assert rows[1]["headers"] == {"retry-after": "120"}
    fetched_at, next_fetch_at = (datetime.fromisoformat(rows[1][key]) for key in ("fetched_at", "next_fetch_at"))
    assert (next_fetch_at - fetched_at).total_seconds() == 120


@pytest.mark.parametrize("name, code", [("rules", 0), ("missing", 0), ("busy", 1), ("reset", 1), ("nowhere", 1)])
def test_exit_code_of_a_fetch(run: Run, name: str, code: int) -> None:
    with serving(BEHAVIOURS.get(name, BEHAVIOURS["html"])) as site:
        assert run("fetch", site.origin, *UNKEPT).code == code


def test_fetch_of_an_unreachable_origin(run: Run) -> None:
    with refusing_port() as port:
        ran = run("fetch", f"http://127.0.0.1:{port}", *UNKEPT)
    assert ran.code == 1
    assert ran.lines[:3] == [
        f"http://127.0.0.1:{port}/robots.txt: full-disallow",
        f"  ---  http://127.0.0.1:{port}/robots.txt",
        f"  access   unreachable: connect: 127.0.0.1 port {port}: Connection refused",
    ]
    assert ran.lines[-1].endswith(("next attempt in 1 min", "next attempt in 0 min"))


def test_host_without_a_scheme_means_https(run: Run) -> None:
    with refusing_port() as port:
        ran = run("fetch", f"127.0.0.1:{port}", *UNKEPT)
    assert ran.lines[0] == f"https://127.0.0.1:{port}/robots.txt: full-disallow"


def test_origins_are_separated_and_fetched_once(run: Run) -> None:
    with sites("rules", "disallow-all") as [one, two]:
        ran = run("fetch", one.origin, two.origin, f"{one.origin}/again", *UNKEPT)
        assert (one.count("/robots.txt"), two.count("/robots.txt")) == (1, 1)
    assert [line for line in ran.lines if line.startswith("http")] == [
        f"{site.origin}/robots.txt: conditional-allow" for site in (one, two, one)
    ]
    assert ran.lines.count("") == 2


def test_cached_file_is_shown_without_a_request(run: Run) -> None:
    with sites("rules") as [site]:
        for count, more in ((1, ()), (1, ()), (1, ("--offline",)), (2, ("--refresh",))):
            ran = run("fetch", site.origin, "--store", "robots.sqlite3", *more)
            assert ran.code == 0
            assert "fresh for 24 h" in ran.out
            assert site.count("/robots.txt") == count


def test_expired_file_is_shown_offline(run: Run) -> None:
    with sites("busy") as [site]:
        run("fetch", site.origin)
        ran = run("fetch", site.origin, "--offline")
    assert ran.code == 1
    assert ran.lines[-2].endswith("Z, next attempt in 2 min")
    assert re.fullmatch(r"  copy     stored copy of 20\S+Z", ran.lines[-1])


def test_offline_with_an_empty_cache(run: Run, site: Site) -> None:
    ran = run("fetch", site.origin, "--offline", *UNKEPT)
    assert ran.code == 1
    assert "  access   unreachable: offline and not cached" in ran.lines
    assert "  fetched  never" in ran.lines
    (row,) = json.loads(run("fetch", site.origin, "--offline", "--format", "json", *UNKEPT).out)
    assert (row["outcome"], row["fetched_at"]) == ("offline", None)
    assert site.requests == []


@pytest.mark.parametrize("policy, effect", [("rfc9309", "full-disallow"), ("yandex", "full-allow")])
def test_policy_of_a_fetch(run: Run, policy: str, effect: str) -> None:
    with sites("busy") as [site]:
        ran = run("fetch", site.origin, *UNKEPT, "--policy", policy)
    assert ran.lines[0] == f"{site.origin}/robots.txt: {effect}"
    assert f"  policy   {policy}, server_error" in ran.lines


@pytest.fixture
def credential_loop() -> Iterator[Site]:
    """A server that redirects its robots.txt to a URL with a password, which redirects to itself."""
    with Site() as site:
        looping = redirect(f"{site.origin.replace('://', '://us:secret@')}/r")
        site.serve("/robots.txt", looping)
        site.serve("/r", looping)
        yield site


@pytest.mark.parametrize("form", ["text", "json", "ndjson"])
@pytest.mark.parametrize("command", ["fetch", "check", "explain", "matrix"])
def test_rfc3986_3_2_1_credentials_of_redirects_are_not_printed(
    run: Run, credential_loop: Site, command: str, form: str
) -> None:
    agent = () if command == "fetch" else ("--agent", "ExampleBot")
    store = ("--store", "robots.sqlite3")
    ran = run(command, credential_loop.origin, *agent, *store, "--format", form, "--verbose")
    assert "redirect loop to http://***@" in ran.out + ran.err
    assert "secret" not in ran.out + ran.err
    for listing in (("list", "--format", "ndjson"), ("export",)):
        listed = run("cache", *listing, *store)
        assert "redirect loop to http://***@" in listed.out
        assert "secret" not in listed.out


FAILING = respond(b"an error", status=500)


ADVICE = (
    "           The site responds with 5xx for missing pages. To read this as 404, pass --policy google2019 "
    "--misconfigured-origin {origin}"
)


@pytest.mark.parametrize(
    "home, missing, lines",
    [
        (200, 500, ["  probe    home page: status 200; a page that cannot exist: status 500", ADVICE]),
        (200, 404, ["  probe    home page: status 200; a page that cannot exist: status 404"]),
        (503, 503, ["  probe    home page: status 503; a page that cannot exist: not requested"]),
    ],
)
def test_google2019_probe_finds_sites_with_5xx_for_missing_pages(
    run: Run, home: int, missing: int, lines: list[str]
) -> None:
    with Site(behaviours={"canfetch": respond(b"missing", status=missing)}) as site:
        site.serve("/robots.txt", FAILING)
        site.serve("/", respond(b"home", status=home))
        ran = run("fetch", site.origin, *UNKEPT, "--probe-missing")
        shown = [line for line in ran.lines if line.startswith(("  probe", "     " * 2))]
        assert shown == [line.format(origin=site.origin) for line in lines]
        (row,) = json.loads(run("fetch", site.origin, *UNKEPT, "--probe-missing", "--format", "json").out)
        assert row["missing_pages"]["home_status"] == home
        # Nothing else is requested unless the user asks for it, or if robots.txt does not fail.
        before = len(site.requests)
        run("fetch", site.origin, *UNKEPT)
        assert len(site.requests) == before + 1
        site.serve("/robots.txt", RULES_BEHAVIOUR)
        assert "probe" not in run("fetch", site.origin, *UNKEPT, "--probe-missing").out
        assert len(site.requests) == before + 2


def test_probe_needs_requests(run: Run) -> None:
    ran = run("fetch", "https://example.com", "--probe-missing", "--offline")
    assert (ran.code, ran.err) == (2, "canfetch: --probe-missing and --offline cannot be used together\n")


@pytest.mark.parametrize(
    "command", [("check", "{}/fish", "--agent", "GPTBot"), ("fetch", "{}")], ids=["check", "fetch"]
)
def test_google2019_misconfigured_origin_is_read_as_404(run: Run, command: tuple[str, ...]) -> None:
    with serving(FAILING) as site:
        arguments = [part.format(site.origin) for part in command]
        assert run(*arguments, *UNKEPT, "--policy", "google2019").code == 1
        listed = ("--misconfigured-origin", f"{site.origin}/any/page")
        assert run(*arguments, *UNKEPT, "--policy", "google2019", *listed).code == 0
        assert run(*arguments, *UNKEPT, *listed).code == 1
        policy = f"google2019+misconfigured_origins=https://other.example,{site.origin}"
        assert run(*arguments, *UNKEPT, "--policy", policy).code == 0
        other = "google2019+misconfigured_origins=https://other.example"
        assert run(*arguments, *UNKEPT, "--policy", other).code == 1
        invalid = run(*arguments, *UNKEPT, "--misconfigured-origin", "no-url")
    assert invalid.code == 2
    assert "no-url" in invalid.err
