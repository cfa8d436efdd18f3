"""`canfetch explain`: the deciding line and what led to it."""

import json
from pathlib import Path
from typing import Any

Run = Any


def test_deciding_line_is_shown_with_number_and_marker(ask: Run) -> None:
    ran = ask("explain", "https://example.com/shop/cart?x=1#top", "--engine", "python")
    assert ran.code == 1
    assert ran.out == (
        "disallowed: GPTBot may not fetch https://example.com/shop/cart?x=1#top\n"
        "  line 7 decides: the most specific matching rule wins\n"
        "\n"
        "  robots.txt:7\n"
        "  4 | User-agent: GPTBot\n"
        "    | ...\n"
        "  7 | Disallow: /shop/cart   # no carts\n"
        "    |           ^^^^^^^^^^ 10 bytes\n"
        "\n"
        "  also matched\n"
        "  6 | Allow: /shop/  6 bytes: less specific\n"
        "  8 | Disallow: /    1 byte: less specific\n"
        "\n"
        "  group     GPTBot, line 4: its own token\n"
        "  target    /shop/cart?x=1\n"
        "  tokens    GPTBot, then *\n"
        "  parser    profile rfc9309, engine python\n"
    )


def test_group_of_a_fallback_token_is_explained(run: Run) -> None:
    ran = run("explain", "/shop/cart", "--agent", "Googlebot-Image", "--robots", "robots.txt")
    assert "  group     Googlebot, line 10: no line names Googlebot-Image\n" in ran.out
    assert "  tokens    Googlebot-Image, then Googlebot, then * (from the registry; see --exact)\n" in ran.out


def test_star_group_is_explained(run: Run) -> None:
    ran = run("explain", "/x", "--agent", "bingbot", "--robots", "robots.txt")
    assert ran.lines[:5] == [
        "allowed: bingbot may fetch /x",
        "  no rule of the agent's group matches, so the URL is allowed",
        "",
        "  robots.txt:1",
        "  1 | User-agent: *",
    ]
    assert "  group     *, line 1: no line names bingbot or msnbot" in ran.lines


def test_missing_group_is_explained(run: Run) -> None:
    robots = b"User-agent: *\nDisallow: /"
    ran = run("explain", "/x", "--agent", "AdsBot-Google", "--robots", "-", stdin=robots)
    assert ran.code == 0
    assert "  no group applies to the agent, so nothing is disallowed" in ran.lines
    assert "  group     none: no line names AdsBot-Google, and * does not apply to it" in ran.lines
    star_only = run("explain", "/x", "--agent", "ExampleBot", "--robots", "-")
    assert "  group     none: no line names ExampleBot or *" in star_only.lines


def test_groups_are_merged_and_ties_explained(run: Run) -> None:
    robots = b"User-agent: a\nDisallow: /fish\n\nUser-agent: a\nAllow: /fish\nDisallow: /fish\n"
    ran = run("explain", "/fish", "--agent", "a", "--robots", "-", stdin=robots)
    assert "  line 5 decides: of equally specific rules, allow wins" in ran.lines
    assert "  standard input:5" in ran.lines
    assert "  2 | Disallow: /fish  5 bytes: equally specific, and allow wins" in ran.lines
    assert "  group     a, lines 1, 4, merged: its own token" in ran.lines


def test_of_two_equal_rules_the_earlier_line_decides(run: Run) -> None:
    robots = b"User-agent: a\nDisallow: /fish\nDisallow: /fish\n"
    ran = run("explain", "/fish", "--agent", "a", "--robots", "-", stdin=robots)
    assert "  3 | Disallow: /fish  5 bytes: equally specific, on a later line" in ran.lines


def test_only_rule_and_many_group_lines(run: Run) -> None:
    robots = b"User-agent: a\nAllow: /\n" * 12
    ran = run("explain", "/fish", "--agent", "a", "--robots", "-", stdin=robots)
    assert "  group     a, lines 1, 3, 5, 7, 9, 11, 13, 15 and 4 more, merged: its own token" in ran.lines
    alone = run("explain", "/fish", "--agent", "a", "--robots", "-", stdin=b"User-agent: a\nAllow: /\n")
    assert "  line 2 decides: no other rule matches" in alone.lines


def test_robots_txt_itself_is_always_allowed(ask: Run) -> None:
    ran = ask("explain", "/robots.txt")
    assert ran.code == 0
    assert "  /robots.txt is always allowed" in ran.lines
    assert "  matched, but does not decide" in ran.lines
    assert "  8 | Disallow: /  1 byte" in ran.lines


def test_google_empty_rule_is_explained(run: Run) -> None:
    robots = b"User-agent: a\nDisallow:\n"
    ran = run("explain", "/x", "--agent", "a", "--robots", "-", "--profile", "google", stdin=robots)
    assert ran.code == 0
    assert "  line 2 decides: an empty disallow rule disallows nothing" in ran.lines


def test_registry_notes(run: Run) -> None:
    token_only = run("explain", "/x", "--agent", "Google-Extended", "--robots", "robots.txt")
    assert (
        "  note      Google-Extended fetches nothing: other crawlers of Google look for this token" in token_only.lines
    )
    shared = run("explain", "/x", "--agent", "Yandex", "--robots", "robots.txt")
    text = "Yandex is a name for all crawlers of Yandex: each obeys the group of this name if it has none of its own"
    assert f"  note      {text}" in shared.lines
    user = run("explain", "/x", "--agent", "ChatGPT-User", "--robots", "robots.txt")
    assert "ChatGPT-User (OpenAI) might ignore robots.txt, according to its operator (checked 2026-11-20)" in user.out
    listed = run("explain", "/x", "--agent", "img2dataset", "--robots", "robots.txt")
    assert "might ignore robots.txt, according to a third party (checked 2026-08-22)" in listed.out
    unknown = run("explain", "/x", "--agent", "Bytespider", "--robots", "robots.txt")
    assert "is not documented to obey robots.txt (checked 2026-08-22)" in unknown.out
    assert "note" not in run("explain", "/x", "--agent", "GPTBot", "--robots", "robots.txt").out


def test_control_characters_of_a_file_are_escaped(run: Run, folder: Path) -> None:
    (folder / "bad.txt").write_bytes(b"User-agent: \x1b]0;a\nUser-agent: *\n\tDisallow: /\x1b[2Jx\xff # \x07\n")
    for command in ("explain", "check", "matrix"):
        ran = run(command, "/\x1b[2Jx\udcff", "--agent", "a\udcff", "--robots", "bad.txt")
        assert ran.code == 1
        assert "\x1b" not in ran.out
        assert "\x07" not in ran.out
        assert "\ufffd" not in ran.out
    assert (
        "  3 | Disallow: /%1B[2Jx%FF # %07"
        in run("explain", "/\x1b[2Jx\udcff", "--agent", "*", "--robots", "bad.txt").lines
    )


def test_very_long_line_is_shortened(run: Run) -> None:
    robots = b"User-agent: a\nDisallow: /" + b"x" * 5_000
    ran = run("explain", "/" + "x" * 5_000, "--agent", "a", "--robots", "-", stdin=robots)
    quoted = next(line for line in ran.lines if line.startswith("  2 | "))
    mark = next(line for line in ran.lines if "^" in line)
    assert quoted.endswith("xx [...]")
    assert len(quoted) < 120
    assert mark.count("^") == len(quoted.removesuffix(" [...]")) - quoted.index("/")


def test_marker_is_aligned_under_wide_characters(run: Run) -> None:
    robots = "User-agent: a\nDisallow: /魚\n".encode()
    ran = run("explain", "/魚/1", "--agent", "a", "--robots", "-", stdin=robots)
    assert "  2 | Disallow: /魚" in ran.lines
    assert any(line.endswith("  ^^^ 10 bytes") for line in ran.lines)


def test_formats_are_the_same_as_of_check(ask: Run) -> None:
    for form in ("json", "ndjson", "csv"):
        assert ask("explain", "/shop/", "--format", form) == ask("check", "/shop/", "--format", form)
    assert json.loads(ask("explain", "/shop/", "--format", "json").out)[0]["allowed"]


def test_quiet_prints_nothing(ask: Run) -> None:
    assert ask("explain", "/x", "-q") == (1, "", "")


def test_explanations_are_separated_by_blank_lines(ask: Run) -> None:
    ran = ask("explain", "/shop/", "fish", "/x")
    assert ran.code == 2
    assert ran.out.count("\n\nallowed: ") + ran.out.count("\n\ndisallowed: ") == 1


def test_pace_of_the_agent_is_shown(run: Run, folder: Path) -> None:
    content = "User-agent: *\nDisallow: /a\nCrawl-delay: 10\nRequest-rate: 1/20\nVisit-time: 0600-0845\n"
    (folder / "paced.txt").write_text(content)
    ran = run("explain", "/b", "--robots", "paced.txt", "--agent", "bingbot")
    assert ran.lines[-4:-1] == [
        "  delay     10 s between requests (line 3); bingbot reads it as a window with one request",
        "  rate      1 request in 20 s (line 4)",
        "  visits    06:00-08:45 UTC (line 5)",
    ]
    assert ran.lines[-1].startswith(("            open now", "            closed now, opens at "))
    ran = run("explain", "/b", "--robots", "paced.txt", "--agent", "YandexBot")
    assert "  delay     10 s between requests (line 3); ignored by YandexBot" in ran.lines
