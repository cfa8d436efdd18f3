"""The files and agents of commands that compare whole files."""

from collections.abc import Callable, Iterable
from typing import Final

from canfetch.agents import Registry
from canfetch.agents.requested import RequestedAgent
from canfetch.cli.shared.agent_arguments import resolve_agent
from canfetch.cli.shared.command_errors import CommandError
from canfetch.cli.shared.input_files import STANDARD_INPUT, read_input, read_robots, warn_about_content
from canfetch.cli.shared.terminal import print_message
from canfetch.core.document import RobotsTxt, parse
from canfetch.core.quoting import quoted

# Source: sitemaps.org, protocol 0.9.
_MAX_URLS: Final = 50_000


def read_file(name: str, *, profile: str, check: Callable[[str, RobotsTxt], None] | None = None) -> RobotsTxt:
    """Read and parse a robots.txt, and warn if it is something else.

    Args: check: Called with the name and the file before the warning. It may reject the file.
    Raises: CommandError: The file cannot be read, or `check` rejects it.
    """
    robots = parse(read_robots(name, ""), profile=profile)
    if check is not None:
        check(name, robots)
    warn_about_content(robots.render(), name, "", warn=print_message)
    return robots


def read_sitemap(name: str) -> tuple[str, ...]:
    """Return the URLs of a sitemap.

    Raises: CommandError: The file cannot be read, or is not a complete sitemap.
    """
    # Other commands do not need an XML parser.
    from canfetch.answers.sitemaps import parse_sitemap  # noqa: PLC0415
    from canfetch.sitemaps.content import MAX_SITEMAP_BYTES  # noqa: PLC0415

    content = read_input(name, "--sitemap", max_bytes=MAX_SITEMAP_BYTES + 1)
    label = f"cannot read --sitemap {name if name == STANDARD_INPUT else quoted(name)}"
    if not content.strip():
        raise CommandError(f"{label}: it is empty")
    sitemap = parse_sitemap(content, max_urls=_MAX_URLS)
    if sitemap.problem is not None:
        raise CommandError(f"{label}: {sitemap.problem}")
    if sitemap.kind == "index":
        raise CommandError(f"{label}: it is a sitemap index, expected its sitemaps")
    if sitemap.truncated:
        raise CommandError(f"{label}: expected at most {_MAX_URLS:,} URLs and {MAX_SITEMAP_BYTES >> 20} MiB")
    return sitemap.urls


def find_agent(name: str, agents: Iterable[RequestedAgent], registry: Registry) -> RequestedAgent:
    """Return the agent with a name: one of `agents`, or else another product token.

    Raises: CommandError: `name` is not a product token.
    """
    folded = name.lower()
    known = next((agent for agent in agents if agent.name.lower() == folded), None)
    try:
        return resolve_agent(name, exact=False, registry=registry) if known is None else known
    except CommandError as error:
        raise CommandError(f"--fail-on: {error.format_message()}") from None
