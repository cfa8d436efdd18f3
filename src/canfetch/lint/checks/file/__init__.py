"""Checks of the file as a whole: its name, its size, its encoding, and what should not be in it at all."""

from typing import Final

from canfetch.lint.check import Check
from canfetch.lint.checks.file import (
    byte_order_mark,
    control_character,
    curly_quotes,
    file_name,
    html_file,
    invisible_character,
    line_too_long,
    mixed_line_ends,
    nearly_too_large,
    no_final_line_end,
    no_rules,
    not_at_root,
    not_utf8,
    nul_octet,
    template_left,
    too_large,
    too_many_rules,
    utf_16,
)

CHECKS: Final[tuple[Check, ...]] = (
    file_name.CHECK,
    not_at_root.CHECK,
    too_large.CHECK,
    nearly_too_large.CHECK,
    byte_order_mark.CHECK,
    utf_16.CHECK,
    not_utf8.CHECK,
    html_file.CHECK,
    curly_quotes.CHECK,
    nul_octet.CHECK,
    control_character.CHECK,
    invisible_character.CHECK,
    no_rules.CHECK,
    no_final_line_end.CHECK,
    mixed_line_ends.CHECK,
    line_too_long.CHECK,
    template_left.CHECK,
    too_many_rules.CHECK,
)
