"""Access policies by name. A policy defines what status codes, errors and time mean.

The name of an adjusted policy lists the settings that differ from the policy it is based on, sorted:
`rfc9309+redirect_limit=10+unauthorized=full-disallow`. Stores, evidence and verdicts identify a policy by its name.

Phases have three parts each: `while_unreachable=0:copy:full-disallow,2592000:full-allow:full-allow`. Origins are
separated by commas.
"""

from itertools import pairwise
from typing import Any, Final, Unpack

from canfetch.access._tables import (
    CHOICES,
    MAX_ORIGINS,
    MAX_PHASE_SECONDS,
    RANGES,
    WITH_COPY,
    WITHOUT_COPY,
    PolicySettings,
    PolicyValues,
    UnreachablePhase,
)
from canfetch.access._tables import POLICIES as _POLICY_VALUES
from canfetch.core.choices import unknown_choice
from canfetch.core.origin import find_origin
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption, UnknownPolicy

__all__ = ["POLICIES", "AccessPolicy", "PolicySettings", "UnreachablePhase", "get_policy"]

_PHASES: Final = "while_unreachable"
_ORIGINS: Final = "misconfigured_origins"
_SETTINGS: Final = (*CHOICES, *RANGES, _PHASES, _ORIGINS)
# They separate the parts of the name of a policy.
_SEPARATORS: Final = frozenset("+=,")
_MAX_PHASES: Final = 8
_MAX_DIGITS: Final = 9
_PHASE_FORM: Final = "SECONDS:WITH_COPY:WITHOUT_COPY, such as '0:copy:full-disallow'"


def _check_setting(name: str, value: object) -> Any:
    """Return the value of a setting, or raise an error if it is not valid.

    Raises: InvalidOption: No setting has this name, or the value is not valid. The message names the expected values.
    """
    if name in CHOICES:
        return _check_choice(name, value, CHOICES[name])
    if name in RANGES:
        return _check_integer(name, value, *RANGES[name])
    if name == _PHASES:
        return _check_phases(value)
    if name == _ORIGINS:
        return _check_origins(value)
    raise InvalidOption(unknown_choice("setting", name, _SETTINGS, of="access policies"))


def _parse_setting(name: str, text: str) -> Any:
    """Parse the value of a setting in the name of a policy.

    Raises: InvalidOption: No setting has this name, or `text` is not a valid value.
    """
    if name in RANGES and _is_integer(text):
        return _check_setting(name, int(text))
    if name == _PHASES:
        return _check_setting(name, tuple(_parse_phase(part) for part in text.split(",", _MAX_PHASES)))
    if name == _ORIGINS:
        return _check_setting(name, tuple(text.split(",", MAX_ORIGINS)))
    return _check_setting(name, text)


def _format_setting(value: Any) -> str:
    """Return a value as `_parse_setting` reads it."""
    if isinstance(value, tuple):
        return ",".join(part if isinstance(part, str) else ":".join(map(str, part)) for part in value)
    return str(value)


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise InvalidOption(unknown_choice("value", value, choices, of=name))
    return value


def _check_integer(name: str, value: object, minimum: int, maximum: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= maximum:
        raise InvalidOption(f"invalid {name} {quoted(value)}: expected an integer from {minimum} to {maximum}")
    return value


def _check_phases(value: object) -> tuple[UnreachablePhase, ...]:
    if not isinstance(value, tuple | list) or not 1 <= len(value) <= _MAX_PHASES:
        raise InvalidOption(f"invalid {_PHASES} {quoted(value)}: expected 1 to {_MAX_PHASES} phases")
    phases = tuple(map(_check_phase, value))
    starts = [phase.from_seconds for phase in phases]
    if starts[0] != 0 or any(first >= second for first, second in pairwise(starts)):
        raise InvalidOption(f"invalid {_PHASES} {quoted(_format_setting(phases))}: expected ascending times from 0")
    return phases


def _check_origins(value: object) -> tuple[str, ...]:
    """Return origins, each once and sorted, so that equal policies have equal names."""
    if not isinstance(value, tuple | list | set | frozenset) or len(value) > MAX_ORIGINS:
        raise InvalidOption(f"invalid {_ORIGINS} {quoted(value)}: expected a tuple of at most {MAX_ORIGINS} origins")
    return tuple(sorted({_check_origin(origin) for origin in value}))


def _check_origin(value: object) -> str:
    origin = find_origin(value) if isinstance(value, str) else None
    text = str(origin)
    if origin is None or _SEPARATORS.intersection(text):
        raise InvalidOption(f"invalid origin {quoted(value)} of {_ORIGINS}: expected one such as 'https://example.com'")
    return text


def _check_phase(value: object) -> UnreachablePhase:
    if not isinstance(value, tuple) or len(value) != len(UnreachablePhase._fields):
        raise InvalidOption(f"invalid phase {quoted(value)} of {_PHASES}: expected a canfetch.UnreachablePhase")
    from_seconds, with_copy, without_copy = value
    return UnreachablePhase(
        _check_integer("from_seconds", from_seconds, 0, MAX_PHASE_SECONDS),
        _check_choice("with_copy", with_copy, WITH_COPY),  # type: ignore[arg-type]  # the choices are those of the type
        _check_choice("without_copy", without_copy, WITHOUT_COPY),  # type: ignore[arg-type]  # as above
    )


def _parse_phase(text: str) -> tuple[object, ...]:
    from_seconds, *values = text.split(":", len(UnreachablePhase._fields))
    if len(values) != len(UnreachablePhase._fields) - 1:
        raise InvalidOption(f"invalid phase {quoted(text)} of {_PHASES}: expected {_PHASE_FORM}")
    return (int(from_seconds) if _is_integer(from_seconds) else from_seconds, *values)


def _is_integer(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS


_SETTING_MARK: Final = "+"
_VALUE_MARK: Final = "="
_EXAMPLE: Final = "'rfc9309+unauthorized=full-disallow'"


class AccessPolicy(PolicyValues):
    """How to react to status codes, failures and age: an immutable set of values. See `POLICIES`."""

    __slots__ = ()

    def replace(self, **settings: Unpack[PolicySettings]) -> "AccessPolicy":
        """Return this policy with other values of some settings.

        The name of the result lists the settings that differ from the policy in `POLICIES` that it is based on.

        Args:
            settings: The new values. See `docs/policies.md`.
        Raises: InvalidOption: A setting does not exist, or a value is not valid; UnknownPolicy: This policy was made
            by hand, with a name that does not exist.
        """
        base = get_policy(self.name.partition(_SETTING_MARK)[0])
        checked = {name: _check_setting(name, value) for name, value in settings.items()}
        values = self._replace(**checked)
        if values.min_freshness > values.max_freshness:
            raise InvalidOption(
                f"invalid min_freshness {values.min_freshness}: expected at most max_freshness, {values.max_freshness}"
            )
        adjusted = [
            f"{setting}{_VALUE_MARK}{_format_setting(value)}"
            for setting, value, standard in zip(self._fields, values, base, strict=True)
            if value != standard and setting not in ("name", "summary")
        ]
        if not adjusted:
            return base
        name = _SETTING_MARK.join([base.name, *sorted(adjusted)])
        return values._replace(name=name, summary=f"The policy {base.name} with {', '.join(sorted(adjusted))}.")


POLICIES: Final[dict[str, AccessPolicy]] = {name: AccessPolicy._make(values) for name, values in _POLICY_VALUES.items()}


def get_policy(policy: str | AccessPolicy) -> AccessPolicy:
    """Return an access policy.

    Args:
        policy: A name in `POLICIES`, the name of an adjusted policy, in which the settings can have any order, or a
            policy.
    Raises: UnknownPolicy: No policy has this name. The message lists the valid names; InvalidOption: The name of an
        adjusted policy is not valid, or the values of a policy are not those that its name describes.
    """
    if isinstance(policy, AccessPolicy):
        return _check_policy(policy)
    return _find_policy(policy)


def _find_policy(name: object) -> AccessPolicy:
    base_name, mark, adjustments = name.partition(_SETTING_MARK) if isinstance(name, str) else (name, "", "")
    base = POLICIES.get(base_name) if isinstance(base_name, str) else None
    if base is None:
        raise UnknownPolicy(unknown_choice("access policy", base_name, POLICIES))
    return base.replace(**_parse_settings(str(name), adjustments)) if mark else base


def _parse_settings(name: str, adjustments: str) -> PolicySettings:
    settings: PolicySettings = {}
    for adjustment in adjustments.split(_SETTING_MARK):
        setting, mark, text = adjustment.partition(_VALUE_MARK)
        if not mark:
            raise InvalidOption(
                f"invalid setting {quoted(adjustment)} of access policy {quoted(name)}: expected SETTING=VALUE, as in "
                f"{_EXAMPLE}"
            )
        if setting in settings:
            raise InvalidOption(f"access policy {quoted(name)} sets {setting} twice")
        settings[setting] = _parse_setting(setting, text)  # type: ignore[literal-required]  # `_parse_setting` checks it
    return settings


def _check_policy(policy: AccessPolicy) -> AccessPolicy:
    """Check that the values of a policy are those in its name, because stores identify policies by their names."""
    named = get_policy(policy.name)
    if named != policy:
        raise InvalidOption(f"access policy {quoted(policy.name)} has values that its name does not: use its replace()")
    return named
