"""The servers of the hosts, and sites on them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.serving.hosts import HOSTS, RunningServer, application, running_hosts

from canfetch.integrations.serving import Site

NOW = 1_790_000_000.0
RULES = b"User-agent: *\nDisallow: /private/\n\nUser-agent: GPTBot\nUser-agent: BadBot\nDisallow: /\n"

Serve = Callable[..., RunningServer]


@pytest.fixture(scope="session")
def servers() -> Iterator[dict[str, RunningServer]]:
    with running_hosts() as running:
        yield running


@pytest.fixture(params=HOSTS)
def serve(request: pytest.FixtureRequest, servers: dict[str, RunningServer]) -> Serve:
    """Return a function that serves a site, or the arguments of one, on each host in turn."""
    for library in ("uvicorn", "django"):
        pytest.importorskip(library)

    def start(robots: Any = RULES, **options: Any) -> RunningServer:
        site = robots if isinstance(robots, Site) else make_site(robots, **options)
        server = servers[request.param]
        server.app = application(request.param, site)
        return server

    return start


def make_site(robots: Any = RULES, **options: Any) -> Site:
    return Site(robots, **{"environment": "production", "clock": lambda: NOW, **options})


@pytest.fixture
def robots_file(tmp_path: Path) -> Path:
    path = tmp_path / "robots.txt"
    path.write_bytes(RULES)
    return path
