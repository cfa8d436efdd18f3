"""Several names on one `User-agent` line."""

from collections.abc import Iterator

from canfetch.core.records import Record
from canfetch.lint.analysis.agent_names import MAX_NAMES_IN_LINE, NamedAgent, lists_of_agents, named_agents
from canfetch.lint.analysis.group_assignment import can_assign_group
from canfetch.lint.analysis.needs import Trait
from canfetch.lint.check import Check, Occurrence, VerdictQuery
from canfetch.lint.fixes import Fix, replace_span
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severity, everywhere


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find names separated by commas, and known names separated by other characters."""
    lists: dict[int, list[NamedAgent]] = {}
    for name in named_agents(file):
        if name.in_list:
            lists.setdefault(name.record.line, []).append(name)
    for record in lists_of_agents(file):
        if record.value is None:
            continue
        names = lists.get(record.line, [])
        yield Occurrence(
            record.value,
            {"names": file.text(file.value(record)), "first": names[0].text if names else ""},
            VerdictQuery(None),
            _fix(file, record, names),
        )


def _fix(file: LintedFile, record: Record, names: list[NamedAgent]) -> Fix | None:
    if record.key is None or record.value is None or not 0 < len(names) < MAX_NAMES_IN_LINE:
        return None
    distinct = {name.text.lower(): name for name in names}
    if not all(name.is_token or name.raw == b"*" for name in names):
        return None
    # Crawlers already read the first name.
    others = (name for folded, name in distinct.items() if folded != names[0].text.lower())
    if not all(can_assign_group(file, record, name.text) for name in others):
        return None
    line_end = file.content[slice(*record.span)][len(file.line_content(record)) :] or b"\n"
    between = line_end + file.content[record.key[0] : record.value[0]]
    return replace_span(*record.value, between.join(name.raw for name in distinct.values()), changes_verdicts=True)


CHECK = Check(
    code="CF503",
    name="comma-list",
    severities=everywhere(Severity.ERROR),
    title="Several names on one `User-agent` line",
    message="`User-agent` takes one name: crawlers read `{names}` as `{first}`, or as nothing",
    why="Some parsers read only the first name. Others compare the whole text, which matches no crawler. The "
    "remaining crawlers follow the `*` group, or no group at all.",
    how_to_fix="Write each name on its own `User-agent` line, one below the other.",
    source="RFC 9309 section 2.2.1 and erratum 8895",
    bad=b"User-agent: GPTBot, ClaudeBot\nDisallow: /\n",
    good=b"User-agent: GPTBot\nUser-agent: ClaudeBot\nDisallow: /\n",
    find=find,
    needs=(Trait.OTHER_AGENT,),
    fixable=True,
)
