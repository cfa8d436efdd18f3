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
    do not look like the roots of other sites. Collections of sites have no root. Projects may have such files for
    other purposes, such as tests. So in the root of a project, only the folders of a site's content are reported.

    Args:
        file: A robots.txt below `folder`.
        folder: The outermost folder that is examined.
    """
    place = file.parent
    while place != folder:
        if _may_be_root(place) or _has_any(place, _PROJECT_FILES):
            return None
        above = place.parent
        has_content_name = place.name.lower() in _CONTENT_NAMES
        is_site = _has_any(above, _SITE_FILES)
        is_project = _has_any(above, _PROJECT_FILES)
        if (has_content_name and is_site) if is_project else (has_content_name or is_site):
            return "/" + PurePath(file.relative_to(above)).as_posix()
        if is_project:
            return None
        place = above
    return None


def _may_be_root(folder: Path) -> bool:
    name = folder.name.lower()
    # A name with a dot is that of a host.
    return "." in name or name in _ROOT_NAMES


def _has_any(folder: Path, names: tuple[str, ...]) -> bool:
    return any((folder / name).exists() for name in names)
