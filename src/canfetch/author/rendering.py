"""Output formats of a site policy: robots.txt, X-Robots-Tag headers, and the rules of each server."""

from collections.abc import Callable, Iterator
from typing import Final

from canfetch.author.policy_compiler import compile_policy
from canfetch.author.servers.apache import apache_rules, htaccess_rules
from canfetch.author.servers.caddy import caddy_rules
from canfetch.author.servers.haproxy import haproxy_rules
from canfetch.author.servers.iis import iis_rules
from canfetch.author.servers.nginx import nginx_rules
from canfetch.author.servers.rules import ServerRules, build_server_rules
from canfetch.author.servers.traefik import traefik_rules
from canfetch.author.site_policy import SitePolicy, check_chosen
from canfetch.core.choices import unknown_choice
from canfetch.errors import InvalidOption

SERVERS: Final[dict[str, Callable[[ServerRules], Iterator[str]]]] = {
    "nginx": nginx_rules,
    "apache": apache_rules,
    "htaccess": htaccess_rules,
    "caddy": caddy_rules,
    "haproxy": haproxy_rules,
    "traefik": traefik_rules,
    "iis": iis_rules,
}
FORMS: Final = ("robots", "headers", *SERVERS)


def render_policy(policy: SitePolicy, form: str = "robots") -> str:
    """Render a policy as a robots.txt, as headers, or as the rules of a server.

    Args:
        policy: From `parse_policy`.
        form: `robots`, `headers`, `nginx`, `apache`, `htaccess`, `caddy`, `haproxy`, `traefik` or `iis`.
    Raises: InvalidOption: `form` is unknown; InvalidDraft, InvalidSitePolicy: The policy cannot be expressed in
        this form, or it has environments, and none was chosen.
    Cost: O(crawlers, and rules squared).
    """
    if form == "robots":
        return compile_policy(policy).render().decode("ascii")
    if form == "headers":
        check_chosen(policy)
        lines = _headers(policy)
    elif form in SERVERS:
        lines = SERVERS[form](build_server_rules(policy))
    else:
        raise InvalidOption(unknown_choice("form", form, FORMS))
    return "".join(f"{line}\n" for line in lines)


def _headers(policy: SitePolicy) -> Iterator[str]:
    for page in policy.pages:
        yield f"# {' '.join(page.patterns)}"
        yield f"X-Robots-Tag: {page.value}"
