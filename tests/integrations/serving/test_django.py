"""The settings, the system check and the middleware of Django."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.serving.conftest import RULES, make_site
from tests.integrations.serving.hosts import PAGE, configure_django

pytest.importorskip("django")
configure_django()

from django.core.checks import run_checks  # noqa: E402 - needs the settings
from django.core.exceptions import ImproperlyConfigured  # noqa: E402
from django.test import AsyncClient, Client, override_settings  # noqa: E402

from canfetch.integrations.django.configuration import get_site  # noqa: E402
from canfetch.integrations.serving import Enforcement  # noqa: E402


@pytest.fixture
def settings(robots_file: Path) -> dict[str, Any]:
    return {"robots": robots_file, "environment": "production", "enforcement": Enforcement()}


def test_settings_are_the_arguments_of_a_site(settings: dict[str, Any]) -> None:
    with override_settings(CANFETCH_SITE=settings):
        response = Client().get("/robots.txt")
        assert (response.status_code, response.content) == (200, RULES)
        assert response["Content-Type"] == "text/plain; charset=utf-8"
        assert Client().get("/private/", headers={"user-agent": "Googlebot"}).status_code == 403
        assert Client().get("/private/").content == PAGE
        assert get_site().stats.served == 1
        assert run_checks() == []


def test_site_can_be_passed() -> None:
    site = make_site()
    with override_settings(CANFETCH_SITE=site):
        assert get_site() is site


def test_async_requests(settings: dict[str, Any]) -> None:
    async def main() -> None:
        response = await AsyncClient().get("/robots.txt")
        assert (response.status_code, response.content) == (200, RULES)
        refused = await AsyncClient().get("/private/", headers={"user-agent": "Googlebot"})
        assert refused.status_code == 403
        page = await AsyncClient().get("/private/")
        assert page.content == PAGE

    with override_settings(CANFETCH_SITE=settings):
        asyncio.run(main())


def test_query_that_the_application_receives_is_checked(settings: dict[str, Any]) -> None:
    settings["robots"] = b"User-agent: *\nDisallow: /a?b=\n"
    with override_settings(CANFETCH_SITE=settings):
        for query, status in (("b=c", 403), ("c", 200)):
            response = Client().get(f"/a?{query}", headers={"user-agent": "Googlebot"}, REQUEST_URI="/a?\tb")
            assert response.status_code == status


@pytest.mark.parametrize(
    "value, message",
    [
        (None, "invalid CANFETCH_SITE None: expected {"),
        ({"robots": RULES}, "CANFETCH_SITE: no environment: pass environment='production', or set"),
        ({"robots": RULES, "environment": "production", "max": 1}, "unexpected keyword argument 'max'"),
        ({"robots": RULES, "environment": "prod"}, "CANFETCH_SITE: unknown environment 'prod'"),
        ({"robots": b"User-agent: *\nDisallow: /", "environment": "production"}, "closes the whole site"),
        ({"robots": Path("missing.txt"), "environment": "production"}, "cannot serve missing.txt: No such file"),
    ],
    ids=["missing", "argument", "unknown", "environment", "closed", "no-file"],
)
def test_server_does_not_start_with_an_invalid_setting(value: object, message: str) -> None:
    from django.core.handlers.asgi import ASGIHandler
    from django.core.handlers.wsgi import WSGIHandler

    with override_settings(CANFETCH_SITE=value):
        for handler in (WSGIHandler, ASGIHandler):
            with pytest.raises(ImproperlyConfigured) as raised:
                handler()
            assert message in str(raised.value)
        (error,) = run_checks()
        assert error.id == "canfetch.E001"
        assert message in error.msg


def test_hosts_that_django_does_not_allow_are_refused_by_django(settings: dict[str, Any]) -> None:
    with override_settings(CANFETCH_SITE=settings, ALLOWED_HOSTS=["example.com"]):
        assert Client().get("/robots.txt", headers={"host": "example.org"}).status_code == 400
        assert Client().get("/robots.txt", headers={"host": "example.com"}).status_code == 200


# A proxy removes the prefix: the URL of `/x` is `/private/x`.
@pytest.mark.parametrize("prefix, path, status", [("/private", "/x", 403), ("/public", "/private/x", 200)])
def test_prefix_of_the_setting_is_part_of_what_is_compared(
    settings: dict[str, Any], prefix: str, path: str, status: int
) -> None:
    async def get_async() -> Any:
        return await AsyncClient().get(path, headers={"user-agent": "Googlebot"})

    with override_settings(CANFETCH_SITE=settings, FORCE_SCRIPT_NAME=prefix):
        assert Client(REQUEST_URI=path).get(path, headers={"user-agent": "Googlebot"}).status_code == status
        assert asyncio.run(get_async()).status_code == status


@pytest.mark.slow
def test_prefix_of_the_application(settings: dict[str, Any]) -> None:
    with override_settings(CANFETCH_SITE=settings):
        assert Client(SCRIPT_NAME="/blog").get("/blog/robots.txt").content == PAGE
