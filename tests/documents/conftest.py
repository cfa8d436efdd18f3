"""The command, as the tests of the command line run it."""

from tests.cli.conftest import folder, run

__all__ = ["folder", "run"]
