"""Protego with a cache of its parsed files, in a module that the workers of Spark import."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from protego import Protego


class CachingProtego:
    """Decides rows with Protego, whose parsed files are kept."""

    def __init__(self, contents: Mapping[Any, bytes]) -> None:
        self._texts = {file: content.decode("utf-8", "replace") for file, content in contents.items()}
        self._parsed: dict[Any, Any] = {}

    def allows(self, file: Any, agent: str, url: str) -> bool:
        """Return whether the agent may fetch the URL."""
        parsed = self._parsed.get(file)
        if parsed is None:
            parsed = self._parsed[file] = Protego.parse(self._texts[file])
        allowed: bool = parsed.can_fetch(url, agent)
        return allowed

    def column(self, ids: Any, agents: Any, urls: Any) -> Any:
        """Return a column for columns of Arrow data."""
        rows = zip(ids.to_pylist(), agents.to_pylist(), urls.to_pylist(), strict=True)
        return pa.array([self.allows(*row) for row in rows])


_instances: list[CachingProtego] = []


def instance_of_process(sent: Any) -> CachingProtego:
    """Return the instance of this process, which is kept from task to task.

    Args: sent: The broadcast contents of the files.
    """
    if not _instances:
        _instances.append(CachingProtego(sent.value))
    return _instances[0]
