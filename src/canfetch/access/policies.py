"""Access policies by name. A policy defines what status codes, errors and time mean.

The name of an adjusted policy lists the settings that differ from the policy it is based on, sorted:
`rfc9309+redirect_limit=10+unauthorized=full-disallow`. Stores, evidence and verdicts identify a policy by its name.
"""

from typing import Final, Unpack

from canfetch.access._tables import POLICIES as _POLICY_VALUES
from canfetch.access._tables import PolicySettings, PolicyValues, UnreachablePhase
from canfetch.access.policy_settings import check_setting, format_setting, parse_setting
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidOption, UnknownPolicy

__all__ = ["POLICIES", "AccessPolicy", "PolicySettings", "UnreachablePhase", "get_policy"]

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
        checked = {name: check_setting(name, value) for name, value in settings.items()}
        values = self._replace(**checked)
        if values.min_freshness > values.max_freshness:
            raise InvalidOption(
                f"invalid min_freshness {values.min_freshness}: expected at most max_freshness, {values.max_freshness}"
            )
        adjusted = [
            f"{setting}{_VALUE_MARK}{format_setting(value)}"
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
        settings[setting] = parse_setting(setting, text)  # type: ignore[literal-required]  # `parse_setting` checks it
    return settings


def _check_policy(policy: AccessPolicy) -> AccessPolicy:
    """Check that the values of a policy are those in its name, because stores identify policies by their names."""
    named = get_policy(policy.name)
    if named != policy:
        raise InvalidOption(f"access policy {quoted(policy.name)} has values that its name does not: use its replace()")
    return named
