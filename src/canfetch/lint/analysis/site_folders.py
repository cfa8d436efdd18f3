"""The place of a robots.txt in the folder of a site."""

from pathlib import Path, PurePath
from typing import Final

from canfetch.lint.analysis.key_names import edit_distance

ROBOTS_TXT: Final = "robots.txt"
# Names that were probably meant as robots.txt, unlike source files such as `robots.staging.txt`.
_MISNAMED: Final = frozenset(
    ["robots", "robotstxt", "robots.txt.txt", "robots.text", "robot.text", "killer-robots.txt"]
    # Pages and documents, which a site may also have on purpose.
    + ["robots.htm", "robots.html", "robots.txt.html", "robots.rtf", "robots.doc", "robots.docx", "robots.md"]
)
_PAGES: Final = (".htm", ".html", ".rtf", ".doc", ".docx", ".md")
# Folders that are usually the root of a site, and folders whose files are examples.
_ROOT_NAMES: Final = frozenset(
    ["public", "static", "www", "htdocs", "httpdocs", "html", "public_html", "webroot", "wwwroot", "web", "docroot"]
    + [
        "dist",
        "build",
        "out",
        "_site",
        "site",
        "root",
        "src",
        "app",
        "staging",
        "production",
        "test",
        "tests",
        "examples",
    ]
)
_PROJECT_FILES: Final = (".git", ".hg", "package.json", "pyproject.toml", "composer.json", "Cargo.toml", "Makefile")
_SITE_FILES: Final = ("robots.txt", "index.html", "index.htm", "index.php", ".htaccess", "favicon.ico", "sitemap.xml")
# Folders of a site's content. They are below the root even if nothing else is known about the folder above.
_CONTENT_NAMES: Final = frozenset(["pages", "images", "css", "js", "cgi-bin", "wp-content", "wp-admin", "wp-includes"])


def is_misnamed(name: str) -> bool:
    """Return whether a file name was probably meant as `robots.txt`."""
    if name == ROBOTS_TXT:
        return False
    lower = name.strip().lower()
    if lower == ROBOTS_TXT or lower in _MISNAMED:
        return True
    # `robots2.txt` is another version of the file, and not a typo.
    return lower.replace(".", "").isalpha() and edit_distance(lower.encode(), ROBOTS_TXT.encode(), 1) <= 1


def is_misnamed_in_folder(name: str) -> bool:
    """Return whether a file name in a folder was probably meant as `robots.txt`, and is not that of a page."""
    return is_misnamed(name) and not name.lower().endswith(_PAGES)


def path_in_site(file: Path, folder: Path) -> str | None:
    """Return the path of a file in the site to which it belongs, or None if it may be at the root of a site.

    A folder is the root of a site if it has a robots.txt or a start page, and if the folders between it and the file
    do not look like the roots of other sites. Projects and collections of sites have no root.

    Args:
        file: A robots.txt below `folder`.
        folder: The outermost folder that is examined.
    """
    place = file.parent
    while place != folder:
        if _may_be_root(place):
            return None
        above = place.parent
        if any((above / name).exists() for name in _PROJECT_FILES):
            return None
        if place.name.lower() in _CONTENT_NAMES or any((above / name).exists() for name in _SITE_FILES):
            return "/" + PurePath(file.relative_to(above)).as_posix()
        place = above
    return None


def _may_be_root(folder: Path) -> bool:
    name = folder.name.lower()
    # A name with a dot is that of a host.
    return "." in name or name in _ROOT_NAMES
