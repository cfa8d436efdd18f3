"""A robots.txt that could not be requested raises RequestNotSent in every integration, and nothing is cached."""

import pytest
from tests.integrations.http_clients.hosts import HOST_NAMES, open_host
from tests.servers.dead_ports import refusing_port
from tests.servers.proxy import NoTLSProxy
from tests.servers.web import Site

from canfetch import RequestNotSent


@pytest.mark.parametrize("purpose", [{}, {"purpose": "training"}], ids=["any", "training"])
def test_a_proxy_that_cannot_be_reached_is_no_answer_of_the_site(
    name: str, shop: Site, purpose: dict[str, str]
) -> None:
    with refusing_port() as port:
        proxy = f"http://127.0.0.1:{port}"
        with open_host(name, proxy=proxy, **purpose) as host:
            for _ in range(2):
                with pytest.raises(RequestNotSent, match="was not requested: the proxy cannot be reached: ") as raised:
                    host.get(shop.url("fish"))
                assert isinstance(raised.value, OSError)
    assert not shop.requests


# urllib sends a request to such a proxy without TLS.
@pytest.mark.parametrize("name", [name for name in HOST_NAMES if name != "urllib"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_failed_tls_handshake_with_a_proxy_is_no_answer_of_the_site(name: str, scheme: str) -> None:
    with (
        NoTLSProxy(b"HTTP/1.1 400 Bad Request\r\n\r\n") as proxy,
        open_host(name, proxy=f"https://127.0.0.1:{proxy.port}") as host,
        pytest.raises(RequestNotSent, match="was not requested: the proxy cannot be reached: "),
    ):
        host.get(f"{scheme}://a.test/fish")
