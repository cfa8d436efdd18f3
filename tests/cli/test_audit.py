"""`canfetch audit`: reports of sites on loopback, in each format."""

import asyncio
import gzip
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.audit.sites import HTML, PAGE, publish
from tests.logs.log_lines import GOOGLEBOT, Request, write_log
from tests.servers.dead_ports import refusing_port
from tests.servers.valid import respond
from tests.servers.web import Exchange, Site

Run = Any
QUICK = ("--delay", "0")


def test_a_site_with_a_fault(run: Run) -> None:
    with Site() as site:
        publish(site, {"/fish": respond(PAGE, HTML), "/private/x": respond(PAGE)})
        ran = run("audit", site.origin, *QUICK, "--fail-on", "warning")
        calm = run("audit", f"{site.origin}/page", *QUICK, "--fail-on", "error", "--format", "github")
    assert ran.code == 1
    assert ran.err == "canfetch: 1 site, at most 253 requests each, 0 s apart or as robots.txt states\n"
    assert "  line 2, Disallow: /private/, for Googlebot, bingbot; in " in ran.out
    assert "Training of AI models:" in ran.lines
    assert any(line.startswith("::warning title=canfetch audit%3A listed-blocked::") for line in calm.lines)


def test_an_annotation_for_a_site_without_a_server(run: Run) -> None:
    with refusing_port() as port:
        ran = run("audit", f"http://127.0.0.1:{port}", *QUICK, "--format", "github")
    (line,) = ran.lines
    assert line.startswith("::error title=canfetch audit%3A site-unreachable::")
    assert ran.code == 2


@pytest.mark.parametrize("form, start", [("json", "[{"), ("html", "<!doctype html>")])
def test_reports_are_written_to_files(run: Run, folder: Path, form: str, start: str) -> None:
    with Site() as site:
        publish(site, {"/fish": respond(PAGE, HTML)})
        arguments = ("audit", site.origin, *QUICK, "--format", form, "--output", "report", "--fail-on", "error")
        first, second = run(*arguments), run(*arguments)
    assert (first.out, (folder / "report").read_text()[: len(start)]) == ("", start)
    assert (second.code, "already exists" in second.err) == (2, True)


def test_the_intended_file_and_the_edge(run: Run, folder: Path) -> None:
    (folder / "policy.toml").write_text('[everyone]\ndisallow = ["/other/"]\n')
    with Site() as site:
        publish(site, {})
        ran = run(
            "audit",
            site.origin,
            *QUICK,
            "--source",
            "policy.toml",
            "--edge",
            "GPTBot",
            "--format",
            "json",
            "--sample",
            "0",
        )
    (report,) = ran.rows("json")
    assert ran.code == 1
    assert [answer["crawler"] for answer in report["edge"]] == ["browser", "GPTBot"]
    assert {one["kind"] for one in report["findings"]} >= {"served-differs"}


def test_the_environment_of_a_policy(run: Run, folder: Path) -> None:
    toml = "[environment.production]\nhosts = ['127.0.0.1']\n[environment.staging]\nclosed = true\n"
    (folder / "policy.toml").write_text(toml)
    with Site() as site:
        publish(site, {}, robots="User-agent: *\nDisallow:\n")
        arguments = ("audit", site.origin, *QUICK, "--source", "policy.toml", "--sample", "0", "--format", "json")
        (own,), (staging,) = (run(*arguments, *more).rows("json") for more in ((), ("--environment", "staging")))
        unknown = run(*arguments, "--environment", "stagin")
    assert (own["environment"], staging["environment"]) == ("production", "staging")
    differs = ["served-differs" in {one["kind"] for one in report["findings"]} for report in (own, staging)]
    assert differs == [False, True]
    message = "unknown environment 'stagin' of --source 'policy.toml': did you mean 'staging'?"
    assert (unknown.code, unknown.out, message in unknown.err) == (2, "", True)


def test_a_portfolio_continues_where_it_was_interrupted(run: Run, folder: Path) -> None:
    with Site() as first, Site() as second, refusing_port() as port:
        publish(first, {"/fish": respond(PAGE, HTML)})
        publish(second, {"/fish": respond(PAGE, HTML)})
        closed = f"http://127.0.0.1:{port}"
        (folder / "sites.txt").write_text(f"# sites\n{first.origin}\n\n{closed}\n")
        arguments = (*QUICK, "--work", "work", "--parallel", "2")
        run("audit", "--origins", "sites.txt", *arguments)
        known = len(first.requests)
        ran = run("audit", "--origins", "sites.txt", second.origin, *arguments)
        other = run("audit", first.origin, *arguments, "--sample", "3")
    assert (len(first.requests), len(second.requests) > 0) == (known, True)
    assert ran.lines[-1] == "All 2 sites with a robots.txt have the same rules."
    assert [line.split()[0] for line in ran.lines[-4:-1]] == [closed, second.origin, first.origin]
    assert sorted(path.suffix for path in (folder / "work").iterdir()) == [".json"] * 3
    assert (other.code, "choose another folder" in other.err) == (2, True)


@pytest.mark.parametrize(
    "work, kept",
    [
        (("--work", "audits"), "1 of 2 reports kept in --work 'audits', where the same command continues"),
        ((), "no report was kept: with --work FOLDER, the same command continues"),
    ],
)
def test_an_interrupted_run_prints_what_is_kept(run: Run, work: tuple[str, ...], kept: str) -> None:
    async def interrupt(exchange: Exchange) -> None:  # noqa: ARG001 - the request is not answered
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.Event().wait()

    with Site() as first, Site() as second:
        publish(first, {})
        second.serve("/robots.txt", interrupt, respond(b"", status=404))
        ran = run("audit", first.origin, second.origin, *QUICK, "--parallel", "1", *work)
    assert (ran.code, ran.out) == (130, "")
    assert ran.err.endswith(f"canfetch: interrupted; {kept}\n")


def test_a_long_wait_is_announced(run: Run) -> None:
    async def interrupt(exchange: Exchange) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        await respond(b"", status=404)(exchange)

    with Site() as site:
        publish(
            site,
            dict.fromkeys((f"/{number}" for number in range(200)), interrupt),
            robots="User-agent: *\nCrawl-delay: 0.5\n",
        )
        ran = run("audit", site.origin, "--delay", "0.1", "--sample", "150")
    assert ran.code == 130
    assert (
        f"canfetch: {site.origin} asks for 0.5 s between requests: 150 listed pages take about 2 minutes "
        "(--sample NUMBER requests fewer)\n"
    ) in ran.err


def test_reports_of_the_work_folder_are_dated(run: Run, folder: Path) -> None:
    with Site() as site:
        publish(site, {"/fish": respond(PAGE, HTML)})
        run("audit", site.origin, *QUICK, "--work", "work")
        (file,) = (folder / "work").glob("http*.json")
        report = json.loads(file.read_text()) | {"checked_at": "2026-01-02T03:04:05Z"}
        file.write_text(json.dumps(report))
        known = len(site.requests)
        ran = run("audit", site.origin, "--delay", "0.1", "--work", "work")
        other = run("audit", site.origin, *QUICK, "--work", "work", "--user-agent", "OtherBot/1.0")
    assert ran.err.startswith("canfetch: 1 report of --work 'work' used, the oldest of 2 January 2026, 03:04 UTC\n")
    assert ran.lines[1] == "  audited on 2 January 2026, 03:04 UTC"
    assert len(site.requests) == known
    assert (other.code, "choose another folder" in other.err) == (2, True)


def test_a_damaged_report_is_replaced(run: Run, folder: Path) -> None:
    with Site() as site:
        publish(site, {"/fish": respond(PAGE, HTML)})
        run("audit", site.origin, *QUICK, "--work", "work")
        (file,) = (folder / "work").glob("http*.json")
        file.write_bytes(b"{}")
        ran = run("audit", site.origin, *QUICK, "--work", "work")
    reason = f"is not used: it is not a report of the schema canfetch.audit/1; {site.origin} is audited again\n"
    assert (ran.code, reason in ran.err) == (0, True)
    assert json.loads(file.read_bytes())["origin"] == site.origin


def test_an_unreachable_site_is_audited_again(run: Run, folder: Path) -> None:
    with Site() as site:
        site.serve("/robots.txt", respond(b"", status=503))
        run("audit", site.origin, *QUICK, "--work", "work")
        assert [path.name for path in (folder / "work").iterdir()] == ["settings.json"]
        publish(site, {"/fish": respond(PAGE, HTML)})
        ran = run("audit", site.origin, *QUICK, "--work", "work")
    assert ("used" in ran.err, "cannot be fetched" in ran.out) == (False, False)


def test_the_table_of_a_portfolio_starts_with_the_worst_site(run: Run) -> None:
    with Site() as first, Site() as second:
        publish(first, {})
        publish(second, {}, robots="User-agent: *\nDisallow: /\n")
        text = run("audit", first.origin, second.origin, *QUICK)
        page = run("audit", first.origin, second.origin, *QUICK, "--format", "html").out
    assert [line.split()[0] for line in text.lines[-3:-1]] == [second.origin, first.origin]
    assert text.lines[-3].endswith("Search engines may fetch nothing.")
    assert text.lines[-1] == "Each of 2 sites has rules of its own."
    links = [f'<a class="long" href="#site-{number}">{site.origin}</a>' for number, site in ((1, second), (0, first))]
    assert 0 < page.index(links[0]) < page.index(links[1])
    assert '<td data-head="Main finding">Search engines may fetch nothing.</td>' in page
    assert "<p>1 site with errors; 1 site without errors and warnings.</p>" in page


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((), "no site: pass an origin"),
        (("nonsense:x",), "invalid origin"),
        (("ftp://example.com",), "invalid origin 'ftp://example.com'"),
        (("--origins", "sites.txt"), "sites.txt:2: invalid origin 'ftp://example.com'"),
        (("example.com", "--host", "ftp://example.com"), "--host: invalid origin"),
        (("example.com", "--sample", "some"), "is not a number of pages or 'all'"),
        (
            ("example.com", "--edge", "GTPBot"),
            "--edge: unknown crawler 'GTPBot': did you mean 'GPTBot'? (run 'canfetch",
        ),
        (("example.com", "--environment", "staging"), "--environment requires --source with a policy (.toml)"),
        (("example.com", "--delay", "nan"), "invalid --delay nan: expected 0 to 60 seconds"),
        (("example.com", "--ca-file", "missing.pem"), "cannot read --ca-file 'missing.pem'"),
        (("example.com", "--client-cert", "missing.pem"), "cannot read --client-cert 'missing.pem'"),
        (("example.com", "--proxy", "foo:bar"), "--proxy: invalid proxy 'foo:bar'"),
        (("example.com", "--force"), "--force requires --output FILE"),
        (("example.com", "--work", ""), "invalid --work '': expected the name of a folder"),
        (("example.com", "--source", "missing.txt"), "cannot read --source 'missing.txt'"),
        (("example.com", "--source", "bad.toml"), "--source 'bad.toml': "),
        (("example.com", "--source", "policy.conf"), "--source 'policy.conf' is a policy in TOML: its name has to end"),
    ],
)
def test_mistakes_are_errors(run: Run, folder: Path, arguments: tuple[str, ...], message: str) -> None:
    (folder / "sites.txt").write_text("example.com # the shop\nftp://example.com # files\n")
    (folder / "bad.toml").write_text("[everyone]\nnonsense = 1\n")
    (folder / "policy.conf").write_text("[everyone]\nfetch = 'none'\n")
    ran = run("audit", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n"), message in ran.err) == (2, "", 1, True), ran.err


def test_origins_of_standard_input_and_what_is_ignored_of_them(run: Run) -> None:
    with Site() as site:
        publish(site, {})
        lines = f"# sites\n{site.origin}/page?query # the shop\n\n{site.origin.replace('//', '//me:secret@')}\n"
        ran = run("audit", "--origins", "-", *QUICK, stdin=lines)
    ignored = f"canfetch: the whole site is audited, without the path or the credentials of the URL: {site.origin}\n"
    assert ran.err.startswith(f"{ignored}canfetch: 1 site, at most ")
    assert "secret" not in ran.err + ran.out


def test_json_has_every_number(run: Run) -> None:
    with Site() as site:
        publish(site, {"/fish": respond(PAGE, HTML)})
        (report,) = json.loads(run("audit", site.origin, *QUICK, "--sample", "all", "--format", "json").out)
    assert report["schema"] == "canfetch.audit/1"
    assert report["listed"] == {"sitemaps": 1, "urls": 1, "requested": 1, "disallowed": 0}
    assert report["requests"] <= report["max_requests"]


def test_logs_and_skip_reports_of_a_crawl(run: Run, folder: Path) -> None:
    requests = [Request("/robots.txt"), Request("/private/a"), Request("/private/a", GOOGLEBOT, client="192.0.2.9")]
    (folder / "access.log.gz").write_bytes(gzip.compress(write_log(requests)))
    (folder / "gptbot.log").write_bytes(write_log([Request("/private/b")]))
    (folder / "history").mkdir()
    (folder / "history" / "2026-01-01.txt").write_text("User-agent: GPTBot\nDisallow: /private/a\n")
    with Site() as site:
        publish(site, {})
        page = {"url": f"{site.origin}/fish", "reason": "robotsTxt"}
        (folder / "skippedPages.jsonl").write_text(json.dumps(page))
        arguments = ("audit", site.origin, *QUICK, "--sample", "0", "--log", "access.log.gz", "--log", "gptbot.log")
        ran = run(*arguments, "--skip-report", "skippedPages.jsonl", "--skip-agent", "FishBot", "--format", "json")
        then = run(*arguments, "--history", "history", "--format", "json")
        piped = run("audit", site.origin, *QUICK, "--sample", "0", "--log", "-", stdin=write_log(requests))
    (report,) = ran.rows("json")
    found = {(one["kind"], one["message"].partition(" (")[0].partition(":")[0]) for one in report["findings"]}
    assert found >= {
        ("crawler-disobeys", "GPTBot"),
        ("crawler-disobeys", "Googlebot"),
        ("crawler-unread-rules", "Googlebot"),
        ("skipped-allowed", "a crawl without a name"),
    }
    assert (report["logs"]["number"], report["logs"]["lines"], report["skips"]["differing"]) == (2, 4, 1)
    assert "(taken for FishBot)" in ran.out
    (older,) = then.rows("json")
    assert [one["message"][:21] for one in older["findings"] if one["kind"] == "crawler-disobeys"] == [
        "GPTBot (by name, not "
    ]
    assert "1 of 3 requests for URLs that the robots.txt of that time disallows" in then.out
    assert "Access logs: 3 lines in 1 log" in piped.out
    assert ran.code == then.code == piped.code == 1


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--log", "missing"), "cannot read --log 'missing': no such file"),
        (("--skip-report", "."), "cannot read --skip-report '.': is a directory, expected a file"),
        (("--log", "-", "--skip-report", "-"), "standard input can be read only once"),
        (("--log", "a", "example.org"), "--log and --skip-report require a single site"),
        (("--skip-report", "a", "--work", "w"), "--log and --skip-report cannot be used with --work"),
        (("--history", "h"), "--history requires --log FILE"),
        (("--verify-dns",), "--verify-dns requires --log FILE"),
        (("--verify-signatures",), "--verify-signatures requires --log FILE"),
        (("--log", "a", "--reject-replays"), "--reject-replays requires --verify-signatures"),
        (("--log", "a", "--history", "missing"), "cannot read --history 'missing': no such directory"),
        (("--log", "a", "--field", "x=y"), "invalid --field 'x=y': expected FIELD=NAME"),
        (("--log", "a", "--log-format", "w3c", "--field", "time=t"), "names of fields are only for logs in JSON"),
        (("--log", "a", "--addresses", "missing"), "cannot read --addresses 'missing'"),
        (("--skip-report", "a", "--skip-agent", "a,b"), "--skip-agent: invalid agent 'a,b'"),
    ],
)
def test_options_of_records_are_checked_before_a_request(
    run: Run, folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    (folder / "a").touch()
    with Site() as site:
        ran = run("audit", site.origin, *QUICK, *arguments)
    assert (ran.code, message in ran.err) == (2, True), ran.err
    assert site.requests == []
