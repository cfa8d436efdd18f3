"""What changed between two runs of the scoreboard, and the badges."""

import json
from functools import cache
from pathlib import Path

import pytest
from conformance.scoreboard import __main__ as scoreboard
from conformance.scoreboard.badges import badge
from conformance.scoreboard.changes import changes
from conformance.scoreboard.page import failures_page
from conformance.scoreboard.results import PASSED, WRONG, CaseResult, Failure, Row
from conformance.scoreboard.saved_results import RESULTS, Results
from conformance.scoreboard.tables import has_level, profile_tables

pytestmark = pytest.mark.slow


@cache
def loaded() -> Results:
    return Results.load()


def row_of(name: str) -> Row:
    return next(row for row in loaded().rows if (row.adapter.name, row.profile) == (name, "rfc9309"))


def with_row(row: Row, *others: Row) -> Results:
    return loaded()._replace(rows=(row, *others))


def with_first_result(row: Row, *, fails: bool) -> tuple[Row, CaseResult]:
    """Return a row whose first MUST that passed fails, or is left as it is."""
    index = next(
        number
        for number, result in enumerate(row.results)
        if result.outcome == PASSED and result.case.level == "MUST" and result.case.file.startswith("rfc9309")
    )
    result = row.results[index]
    if fails:
        question = next(iter(result.case.questions()))
        result = result._replace(outcome=WRONG, failure=Failure(question, WRONG, "disallowed"))
    return row._replace(results=(*row.results[:index], result, *row.results[index + 1 :])), result


def test_each_change_is_one_line() -> None:
    row = row_of("protego")
    failing, result = with_first_result(row, fails=True)
    name = "protego, profile rfc9309"
    case = result.case.id
    assert changes(with_row(row), with_row(row)) == []
    assert changes(with_row(row), with_row(failing)) == [f"{name}: {case}: passed -> failed, wrong (disallowed)"]
    assert changes(with_row(failing), with_row(row)) == [f"{name}: {case}: failed, wrong -> passed"]
    assert changes(with_row(row._replace(version="0")), with_row(row)) == [f"{name}: version 0 -> {row.version}"]
    other = row_of("robotspy")
    added = f"robotspy, profile rfc9309: new, version {other.version}, {len(other.failures())} failures"
    assert changes(with_row(row), with_row(row, other)) == [added]
    assert changes(with_row(row, other), with_row(row)) == ["robotspy, profile rfc9309: removed"]


def test_command_prints_the_changes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = json.loads(RESULTS.read_text("utf-8"))
    saved["implementations"]["protego"]["version"] = "0"
    (tmp_path / "old.json").write_text(json.dumps(saved), encoding="utf-8")
    assert scoreboard.main(["diff", str(tmp_path / "old.json"), str(RESULTS)]) == 1
    version = row_of("protego").version
    assert capsys.readouterr().out == f"protego, profile rfc9309: version 0 -> {version}\n"
    assert scoreboard.main(["diff", str(RESULTS), str(RESULTS)]) == 0
    assert capsys.readouterr().out == "no answer changed\n"


def with_older_versions() -> tuple[Row, CaseResult]:
    """Return the row of Protego with two older versions, which fail one case more than the newest."""
    row, result = with_first_result(row_of("protego"), fails=False)
    failing, _ = with_first_result(row, fails=True)
    versions = (failing._replace(adapter=each, version=each.version) for each in row.adapter.releases()[1:3])
    return row._replace(older=tuple(each._replace(older=()) for each in versions)), result


def test_older_versions_are_saved_as_differences(tmp_path: Path) -> None:
    row, result = with_older_versions()
    with_row(row).save(tmp_path / "results.json")
    saved = json.loads((tmp_path / "results.json").read_text("utf-8"))["older"]
    first, second = row.older
    assert saved == {
        f"protego rfc9309 {first.version}": {"version": first.version, "answers": {"0 disallowed": result.case.id}},
        f"protego rfc9309 {second.version}": {"version": second.version, "answers": {}},
    }
    (again,) = Results.load(tmp_path / "results.json").rows
    for old, new in zip((row, *row.older), (again, *again.older), strict=True):
        assert (old.adapter, old.version) == (new.adapter, new.version)
        assert changes(with_row(old), with_row(new)) == []


def test_pages_show_what_changed_since_older_versions() -> None:
    row, result = with_older_versions()
    first, second = row.older
    passed, asked = row.score(has_level("MUST"))
    lines = profile_tables([row, row_of("canfetch-native")])[0].splitlines()
    start = lines.index(next(line for line in lines if "<summary>" in line))
    assert (
        f"| <details><summary>{row.version}</summary></details> | [MUST +1](protego.md#versions) since " in lines[start]
    )
    for line, older in zip(lines[start + 1 :], row.older, strict=False):
        assert f"| [{older.version}]{{.older}} {older.adapter.released} | - | " in line
        assert f" {passed - 1}/{asked} |" in line
    page = failures_page(row.adapter, [row])
    assert f"Protego improved from {passed - 1} to {passed} of {asked} MUST cases since {second.version}." in page
    _, upgrade, last = page.split("\n### ")
    assert f"Cases that pass since {row.version}: 1\n\n- [`{result.case.id}`," in upgrade
    assert last.startswith(f"From {second.version} to {first.version}\n\nThe same cases pass.")


def test_command_compares_versions_of_a_library(capsys: pytest.CaptureFixture[str]) -> None:
    row = row_of("protego")
    oldest = row.older[-1]
    assert scoreboard.main(["diff", f"protego@{oldest.version}", "protego"]) == 1
    first, *others = capsys.readouterr().out.splitlines()
    assert first == f"protego, profile rfc9309: version {oldest.version} -> {row.version}"
    assert others
    assert scoreboard.main(["diff", "protego@9", "protego"]) == 2
    assert "unknown version 9: expected one of 0.7.0, 0.6.2, " in capsys.readouterr().err


@pytest.mark.parametrize("content", ["{", "[]", "{}"])
def test_file_that_is_not_one_of_results(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(content, encoding="utf-8")
    assert scoreboard.main(["diff", str(file), str(RESULTS)]) == 2
    assert capsys.readouterr().err.startswith(f"scoreboard: {file}: neither a file of results nor a saved adapter: ")


def test_badge_has_the_share_of_the_musts() -> None:
    passed = [result for result in row_of("canfetch-native").results if result.outcome == PASSED]
    row = row_of("canfetch-native")._replace(results=tuple(passed))
    whole = badge(row)
    failing = badge(with_first_result(row, fails=True)[0])
    assert whole is not None
    assert failing is not None
    assert ">RFC 9309 MUST</text>" in whole
    assert ">100 %</text>" in whole
    assert ">99 %</text>" in failing
    assert badge(row._replace(profile="google")) is None
    assert badge(row._replace(results=())) is None
