"""The pytest plugin: collects files of expectations, and provides the fixture `expect_robots`.

`robots.expect.toml`, and every file whose name ends in `.expect.toml`, is collected. Each expectation is a test.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from canfetch.expectations import Expectation

_SUFFIX = ".expect.toml"


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> pytest.File | None:
    """Collect files of expectations."""
    if not file_path.name.endswith(_SUFFIX):
        return None
    collected: pytest.File = ExpectationFile.from_parent(parent, path=file_path)
    return collected


class UnmetExpectation(Exception):
    """Raised by an expectation that does not hold. The message is the whole report."""


class ExpectationFile(pytest.File):
    """A file of expectations."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield a test for each expectation. A misspelt agent that the robots.txt does not name is a warning.

        Raises: pytest.Collector.CollectError: The file, or its robots.txt, is invalid or cannot be read.
        """
        # Not imported in every run of pytest.
        from canfetch.errors import InvalidExpectations  # noqa: PLC0415
        from canfetch.expectations import load_expectations  # noqa: PLC0415
        from canfetch.expectations.checking import UnknownAgentWarning  # noqa: PLC0415

        try:
            expectations = load_expectations(self.path)
            robots = expectations.read(self.path.parent)
        except (InvalidExpectations, OSError) as error:
            raise self.CollectError(f"{self.path.name}: {error}") from None
        for note in expectations.notes_for(robots):
            self.warn(UnknownAgentWarning(f"{self.path.name}: {note}"))
        for expectation in expectations.entries:
            yield ExpectationItem.from_parent(self, name=str(expectation), robots=robots, expectation=expectation)


class ExpectationItem(pytest.Item):
    """One expectation."""

    def __init__(self, *, robots: Any, expectation: "Expectation", **arguments: Any) -> None:
        super().__init__(**arguments)
        self._robots = robots
        self._expectation = expectation

    def runtest(self) -> None:
        """Check the expectation.

        Raises: UnmetExpectation.
        """
        from canfetch.expectations import check_expectations  # noqa: PLC0415 - not in every run of pytest

        for failure in check_expectations(self._robots, [self._expectation]):
            if failure is not None:
                raise UnmetExpectation(str(failure))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the report without a traceback, which says nothing about the robots.txt."""
        if isinstance(excinfo.value, UnmetExpectation):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where the expectation is written."""
        line = self._expectation.line
        return self.path, line - 1 if line else None, self.name


@pytest.fixture
def expect_robots() -> Callable[..., None]:
    """Return a function that checks an expectation about a robots.txt.

    def test_blog(expect_robots):
        expect_robots(content, agent="Googlebot", pattern="/blog/", allowed=True)

    Its arguments are the content as bytes or str, or a `RobotsTxt`; `agent`; `url` or `pattern`; `allowed`; and `why`.
    It raises AssertionError with a URL and its verdict.
    """
    from canfetch.expectations.checking import assert_expected  # noqa: PLC0415 - not in every run of pytest

    return assert_expected
