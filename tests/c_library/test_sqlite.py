"""The example of use: functions of SQLite."""

import subprocess
from pathlib import Path

import pytest
from tests.c_library.conftest import EXAMPLES, PROGRAMS, SECONDS, VALGRIND, Library, require, require_sqlite

pytestmark = pytest.mark.service

FILE = "User-agent: *\nDisallow: /private\nAllow: /private/press\n"


@pytest.fixture(scope="module")
def extension(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_sqlite()
    output = tmp_path_factory.mktemp("sqlite") / "robots.so"
    return library.compile(EXAMPLES / "sqlite.c", output, "-shared", "-fPIC")


def ask(
    library: Library, extension: Path, statements: str, *, program: tuple[str, ...] = (), preload: str = ""
) -> tuple[list[str], str]:
    """Return the lines that SQLite prints, and what it writes to standard error. `$file` and `$hex` are the file."""
    statements = statements.replace("$file", quoted(FILE)).replace("$hex", FILE.encode().hex())
    done = subprocess.run(
        [*program, "sqlite3", "-batch", "-nullvalue", "NULL", ":memory:"],
        input=f".load {extension}\n{statements}\n",
        env={**library.environment, **({"LD_PRELOAD": preload} if preload else {})},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr
    return done.stdout.splitlines(), done.stderr


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def test_functions_in_valgrind(library: Library, extension: Path) -> None:
    require("valgrind")
    statements = """
        CREATE TABLE urls (url);
        INSERT INTO urls VALUES ('/public'), ('/private/a'), ('/private/press/1'), ('private'), (NULL);
        SELECT robots_allows($file, 'Bot', url), robots_reason($file, 'Bot', url),
               robots_line($file, 'Bot', url) FROM urls;
        SELECT replace(robots_explain($file, 'Bot', '/private/press'), char(10), ' + ');
        SELECT robots_explain('', 'Bot', 'private');
        SELECT robots_reason(x'$hex', 'Bot', x'2f70726976617465ff'), robots_allows(x'', 'Bot', '/');
        SELECT robots_allows(NULL, 'Bot', '/'), robots_allows('', NULL, '/'), robots_allows(1, 2, '/');
    """
    assert ask(library, extension, statements, program=VALGRIND) == (
        [
            "1|no-match|NULL",
            "0|disallow-rule|2",
            "1|allow-rule|3",
            "NULL|NULL|NULL",
            "NULL|NULL|NULL",
            "allowed: line 3, Allow: /private/press (/private/press) + also matched: line 2, Disallow: /private",
            "NULL",
            "disallow-rule|1",
            "NULL|NULL|1",
        ],
        "",
    )


def test_text_of_a_database_in_utf_16_is_converted(library: Library, extension: Path) -> None:
    statements = """
        PRAGMA encoding = 'UTF-16';
        CREATE TABLE files AS SELECT $file AS content;
        SELECT robots_line(content, 'Bot', '/private') FROM files;
    """
    assert ask(library, extension, statements) == (["2"], "")


def test_an_invalid_agent_is_an_error(library: Library, extension: Path) -> None:
    lines, errors = ask(library, extension, "SELECT robots_allows('', 'a b', '/');")
    assert not lines
    assert "invalid agent: expected a product token" in errors


def test_a_constant_file_is_parsed_once(library: Library, extension: Path, tmp_path: Path) -> None:
    counter = library.compile(PROGRAMS / "count_parses.c", tmp_path / "count.so", "-shared", "-fPIC", "-ldl")
    table = """
        CREATE TABLE urls AS WITH numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 50)
            SELECT '/private/' || n AS url, $file AS content FROM numbers;
    """
    for content, setting, parsed in (
        ("$file", "", 1),
        ("@content", f".parameter set @content {quoted('Disallow: /')}", 1),
        # Each row of a column may have another file.
        ("content", "", 50),
    ):
        query = "SELECT count(robots_allows($content, 'Bot', url)) FROM urls;".replace("$content", content)
        answer = ask(library, extension, f"{table}\n{setting}\n{query}", preload=str(counter))
        assert answer == (["50"], "parsed\n" * parsed)
