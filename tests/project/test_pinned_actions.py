"""Workflows name actions by the hash of a commit. SECURITY.md lists those that keep a tag."""

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
WORKFLOWS: Final = [
    *sorted((ROOT / ".github" / "workflows").glob("*.yml")),
    *(ROOT / folder / "action.yml" for folder in (".", "audit", "diff", "conformance")),
]
USES: Final = re.compile(r"^ *(?:- )?uses: (\S+)(.*)$", re.MULTILINE)
PINNED: Final = re.compile(r"[\w-]+/[\w./-]+@[0-9a-f]{40}")
VERSION: Final = re.compile(r"  # v\d+(\.\d+\.\d+)?")
LISTED: Final = re.compile(r"^  \| `(\S+@\S+)` \|", re.MULTILINE)


def actions() -> list[tuple[str, str]]:
    """Return each action of other projects with the comment after it."""
    texts = [path.read_text(encoding="utf-8") for path in WORKFLOWS if path.exists()]
    return [use for text in texts for use in USES.findall(text) if not use[0].startswith("./")]


def listed() -> set[str]:
    return set(LISTED.findall((ROOT / "SECURITY.md").read_text(encoding="utf-8")))


def test_actions_without_a_hash_are_those_that_the_list_names() -> None:
    assert len(actions()) > 20
    assert {action for action, _ in actions() if PINNED.fullmatch(action) is None} == listed()


def test_comment_after_a_hash_names_its_version() -> None:
    pinned = [(action, comment) for action, comment in actions() if PINNED.fullmatch(action)]
    assert pinned
    assert not [action for action, comment in pinned if VERSION.fullmatch(comment) is None]


def test_an_action_has_one_version_in_all_workflows() -> None:
    versions: dict[str, set[tuple[str, str]]] = {}
    for action, comment in actions():
        versions.setdefault(action.partition("@")[0], set()).add((action, comment))
    assert not {name: found for name, found in versions.items() if len(found) > 1}
