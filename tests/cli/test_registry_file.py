"""`--agents-registry FILE`: additional crawlers."""

from pathlib import Path
from typing import Any

import pytest

from canfetch.agents import PublishedHeader
from canfetch.cli.shared.registry_files import load_registry

Run = Any


OWN = """
[[crawler]]
tokens = ["ExampleBot-Image", "GPTBot"]
operator = "Example"
purposes = ["search-index"]
source = "https://example.com/bot"
verification = { host_names = [".example.com"] }

[[crawler]]
tokens = ["ExampleBot"]
operator = "Example"
purposes = ["testing"]
source = "https://example.com/bot"
star_applies = false
"""
ROBOTS = "User-agent: GPTBot\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n"
ASK = ("/a", "/b", "--robots", "-", "--agents-registry", "crawlers.toml")


@pytest.mark.parametrize("command", ["check", "explain", "matrix"])
def test_crawlers_of_a_file_use_their_tokens(run: Run, folder: Path, command: str) -> None:
    (folder / "crawlers.toml").write_text(OWN, encoding="utf-8")
    ran = run(command, *ASK, "--agent", "examplebot-image", "--agent", "ExampleBot", stdin=ROBOTS)
    assert (ran.code, ran.err) == (1, "")
    assert "ExampleBot-Image, then GPTBot, then *" in ran.out
    assert "ExampleBot, and never *" in ran.out
    exact = run(command, *ASK, "--agent", "ExampleBot", "--exact", stdin=ROBOTS)
    assert "never" not in exact.out


def test_registry_is_extended_by_the_file(run: Run, folder: Path) -> None:
    # Some editors write a byte order mark.
    (folder / "crawlers.toml").write_text(OWN, encoding="utf-8-sig")
    ran = run("check", *ASK, "--agent", "Googlebot-Image", stdin=ROBOTS)
    assert "Googlebot-Image, then Googlebot, then *" in ran.out


@pytest.mark.parametrize(
    "text, message",
    [
        (
            OWN.replace("testing", "nonsense"),
            "[[crawler]] 2: crawler 'ExampleBot': unknown purpose 'nonsense': choose from 'ads'",
        ),
        (OWN.replace('"ExampleBot"', '"a b"'), "[[crawler]] 2: invalid product token 'a b'"),
        (OWN.replace('["ExampleBot"]', '"ExampleBot"'), "[[crawler]] 2: invalid tokens 'ExampleBot': expected a tuple"),
        (
            OWN.replace("operator", "operater"),
            "[[crawler]] 1: missing key 'operator': required keys are 'tokens', 'operator'",
        ),
        (OWN + 'colour = "red"\n', "[[crawler]] 2: unknown key 'colour': choose from 'tokens', 'operator'"),
        (
            OWN.replace("host_names", "hosts"),
            "[[crawler]] 1: verification: unknown key 'hosts': choose from 'host_names'",
        ),
        (
            OWN + 'headers = [{ value = "ExampleBot/1.0", page = "x" }]\n',
            "[[crawler]] 2: headers: unknown key 'page': choose from 'value', 'source'",
        ),
        (
            OWN + 'headers = [{ value = "ExampleBot/1.0" }]\n',
            "[[crawler]] 2: headers: missing key 'source': required keys are 'value', 'source'",
        ),
        (OWN + 'headers = ["ExampleBot/1.0"]\n', "[[crawler]] 2: crawler 'ExampleBot': invalid headers"),
        ("crawler = [5]", "[[crawler]] 1: expected a table"),
        ("[crawler]\n", "expected only [[crawler]] tables"),
        (OWN + "[other]\n", "expected only [[crawler]] tables"),
        ("", "has no [[crawler]] tables"),
        ("[[crawler", "is not valid TOML"),
        ("a" * (4 << 20) + "a", "is too large: expected at most 4194304 bytes"),
    ],
)
def test_invalid_file_is_reported(run: Run, folder: Path, text: str, message: str) -> None:
    (folder / "crawlers.toml").write_text(text, encoding="utf-8")
    ran = run("check", *ASK, "--agent", "ExampleBot", stdin=ROBOTS)
    assert "--agents-registry 'crawlers.toml'" in ran.refusal
    assert message in ran.err


def test_missing_file_and_repeated_standard_input_are_reported(run: Run) -> None:
    ran = run("check", *ASK, "--agent", "ExampleBot", stdin=ROBOTS)
    assert (ran.code, "no such file" in ran.err) == (2, True)
    twice = run("check", *ASK[:-1], "-", "--agent", "ExampleBot", stdin=ROBOTS)
    assert (twice.code, "standard input can be read only once" in twice.err) == (2, True)


def test_headers_of_an_entry(folder: Path) -> None:
    header = '{ value = "ExampleBot/1.0", source = "https://example.com/bot" }'
    (folder / "crawlers.toml").write_text(f"{OWN}headers = [{header}]\n", encoding="utf-8")
    crawler = load_registry(str(folder / "crawlers.toml")).get_crawler("ExampleBot")
    assert crawler is not None
    assert crawler.headers == (PublishedHeader("ExampleBot/1.0", "https://example.com/bot", "operator"),)
    assert crawler.to_json()["headers"] == [
        {"value": "ExampleBot/1.0", "source": "https://example.com/bot", "source_kind": "operator", "checked": ""}
    ]
