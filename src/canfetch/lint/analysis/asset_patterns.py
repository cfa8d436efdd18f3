"""The scripts and styles that pages need for rendering, at their usual URLs."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from canfetch.core.patterns import split_segments
from canfetch.lint.analysis.canonical_rules import canonical_form
from canfetch.lint.analysis.example_paths import example_path
from canfetch.lint.linted_file import LintedFile


class Asset(NamedTuple):
    """The URL of a script or stylesheet.

    Attributes:
        url: Its path and query, as the platform writes them.
        evidence: Parts of a file that show the platform. Empty for folders that any site may have.
        is_needed: Whether pages need it for rendering. False if the folder often holds something else, such as programs
            of the server or files to download, or if the platform usually serves a copy from another folder.
    """

    url: str
    evidence: tuple[bytes, ...] = ()
    is_needed: bool = True


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
    *("/static/js/main.js", "/static/css/main.css", "/static/app.js"),
    *("/Scripts/jquery.min.js", "/styles/main.css", "/javascript/main.js"),
    *("/javascripts/application.js", "/stylesheets/application.css"),
    # With a version, as many systems add it
    *("/css/style.css?v=1", "/js/main.js?ver=1"),
)
_SOMETIMES: Final = (
    *("/dist/app.js", "/dist/css/app.css", "/build/app.js", "/scripts/main.js", "/bundles/app.js"),
    "/public/css/app.css",
)
_ASSETS: Final = (
    *map(Asset, _ANYWHERE),
    *(Asset(url, is_needed=False) for url in _SOMETIMES),
    Asset("/wp-includes/js/jquery/jquery.min.js?ver=3.7.1", _WORDPRESS),
    Asset("/wp-includes/css/dist/block-library/style.min.css?ver=6.6", _WORDPRESS),
    Asset("/wp-content/themes/theme/style.css?ver=1.0", _WORDPRESS),
    Asset("/wp-content/plugins/plugin/assets/js/frontend.min.js?ver=1.0", _WORDPRESS),
    Asset("/wp-content/cache/min/1/style.css", _WORDPRESS, is_needed=False),
    # Shopify
    Asset("/cdn/shop/t/1/assets/theme.css?v=1", (b"/cdn/shop", b"hopify")),
    Asset("/static/version1700000000/frontend/Magento/luma/en_US/css/styles-m.css", _MAGENTO),
    Asset("/static/frontend/Magento/luma/en_US/requirejs/require.js", _MAGENTO),
    Asset("/skin/frontend/base/default/css/styles.css", _MAGENTO),
    # Drupal's own default file blocks these, and pages load copies below /sites/.
    Asset("/core/misc/drupal.js?v=10.3.0", _DRUPAL, is_needed=False),
    Asset("/core/assets/vendor/jquery/jquery.min.js?v=3.7.1", _DRUPAL, is_needed=False),
    Asset("/misc/drupal.js?s00000", _DRUPAL, is_needed=False),
    Asset("/misc/jquery.js?v=1.4.4", _DRUPAL, is_needed=False),
    Asset("/modules/system/system.base.css?s00000", _DRUPAL, is_needed=False),
    Asset("/sites/default/files/css/css_x.css", (*_DRUPAL, b"/sites/default")),
    Asset("/sites/all/themes/theme/css/style.css?s00000", (*_DRUPAL, b"/sites/all")),
    Asset("/media/jui/js/jquery.min.js", _JOOMLA),
    Asset("/media/system/js/core.js", _JOOMLA),
    Asset("/templates/template/css/template.css", _JOOMLA),
    Asset("/typo3conf/ext/site/Resources/Public/Css/main.css", _TYPO3),
    Asset("/typo3temp/assets/compressed/merged.css", _TYPO3),
    Asset("/_assets/0123456789abcdef/Css/main.css", (*_TYPO3, b"/_assets/")),
    Asset("/fileadmin/templates/css/style.css", (*_TYPO3, b"/fileadmin/templates")),
    # Adobe Experience Manager, SAP Commerce, Salesforce Commerce Cloud
    Asset("/etc.clientlibs/site/clientlibs/clientlib-base.min.css", _AEM),
    Asset("/etc/designs/site/clientlibs.min.css", _AEM),
    Asset("/_ui/responsive/theme/css/style.css", (b"/_ui",)),
    Asset("/on/demandware.static/Sites-Site/-/default/css/style.css", (b"demandware",)),
    # SharePoint's own default file blocks this folder.
    Asset("/_layouts/15/init.js", (b"/_layouts",), is_needed=False),
    # Scripts of forms
    Asset("/WebResource.axd?d=1", (b".axd",), is_needed=False),
    # Next.js, Nuxt, SvelteKit, Astro
    Asset("/_next/static/chunks/main.js", (b"_next",)),
    Asset("/_next/static/css/app.css", (b"_next",)),
    Asset("/_nuxt/entry.js", (b"_nuxt",)),
    Asset("/_app/immutable/entry/start.js", (b"_app/",)),
    Asset("/_astro/index.css", (b"_astro",)),
    # MediaWiki, vBulletin
    Asset("/w/load.php?modules=startup&only=scripts", (b"Special:",)),
    Asset("/clientscript/vbulletin_global.js", (b"/clientscript",)),
)


# The names of folders and file types that are used only for scripts and styles.
_ASSET_NAME: Final = re.compile(
    rb"(?:/|\*)(?:css|js|javascripts?|styles?|stylesheets?)(?:[/*]|\Z)|\.(?:css|js)(?![A-Za-z])", re.IGNORECASE
)


_FILE_TYPE: Final = re.compile(rb"[/*]*\.(?:css|js)[$*]*", re.IGNORECASE)
# The last folder of a rule that is about scripts or styles, with a file that it probably has.
_FOLDER_FILES: Final = {
    **dict.fromkeys((b"css", b"stylesheet", b"stylesheets"), "style.css"),
    **dict.fromkeys((b"js", b"javascript", b"javascripts"), "main.js"),
    b"wp-includes": "js/jquery/jquery.min.js",
    b"typo3conf": "ext/site/Resources/Public/Css/main.css",
    b"typo3temp": "assets/compressed/merged.css",
}
# Folders of themes, each of which has its own folder in it.
_THEME_FOLDERS: Final = (b"/wp-content/themes", b"/sites/all/themes")
# The pages that visitors see do not load files from folders below these.
_NOT_FOR_PAGES: Final = frozenset([b"admin", b"administrator", b"api", b"node_modules", b"test", b"tests", b"wp-admin"])
# Many sites keep documents or images in a folder of this name.
_AMBIGUOUS: Final = frozenset([b"/assets", b"/static"])
# Magento's scripts and styles are in /static/.
_SHOP_WITH_STATIC: Final = (b"/media/", b"/skin/", b"/catalogsearch", b"/checkout")


def file_in_asset_folder(pattern: bytes) -> str | None:
    """Return the path of a script or stylesheet in the folder that a pattern blocks, or None.

    It depends on the name of the last folder, at any depth and in any letter case.
    """
    folder = _folder(pattern)
    above, _, last = folder.lower().rpartition(b"/")
    name = "style.css" if above.endswith(_THEME_FOLDERS) else _FOLDER_FILES.get(last)
    if name is None or b"?" in folder or not _NOT_FOR_PAGES.isdisjoint(above.split(b"/")):
        return None
    path = example_path(folder)
    return None if path is None else f"{path}/{name}"


def is_ambiguous_folder(file: LintedFile, pattern: bytes, opened: Sequence[bytes]) -> bool:
    """Return whether a pattern is a folder such as `/assets/`, and nothing shows that pages load files from it.

    Args: opened: The patterns that are allowed.
    """
    folder = _folder(pattern)
    if folder not in _AMBIGUOUS or any(value.startswith(folder) or names_assets(value) for value in opened):
        return False
    return folder != b"/static" or not any(part in file.content for part in _SHOP_WITH_STATIC)


def _folder(pattern: bytes) -> bytes:
    return pattern.rstrip(b"*$").rstrip(b"/")


def names_file_type(pattern: bytes) -> bool:
    """Return whether a pattern is about all scripts or all styles, such as `/*.js` or `*.css$`."""
    return _FILE_TYPE.fullmatch(pattern) is not None


def names_assets(pattern: bytes) -> bool:
    """Return whether a pattern names scripts or styles, by file type or by folder."""
    return _ASSET_NAME.search(pattern) is not None


# Assets that pages need come first.
ASSETS: Final = tuple(sorted(_ASSETS, key=lambda asset: not asset.is_needed))


def is_typical_asset(file: LintedFile, asset: Asset) -> bool:
    """Return whether the pages of a site may have a script or style, as far as the file shows.

    Cost: O(bytes).
    """
    if asset.url in _NOT_ON_DRUPAL and any(part in file.content for part in _DRUPAL):
        return False
    return not asset.evidence or any(part in file.content for part in asset.evidence)


def blocked_asset(pattern: bytes) -> bytes | None:
    """Return the URL of a script or stylesheet that a pattern matches, or None.

    Cost: O(bytes).
    """
    form = canonical_form(pattern)
    if not form:
        return None
    segments = split_segments(form)
    return next((url for url in _urls() if segments.matches(url) and names_folder(pattern, url)), None)


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
