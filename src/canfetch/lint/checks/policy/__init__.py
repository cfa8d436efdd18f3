"""Checks of what a file asks for: whether it can be meant."""

from typing import Final

from canfetch.lint.checks.policy import (
    assets_blocked,
    hidden_noindex,
    home_page_blocked,
    revealing_path,
    search_engine_blocked,
    sitemap_blocked,
    sitemap_of_other_host,
    whole_site_blocked,
)

CHECKS: Final = (
    whole_site_blocked.CHECK,
    search_engine_blocked.CHECK,
    assets_blocked.CHECK,
    sitemap_blocked.CHECK,
    revealing_path.CHECK,
    hidden_noindex.CHECK,
    home_page_blocked.CHECK,
    sitemap_of_other_host.CHECK,
)
