"""The fixtures that run the command."""

from tests.cli.conftest import environment, folder, run

__all__ = ["environment", "folder", "run"]
