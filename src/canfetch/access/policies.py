"""Access policies by name: whose reading of status codes and time."""

from canfetch.access._tables import POLICIES, PROVENANCE, AccessPolicy, Phase, Provenance
from canfetch.core.choices import unknown_choice
from canfetch.errors import UnknownPolicy

__all__ = ["POLICIES", "PROVENANCE", "AccessPolicy", "Phase", "Provenance", "policy_named"]


def policy_named(name: str) -> AccessPolicy:
    """Give the policy of that name.

    Raises: UnknownPolicy: there is none; the message lists those that exist.
    """
    policy = POLICIES.get(name)
    if policy is None:
        raise UnknownPolicy(unknown_choice("access policy", name, POLICIES))
    return policy
