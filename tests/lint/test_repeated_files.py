"""Files that occur repeatedly: each has the report that it would have alone, and few reports are stored."""

from pathlib import Path

from canfetch.lint import Linter, LintInput
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.repeated_files import RepeatedFiles

CONTENT = b"User-agent: *\nDisallow: /a/\nDisallow: /a/b\n"


def test_the_report_of_a_repeated_file_is_reused() -> None:
    repeated = RepeatedFiles(Linter())
    reports = [repeated.lint(LintInput(CONTENT, path=f"site{number}/robots.txt")) for number in range(4)]
    # A report is stored when its content occurs for the second time.
    assert reports[0].findings[0] is not reports[1].findings[0]
    assert reports[1].findings[0] is reports[2].findings[0] is reports[3].findings[0]


def test_a_shared_report_has_the_name_and_the_path_of_its_file() -> None:
    repeated = RepeatedFiles(Linter())
    for number in range(4):
        file = LintInput(CONTENT, path=f"site{number}/robots.txt")
        report = repeated.lint(file)
        assert report.file.input == file
        assert report.name == file.path
        assert report.to_json() == Linter().lint(file).to_json()


def test_what_depends_on_the_path_is_not_shared() -> None:
    linter = Linter(ignore_in={"old/*": ["covered-rule"]})
    repeated = RepeatedFiles(linter)
    files = [
        LintInput(CONTENT, path="site/robots.txt"),
        LintInput(CONTENT, path="site/Robots.txt"),
        LintInput(CONTENT, path="old/robots.txt"),
        LintInput(CONTENT, path="site/robots.txt", path_in_site="/pages/robots.txt"),
        LintInput(CONTENT, path="site/robots.txt", url="https://example.com/pages/robots.txt"),
        LintInput(CONTENT + b"Disallow: /c d\n", path="site/robots.txt"),
    ]
    for file in files * 3:
        assert repeated.lint(file).to_json() == linter.lint(file).to_json()


def test_few_reports_are_stored() -> None:
    repeated = RepeatedFiles(Linter())
    first = [repeated.lint(LintInput(CONTENT)) for _ in range(2)][1]
    for number in range(70):
        for _ in range(2):
            repeated.lint(LintInput(b"# %d\n" % number + CONTENT))
    assert repeated.lint(LintInput(CONTENT)).findings[0] is not first.findings[0]


def test_the_reports_of_few_large_files_are_stored() -> None:
    repeated = RepeatedFiles(Linter())
    large = [(b"# %d\n" % number + CONTENT).ljust(1 << 14, b"\n") for number in range(9)]
    reports = [repeated.lint(LintInput(content)) for content in large for _ in range(2)]
    # The limit of 128 KiB is reached by eight of them.
    assert repeated.lint(LintInput(large[1])).findings[0] is reports[3].findings[0]
    assert repeated.lint(LintInput(large[0])).findings[0] is not reports[1].findings[0]


def test_the_path_of_a_linted_file_is_replaced(tmp_path: Path) -> None:
    file = LintedFile(LintInput(CONTENT, path=str(tmp_path / "one")))
    other = file.with_path("other")
    assert (other.input.path, other.robots) == ("other", file.robots)
    assert file.input.path == str(tmp_path / "one")
