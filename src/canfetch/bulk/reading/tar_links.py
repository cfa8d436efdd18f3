"""Links in tar files: the contents of the files that they lead to."""

import posixpath
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final, NamedTuple

_MAX_BYTES: Final = 1 << 25
_ENTRY_BYTES: Final = 200
_MAX_WAITING: Final = 10_000
# Limit on expanded bytes: a link of 512 bytes can repeat 1 MiB of content.
_MAX_LINKED_BYTES: Final = 1 << 30


class Link(NamedTuple):
    """A link: its path, the path of its target in the archive, and the position of its header."""

    path: str
    target: str
    position: int


# A link, and its content or why it has none.
ResolvedLink = tuple[Link, bytes | str]


class TarLinks:
    """Finds the contents of links. A symbolic link may come before its target, and may lead to another link.

    Args: max_bytes: The sum of the contents of all links. Links after it are not resolved.
    Cost: Up to 32 MiB of the last contents, and 10,000 links, are in memory.
    """

    def __init__(self, *, max_bytes: int = _MAX_LINKED_BYTES) -> None:
        self._unused_bytes = max_bytes
        self._contents: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._waiting: dict[str, list[Link]] = {}
        self._waiting_count = 0

    def add_file(self, path: str, content: bytes) -> Iterator[ResolvedLink]:
        """Remember the content of a file, and yield the links that waited for it."""
        resolved = [normal_path(path)]
        while resolved:
            known = resolved.pop()
            self._remember(known, content)
            for link in self._waiting.pop(known, []):
                self._waiting_count -= 1
                yield self._resolved(link, content)
                resolved.append(link.path)

    def _resolved(self, link: Link, content: bytes) -> ResolvedLink:
        if len(content) > self._unused_bytes:
            return link, "a link, and the contents of all links are too large: extract the archive"
        self._unused_bytes -= len(content)
        return link, content

    def _remember(self, path: str, content: bytes) -> None:
        self._bytes += _size(path, content) - _size(path, self._contents.pop(path, None))
        self._contents[path] = content
        while self._bytes > _MAX_BYTES:
            self._bytes -= _size(*self._contents.popitem(last=False))

    def add_link(self, link: Link, *, may_wait: bool) -> Iterator[ResolvedLink]:
        """Yield a link and the links that waited for it, or nothing if its target may follow."""
        content = self._contents.get(link.target)
        if link.target.startswith(("/", "../")) or link.target == "..":
            yield link, f"a link to {link.target}, which is not in the archive"
        elif content is not None:
            yield self._resolved(link, content)
            yield from self.add_file(link.path, content)
        elif may_wait and self._waiting_count < _MAX_WAITING:
            self._waiting.setdefault(link.target, []).append(link)
            self._waiting_count += 1
        else:
            yield link, f"a link to {link.target}, whose content is not in memory: extract the archive"

    def unresolved(self) -> Iterator[ResolvedLink]:
        """Yield the links whose targets did not follow, and what is wrong with them."""
        for links in self._waiting.values():
            for link in links:
                yield link, f"a link to {link.target}, which is not a file of the archive, or no longer in memory"


def _size(path: str, content: bytes | None) -> int:
    return 0 if content is None else len(content) + len(path) + _ENTRY_BYTES


def normal_path(path: str) -> str:
    """Return the path of a member without what does not distinguish it."""
    return posixpath.normpath(path.lstrip("/"))


def hard_link(path: str, target: str, position: int) -> Link:
    """Return a hard link, whose target is the path of a member before it."""
    return Link(normal_path(path), normal_path(target), position)


def symbolic_link(path: str, target: str, position: int) -> Link:
    """Return a symbolic link, whose target is relative to its folder."""
    normal = normal_path(path)
    return Link(normal, posixpath.normpath(posixpath.join(posixpath.dirname(normal), target)), position)
