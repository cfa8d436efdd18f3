"""All Clean-param records of a file, applied: many addresses of one page become one.

Source: Yandex Webmaster, "The Clean-param directive".
"""

from collections.abc import Iterable

from canfetch.core.escapes import canonical
from canfetch.core.extensions.clean_param import CleanParam
from canfetch.core.profiles import PROFILES
from canfetch.core.reference.head_index import HeadIndex
from canfetch.core.targets import target_of
from canfetch.core.urls import SplitURL


class CleanParams:
    """The records of one file, ready to be asked.

    Cost: O(octets of the records, times their logarithm).
    """

    __slots__ = ("_index", "_names")

    def __init__(self, records: Iterable[CleanParam]) -> None:
        names: dict[bytes, set[bytes]] = {}
        for record in records:
            names.setdefault(record.path, set()).update(map(canonical, record.parameters))
        self._names = list(names.values())
        self._index = HeadIndex(enumerate(names))

    def canonical(self, url: bytes, split: SplitURL) -> bytes:
        """Give the URL without the parameters that do not count there, and without its fragment.

        Names are compared with regard to letter case, in canonical form; what remains stays as written.

        Args:
            url: a whole URL.
            split: its parts, from `split_url`.
        Cost: O(octets of the URL), plus the records whose path matches.
        """
        url = url.partition(b"#")[0]
        address, mark, query = url.partition(b"?")
        if not mark:
            return url
        path = target_of(address, split, PROFILES["rfc9309"])
        dropped = set[bytes]().union(*(self._names[rank] for rank in self._index.all(path)))
        if not dropped:
            return url
        kept = [part for part in query.split(b"&") if canonical(part.partition(b"=")[0]) not in dropped]
        return address + b"?" + b"&".join(kept) if kept else address
