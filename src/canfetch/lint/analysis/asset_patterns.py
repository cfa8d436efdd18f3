"""The scripts and styles that pages need for rendering, at their usual URLs."""

from functools import cache
from typing import Final, NamedTuple

from canfetch.core.patterns import matches
from canfetch.lint.analysis.rule_coverage import canonical_form
from canfetch.lint.linted_file import LintedFile


class _Asset(NamedTuple):
    """The URL of a script or stylesheet.

    Attributes:
        url: Its path and query, as the platform writes them.
        evidence: Parts of a file that show the platform. Empty for folders that any site may have.
    """

    url: str
    evidence: tuple[bytes, ...] = ()


_DRUPAL: Final = (b"/node/add", b"/user/register", b"/?q=user", b"/CHANGELOG.txt")
_JOOMLA: Final = (b"/administrator",)
_TYPO3: Final = (b"/typo3",)
_AEM: Final = (b"/content/dam", b"/etc/clientlibs", b"/etc.clientlibs", b"/etc/designs")
_WORDPRESS: Final = (b"wp-",)
_MAGENTO: Final = (b"/static/", b"/skin/", b"/catalogsearch")

# Drupal keeps programs for the command line in its folder of this name.
_NOT_ON_DRUPAL: Final = ("/scripts/main.js",)
_ANYWHERE: Final = (
    *("/js/main.js", "/css/style.css", "/assets/js/app.js", "/assets/css/app.css", "/assets/app.js"),
    *("/static/js/main.js", "/static/css/main.css", "/static/app.js", "/dist/app.js", "/dist/css/app.css"),
    *("/build/app.js", "/scripts/main.js", "/Scripts/jquery.min.js", "/styles/main.css", "/javascript/main.js"),
    *("/javascripts/application.js", "/stylesheets/application.css", "/bundles/app.js", "/public/css/app.css"),
    # With a version, as many systems add it
    *("/css/style.css?v=1", "/js/main.js?ver=1"),
)
_ASSETS: Final = (
    *map(_Asset, _ANYWHERE),
    _Asset("/wp-includes/js/jquery/jquery.min.js?ver=3.7.1", _WORDPRESS),
    _Asset("/wp-includes/css/dist/block-library/style.min.css?ver=6.6", _WORDPRESS),
    _Asset("/wp-content/themes/theme/style.css?ver=1.0", _WORDPRESS),
    _Asset("/wp-content/plugins/plugin/assets/js/frontend.min.js?ver=1.0", _WORDPRESS),
    _Asset("/wp-content/cache/min/1/style.css", _WORDPRESS),
    # Shopify
    _Asset("/cdn/shop/t/1/assets/theme.css?v=1", (b"/cdn/shop", b"hopify")),
    _Asset("/static/version1700000000/frontend/Magento/luma/en_US/css/styles-m.css", _MAGENTO),
    _Asset("/static/frontend/Magento/luma/en_US/requirejs/require.js", _MAGENTO),
    _Asset("/skin/frontend/base/default/css/styles.css", _MAGENTO),
    _Asset("/core/misc/drupal.js?v=10.3.0", _DRUPAL),
    _Asset("/core/assets/vendor/jquery/jquery.min.js?v=3.7.1", _DRUPAL),
    _Asset("/misc/drupal.js?s00000", _DRUPAL),
    _Asset("/misc/jquery.js?v=1.4.4", _DRUPAL),
    _Asset("/modules/system/system.base.css?s00000", _DRUPAL),
    _Asset("/sites/default/files/css/css_x.css", (*_DRUPAL, b"/sites/default")),
    _Asset("/sites/all/themes/theme/css/style.css?s00000", (*_DRUPAL, b"/sites/all")),
    _Asset("/media/jui/js/jquery.min.js", _JOOMLA),
    _Asset("/media/system/js/core.js", _JOOMLA),
    _Asset("/templates/template/css/template.css", _JOOMLA),
    _Asset("/typo3conf/ext/site/Resources/Public/Css/main.css", _TYPO3),
    _Asset("/typo3temp/assets/compressed/merged.css", _TYPO3),
    _Asset("/_assets/0123456789abcdef/Css/main.css", (*_TYPO3, b"/_assets/")),
    _Asset("/fileadmin/templates/css/style.css", (*_TYPO3, b"/fileadmin/templates")),
    # Adobe Experience Manager, SAP Commerce, Salesforce Commerce Cloud, SharePoint, ASP.NET
    _Asset("/etc.clientlibs/site/clientlibs/clientlib-base.min.css", _AEM),
    _Asset("/etc/designs/site/clientlibs.min.css", _AEM),
    _Asset("/_ui/responsive/theme/css/style.css", (b"/_ui",)),
    _Asset("/on/demandware.static/Sites-Site/-/default/css/style.css", (b"demandware",)),
    _Asset("/_layouts/15/init.js", (b"/_layouts",)),
    _Asset("/WebResource.axd?d=1", (b".axd",)),
    # Next.js, Nuxt, SvelteKit, Astro
    _Asset("/_next/static/chunks/main.js", (b"_next",)),
    _Asset("/_next/static/css/app.css", (b"_next",)),
    _Asset("/_nuxt/entry.js", (b"_nuxt",)),
    _Asset("/_app/immutable/entry/start.js", (b"_app/",)),
    _Asset("/_astro/index.css", (b"_astro",)),
    # MediaWiki, vBulletin
    _Asset("/w/load.php?modules=startup&only=scripts", (b"Special:",)),
    _Asset("/clientscript/vbulletin_global.js", (b"/clientscript",)),
)


def typical_assets(file: LintedFile) -> tuple[str, ...]:
    """Return the URLs of scripts and styles that the pages of a site may have.

    Cost: O(bytes).
    """
    shown = {part for asset in _ASSETS for part in asset.evidence if part in file.content}
    left_out = () if shown.isdisjoint(_DRUPAL) else _NOT_ON_DRUPAL
    return tuple(
        asset.url
        for asset in _ASSETS
        if (not asset.evidence or not shown.isdisjoint(asset.evidence)) and asset.url not in left_out
    )


def blocked_asset(pattern: bytes) -> bytes | None:
    """Return the URL of a script or stylesheet that a pattern matches, or None.

    Cost: O(bytes).
    """
    form = canonical_form(pattern)
    return next((url for url in _urls() if matches(form, url) and names_folder(pattern, url)), None) if form else None


def names_folder(pattern: bytes, url: bytes) -> bool:
    """Return whether a pattern that matches a URL is about its folder, or about any folder.

    A shorter pattern, such as `/a` for `/assets/`, may be about anything that starts with these letters.
    """
    head = pattern.partition(b"*")[0].rstrip(b"$")
    return head in {b"", b"/"} or len(head) >= url.find(b"/", 1)


@cache
def _urls() -> tuple[bytes, ...]:
    # A platform's own folder is evidence of the platform.
    return tuple(asset.url.encode() for asset in _ASSETS)
