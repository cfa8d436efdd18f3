"""`canfetch agents`: list, show and find."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.shell_completion import ShellComplete

from canfetch.agents import CRAWLERS
from canfetch.cli.main import cli

Run = Any
HEADER = "Mozilla/5.0 (compatible; Googlebot-Image/1.0; +http://www.google.com/bot.html)"


def rows_of(out: str, form: str) -> list[dict[str, Any]]:
    if form == "csv":
        return list(csv.DictReader(io.StringIO(out)))
    return json.loads(out) if form == "json" else [json.loads(line) for line in out.splitlines()]


def test_list_as_text(run: Run) -> None:
    ran = run("agents", "list")
    assert (ran.code, ran.err) == (0, "")
    assert ran.lines[0].split() == ["NAME", "OPERATOR", "PURPOSES", "OBEYS", "TOKENS"]
    assert [line.split()[0] for line in ran.lines[1:]] == [crawler.name for crawler in CRAWLERS]
    (line,) = [line for line in ran.lines if line.startswith("Googlebot-Image ")]
    assert line.endswith("Googlebot-Image, then Googlebot, then *")


@pytest.mark.parametrize("form", ["json", "ndjson", "csv"])
def test_list_in_structured_formats(run: Run, form: str) -> None:
    ran = run("agents", "list", "--format", form)
    assert (ran.code, ran.err) == (0, "")
    rows = rows_of(ran.out, form)
    assert [row["name"] for row in rows] == [crawler.name for crawler in CRAWLERS]
    bing = next(row for row in rows if row["name"] == "bingbot")
    if form == "csv":
        assert (bing["tokens"], bing["star_applies"], bing["honours"]) == (
            "bingbot msnbot",
            "true",
            "crawl-delay sitemap",
        )
        assert bing["host_names"] == ".search.msn.com"
    else:
        assert bing == next(crawler for crawler in CRAWLERS if crawler.name == "bingbot").to_json()


@pytest.mark.parametrize(
    "options, keeps",
    [
        (("--purpose", "training"), lambda row: "training" in row["purposes"]),
        (("--purpose", "ads", "--purpose", "seo"), lambda row: {"ads", "seo"} & set(row["purposes"])),
        (("--operator", "google"), lambda row: row["operator"] == "Google"),
        (("--obeys", "no", "--obeys", "might-ignore"), lambda row: row["obeys"] in {"no", "might-ignore"}),
        (
            ("--operator", "OpenAI", "--obeys", "yes", "--purpose", "search-index"),
            lambda row: row["name"] == "OAI-SearchBot",
        ),
    ],
)
def test_list_filters(run: Run, options: tuple[str, ...], keeps: Any) -> None:
    ran = run("agents", "list", *options, "--format", "json")
    everyone = [crawler.to_json() for crawler in CRAWLERS]
    assert ran.code == 0
    assert json.loads(ran.out) == [row for row in everyone if keeps(row)] != []


@pytest.mark.parametrize("form, out", [("text", ""), ("json", "[]\n"), ("ndjson", ""), ("csv", "")])
def test_list_without_a_match_is_exit_1(run: Run, form: str, out: str) -> None:
    ran = run("agents", "list", "--operator", "Nobody", "--format", form)
    assert (ran.code, ran.out) == (1, out)
    assert ran.err.startswith("canfetch: no crawler matches these filters")


def test_show_prints_all_facts(run: Run) -> None:
    ran = run("agents", "show", "googlebot-image", "Google-Extended", "msnbot")
    assert (ran.code, ran.err) == (0, "")
    image, extended, old = ran.out.split("\n\n")
    assert image.splitlines()[0] == "Googlebot-Image"
    assert "  tokens      Googlebot-Image, then Googlebot, then *" in image
    assert "  verify      reverse DNS returns a name under .googlebot.com that resolves back to the address" in image
    assert "(checked 2026-" in image
    assert "  header      none: the token is only used in robots.txt" in extended
    assert "  verify      not applicable: it fetches nothing" in extended
    assert "  operator    Microsoft (retired)" in old


@pytest.mark.parametrize("form", ["json", "ndjson", "csv"])
def test_show_in_structured_formats(run: Run, form: str) -> None:
    ran = run("agents", "show", "AdsBot-Google", "GPTBot", "--format", form)
    rows = rows_of(ran.out, form)
    assert [row["name"] for row in rows] == ["AdsBot-Google", "GPTBot"]
    assert rows[0]["star_applies"] in {False, "false"}


def test_show_of_an_unknown_name_is_exit_1(run: Run) -> None:
    ran = run("agents", "show", "Example\x1bBot", "GPTBot")
    assert ran.code == 1
    assert ran.out.startswith("GPTBot\n")
    assert ran.err.startswith("canfetch: unknown crawler 'Example%1BBot'")


def test_name_of_an_operator_is_noted_and_changes_no_exit_code(run: Run) -> None:
    ran = run("check", "/", "--agent", "Google", "--robots", "robots.txt")
    assert (ran.code, ran.err) == (0, GOOGLE)
    assert run("explain", "/", "--agent", "Google", "--robots", "robots.txt").err == GOOGLE


def test_show_of_an_operator_names_its_crawlers(run: Run) -> None:
    expected = "unknown crawler 'Google': did you mean 'Googlebot' or 'Google-Extended'? (run 'canfetch agents list' to"
    assert run("agents", "show", "Google").err.startswith(f"canfetch: {expected}")
    assert "unknown crawler 'all': run 'canfetch agents list'" in run("agents", "show", "all").err


def test_find_as_text(run: Run) -> None:
    ran = run("agents", "find", HEADER, "curl/8\x1b[31m")
    assert ran.code == 1
    assert ran.lines == [f"Googlebot-Image       {HEADER}", "-                     curl/8%1B[31m"]
    assert run("agents", "find", HEADER).code == 0


@pytest.mark.parametrize("form", ["json", "ndjson", "csv"])
def test_find_in_structured_formats(run: Run, form: str) -> None:
    stdin = f"{HEADER}\n\ncurl/8.0\n".encode()
    ran = run("agents", "find", "--headers-file", "-", "--format", form, stdin=stdin)
    rows = rows_of(ran.out, form)
    assert ran.code == 1
    assert [row["user_agent"] for row in rows] == [HEADER, "curl/8.0"]
    if form == "csv":
        assert [row["name"] for row in rows] == ["Googlebot-Image", ""]
    else:
        assert rows[0]["crawler"]["name"] == "Googlebot-Image"
        assert rows[1]["crawler"] is None


@pytest.mark.parametrize(
    "arguments, text",
    [
        (("find",), "no User-Agent header: pass one or more, or --headers-file FILE"),
        (("find", "--headers-file", "missing.txt"), "--headers-file 'missing.txt': no such file"),
        (("show",), "missing argument"),
        (("list", "--purpose", "fun"), "'fun' is not one of"),
        (("list", "--format", "xml"), "'xml' is not one of"),
    ],
)
def test_invalid_arguments_are_exit_2(run: Run, arguments: tuple[str, ...], text: str) -> None:
    assert text in run("agents", *arguments).refusal


@pytest.mark.parametrize("arguments", [["show"], ["verify"], ["refresh", "addresses.json"]], ids=lambda words: words[0])
def test_names_are_completed(arguments: list[str]) -> None:
    complete = ShellComplete(cli, {}, "canfetch", "_CANFETCH_COMPLETE")
    found = [item.value for item in complete.get_completions(["agents", *arguments], "googlebot-")]
    assert found == ["Googlebot-Image", "Googlebot-Video", "Googlebot-News"]


@pytest.mark.parametrize(
    "name, nearest", [("GTPBot", "GPTBot"), ("Googlbot", "Googlebot"), ("GPTBott", "GPTBot"), ("gptbat", "GPTBot")]
)
def test_token_like_a_known_one_is_noted(run: Run, name: str, nearest: str) -> None:
    ran = run("check", "/", "--agent", name, "--robots", "robots.txt")
    assert (ran.code, ran.err) == (0, f"canfetch: note: unknown crawler {name!r}: did you mean {nearest!r}?\n")
    for more in ("--exact", "--quiet"):
        assert run("check", "/", "--agent", name, "--robots", "robots.txt", more).err == ""


@pytest.mark.parametrize("name, valid", [("GPTBot,CCBot", "GPTBot"), ("GPTBot*", "GPTBot"), (",", "GPTBot")])
@pytest.mark.parametrize("exact", [(), ("--exact",)], ids=["registry", "exact"])
def test_token_that_no_group_can_name_is_refused(run: Run, name: str, valid: str, exact: tuple[str, ...]) -> None:
    ran = run("check", "/", "--agent", name, "--robots", "robots.txt", *exact)
    expected = f"expected one name without ',', '*' and '#', such as {valid!r}; pass several names separately"
    assert (ran.code, ran.out, ran.err) == (2, "", f"canfetch: invalid agent {name!r}: {expected}\n")


LIVE = "https://[::1]:1/"
COMMANDS = {
    "check": ("check", "/", "--robots", "robots.txt"),
    "check --robots-dir": ("check", "https://a.example/", "--robots-dir", "sites"),
    "check URL": ("check", LIVE),
    "explain": ("explain", "/", "--robots", "robots.txt"),
    "explain URL": ("explain", LIVE),
    "matrix": ("matrix", "/", "--robots", "robots.txt"),
    "matrix URL": ("matrix", LIVE),
    "diff": ("diff", "robots.txt", "robots.txt"),
    "page": ("page", "--response-header", "X-Robots-Tag: noindex"),
    "page URL": ("page", LIVE),
    "bulk decide": ("bulk", "decide", "empty.ndjson", "-o", "decisions.csv", "--force"),
    "bulk matrix": ("bulk", "matrix", "empty.ndjson", "-o", "decisions.csv", "--force"),
    "bulk filter": ("bulk", "filter", "urls.csv", "--robots", "empty.ndjson", "-o", "decisions.csv", "--force"),
    "study": ("study", "definitions", "empty.ndjson", "-o", "study.csv", "--force"),
    "watch": ("watch", LIVE, "https://[::1]:2", "--once", "--history", "history.sqlite"),
}
JSON_COMMANDS = [name for name in COMMANDS if not name.startswith(("bulk", "study"))]
GOOGLE = "canfetch: note: unknown crawler 'Google': did you mean 'Googlebot' or 'Google-Extended'?\n"


@pytest.fixture
def inputs(folder: Path) -> Path:
    (folder / "empty.ndjson").write_text("")
    (folder / "urls.csv").write_text("url\n")
    (folder / "sites").mkdir()
    (folder / "sites" / "a.example.txt").write_text("User-agent: *\nDisallow: /b\n")
    return folder


@pytest.mark.slow
@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_several_names_and_notes_a_misspelt_one(run: Run, command: str) -> None:
    ran = run(*COMMANDS[command], "--agent", "GPTBot,CCBot")
    assert ran.refusal.startswith("canfetch: invalid agent 'GPTBot,CCBot': expected one name without ")
    misspelt = "canfetch: note: unknown crawler 'GPTBto': did you mean 'GPTBot'?\n"
    noted = run(*COMMANDS[command], "--agent", "GPTBto", "--agent", "Google", "--agent", "GPTBto")
    assert [noted.err.count(note) for note in (misspelt, GOOGLE)] == [1, 1]
    assert "note" not in noted.out


@pytest.mark.slow
@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "study"])
def test_exact_names_are_not_noted(run: Run, command: str) -> None:
    assert "note" not in run(*COMMANDS[command], "--agent", "GPTBto", "--exact").err


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize("command", JSON_COMMANDS)
def test_notes_are_not_in_json(run: Run, command: str) -> None:
    form = "ndjson" if command == "watch" else "json"
    ran = run(*COMMANDS[command], "--agent", "Google", "--format", form)
    assert ran.err.count(GOOGLE) == 1
    assert "did you mean" not in ran.out
    for text in ran.lines if form == "ndjson" else [ran.out]:
        json.loads(text)


@pytest.mark.slow
@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize("command", [*(name for name in COMMANDS if name.startswith(("check", "bulk")))])
def test_own_crawlers_are_in_notes(run: Run, inputs: Path, command: str) -> None:
    (inputs / "own.toml").write_text(
        '[[crawler]]\ntokens = ["OwnFetcher"]\noperator = "Own"\npurposes = ["search-index"]\n'
        'source = "https://own.example/bot"\n'
    )
    ran = run(*COMMANDS[command], "--agent", "OwnFetchr", "--agents-registry", "own.toml")
    assert "canfetch: note: unknown crawler 'OwnFetchr': did you mean 'OwnFetcher'?\n" in ran.err


@pytest.mark.parametrize("command", ["check", "explain", "matrix", "page", "diff"])
def test_a_name_in_the_file_is_not_noted(run: Run, folder: Path, command: str) -> None:
    (folder / "own.txt").write_text("User-agent: dcbot\nDisallow: /a\n")
    (folder / "other.txt").write_text("User-agent: *\nDisallow: /b\n")
    files: tuple[str, ...] = ("/", "--robots", "own.txt")
    if command == "diff":
        files = ("other.txt", "own.txt")
    elif command == "page":
        files = ("https://a.example/", "--robots", "own.txt", "--response-header", "X-Robots-Tag: all")
    assert run(command, *files, "--agent", "DCBot").err == ""
    assert run(command, *files, "--agent", "DCBot", "--profile", "google2019").err == ""
    assert "did you mean 'GPTBot'?" in run(command, *files, "--agent", "GPTBto").err


@pytest.mark.parametrize("name", ["GPTBot", "gptbot", "ExampleBot", "MyGoogleBotClone", "bot", "*"])
def test_other_tokens_are_not_noted(run: Run, name: str) -> None:
    assert run("check", "/", "--agent", name, "--robots", "robots.txt").err == ""


def test_wikipedia_ask_follows_the_standard(run: Run) -> None:
    assert "  compliance  obeys robots.txt, according to a third party" in run("agents", "show", "Teoma").lines


def test_show_tells_statements_of_the_operator_from_those_of_others(run: Run) -> None:
    own = run("agents", "show", "bingbot")
    assert "  compliance  obeys robots.txt, according to its operator" in own.lines
    assert own.lines[-1].endswith(" (checked 2026-11-20)")
    other = run("agents", "show", "ia_archiver")
    assert "  compliance  ignores robots.txt, according to a third party" in other.lines
    assert other.lines[-1].endswith(" (third party, checked 2026-11-20)")


def test_list_finds_every_purpose_of_a_crawler(run: Run) -> None:
    for purpose in ("archive", "training"):
        ran = run("agents", "list", "--purpose", purpose, "--operator", "Common Crawl", "--format", "csv")
        assert (ran.code, ran.lines[1].split(",")[:3]) == (0, ["CCBot", "Common Crawl", "archive training"])
