"""The report on each crawler in a log."""

from typing import Any, Final, NamedTuple

from canfetch.agents.identity import IdentityStatus
from canfetch.core.times import optional_rfc3339, rfc3339

LOGS_SCHEMA: Final = "canfetch.logs/1"
_OPTIONAL_TIMES: Final = ("first_disallowed", "last_disallowed", "first_refused", "last_refused")


class BadLine(NamedTuple):
    """A line that could not be read.

    Attributes:
        file: The name of the log.
        line: Its number, from 1.
        text: Its start.
    """

    file: str
    line: int
    text: str


class LoggedSignatures(NamedTuple):
    """Requests of a crawler whose signatures have the same result.

    Attributes:
        reason: A `SignatureReason`: `verified`, or why not.
        url: The URL of the directory of the signer, or None if the signatures are not valid, or of too many signers.
        key_id: The thumbprint of the key, or None, as `url`.
        requests: Their number.
        claimed_url: The URL that the requests state without a valid signature, or None if it is unknown, or one of too
            many.
    """

    reason: str
    url: str | None
    key_id: str | None
    requests: int
    claimed_url: str | None = None


class CrawlerReport(NamedTuple):
    """The requests of one crawler, as identified by the User-Agent header.

    Attributes:
        name: The product token.
        operator: Who operates it, or an empty string if it is not in the registry.
        purposes: What it fetches pages for, according to the registry.
        identity: Whether the addresses are the crawler's, or None if that was not checked.
        requests: All requests.
        robots_txt_requests: Requests for /robots.txt.
        unchecked_requests: Requests made more than a day after the crawler last requested the robots.txt of the host,
            or after the start of the log.
        judged_requests: Requests for which a version of the robots.txt is known.
        disallowed_requests: Judged requests that every version which could have been in use disallowed.
        delays: Pairs of consecutive requests of the same client address, robots.txt left out, while a Crawl-delay
            applied.
        delays_kept: Those that were at least the delay apart.
        addresses: The number of client addresses. See `LogReport.addresses_truncated`.
        first: When the first request was made, in Unix seconds.
        last: When the last one was made.
        examples: Some disallowed targets, each with the number of the line that disallows it.
        first_disallowed: When the first disallowed request was made, in Unix seconds, or None.
        last_disallowed: When the last one was made.
        first_line_text: The text of the line that disallows the first example, cut after 200 bytes, or None.
        refused_requests: Judged requests that the rules allow, with those for robots.txt, and that got status 403 or
            429.
        first_refused: When the first of them was made, in Unix seconds, or None.
        last_refused: When the last one was made.
        refused_examples: Some of their targets, each with the status.
        signatures: The results of the signatures of the requests, the most frequent one first.
    """

    name: str
    operator: str
    purposes: tuple[str, ...]
    identity: IdentityStatus | None
    requests: int
    robots_txt_requests: int
    unchecked_requests: int
    judged_requests: int
    disallowed_requests: int
    delays: int
    delays_kept: int
    addresses: int
    first: float
    last: float
    examples: tuple[tuple[str, int | None], ...]
    first_disallowed: float | None = None
    last_disallowed: float | None = None
    refused_requests: int = 0
    first_refused: float | None = None
    last_refused: float | None = None
    refused_examples: tuple[tuple[str, int], ...] = ()
    signatures: tuple[LoggedSignatures, ...] = ()
    first_line_text: str | None = None

    @property
    def disallow_compliance(self) -> float | None:
        """The share of judged requests that were allowed, or None without such requests.

        Source: arXiv 2505.21733, with robots.txt itself always allowed.
        """
        if not self.judged_requests:
            return None
        return 1 - self.disallowed_requests / self.judged_requests

    @property
    def delay_compliance(self) -> float | None:
        """The share of delays that were kept, or None if no Crawl-delay applied.

        Source: arXiv 2505.21733.
        """
        return self.delays_kept / self.delays if self.delays else None

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain values. Within one schema, keys are added but never renamed."""
        return {
            "schema": LOGS_SCHEMA,
            **self._asdict(),
            "purposes": list(self.purposes),
            "first": rfc3339(self.first),
            "last": rfc3339(self.last),
            **{name: optional_rfc3339(getattr(self, name)) for name in _OPTIONAL_TIMES},
            "examples": [{"target": target, "line": line} for target, line in self.examples],
            "refused_examples": [{"target": target, "status": status} for target, status in self.refused_examples],
            "signatures": [one._asdict() for one in self.signatures],
            "disallow_compliance": self.disallow_compliance,
            "delay_compliance": self.delay_compliance,
        }


class LogReport(NamedTuple):
    """What some logs say.

    Attributes:
        crawlers: One report for each crawler and identity, the one with the most requests first.
        crawler_requests: Requests of all crawlers.
        lines: All lines that are not blank.
        other_requests: Requests of browsers and of programs that do not declare to be crawlers.
        unusable_requests: Lines whose request is not one of HTTP for a URL.
        bad_lines: The number of lines that could not be read.
        first_bad_lines: The first of them.
        first: When the first request was made, in Unix seconds; None without requests.
        last: When the last one was made.
        truncated: Whether there were more crawlers than are counted apart.
        other_host_requests: Requests for hosts that were left out, of all clients.
        nameless_requests: The part of `other_requests` without a User-Agent header, as in the common format.
        signed_requests: Lines with the field Signature-Input.
        other_signatures: The results of the signatures of `other_requests`, the most frequent one first.
        addresses_truncated: Whether there were more client addresses than `ADDRESS_LIMIT`, which are not counted.
    """

    crawlers: tuple[CrawlerReport, ...]
    crawler_requests: int
    lines: int
    other_requests: int
    unusable_requests: int
    bad_lines: int
    first_bad_lines: tuple[BadLine, ...]
    first: float | None
    last: float | None
    truncated: bool = False
    other_host_requests: int = 0
    nameless_requests: int = 0
    signed_requests: int = 0
    other_signatures: tuple[LoggedSignatures, ...] = ()
    addresses_truncated: bool = False
