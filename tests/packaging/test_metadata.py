"""The package metadata contains the repository's address if it is set, and neither placeholders nor dead links."""

import re
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest

from canfetch.lint import CHECKS
from canfetch.lint.formats.sarif import sarif_log
from canfetch.repository import REPOSITORY
from package_metadata import package_readme, project_urls

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ADDRESS = "https://git.example.org/canfetch"
SITE = "https://docs.example.org/canfetch"
LINK = re.compile(r"\[[^\]]+\]\(([^)]+)\)")
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def links(markdown: str) -> list[str]:
    return LINK.findall(CODE.sub("", markdown))


def relative_links(markdown: str) -> list[str]:
    return [link for link in links(markdown) if not re.match("[a-z]+:|#", link)]


def test_relative_links_of_the_readme_exist() -> None:
    found = relative_links(README)
    assert found
    assert not [link for link in found if not (ROOT / link.partition("#")[0]).exists()]


def test_packaged_readme_links_to_the_release() -> None:
    packaged = package_readme(README, ADDRESS, "1.2.3")
    assert relative_links(packaged) == []
    assert {f"{ADDRESS}/blob/v1.2.3/{link}" for link in relative_links(README)} <= set(links(packaged))


def test_packaged_readme_without_an_address_has_no_relative_links() -> None:
    readme = "See [Fetching\nand caching](docs/access.md#a) and [RFC](https://example.org/)."
    assert package_readme(readme, None, "1") == "See Fetching\nand caching and [RFC](https://example.org/)."
    assert relative_links(package_readme(README, None, "1.2.3")) == []


def test_packaged_readme_keeps_code_and_omits_instructions_for_tests() -> None:
    code = "```python\n[name](argument)\n```\n"
    assert package_readme(f"<!-- setup: true -->\n{code}", ADDRESS, "1") == code


def test_documents_contain_no_placeholder_of_the_address() -> None:
    documents = [ROOT / "README.md", ROOT / "pyproject.toml", ROOT / "action.yml", *(ROOT / "docs").glob("*.md")]
    texts = {document.name: document.read_text(encoding="utf-8") for document in documents}
    assert not [name for name, text in texts.items() if re.search(r"\bOWNER/|\bgit\.example\.", text)]


def test_project_urls_are_left_out_without_an_address() -> None:
    assert project_urls(None) == {}
    assert project_urls(ADDRESS)["Source"] == ADDRESS


@pytest.mark.slow
def test_sarif_log_links_to_the_repository_and_the_pages_of_checks_if_their_addresses_are_known() -> None:
    driver = sarif_log([], version="1.2.3", repository=ADDRESS, documentation=SITE)["runs"][0]["tool"]["driver"]
    assert driver["informationUri"] == ADDRESS
    assert driver["rules"][0]["helpUri"] == f"{SITE}/checks/{CHECKS[0].code}.html"
    driver = sarif_log([], version="1.2.3", repository=None, documentation=None)["runs"][0]["tool"]["driver"]
    assert "informationUri" not in driver
    assert "helpUri" not in driver["rules"][0]


WHEELS = sorted((ROOT / "dist").glob("*.whl"))


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_bytes(archive.read(name))


@pytest.mark.packaging
@pytest.mark.parametrize("wheel", WHEELS, ids=lambda wheel: wheel.name)
def test_wheel_has_the_project_urls_and_the_packaged_readme(wheel: Path) -> None:
    message = metadata(wheel)
    urls = dict(value.split(", ", 1) for value in message.get_all("Project-URL", []))
    assert urls == project_urls(REPOSITORY)
    assert message["Description-Content-Type"] == "text/markdown"
    description = message.get_payload(decode=True)
    assert isinstance(description, bytes)
    assert description.decode("utf-8").strip() == package_readme(README, REPOSITORY, message["Version"]).strip()
