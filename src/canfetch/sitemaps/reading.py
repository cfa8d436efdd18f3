"""The procedure that reads sitemaps and the sitemaps of their indexes.

It is a generator without I/O, as in `client/documents.py`. It yields steps and receives their results, and it yields
what it reads. `fetching` performs the steps, and yields the rest.

The rules about hosts are those of the protocol: a sitemap may list the URLs of each host whose robots.txt names it, or
names the index that lists it. Without a robots.txt that names it, a sitemap may list the URLs of its own host below its
own folder. Other URLs are listed, with a problem: crawlers ignore them.

Source: sitemaps.org, protocol 0.9, "Sitemap file location" and "Sitemaps & Cross Submits".
"""

from collections import deque
from collections.abc import Generator, Iterable, Sequence
from typing import Any, Final, NamedTuple

from canfetch.client.documents import Step, fetch_document
from canfetch.core.origin import Origin, find_origin
from canfetch.core.quoting import quoted
from canfetch.core.redaction import redacted_url
from canfetch.core.text import printable_text
from canfetch.core.verdict import Verdict
from canfetch.errors import CanfetchError, InvalidURL
from canfetch.sitemaps.content import MAX_SITEMAP_BYTES, ListedURL, SitemapContent, SitemapKind
from canfetch.sitemaps.problems import ProblemCounter, SitemapProblem, SitemapProblemKind

DEFAULT_MAX_SITEMAPS: Final = 1_000
"""The number of files that are read by default. An index can list 50,000."""
DEFAULT_PARALLEL: Final = 4
"""The number of sitemaps of an index that are fetched at the same time by default. Each can have 50 MiB."""
# Whether the robots.txt of another host names a sitemap is looked up for this many hosts.
_MAX_OTHER_HOSTS: Final = 100
_SCHEMES: Final = ("http", "https")


class NamesStep(NamedTuple):
    """Find the sitemaps that the robots.txt of the origin of a URL names. The result is a collection of their URLs."""

    url: str


class VerdictsStep(NamedTuple):
    """Decide about a listed URL for each agent. The result is a sequence of verdicts. It may raise CanfetchError."""

    url: str


class StartStep(NamedTuple):
    """Start to fetch the body of a sitemap, which a `BodyStep` returns later."""

    url: str


class BodyStep(NamedTuple):
    """Return the body of a sitemap. It may raise CanfetchError."""

    url: str


ReadingStep = Step | NamesStep | VerdictsStep | StartStep | BodyStep


class SitemapEntry(NamedTuple):
    """A URL that a sitemap lists.

    Attributes:
        url: The URL.
        lastmod: The date of its last change as written, or None.
        sitemap: The URL of the sitemap, or the name of its file.
        is_accepted: Whether the sitemap may list the URL, by the protocol's rules about hosts and folders.
        verdicts: The verdict of each agent. Empty if no agents were requested, or if there is an `error`.
        error: Why there are no verdicts, or an empty string.
    """

    url: str
    lastmod: str | None
    sitemap: str
    is_accepted: bool
    verdicts: tuple[Verdict, ...] = ()
    error: str = ""

    @property
    def is_blocked(self) -> bool:
        """Whether some agent may not fetch the URL."""
        return any(not verdict.allowed for verdict in self.verdicts)


class SitemapFile(NamedTuple):
    """A sitemap, or an index, after its URLs.

    Attributes:
        url: Its URL without credentials, or the name of its file.
        index_url: The URL of the index that lists it, or None.
        kind: The format, or None if it could not be fetched.
        urls: The number of URLs that it lists.
        bytes: The bytes that were read, without compression.
        problems: Its faults.
    """

    url: str
    index_url: str | None
    kind: SitemapKind | None
    urls: int
    bytes: int
    problems: tuple[SitemapProblem, ...]

    @property
    def is_unreadable(self) -> bool:
        """Whether the sitemap, or a part of it, cannot be read."""
        return any(problem.is_unreadable for problem in self.problems)

    def to_json(self) -> dict[str, Any]:
        """Return the facts as JSON."""
        return {
            "url": printable_text(self.url),
            "index": None if self.index_url is None else printable_text(self.index_url),
            "kind": None if self.kind is None else str(self.kind),
            "urls": self.urls,
            "bytes": self.bytes,
            "problems": [problem.to_json() for problem in self.problems],
        }


SitemapEvent = SitemapEntry | SitemapFile


class SitemapSource(NamedTuple):
    """A sitemap to read.

    Attributes:
        url: Its URL, or the name of a file.
        named_by: The origin whose robots.txt names it, or None.
        content: The content of a file, or None for a sitemap that is fetched.
    """

    url: str
    named_by: Origin | None = None
    content: bytes | None = None

    @property
    def display_name(self) -> str:
        """The name of the file, or the URL without credentials."""
        return redacted_url(self.url) if self.content is None else self.url


def sitemap_events(
    sources: Iterable[SitemapSource],
    *,
    max_sitemaps: int = DEFAULT_MAX_SITEMAPS,
    parallel: int = 1,
    with_verdicts: bool = False,
) -> Generator[ReadingStep | SitemapEvent, Any, None]:
    """Read sitemaps and the sitemaps of their indexes.

    Yield steps, and the URLs of each sitemap, followed by the sitemap. Nothing raises: a fault is a problem of its
    sitemap.

    Args:
        max_sitemaps: The number of files to read.
        parallel: The number of sitemaps of an index to fetch at the same time.
        with_verdicts: Whether to yield a `VerdictsStep` for each URL.
    Cost: The requests for the files, of which `parallel` are in memory, and the robots.txt of each host that URLs are
        on.
    """
    procedure = _Reading(max_sitemaps, parallel, with_verdicts=with_verdicts)
    remaining = iter(sources)
    for source in remaining:
        if procedure.is_exhausted:
            problem = procedure.unread_problem(1 + sum(1 for _ in remaining))
            yield SitemapFile(source.display_name, None, None, 0, 0, (problem,))
            return
        yield from procedure.read_source(source)


class _Reading:
    """Reads sitemaps."""

    def __init__(self, max_sitemaps: int, parallel: int, *, with_verdicts: bool) -> None:
        self._left = max_sitemaps
        self._parallel = parallel
        self._max_sitemaps = max_sitemaps
        self._with_verdicts = with_verdicts
        # By origin, the sitemaps that its robots.txt names, or None if it is not looked up.
        self._names: dict[Origin, frozenset[str] | None] = {}
        self._seen: set[str] = set()

    @property
    def is_exhausted(self) -> bool:
        """Whether no more files are read."""
        return self._left <= 0

    def unread_problem(self, count: int) -> SitemapProblem:
        """Return the problem of sitemaps that are not read because of the limit."""
        subject = f"{count:,} sitemaps are" if count > 1 else "1 sitemap is"
        message = f"{subject} not read: expected at most {self._max_sitemaps:,}"
        return SitemapProblem(SitemapProblemKind.TOO_MANY_SITEMAPS, message)

    def read_source(self, source: SitemapSource) -> Generator[ReadingStep | SitemapEvent, Any, None]:
        """Read a sitemap that was named, and the sitemaps that it lists if it is an index."""
        if not self._claim(source):
            return
        listed: list[ListedURL] = []
        index = yield from self._read(source, None, listed)
        if index is None:
            return
        problems = ProblemCounter()
        fetched: deque[SitemapSource] = deque()
        for number, child in enumerate(listed):
            if self.is_exhausted:
                unread = self.unread_problem(len(listed) - number)
                problems.add(unread.kind, unread.detail)
                break
            sitemap = SitemapSource(child.url, source.named_by)
            if not (yield from self._may_be_read(child.url, source, problems)) or not self._claim(sitemap):
                continue
            if self._parallel > 1:
                yield StartStep(child.url)
            fetched.append(sitemap)
            if len(fetched) >= self._parallel:
                yield from self._read(fetched.popleft(), source, [])
        for sitemap in fetched:
            yield from self._read(sitemap, source, [])
        problems.extend(index.problems)
        yield index._replace(problems=problems.problems)

    def _claim(self, source: SitemapSource) -> bool:
        """Return whether a sitemap was not read before, and count it."""
        url = _requested_url(source.url)
        if source.content is None and url in self._seen:
            return False
        self._seen.add(url)
        self._left -= 1
        return True

    def _read(
        self, source: SitemapSource, index: SitemapSource | None, listed: list[ListedURL]
    ) -> Generator[ReadingStep | SitemapEvent, Any, SitemapFile | None]:
        """Yield the URLs of a sitemap, and the sitemap.

        Args: listed: Where the sitemaps of an index are added.
        Returns: The index if the sitemap is one, which is not yielded yet. Otherwise None.
        """
        parent = None if index is None else redacted_url(index.url)
        name = source.display_name
        try:
            body = source.content if source.content is not None else (yield BodyStep(source.url))
        except CanfetchError as error:
            problem = SitemapProblem(SitemapProblemKind.NOT_FETCHED, str(error))
            yield SitemapFile(name, parent, None, 0, 0, (problem,))
            return None
        content = SitemapContent(body)
        problems = ProblemCounter()
        for entry in content:
            if content.kind is SitemapKind.INDEX:
                listed.append(entry)
            else:
                yield from self._entry(entry, name, source, index, problems)
        if content.kind is SitemapKind.INDEX and index is not None:
            problems.add(SitemapProblemKind.NESTED_INDEX, "an index lists this index, whose sitemaps are not read")
        problems.extend(content.problems)
        file = SitemapFile(name, parent, content.kind, content.urls, content.bytes, problems.problems)
        if content.kind is SitemapKind.INDEX and index is None:
            return file
        yield file
        return None

    def _may_be_read(self, url: str, index: SitemapSource, problems: ProblemCounter) -> Generator[NamesStep, Any, bool]:
        """Return whether a sitemap of an index is read. Those of hosts that do not name it or the index are not."""
        origin = find_origin(url) if "://" in url else None
        # A sitemap whose URL is not valid is reported when it is read.
        problem = None if origin is None else (yield from self._host_problem(url, origin, index, None))
        if problem is None:
            return True
        problems.add(problem.kind, problem.detail)
        return problem.kind is not SitemapProblemKind.OTHER_HOST

    def _entry(
        self,
        listed: ListedURL,
        name: str,
        source: SitemapSource,
        index: SitemapSource | None,
        problems: ProblemCounter,
    ) -> Generator[ReadingStep | SitemapEvent, Any, None]:
        origin = find_origin(listed.url)
        if origin is None or "://" not in listed.url or origin.scheme not in _SCHEMES:
            message = f"invalid URL {quoted(listed.url)}: expected an absolute http or https URL"
            problems.add(SitemapProblemKind.INVALID_URL, message)
            yield SitemapEntry(listed.url, listed.lastmod, name, is_accepted=False, error=message)
            return
        problem = yield from self._host_problem(listed.url, origin, source, index)
        if problem is not None:
            problems.add(problem.kind, problem.detail)
        verdicts: Sequence[Verdict] = ()
        error = ""
        if self._with_verdicts:
            if problem is not None and problem.kind is SitemapProblemKind.OTHER_HOST and origin not in self._names:
                error = (
                    f"the robots.txt of {origin} is not requested: the sitemaps list URLs of more than "
                    f"{_MAX_OTHER_HOSTS} other hosts"
                )
            else:
                verdicts, error = yield from self._verdicts(listed.url, problems)
        yield SitemapEntry(listed.url, listed.lastmod, name, problem is None, tuple(verdicts), error)

    def _verdicts(
        self, url: str, problems: ProblemCounter
    ) -> Generator[VerdictsStep, Any, tuple[Sequence[Verdict], str]]:
        """Return the verdicts on a URL, or the error if there are none."""
        try:
            return (yield VerdictsStep(url)), ""
        except CanfetchError as failure:
            problems.add(SitemapProblemKind.NOT_DECIDED, str(failure))
            return (), str(failure)

    def _host_problem(
        self, url: str, origin: Origin, source: SitemapSource, index: SitemapSource | None
    ) -> Generator[NamesStep, Any, SitemapProblem | None]:
        """Return why a sitemap may not list a URL, or None."""
        if source.content is not None or origin == source.named_by:
            return None
        own = find_origin(source.url)
        if origin == own and _is_below(url, source.url):
            return None
        names = yield from self._names_of(origin)
        if names is not None and not names.isdisjoint({url, source.url, source.url if index is None else index.url}):
            return None
        if origin == own:
            detail = f"{quoted(url)} is not below the folder of the sitemap, which no robots.txt names"
            return SitemapProblem(SitemapProblemKind.OUTSIDE_FOLDER, detail)
        detail = f"{quoted(url)} is on another host, whose robots.txt does not name the sitemap"
        return SitemapProblem(SitemapProblemKind.OTHER_HOST, detail)

    def _names_of(self, origin: Origin) -> Generator[NamesStep, Any, frozenset[str] | None]:
        if origin not in self._names:
            if len(self._names) >= _MAX_OTHER_HOSTS:
                return None
            try:
                names = yield NamesStep(f"{origin}/")
                self._names[origin] = frozenset(names)
            except CanfetchError:
                self._names[origin] = None
        return self._names[origin]


def fetch_body(url: str) -> Generator[Step, Any, bytes]:
    """Fetch the body of a sitemap, and follow redirects.

    Raises: InvalidURL; NotFetched: The server fails, or robots.txt disallows the URL.
    """
    origin = find_origin(url) if "://" in url else None
    if origin is None or origin.scheme not in _SCHEMES:
        raise InvalidURL(f"invalid sitemap {quoted(redacted_url(url))}: expected an absolute http or https URL")
    document = yield from fetch_document(url, max_bytes=MAX_SITEMAP_BYTES)
    return document.checked_body()


def _is_below(url: str, sitemap: str) -> bool:
    """Return whether the path of a URL is below the folder of a sitemap. Both are on one origin."""
    folder = _path(sitemap).rpartition("/")[0]
    return _path(url).startswith(f"{folder}/")


def _path(url: str) -> str:
    return _requested_part(url).partition("?")[0] or "/"


def _requested_part(url: str) -> str:
    """Return the path and the query of a URL."""
    rest = url.partition("://")[2]
    return rest[len(rest.partition("/")[0].partition("?")[0].partition("#")[0]) :].partition("#")[0]


def _requested_url(url: str) -> str:
    """Return a URL with its scheme and host in lower case, and without its fragment and user information."""
    origin = find_origin(url)
    part = _requested_part(url)
    return url if origin is None else f"{origin}{part if part.startswith('/') else f'/{part}'}"
