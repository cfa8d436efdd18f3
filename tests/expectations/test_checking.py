"""Expectations, proved for all URLs of a pattern."""

from pathlib import Path
from typing import Any

import pytest

import canfetch
from canfetch.errors import InvalidExpectations, InvalidOption, InvalidProductToken
from canfetch.expectations import Failure, check_expectations, load_expectations, parse_expectations
from canfetch.expectations.checking import UnknownAgentWarning, assert_expected

ROBOTS = b"""\
User-agent: *
Disallow: /private/
Allow: /private/press/

User-agent: GPTBot
Disallow: /
Allow: /blog/
"""


def check(entry: str, content: bytes = ROBOTS, **options: str) -> Failure | None:
    head = "".join(f'{key} = "{value}"\n' for key, value in options.items())
    expectations = parse_expectations(f"{head}[[expect]]\n{entry}")
    (failure,) = check_expectations(expectations.parse(content), expectations.entries)
    return failure


@pytest.mark.parametrize(
    "entry",
    [
        'agent = "GPTBot"\nurl = "/blog/1"\nallowed = true',
        'agent = "GPTBot"\nurl = "https://example.com/shop"\nallowed = false',
        'agent = "GPTBot"\npattern = "/blog/"\nallowed = true',
        'agent = "GPTBot"\npattern = "/shop"\nallowed = false',
        'agent = "ExampleBot"\npattern = "/private/press/*.html$"\nallowed = true',
        # An agent's fallback tokens are those of the registry.
        'agent = "Googlebot-Image"\npattern = "/private/x"\nallowed = false',
    ],
)
def test_expectations_that_hold(entry: str) -> None:
    assert check(entry) is None


@pytest.mark.parametrize("pattern", ["/shop/#x", "/robots.txt$"])
@pytest.mark.parametrize("allowed", ["true", "false"])
def test_a_pattern_that_matches_no_url_is_an_error(pattern: str, allowed: str) -> None:
    failure = check(f'agent = "GPTBot"\npattern = "{pattern}"\nallowed = {allowed}')
    assert failure is not None
    assert failure.verdict is None
    assert f"cannot be checked: invalid pattern '{pattern}': it matches no URL" in str(failure)


@pytest.mark.parametrize(
    "entry, url, allowed, message",
    [
        (
            'agent = "GPTBot"\nurl = "/blog/1"\nallowed = false\nwhy = "contract"',
            "/blog/1",
            True,
            "expected that GPTBot may not fetch /blog/1 (contract), but GPTBot may fetch /blog/1: ",
        ),
        (
            'agent = "GPTBot"\npattern = "/"\nallowed = false',
            "/blog/",
            True,
            "expected that GPTBot may not fetch all of /, but GPTBot may fetch /blog/: ",
        ),
        (
            'agent = "ExampleBot"\npattern = "/private/"\nallowed = false',
            "/private/press/",
            True,
            "expected that ExampleBot may not fetch all of /private/, but ExampleBot may fetch /private/press/: ",
        ),
        (
            'agent = "ExampleBot"\npattern = "/*press"\nallowed = true',
            "/private/xpress",
            False,
            "but ExampleBot may not fetch /private/",
        ),
    ],
)
def test_a_failure_has_a_url_that_the_engine_confirms(entry: str, url: str, *, allowed: bool, message: str) -> None:
    failure = check(entry)
    assert failure is not None
    assert failure.verdict is not None
    assert failure.url is not None
    assert len(failure.url) <= len(url)
    assert failure.verdict.allowed is allowed
    robots = canfetch.parse(ROBOTS)
    assert robots.allows(failure.url, agent=failure.expectation.agent) is allowed
    assert message in str(failure)


def test_robots_txt_does_not_count() -> None:
    assert check('agent = "GPTBot"\npattern = "/robots.txt"\nallowed = false', b"User-agent: *\nDisallow: /\n") is None


def test_the_profile_of_the_file_is_used() -> None:
    content = b"User-agent: *\nDisallow: /\nAllow: /blog/\n"
    entry = 'agent = "ExampleBot"\npattern = "/blog/"\nallowed = true'
    assert check(entry, content) is None
    assert check(entry, content, profile="original1994") is not None


@pytest.mark.parametrize(
    "url", ["https://other.example/x", "ftp://example.com/x", "http://example.com/x", "https://example.com:444/x"]
)
def test_urls_of_other_origins_are_reported(url: str) -> None:
    entry = f'agent = "ExampleBot"\nurl = "{url}"\nallowed = true'
    failure = check(entry, robots_url="https://example.com/robots.txt")
    assert failure is not None
    assert failure.verdict is None
    assert "cannot be checked: " in str(failure)
    assert "but this file governs https://example.com: use " in str(failure)


@pytest.mark.parametrize("start", ["https://example.com", "ftp://example.com", "gopher://example.com:7", "//a.b", ""])
def test_without_robots_url_only_path_and_query_count(start: str) -> None:
    for path, allowed in (("/blog/1", True), ("/shop?q=/blog/", False)):
        entry = f'agent = "GPTBot"\nurl = "{start}{path}"\nallowed = '
        assert check(entry + str(allowed).lower()) is None
        failure = check(entry + str(not allowed).lower())
        assert failure is not None
        assert failure.verdict == canfetch.parse(ROBOTS).decide(start + path, agent="GPTBot")


def test_several_agents_and_patterns_are_several_expectations() -> None:
    entries = parse_expectations(
        '[[expect]]\nagent = ["A", "B"]\npattern = ["/x", "/y"]\nallowed = true\n\n[[expect]]\nagent = "C"\nurl = "/"\n'
        "allowed = false\n"
    ).entries
    assert [(entry.agent_name, entry.pattern or entry.url, entry.line) for entry in entries] == [
        ("A", "/x", 1),
        ("A", "/y", 1),
        ("B", "/x", 1),
        ("B", "/y", 1),
        ("C", "/", 6),
    ]


@pytest.mark.parametrize(
    "toml, message",
    [
        ("[[expect]\n", "invalid TOML: "),
        (f"a = {'[' * 10_000}", "invalid TOML: "),
        (f"a = {'1' * 5000}", "invalid TOML: "),
        ("robot = 'x'\n", "unknown key 'robot': did you mean 'robots'?"),
        ("profile = 'gogle'\n", "unknown profile 'gogle'"),
        ("profile = 1\n", "invalid profile 1: expected a string"),
        ("expect = 1\n", "invalid expect: expected tables"),
        ("", "no expectations: add a table"),
        ("[[expect]]\nagent = 'A'\nurl = '/'\n", "expect 1: allowed is missing"),
        ("[[expect]]\nurl = '/'\nallowed = true\n", "expect 1: agent is missing"),
        ("[[expect]]\nagent = 'A'\nurl = '/'\nallowd = true\n", "unknown key 'allowd': did you mean 'allowed'?"),
        (
            "[[expect]]\nagent = 'A,B'\nurl = '/'\nallowed = true\n",
            "without ',', '*' and '#', such as 'A'",
        ),
        (
            "[[expect]]\nagent = ['A*']\nurl = '/'\nallowed = true\n",
            "without ',', '*' and '#', such as 'A'",
        ),
        ("[[expect]]\nagent = 'A'\nurl = '/'\nallowed = 1\n", "expect 1: invalid allowed 1: expected true or false"),
        ("[[expect]]\nagent = 'A'\nallowed = true\n", "expect 1: expected either url or pattern"),
        ("[[expect]]\nagent = 'A'\nurl = '/'\npattern = '/'\nallowed = true\n", "expected either url or pattern"),
        ("[[expect]]\nagent = 'A'\npattern = 'x'\nallowed = true\n", "invalid pattern 'x': expected one that starts"),
        ("[[expect]]\nagent = 'A'\nurl = []\nallowed = true\n", "invalid url []: expected a string, or a list"),
        ("[[expect]]\nagent = 'a b'\nurl = '/'\nallowed = true\n", "expect 1: "),
        ("[[expect]]\nagent = 'A'\nurl = '/'\nallowed = true\nwhy = 1\n", "invalid why 1: expected a string"),
        (
            "[[expect]]\nagent = 'A'\nallowed = true\nurls = '/'\n",
            "expect 1: unknown key 'urls': did you mean 'url'?",
        ),
    ],
)
def test_mistakes_name_the_entry_and_the_fix(toml: str, message: str) -> None:
    with pytest.raises(InvalidExpectations) as caught:
        parse_expectations(toml)
    assert message in str(caught.value)


def test_an_invalid_robots_url_is_an_error() -> None:
    with pytest.raises(InvalidExpectations, match="robots_url: "):
        check('agent = "A"\nurl = "/"\nallowed = true', robots_url="https://example.com/x")


@pytest.mark.parametrize("content", [ROBOTS, ROBOTS.decode(), canfetch.parse(ROBOTS)], ids=["bytes", "str", "parsed"])
def test_assertions_in_python(content: Any) -> None:
    assert_expected(content, agent="GPTBot", pattern="/blog/", allowed=True)
    with pytest.raises(AssertionError, match="GPTBot may fetch /blog/"):
        assert_expected(content, agent="GPTBot", pattern="/", allowed=False)
    with pytest.raises(InvalidOption, match="either url or pattern"):
        assert_expected(content, agent="GPTBot", allowed=False)


def test_arguments_that_state_no_expectation_are_refused() -> None:
    with pytest.raises(InvalidOption, match="invalid allowed 'no': expected True or False"):
        assert_expected(ROBOTS, agent="GPTBot", pattern="/", allowed="no")  # type: ignore[arg-type]
    with pytest.raises(InvalidProductToken, match="such as 'GPTBot'; pass several names separately"):
        assert_expected(ROBOTS, agent="GPTBot,CCBot", pattern="/", allowed=True)
    with pytest.warns(UnknownAgentWarning, match="unknown crawler 'GPTBto': did you mean 'GPTBot'"):
        assert_expected(ROBOTS, agent="GPTBto", pattern="/blog/", allowed=True)


@pytest.mark.filterwarnings("error")
def test_a_name_in_the_file_causes_no_warning() -> None:
    assert_expected("User-agent: DCBot\nDisallow: /", agent="dcbot", pattern="/", allowed=False)
    with pytest.raises(UnknownAgentWarning, match="'DCBot': did you mean 'CCBot'"):
        assert_expected("User-agent: *\nDisallow: /", agent="DCBot", pattern="/", allowed=False)


def test_a_report_has_no_surrogates() -> None:
    content = b"User-agent: *\nDisallow: /\xc3\n"
    failure = check('agent = "A"\npattern = "/"\nallowed = true', content, profile="original1994")
    assert "but A may not fetch /%C3: line 2, " in str(failure)


def test_files_of_expectations_are_named_by_text_or_path(tmp_path: Path) -> None:
    path = tmp_path / "robots.expect.toml"
    path.write_text('[[expect]]\nagent = "GPTBot"\nurl = "/"\nallowed = true\n', encoding="utf-8")
    assert load_expectations(str(path)) == load_expectations(path)
    with pytest.raises(TypeError, match="toml must be a str, not bytes"):
        parse_expectations(path.read_bytes())  # type: ignore[arg-type]
