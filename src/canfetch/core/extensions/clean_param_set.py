"""All Clean-param records of a file, indexed by path.

Source: Yandex Webmaster, "The Clean-param directive".
"""

from collections.abc import Iterable

from canfetch.core.escapes import canonical
from canfetch.core.extensions.clean_param import CleanParam
from canfetch.core.profiles import PROFILES
from canfetch.core.reference.head_index import HeadIndex
from canfetch.core.targets import to_target
from canfetch.core.urls import SplitURL


class CleanParamSet:
    """The Clean-param records of a file.

    Cost: O(bytes of the records, times their logarithm).
    """

    __slots__ = ("_index", "_names")

    def __init__(self, records: Iterable[CleanParam]) -> None:
        names: dict[bytes, set[bytes]] = {}
        for record in records:
            names.setdefault(record.path, set()).update(map(canonical, record.parameters))
        self._names = list(names.values())
        self._index = HeadIndex(enumerate(names))

    def canonical(self, url: bytes, split: SplitURL) -> bytes:
        """Return `url` without the parameters that are irrelevant for its path, and without its fragment.

        Names are compared case-sensitively, in canonical form. The rest of the URL is unchanged.

        Args:
            url: A URL or a path.
            split: The parts of `url`, from `split_url`.
        Cost: O(bytes of the URL), plus the records whose path matches.
        """
        url = url.partition(b"#")[0]
        address, mark, query = url.partition(b"?")
        if not mark:
            return url
        path = to_target(address, split, PROFILES["rfc9309"])
        irrelevant = set[bytes]().union(*(self._names[rank] for rank in self._index.all(path)))
        if not irrelevant:
            return url
        parts = [part for part in query.split(b"&") if canonical(part.partition(b"=")[0]) not in irrelevant]
        return address + b"?" + b"&".join(parts) if parts else address
