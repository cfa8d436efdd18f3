"""How URLs come into a frontier: cleaned, filtered, identified and added, or refused with a reason."""

from asyncio import CancelledError
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Final, NamedTuple

from canfetch.client.frontier.queue_values import NewURLs
from canfetch.client.frontier.turn import SkippedURL
from canfetch.client.frontier.url_identity import IdentifiedURL, clean_url, identify_url
from canfetch.client.frontier.url_queue import URLQueue
from canfetch.client.frontier.validation import filtered_url
from canfetch.core.urls import AnyURL
from canfetch.errors import InvalidURL

# The number of URLs that are added in one transaction.
_BATCH: Final = 1000

# Others, such as KeyboardInterrupt, are not about a value.
_LEFT_OUT: Final = (Exception, CancelledError)

ReportSkipped = Callable[[SkippedURL], object]


class _ReadURLs(NamedTuple):
    """URLs that were given: those to add, those that are refused, and the exceptions for the others."""

    identified: list[IdentifiedURL]
    refused: list[SkippedURL]
    errors: list[BaseException]


class URLIntake:
    """Adds URLs to a queue.

    Args:
        queue: The queue.
        report: Called with each URL that is refused.
        is_grouped: Whether the queue groups its URLs by more than their origin.
        max_depth: The limit of the depth.
        max_urls: The limit of the URLs of one origin, or None.
        url_filter: Returns the URL that is added in place of one, or None to refuse it.
        notify: Called after each transaction, also if no URL is new.
    """

    def __init__(
        self,
        queue: URLQueue,
        report: ReportSkipped,
        *,
        is_grouped: bool,
        max_depth: float,
        max_urls: int | None,
        url_filter: Callable[[str], str | None] | None,
        notify: Callable[[], None],
    ) -> None:
        self._queue = queue
        self._report = report
        self._is_grouped = is_grouped
        self._max_depth = max_depth
        self._max_urls = max_urls
        self._url_filter = url_filter
        self._notify = notify

    def add_all(self, urls: Iterable[AnyURL], priority: float, depth: int, metadata: str | None) -> int:
        """Add URLs, and return how many are new.

        Raises: TypeError: `urls` contains a value of another type; the URLs before it are added. StoreError; what the
            filter raises; and the first exception of `report`, after all URLs have been added.
        """
        iterator = iter(urls)
        added = 0
        with self._deferred_errors() as report:
            while batch := list(islice(iterator, _BATCH)):
                added += self.add(batch, priority, report, depth=depth, metadata=metadata)
        return added

    def add(
        self,
        urls: Iterable[AnyURL],
        priority: float,
        report: ReportSkipped,
        *,
        depth: int = 0,
        metadata: str | None = None,
        report_error: Callable[[BaseException], object] | None = None,
    ) -> int:
        """Add URLs in one transaction, and return how many are new. Blank ones are ignored.

        Args:
            report: Called with each URL that is refused, after the others are in the queue.
            report_error: Called with the exception for each value of another type, or that the filter fails on, which
                is left out. By default, the first one is raised, after the URLs before the value have been added.
        Raises: As `add_all`, but an exception of `report` at once.
        """
        identified, refused, errors = self._read(urls, ends_at_error=report_error is None)
        if depth > self._max_depth:
            too_deep = f"depth {depth} is greater than max_depth, {self._max_depth}"
            refused += [SkippedURL(each.url, None, too_deep) for each in self._queue.unknown(identified)]
            identified = []
        added, over = self._queue.add(NewURLs(identified, priority, depth, metadata, len(refused), self._max_urls))
        full = f"its origin has at least {self._max_urls} URLs, the limit of max_urls_per_origin"
        refused += [SkippedURL(each.url, None, full) for each in over]
        self._notify()
        for skipped in refused:
            report(skipped)
        for error in errors:
            if report_error is None or not isinstance(error, _LEFT_OUT):
                raise error
            report_error(error)
        return added

    def _read(self, urls: Iterable[AnyURL], *, ends_at_error: bool) -> _ReadURLs:
        # By their identities, so that a URL that is given twice is counted once.
        identified: dict[tuple[object, ...], IdentifiedURL] = {}
        refused: list[SkippedURL] = []
        errors: list[BaseException] = []
        for url in urls:
            try:
                text = clean_url(url)
                wanted: str | None = text
                if self._url_filter is not None and text:
                    wanted = filtered_url(self._url_filter, text)
                    wanted = None if wanted is None else clean_url(wanted)
            except BaseException as error:  # noqa: BLE001 - reported or raised after the other URLs have been added
                errors.append(error)
                if ends_at_error or not isinstance(error, _LEFT_OUT):
                    break
                continue
            if not text:
                continue
            if wanted is None:
                refused.append(SkippedURL(text, None, "refused by url_filter"))
                continue
            try:
                found = identify_url(wanted, in_group=self._is_grouped)
                identified.setdefault(found[1:], found)
            except InvalidURL as error:
                refused.append(SkippedURL(text, None, str(error)))
        return _ReadURLs(list(identified.values()), refused, errors)

    @contextmanager
    def _deferred_errors(self) -> Iterator[ReportSkipped]:
        """Report URLs in a block. At its end, raise the first exception of `report`, so that no other URL is lost."""
        errors: list[Exception] = []

        def report(skipped: SkippedURL) -> None:
            try:
                self._report(skipped)
            except Exception as error:  # noqa: BLE001 - raised at the end
                errors.append(error)
                del errors[1:]

        yield report
        if errors:
            raise errors[0]
