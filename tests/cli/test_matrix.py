"""`canfetch matrix`: agents and URLs in every format."""

import csv
import io
import json
from pathlib import Path
from typing import Any

Run = Any
AGENTS = ("--agent", "GPTBot", "--agent", "Googlebot-Image", "--agent", "ExampleBot", "--robots", "robots.txt")


def test_text_is_a_table(run: Run) -> None:
    ran = run("matrix", "/shop/cart", "/private/", "fish", *AGENTS)
    assert ran.code == 2
    assert ran.lines == [
        "# Googlebot-Image is matched as Googlebot-Image, then Googlebot, then *",
        "URL         GPTBot   Googlebot-Image  ExampleBot",
        "/shop/cart  no 7     no 12            yes",
        "/private/   no 8     yes              no 2",
        "fish        error    error            error",
    ]


def test_exit_codes(run: Run) -> None:
    assert run("matrix", "/shop/", *AGENTS).code == 0
    assert run("matrix", "/private/", *AGENTS).code == 1
    assert run("matrix", "/private/", *AGENTS, "--quiet") == (1, "", "")


def test_json_and_ndjson_have_an_object_for_each_url(run: Run) -> None:
    whole = json.loads(run("matrix", "/shop/cart", "fish", *AGENTS, "--format", "json").out)
    ran = run("matrix", "/shop/cart", "fish", *AGENTS, "--format", "ndjson")
    assert ran.rows() == whole
    cart, fish = whole
    assert list(cart["verdicts"]) == ["GPTBot", "Googlebot-Image", "ExampleBot"]
    assert cart["verdicts"]["GPTBot"] == {"allowed": False, "reason": "disallow-rule", "line": 7}
    assert cart["verdicts"]["ExampleBot"] == {"allowed": True, "reason": "no-match", "line": None}
    assert list(fish) == ["url", "error"]


def test_csv_has_a_column_for_each_agent(run: Run) -> None:
    ran = run("matrix", "/shop/cart", "fish", *AGENTS, "--format", "csv")
    header, cart, fish = csv.reader(io.StringIO(ran.out))
    assert header == ["url", "GPTBot", "Googlebot-Image", "ExampleBot", "error"]
    assert cart == ["/shop/cart", "disallowed", "disallowed", "allowed", ""]
    assert fish[:4] == ["fish", "", "", ""]
    assert fish[4].startswith("invalid URL 'fish'")


def test_long_table_is_drawn_in_blocks(run: Run, folder: Path) -> None:
    (folder / "urls.txt").write_text("".join(f"/shop/{n}\n" for n in range(1_000)), encoding="utf-8")
    ran = run("matrix", "--urls-file", "urls.txt", *AGENTS)
    assert len(ran.lines) == 1_002
    assert sum(line.startswith("URL") for line in ran.lines) == 1
    assert ran.lines[-1].split() == ["/shop/999", "yes", "6", "yes", "yes"]


def test_columns_of_later_blocks_are_not_narrower_and_wider_ones_are_named(run: Run, folder: Path) -> None:
    urls = [*(f"/shop/long/{n}" for n in range(256)), *(f"/s/{n}" for n in range(256)), "/shop/much/longer"]
    (folder / "urls.txt").write_text("".join(f"{url}\n" for url in urls), encoding="utf-8")
    lines = run("matrix", "--urls-file", "urls.txt", *AGENTS).lines[1:]
    heads = [number for number, line in enumerate(lines) if line.startswith("URL")]
    assert heads == [0, 513]
    assert {line.index("yes") for line in lines[257:513]} == {lines[0].index("Googlebot-Image")}


def test_long_url_shifts_only_its_own_row(run: Run) -> None:
    long = "/shop/" + "x" * 200
    ran = run("matrix", "/a", long, "--agent", "GPTBot", "--robots", "robots.txt")
    assert ran.lines[0] == f"{'URL':72}  GPTBot"
    assert ran.lines[1] == f"{'/a':72}  no 8"
    assert ran.lines[2] == f"{long}  yes 6"
