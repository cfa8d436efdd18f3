"""Checks of the values of rules."""

from typing import Final

from canfetch.lint.checks.patterns import (
    allow_empty,
    bad_escape,
    characters_to_encode,
    covered_rule,
    directory_without_slash,
    disallow_empty_among_rules,
    dollar_behind_star,
    dollar_inside,
    dot_segments,
    double_star,
    duplicate_rule,
    index_html_allow,
    lower_case_escape,
    no_leading_slash,
    only_star,
    regular_expression,
    robots_txt_disallowed,
    trailing_star,
    upper_case_escape_of_unreserved,
)

CHECKS: Final = (
    no_leading_slash.CHECK,
    dollar_inside.CHECK,
    trailing_star.CHECK,
    double_star.CHECK,
    duplicate_rule.CHECK,
    covered_rule.CHECK,
    index_html_allow.CHECK,
    lower_case_escape.CHECK,
    characters_to_encode.CHECK,
    bad_escape.CHECK,
    only_star.CHECK,
    dot_segments.CHECK,
    allow_empty.CHECK,
    disallow_empty_among_rules.CHECK,
    directory_without_slash.CHECK,
    regular_expression.CHECK,
    upper_case_escape_of_unreserved.CHECK,
    robots_txt_disallowed.CHECK,
    dollar_behind_star.CHECK,
)
