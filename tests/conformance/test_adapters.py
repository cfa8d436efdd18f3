"""The adapters of the scoreboard."""

import datetime as dt
import json
import re
import shlex
import shutil
import sys
from argparse import ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path

import pytest
from conformance.__main__ import main
from conformance.cases import RAISED, Answer, Case, Question
from conformance.scoreboard import __main__ as scoreboard
from conformance.scoreboard import builder
from conformance.scoreboard.builder import BUILDERS, BuildError, build_for
from conformance.scoreboard.catalogue import (
    ACCESS,
    ADAPTERS,
    BUILD,
    PAGES,
    ROBOTS,
    Adapter,
    adapters,
    find_adapter,
    unavailable,
)
from conformance.scoreboard.page import PROFILES, as_json, own_choices_page, pages
from conformance.scoreboard.program import SLOW, AdapterProgram
from conformance.scoreboard.results import (
    HOSTILE,
    LEVELS,
    OWN_LEVEL,
    PASSED,
    SKIPPED,
    WRONG,
    CaseResult,
    Failure,
    Row,
    level_group,
    run,
)
from conformance.scoreboard.saved_results import Results, case_digest
from conformance.scoreboard.tables import profile_tables

NAMES = sorted(adapters())
# The oldest version of one library for each builder.
OLDER = {
    adapter.build.partition("-")[0]: adapter.releases()[-1].label
    for adapter in reversed(adapters().values())
    if adapter.build and len(adapter.versions) > 1
}
# These run with the interpreter of the tests.
INSTALLED = [name for name in NAMES if adapters()[name].build is None]
FILE = b"User-agent: ExampleBot\nDisallow: /private\n"
LOCKS = {
    "python": "requirements.txt",
    "python-clients": "requirements.txt",
    "rust": "Cargo.lock",
    "rust-clients": "Cargo.lock",
    "go": "go.mod",
    "java": "pom.xml",
    "javascript": "package-lock.json",
}


def question(path: str, robots: bytes = FILE) -> Question:
    url = f"https://example.com{path}".encode()
    return Question("test", "rfc9309", ("ExampleBot",), None, True, robots, None, None, url, Answer(True))


def two_questions(adapter: Adapter) -> list[Question]:
    """Return a question whose answer is no, and one whose answer is yes."""
    if adapter.asks == ROBOTS:
        return [question("/private"), question("/public")]
    if adapter.asks == ACCESS:
        event = {"body": "User-agent: *\nDisallow: /forbidden\n"}
        return [question("/")._replace(url=path, event=event) for path in (b"/forbidden", b"/open")]
    page = {"headers": ["X-Robots-Tag: noindex"], "html": None, "now": "2026-01-01T00:00:00+00:00"}
    return [
        question("/")._replace(profile="google", page={**page, "decision": decision})
        for decision in ("may_index", "may_follow")
    ]


def ask(adapter: Adapter, questions: Sequence[Question]) -> list[Answer | str]:
    with AdapterProgram(adapter.command(), adapter.process_environment(), adapter.asks) as program:
        return [program.ask(each) for each in questions]


def python_program(source: str) -> AdapterProgram:
    return AdapterProgram([sys.executable, "-c", source], {})


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the limits of time: a slow machine must not change an answer."""
    for name in ("SECONDS", "CLIENT_SECONDS"):
        monkeypatch.setattr(f"conformance.scoreboard.program.{name}", 600.0)


def built(name: str) -> Adapter:
    """Return an adapter, and build it. Skip the test if the tools of its language are missing."""
    adapter = find_adapter(name)
    try:
        build_for(adapter, BUILD)
    except BuildError as error:
        pytest.skip(str(error))
    return adapter


@pytest.mark.parametrize("name", INSTALLED)
@pytest.mark.usefixtures("unhurried")
def test_installed_adapter_answers(name: str) -> None:
    answers = ask(adapters()[name], two_questions(adapters()[name]))

    assert answers == [Answer(False), Answer(True)]


@pytest.mark.nightly
@pytest.mark.parametrize("name", [*NAMES, *OLDER.values()])
@pytest.mark.usefixtures("unhurried")
def test_adapter_answers(name: str) -> None:
    adapter = built(name)

    answers = ask(adapter, two_questions(adapter))

    # That of the npm package also answers lines and reasons.
    assert [answer if isinstance(answer, str) else answer.allowed for answer in answers] == [False, True]
    assert adapter.installed_version()


@pytest.mark.parametrize("name", NAMES)
def test_versions_are_those_of_the_lock_file(name: str) -> None:
    adapter = adapters()[name]
    if not adapter.registry:
        assert adapter.version_command
        return
    assert adapter.build is not None
    # Each lock file has the name of a package and then its version, with words of its format between them.
    package = re.escape(adapter.package.partition(":")[2] or adapter.package).replace(r"\.", "[.-]")
    pattern = rf"(?<!\w){package}\W+(artifactId\W+)?(version\W+)?{re.escape(adapter.version)}[^.\w]"
    assert re.search(pattern, (ADAPTERS / adapter.build / LOCKS[adapter.build]).read_text("utf-8"))


def test_versions_are_ordered_and_have_a_label_and_a_folder() -> None:
    for adapter in adapters().values():
        releases = adapter.releases()
        dates = [dt.date.fromisoformat(each.released) for each in releases if each.released]
        assert releases[0] == adapter
        assert dates == sorted(dates, reverse=True)
        assert [find_adapter(each.label) for each in releases] == releases
        assert len({each.folder() for each in releases}) == len(releases)
    assert find_adapter("protego@0.7.0") == adapters()["protego"]
    with pytest.raises(ArgumentTypeError, match="unknown adapter 'protego@9': expected NAME or NAME@VERSION"):
        find_adapter("protego@9")


@pytest.mark.parametrize(
    "label, manifest, text",
    [
        ("texting_robots@0.1.0", "rust/Cargo.toml", '\ntexting_robots = "=0.1.0"\n'),
        ("crawler4j-client@4.2", "source/pom.xml", "<artifactId>crawler4j</artifactId>\n      <version>4.2</version>"),
    ],
)
def test_older_version_replaces_the_locked_one(
    label: str, manifest: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = find_adapter(label)
    build, folder = adapter.build or "", adapter.folder(tmp_path)
    (tmp_path / "rust/older/release").mkdir(parents=True)
    (tmp_path / "rust/older/release/texting_robots").touch()
    commands: list[list[str]] = []
    monkeypatch.setattr(builder, "_run", commands.append)

    build_for(adapter, tmp_path)

    assert len(commands) == 2
    assert text in (folder / manifest).read_text("utf-8")
    assert text not in (ADAPTERS / build / Path(manifest).name).read_text("utf-8")
    assert any(str(folder) in word for word in commands[1])
    assert not any(str(folder) in word for word in commands[0])


def test_a_parser_and_its_client_of_one_older_version_are_both_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = tmp_path / "rust-clients/older/release"
    compiled.mkdir(parents=True)
    programs = ["robotparser", "robotparser_client"]
    for name in programs:
        (compiled / name).touch()
    monkeypatch.setattr(builder, "_run", lambda _command: None)

    for label in ("robotparser-rs@0.10.2", "robotparser-rs-client@0.10.2"):
        build_for(find_adapter(label), tmp_path)

    folder = find_adapter("robotparser-rs@0.10.2").folder(tmp_path)
    assert sorted(path.name for path in (folder / "release").iterdir()) == programs


def test_catalogue_is_complete() -> None:
    for adapter in adapters().values():
        assert adapter.claim
        assert adapter.source
        assert set(adapter.profiles) <= set(PROFILES[adapter.asks])
        assert adapter.build is None or adapter.build in BUILDERS
    assert all(each.reason for each in unavailable())
    # A parser and its client have one entry, with the name of the parser.
    assert "robotparser 0.4.4" in [each.title for each in unavailable()]


def test_questions_that_an_interface_cannot_express_are_skipped() -> None:
    adapter = adapters()["protego"]

    assert not adapter.reason_to_skip(question("/"))
    assert adapter.reason_to_skip(question("/")._replace(agents=("A", "B"))) == "agent-lists"
    assert adapter.reason_to_skip(question("/")._replace(url=b"/\xff")) == "urls-of-bytes"
    assert adapter.reason_to_skip(question("/")._replace(star_applies=False)) == "no-star"


def test_questions_about_ftp_and_unsupported_decisions_are_skipped() -> None:
    client, reader = adapters()["scrapy-client"], adapters()["robot-directives"]
    page = {"decision": "may_train", "tdm_file": "[]", "robots": None}

    assert client.reason_to_skip(question("/")._replace(event={"ftp": "file"})) == "ftp"
    assert reader.reason_to_skip(question("/")._replace(page=page)) == "tdm_file, may_train"


def test_clients_have_a_reason_for_each_sequence_that_they_are_not_asked() -> None:
    needs = ("kept-clients", "clocks", "agents-of-one-client")
    for adapter in adapters().values():
        missing = [need for need in needs if need not in adapter.supports]
        # Who keeps no client is asked nothing about one.
        expected = missing[:1] if missing[:1] == ["kept-clients"] else missing
        assert list(dict(adapter.not_asked)) == (expected if adapter.asks == ACCESS else []), adapter.name
        assert all(reason.endswith(".") for _need, reason in adapter.not_asked)


def test_sequences_are_skipped_for_clients_that_cannot_express_them() -> None:
    step = {"hours": 0, "origin": "first", "agent": "ExampleBot", "event": {"body": ""}}
    later, other = {**step, "hours": 25}, {**step, "agent": "OtherBot"}
    reasons = [
        adapters()[name].reason_to_skip(question("/")._replace(steps=steps))
        for name, steps in (
            ("urllib-client", (step,)),
            ("colly-client", (step, later)),
            ("colly-client", (step, other)),
            ("crawlee-python-client", (step, other)),
            ("scrapy-client", (step, later, other)),
        )
    ]

    assert reasons == ["kept-clients", "clocks", "", "agents-of-one-client", ""]


@pytest.mark.usefixtures("unhurried")
def test_steps_of_a_sequence_are_asked_in_order_with_one_client() -> None:
    # The answer has all the lines so far, with the file that the origin serves at that time.
    source = """
import base64, json, sys
from urllib.parse import urljoin
from urllib.request import ProxyHandler, build_opener
opener = build_opener(ProxyHandler({}))
seen = []
for line in sys.stdin:
    fields = json.loads(line)
    if fields["id"] == "start":
        print('{"allowed": true}', flush=True)
        continue
    url = base64.b64decode(fields["url"]).decode()
    body = opener.open(urljoin(url, "/robots.txt")).read().decode()
    seen.append([fields["client"], fields["hours"], fields["agents"], url.rpartition("/")[2], body])
    print(json.dumps({"exception": json.dumps(seen)}), flush=True)
"""
    steps = (
        {"hours": 0, "origin": "first", "agent": "A", "event": {"body": "one"}},
        {"hours": 0, "origin": "other", "agent": "A", "event": {"body": "two"}},
        {"hours": 25, "origin": "first", "agent": "B", "event": None},
        {"hours": 26, "origin": "first", "agent": "B", "event": {"body": "three"}},
    )
    with AdapterProgram([sys.executable, "-c", source], {}, ACCESS) as program:
        program.ask(question("/open")._replace(url=b"/open", steps=steps))
        answer = program.ask(question("/forbidden")._replace(url=b"/forbidden", steps=steps))

    assert isinstance(answer, Answer)
    assert answer.error is not None
    seen = [[0, ["A"], "one"], [0, ["A"], "two"], [25, ["B"], "one"], [26, ["B"], "three"]]
    assert json.loads(answer.error.removeprefix(f"{RAISED} ")) == [
        [client, hours, agents, page, body]
        for client, page in ((1, "open"), (2, "forbidden"))
        for hours, agents, body in seen
    ]


@pytest.mark.slow
def test_every_kind_of_case_has_a_level_and_a_line() -> None:
    for asks, name in ((ROBOTS, "protego"), (ACCESS, "scrapy-client"), (PAGES, "robot-directives")):
        adapter = adapters()[name]
        cases = adapter.cases()
        assert adapter.asks == asks
        assert {level_group(case) for case in cases} <= {*LEVELS, HOSTILE, "MAY", OWN_LEVEL}
        for path in {case.file for case in cases}:
            lines = (ADAPTERS.parent / path).read_bytes().decode().split("\n")
            assert [
                case.id for case in cases if case.file == path and lines[case.line - 1] != f'id = "{case.id}"'
            ] == []


@pytest.mark.slow
@pytest.mark.usefixtures("unhurried")
def test_crash_is_reported_and_the_program_restarted() -> None:
    source = """
import json, os, sys
for line in sys.stdin:
    if "crash" in json.loads(line)["id"]: os._exit(3)
    print('{"allowed": true}', flush=True)
"""
    with python_program(source) as program:
        answers = [program.ask(question("/")._replace(case=case)) for case in ("crash", "fine", "crash", "fine")]

    assert [str(answer) for answer in answers] == ["error crashed, exit code 3", "allowed"] * 2


@pytest.mark.usefixtures("unhurried")
def test_a_crash_that_a_new_process_does_not_repeat_does_not_count() -> None:
    # The first line is the question with which the program is started.
    source = """
import itertools, os, sys
for number, line in enumerate(sys.stdin):
    if number == 2: os._exit(3)
    print('{"allowed": true}', flush=True)
"""
    with python_program(source) as program:
        answers = [program.ask(question("/")) for _ in range(4)]

    assert answers == [Answer(True)] * 4


@pytest.mark.slow
def test_time_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    # The program computes without end, so the limit may be long. The other question takes no time.
    monkeypatch.setattr("conformance.scoreboard.program.SECONDS", 1.0)
    source = """
import json, sys
for line in sys.stdin:
    while json.loads(line)["id"] == "slow": pass
    print('{"allowed": true}', flush=True)
"""
    with python_program(source) as program:
        answers = [program.ask(question("/")._replace(case=case)) for case in ("slow", "fine")]

    assert [str(answer) for answer in answers] == ["error too slow", "allowed"]


@pytest.mark.slow
def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    # Filling the memory takes processor time, on some machines much of it.
    monkeypatch.setattr("conformance.scoreboard.program.SECONDS", 60)
    monkeypatch.setattr("conformance.scoreboard.program.MEGABYTES", 200)
    source = """
import json, sys
for line in sys.stdin:
    filled = b"x" * 300_000_000 if json.loads(line)["id"] == "large" else b""
    print('{"allowed": true}', flush=True)
"""
    with python_program(source) as program:
        answers = [program.ask(question("/")._replace(case=case)) for case in ("large", "fine")]

    assert [str(answer) for answer in answers] == ["error too much memory", "allowed"]


@pytest.mark.usefixtures("unhurried")
def test_an_exception_of_the_library_is_its_answer() -> None:
    source = 'import sys\nfor line in sys.stdin: print(\'{"exception": "ValueError: no"}\', flush=True)'
    expected = Answer(error="invalid-url")
    with python_program(source) as program:
        assert str(program.ask(question("/"))) == "error raised ValueError: no"
        answer = program.ask(question("/"))

    assert isinstance(answer, Answer)
    assert answer.matches(expected)


@pytest.mark.slow
@pytest.mark.usefixtures("unhurried")
def test_scoreboard_and_its_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "results.json"
    assert scoreboard.main(["--adapter", "urllib", "--output", str(file)]) == 0

    built = pages(Results.load(file))
    report = json.loads(built["scoreboard/scoreboard.json"])
    (implementation,) = report["implementations"]
    profile = implementation["profiles"][0]
    failures = built["scoreboard/urllib.md"]
    assert "| [urllib.robotparser](urllib.md) |" in built["scoreboard/index.md"]
    assert profile["failures"]
    for failure in profile["failures"]:
        assert failure["command"] in failures
        assert (ADAPTERS.parent.parent / failure["file"]).is_file()
        assert_reproduced(failure, capsys)


# The failures of the running interpreter depend on its version.
@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted(set(NAMES) - set(INSTALLED)))
def test_published_failures_are_reproduced(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One failure of each outcome, by the command that the page prints."""
    built(name)
    report = as_json(Results.load())
    (implementation,) = (one for one in report["implementations"] if one["name"] == name)
    failures = [failure for profile in implementation["profiles"] for failure in profile["failures"]]
    for failure in {failure["outcome"]: failure for failure in failures}.values():
        # What is too slow must be too slow on a fast machine, and nothing else on a slow one.
        seconds = 0.1 if failure["outcome"] == SLOW else 600.0
        monkeypatch.setattr("conformance.scoreboard.program.SECONDS", seconds)
        monkeypatch.setattr("conformance.scoreboard.program.CLIENT_SECONDS", seconds)
        assert_reproduced(failure, capsys)


def assert_reproduced(failure: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(failure["command"])
    assert words[:3] == ["python", "-m", "conformance"]
    assert main(words[3:]) == 1
    out = capsys.readouterr().out
    assert f"FAIL {failure['case']} " in out
    # Systems word errors differently.
    answer = f"error {RAISED} " if failure["outcome"] == RAISED else f"{failure['answer']}\n"
    assert f"got      {answer}" in out


def result(name: str, level: str, outcome: str, file: str = "rfc9309/ties.toml") -> CaseResult:
    table = {"agent": "ExampleBot", "robots": "", "expect": [{"url": "/", "allowed": True}]}
    case = Case(name, "RFC 9309 section 2.2.2", level, "Why.", ("rfc9309",), file, 1, table)
    failed = outcome not in (PASSED, SKIPPED)
    return CaseResult(case, outcome, failure=Failure(question("/"), outcome, "allowed") if failed else None)


def row(name: str, *results: CaseResult) -> Row:
    return Row(adapters()[name], "1.0", "rfc9309", results)


@pytest.mark.slow
def test_saved_results_are_the_results_of_the_run(tmp_path: Path) -> None:
    adapter = adapters()["protego"]
    cases = [case for case in adapter.cases() if "rfc9309" in case.profiles]
    asked = {case.id: not all(map(adapter.reason_to_skip, of_profile(case))) for case in cases}
    outcomes = [PASSED if asked[case.id] else SKIPPED for case in cases]
    first, second, third = [index for index, case in enumerate(cases) if asked[case.id]][:3]
    found = [CaseResult(case, outcome) for case, outcome in zip(cases, outcomes, strict=True)]
    found[first] = CaseResult(cases[first], WRONG, failure=Failure(of_profile(cases[first])[-1], WRONG, "allowed"))
    found[second] = CaseResult(
        cases[second], SLOW, failure=Failure(of_profile(cases[second])[0], SLOW, "error too slow")
    )
    found[third] = CaseResult(cases[third], SKIPPED)
    results = Results.of_run([Row(adapter, "1.0", "rfc9309", tuple(found))], dt.date(2026, 1, 2), "a machine")
    results.save(tmp_path / "results.json")

    (loaded,) = Results.load(tmp_path / "results.json").rows

    assert [(result.case.id, result.outcome, result.failure) for result in loaded.results] == [
        (result.case.id, result.outcome, result.failure) for result in found
    ]


def of_profile(case: Case) -> list[Question]:
    return [question for question in case.questions() if question.profile == "rfc9309"]


@pytest.mark.slow
def test_a_case_that_changed_after_the_run_counts_as_not_asked(tmp_path: Path) -> None:
    adapter = adapters()["protego"]
    case = next(case for case in adapter.cases() if "rfc9309" in case.profiles)
    found = CaseResult(case, WRONG, failure=Failure(of_profile(case)[0], WRONG, "allowed"))
    results = Results.of_run([Row(adapter, "1.0", "rfc9309", (found,))], dt.date(2026, 1, 2), "a machine")
    changed = {**results.digests["protego"], case.file: frozenset[str]()}
    results._replace(digests={"protego": changed}).save(tmp_path / "results.json")

    (loaded,) = Results.load(tmp_path / "results.json").rows

    assert next(result for result in loaded.results if result.case.id == case.id).outcome == SKIPPED


@pytest.mark.slow
def test_another_run_replaces_the_results_of_its_adapters_only() -> None:
    old = Results.of_run([row("protego", result("a", "MUST", WRONG)), row("robotxt")], dt.date(2026, 1, 1), "old")
    new = Results.of_run([row("protego", result("a", "MUST", PASSED))], dt.date(2026, 1, 2), "new")

    merged = old.replaced_by(new)

    assert [(row.adapter.name, row.results) for row in merged.rows] == [
        ("protego", new.rows[0].results),
        ("robotxt", ()),
    ]
    assert merged.dates == {"protego": dt.date(2026, 1, 2), "robotxt": dt.date(2026, 1, 1)}
    assert merged.machine == "new"


def test_a_case_like_another_one_has_the_digest_of_what_it_asks() -> None:
    case = next(case for case in adapters()["protego"].cases() if "like" in case.table)
    in_full = {key: value for key, value in case.table.items() if key != "like"}
    assert case_digest(case) == case_digest(case._replace(table=in_full))
    assert case_digest(case) != case_digest(case._replace(table={**in_full, "robots": "Disallow:\n"}))


@pytest.mark.slow
def test_a_case_that_changed_counts_for_the_adapters_that_were_asked_again(tmp_path: Path) -> None:
    case = next(case for case in adapters()["protego"].cases() if "rfc9309" in case.profiles)
    passed = CaseResult(case, PASSED)
    names = ["protego", "robotxt", "canfetch-client"]
    old = Results.of_run([row(name, *[passed][: name != names[2]]) for name in names], dt.date(2026, 1, 1), "old")
    changed = {**old.digests["protego"], case.file: old.digests["protego"][case.file] - {case_digest(case)}}
    old = old._replace(digests={**old.digests, "protego": changed, "robotxt": changed})
    old.save(tmp_path / "old.json")
    failed = CaseResult(case, WRONG, failure=Failure(of_profile(case)[0], WRONG, "allowed"))
    new = Results.of_run([row("protego", failed)], dt.date(2026, 1, 2), "new")
    Results.load(tmp_path / "old.json").replaced_by(new).save(tmp_path / "merged.json")

    merged = Results.load(tmp_path / "merged.json")

    outcomes = {
        each.adapter.name: result.outcome
        for each in merged.rows
        for result in each.results
        if result.case.id == case.id
    }
    assert outcomes == {"protego": WRONG, "robotxt": SKIPPED}
    entries = json.loads((tmp_path / "merged.json").read_text("utf-8"))["implementations"]
    missed = {name: entry["not_asked"] for name, entry in entries.items() if "not_asked" in entry}
    assert missed == {"robotxt": {case.file: case_digest(case)}}
    # As soon as the others are asked, too, each case counts.
    merged.replaced_by(Results.of_run([row("robotxt", passed)], dt.date(2026, 1, 3), "new")).save(tmp_path / "all.json")
    assert "not_asked" not in (tmp_path / "all.json").read_text("utf-8")


@pytest.mark.slow
def test_each_version_has_saved_answers() -> None:
    """A version without them belongs to `not_built`, with the reason."""
    missing = [
        each.label
        for row in Results.load().rows
        for each in row.adapter.releases()
        if each.version not in {saved.adapter.version for saved in (row, *row.older)}
    ]
    assert missing == []


@pytest.mark.slow
def test_an_older_version_that_cannot_be_asked_again_keeps_its_results() -> None:
    newest, *older = adapters()["protego"].releases()
    saved = [row("protego", result("a", "MUST", WRONG))._replace(adapter=adapter) for adapter in older]
    old = Results.of_run([row("protego")._replace(older=tuple(saved))], dt.date(2026, 1, 1), "old")
    answered = row("protego", result("a", "MUST", PASSED))._replace(adapter=older[1])
    new = Results.of_run([row("protego")._replace(older=(answered,))], dt.date(2026, 1, 2), "new")

    (merged,) = old.replaced_by(new).rows

    assert merged.adapter.version == newest.version
    assert merged.older == (saved[0], answered, *saved[2:])


def test_long_answers_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    source = 'import sys\nfor line in sys.stdin: print(\'{"exception": "\' + "x" * 5000 + \'"}\', flush=True)'
    adapter = adapters()["protego"]._replace(program=(sys.executable, "-c", source), version_command=("echo", "1"))
    monkeypatch.setattr(Adapter, "cases", lambda _: [result("a", "MUST", PASSED).case])

    (found,) = run([adapter], "rfc9309").results

    assert found.failure is not None
    assert len(found.failure.answer) == 300


def test_topics_count_files_of_which_every_case_passes() -> None:
    results = [
        result("a", "MUST", PASSED, "one.toml"),
        result("b", "canfetch", WRONG, "one.toml"),
        result("c", "MUST", PASSED, "two.toml"),
        result("d", "SHOULD", WRONG, "two.toml"),
        result("e", "MUST", SKIPPED, "three.toml"),
        result("f", "MAY", WRONG, "four.toml"),
    ]

    assert row("protego", *results).topics() == (1, 2)


def test_own_choices_start_with_those_on_which_canfetch_stands_alone() -> None:
    names = ("protego", "robotspy", "robotxt")
    outcomes = {
        "two-of-three": (WRONG, WRONG, PASSED),
        "one": (WRONG, PASSED, PASSED),
        "all": (WRONG, WRONG, WRONG),
        "exceptions": (WRONG, RAISED, SLOW),
        "required": (WRONG, WRONG, WRONG),
    }
    rows = [
        row(
            name,
            *(result(key, "MUST" if key == "required" else "canfetch", found[i]) for key, found in outcomes.items()),
        )
        for i, name in enumerate(names)
    ]

    lines = [line for line in own_choices_page(rows).splitlines() if line.startswith("| [`")]
    assert [line.split("`")[1] for line in lines] == ["all", "two-of-three"]
    assert lines[0].endswith("| Why. | - | 3 | 3 |")


def test_own_choices_name_what_the_rfc_leaves_open() -> None:
    outcomes = {"disputed-15-digits-in-token-rfc9309": "canfetch", "disputed-16-bom": "google", "other": "google"}
    rows = [
        row(name, *(result(case, level, WRONG) for case, level in outcomes.items())) for name in ("protego", "robotspy")
    ]

    page = own_choices_page(rows)

    choices, _, google = page.partition("### Google's documents decide")
    assert "| Why. | characters of a product token | 2 | 2 |" in choices
    assert "| Why. | encoding of the file | 2 | 2 |" in google
    assert "[`other`" not in page
    assert "(#what-rfc-9309-leaves-open)" in choices
    assert "\n- encoding of the file: What a byte order mark, " in google
    assert "Section 2.3: “The file MUST be UTF-8 encoded”\n" in google


def test_versions_of_an_implementation_count_once_for_own_choices() -> None:
    rows = [row(name, result("a", "canfetch", WRONG)) for name in ("urllib", "urllib-pyodide")]

    assert "[`a`" not in own_choices_page(rows)


def test_implementations_that_do_not_name_the_specification_are_marked() -> None:
    rows = [row(name, result("a", "MUST", PASSED)) for name in ("protego", "robots-txt-guard")]

    text = "\n".join(profile_tables(rows))

    assert "| [Protego](protego.md) | 1.0 |" in text
    assert "| [robots-txt-guard](robots-txt-guard.md) † | 1.0 |" in text


def test_missing_tool_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)

    with pytest.raises(BuildError, match="cargo is not installed"):
        build_for(adapters()["robotxt"], tmp_path)


def test_a_new_header_of_the_c_library_compiles_its_adapter_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = (tmp_path / "library/include/canfetch.h", tmp_path / "library/lib/pkgconfig/canfetch.pc")
    for path in installed:
        path.parent.mkdir(parents=True)
        path.write_text("old", encoding="utf-8")
    options: list[str] = []

    def run(_: list[str], **environment: str) -> None:
        options.extend(value for name, value in environment.items() if name == "CGO_CFLAGS")

    monkeypatch.setattr(builder, "_run", run)
    monkeypatch.setenv("CGO_CFLAGS", "-O1")
    BUILDERS["c"](ADAPTERS / "c", tmp_path)
    BUILDERS["c"](ADAPTERS / "c", tmp_path)
    for path in installed:
        path.write_text("new", encoding="utf-8")
        BUILDERS["c"](ADAPTERS / "c", tmp_path)
    assert len(options) == 4
    assert len(set(options)) == 3
    assert all(option.startswith("-O1 -D") for option in options)
