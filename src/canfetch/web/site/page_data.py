"""The data of the page, which a server returns and a static site contains as files."""

from typing import Any, Final

from canfetch import __version__
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.profiles import PROFILES
from canfetch.lint.catalogue import LANGUAGES
from canfetch.lint.severity import SEVERITY_SETS
from canfetch.pages.dialects import PAGE_DIALECTS
from canfetch.web.answers.crawlers import crawlers_json
from canfetch.web.settings import MAX_AGENTS, MAX_URLS

SITE_FILE: Final = "data/site.json"
CRAWLERS_FILE: Final = "data/agents.json"
SITE_SCHEMA: Final = "canfetch.site/1"


def site_json(*, has_engine: bool, has_api: bool, requires_token: bool) -> dict[str, Any]:
    """Return what the page has to know about its server.

    Args:
        has_engine: Whether `engine.wasm` is there. Without it, the page requests verdicts from `/v1/matrix`.
        has_api: Whether there is a server. A static site has none.
        requires_token: Whether the API requires a token.
    """
    return {
        "schema": SITE_SCHEMA,
        "version": __version__,
        "engine": has_engine,
        "api": has_api,
        "token_required": requires_token,
        "profiles": [
            {
                "name": profile.name,
                "summary": profile.summary,
                "engines": ["python"] if profile.robotparser else ["native", "python"],
            }
            for profile in PROFILES.values()
        ],
        "languages": list(LANGUAGES),
        "severities": list(SEVERITY_SETS),
        "dialects": list(PAGE_DIALECTS),
        "limits": {"urls": MAX_URLS, "agents": MAX_AGENTS, "parsed_bytes": DEFAULT_MAX_BYTES},
    }


def page_data(*, has_engine: bool, has_api: bool, requires_token: bool) -> dict[str, Any]:
    """Return all data of the page by file name."""
    return {
        SITE_FILE: site_json(has_engine=has_engine, has_api=has_api, requires_token=requires_token),
        CRAWLERS_FILE: {"crawlers": crawlers_json()},
    }
