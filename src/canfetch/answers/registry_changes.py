"""What changes between two releases of the registry, and how old and complete a release is."""

from collections.abc import Iterator
from datetime import date
from typing import Any, Final, NamedTuple

from canfetch.agents import Crawler, Registry
from canfetch.agents.releases import Release
from canfetch.agents.validation import SOURCED_FIELDS, oldest_current_day
from canfetch.compare import Change, diff
from canfetch.core.agent import Agent
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.text import printable_text
from canfetch.errors import Undecided

CHANGES_SCHEMA: Final = "canfetch.registry-changes/1"
REPORT_SCHEMA: Final = "canfetch.registry-report/1"
_MAX_EXAMPLES: Final = 20
# The keys of rules can be longer than those of the file.
_MAX_BYTES: Final = 1 << 22


class FieldChange(NamedTuple):
    """A field of a crawler whose value differs, as in `Crawler.to_json`."""

    name: str
    before: Any
    after: Any

    def __str__(self) -> str:
        if isinstance(self.before, list) and isinstance(self.after, list):
            gained = [f"+{_value_text(one)}" for one in self.after if one not in self.before]
            lost = [f"-{_value_text(one)}" for one in self.before if one not in self.after]
            return f"{self.name}: {', '.join(gained + lost) or 'in another order'}"
        if isinstance(self.before, dict) and isinstance(self.after, dict):
            keys = {**self.before, **self.after}
            inner = (FieldChange(key, self.before.get(key), self.after.get(key)) for key in keys)
            return "; ".join(f"{self.name} {one}" for one in inner if one.before != one.after)
        return f"{self.name}: {_value_text(self.before)} -> {_value_text(self.after)}"


class CrawlerChange(NamedTuple):
    """A crawler that differs between two releases.

    Attributes:
        name: Its product token.
        before: Its entry in the old release, or None if it was added.
        after: Its entry in the new release, or None if it was removed.
        fields: The fields that differ. Empty if it was added or removed.
        verdicts: What it gains and loses in a robots.txt, or None if nothing.
        is_undecided: Whether the rules are too large to be compared for it.
    """

    name: str
    before: Crawler | None
    after: Crawler | None
    fields: tuple[FieldChange, ...]
    verdicts: Change | None = None
    is_undecided: bool = False

    @property
    def kind(self) -> str:
        """`added`, `removed` or `changed`."""
        return "added" if self.before is None else "removed" if self.after is None else "changed"

    def to_json(self) -> dict[str, Any]:
        """Return the change as plain values."""
        return {
            "name": self.name,
            "kind": self.kind,
            "fields": [field._asdict() for field in self.fields],
            "verdicts": None if self.verdicts is None else _urls_json(self.verdicts),
            "undecided": self.is_undecided,
        }


def _urls_json(change: Change) -> dict[str, Any]:
    sets = {"newly_allowed": change.newly_allowed, "newly_disallowed": change.newly_disallowed}
    return {name: urls.to_dict(max_examples=_MAX_EXAMPLES) for name, urls in sets.items()}


class ReleaseChanges(NamedTuple):
    """What changes between two releases.

    Attributes:
        before, after: The versions of the releases.
        crawlers: The crawlers that differ, by name.
        added_headers, removed_headers: The other headers that only one of the releases has, if both have any.
    """

    before: str
    after: str
    crawlers: tuple[CrawlerChange, ...]
    added_headers: tuple[str, ...] = ()
    removed_headers: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the changes as plain values."""
        crawlers = [change.to_json() for change in self.crawlers]
        return {
            "schema": CHANGES_SCHEMA,
            "before": self.before,
            "after": self.after,
            "crawlers": crawlers,
            "added_headers": list(map(printable_text, self.added_headers)),
            "removed_headers": list(map(printable_text, self.removed_headers)),
        }


def compare_releases(old: Release, new: Release, robots: RobotsTxt | None = None) -> ReleaseChanges:
    """Return what changes between two releases. Sources of single fields and the dates of checks do not count.

    Args:
        old, new: The releases.
        robots: A robots.txt. The URLs are found that a crawler may fetch by one release only.
    """
    registries = Registry.from_valid(old.crawlers), Registry.from_valid(new.crawlers)
    names = {crawler.name.lower(): crawler.name for crawler in (*old.crawlers, *new.crawlers)}
    changes = []
    for key in sorted(names):
        entry, new_entry = (registry.get_crawler(key) for registry in registries)
        fields = () if entry is None or new_entry is None else tuple(_field_changes(entry, new_entry))
        if entry is not None and new_entry is not None and not fields:
            continue
        change = CrawlerChange(names[key], entry, new_entry, fields)
        if robots is not None:
            agents = [registry.agent(names[key]) for registry in registries]
            try:
                change = change._replace(verdicts=_verdict_changes(robots, *agents))
            except Undecided:
                change = change._replace(is_undecided=True)
        changes.append(change)
    before, after = ({header.value: None for header in release.other_headers} for release in (old, new))
    both = before and after
    added = tuple(value for value in after if both and value not in before)
    removed = tuple(value for value in before if both and value not in after)
    return ReleaseChanges(old.version, new.version, tuple(changes), added, removed)


def _field_changes(before: Crawler, after: Crawler) -> Iterator[FieldChange]:
    old, new = before.to_json(), after.to_json()
    for name in old:
        if old[name] != new[name] and name not in {"checked", "field_sources"}:
            yield FieldChange(name, old[name], new[name])


def _verdict_changes(robots: RobotsTxt, before: Agent, after: Agent) -> Change | None:
    """Return what the agent of one release gains and loses beside that of the other.

    Raises: Undecided.
    """
    files = [_file_of(robots, agent) for agent in (before, after)]
    changes = [] if files[0].content == files[1].content else diff(*files, agents=["*"])
    return changes[0] if changes else None


def _file_of(robots: RobotsTxt, agent: Agent) -> RobotsTxt:
    """Return a file that has only the rules for an agent, for all agents."""
    lines = set(robots.rules_for(agent).group.lines)
    groups = (group for group in robots.groups if any(one.line in lines for one in group.user_agents))
    rules = [(b"Allow: " if rule.allow else b"Disallow: ") + rule.pattern for group in groups for rule in group.rules]
    return parse(b"\n".join([b"User-agent: *", *rules, b""]), profile=robots.profile, max_bytes=_MAX_BYTES)


class OldFacts(NamedTuple):
    """Facts of a crawler that were checked more than a year ago.

    Attributes:
        name: The product token of the crawler.
        checked: When their source was checked.
        source: The source.
        fields: The names of the fields.
    """

    name: str
    checked: str
    source: str
    fields: tuple[str, ...]


class ReleaseReport(NamedTuple):
    """How old and complete a release is.

    Attributes:
        release: The release.
        old: What was checked more than a year ago, the oldest first.
        unknown: The crawlers whose fields have gaps, each with the names of what is unknown.
        undated_headers: The number of headers of which it is unknown when their source was checked.
    """

    release: Release
    old: tuple[OldFacts, ...]
    unknown: tuple[tuple[Crawler, tuple[str, ...]], ...]
    undated_headers: int

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {
            "schema": REPORT_SCHEMA,
            "version": self.release.version,
            "path": None if self.release.path is None else printable_text(self.release.path),
            "crawlers": len(self.release.crawlers),
            "headers": sum(len(crawler.headers) for crawler in self.release.crawlers),
            "other_headers": len(self.release.other_headers),
            "undated_headers": self.undated_headers,
            "old": [{**one._asdict(), "fields": list(one.fields)} for one in self.old],
            "unknown": [{"name": one.name, "fields": list(fields)} for one, fields in self.unknown],
        }


def report_release(release: Release, today: date) -> ReleaseReport:
    """Return how old and complete a release is."""
    oldest = oldest_current_day(today)
    facts = [one for crawler in release.crawlers for one in _dated_facts(crawler)]
    old = sorted((one for one in facts if "" < one.checked < oldest), key=lambda one: (one.checked, one.name))
    gaps = [(one, tuple(_gaps(one))) for one in release.crawlers]
    undated = [one for one in facts if not one.checked]
    undated_others = [one for one in release.other_headers if not one.checked]
    unknown = tuple((one, fields) for one, fields in gaps if fields)
    return ReleaseReport(release, tuple(old), unknown, len(undated) + len(undated_others))


def _dated_facts(crawler: Crawler) -> Iterator[OldFacts]:
    """Yield the facts of a crawler by source and date. Each header is one, which may lack a date."""
    own = {one.field for one in crawler.field_sources}
    fields = tuple(field for field in SOURCED_FIELDS if field not in own)
    yield OldFacts(crawler.name, crawler.checked, crawler.source, fields)
    for one in crawler.field_sources:
        yield OldFacts(crawler.name, one.checked, one.source, (one.field,))
    for header in crawler.headers:
        # A header of the page that the entry is based on was checked with it.
        checked = header.checked or (crawler.checked if header.source == crawler.source else "")
        yield OldFacts(crawler.name, checked, header.source, ("headers",))


def _gaps(crawler: Crawler) -> Iterator[str]:
    if crawler.source_kind == "third-party":
        yield "operator's own source"
    if crawler.obeys == "not-documented":
        yield "compliance"
    if not crawler.token_only and not crawler.retired:
        if not crawler.headers:
            yield "headers"
        if not crawler.verification.is_documented:
            yield "verification"


def _value_text(value: Any) -> str:
    return str(value["value"]) if isinstance(value, dict) and "value" in value else str(value)
