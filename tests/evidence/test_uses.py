"""Answers about uses are recorded with their sources, and verification computes them again."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.client.either import EitherClient
from tests.client.test_may_use import NOW, ORIGIN, RESERVED, ROBOTS_URL, TDM_URL, Answers, Web, moved, ok
from tests.evidence.segments import VERDICT, verify_segment
from tests.json_lines import read_json_lines

import canfetch
from canfetch.access.responses import Failure, FailureKind, Response
from canfetch.client.documents import run_steps
from canfetch.client.evidence import EvidenceRecorder, SegmentReport, verify_folder
from canfetch.client.evidence.chain import CONTENT_FOLDER, INITIAL_HASH, encode_record, hash_line
from canfetch.client.evidence.seals import sealed_record
from canfetch.client.evidence.use_records import find_use_problem
from canfetch.client.sync_client import Client
from canfetch.client.use import RequestTimeStep, UseQuestion, UseReading, answer_use, fetch_use
from canfetch.consent import MissingSource, PageResponse, SourceState
from canfetch.core.agent import Agent

pytest.importorskip("lxml", reason="lxml is not installed")

LICENSE_URL = f"{ORIGIN}/license.xml"
LICENSE = (
    b'<rsl xmlns="https://rslstandard.org/rsl"><content url="/">'
    b'<license><permits type="usage">search</permits></license></content></rsl>'
)
RULES = b"User-agent: *\nDisallow: /private/\nContent-Signal: search=yes\n"
HTML = '<html><meta name="robots" content="noai"><p>Fish'
PAGE = PageResponse(200, {"Content-Type": "text/html", "Set-Cookie": "id=secret", "X-Robots-Tag": "noindex"}, HTML)
SITE: Answers = {ROBOTS_URL: ok(RULES), TDM_URL: ok(RESERVED)}


def perform(client: Client, clock: Callable[[], float], step: Any) -> Any:
    """Perform a step of an answer, of which the client performs all but the time of the page."""
    return clock() if isinstance(step, RequestTimeStep) else client._perform_step((), step)


def record_uses(
    folder: Path, answers: Answers, url: str, *, store_content: bool = True, **options: Any
) -> tuple[canfetch.UseVerdict, SegmentReport, dict[str, Any]]:
    """Ask a client that records, and return the answer, the report on the segment, and the line of the answer."""
    web = Web(answers)
    with (
        EvidenceRecorder(folder, store_content=store_content, clock=web.clock) as recorder,
        Client(user_agent="ExampleBot/1.0", transport=web, clock=web.clock, evidence=recorder) as client,
    ):
        verdict = client.may_use(url, **{"purpose": "training", **options})
    (line,) = (line for line in read_json_lines(recorder.path) if "use" in line)
    return verdict, verify_segment(recorder.path), line


@pytest.mark.parametrize(
    "answers, url, options",
    [
        (SITE, f"{ORIGIN}/paid/x", {}),
        (SITE, f"{ORIGIN}/private/x", {"purpose": "search", "agent": Agent(["AdsBot-Google"], star_applies=False)}),
        (SITE, f"{ORIGIN}/x", {"response": PAGE}),
        (SITE, f"{ORIGIN}/x", {"response": PageResponse(200, None, HTML.encode())}),
        (SITE, f"{ORIGIN}/x", {"response": PageResponse(200, [(b"TDM-Reservation", b"1")])}),
        (SITE, f"{ORIGIN}/x", {"response": PageResponse(200, {"Content-Type": "application/pdf"}, HTML)}),
        # A str is UTF-8, whatever it declares; a byte that is not UTF-8 survives.
        (SITE, f"{ORIGIN}/\udcff", {"response": PageResponse(200, None, '<meta charset="utf-16">\udcff')}),
        (SITE, f"{ORIGIN}/x", {"response": PageResponse(200, (), "x" * (2 << 20) + HTML)}),
        (SITE, f"{ORIGIN}/x", {"response": PageResponse(402, {"Crawler-Price": "USD 1"}, "secret")}),
        (SITE, f"{ORIGIN}/x", {"response": PageResponse(500, {"X-Robots-Tag": "noai"}, HTML)}),
        ({}, f"{ORIGIN}/x", {}),
        ({ROBOTS_URL: Response("", 503, (), b"")}, f"{ORIGIN}/x", {}),
        ({ROBOTS_URL: ok(b"User-agent: *\nDisallow: /.well-known/\n")}, f"{ORIGIN}/x", {}),
        ({**SITE, TDM_URL: ok(b"<html>")}, f"{ORIGIN}/x", {}),
        ({ROBOTS_URL: ok(RULES + b"License: /license.xml\n"), LICENSE_URL: ok(LICENSE)}, f"{ORIGIN}/x", {}),
        ({ROBOTS_URL: ok(RULES + b"License: /license.xml\n")}, f"{ORIGIN}/x", {}),
        (
            {TDM_URL: moved("https://other.example/tdm.json"), "https://other.example/tdm.json": ok(RESERVED)},
            f"{ORIGIN}/paid/x",
            {},
        ),
        # Over the limit of bytes.
        ({ROBOTS_URL: ok(RULES + b"#" * 600_000)}, f"{ORIGIN}/x", {}),
        ({ROBOTS_URL: ok(b"\xff\xfe" + RULES.decode().encode("utf-16-le"))}, f"{ORIGIN}/private/", {}),
    ],
)
def test_an_answer_is_recorded_and_computed_again(
    tmp_path: Path, answers: Answers, url: str, options: dict[str, Any]
) -> None:
    verdict, report, line = record_uses(tmp_path, answers, url, **options)
    assert line["use"] == json.loads(json.dumps(verdict.to_json()))
    assert report.problem is None
    assert (report.valid, report.uses, report.recomputed_uses) == (True, 1, 1)


def test_answers_of_versions_with_other_words_are_valid(tmp_path: Path) -> None:
    _, _, line = record_uses(tmp_path, SITE, f"{ORIGIN}/x", response=PAGE)

    def problem(wording: int | None, **changes: Any) -> str | None:
        record = {**line, "use": {**line["use"], **changes}, "wording": wording}
        return find_use_problem(record, lambda sha256: (tmp_path / CONTENT_FOLDER / sha256).read_bytes())

    statements = [{**one, "note": "other words"} for one in line["use"]["statements"]]
    assert problem(line["wording"]) is None
    assert "'explanation' is 'other words'" in str(problem(line["wording"], explanation="other words"))
    for wording in (None, 1, 2):
        assert problem(wording, explanation="other words", statements=statements) is None
        assert "'allowed' is True" in str(problem(wording, allowed=True))
        assert "'statements'" in str(problem(wording, statements=statements[:-1]))


def test_the_record_names_each_source_and_how_robots_txt_was_fetched(tmp_path: Path) -> None:
    _, _, line = record_uses(tmp_path, SITE, f"{ORIGIN}/paid/x", response=PAGE)
    (reading,) = line["readings"]
    robots = reading["robots"]
    assert (robots["state"], robots["profile"], robots["fetch"]["status"]) == ("read", "rfc9309", 200)
    assert robots["sha256"] == robots["fetch"]["copy"]["sha256"]
    assert (tmp_path / CONTENT_FOLDER / robots["sha256"]).read_bytes() == RULES
    assert (tmp_path / CONTENT_FOLDER / reading["tdm"]["sha256"]).read_bytes() == RESERVED
    assert (tmp_path / CONTENT_FOLDER / reading["response"]["sha256"]).read_text() == HTML
    # Other headers are not read, and a cookie is a secret.
    assert reading["response"]["headers"] == [["content-type", "text/html"], ["x-robots-tag", "noindex"]]
    assert line["question"] == {
        "purpose": "training",
        "agent": {"tokens": ["ExampleBot"], "star_applies": True},
        "now": NOW,
    }


def test_sources_that_were_not_read_are_recorded_by_name(tmp_path: Path) -> None:
    _, _, line = record_uses(tmp_path, {ROBOTS_URL: Response("", 503, (), b"")}, f"{ORIGIN}/x")
    (reading,) = line["readings"]
    assert reading["response"] == {"state": "not-read", "detail": ""}
    assert reading["tdm"] == {"state": "unreachable", "detail": "robots.txt is unreachable"}
    assert (reading["robots"]["state"], reading["robots"]["fetch"]["status"]) == ("unreachable", 503)


def test_the_sites_on_the_way_to_the_content_are_recorded(tmp_path: Path) -> None:
    web = Web(
        {
            ROBOTS_URL: ok(b"User-agent: *\nContent-Signal: ai-train=no\n"),
            f"{ORIGIN}/x": moved("https://other.example/y"),
            "https://other.example/y": Response("", 200, (("Content-Type", "text/html"),), HTML.encode()),
        }
    )
    question = UseQuestion("training", Agent("ExampleBot"), NOW)
    with (
        EvidenceRecorder(tmp_path, store_content=True) as recorder,
        Client(user_agent="ExampleBot/1.0", transport=web, clock=web.clock) as client,
    ):
        steps = fetch_use(f"{ORIGIN}/x", question, max_bytes=1000)
        answered = run_steps(steps, partial(perform, client, web.clock))
        recorder.record_use(answered)
    assert [reading.url for reading in answered.readings] == [f"{ORIGIN}/x", "https://other.example/y"]
    assert [one.kind for one in answered.verdict.decided_by] == ["page-directive", "content-signal"]
    headers = [one for one in answered.verdict.sources if one.name == "headers"]
    assert [one.requested_at for one in headers] == [web.clock(), web.clock()]
    report = verify_segment(recorder.path)
    assert (report.valid, report.recomputed_uses) == (True, 1)


def test_responses_in_a_loop_of_redirects_are_told_apart(tmp_path: Path) -> None:
    host = ORIGIN.removeprefix("https://")
    url, redacted = f"https://user:secret@{host}/x", f"https://***@{host}/x"
    web = Web({url: moved(url)})
    question = UseQuestion("training", Agent("ExampleBot"), NOW)
    with (
        EvidenceRecorder(tmp_path, store_content=True) as recorder,
        Client(user_agent="ExampleBot/1.0", transport=web, clock=web.clock) as client,
    ):
        answered = run_steps(fetch_use(url, question, max_bytes=1000), partial(perform, client, web.clock))
        recorder.record_use(answered)
    headers = [(one.url, str(one.state)) for one in answered.verdict.sources if one.name == "headers"]
    assert headers == [(redacted, "unreachable"), (redacted, "read")]
    assert verify_segment(recorder.path).recomputed_uses == 1
    (line,) = (line for line in read_json_lines(recorder.path) if "use" in line)
    for source in line["use"]["sources"]:
        source["url"] = None
    assert "'sources'" in str(find_use_problem(line, lambda _: b""))
    # Earlier versions did not state these URLs.
    assert find_use_problem({**line, "wording": 2}, lambda _: b"") is None


STATED_HEADERS = {"x-robots-tag": "noai", "tdm-reservation": "1", "content-usage": "train-ai=n"}


@pytest.mark.parametrize("target", ["/q", "https://other.example/q"])
@pytest.mark.parametrize("is_reached", [True, False])
def test_statements_in_the_headers_of_a_redirect_count_and_are_recorded(
    tmp_path: Path, target: str, *, is_reached: bool
) -> None:
    redirect = Response("", 302, (("Location", target), *STATED_HEADERS.items()), b"")
    content = ok(b"x") if is_reached else Failure("", FailureKind.TIMEOUT, "30 s")
    web = Web({f"{ORIGIN}/p": redirect, f"{ORIGIN}/q": content, "https://other.example/q": content})
    question = UseQuestion("training", Agent("ExampleBot"), NOW)
    with (
        EvidenceRecorder(tmp_path, store_content=True) as recorder,
        Client(user_agent="ExampleBot/1.0", transport=web, clock=web.clock) as client,
    ):
        answered = run_steps(fetch_use(f"{ORIGIN}/p", question, max_bytes=1000), partial(perform, client, web.clock))
        recorder.record_use(answered)
    assert answered.verdict.allowed is False
    places = {f"{name.title().replace('Tdm-R', 'tdm-r')} header" for name in STATED_HEADERS}
    assert {
        one.place.removesuffix(f" of {ORIGIN}/p").removesuffix(" 1") for one in answered.verdict.decided_by
    } == places
    (line,) = (line for line in read_json_lines(recorder.path) if "use" in line)
    assert dict(line["readings"][0]["response"]["headers"]) == STATED_HEADERS
    report = verify_segment(recorder.path)
    assert (report.valid, report.recomputed_uses) == (True, 1)


def test_an_asynchronous_client_records_answers(tmp_path: Path) -> None:
    web = Web(SITE)
    with (
        EvidenceRecorder(tmp_path, store_content=True) as recorder,
        EitherClient("async", web, clock=web.clock, evidence=recorder) as client,
    ):
        client.may_use(f"{ORIGIN}/x", purpose="training")
    assert verify_segment(recorder.path).recomputed_uses == 1


def test_rfc3986_3_2_1_credentials_are_not_recorded(tmp_path: Path) -> None:
    link = {"Link": '<l.xml>; rel="license"; type="application/rsl+xml"', "Content-Type": "text/html"}
    answers = {**SITE, f"{ORIGIN}/l.xml": ok(LICENSE)}
    page = PageResponse(200, link, HTML)
    verdict, report, line = record_uses(tmp_path, answers, "https://user:secret@example.com/x", response=page)
    assert "secret" not in json.dumps(line)
    assert line["url"] == "https://***@example.com/x"
    assert (line["use"]["allowed"], verdict.allowed) == (False, False)
    assert len(line["use"]["statements"]) == len(verdict.statements)
    assert (report.valid, report.recomputed_uses) == (True, 1)


def test_rfc3986_3_2_1_credentials_in_the_url_of_a_license_are_not_recorded(tmp_path: Path) -> None:
    question, missing = UseQuestion("training", Agent("ExampleBot"), NOW), MissingSource(SourceState.NOT_READ)
    licenses = {"https://user:secret@example.com/l.xml": LICENSE}
    answered = answer_use(question, [UseReading("/x", missing, missing, missing, licenses)])
    with EvidenceRecorder(tmp_path, store_content=True) as recorder:
        recorder.record_use(answered)
    assert b"secret" not in recorder.path.read_bytes()
    assert answered.verdict.allowed is False
    assert verify_segment(recorder.path).recomputed_uses == 1


@pytest.mark.parametrize("target", ["https://user:secret@example.com/l.xml", "//user:secret@example.com/l.xml"])
@pytest.mark.parametrize("store_content", [True, False])
def test_rfc3986_3_2_1_credentials_in_a_link_header_are_not_recorded(
    tmp_path: Path, target: str, *, store_content: bool
) -> None:
    link = f'<https://a.example>; rel="next",<{target}>; rel="license"; type="application/rsl+xml"'
    answers = {**SITE, f"{ORIGIN}/l.xml": ok(LICENSE)}
    verdict, report, line = record_uses(
        tmp_path, answers, f"{ORIGIN}/x", store_content=store_content, response=PageResponse(200, {"Link": link})
    )
    assert "secret" not in json.dumps(line)
    ((_, recorded),) = line["readings"][0]["response"]["headers"]
    assert recorded == link.replace("user:secret", "***")
    assert [one["detail"].replace("***@", "") for one in line["use"]["sources"] if one["name"] == "license"] == [
        f"{ORIGIN}/l.xml"
    ]
    assert line["use"]["allowed"] is verdict.allowed is False
    assert (report.valid, report.recomputed_uses) == (True, int(store_content))


@pytest.mark.parametrize("store_content", [True, False])
def test_a_copy_that_is_not_the_robots_txt_of_the_answer_is_reported(tmp_path: Path, *, store_content: bool) -> None:
    # A file of which only the beginning is parsed.
    site = {**SITE, ROBOTS_URL: ok(RULES + b"#" * (600 << 10))}
    _, report, _ = record_uses(tmp_path, site, f"{ORIGIN}/x", store_content=store_content)
    assert report.valid

    def edit(record: dict[str, Any]) -> None:
        record["readings"][0]["robots"]["fetch"]["copy"]["sha256"] = "0" * 64

    report = forge(report.path, edit)
    assert (report.valid, report.broken_line) == (False, 3)
    assert (report.problem or "").endswith(f"but the fetched copy has '{'0' * 64}'")


def test_without_stored_content_an_answer_is_not_computed_again(tmp_path: Path) -> None:
    _, report, _ = record_uses(tmp_path, SITE, f"{ORIGIN}/x", store_content=False)
    assert (report.valid, report.uses, report.recomputed_uses) == (True, 1, 0)
    assert not (tmp_path / CONTENT_FOLDER).exists()


@pytest.mark.parametrize("source", ["robots", "response", "tdm"])
def test_a_changed_byte_of_a_source_is_reported(tmp_path: Path, source: str) -> None:
    _, _, line = record_uses(tmp_path, SITE, f"{ORIGIN}/x", response=PAGE)
    stored = tmp_path / CONTENT_FOLDER / line["readings"][0][source]["sha256"]
    content = bytearray(stored.read_bytes())
    content[-1] ^= 1
    stored.write_bytes(content)
    (report,) = verify_folder(tmp_path)
    assert (report.valid, report.changed_content, report.recomputed_uses) == (False, (stored.name,), 0)
    stored.unlink()
    (report,) = verify_folder(tmp_path)
    assert (report.valid, report.missing_content, report.recomputed_uses) == (False, (stored.name,), 0)


def forge(path: Path, edit: Callable[[dict[str, Any]], None]) -> SegmentReport:
    """Change the answer in a segment, compute all hashes again, and return the report."""
    lines, previous = [], INITIAL_HASH
    for record in read_json_lines(path):
        record.pop("checksum", None)
        if "use" in record:
            edit(record)
        record["previous"] = previous
        line = encode_record(sealed_record(record, None) if "sealed" in record else record)
        previous = hash_line(line)
        lines.append(line + b"\n")
    path.write_bytes(b"".join(lines))
    return verify_segment(path)


@pytest.fixture
def segment(tmp_path: Path) -> Path:
    record_uses(tmp_path, SITE, f"{ORIGIN}/paid/x", response=PAGE)
    (path,) = tmp_path.glob("*.ndjson")
    return path


def test_an_answer_that_is_not_that_of_its_sources_is_reported(segment: Path) -> None:
    report = forge(segment, lambda record: record["use"].update(allowed=True))
    assert (report.valid, report.broken_line) == (False, 3)
    assert report.problem == ("the recorded answer is not that of its sources: 'allowed' is True, expected False")
    report = forge(segment, lambda record: record.update(canfetch="9.0"))
    assert (report.problem or "").endswith(f"; recorded by version '9.0', this is {canfetch.__version__}")


def test_forging_without_a_change_is_valid(segment: Path) -> None:
    assert forge(segment, lambda _: None).valid


INVALID = "invalid record of an answer about a use"


@pytest.mark.parametrize(
    "edit, problem",
    [
        (lambda record: record.update(use=None), INVALID),
        (lambda record: record.update(use={}), INVALID),
        (lambda record: record.pop("readings"), INVALID),
        (lambda record: record.update(readings=[]), INVALID),
        (lambda record: record.update(readings=[1]), INVALID),
        (lambda record: record.update(question={}), INVALID),
        (lambda record: record["question"].update(now="x"), INVALID),
        (lambda record: record["question"]["agent"].update(tokens=[1]), INVALID),
        (lambda record: record["readings"][0]["robots"].update(sha256=None), INVALID),
        (lambda record: record["readings"][0]["robots"].update(max_bytes="x"), INVALID),
        (lambda record: record["readings"][0]["robots"].update(profile="x"), INVALID),
        (lambda record: record["readings"][0]["tdm"].update(state="x"), INVALID),
        (lambda record: record["readings"][0].update(licenses=[]), INVALID),
        (lambda record: record["readings"][0]["response"].update(headers=[1]), INVALID),
        (lambda record: record["use"].update(more=1), "'more' is 1, expected None"),
        (lambda record: record["question"].update(purpose="search"), "'purpose' is 'training', expected 'search'"),
        (lambda record: record["readings"][0].update(url=f"{ORIGIN}/y"), "'url' is 'https://example.com/paid/x'"),
        (lambda record: record.update(url=f"{ORIGIN}/y"), "but its answer about 'https://example.com/paid/x'"),
    ],
)
def test_an_invalid_record_is_reported(segment: Path, edit: Callable[[dict[str, Any]], None], problem: str) -> None:
    report = forge(segment, edit)
    assert not report.valid
    assert problem in (report.problem or "")
    assert report.broken_line == 3


def test_sources_of_the_caller_are_recorded(tmp_path: Path) -> None:
    question = UseQuestion("training", Agent("ExampleBot"), NOW)
    missing = MissingSource(SourceState.NOT_READ)
    robots = canfetch.parse(RULES, profile="google")
    with EvidenceRecorder(tmp_path, store_content=True) as recorder:
        recorder.record("/", VERDICT)
        recorder.record_use(answer_use(question, [UseReading("/x", robots, missing, missing)]))
    report = verify_segment(recorder.path)
    assert (report.valid, report.decisions, report.uses, report.recomputed_uses) == (True, 2, 1, 1)


def test_a_segment_from_before_uses_were_recorded_is_valid() -> None:
    (report,) = verify_folder(Path(__file__).with_name("recorded_before_uses"))
    assert (report.valid, report.sealed, report.decisions, report.uses) == (True, True, 1, 0)


WRITER = """
import sys
from canfetch import Client, EvidenceRecorder
from tests.client.test_may_use import ORIGIN, Web
from tests.evidence.test_uses import PAGE, SITE
recorder = EvidenceRecorder(sys.argv[1], store_content=True)
client = Client(user_agent="ExampleBot/1.0", transport=Web(SITE), evidence=recorder)
for number in range(1000000):
    client.may_use(f"{ORIGIN}/paid/{number}", purpose="training", response=PAGE)
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
"""


@pytest.mark.slow
def test_killed_writer_loses_no_acknowledged_answer(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        for _ in range(50):
            writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        acknowledged = 50 + sum(line.endswith("\n") for line in writer.stdout)
    (report,) = verify_folder(tmp_path)
    assert (report.intact, report.sealed) == (True, False)
    assert report.recomputed_uses == report.uses >= acknowledged
