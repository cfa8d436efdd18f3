"""Sessions of the caller, each with the transport that uses it."""

from collections.abc import Iterator

import pytest
from tests.transports.harness import Send
from tests.transports.session_harness import SESSION_NAMES, open_session


@pytest.fixture(scope="module", params=SESSION_NAMES)
def session_name(request: pytest.FixtureRequest) -> str:
    """The name of each session."""
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def session_send(session_name: str) -> Iterator[Send]:
    """The `send` of a transport with each session."""
    with open_session(session_name) as opened:
        yield opened
