"""Checks of single lines: keys, separators and comments."""

from typing import Final

from canfetch.lint.checks.lines import (
    decorated_key,
    empty_other_value,
    foreign_colon,
    foreign_comment,
    hash_cuts_value,
    indented_record,
    key_read_by_prefix,
    missing_colon,
    misspelt_key,
    quoted_value,
    reported_by_lighthouse,
    several_values,
    space_before_colon,
    text_outside_comment,
    translated_key,
    two_records_on_a_line,
    unknown_key,
    unknown_key_near_known,
    url_as_value,
    white_space_in_value,
)

CHECKS: Final = (
    missing_colon.CHECK,
    misspelt_key.CHECK,
    unknown_key_near_known.CHECK,
    unknown_key.CHECK,
    key_read_by_prefix.CHECK,
    translated_key.CHECK,
    text_outside_comment.CHECK,
    indented_record.CHECK,
    space_before_colon.CHECK,
    hash_cuts_value.CHECK,
    foreign_colon.CHECK,
    quoted_value.CHECK,
    url_as_value.CHECK,
    several_values.CHECK,
    foreign_comment.CHECK,
    two_records_on_a_line.CHECK,
    decorated_key.CHECK,
    white_space_in_value.CHECK,
    empty_other_value.CHECK,
    reported_by_lighthouse.CHECK,
)
