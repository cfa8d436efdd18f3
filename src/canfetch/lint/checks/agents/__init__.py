"""Checks of user-agent lines: whom they name."""

from typing import Final

from canfetch.lint.checks.agents import (
    adsbot_not_named,
    agent_by_operator_name,
    agent_does_not_obey,
    comma_list,
    control_token_alone,
    empty_agent,
    fallback_surprise,
    retired_agent,
    star_in_agent,
    token_cut_by_google,
    unknown_agent,
    user_agent_header_as_token,
)

CHECKS: Final = (
    unknown_agent.CHECK,
    token_cut_by_google.CHECK,
    comma_list.CHECK,
    control_token_alone.CHECK,
    adsbot_not_named.CHECK,
    agent_does_not_obey.CHECK,
    retired_agent.CHECK,
    user_agent_header_as_token.CHECK,
    star_in_agent.CHECK,
    empty_agent.CHECK,
    agent_by_operator_name.CHECK,
    fallback_surprise.CHECK,
)
