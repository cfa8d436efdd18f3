"""Where and by whom the project is published: addresses, keys and the switch of the first release, only here.

The package metadata, the links of its README, the links to the pages of checks, SARIF logs and the default User-Agent
header are derived from them. An address that is None is left out.
"""

from typing import Final

# For example "https://github.com/OWNER/canfetch", without a slash at the end.
REPOSITORY: Final[str | None] = None
# Where `.github/workflows/docs.yml` publishes the built documentation, without a slash at the end.
DOCUMENTATION: Final[str | None] = None
# Whether the registries (PyPI, crates.io, npm) have a release. The commit of the first release sets it, and
# `python tools/generate_release_marks.py` then removes the marks of commands that need a registry.
PUBLISHED: Final[bool] = False
# The public keys of releases of the registry of crawlers: Ed25519, each as the middle line of its PEM.
# `python tools/build_registry_release.py --new-key KEY.pem` adds one.
RELEASE_KEYS: Final[tuple[str, ...]] = ()


def default_user_agent(version: str) -> str:
    """Return the User-Agent header of a version of canfetch, for callers that set none."""
    return f"canfetch/{version}" + (f" (+{REPOSITORY})" if REPOSITORY else "")


def file_url(repository: str, version: str, path: str) -> str:
    """Return the URL of a file of a release. GitHub and GitLab use this form."""
    return f"{repository}/blob/v{version}/{path}"
