"""Many verdicts in one answer: groups, rules and lists of rules are written once, and verdicts have their indexes."""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from canfetch.agents.requested import RequestedAgent
from canfetch.answers.verdicts import Decider, error_json, verdict_json
from canfetch.core.verdict import GroupChoice, GroupSelection, Rule, Verdict
from canfetch.errors import CanfetchError

VERDICTS_SCHEMA: Final = "canfetch.verdicts/1"
# An index in JSON: a digit and a comma.
_INDEX_BYTES: Final = 2
_NO_GROUP: Final = GroupSelection(GroupChoice.NONE, None, ())


class ListedVerdicts:
    """The verdicts on several URLs, each with every agent, computed while they are written.

    Args:
        decider: Decides about the URLs.
        urls: The URLs.
        agents: The agents.

    Attributes:
        min_list_bytes: The least size of the lists of rules in JSON. It grows with each list that is new, so that a
            writer can stop before the lists are larger than its limit.
    """

    def __init__(self, decider: Decider, urls: Iterable[str], agents: Sequence[RequestedAgent]) -> None:
        self._decider = decider
        self._urls = urls
        self._agents = agents
        self._groups: dict[GroupSelection, int] = {}
        self._rules: dict[Rule, int] = {}
        # The indexes of the rules of each list, as bytes: lists of numbers would take twice the memory or more.
        self._rule_lists: dict[bytes, int] = {}
        self.min_list_bytes = 0

    def to_json(self) -> dict[str, Any]:
        """Return the verdicts as JSON.

        The members `verdicts`, `groups`, `rules` and `rule_lists` are iterators, to be read in this order: the others
        are complete after the last verdict. Only one verdict is in memory at a time.
        """
        return {
            "schema": VERDICTS_SCHEMA,
            "verdicts": self._verdicts(),
            "groups": _later(lambda: (group.to_json() for group in self._groups)),
            "rules": _later(lambda: (rule.to_json() for rule in self._rules)),
            "rule_lists": _later(lambda: (array("I", packed).tolist() for packed in self._rule_lists)),
        }

    def _verdicts(self) -> Iterator[dict[str, Any]]:
        for url in self._urls:
            for agent in self._agents:
                try:
                    verdict = self._decider.decide(url, agent=agent.agent)
                except CanfetchError as error:
                    yield error_json(url, agent.name, str(error))
                else:
                    yield self._listed(url, agent, verdict)

    def _listed(self, url: str, agent: RequestedAgent, verdict: Verdict) -> dict[str, Any]:
        # Without its group and rules, which can be as large as the file.
        answer = verdict_json(url, agent, verdict._replace(also_matched=(), group=_NO_GROUP))
        del answer["schema"]
        answer["rule"] = None if verdict.rule is None else self._rule(verdict.rule)
        answer["also_matched"] = self._rule_list(verdict.also_matched)
        answer["group"] = self._groups.setdefault(verdict.group, len(self._groups))
        return answer

    def _rule(self, rule: Rule) -> int:
        return self._rules.setdefault(rule, len(self._rules))

    def _rule_list(self, rules: Sequence[Rule]) -> int:
        packed = array("I", map(self._rule, rules)).tobytes()
        if packed not in self._rule_lists:
            self._rule_lists[packed] = len(self._rule_lists)
            self.min_list_bytes += _INDEX_BYTES * len(rules)
        return self._rule_lists[packed]


def _later(items: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """Yield the items that exist when the first one is read."""
    yield from items()
