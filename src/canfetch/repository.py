"""The address of the project's repository. Nothing else in the project contains it.

The package metadata, the links of its README, the documentation, SARIF logs and the User-Agent header of the command
line are derived from it. While it is None, they leave the address out.
"""

from typing import Final

# For example "https://github.com/OWNER/canfetch", without a slash at the end.
REPOSITORY: Final[str | None] = None


def file_url(repository: str, version: str, path: str) -> str:
    """Return the URL of a file of a release. GitHub and GitLab use this form."""
    return f"{repository}/blob/v{version}/{path}"
