"""`canfetch logs`: the outputs, the sources of rules, and errors."""

import gzip
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.logs.log_lines import DAY, FIREFOX, GOOGLEBOT, GPTBOT, NOON, Request, write_log
from tests.servers.valid import respond
from tests.servers.web import Site

from canfetch.cli.shared.markdown import markdown_code
from canfetch.client.stores.sqlite import SQLiteStore

Run = Any
REQUESTS = [
    Request("/robots.txt"),
    Request("/shop/cart", at=NOON + 1),
    Request("/shop/fish", at=NOON + 2),
    Request("/private/x", GOOGLEBOT, NOON + 3, "192.0.2.8"),
    Request("/", FIREFOX, NOON + 4),
]
TEXT = """\
CRAWLER    OPERATOR  REQUESTS  ROBOTS.TXT  DISALLOWED  OBEYED  DELAYS KEPT  ADDRESSES
GPTBot     OpenAI           3           1           1  66.7 %            -          1
  fetched /shop/cart, which line 7 disallows
Googlebot  Google           1           0           0   100 %            -          1

5 lines from 2026-11-22T12:00:00Z to 2026-11-22T12:00:04Z: 4 requests of crawlers, 1 of browsers and others, \
0 that are not for a URL, 0 lines that cannot be read
"""


@pytest.fixture
def log(folder: Path) -> str:
    (folder / "access.log").write_bytes(write_log(REQUESTS))
    return "access.log"


def test_text(run: Run, log: str) -> None:
    assert run("logs", log, "--robots", "robots.txt") == (0, TEXT, "")


def test_several_compressed_logs_and_standard_input(run: Run, folder: Path) -> None:
    (folder / "1.gz").write_bytes(gzip.compress(write_log(REQUESTS[:2])))
    (folder / "2.json").write_bytes(write_log(REQUESTS[2:4], "cloudflare"))
    ran = run("logs", "1.gz", "2.json", "-", "--robots", "robots.txt", stdin=write_log(REQUESTS[4:], "vhost"))
    assert ran == (0, TEXT, "")


@pytest.mark.parametrize("form", ["json", "ndjson", "csv", "markdown"])
def test_other_formats(run: Run, log: str, form: str) -> None:
    ran = run("logs", log, "--robots", "robots.txt", "--format", form)
    assert (ran.code, ran.err) == (0, "")
    if form == "json":
        report = json.loads(ran.out)
        assert (report["lines"], report["other_requests"], report["truncated"]) == (5, 1, False)
        assert (report["first"], report["last"]) == ("2026-11-22T12:00:00Z", "2026-11-22T12:00:04Z")
        rows = report["crawlers"]
    elif form == "ndjson":
        rows = ran.rows()
    else:
        separator = "," if form == "csv" else " | "
        cells = [line.strip("| ").split(separator) for line in ran.lines]
        assert cells[0][0].lower() in {"name", "crawler"}
        assert ("GPTBot" if form == "csv" else "`GPTBot`") in (cells[1][0], cells[2][0])
        return
    assert rows[0]["schema"] == "canfetch.logs/1"
    assert rows[0]["examples"] == [{"target": "/shop/cart", "line": 7}]
    assert (rows[0]["first"], rows[0]["last"]) == ("2026-11-22T12:00:00Z", "2026-11-22T12:00:02Z")
    assert rows[0]["disallow_compliance"] == pytest.approx(2 / 3)
    assert rows[1]["identity"] is None


@pytest.mark.parametrize("name", ["A<!--bot", "A<plaintext>bot", "a![x][y]bot", "a``bot`", "a@bot", "www.bot|a"])
def test_names_of_clients_are_code_in_markdown(run: Run, folder: Path, name: str) -> None:
    (folder / "access.log").write_bytes(write_log([Request("/a", f"{name}/1.0"), Request("/a", GPTBOT, NOON + 1)]))
    lines = run("logs", "access.log", "--format", "markdown").lines
    cells = {line.split(" | ", 1)[0] for line in lines[2:4]}
    assert cells == {"| `GPTBot`", f"| {markdown_code(name)}"}


def test_only_some_crawlers_are_shown(run: Run, log: str) -> None:
    ran = run("logs", log, "--crawler", "googlebot")
    assert ran.lines[-1].startswith("5 lines from ")
    assert ": 4 requests of crawlers, 1 of browsers" in ran.lines[-1]
    ran = run("logs", log, "--crawler", "googlebot", "--format", "ndjson")
    [row] = ran.rows()
    assert (row["name"], row["judged_requests"], row["disallow_compliance"]) == ("Googlebot", 0, None)


def test_history(run: Run, folder: Path) -> None:
    (folder / "history").mkdir()
    (folder / "history" / "2026-11-01.txt").write_bytes(b"User-agent: *\nDisallow:\n")
    (folder / "history" / "2026-11-23.txt").write_bytes(b"User-agent: *\nDisallow: /\n")
    requests = [Request("/a", at=NOON + days * DAY) for days in range(5)]
    (folder / "access.log").write_bytes(write_log(requests))

    def disallowed(*options: str) -> int:
        ran = run("logs", "access.log", "--history", "history", "--format", "json", *options)
        count: int = json.loads(ran.out)["crawlers"][0]["disallowed_requests"]
        return count

    assert disallowed() == 3
    assert disallowed("--grace", "0") == 4
    assert disallowed("--grace", "48") == 2


def test_store(run: Run, folder: Path, site: Site) -> None:
    site.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /a\n"))
    assert run("check", f"{site.origin}/", "--agent", "GPTBot", "--store", "files.sqlite3").code == 0
    host = site.origin.removeprefix("http://")
    requests = [Request("/a", host=host), Request("/a", host="other.example")]
    (folder / "access.log").write_bytes(write_log(requests, "cloudflare"))
    ran = run("logs", "access.log", "--store", "files.sqlite3", "--format", "ndjson")
    row = json.loads(ran.out)
    assert (row["judged_requests"], row["disallowed_requests"]) == (1, 1)


def test_an_origin_in_a_store_that_is_no_longer_valid_is_skipped(run: Run, folder: Path, log: str, site: Site) -> None:
    site.serve("/robots.txt", respond(b"User-agent: *\nDisallow: /a\n"))
    assert run("check", f"{site.origin}/", "--agent", "GPTBot", "--store", "files.sqlite3").code == 0
    with closing(SQLiteStore(folder / "files.sqlite3")) as store:
        entry = store.get(site.origin)
        assert entry is not None
        store.put(entry._replace(origin="http://[::1%25a..b]"))

    ran = run("logs", log, "--store", "files.sqlite3")
    assert ran.code == 0
    assert "'http://[::1%25a..b]' in the store is not the origin of a URL; it is skipped" in ran.err


def test_published_addresses_find_impostors(run: Run, folder: Path) -> None:
    found = run("agents", "show", "GPTBot", "--format", "json")
    [url] = json.loads(found.out)[0]["verification"]["address_lists"]
    own = {"url": url, "fetched_at": "2126-11-22T00:00:00Z", "prefixes": ["198.51.100.0/24"]}
    lists = {"schema": "canfetch.address-lists/1", "lists": [own]}
    (folder / "addresses.json").write_text(json.dumps(lists), encoding="utf-8")
    requests = [Request("/a", client="8.8.8.8"), Request("/a", GPTBOT)]
    (folder / "access.log").write_bytes(write_log(requests))
    ran = run("logs", "access.log", "--addresses", "addresses.json")
    assert ran.code == 0, ran.err
    assert [line.split("  ")[0] for line in ran.lines[1:3]] == ["GPTBot (impostor)", "GPTBot"]


@pytest.mark.slow
@pytest.mark.parametrize("suffix, start", [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_plot(run: Run, folder: Path, log: str, suffix: str, start: bytes) -> None:
    pytest.importorskip("matplotlib")
    name = f"plot.{suffix}"
    assert run("logs", log, "--robots", "robots.txt", "--plot", name) == (0, TEXT, "")
    assert (folder / name).read_bytes().startswith(start)
    again = run("logs", log, "--plot", name)
    assert again == (2, "", f"canfetch: --plot '{name}' already exists: pass --force to replace it\n")


def test_bad_lines_are_warnings(run: Run, folder: Path) -> None:
    (folder / "access.log").write_bytes(write_log(REQUESTS[:1]) + b"nonsense \x1b[1m\n" * 12)
    ran = run("logs", "access.log")
    assert ran.code == 0
    assert ran.err.splitlines()[0] == ("canfetch: warning: access.log:2: not a line of an access log: nonsense %1B[1m")
    assert ran.err.splitlines()[10:] == ["canfetch: warning: 2 more lines cannot be read"]


def test_file_that_is_not_a_log_is_an_error(run: Run, folder: Path) -> None:
    (folder / "access.log").write_bytes(b"nonsense\n" * 2)
    ran = run("logs", "access.log")
    assert ran.code == 2
    assert ran.err.splitlines()[-1] == "canfetch: no line of an access log in 'access.log': see --log-format"
    # The log of a day without requests is empty, or has only a header.
    for content in (b"", b"#Version: 1.0\n#Fields: date time c-ip cs-method cs-uri-stem\n"):
        (folder / "access.log").write_bytes(content)
        assert (run("logs", "access.log").code, run("logs", "access.log").err) == (0, "")


def test_unknown_crawler_is_noted(run: Run, log: str) -> None:
    ran = run("logs", log, "--crawler", "Gogglebot", "--crawler", "GPTBot", "--crawler", "no token")
    assert (ran.code, ran.err) == (0, "canfetch: note: unknown crawler 'Gogglebot': did you mean 'Googlebot'?\n")


def test_log_that_cannot_be_read_costs_only_itself(run: Run, folder: Path, log: str) -> None:
    (folder / "cut.gz").write_bytes(gzip.compress(write_log(REQUESTS * 2_000))[:-400])
    ran = run("logs", "missing.log", "cut.gz", log, "--robots", "robots.txt", "--format", "json")
    assert ran.code == 2
    assert [line.partition(": ")[2][:30] for line in ran.err.splitlines()] == [
        "cannot read 'missing.log': no ",
        "cannot read 'cut.gz' to its en",
    ]
    assert json.loads(ran.out)["lines"] > 1_000


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--robots", "robots.txt", "--history", "."), "--robots and --history cannot be used together"),
        (("--history", "nowhere"), "cannot read --history 'nowhere': no such directory"),
        (("--history", "."), "--history: no date in the name of 'robots.txt': expected a name such as 2026-05-01.txt"),
        (("--robots", "-", "-"), "standard input can be read only once"),
        (("--field", "when=t"), "invalid --field 'when=t': expected FIELD=NAME, with one of time, client"),
        (("--field", "time=t", "--log-format", "w3c"), "names of fields are only for logs in JSON"),
        (("--plot", "plot.bmp"), "invalid --plot 'plot.bmp': expected a name that ends in .png, .svg or .pdf"),
        (("--store", "nowhere.sqlite3"), "--store 'nowhere.sqlite3' does not exist"),
        (
            ("--addresses", "nowhere.json"),
            "cannot read --addresses 'nowhere.json': no such file; 'canfetch agents refresh nowhere.json' creates it",
        ),
        (("--addresses", "robots.txt"), "invalid --addresses 'robots.txt': "),
        (("--log-format", "apache"), "invalid value for '--log-format'"),
    ],
)
def test_invalid_options(run: Run, log: str, arguments: tuple[str, ...], message: str) -> None:
    ran = run("logs", log, *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert message in ran.err
