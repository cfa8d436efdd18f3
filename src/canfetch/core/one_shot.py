"""A single decision about a file that is not needed again."""

from canfetch.core.agent import Agent, as_agent
from canfetch.core.contract import AllowsOnce
from canfetch.core.document import parse
from canfetch.core.engines import native_engine_for
from canfetch.core.limits import DEFAULT_MAX_BYTES
from canfetch.core.source import UTF_16_MARK_START, encode_content
from canfetch.core.urls import AnyURL


def allows(
    content: bytes | bytearray | memoryview | str,
    url: AnyURL,
    *,
    agent: str | Agent,
    profile: str = "rfc9309",
    engine: str | None = None,
) -> bool:
    r"""Return whether `agent` may fetch `url` according to a robots.txt file that is not needed again.

    The result is that of `parse(content).allows(url, agent=agent)`, but faster. For several decisions about a file,
    `parse` it once.

    Args:
        content: The file, as for `parse`.
        url: An absolute URL, `//host/path` or a path. Its origin is not checked.
        agent: A product token, compared case-insensitively in ASCII, or an `Agent`.
        profile: The parsing profile, a name in `canfetch.PROFILES`.
        engine: `python`, `native` or `both`, as for `parse`.
    Raises: InvalidURL, InvalidProductToken, UnknownProfile, EngineError; TypeError.
    Cost: O(bytes of the file), and never more than bytes of the rules times bytes of the target.
    Source: RFC 9309 sections 2.1 to 2.5.

    >>> allows(b"User-agent: *\nDisallow: /private", "https://example.com/private/a", agent="ExampleBot")
    False
    """
    if isinstance(content, str):
        content = encode_content(content)
    native = native_engine_for(engine, profile)
    if (
        native is None
        or content.__class__ is not bytes
        or len(content) > DEFAULT_MAX_BYTES
        or content[:1] >= UTF_16_MARK_START
    ):
        return parse(content, profile=profile, engine=engine).allows(url, agent=agent)
    chain = as_agent(agent)
    allows_once: AllowsOnce = native.allows_once
    return allows_once(content, profile, chain.encoded_tokens, chain.star_applies, url)
