"""Checks of groups: which crawlers they name, where they begin and end, and what their rules do together."""

from typing import Final

from canfetch.lint.checks.groups import (
    agent_in_two_groups,
    agent_repeated,
    allow_behind_disallow,
    blank_line_in_group,
    conflicting_rules,
    crawl_delay_outside_group,
    group_without_rules,
    groups_run_together,
    managed_block,
    no_inheritance,
    record_splits_agents,
    rule_outside_group,
)

CHECKS: Final = (
    rule_outside_group.CHECK,
    group_without_rules.CHECK,
    agent_in_two_groups.CHECK,
    agent_repeated.CHECK,
    blank_line_in_group.CHECK,
    groups_run_together.CHECK,
    no_inheritance.CHECK,
    record_splits_agents.CHECK,
    crawl_delay_outside_group.CHECK,
    managed_block.CHECK,
    allow_behind_disallow.CHECK,
    conflicting_rules.CHECK,
)
