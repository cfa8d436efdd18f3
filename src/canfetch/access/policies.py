"""Access policies by name. A policy defines what status codes, errors and time mean."""

from canfetch.access._tables import POLICIES, PROVENANCE, AccessPolicy, Phase, Provenance
from canfetch.core.choices import unknown_choice
from canfetch.errors import UnknownPolicy

__all__ = ["POLICIES", "PROVENANCE", "AccessPolicy", "Phase", "Provenance", "get_policy"]


def get_policy(name: str) -> AccessPolicy:
    """Return the policy called `name`.

    Raises: UnknownPolicy: No policy has this name. The message lists the valid names.
    """
    policy = POLICIES.get(name)
    if policy is None:
        raise UnknownPolicy(unknown_choice("access policy", name, POLICIES))
    return policy
