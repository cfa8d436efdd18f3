"""`canfetch lint`: files, folders, standard input and origins, in every format, with --fix and --watch."""

import gc
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.conftest import CANFETCH, RunCommand, RunProcess, StartProcess, sites
from tests.servers.web import Site

import canfetch
from canfetch.cli.shared.garbage_collection import paused_collector
from canfetch.lint import CHECKS

BAD = b"User-agent: *\n  Disallow: /a.pdf$b\nDisallow /c/\n"
GOOD = b"User-agent: *\nDisallow: /a/\n"
FORMATS = ("text", "json", "ndjson", "sarif", "github", "gitlab", "junit", "html")


@pytest.fixture
def bad(folder: Path) -> Path:
    file = folder / "robots.txt"
    file.write_bytes(BAD)
    return file


def test_a_pause_restores_the_garbage_collector() -> None:
    assert gc.isenabled()
    with paused_collector():
        assert not gc.isenabled()
        with paused_collector():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_text_has_the_advice_about_the_place(run: RunCommand, folder: Path) -> None:
    (folder / "robots.txt").write_bytes(b"Disallow: /a\n\nUser-agent: *\nDisallow: /b\n")
    (advice,) = (line for line in run("lint", "robots.txt", "--select", "CF301").lines if line.startswith("  fix: "))
    assert advice.endswith(
        "The first `User-agent` line is line 3: if the rules are meant for its group, move them there."
    )


def test_note_about_a_closed_site_names_the_search_engines_that_it_shuts_out(run: RunCommand) -> None:
    ran = run("lint", "-", stdin=b"User-agent: Googlebot\nAllow: /\n\nUser-agent: *\nDisallow: /\n")
    assert ran.code == 0
    assert ran.lines[0] == (
        "-:5:1: info CF701 whole-site-blocked: `/` blocks the whole site for every crawler without its own group "
        "(because of line 5, bingbot, YandexBot and other crawlers may not fetch /)"
    )


def test_text_shows_the_line_and_the_problem(run: RunCommand, bad: Path) -> None:
    ran = run("lint", bad.name)
    assert (ran.code, ran.err) == (1, "")
    assert "robots.txt:3:1: error CF201 missing-colon: the colon after `Disallow` is missing" in ran.out
    start = ran.lines.index("  3 | Disallow /c/")
    assert ran.lines[start + 1].startswith(
        "    | ^^^^^^^^^^^^ because of line 3, Googlebot, bingbot and other crawlers"
    )
    assert ran.lines[start + 2].startswith("  fix: Write a colon after the key. (fixable with --unsafe-fixes")
    assert "robots.txt: Found 2 problems (1 error, 1 warning)." in ran.lines
    assert "1 note: indented-record. Show with --show info." in ran.lines
    # Errors come first, and notes are only counted.
    assert [line.split()[1] for line in ran.lines if line.startswith("robots.txt:3:") or ":2:" in line] == [
        "error",
        "warning",
    ]


def test_show_selects_the_findings(run: RunCommand, bad: Path, folder: Path) -> None:
    assert "CF208" in run("lint", bad.name, "--show", "info").out
    ran = run("lint", bad.name, "--show", "error")
    assert "CF402" not in ran.out
    assert "robots.txt: Found 2 problems (1 error, 1 warning)." in ran.lines
    (report,) = json.loads(run("lint", "--show", "error", "--format", "json").out)
    assert [one["code"] for one in report["findings"]] == ["CF201"]
    (folder / "canfetch.toml").write_text('[lint]\nshow = "info"\n')
    assert "CF208" in run("lint").out
    assert "CF208" not in run("lint", "--show", "warning").out


def test_notes_that_contradict_owners_have_a_line(run: RunCommand, folder: Path) -> None:
    content = b"User-agent: *\nDisallow: /a/\nNoindex: /a/\nNoindex: /a/b/\nHost: example.com\n"
    (folder / "robots.txt").write_bytes(content)
    ran = run("lint", "robots.txt")
    assert ran.code == 0
    assert [line for line in ran.lines if "CF611" in line or "CF609" in line] == [
        "robots.txt:3:1: info CF611 noindex-not-read: no search engine reads `Noindex` in robots.txt",
        "robots.txt:5:1: info CF609 host-obsolete: search engines no longer read the preferred host `example.com`",
    ]
    # A warning says the same.
    (folder / "robots.txt").write_bytes(content + b"Noindex: /b/\n")
    assert sum("CF611" in line for line in run("lint", "robots.txt").lines) == 1


def test_findings_that_fail_are_shown(run: RunCommand, folder: Path) -> None:
    (folder / "robots.txt").write_bytes(b"User-agent: *\n  Disallow: /a/\n")
    ran = run("lint", "--fail-on", "info")
    assert ran.code == 1
    assert "robots.txt:2:1: info CF208" in ran.out


def test_verbose_shows_the_reason_and_the_source(run: RunCommand, bad: Path) -> None:
    assert "  why: " not in run("lint", bad.name).out
    ran = run("lint", bad.name, "-v")
    assert any(line.startswith("  why: RFC 9309 requires a colon.") for line in ran.lines)
    assert any(line.startswith("  source: RFC 9309 section 2.2;") for line in ran.lines)


def test_first_line_past_the_size_limit_is_shown(run: RunCommand, folder: Path) -> None:
    (folder / "robots.txt").write_bytes(GOOD + b"#" * 511_960 + b"\nDisallow: /lost/\n")
    ran = run("lint", "robots.txt")
    start = ran.lines.index("  4 | Disallow: /lost/")
    assert ran.lines[start - 1].startswith("robots.txt:4:1: error CF103 too-large: ")
    assert ran.lines[start + 1] == "    | ^^^^^^^^^^^^^^^^"
    assert "<mark>Disallow: /lost/</mark>" in run("lint", "robots.txt", "--format", "html").out


def test_empty_line_is_not_shown_without_an_effect(run: RunCommand, folder: Path) -> None:
    (folder / "robots.txt").write_bytes(b"")
    assert " | " not in run("lint", "robots.txt", "--show", "info").out
    assert "<pre>" not in run("lint", "robots.txt", "--show", "info", "--format", "html").out
    (folder / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /a\n\nDisallow: /b\n")
    assert "    | ^ because of line 4, " in run("lint", "robots.txt", "--show", "info").out


def test_a_clean_file(run: RunCommand, folder: Path) -> None:
    (folder / "robots.txt").write_bytes(GOOD)
    ran = run("lint")
    assert (ran.code, ran.err) == (0, "")
    assert ran.lines == ["robots.txt: No problems found."]


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_the_same_findings(run: RunCommand, bad: Path, form: str) -> None:
    ran = run("lint", bad.name, "--format", form, "--show", "info")
    assert (ran.code, ran.err) == (1, "")
    wanted = ["CF201", "CF208", "CF402"]
    match form:
        case "json":
            found = [one["code"] for report in json.loads(ran.out) for one in report["findings"]]
        case "ndjson":
            found = [json.loads(line)["code"] for line in ran.lines]
        case "sarif":
            found = [one["ruleId"] for one in json.loads(ran.out)["runs"][0]["results"]]
        case "gitlab":
            found = [one["check_name"][:5] for one in json.loads(ran.out)]
        case "junit":
            found = [one.get("name", "")[:5] for one in ET.fromstring(ran.out).iter("testcase")]  # noqa: S314 - ours
        case _:
            found = [code for code in wanted if code in ran.out]
    assert sorted(found) == wanted


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_of_a_clean_file_is_valid(run: RunCommand, folder: Path, form: str) -> None:
    (folder / "robots.txt").write_bytes(GOOD)
    ran = run("lint", "--format", form)
    assert (ran.code, ran.err) == (0, "")
    match form:
        case "json" | "sarif" | "gitlab":
            json.loads(ran.out)
        case "junit":
            ET.fromstring(ran.out)  # noqa: S314 - ours
        case "html":
            assert "No problems found." in ran.out
        case "text":
            assert ran.out == "robots.txt: No problems found.\n"
        case _:
            assert ran.out == ""


def test_output_goes_to_a_file(run: RunCommand, bad: Path, folder: Path) -> None:
    ran = run("lint", bad.name, "--format", "sarif", "--output", "robots.sarif")
    assert (ran.code, ran.out, ran.err) == (1, "", "")
    assert json.loads((folder / "robots.sarif").read_text())["version"] == "2.1.0"
    assert [path.name for path in folder.iterdir() if path.name.startswith(".canfetch")] == []


def test_standard_input(run: RunCommand) -> None:
    ran = run("lint", "-", stdin=BAD)
    assert ran.code == 1
    assert ran.out.startswith("-:3:1: ")


@pytest.mark.parametrize(
    "form, name",
    [
        ("json", '"name": "-"'),
        ("sarif", '"uri": "-"'),
        ("github", "file=-,"),
        ("gitlab", '"path": "-"'),
        ("html", ">-<"),
    ],
)
def test_standard_input_has_its_own_name_in_every_format(run: RunCommand, form: str, name: str) -> None:
    assert name in run("lint", "-", "--format", form, stdin=BAD).out


def test_standard_input_of_a_known_url_has_its_url(run: RunCommand) -> None:
    ran = run("lint", "-", "--robots-url", "https://example.com/robots.txt", stdin=BAD)
    assert ran.out.startswith("https://example.com/robots.txt:3:1: ")


def test_directory_is_searched_for_robots_txt(run: RunCommand, folder: Path) -> None:
    for name, content in (("a/robots.txt", BAD), ("b/c/robots.txt", GOOD), (".git/robots.txt", BAD), ("d/x.txt", BAD)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "robots.txt").unlink()
    ran = run("lint", ".", "--format", "json")
    assert ran.code == 1
    wanted = [Path("a", "robots.txt"), Path("b", "c", "robots.txt")]
    assert [report["name"] for report in json.loads(ran.out)] == list(map(str, wanted))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")
def test_named_pipe_in_a_directory_is_skipped(run: RunCommand, folder: Path) -> None:
    (folder / "site").mkdir()
    os.mkfifo(folder / "site" / "robots.txt")
    ran = run("lint", "site")
    advice = "pass files with other names as arguments"
    assert (ran.code, ran.err) == (2, f"canfetch: no robots.txt in directory 'site': {advice}\n")


def test_unreadable_file_does_not_stop_the_run(run: RunCommand, bad: Path) -> None:
    ran = run("lint", "nowhere.txt", bad.name, "--format", "json")
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert "nowhere.txt" in ran.err
    first, second = json.loads(ran.out)
    assert set(first) == {"name", "error"}
    assert second["findings"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--select", "CF9999"), "unknown check 'CF9999'"),
        (("--explain", "no-such"), "unknown check 'no-such'"),
        (("--config", "nowhere.toml"), "nowhere.toml"),
        (("--config", "x.toml", "--isolated"), "cannot be used together"),
        (("-", "-"), "standard input can be read only once"),
        (("--robots-url", "example.com"), "expected an absolute URL"),
        (("http://127.0.0.1:9/", "--fix"), "fetched files cannot be fixed"),
        (("--watch", "--format", "sarif"), "--watch supports --format"),
        (("--watch", "-"), "--watch supports only files"),
        (("empty",), "no robots.txt in directory"),
        (("--format", "nonsense"), "'--format'"),
        (("--diff", "--format", "json"), "--diff and --format json"),
        (("robots.txt", "--output", "robots.txt"), "is also an input file"),
        (("",), "no such file"),
        (("--output", "nowhere/x.json", "--format", "json"), "cannot write"),
    ],
)
def test_invalid_arguments_are_reported_in_one_line(
    run: RunCommand, folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    (folder / "empty").mkdir()
    ran = run("lint", *arguments)
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert message in ran.err
    assert ran.err.startswith("canfetch: ")


@pytest.mark.parametrize(
    "name, text",
    [
        ("canfetch.toml", "[lint]\nselect = ['CF402']\n"),
        ("pyproject.toml", "[tool.canfetch.lint]\nselect = ['CF402']\n"),
        ("pyproject.toml", "[tool.canfetch.lint]\nignore = ['CF2']\n"),
    ],
)
def test_nearest_configuration_file_is_used(run: RunCommand, bad: Path, folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8-sig")
    ran = run("lint", bad.name, "--format", "ndjson")
    assert [json.loads(line)["code"] for line in ran.lines] == ["CF402"]
    assert len(run("lint", bad.name, "--isolated", "--format", "ndjson").lines) == 3


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the current directory cannot be deleted")
@pytest.mark.parametrize("name", ["-", "robots.txt"])
def test_deleted_working_directory_has_no_configuration_file(folder: Path, process: RunProcess, name: str) -> None:
    robots = folder / "robots.txt"
    robots.write_bytes(b"User-agent: *\nDisallow: /a\n")
    deleted = folder / "deleted"
    deleted.mkdir()
    script = "import os, sys; os.chdir(sys.argv[1]); os.rmdir(sys.argv[1]); os.execv(sys.executable, sys.argv[2:])"
    command = [sys.executable, *CANFETCH, "lint", "-" if name == "-" else str(robots)]
    ran = process(
        *command,
        stdin=robots.read_bytes(),
        env={"PYTHONPATH": str(Path(canfetch.__file__).parents[1]), "PYTHONSAFEPATH": "1"},
        program=("-c", script, str(deleted)),
    )
    assert (ran.code, ran.err) == (0, "")


def test_invalid_configuration_is_reported_with_its_file(run: RunCommand, folder: Path) -> None:
    (folder / "canfetch.toml").write_text("[lint]\nselect = 'CF402'\n")
    ran = run("lint")
    assert ran.refusal.startswith("canfetch: canfetch.toml [lint], select: expected a list")
    for name, text in (("canfetch.toml", "[lnt]\n"), ("pyproject.toml", "[tool]\ncanfetch = 3\n")):
        (folder / "canfetch.toml").unlink(missing_ok=True)
        (folder / name).write_text(text)
        ran = run("lint")
        assert (ran.code, ran.err.count("\n")) == (2, 1)
    (folder / "pyproject.toml").unlink()
    for text in ("[lint\n", f"a = {'[' * 10_000}", f"a = {'1' * 5000}"):
        (folder / "canfetch.toml").write_text(text)
        ran = run("lint")
        assert (ran.code, ran.err.count("\n")) == (2, 1)
        assert "is not valid TOML" in ran.err


def test_fail_on_selects_the_severity(run: RunCommand, folder: Path) -> None:
    (folder / "robots.txt").write_bytes(b"User-agent: *\n  Disallow: /a/\n")
    assert run("lint").code == 0
    assert run("lint", "--fail-on", "warning").code == 0
    assert run("lint", "--fail-on", "info").code == 1


def test_fix_applies_only_fixes_that_change_no_verdict(run: RunCommand, bad: Path) -> None:
    ran = run("lint", bad.name, "--fix")
    assert ran.code == 1
    assert bad.read_bytes() == b"User-agent: *\nDisallow: /a.pdf$b\nDisallow /c/\n"
    ran = run("lint", bad.name, "--fix", "--unsafe-fixes", "--ignore", "CF402")
    assert ran.code == 0
    assert bad.read_bytes() == b"User-agent: *\nDisallow: /a.pdf$b\nDisallow: /c/\n"


def test_fixing_a_page_is_an_error(run: RunCommand, folder: Path) -> None:
    page = b"<!DOCTYPE html>\n<html><p>Not found</p></html>"
    (folder / "robots.txt").write_bytes(page)
    ran = run("lint", "--fix")
    assert ran.code == 2
    assert "cannot fix robots.txt: the content is HTML or XML, not a robots.txt" in ran.err
    assert "fixable" not in ran.out
    assert (folder / "robots.txt").read_bytes() == page


def test_help_describes_what_verbose_adds(run: RunCommand) -> None:
    assert "Show the reason, the source and the page of each check." in " ".join(run("lint", "--help").out.split())


def test_fix_for_a_profile_applies_fixes_that_keep_its_verdicts(run: RunCommand, bad: Path) -> None:
    # YandexBot reads `Disallow /c/` only after the fix, and Googlebot reads it before.
    ran = run("lint", bad.name, "--fix", "--for", "googlebot", "--ignore", "CF402")
    assert (ran.code, ran.err) == (0, "")
    assert bad.read_bytes() == b"User-agent: *\nDisallow: /a.pdf$b\nDisallow: /c/\n"
    bad.write_bytes(BAD)
    run("lint", bad.name, "--fix", "--for", "googlebot", "--for", "yandex")
    assert bad.read_bytes() == b"User-agent: *\nDisallow: /a.pdf$b\nDisallow /c/\n"


def test_configuration_chooses_the_profiles_that_fixes_keep(run: RunCommand, bad: Path, folder: Path) -> None:
    (folder / "canfetch.toml").write_text('[lint]\nfix-for = ["googlebot"]\n')
    assert "+Disallow: /c/" in run("lint", bad.name, "--diff").lines
    assert "+Disallow: /c/" not in run("lint", bad.name, "--diff", "--for", "yandex").lines
    assert "+Disallow: /c/" not in run("lint", bad.name, "--diff", "--isolated").lines
    # Options that apply no fixes, or all, do not conflict with it.
    assert run("lint", bad.name).code == 1
    assert "+Disallow: /c/" in run("lint", bad.name, "--diff", "--unsafe-fixes").lines


@pytest.mark.parametrize(
    "options, message",
    [
        (("--for", "google"), "--for requires --fix or --diff"),
        (("--fix", "--for", "googel"), "unknown value 'googel': did you mean 'google'?"),
        (("--fix", "--for", "everyone"), "'everyone' is not one of 'rfc9309', 'strict', 'google2019', 'google'"),
        (("--unsafe-fixes", "--for", "google"), "--for and --unsafe-fixes cannot be used together"),
    ],
)
def test_invalid_choice_of_profiles_is_rejected(
    run: RunCommand, bad: Path, options: tuple[str, ...], message: str
) -> None:
    assert message in run("lint", bad.name, *options).refusal
    assert bad.read_bytes() == BAD


def test_fix_keeps_permissions_and_links(run: RunCommand, bad: Path, folder: Path) -> None:
    bad.chmod(0o640)
    link = folder / "link.txt"
    link.symlink_to(bad.name)
    run("lint", "link.txt", "--fix")
    assert link.is_symlink()
    assert bad.stat().st_mode & 0o777 == 0o640
    assert bad.read_bytes().startswith(b"User-agent: *\nDisallow")


def test_diff_changes_nothing(run: RunCommand, bad: Path) -> None:
    ran = run("lint", bad.name, "--diff")
    assert ran.code == 1
    assert "-  Disallow: /a.pdf$b" in ran.lines
    assert "+Disallow: /a.pdf$b" in ran.lines
    assert bad.read_bytes() == BAD
    bad.write_bytes(b"User-agent: *\nDisallow: /a.pdf$b\n")
    assert run("lint", bad.name, "--diff") == (0, "", "")


@pytest.mark.slow
def test_fixed_standard_input_is_written_to_standard_output(process: RunCommand) -> None:
    ran = process("lint", "-", "--fix", "--format", "ndjson", stdin=b"User-agent: *\n  Disallow: /a/\n")
    assert ran.out == "User-agent: *\nDisallow: /a/\n"
    assert ran.code == 0


@pytest.mark.parametrize("form", ["text", "json", "ndjson"])
def test_fixes_left_because_of_a_limit_are_reported(run: RunCommand, folder: Path, form: str) -> None:
    rules = b"".join(b"Disallow: a%d/\n" % number for number in range(40))
    large = b"User-agent: *\n" + rules + b"#" + b"x" * 400_000 + b"\n"
    (folder / "large.txt").write_bytes(large)
    ran = run("lint", "large.txt", "--fix", "--for", "google", "--format", form)
    assert (folder / "large.txt").read_bytes() == large
    match form:
        case "text":
            assert "fixes were left, because the file has too many rules" in ran.out
        case "json":
            assert json.loads(ran.out)[0]["undecided_fixes"] > 0
        case _:
            last = json.loads(ran.lines[-1])
            assert last == {"file": "large.txt", "undecided_fixes": last["undecided_fixes"]}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "ndjson", "github"])
def test_remaining_findings_of_standard_input_are_on_standard_error(process: RunCommand, form: str) -> None:
    ran = process("lint", "-", "--fix", "--format", form, stdin=BAD)
    assert ran.code == 1
    assert ran.out == "User-agent: *\nDisallow: /a.pdf$b\nDisallow /c/\n"
    assert "CF201" in ran.err
    assert "CF208" not in ran.err


def test_checks_are_listed_and_explained(run: RunCommand) -> None:
    ran = run("lint", "--list-checks")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.lines] == [check.code for check in CHECKS]
    assert run("lint", "--explain", "CF201").out == run("lint", "--explain", "missing-colon").out
    assert "RFC 9309 requires a colon" in run("lint", "--explain", "missing-colon").out


def test_checks_are_described_as_json(run: RunCommand) -> None:
    listed = json.loads(run("lint", "--list-checks", "--format", "json").out)
    assert [row["code"] for row in listed] == [check.code for check in CHECKS]
    (explained,) = json.loads(run("lint", "--explain", "CF201", "--format", "json", "--severities", "google").out)
    (line,) = run("lint", "--explain", "CF201", "--format", "ndjson").lines
    expected = next(row for row in listed if row["code"] == "CF201")
    assert json.loads(line) == expected
    assert explained["name"] == expected["name"] == "missing-colon"
    assert explained["severity"] in {"error", "warning", "info", None}
    assert expected.keys() == {"code", "name", "severity", "fixable", "title", "why", "how_to_fix", "source"}
    for option in (("--list-checks",), ("--explain", "CF201")):
        for more, message in (
            (("--format", "sarif"), f"{option[0]} supports --format text, json, ndjson, not sarif"),
            (("--output", "out.txt"), f"{option[0]} and --output cannot be used together"),
        ):
            assert run("lint", *option, *more) == (2, "", f"canfetch: {message}\n")


@pytest.mark.parametrize("language", ["it", "es", "ko", "de", "ja"])
def test_language_option_translates_messages(run: RunCommand, bad: Path, language: str) -> None:
    english, other = (run("lint", bad.name, "--language", name) for name in ("en", language))
    assert other.code == english.code == 1
    assert len(other.lines) == len(english.lines)
    assert not set(other.lines) & {line for line in english.lines if line.startswith("  fix:") or "Found " in line}


def test_colours_are_only_written_to_terminals(run: RunCommand, bad: Path) -> None:
    assert "\x1b[" not in run("lint", bad.name).out
    assert "\x1b[31m" in run("lint", bad.name, env={"FORCE_COLOR": "1"}).out
    assert "\x1b[" not in run("lint", bad.name, "--no-color", env={"FORCE_COLOR": "1"}).out


def test_control_characters_of_a_file_are_escaped(run: RunCommand, folder: Path) -> None:
    (folder / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /\x1b[31m$x\n")
    assert "\x1b" not in run("lint").out


def test_origin_is_fetched_and_its_response_checked(run: RunCommand) -> None:
    with sites("busy") as (broken,):
        ran = run("lint", broken.origin, "--format", "json", "--store", "none")
    (report,) = json.loads(ran.out)
    assert ran.code == 1
    assert report["name"] == f"{broken.origin}/robots.txt"
    assert "CF801" in [finding["code"] for finding in report["findings"]]


def test_siblings_option_fetches_from_the_other_scheme(run: RunCommand, site: Site) -> None:
    ran = run("lint", site.origin, "--siblings", "--format", "json", "--store", "none", "--timeout", "5")
    assert ran.code in {0, 1}
    assert json.loads(ran.out)[0]["name"] == f"{site.origin}/robots.txt"


def test_page_option_checks_a_page_of_the_site(run: RunCommand, folder: Path) -> None:
    pytest.importorskip("lxml")
    (folder / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /hidden/\n")
    (folder / "page.html").write_bytes(b'<html><head><meta name="robots" content="noindex"></head></html>')
    ran = run("lint", "--page", "https://example.com/hidden/x", "page.html", "--format", "ndjson")
    assert "CF706" in [json.loads(line)["code"] for line in ran.lines]


def test_robots_url_option_sets_the_location(run: RunCommand, folder: Path) -> None:
    (folder / "robots.txt").write_bytes(GOOD)
    assert run("lint", "--robots-url", "https://example.com/robots.txt").code == 0
    ran = run("lint", "--robots-url", "https://example.com/pages/robots.txt", "--format", "ndjson")
    assert [json.loads(line)["code"] for line in ran.lines] == ["CF102"]


def wait_for(look: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not look():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def replace(file: Path, content: bytes) -> None:
    """Replace a file at once, so that a command that watches it never reads a part."""
    new = file.with_suffix(".new")
    new.write_bytes(content)
    new.replace(file)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are of another kind there")
def test_watching_reports_each_change_until_interrupted(folder: Path, start: StartProcess) -> None:
    (folder / "robots.txt").write_bytes(GOOD)
    out = folder / "out.txt"
    with out.open("wb") as stream, start("lint", "--watch", stdout=stream) as watching:
        try:
            wait_for(lambda: b"No problems found." in out.read_bytes())
            replace(folder / "robots.txt", BAD)
            wait_for(lambda: b"CF402" in out.read_bytes())
            replace(folder / "robots.txt", GOOD + b"# more\n")
            wait_for(lambda: out.read_bytes().count(b"No problems found.") == 2)
            watching.send_signal(signal.SIGINT)
            assert watching.wait(timeout=120) == 130
        finally:
            watching.kill()


def test_fixed_standard_input_with_a_document_requires_output(run: RunCommand, folder: Path) -> None:
    arguments = ("lint", "-", "--unsafe-fixes", "--format", "json")
    assert "--format json requires --output FILE" in run(*arguments, stdin=BAD).refusal
    fixed = run(*arguments, "--output", "report.json", stdin=BAD)
    assert fixed.out.startswith("User-agent: ")
    assert [report["schema"] for report in json.loads((folder / "report.json").read_text(encoding="utf-8"))] == [
        "canfetch.lint/1"
    ]


@pytest.mark.parametrize(
    "files, reported",
    [
        # The example of the document.
        (["site/robots.txt", "site/pages/robots.txt"], {"site/pages/robots.txt": "/pages/robots.txt"}),
        (["site/pages/robots.txt"], {"site/pages/robots.txt": "/pages/robots.txt"}),
        (["site/index.html", "site/shop/eu/robots.txt"], {"site/shop/eu/robots.txt": "/shop/eu/robots.txt"}),
        # Collections of hosts, roots of sites, and projects.
        (["site/a.example.com/robots.txt", "site/b.example.com/robots.txt"], {}),
        (["site/robots.txt", "site/example.org/robots.txt"], {}),
        (["site/customer/robots.txt", "site/other/robots.txt"], {}),
        (["site/index.html", "site/public/robots.txt"], {}),
        (["site/package.json", "site/robots.txt", "site/fixtures/robots.txt"], {}),
        (["site/robots.txt", "site/project/package.json", "site/project/robots.txt"], {}),
        (["site/robots.txt", "site/project/.git/HEAD", "site/project/files/robots.txt"], {}),
        (["site/.git/HEAD", "site/pages/robots.txt"], {}),
        # A site in a repository.
        (
            ["site/.git/HEAD", "site/robots.txt", "site/pages/robots.txt"],
            {"site/pages/robots.txt": "/pages/robots.txt"},
        ),
        (
            ["site/package.json", "site/index.html", "site/pages/eu/robots.txt"],
            {"site/pages/eu/robots.txt": "/pages/eu/robots.txt"},
        ),
        (["site/robots.txt"], {}),
    ],
)
def test_google_a_file_in_a_subfolder_of_a_site_is_never_read(
    run: RunCommand, folder: Path, files: list[str], reported: dict[str, str]
) -> None:
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(GOOD)
    ran = run("lint", "site", "--select", "CF102", "--format", "json")
    found = {report["name"]: report["findings"] for report in json.loads(ran.out) if report["findings"]}
    assert {name: findings[0]["message"].split("`")[1] for name, findings in found.items()} == reported
    assert ran.code == (1 if reported else 0)


def test_a_file_that_is_an_argument_may_be_published_anywhere(run: RunCommand, folder: Path) -> None:
    (folder / "pages").mkdir()
    for name in ("robots.txt", "pages/robots.txt"):
        (folder / name).write_bytes(GOOD)
    assert run("lint", "pages/robots.txt", "--select", "CF102").code == 0
    assert run("lint", ".", "--select", "CF102").code == 1


@pytest.mark.parametrize("name", ["killer-robots.txt", "robots.txt.txt", "Robots.txt", "robots", "robot.txt"])
def test_a_misnamed_file_in_a_folder_is_reported(run: RunCommand, folder: Path, name: str) -> None:
    site = folder / "site"
    site.mkdir()
    (site / name).write_bytes(GOOD)
    (site / "robots.html").write_bytes(b"<p>About robots</p>")
    ran = run("lint", "site", "--select", "CF101")
    assert ran.code == 1
    assert f"the file is named `{name}`" in ran.out
    assert "robots.html" not in ran.out
    # A joke beside the file is not meant as the file.
    if name != "Robots.txt":
        (site / "robots.txt").write_bytes(GOOD)
        assert run("lint", "site", "--select", "CF101").code == 0


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "json", "ndjson", "github"])
def test_many_files_are_linted_by_several_processes(run: RunCommand, folder: Path, form: str) -> None:
    for number in range(400):
        site = folder / "sites" / f"{number:03}"
        site.mkdir(parents=True)
        rule = "Disalow: /a\n" if number % 7 == 0 else f"Disallow: /{number}\n"
        (site / "robots.txt").write_text(f"User-agent: *\n{rule}")
    (folder / "sites" / "100" / "robots.txt").unlink()
    (folder / "sites" / "100" / "robots.txt").symlink_to("missing")
    alone = run("lint", "sites", "--format", form, "--jobs", "1")
    together = run("lint", "sites", "--format", form, "--jobs", "2")
    assert (together.code, together.out, together.err) == (alone.code, alone.out, alone.err)
    assert together.code == 2
    assert "sites/100/robots.txt" in together.err
    assert together.out.count("Disalow") >= 58
