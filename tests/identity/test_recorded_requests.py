"""Recorded requests: heads in files, lines of JSON logs, and `canfetch agents verify --request`."""

import io
import json
import time
from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import folder, run
from tests.identity.signers import NOW, Signer
from tests.identity.test_signature_verifier import (
    EVIL,
    GOOD,
    GPTBOT,
    LISTS,
    REAL,
    Directories,
    directories,
    key_set,
    shared,
)
from tests.logs.log_lines import FORMATS, Request
from tests.servers.certificates import Authority

from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.agents import REGISTRY
from canfetch.agents.identity import IdentityStatus
from canfetch.client.identity import IdentityVerifier, parse_request_head
from canfetch.client.identity.directory_urls import parse_directory_url
from canfetch.client.transports import TransportRequest
from canfetch.errors import InvalidOption
from canfetch.logs import CrawlerReport, LogAnalysis, RobotsHistory

__all__ = ["directories", "folder", "run", "shared"]

HEAD = "GET /a HTTP/1.1\r\nHost: example.com\r\n"


def head(headers: list[tuple[str, str]], start: str = HEAD) -> bytes:
    return (start + "".join(f"{name}: {value}\r\n" for name, value in headers)).encode()


@pytest.mark.parametrize(
    "text, expected",
    [
        ("GET /a?b HTTP/1.1\r\nHost: a.example:8443\r\n\r\nHost: b.example", ("https", "a.example:8443", "/a?b")),
        ("GET https://a.example?b\nhost: a.example", ("https", "a.example", "?b")),
        ("GET http://a.example/", ("http", "a.example", "/")),
        ("GET https://a.example/x\nHost: b.example", ("https", "b.example", "https://a.example/x")),
        ("GET /a", ("https", "", "/a")),
        ("GET /a\nHost: a.example\nHost: b.example", ("https", "a.example, b.example", "/a")),
    ],
)
def test_heads(text: str, expected: tuple[str, ...]) -> None:
    assert parse_request_head(text.encode())[1:4] == expected


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "invalid request line ''"),
        ("GET  /a HTTP/1.1", "invalid request line"),
        ("GET /a HTTP/1.1 x", "invalid request line"),
        ("GET /a\nHost: a\n folded", "invalid line 3 ' folded'"),
        ("GET /a\nHost : a", "invalid line 2 'Host : a'"),
        ("GET /a\n: a", "invalid line 2"),
        ("x" * 65_537, "longer than 65,536 bytes"),
    ],
)
def test_invalid_heads(text: str, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        parse_request_head(text.encode())


def test_a_recorded_request_is_verified_at_its_time(directories: Directories) -> None:
    def verify(signer: Signer, url: str, *, named: bool = True, at: float | None = NOW) -> Any:
        signatures = directories.verifier(clock=lambda: NOW + 9e6)
        signed = parse_request_head(head(signer.headers(agent=f'sig1="{url}"')))
        verifier = IdentityVerifier(address_lists=LISTS, dns=False, signatures=signatures, clock=lambda: NOW)
        found = verifier.verify_recorded(
            signed, GPTBOT if named else None, REAL if url != directories.good else None, at
        )
        assert found.signature is not None
        return (found.status, str(found.signature.reason), found.signature.url)

    good, evil = directories.good, directories.evil
    assert verify(GOOD, good) == (IdentityStatus.VERIFIED, "verified", good)
    assert verify(GOOD, good, at=None) == (IdentityStatus.UNDECIDED, "expired", good)
    # Only the directory of the crawler proves that it is one. The address still can.
    assert verify(EVIL, evil) == (IdentityStatus.VERIFIED, "other-directory", evil)
    assert verify(EVIL, evil, named=False) == (IdentityStatus.UNDECIDED, "verified", evil)
    with pytest.raises(InvalidOption, match="requires IdentityVerifier"):
        IdentityVerifier().verify_recorded(parse_request_head(b"GET /"), None)


def signed_line(form: str, headers: list[tuple[str, str]], request: Request) -> str:
    """Return the line of a log that has the fields of a signature."""
    entry = json.loads(FORMATS[form][1](request))
    fields = dict(headers)
    match form:
        case "nginx-json":
            entry |= {f"http_{name.lower().replace('-', '_')}": value for name, value in fields.items()}
        case "caddy":
            entry["request"]["headers"] |= {name: [value] for name, value in fields.items()}
        case "cloudflare":
            entry["RequestHeaders"] = {name.lower(): value for name, value in fields.items()}
        case _:
            entry["http"] = {"request": {"headers": fields}}
    return json.dumps(entry) + "\n"


@pytest.mark.parametrize("form", ["nginx-json", "caddy", "cloudflare", "google-cloud"])
def test_signatures_in_logs(directories: Directories, form: str) -> None:
    verifier = IdentityVerifier(dns=False, signatures=directories.verifier())
    analysis = LogAnalysis(RobotsHistory(), identify_signed=verifier.verify_recorded)
    covered = {'"@authority"': "example.com", '"@method"': "POST", '"@path"': "/a", '"@scheme"': "https"}
    covered |= {'"signature-agent";key="sig1"': f'"{directories.good}"'}
    good = GOOD.headers(covered, agent=f'sig1="{directories.good}"')
    evil = EVIL.headers(agent=f'sig1="{directories.evil}"')
    request = Request("/a", host="example.com", method="POST", at=NOW)
    own = request._replace(user_agent="OwnBot/1.0 (+https://own.example)")
    lines = [signed_line(form, headers, one) for one in (request, own) for headers in (good, evil, [])]
    # The second one is late, the next ones are for another host, and the last one is of another protocol.
    lines.append(signed_line(form, good, request._replace(at=NOW + 900)))
    lines.append(signed_line(form, good, request._replace(host="other.example")))
    # Google Cloud writes the host and the target as one URL.
    other: dict[str, Any] = {"host": "x.example"} if form == "google-cloud" else {"target": "http://other.example/a"}
    lines.append(signed_line(form, good, request._replace(**other)))
    lines.append(signed_line(form, [(name, value.replace("web-bot-auth", "x")) for name, value in good], request))
    fields = {"headers": "http.request.headers"} if form == "google-cloud" else None
    analysis.add_log(io.BytesIO("".join(lines).encode()), fields=fields)

    def shown(report: CrawlerReport) -> Any:
        found = {(one.reason, one.url or one.claimed_url, one.key_id): one.requests for one in report.signatures}
        return report.name, report.identity, report.requests, found

    ours = {("verified", directories.good, GOOD.key_id): 1}
    others: Any = {("other-directory", directories.evil, None): 1, ("expired", directories.good, None): 1}
    # The host is not that of the verifier, or the target is a URL of another one.
    urls: list[str | None] = [directories.good, None if form != "google-cloud" else directories.good]
    others |= Counter(("other-host", url, None) for url in urls)
    assert list(map(shown, analysis.report().crawlers)) == [
        ("GPTBot", None, 6, others),
        ("OwnBot", None, 3, {**ours, ("verified", directories.evil, EVIL.key_id): 1}),
        ("GPTBot", IdentityStatus.VERIFIED, 1, ours),
    ]


def test_signers_in_logs_are_bounded(directories: Directories, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("canfetch.logs.bounded_memory._SIGNERS_LIMIT", 3)
    verifier = IdentityVerifier(dns=False, signatures=directories.verifier())
    analysis = LogAnalysis(RobotsHistory(), identify_signed=verifier.verify_recorded)
    request = Request("/a", "OwnBot/1.0", NOW, host="example.com")
    for number in range(6):
        directories.site.serve(f"/k{number}", key_set(GOOD))
        url = f"https://good.site.test:{directories.site.port}/k{number}"
        line = signed_line("caddy", GOOD.headers(agent=f'sig1="{url}"'), request)
        analysis.add_log(io.BytesIO(line.encode()))
    [crawler] = analysis.report().crawlers
    assert [(one.url is None, one.requests) for one in crawler.signatures] == [(True, 3), *[(False, 1)] * 3]


class Web:
    """A transport with the keys of one URL, and no other server."""

    def __init__(self, url: str, signer: Signer) -> None:
        self.requests: list[str] = []
        self._url = url
        self._body = json.dumps({"keys": [signer.jwk]}).encode()

    def send(self, request: TransportRequest) -> Response | Failure:
        self.requests.append(request.url)
        if request.url == self._url:
            return Response(request.url, 200, (), self._body)
        return Failure(request.url, FailureKind.DNS, "no such name")

    def close(self) -> None:
        pass


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Web:
    registered = next(
        one.verification.key_directories[0] for one in REGISTRY.crawlers if one.verification.key_directories
    )
    web = Web(parse_directory_url(registered).fetched, GOOD)
    monkeypatch.setattr("canfetch.client.transports.http_transport.HTTPTransport", lambda **_: web)
    return web


CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
SIGNED = Request("/a", "OwnBot/1.0", NOW, host="example.com")


def by_agent(url: str, request: Request = SIGNED, signer: Signer = GOOD) -> str:
    return signed_line("nginx-json", signer.headers(agent=f'sig1="{url}"'), request)


def test_the_limit_of_directories_of_logs_is_one_in_all(
    run: Any, folder: Path, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    junk = [by_agent(f"https://junk{number}.example/k") for number in range(130)]
    known = [by_agent(web._url, SIGNED._replace(user_agent=CHROME), signer) for signer in (GOOD, EVIL)]
    (folder / "a.log").write_text("".join([*junk, *known, *junk]))
    # Hours may pass between the lines.
    times = count(NOW, 50.0)
    monkeypatch.setattr(time, "time", lambda: next(times))
    ran = run("logs", "a.log", "--verify-signatures", "--format", "json")
    found = json.loads(ran.out)
    assert web.requests == [*(f"https://junk{number}.example/k" for number in range(100)), web._url]
    [crawler] = found["crawlers"]
    reasons: Counter[str] = Counter()
    for one in crawler["signatures"]:
        reasons[one["reason"]] += one["requests"]
    assert reasons == {"directory-unavailable": 200, "directory-not-requested": 60}
    assert [one["claimed_url"] for one in crawler["signatures"]].count(None) == 2
    assert [(one["reason"], one["url"], one["claimed_url"]) for one in found["other_signatures"]] == [
        ("verified", web._url, None),
        ("key-unknown", None, web._url),
    ]
    assert (found["other_requests"], found["signed_requests"]) == (2, 262)
    assert ran.err.startswith("canfetch: note: 60 signatures not verified, because at most 100 directories that the ")
    assert (" requested: https://junk100.example/k, " in ran.err, ran.err.endswith(", ...\n")) == (True, True)


@pytest.mark.usefixtures("web")
def test_signatures_are_in_all_formats(run: Any, folder: Path, web: Web) -> None:
    hostless = json.loads(by_agent(web._url))
    hostless = {name: value for name, value in hostless.items() if value != "example.com"}
    browser = SIGNED._replace(user_agent=CHROME)
    lines = [
        by_agent(web._url),
        json.dumps(hostless) + "\n",
        by_agent(web._url, browser),
        by_agent("https://x.example/k"),
    ]
    late = by_agent("https://late.example/k", SIGNED._replace(at=NOW + 900))
    (folder / "a.log").write_text("".join([*lines, late]))
    ours = [
        f"1 request signed by the key {GOOD.key_id} of {web._url}",
        "1 signature: host-missing",
        "1 signature that names https://x.example/k: directory-unavailable",
        "1 signature that names https://late.example/k: expired",
    ]
    text = run("logs", "a.log", "--verify-signatures").lines
    assert [line.strip() for line in text[2:6]] == ours
    other = f"Of browsers and others: {ours[0]}"
    assert text[-1] == other
    table = run("logs", "a.log", "--verify-signatures", "--format", "csv").lines
    assert table[1].endswith("," + "; ".join(ours))
    markdown = run("logs", "a.log", "--verify-signatures", "--format", "markdown").lines
    assert [line for line in markdown if line.startswith("- ")] == [f"- `OwnBot`: `{line}`" for line in ours]
    assert markdown[-1] == other


def test_hosts_and_replays_in_logs(run: Any, folder: Path, web: Web) -> None:
    def line(nonce: str | None, host: str = "example.com") -> str:
        headers = GOOD.headers(agent=f'sig1="{web._url}"', nonce=nonce, host=host)
        return signed_line("nginx-json", headers, SIGNED._replace(host=host))

    lines = [line("a"), line("b", "other.example"), line("a"), line(None), line(None), line("c")]
    (folder / "a.log").write_text("".join(lines))
    (folder / "b.log").write_text(line("c"))

    def reasons(*options: str) -> dict[str, int]:
        [crawler] = json.loads(run("logs", "a.log", "b.log", "--verify-signatures", *options, "--format", "json").out)[
            "crawlers"
        ]
        return {one["reason"]: one["requests"] for one in crawler["signatures"]}

    assert reasons() == {"verified": 7}
    assert reasons("--host", "Example.com", "--host", "x.example") == {"verified": 6, "other-host": 1}
    # A signature without a nonce may be used several times.
    assert reasons("--reject-replays") == {"verified": 5, "replayed": 2}
    # The second signature of a request is not accepted after the first one.
    second = GOOD.headers(agent=f'sig1="{web._url}"', nonce="e", label="sig2")
    pair = [*GOOD.headers(agent=f'sig1="{web._url}"', nonce="d"), *second[1:]]
    fields = [(name, ", ".join(value for other, value in pair if other == name)) for name, _ in pair[:3]]
    (folder / "a.log").write_text("".join(signed_line("nginx-json", one, SIGNED) for one in (fields, fields, second)))
    (folder / "b.log").write_text("")
    assert reasons("--reject-replays") == {"verified": 1, "replayed": 2}
    for options, message in (
        (("--host", "example.com"), "--host requires --verify-signatures"),
        (("--reject-replays",), "--reject-replays requires --verify-signatures"),
        (("--verify-signatures", "--host", "/"), "--host: invalid host '/'"),
    ):
        ran = run("logs", "a.log", *options)
        assert (ran.code, message in ran.err) == (2, True), ran.err


@pytest.mark.usefixtures("web")
def test_a_log_without_signatures_is_noted(run: Any, folder: Path) -> None:
    (folder / "a.log").write_text(signed_line("nginx-json", [], SIGNED))
    ran = run("logs", "a.log", "--verify-signatures")
    assert ran.err == "canfetch: note: no line has the field Signature-Input, so no signature was verified\n"
    assert not run("logs", "a.log").err


@pytest.mark.usefixtures("web")
def test_signed_lines_with_bytes_that_are_not_utf_8(run: Any, folder: Path, web: Web) -> None:
    covered = {'"@authority"': "example.com", '"@path"': "/caf\xe9", '"x"': "\xe9"}
    covered['"signature-agent";key="sig1"'] = f'"{web._url}"'
    fields = [*GOOD.headers(covered, agent=f'sig1="{web._url}"'), ("X", "\xe9")]
    line = signed_line("nginx-json", fields, SIGNED._replace(target="/caf\xe9"))
    (folder / "a.log").write_bytes(json.dumps(json.loads(line), ensure_ascii=False).encode("latin-1"))
    ran = run("logs", "a.log", "--verify-signatures", "--format", "json")
    assert json.loads(ran.out)["crawlers"][0]["signatures"][0]["reason"] == "bad-signature"


@pytest.mark.slow
def test_verify_of_a_recorded_request(run: Any, folder: Path, directories: Directories, authority: Authority) -> None:
    url = f"https://127.0.0.1:{directories.site.port}/keys"
    options = ("--allow-private", "--ca-file", str(authority.file), "--no-dns", "--proxy", "none")

    def verify(headers: list[tuple[str, str]], *arguments: str) -> Any:
        (folder / "head.txt").write_bytes(head(headers))
        return run("agents", "verify", "--request", "head.txt", *options, *arguments)

    signed = GOOD.headers(agent=f'sig1="{url}"')
    at = ("--at", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(NOW)))
    ran = verify(signed, *at)
    assert (ran.code, ran.lines) == (
        0,
        [
            "undecided  -                the User-Agent field names no crawler of the registry",
            f"  signature valid: signed by the key {GOOD.key_id} of {url}",
            '  covered: @authority, signature-agent;key="sig1"',
        ],
    )
    [row] = verify([*signed, ("User-Agent", "GPTBot/1.0")], *at, "8.8.8.8", "--format", "json").rows("json")
    assert (row["crawler"], row["address"], row["status"]) == ("GPTBot", "8.8.8.8", "undecided")
    assert (row["signature"]["status"], row["signature"]["url"]) == ("valid", url)
    assert verify([*signed, ("User-Agent", "GPTBot/1.0")], *at).code == 2
    assert verify(EVIL.headers(agent=f'sig1="{url}"'), *at).code == 2
    assert verify(signed).code == 1
    assert verify(signed, *at, "--host", "EXAMPLE.com").code == 0
    ran = verify(signed, *at, "--host", "www.example.com")
    assert (ran.code, ran.lines[1]) == (1, "  signature invalid: example.com is not a host of the site")
    assert verify(GOOD.headers(tag="x"), *at).lines[1] == "  signature absent: no signature has the tag web-bot-auth"
    assert "signature is not signed" not in verify([]).out
    (folder / "own.toml").write_text(
        '[[crawler]]\ntokens = ["OwnBot"]\noperator = "Own"\npurposes = ["research"]\nsource = "https://own.example"\n'
        f'verification = {{ key_directories = ["{url}"] }}\n'
    )
    ran = verify(signed, *at, "OwnBot", "--agents-registry", "own.toml", "--format", "csv")
    assert (ran.code, ran.lines[1].split(",")[:3]) == (0, ["OwnBot", "", "verified"])


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((), "pass NAME and an ADDRESS, or --request FILE"),
        (("GPTBot",), "pass NAME and an ADDRESS, or --request FILE"),
        (("GPTBot", REAL, "--at", "2026-01-01"), "--at requires --request FILE"),
        (("GPTBot", REAL, "--host", "example.com"), "--host requires --request FILE"),
        (("--request", "good.txt", "--host", "/", "--proxy", "none"), "--host: invalid host '/'"),
        (("GPTBot", REAL, REAL, "--request", "head.txt"), "pass at most one ADDRESS"),
        (("--request", "head.txt"), "--request 'head.txt': invalid request line 'x'"),
        (("--request", "nothing.txt"), "cannot read --request 'nothing.txt'"),
    ],
)
def test_invalid_arguments(run: Any, folder: Path, arguments: tuple[str, ...], message: str) -> None:
    (folder / "head.txt").write_text("x")
    (folder / "good.txt").write_text("GET /")
    ran = run("agents", "verify", *arguments)
    assert (ran.code, message in ran.err) == (2, True), ran.err


@pytest.mark.parametrize("is_option", [True, False])
def test_a_proxy_is_refused_once(run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, *, is_option: bool) -> None:
    (folder / "head.txt").write_text("GET https://example.com/")
    proxy = "http://127.0.0.1:9"
    options = ["--proxy", proxy] if is_option else []
    if not is_option:
        monkeypatch.setenv("HTTPS_PROXY", proxy)
    refused = run("agents", "verify", "--request", "head.txt", "--no-dns", *options).refusal
    assert "pass --proxy none to connect directly, or --allow-private" in refused
    for more in ("--proxy=none", "--allow-private"):
        others = [] if more.startswith("--proxy") else options
        assert "is not signed" in run("agents", "verify", "--request", "head.txt", "--no-dns", *others, more).out
