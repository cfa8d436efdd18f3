"""`canfetch check`: answers, exit codes and formats."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import canfetch

Run = Any


def objects(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def rows(out: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out)))


def test_allowed_is_exit_0(ask: Run) -> None:
    ran = ask("check", "https://example.com/shop/fish")
    assert ran == (0, "allowed     https://example.com/shop/fish  GPTBot  line 6, Allow: /shop/\n", "")


def test_disallowed_is_exit_1(ask: Run) -> None:
    ran = ask("check", "/shop/cart/1")
    assert ran == (1, "disallowed  /shop/cart/1  GPTBot  line 7, Disallow: /shop/cart\n", "")


def test_one_disallowed_among_many_is_exit_1_and_lines_are_aligned(run: Run) -> None:
    ran = run("check", "/shop/", "/x", "--agent", "GPTBot", "--agent", "ExampleBot", "--robots", "robots.txt")
    assert ran.code == 1
    assert ran.lines == [
        "allowed     /shop/  GPTBot      line 6, Allow: /shop/",
        "allowed     /shop/  ExampleBot  no rule for * matches",
        "disallowed  /x      GPTBot      line 8, Disallow: /",
        "allowed     /x      ExampleBot  no rule for * matches",
    ]


def test_invalid_url_is_exit_2_and_the_other_urls_are_checked(ask: Run) -> None:
    ran = ask("check", "/x", "fish", "/shop/")
    assert ran.code == 2
    assert [line.split()[:2] for line in ran.lines] == [["disallowed", "/x"], ["allowed", "/shop/"]]
    assert ran.err == (
        "canfetch: invalid URL 'fish': expected an absolute URL, '//host/path', or a path starting with '/'\n"
    )


def test_chain_is_shown_once_and_exact_turns_it_off(run: Run) -> None:
    arguments = ("check", "/shop/cart", "/private/", "--agent", "googlebot-image", "--robots", "robots.txt")
    chained = run(*arguments)
    assert chained.lines == [
        "# googlebot-image is matched as Googlebot-Image, then Googlebot, then *",
        "disallowed  /shop/cart  googlebot-image  line 12, Disallow: /shop/cart",
        "allowed     /private/   googlebot-image  no rule for Googlebot matches",
    ]
    exact = run(*arguments, "--exact")
    assert exact.lines == [
        "allowed     /shop/cart  googlebot-image  no rule for * matches",
        "disallowed  /private/   googlebot-image  line 2, Disallow: /private/",
    ]


def test_chain_of_a_crawler_that_ignores_star(run: Run) -> None:
    ran = run("check", "/private/", "--agent", "AdsBot-Google", "--robots", "robots.txt")
    assert ran.code == 0
    assert ran.lines[0] == "# AdsBot-Google is matched as AdsBot-Google, and never *"


def test_robots_from_standard_input(run: Run) -> None:
    ran = run("check", "/x", "--agent", "ExampleBot", "--robots", "-", stdin=b"User-agent: *\nDisallow: /x")
    assert (ran.code, ran.out) == (1, "disallowed  /x  ExampleBot  line 2, Disallow: /x\n")


def test_urls_from_a_file_and_from_arguments(ask: Run, folder: Path) -> None:
    (folder / "urls.txt").write_bytes(b"\xef\xbb\xbf/one\r\n\n   /shop/two  \n/three")
    ran = ask("check", "/zero", "--urls-file", "urls.txt")
    assert [line.split()[1] for line in ran.lines] == ["/zero", "/one", "/shop/two", "/three"]


def test_invalid_url_in_a_file_is_reported_with_its_line(ask: Run, folder: Path) -> None:
    (folder / "urls.txt").write_text("/one\n\nfish\n/shop/two\n", encoding="utf-8")
    ran = ask("check", "--urls-file", "urls.txt")
    assert ran.code == 2
    assert ran.err.startswith("canfetch: urls.txt:3: invalid URL 'fish': expected ")
    assert len(ran.lines) == 2


def test_urls_from_standard_input(ask: Run) -> None:
    ran = ask("check", "--urls-file", "-", stdin=b"/shop/\nfish\n")
    assert ran.code == 2
    assert ran.lines == ["allowed     /shop/  GPTBot  line 6, Allow: /shop/"]
    assert ran.err.startswith("canfetch: standard input:2: invalid URL 'fish': ")


def test_agents_from_a_file_each_once(run: Run, folder: Path) -> None:
    (folder / "agents.txt").write_text("# crawlers\n\nGPTBot  # OpenAI\nExampleBot\nGPTBot\n", encoding="utf-8")
    ran = run("check", "/x", "--agent", "ExampleBot", "--agents-file", "agents.txt", "--robots", "robots.txt")
    assert [line.split()[2] for line in ran.lines] == ["ExampleBot", "GPTBot"]


def test_json_is_a_list_of_the_documented_objects(ask: Run) -> None:
    ran = ask("check", "/shop/cart", "fish", "--format", "json")
    verdict, error = json.loads(ran.out)
    robots = canfetch.parse(b"User-agent: GPTBot\nDisallow: /shop/cart")
    expected = robots.decide("/shop/cart", agent="GPTBot").to_json()
    # The facts that the file states come behind.
    assert list(verdict)[: 2 + len(expected)] == ["url", "agent_name", *expected]
    assert (verdict["url"], verdict["agent_name"], verdict["allowed"]) == ("/shop/cart", "GPTBot", False)
    assert verdict["rule"] == {"type": "disallow", "pattern": "/shop/cart", "line": 7, "specificity": 10}
    assert [rule["line"] for rule in verdict["also_matched"]] == [6, 8]
    assert list(error) == ["url", "agent_name", "allowed", "error"]
    assert error["allowed"] is None
    assert ran.err == f"canfetch: {error['error']}\n"


def test_json_names_the_chain(run: Run) -> None:
    ran = run("check", "/", "--agent", "bingbot", "--robots", "robots.txt", "--format", "json")
    assert json.loads(ran.out)[0]["agent"] == {"tokens": ["bingbot", "msnbot"], "star_applies": True}


def test_ndjson_has_one_object_per_line_in_order(run: Run) -> None:
    ran = run("check", "/a", "fish", "--agent", "A", "--agent", "B", "--robots", "robots.txt", "--format", "ndjson")
    found = objects(ran.out)
    pairs = [(one["url"], one["agent_name"], "error" in one) for one in found]
    assert pairs == [("/a", "A", False), ("/a", "B", False), ("fish", "A", True), ("fish", "B", True)]
    assert ran.err.count("\n") == 1


def test_csv_has_a_header_and_a_row_for_each(ask: Run) -> None:
    ran = ask("check", "/shop/cart", "/robots.txt", 'fi"sh,', "--format", "csv")
    cart, robots, fish = rows(ran.out)
    assert ran.out.startswith(
        "url,agent_name,allowed,reason,rule_type,rule_pattern,rule_line,rule_specificity,"
        "group_choice,group_token,target,profile,error\n"
    )
    assert (cart["allowed"], cart["rule_pattern"], cart["rule_line"]) == ("false", "/shop/cart", "7")
    assert (robots["allowed"], robots["reason"], robots["rule_line"]) == ("true", "robots-txt", "")
    assert (fish["url"], fish["allowed"]) == ('fi"sh,', "")
    assert fish["error"].startswith("invalid URL 'fi\"sh,'")


@pytest.mark.parametrize("urls, code", [(["/shop/"], 0), (["/shop/", "/x"], 1), (["/x", "fish", "/shop/"], 2)])
def test_quiet_is_the_exit_code_alone(ask: Run, urls: list[str], code: int) -> None:
    ran = ask("check", *urls, "--quiet")
    assert (ran.code, ran.out) == (code, "")
    assert bool(ran.err) is (code == 2)


@pytest.mark.slow
def test_quiet_over_a_long_list_finds_the_one(ask: Run, folder: Path) -> None:
    good = "/shop/fish\n" * 10_000
    (folder / "urls.txt").write_text(good + "/shop/cart\n" + good, encoding="utf-8")
    assert ask("check", "-q", "--urls-file", "urls.txt") == (1, "", "")
    (folder / "urls.txt").write_text(good + "/shop/cart\nfish\n" + good, encoding="utf-8")
    ran = ask("check", "-q", "--urls-file", "urls.txt")
    assert ran.refusal.startswith("canfetch: urls.txt:10002: invalid URL 'fish'")


def test_robots_url_makes_another_origin_an_error(ask: Run) -> None:
    ran = ask(
        "check", "https://example.com/shop/", "https://example.org/", "--robots-url", "https://example.com/robots.txt"
    )
    assert ran.code == 2
    assert len(ran.lines) == 1
    assert ran.err.startswith("canfetch: 'https://example.org/' belongs to https://example.org, but this file governs")
    quiet = ask("check", "https://example.org/", "--robots-url", "https://example.com/robots.txt", "-q")
    assert (quiet.code, quiet.out) == (2, "")


@pytest.mark.parametrize("profile, allowed", [("rfc9309", False), ("strict", True)])
def test_profile_option_selects_the_parsing_profile(run: Run, profile: str, *, allowed: bool) -> None:
    robots = b"User-agent: ExampleBot\nDisalow: /\n"
    ran = run("check", "/", "--agent", "ExampleBot", "--robots", "-", "--profile", profile, stdin=robots)
    assert ran.code == (0 if allowed else 1)


@pytest.mark.slow
def test_engine_is_chosen_by_option_and_by_environment(ask: Run, process: Run) -> None:
    assert "engine python" in ask("explain", "/shop/", "--engine", "python").out
    arguments = ("explain", "/shop/", "--agent", "GPTBot", "--robots", "robots.txt")
    assert "engine python" in process(*arguments, env={"CANFETCH_ENGINE": "python"}).out


def test_max_bytes_cuts_the_file(run: Run, folder: Path) -> None:
    (folder / "big.txt").write_bytes(b"User-agent: *\n" + b"#" * 600_000 + b"\nDisallow: /\n")
    arguments = ("check", "/", "--agent", "ExampleBot", "--robots", "big.txt")
    assert run(*arguments).code == 0
    assert run(*arguments, "--max-bytes", "700000").code == 1


@pytest.mark.parametrize("characters, code", [(255_950, 1), (255_980, 0)])
def test_the_limit_counts_the_bytes_of_a_utf16_file(run: Run, folder: Path, characters: int, code: int) -> None:
    text = "User-agent: *\n" + "#" * characters + "\nDisallow: /\n"
    (folder / "wide.txt").write_bytes(b"\xff\xfe" + text.encode("utf-16-le"))
    assert run("check", "/", "--agent", "ExampleBot", "--robots", "wide.txt").code == code


@pytest.mark.slow
def test_version_names_engine_and_python(process: Run) -> None:
    ran = process("--version", env={"CANFETCH_ENGINE": "python"})
    assert ran.code == 0
    assert ran.out.startswith(f"canfetch {canfetch.__version__}, engine python, ")
