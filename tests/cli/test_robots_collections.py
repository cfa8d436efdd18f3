"""`--robots-dir` and `--robots-map`: a local robots.txt for each origin."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import RunCommand

URLS = (
    "http://example.com/a",
    "https://EXAMPLE.com:443/a",
    "https://example.com/b",
    "https://example.com:8443/c",
    "https://[::1]:8080/d",
    "https://bücher.example/e",
)


def disallow(path: str) -> str:
    return f"User-agent: *\nDisallow: {path}\n"


@pytest.fixture
def directory(folder: Path) -> Path:
    """Return a directory with a file for each kind of name."""
    directory = folder / "robots"
    (directory / "archive").mkdir(parents=True)
    for name, path in {
        "example.com.txt": "/a",
        "https%3A%2F%2Fexample.com.txt": "/b",
        "example.com_8443.txt": "/c",
        "%5B%3A%3A1%5D%3A8080": "/d",
        "bücher.example.txt": "/e",
        ".hidden file": "/",
    }.items():
        (directory / name).write_text(disallow(path), encoding="utf-8")
    return directory


MAPS = {
    "map.csv": "note,origin,file\n,example.com,robots/example.com.txt\n\n"
    '"two\nlines",https://example.com,"robots/https%3A%2F%2Fexample.com.txt"\n'
    ",example.com:8443,robots/example.com_8443.txt\n,[::1]:8080,robots/%5B%3A%3A1%5D%3A8080\n"
    ",BÜCHER.example,robots/bücher.example.txt\n",
    "map.tsv": "origin\tfile\nexample.com\trobots/example.com.txt\n"
    "https://example.com/\trobots/https%3A%2F%2Fexample.com.txt\n"
    "example.com:8443\trobots/example.com_8443.txt\n[::1]:8080\trobots/%5B%3A%3A1%5D%3A8080\n"
    "bücher.example\trobots/bücher.example.txt\n",
    "map.jsonl": "\n".join(
        json.dumps({"file": f"robots/{file}", "origin": origin, "more": 1})
        for origin, file in (
            ("example.com", "example.com.txt"),
            ("https://example.com", "https%3A%2F%2Fexample.com.txt"),
            ("example.com:8443", "example.com_8443.txt"),
            ("[::1]:8080", "%5B%3A%3A1%5D%3A8080"),
            ("bücher.example", "bücher.example.txt"),
        )
    ),
}


@pytest.mark.parametrize("command", ["check", "explain"])
def test_directory_has_a_file_for_each_origin(run: RunCommand, directory: Path, command: str) -> None:
    ran = run(command, *URLS, "--agent", "GPTBot", "--robots-dir", "robots", "--format", "json")
    assert [row["allowed"] for row in json.loads(ran.out)] == [False, True, False, False, False, False]
    assert (ran.code, ran.err) == (1, "")
    assert run(command, *URLS, "--agent", "GPTBot", "--robots-dir", str(directory), "--quiet").code == 1
    assert run(command, URLS[1], "--agent", "GPTBot", "--robots-dir", "robots/", "--quiet").code == 0


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize("name", MAPS)
def test_map_has_a_file_for_each_origin(run: RunCommand, folder: Path, name: str) -> None:
    (folder / name).write_text("\ufeff" + MAPS[name], encoding="utf-8", newline="\r\n")
    ran = run("check", *URLS, "--agent", "GPTBot", "--robots-map", name, "--format", "json")
    assert [row["allowed"] for row in json.loads(ran.out)] == [False, True, False, False, False, False]
    assert (ran.code, ran.err) == (1, "")


@pytest.mark.usefixtures("directory")
def test_map_from_standard_input_and_from_another_folder(run: RunCommand, folder: Path) -> None:
    content = MAPS["map.csv"].encode()
    assert run("check", URLS[1], "--agent", "a", "--robots-map", "-", stdin=content).code == 0
    (folder / "maps").mkdir()
    (folder / "maps" / "map.csv").write_bytes(b"origin,file\nexample.com,../robots/example.com.txt\n")
    assert run("check", URLS[0], "--agent", "a", "--robots-map", "maps/map.csv").code == 1


@pytest.mark.usefixtures("directory")
@pytest.mark.parametrize("more", [(), ("--quiet",)])
def test_url_without_a_file_is_an_error(run: RunCommand, more: tuple[str, ...]) -> None:
    urls = (URLS[1], "https://other.example/", "http://example.com:8444/", "/fish", "nonsense", URLS[1])
    ran = run("check", *urls, "--agent", "GPTBot", "--robots-dir", "robots", *more)
    assert ran.code == 2
    assert ran.err.splitlines() == [
        "canfetch: no file for https://other.example in --robots-dir robots",
        "canfetch: no file for http://example.com:8444 in --robots-dir robots",
        "canfetch: invalid URL '/fish': expected an absolute URL, to find its file",
        "canfetch: invalid URL 'nonsense': expected an absolute URL such as 'https://example.com/'",
    ]
    assert len(ran.lines) == (0 if more else 2)


@pytest.mark.usefixtures("directory")
def test_error_is_a_row(run: RunCommand) -> None:
    arguments = ("check", "https://other.example/", URLS[0], "--agent", "GPTBot", "--robots-dir", "robots")
    first, second = map(json.loads, run(*arguments, "--format", "ndjson").lines)
    assert first == {
        "url": "https://other.example/",
        "agent_name": "GPTBot",
        "allowed": None,
        "error": "no file for https://other.example in --robots-dir robots",
    }
    assert second["rule"]["pattern"] == "/a"
    assert (
        run(*arguments, "--format", "csv")
        .lines[1]
        .endswith(",no file for https://other.example in --robots-dir robots")
    )


def test_file_that_cannot_be_read_is_an_error_of_its_urls(run: RunCommand, folder: Path) -> None:
    (folder / "map.csv").write_text("origin,file\nexample.com,missing.txt\nother.example,robots.txt\n")
    ran = run("check", "https://example.com/", "https://other.example/", "--agent", "a", "--robots-map", "map.csv")
    assert (ran.code, len(ran.lines)) == (2, 1)
    assert ran.err == "canfetch: cannot read 'missing.txt': no such file\n"


@pytest.mark.usefixtures("directory")
def test_explain_names_the_file(run: RunCommand) -> None:
    ran = run("explain", URLS[3], "--agent", "GPTBot", "--robots-dir", "robots")
    assert str(Path("robots") / "example.com_8443.txt:2") in ran.out


@pytest.mark.usefixtures("directory")
def test_profiles_matrix_and_evidence_work_with_many_files(run: RunCommand, folder: Path) -> None:
    many = ("--agent", "GPTBot", "--robots-dir", "robots")
    assert run("matrix", *URLS[:2], *many).code == 1
    assert run("explain", *URLS[:2], *many, "--all-profiles").code == 1
    assert run("check", *URLS[:2], *many, "--evidence", "evidence").code == 1
    assert run("evidence", "verify", "evidence").code == 0
    assert list((folder / "evidence").iterdir())


def test_least_recently_used_files_are_read_again(
    run: RunCommand, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "robots").mkdir()
    for number in range(5):
        (folder / "robots" / f"host{number}.example").write_text(disallow(f"/{number}"))
    monkeypatch.setattr("canfetch.cli.decisions.collected_files._MAX_PARSED_BYTES", 60)
    urls = [f"https://host{number}.example/{number}" for number in (0, 1, 2, 0, 3, 4, 1, 0)]
    ran = run("check", *urls, "--agent", "a", "--robots-dir", "robots", "--format", "ndjson")
    assert [json.loads(line)["rule"]["pattern"] for line in ran.lines] == [url[-2:] for url in urls]


def test_unusual_content_is_reported_once_for_each_file(run: RunCommand, folder: Path) -> None:
    (folder / "robots").mkdir()
    (folder / "robots" / "example.com.txt").write_text("<!DOCTYPE html><html><body>404</body></html>")
    ran = run("check", *URLS[:1], *URLS[:1], "--agent", "a", "--robots-dir", "robots")
    path = str(Path("robots") / "example.com.txt")
    assert ran.err == f"canfetch: warning: {path!r} is HTML or XML, not a robots.txt\n"


@pytest.mark.parametrize(
    "content, message",
    [
        ("origin,path\n", "map:1: no column 'file': expected a header with 'origin' and 'file'"),
        ("", "map:1: no column 'origin'"),
        ("origin,file\nexample.com\n", "map:2: expected text in column 'file'"),
        ("origin,file\n,a.txt\n", "map:2: expected text in column 'origin'"),
        ("origin,file\nexa mple,a.txt\n", "map:2: invalid origin 'exa mple': expected one such as"),
        ("origin,file\nhttps://example.com/a,a.txt\n", "map:2: invalid origin 'https://example.com/a'"),
        ("origin,file\nuser@example.com,a.txt\n", "map:2: invalid origin 'user@example.com'"),
        ("origin,file\nexample.com:99999,a.txt\n", "map:2: invalid origin 'example.com:99999'"),
        ("origin,file\na.example,a\nb.example,b\nA.example,c\n", "map:4: A.example has two files: 'a' is another"),
        ('origin,file\n"example.com,a', "map: invalid CSV: unexpected end of data"),
        ('{"origin": 1, "file": "a"}', "map:1: expected text in column 'origin'"),
        ('{"origin": "a", "file": "a"}\n[1]', "map:2: expected a JSON object with 'origin' and 'file'"),
    ],
)
def test_invalid_map_is_an_error(run: RunCommand, folder: Path, content: str, message: str) -> None:
    (folder / "map").write_text(content, encoding="utf-8")
    ran = run("check", "https://example.com/", "--agent", "a", "--robots-map", "map")
    assert ran.refusal.startswith(f"canfetch: {message}")


def test_map_that_is_not_utf8_is_an_error(run: RunCommand, folder: Path) -> None:
    (folder / "map").write_bytes("origin,file\n".encode("utf-16"))
    ran = run("check", "/", "--agent", "a", "--robots-map", "map")
    assert (ran.code, ran.err) == (2, "canfetch: cannot read --robots-map 'map': expected UTF-8\n")


@pytest.mark.parametrize(
    "names, message",
    [
        ((), "contains no files: expected files such as example.com.txt"),
        (("two words.txt",), "invalid origin 'two words': expected one such as https://example.com or example.com"),
        (("example.com", "example.com.txt"), "example.com has two files"),
        (("example.com_8443", "example.com%3A8443.txt"), "example.com:8443 has two files"),
    ],
)
def test_invalid_directory_is_an_error(run: RunCommand, folder: Path, names: tuple[str, ...], message: str) -> None:
    (folder / "robots").mkdir()
    for name in names:
        (folder / "robots" / name).write_text(disallow("/"))
    assert message in run("check", "https://example.com/", "--agent", "a", "--robots-dir", "robots").refusal


def test_missing_directory_is_an_error(run: RunCommand) -> None:
    ran = run("check", "https://example.com/", "--agent", "a", "--robots-dir", "nowhere")
    assert ran.refusal.startswith("canfetch: cannot read --robots-dir 'nowhere': ")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--robots", "a", "--robots-dir", "b"), "--robots and --robots-dir cannot be used together"),
        (("--robots-dir", "a", "--robots-map", "b"), "--robots-dir and --robots-map cannot be used together"),
        (("--robots-dir", "a", "--robots-url", "https://a.example/robots.txt"), "--robots-url requires --robots FILE"),
        (
            ("--robots-map", "-", "--urls-file", "-"),
            "standard input can be read only once",
        ),
        (("--robots-dir", "a", "--timeout", "3"), "--timeout and --robots-dir cannot be used together"),
        (("--robots-map", "a", "--refresh"), "--refresh and --robots-map cannot be used together"),
    ],
)
def test_options_that_contradict_each_other(run: RunCommand, arguments: tuple[str, ...], message: str) -> None:
    assert message in run("check", "/", "--agent", "a", *arguments).refusal


NETWORK = [
    ("--refresh",),
    ("--policy", "google"),
    ("--timeout", "30"),
    ("--store", "none"),
    ("--user-agent", "a"),
    ("--public-only",),
    ("--parallel", "4"),
    ("--header", "From: bot@example.com"),
    ("--proxy", "none"),
    ("--ca-file", "ca.pem"),
    ("--client-cert", "bot.pem"),
    ("--client-key", "bot.pem"),
]


@pytest.mark.parametrize("option", NETWORK, ids=lambda option: option[0])
def test_network_options_without_requests_are_an_error(run: RunCommand, folder: Path, option: tuple[str, ...]) -> None:
    (folder / "page.html").write_text("<html></html>")
    ask = ("--agent", "GPTBot")
    commands = [
        (("check", "/", *ask, "--robots", "robots.txt"), "--robots FILE"),
        (("explain", "/", *ask, "--robots", "robots.txt"), "--robots FILE"),
        (("matrix", "/", *ask, "--robots", "robots.txt"), "--robots FILE"),
        (("sitemaps", "--robots", "robots.txt"), "--robots FILE"),
        (("page", "--html", "page.html", *ask), "--html FILE"),
        (("page", "--response-header", "X-Robots-Tag: noindex", *ask), "--response-header"),
    ]
    # Linting has no `--refresh`: it asks the server each time.
    if option != ("--refresh",):
        commands.append((("lint", "robots.txt"), "local files"))
    for command, reason in commands:
        ran = run(*command, *option)
        assert ran.refusal == f"canfetch: {option[0]} and {reason} cannot be used together: nothing is fetched\n"


def test_offline_is_no_contradiction(run: RunCommand) -> None:
    assert run("check", "/", "--agent", "GPTBot", "--robots", "robots.txt", "--offline").code == 1
