"""Generated from tables/protocol.toml by tools/generate_tables.py: edit that file, not this one."""

from typing import Final, NamedTuple


class Profile(NamedTuple):
    """One way to read a robots.txt: an immutable set of flags."""

    name: str
    summary: str
    source: str
    abnf_only: bool = False
    max_line_bytes: int = 0
    nul_ends_line: bool = False
    partial_bom: bool = False
    utf16: bool = False
    key_prefixes: bool = False
    typos: bool = False
    missing_colon: bool = False
    ignore_allow: bool = False
    blank_line_ends_group: bool = False
    token_letters_only: bool = False
    substring_tokens: bool = False
    first_group_only: bool = False
    ignore_empty_groups: bool = False
    any_pattern_start: bool = False
    empty_rule_matches: bool = False
    google_escaping: bool = False
    literal_paths: bool = False
    decode_escapes: bool = False
    single_form: bool = False
    first_match: bool = False
    google_target: bool = False
    encode_target: bool = False
    index_html: bool = False
    robots_txt_allowed: bool = False
    remove_dot_segments: bool = False
    crawl_delay_of_star: bool = False


DEFAULT_MAX_BYTES: Final = 512_000
MAX_BYTES_LIMIT: Final = 536_870_912
COMPILED_SETS_LIMIT: Final = 64
COMPILED_RULES_LIMIT: Final = 65_536

USER_AGENT_SPELLINGS: Final[tuple[bytes, ...]] = (
    b"user-agent",
    b"useragent",
    b"user agent",
)
ALLOW_SPELLINGS: Final[tuple[bytes, ...]] = (
    b"allow",
)
DISALLOW_SPELLINGS: Final[tuple[bytes, ...]] = (
    b"disallow",
    b"dissallow",
    b"dissalow",
    b"disalow",
    b"diasllow",
    b"disallaw",
)
SITEMAP_SPELLINGS: Final[tuple[bytes, ...]] = (
    b"sitemap",
    b"site-map",
)

STAR_IGNORERS: Final = frozenset(
    (
        "adsbot-google",
        "adsbot-google-mobile",
        "adsbot-google-mobile-apps",
        "apis-google",
        "duplexweb-google",
        "google-safety",
        "googleweblight",
        "mediapartners-google",
        "yadirectfetcher",
        "yandexcalendar",
        "yandexdirect",
        "yandexmobilebot",
    )
)

PROFILES: Final[dict[str, Profile]] = {
    "rfc9309": Profile(
        name="rfc9309",
        summary="RFC 9309, and Google's published semantics where the RFC is silent. The default.",
        source="RFC 9309",
        utf16=True,
        typos=True,
        missing_colon=True,
        robots_txt_allowed=True,
        remove_dot_segments=True,
    ),
    "strict": Profile(
        name="strict",
        summary="Only the grammar of RFC 9309: all other lines are ignored.",
        source="RFC 9309 section 2.2",
        abnf_only=True,
        utf16=True,
        robots_txt_allowed=True,
        remove_dot_segments=True,
    ),
    "google2019": Profile(
        name="google2019",
        summary="Google's specification of 2019/20: misspelt keys and lines without a colon are ignored.",
        source="Google's robots.txt specification, July 2019 to 2020",
        utf16=True,
        robots_txt_allowed=True,
        remove_dot_segments=True,
    ),
    "google": Profile(
        name="google",
        summary="Google's C++ parser: the same verdict and the same matching line for every input.",
        source="google/robotstxt at 22b355f",
        max_line_bytes=16_663,
        nul_ends_line=True,
        partial_bom=True,
        key_prefixes=True,
        typos=True,
        missing_colon=True,
        token_letters_only=True,
        any_pattern_start=True,
        empty_rule_matches=True,
        google_escaping=True,
        google_target=True,
        index_html=True,
    ),
    "googlebot": Profile(
        name="googlebot",
        summary="Google's C++ parser as Googlebot uses it: the URL is percent-encoded first, and `/robots.txt` is always allowed.",
        source="google/robotstxt at 22b355f; RFC 9309 section 2.2.2",
        max_line_bytes=16_663,
        nul_ends_line=True,
        partial_bom=True,
        key_prefixes=True,
        typos=True,
        missing_colon=True,
        token_letters_only=True,
        any_pattern_start=True,
        empty_rule_matches=True,
        google_escaping=True,
        google_target=True,
        encode_target=True,
        index_html=True,
        robots_txt_allowed=True,
    ),
    "bing": Profile(
        name="bing",
        summary="Bing's documentation, and RFC 9309 where it is silent.",
        source="Bing Webmaster: robots.txt",
        utf16=True,
        typos=True,
        missing_colon=True,
        robots_txt_allowed=True,
        remove_dot_segments=True,
        crawl_delay_of_star=True,
    ),
    "yandex": Profile(
        name="yandex",
        summary="Yandex's documentation, and RFC 9309 where it is silent: blank lines end groups.",
        source="Yandex Webmaster: robots.txt",
        blank_line_ends_group=True,
        single_form=True,
        utf16=True,
        remove_dot_segments=True,
    ),
    "draft1996": Profile(
        name="draft1996",
        summary="The Internet draft of 1996: only the first group that names the crawler applies, and its first matching rule decides.",
        source="draft-koster-robots-00",
        blank_line_ends_group=True,
        substring_tokens=True,
        first_group_only=True,
        ignore_empty_groups=True,
        literal_paths=True,
        decode_escapes=True,
        first_match=True,
        robots_txt_allowed=True,
        remove_dot_segments=True,
    ),
    "original1994": Profile(
        name="original1994",
        summary="The standard of 1994: groups end at blank lines, only disallow is a rule, and paths are compared as written.",
        source="A Standard for Robot Exclusion, 1994",
        ignore_allow=True,
        blank_line_ends_group=True,
        substring_tokens=True,
        first_group_only=True,
        ignore_empty_groups=True,
        literal_paths=True,
        first_match=True,
        remove_dot_segments=True,
    ),
}
