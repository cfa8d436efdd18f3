"""Steps that fail: what a transport raises reaches the caller as it is, and unknown steps are errors."""

import pytest
from tests.client.either import BOTH, EitherClient

from canfetch import Client
from canfetch.access.responses import Failure, Response
from canfetch.client.transports import TransportRequest
from canfetch.client.use import RequestTimeStep

URL = "https://example.com/fish"


class ExhaustedTransport:
    """A transport that raises what a mock without further responses raises."""

    def send(self, request: TransportRequest) -> Response | Failure:
        raise StopIteration(request.url)

    def close(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize("method", ["decide", "tdm_file", "may_use"])
def test_stop_iteration_of_a_transport_is_raised_as_it_is(method: str) -> None:
    arguments = {"purpose": "train-ai"} if method == "may_use" else {}
    with Client(user_agent="ExampleBot/1.0", transport=ExhaustedTransport()) as client:
        for _ in range(2):
            with pytest.raises(StopIteration):
                getattr(client, method)(URL, **arguments)


@BOTH
def test_clients_do_not_perform_steps_of_front_ends(kind: str) -> None:
    with EitherClient(kind, ExhaustedTransport()) as client, pytest.raises(TypeError, match="step RequestTimeStep"):
        client._perform_step((), RequestTimeStep(URL))
