"""The app, which adds a system check of the robots.txt."""

from typing import Any

from django.apps import AppConfig
from django.core.checks import Error, Tags, register
from django.core.exceptions import ImproperlyConfigured

from canfetch.integrations.django.configuration import get_site


class CanfetchConfig(AppConfig):  # type: ignore[misc]  # Django has no types
    """The configuration of the app."""

    name = "canfetch.integrations.django"
    label = "canfetch"
    verbose_name = "canfetch"

    def ready(self) -> None:
        """Register the check."""
        register(check_site, Tags.security)


def check_site(**_: Any) -> list[Error]:
    """Check the setting `CANFETCH_SITE`, and that the robots.txt can be served."""
    try:
        get_site()
    except ImproperlyConfigured as error:
        return [Error(str(error), id="canfetch.E001")]
    return []
