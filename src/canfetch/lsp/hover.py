"""Hover: what a line means, which crawlers read it, and what it does."""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from canfetch.agents import REGISTRY, Crawler
from canfetch.answers.crawlers import crawler_sentences
from canfetch.answers.reasons import reason_text
from canfetch.core.abnf import is_product_token
from canfetch.core.agent_rules import AgentRules, find_deciding_rule
from canfetch.core.groups import Group
from canfetch.core.keys import RecordKind
from canfetch.core.records import Record
from canfetch.core.text import abbreviated, display_text, encode_text
from canfetch.core.tokens import STAR
from canfetch.core.verdict import Rule
from canfetch.errors import CanfetchError
from canfetch.lint.analysis.example_paths import example_path
from canfetch.lint.crawler_verdicts import profile_of
from canfetch.lsp.file_view import FileView, LineReader
from canfetch.lsp.key_meanings import KeyMeaning, meaning_of, nearest_key, readers_of_key

# The operators that are listed first, if they read a line.
_FIRST_OPERATORS: Final = ("Google", "Microsoft", "Yandex", "OpenAI", "Anthropic")
_MAX_OPERATORS: Final = 5
_MAX_NAMES: Final = 2
_MAX_TOKENS: Final = 6
_MAX_OTHER_TOKENS: Final = 64
# To collect so many rules that match takes a tenth of a second.
_MAX_COLLECTED_RULES: Final = 100_000
_RULES: Final = (RecordKind.ALLOW, RecordKind.DISALLOW)


class HoverText(NamedTuple):
    """The text of a hover, as Markdown, and the span of bytes that it describes."""

    text: str
    span: tuple[int, int]


def hover_at(view: FileView, line: int) -> HoverText | None:
    """Return the description of a line, which counts from 0, or None for blank lines and comments.

    Cost: One decision for each profile and selection of groups with which crawlers of the registry read the line.
    """
    record = view.record_at(line)
    if record is None or record.key is None or record.value is None:
        return None
    paragraphs = list(_paragraphs(view, record))
    return HoverText("\n\n".join(paragraphs), (record.key[0], max(record.value[1], record.key[1])))


def _paragraphs(view: FileView, record: Record) -> Iterator[str]:
    meaning = meaning_of(view.key(record), record.kind)
    key = display_text(view.key(record))
    value = display_text(view.value(record))
    title = key if meaning is None else meaning.key
    yield f"**{_code(f'{title}: {value}'.rstrip())}**"
    if meaning is None:
        suggestion = nearest_key(view.key(record))
        advice = "" if suggestion is None else f" Did you mean {_code(suggestion)}?"
        yield f"No crawler is known to read a record with the key {_code(key)}.{advice}"
    elif record.kind is RecordKind.USER_AGENT:
        yield from _user_agent(view, record)
    elif record.kind in _RULES:
        yield from _rule(view, record)
    else:
        yield from _extension(view, record, meaning)
    if meaning is not None:
        yield f"{meaning.meaning} ({meaning.source})"


def _user_agent(view: FileView, record: Record) -> Iterator[str]:
    if record.group is None:
        return
    group = view.robots.groups[record.group]
    token = next((agent.token for agent in group.user_agents if agent.line == record.line), "")
    if token != STAR.decode() and not is_product_token(encode_text(token)):
        yield "The value is not a product token, so no crawler reads this line."
        return
    crawler = REGISTRY.get_crawler(token)
    if crawler is not None:
        yield _describe(crawler)
    readers = [
        reader for reader in view.crawlers_in_group_of(record.line - 1) if record.line in reader.rules.group.lines
    ]
    if token == STAR.decode():
        yield f"Read by {_names(readers)}, and by all other crawlers without a group of their own."
        named = sum(1 for other in REGISTRY.crawlers if not other.retired and other.obeys != "no")
        yield f"{named - len(readers)} of the {named} crawlers in the registry do not read it."
    elif readers:
        yield f"Read by {_names(readers)}."
    elif crawler is None:
        yield f"{_code(token)} is not in the registry. A crawler with this product token reads the line."
    elif crawler.retired or crawler.obeys == "no":
        yield "No crawler is known to follow this line."
    yield f"{_where(view, record)}."


def _describe(crawler: Crawler) -> str:
    return (
        f"{_code(crawler.name)} of {crawler.operator}, for {', '.join(crawler.purposes)}."
        f" {' '.join(crawler_sentences(crawler))} [Documentation]({crawler.source})"
    )


def _rule(view: FileView, record: Record) -> Iterator[str]:
    if record.group is None:
        yield "The rule is outside of all groups, so no crawler reads it."
        return
    value = view.value(record)
    group = view.robots.groups[record.group]
    members = list(view.crawlers_in_group_of(record.line - 1))
    readers = [reader for reader in members if reader.record.kind in _RULES]
    yield f"Read by {_readers(readers, group)}."
    ignoring = [reader for reader in members if reader.record.kind not in _RULES]
    if ignoring:
        yield f"Not read as a rule by {_names(ignoring)}."
    path = example_path(value)
    if path is not None:
        yield from _effects(view, record, path, readers, group)
    yield f"{_where(view, record)}."


def _readers(readers: list[LineReader], group: Group) -> str:
    parts = [_names(readers)] if readers else []
    unknown = _unknown_tokens(group)
    if unknown:
        parts.append(_list(f"any crawler named {_code(token)}" for token in unknown[:_MAX_TOKENS]))
    if STAR.decode() in group.tokens:
        parts.append("all other crawlers without a group of their own")
    return ", and by ".join(parts) or "no known crawler"


def _unknown_tokens(group: Group) -> list[str]:
    tokens = [token for token in group.tokens if token != STAR.decode() and REGISTRY.get_crawler(token) is None]
    return list(dict.fromkeys(tokens))


def _effects(view: FileView, record: Record, path: str, readers: list[LineReader], group: Group) -> Iterator[str]:
    """Yield who may fetch the example, by the line that decides and the reason."""
    known: dict[_Decision, list[LineReader]] = {}
    others: dict[_Decision, list[str]] = {}
    decider = _Decider(path)
    for reader in readers:
        decision = decider.decide(reader.rules, profile_of(reader.crawler))
        if decision is not None:
            known.setdefault(decision, []).append(reader)
    unknown = _unknown_tokens(group)[:_MAX_OTHER_TOKENS]
    for name, phrase in [(token, f"any crawler named {_code(token)}") for token in unknown] + (
        [(STAR.decode(), "all other crawlers")] if STAR.decode() in group.tokens else []
    ):
        decision = _decide_for(view, name, decider)
        if decision is not None:
            others.setdefault(decision, []).append(phrase)
    decisions = list(dict.fromkeys([*known, *others]))
    # What this line decides comes first.
    decisions.sort(key=lambda decision: decision.rule is None or decision.rule.line != record.line)
    if len(decisions) == 1:
        yield f"For example, {_outcome(record, decisions[0], path)}: these crawlers {decisions[0].may}."
    elif decisions:
        yield f"For example, it matches {_code(path)}:"
        yield "\n".join(
            f"- {_winner(record, decision)}: "
            f"{_list([*filter(None, [_names(known.get(decision, []))]), *others.get(decision, [])])} {decision.may}"
            for decision in decisions
        )


class _Decision(NamedTuple):
    """What decides, and why. The reason is empty if too many rules match to find it."""

    allowed: bool
    rule: Rule | None
    reason: str

    @property
    def may(self) -> str:
        return "may fetch it" if self.allowed else "may not fetch it"


def _winner(record: Record, decision: _Decision) -> str:
    rule = decision.rule
    if rule is None:
        return decision.reason or "no rule decides"
    winner = "this line decides" if rule.line == record.line else f"line {rule.line}, {_code(str(rule))}, wins"
    return f"{winner}{_in_brackets(decision.reason)}"


def _in_brackets(reason: str) -> str:
    return f" ({reason})" if reason else ""


def _outcome(record: Record, decision: _Decision, path: str) -> str:
    if decision.rule is not None and decision.rule.line == record.line:
        return f"it decides {_code(path)}{_in_brackets(decision.reason)}"
    return f"it matches {_code(path)}, but {_winner(record, decision)}"


class _Decider:
    """Decides a path, once for all crawlers that read the same groups with the same profile.

    A file can have thousands of rules that match. So the number of rules that are collected for reasons is limited.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._found: dict[tuple[str, tuple[int, ...]], _Decision | None] = {}
        self._collected_rules = 0

    def decide(self, rules: AgentRules, profile: str) -> _Decision | None:
        """Return what decides, or None if the path is invalid: a value of the file does not have to be a valid one."""
        selection = (profile, tuple(rules.group_indices))
        if selection not in self._found:
            try:
                self._found[selection] = self._find(rules)
            except CanfetchError:
                self._found[selection] = None
        return self._found[selection]

    def _find(self, rules: AgentRules) -> _Decision:
        if self._collected_rules >= _MAX_COLLECTED_RULES:
            return _Decision(*find_deciding_rule(rules, self._path), "")
        verdict = rules.decide(self._path)
        self._collected_rules += len(verdict.also_matched)
        return _Decision(verdict.allowed, verdict.rule, reason_text(verdict))


def _decide_for(view: FileView, name: str, decider: _Decider) -> _Decision | None:
    try:
        return decider.decide(view.other_rules(name), view.robots.profile)
    except CanfetchError:
        return None


def _extension(view: FileView, record: Record, meaning: KeyMeaning) -> Iterator[str]:
    parsed = next((one for one in view.robots.extensions if one.line == record.line), None)
    if parsed is not None and parsed.parsed is None:
        yield "The value is invalid, so the record has no effect."
    if meaning.needs_group and record.group is None:
        yield "The record is outside of all groups, so it has no effect."
    names = readers_of_key(meaning.key.lower())
    if names:
        yield f"Documented for {abbreviated(list(map(_code, names)), _MAX_OPERATORS, rest='others')}."
    if meaning.needs_group and record.group is not None:
        yield f"{_where(view, record)}."


def _where(view: FileView, record: Record) -> str:
    group = view.robots.groups[record.group] if record.group is not None else None
    if group is None or record.group is None:
        return f"Line {record.line}, outside of all groups"
    records = view.group_lines[record.group]
    names = list(dict.fromkeys(map(_code, group.tokens)))
    named = abbreviated(names, _MAX_TOKENS, rest="others")
    return f"Line {record.line}, in the group for {named} (lines {records[0].line} to {records[-1].line})"


def _names(readers: Iterable[LineReader]) -> str:
    """Return the names of crawlers by operator, such as `Google (Googlebot, Storebot-Google), and 3 others`."""
    by_operator: dict[str, list[str]] = {operator: [] for operator in _FIRST_OPERATORS}
    for reader in readers:
        by_operator.setdefault(reader.crawler.operator, []).append(reader.crawler.name)
    found = {operator: names for operator, names in by_operator.items() if names}
    shown = list(found.items())[:_MAX_OPERATORS]
    parts = [f"{operator} ({_some(names)})" for operator, names in shown]
    rest = sum(map(len, found.values())) - sum(len(names) for _, names in shown)
    return _list([*parts, f"{rest} others"] if rest else parts)


def _some(names: list[str]) -> str:
    text = ", ".join(names[:_MAX_NAMES])
    return f"{text}, {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else text


def _list(parts: Iterable[str]) -> str:
    items = list(parts)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def _code(text: str) -> str:
    # A value may contain backticks, which would end the code.
    ticks = "`" * (max(map(len, "".join(c if c == "`" else " " for c in text).split()), default=0) + 1)
    return f"{ticks} {text} {ticks}" if "`" in text else f"{ticks}{text}{ticks}"


def plain_text(markdown: str) -> str:
    """Return the text of a hover without its Markdown marks."""
    return markdown.replace("**", "").replace("`", "")
