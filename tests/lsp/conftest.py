"""Editors, each with a server in another process, that the tests of a module share."""

from collections.abc import Iterator

import pytest
from tests.lsp.editor import Editor, capabilities


@pytest.fixture(scope="module")
def editor() -> Iterator[Editor]:
    """Return an editor that counts columns in UTF-16 code units, and to which diagnostics are sent."""
    client = Editor(capabilities())
    yield client
    assert client.shut_down() == 0
    assert client.standard_error == ""
