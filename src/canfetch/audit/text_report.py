"""Audit reports as text, made from their JSON form."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from canfetch.audit.edge import LIMITS_OF_THE_TEST, EdgeKind
from canfetch.audit.findings import AuditKind
from canfetch.audit.report import ReportJson
from canfetch.core.text import abbreviated, counted, printable_text
from canfetch.lint.severity import Severity

_MAX_SHOWN: Final = 5
_MAX_NAMES: Final = 8
# Longer URLs are cut in reports for people. The JSON form has them as a whole.
_MAX_URL: Final = 500
_ACCESS_WORDS: Final = {
    "all": "may fetch all",
    "some": "may fetch a part",
    "none": "may fetch nothing",
    "undecided": "too many rules to decide",
    "unknown": "unknown",
}
# A control token fetches nothing. Its rules are about what other crawlers of its operator fetch.
_TOKEN_WORDS: Final = {
    "all": "control tokens, permit the use of all",
    "some": "control tokens, permit the use of a part",
    "none": "control tokens, permit no use",
    "undecided": "control tokens, too many rules to decide",
    "unknown": "control tokens, unknown",
}
_LOG_NAMES: Final = (
    "A name in a log is what a client sends, unless its address was verified. A log without hosts is taken for one of "
    "this site, and requests over http and https are not distinguished."
)
LIMITS_OF_LOGS: Final = {
    False: f"The requests were compared with today's robots.txt. At their time, another one may have been served. "
    f"{_LOG_NAMES}",
    True: f"Requests were compared with the robots.txt files that were served within a day before them. {_LOG_NAMES}",
}
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_USE_WORDS: Final = {True: "permitted", False: "not permitted", None: "nothing stated"}


class FindingGroup(NamedTuple):
    """Findings that mean the same for the owner.

    Attributes:
        kind: Their kind.
        found: Those that are listed, in the JSON form.
        number: The number of all of them.
    """

    kind: AuditKind
    found: Sequence[Mapping[str, Any]]
    number: int

    @property
    def meaning(self) -> str:
        """What they mean for the owner, in one sentence."""
        return str(self.found[0]["meaning"])

    @property
    def advice(self) -> str:
        """What to do."""
        return str(self.found[0]["advice"])

    def causes(self, most: int) -> Iterator[tuple[Sequence[Mapping[str, Any]], str]]:
        """Yield the first findings with the same message, and how often it is listed, for as many messages as possible.

        Args: most: The number of all findings that are yielded.
        """
        causes: dict[str, list[Mapping[str, Any]]] = {}
        for one in self.found:
            causes.setdefault(one["message"], []).append(one)
        ranks = sorted((rank, message) for message, found in enumerate(causes.values()) for rank in range(len(found)))
        shown = Counter(message for _, message in ranks[:most])
        for message, found in enumerate(causes.values()):
            if shown[message]:
                yield found[: shown[message]], f" ({len(found):,} times)" if found[1:] else ""


def text_lines(report: ReportJson) -> Iterator[str]:
    """Yield the lines of a report, with the first findings of each kind.

    Args: report: The JSON form of a report.
    """
    yield f"{printable_text(report['origin'])}: {summary(report)}"
    yield f"  audited on {time_text(report['checked_at'])}"
    if report["environment"] is not None:
        yield f"  {environment_text(report)}"
    if error := error_text(report):
        yield f"  {error}"
    for group in grouped(report):
        kind, found, left = group
        yield ""
        yield f"{found[0]['severity']}: {group.meaning} ({kind}, {counted(left, 'time')})"
        for shown, times in group.causes(_MAX_SHOWN):
            yield f"  {shown[0]['message']}{times}"
            yield from (f"    {place(one)}" for one in shown if one["url"] is not None)
            left -= len(shown)
        if left > 0:
            yield f"  and {left:,} more"
        yield f"  -> {group.advice}"
    if report["error"]:
        return
    yield ""
    yield from _purpose_lines(report)
    yield from _other_lines(report)


def summary(report: ReportJson) -> str:
    """Return the number of findings by severity, in one line."""
    if report["error"]:
        return "not audited"
    numbers = severity_counts(report)
    parts = [counted(numbers["error"], "error"), counted(numbers["warning"], "warning"), f"{numbers['info']:,} info"]
    return f"{', '.join(parts)}; {counted(report['requests'], 'request')}"


def error_text(report: ReportJson) -> str:
    """Return why a site was not audited, or an empty string if a finding says it."""
    return "" if any(one["message"] == report["error"] for one in report["findings"]) else str(report["error"])


def time_text(time: str) -> str:
    """Return a time in RFC 3339 as text for people, such as `26 November 2026, 17:05 UTC`."""
    moment = datetime.fromisoformat(time).astimezone(UTC)
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}, {moment:%H:%M} UTC"


def environment_text(report: ReportJson) -> str:
    """Return with which environment of a policy the site was compared, for a report that has one."""
    return f"compared with the environment {printable_text(report['environment'])} of the policy"


def severity_counts(report: ReportJson) -> dict[str, int]:
    """Return the number of findings of each severity."""
    numbers = {"error": 0, "warning": 0, "info": 0}
    for _, found, number in grouped(report):
        numbers[found[0]["severity"]] += number
    return numbers


def main_finding(report: ReportJson) -> str:
    """Return the most important finding in words, or why the site was not audited."""
    if report["error"]:
        return f"Not audited: {report['error']}"
    first = next(grouped(report), None)
    if first is None:
        return "Nothing was found."
    if first.kind is not AuditKind.LINT:
        return first.meaning
    _, message = split_message(first.found[0])
    return f"{message[:1].upper()}{message[1:]}."


def quotes_site(report: ReportJson) -> bool:
    """Return whether `main_finding` quotes what a site has sent."""
    first = next(grouped(report), None)
    return bool(report["error"]) or (first is not None and first.kind is AuditKind.LINT)


def split_message(one: Mapping[str, Any]) -> tuple[str, str]:
    """Return the check of the linter that found something, or an empty string, and the message for people."""
    check, colon, message = one["message"].partition(": ")
    return (check, message) if one["kind"] == AuditKind.LINT and colon else ("", one["message"])


def by_severity(reports: Sequence[ReportJson]) -> list[int]:
    """Return the indices of reports, the worst first.

    The first ones were not audited. Those with the most kinds of errors of the whole site are next, then those with the
    most errors and warnings.
    """

    def rank(index: int) -> tuple[bool, int, int, int, int]:
        report = reports[index]
        numbers = severity_counts(report)
        error = Severity.ERROR.label
        whole = sum(1 for kind, found, _ in grouped(report) if found[0]["severity"] == error and kind.is_of_whole_site)
        return not report["error"], -whole, -numbers["error"], -numbers["warning"], -numbers["info"]

    return sorted(range(len(reports)), key=rank)


def grouped(report: ReportJson) -> Iterator[FindingGroup]:
    """Yield the findings of each kind, severity and meaning, in the order of the report, and their number.

    Findings of the linter have advice for their place. Others are apart if what to do differs.

    Findings that are not listed count as the last ones of their kind.
    """
    left = dict(report["counts"])
    groups: dict[tuple[str, str, str, str], list[Mapping[str, Any]]] = {}
    for one in report["findings"]:
        advice = "" if one["kind"] == AuditKind.LINT else one["advice"]
        groups.setdefault((one["kind"], one["severity"], one["meaning"], advice), []).append(one)
    last = {key[0]: key for key in groups}
    for key, found in groups.items():
        kind = key[0]
        number = left[kind] if last[kind] == key else len(found)
        left[kind] -= number
        yield FindingGroup(AuditKind(kind), found, number)


def place(one: Mapping[str, Any]) -> str:
    """Return where a finding is: its URL, its line, with its text if the message does not have it, and its status."""
    url = one["url"]
    file = "" if url.partition("?")[0].endswith("/robots.txt") else " of robots.txt"
    line = "" if one["line"] is None else f", line {one['line']}{file}{_quoted_line(one)}"
    status = "" if one["status"] is None else f", status {one['status']}"
    shown = url if len(url) <= _MAX_URL else f"{url[:_MAX_URL]}\N{HORIZONTAL ELLIPSIS} ({len(url):,} characters)"
    return f"{shown}{line}{status}"


def _quoted_line(one: Mapping[str, Any]) -> str:
    text = one["text"]
    return f" ({text})" if text and text not in one["message"] else ""


def rules_summary(reports: Sequence[ReportJson]) -> str:
    """Return which of several sites have other rules than most of them, in one sentence, or an empty string."""
    groups: dict[str, list[str]] = {}
    for report in reports:
        if report["rules"]:
            groups.setdefault(report["rules"], []).append(report["origin"])
    number = sum(map(len, groups.values()))
    if number < 2:
        return ""
    most, *others = sorted(groups.values(), key=len, reverse=True)
    if len(most) == 1:
        return f"Each of {number:,} sites has rules of its own."
    if not others:
        return f"All {number:,} sites with a robots.txt have the same rules."
    names = abbreviated([one for group in others for one in group], _MAX_SHOWN)
    return f"{len(most):,} of {number:,} sites have the same rules as {most[0]}. Other rules: {names}."


def access_words(row: Mapping[str, Any]) -> str:
    """Return what crawlers may fetch, or what control tokens permit, in a few words."""
    words = _TOKEN_WORDS if row["token_only"] else _ACCESS_WORDS
    return words[row["may_fetch"]]


def crawler_text(row: Mapping[str, Any]) -> str:
    """Return which crawlers may fetch what, and by which lines."""
    shown = row["lines"][:_MAX_SHOWN]
    more = row["line_count"] - len(shown)
    lines = ", ".join(map(str, shown)) + (f" and {more:,} more" if more > 0 else "")
    word = "line" if row["line_count"] == 1 else "lines"
    names = abbreviated(row["crawlers"], _MAX_NAMES)
    return f"{names}{f' ({word} {lines})' if shown else ''}"


def use_text(use: Mapping[str, Any]) -> str:
    """Return what the site states on a use of its content: all statements that decide, and what was not read."""
    deciding = [f"{one['place']}: {one['text']}" for one in use["decided_by"]]
    is_silent = use["allowed"] is None and not use.get("statements", True)
    stated = "" if is_silent else f"; {abbreviated(deciding, _MAX_SHOWN, separator='; ') or use['explanation']}"
    unread = [one["name"] for one in use["sources"] if one["state"] not in {"read", "absent"}]
    missing = f"; not read: {', '.join(dict.fromkeys(unread))}" if unread else ""
    return f"{_USE_WORDS[use['allowed']]}{stated}{missing}"


def _purpose_lines(report: ReportJson) -> Iterator[str]:
    for purpose in report["purposes"]:
        yield f"{purpose['title']}:"
        for row in purpose["crawlers"]:
            yield f"  {access_words(row)}: {crawler_text(row)}"
        use = purpose["use"]
        if use is not None:
            yield f"  use of the content: {use_text(use)}"


def _other_lines(report: ReportJson) -> Iterator[str]:
    listed = report["listed"]
    yield (
        f"Sitemaps: {counted(listed['sitemaps'], 'sitemap')}, {counted(listed['urls'], 'URL')}; "
        f"{counted(listed['requested'], 'page')} requested"
    )
    for host in report["hosts"]:
        yield f"Address {host['origin']}: {host_text(host)}"
    yield from record_lines(report)
    for answer in report["edge"]:
        # The detail of a page is only that it is the page.
        detail = "" if answer["answer"] == EdgeKind.PAGE else f", {answer['detail']}"
        yield f"Edge, {answer['crawler']}: {answer['answer']}{detail}"
    if report["edge"]:
        yield f"  {LIMITS_OF_THE_TEST}"


def record_lines(report: ReportJson) -> Iterator[str]:
    """Yield what was read of access logs and skip reports, and what they cannot show."""
    logs, skips = report["logs"], report["skips"]
    if logs is not None:
        is_dated = logs["first"] is not None and logs["last"] is not None
        period = f" from {time_text(logs['first'])} to {time_text(logs['last'])}" if is_dated else ""
        yield (
            f"Access logs: {counted(logs['lines'], 'line')} in {counted(logs['number'], 'log')}{period}; "
            f"{counted(logs['crawler_requests'], 'request')} of {counted(logs['crawlers'], 'crawler')}, "
            f"{logs['other_requests']:,} of browsers and others, {logs['other_host_requests']:,} for other hosts, "
            f"{logs['unusable_requests']:,} not for a URL, "
            f"{counted(logs['bad_lines'], 'line')} that cannot be read"
        )
        not_judged = logs["not_judged"]
        if not_judged:
            total = counted(logs["crawler_requests"], "request")
            yield f"{not_judged:,} of {total} of crawlers were not compared: the rules of their time are not known."
        yield LIMITS_OF_LOGS[logs["by_history"]]
    if skips is not None:
        yield (
            f"Skip reports: {counted(skips['skips'], 'skip')} in {counted(skips['number'], 'report')}; "
            f"{skips['agreeing']:,} as robots.txt decides now, {skips['differing']:,} not, {skips['other_origins']:,} "
            f"of other sites, {skips['not_judged']:,} not compared, "
            f"{counted(skips['damaged_lines'], 'line')} that cannot be read"
        )


def host_text(host: Mapping[str, Any]) -> str:
    """Return what the robots.txt of another address is."""
    if host["same"] is not None:
        return "the same rules" if host["same"] else "other rules"
    return "not requested" if host["access"] is None else host["access"]["explanation"]
