"""Rules with the canonical forms of their patterns. Patterns with equal forms match the same targets."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from canfetch.core.escapes import PLAIN, canonical, google_escape
from canfetch.lint.linted_file import LintedFile, LintedRule

# Longer values are skipped.
MAX_VALUE_LENGTH: Final = 2000
# Bytes that are neither special in patterns nor changed in the canonical form.
_LITERAL: Final = bytes(set(PLAIN) - set(b"*$"))
_new_tuple: Final = tuple.__new__


def canonical_form(value: bytes) -> bytes:
    """Return the form of a pattern, or an empty value if it cannot match. Equal forms match the same targets."""
    form = canonical(value)
    if form[:1] not in (b"/", b"*"):
        return b""
    return _without_superfluous_stars(form)


def google_form(value: bytes) -> bytes:
    """Return the form in which Google's parser compares a pattern. Equal forms match the same targets.

    The parser does not decode `%7E` to `~`, and does not encode `{` as `%7B`, as `canonical_form` does.
    """
    return _without_superfluous_stars(google_escape(value))


def _without_superfluous_stars(form: bytes) -> bytes:
    if b"*" not in form:
        return form
    if form.endswith(b"*$"):
        form = form[:-1]
    form = form.rstrip(b"*")
    if b"**" in form:
        first, *rest = form.split(b"*")
        form = first + b"".join(b"*" + part for part in rest if part)
    return form or b"/"


def literal_prefix(form: bytes) -> bytes:
    """Return the bytes that every target matched by a form starts with."""
    if b"*" in form:
        return form.partition(b"*")[0]
    return form.removesuffix(b"$")


class CanonicalRule(NamedTuple):
    """A rule and its form.

    Attributes:
        rule: The rule.
        form: Its form.
        head: The bytes that every target matched by the form starts with.
    """

    rule: LintedRule
    form: bytes
    head: bytes

    @property
    def is_literal(self) -> bool:
        """Whether the form is a plain prefix, without `*` and `$`."""
        return len(self.head) == len(self.form)


def matches_everything(value: bytes) -> bool:
    """Return whether a pattern matches every target."""
    return not value.strip(b"*/$") and canonical_form(value) == b"/"


def canonical_rules(file: LintedFile) -> tuple[list[CanonicalRule], ...]:
    """Return for each group the rules that can match a target, with their forms.

    Cost: O(bytes of rules) at the first call.
    """
    return file.compute_once(_canonical_rules)


def _canonical_rules(file: LintedFile) -> tuple[list[CanonicalRule], ...]:
    return tuple(with_forms(file, group.rules) for group in file.groups)


class _Forms(dict[bytes, tuple[bytes, bytes]]):
    """The form and the head of each value, computed once, because many rules have the same value."""

    def __missing__(self, value: bytes) -> tuple[bytes, bytes]:
        form = canonical_form(value)
        found = self[value] = form, literal_prefix(form)
        return found


def _forms(file: LintedFile) -> _Forms:  # noqa: ARG001 - one for each file
    return _Forms()


def form_in(file: LintedFile, value: bytes) -> bytes:
    """Return the canonical form of a pattern in a file. Rules with the same value share the computation."""
    return value if is_plain_prefix(value) else file.compute_once(_forms)[value][0]


def is_plain_prefix(value: bytes) -> bool:
    """Return whether a value is its own form, and plainly a prefix without `*` and `$`. Most values are."""
    return value[:1] == b"/" and not value.translate(None, _LITERAL)


def with_forms(file: LintedFile, rules: Iterable[LintedRule]) -> list[CanonicalRule]:
    """Return the rules that can match a target, with their forms."""
    forms = file.compute_once(_forms)
    found: list[CanonicalRule] = []
    for rule in rules:
        value = rule.value
        if len(value) > MAX_VALUE_LENGTH:
            continue
        if is_plain_prefix(value):
            found.append(_new_tuple(CanonicalRule, (rule, value, value)))
        else:
            form, head = forms[value]
            if form:
                found.append(_new_tuple(CanonicalRule, (rule, form, head)))
    return found
