"""The setting `CANFETCH_SITE`: the arguments of a `Site`, or a `Site`."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed

from canfetch.core.quoting import quoted
from canfetch.errors import CanfetchError
from canfetch.integrations.serving import Site

SETTING: Final = "CANFETCH_SITE"
_EXAMPLE: Final = '{"robots": BASE_DIR / "robots.txt", "environment": "production"}'


@cache
def get_site() -> Site:
    """Return the site of the setting. All callers share it, and its counters.

    Raises: ImproperlyConfigured: The setting is missing or invalid, or the robots.txt cannot be served.
    """
    value: Any = getattr(settings, SETTING, None)
    if isinstance(value, Site):
        return value
    if not isinstance(value, Mapping):
        raise ImproperlyConfigured(f"invalid {SETTING} {quoted(value)}: expected {_EXAMPLE}, or a Site")
    try:
        return Site(**value)
    except CanfetchError as error:
        raise ImproperlyConfigured(f"{SETTING}: {error}") from error
    except TypeError as error:
        # A key is missing or unknown.
        raise ImproperlyConfigured(f"{SETTING}: {error}; expected a mapping such as {_EXAMPLE}") from error


def _forget_site(*, setting: str, **_: object) -> None:
    # Sent by `override_settings` in tests.
    if setting == SETTING:
        get_site.cache_clear()


setting_changed.connect(_forget_site)
