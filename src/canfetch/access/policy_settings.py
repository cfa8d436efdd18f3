"""The settings of access policies: their values, checked, and their form in the name of an adjusted policy.

The forms are `unauthorized=full-disallow`, `redirect_limit=10`, and for phases, which have three parts each,
`while_unreachable=0:copy:full-disallow,2592000:full-allow:full-allow`. Origins are separated by commas.
"""

from itertools import pairwise
from typing import Any, Final

from canfetch.access._tables import (
    CHOICES,
    MAX_ORIGINS,
    MAX_PHASE_SECONDS,
    RANGES,
    WITH_COPY,
    WITHOUT_COPY,
    UnreachablePhase,
)
from canfetch.core.choices import unknown_choice
from canfetch.core.origin import find_origin
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption

_PHASES: Final = "while_unreachable"
_ORIGINS: Final = "misconfigured_origins"
_SETTINGS: Final = (*CHOICES, *RANGES, _PHASES, _ORIGINS)
# They separate the parts of the name of a policy.
_SEPARATORS: Final = frozenset("+=,")
_MAX_PHASES: Final = 8
_MAX_DIGITS: Final = 9
_PHASE_FORM: Final = "SECONDS:WITH_COPY:WITHOUT_COPY, such as '0:copy:full-disallow'"


def check_setting(name: str, value: object) -> Any:
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


def parse_setting(name: str, text: str) -> Any:
    """Parse the value of a setting in the name of a policy.

    Raises: InvalidOption: No setting has this name, or `text` is not a valid value.
    """
    if name in RANGES and _is_integer(text):
        return check_setting(name, int(text))
    if name == _PHASES:
        return check_setting(name, tuple(_parse_phase(part) for part in text.split(",", _MAX_PHASES)))
    if name == _ORIGINS:
        return check_setting(name, tuple(text.split(",", MAX_ORIGINS)))
    return check_setting(name, text)


def format_setting(value: Any) -> str:
    """Return a value as `parse_setting` reads it."""
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
        raise InvalidOption(f"invalid {_PHASES} {quoted(format_setting(phases))}: expected ascending times from 0")
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
