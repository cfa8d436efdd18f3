//! Profiles and spellings. The founder's generator (`tools/generate_tables.py`, from `tables/protocol.toml`) writes
//! this file; its shape is the contract with the rest of the crate:
//!
//! * `Profile`: one field a flag that an engine reads, in the order of the plan; the flag `utf16` belongs to Python alone.
//! * `PROFILES`: the profiles that this engine does, `rfc9309` first.
//! * one constant a record kind: its spellings in lower case, the right one first, the tolerated ones after it.

/// Whose reading of the file: a frozen set of flags.
#[derive(Debug)]
pub struct Profile {
    /// The profile's name, as a user writes it.
    pub name: &'static str,
    /// Only lines inside the grammar of RFC 9309 section 2.2 are user-agent or rule lines.
    pub abnf_only: bool,
    /// Octets of a line that count; 0 is no limit.
    pub line_limit_octets: usize,
    /// The first NUL ends its line.
    pub nul_ends_line: bool,
    /// The first one or two octets of a byte order mark are skipped too.
    pub partial_bom: bool,
    /// A key is recognised by how it begins.
    pub key_prefixes: bool,
    /// The tolerated spellings of a key count.
    pub typos: bool,
    /// White space may stand for the colon where a line has exactly two words.
    pub missing_colon: bool,
    /// A product token ends at the first octet that is not a letter, `_` or `-`.
    pub token_letters_only: bool,
    /// Product tokens are compared octet by octet.
    pub agent_case_sensitive: bool,
    /// A pattern may begin with any octet.
    pub any_pattern_start: bool,
    /// An empty value matches everything, with a specificity of 0.
    pub empty_rule_matches: bool,
    /// Patterns are escaped as Google's parser does: upper-case hex, octets over 0x7F encoded, nothing else.
    pub google_escaping: bool,
    /// The target is what Google's parser takes from a URL.
    pub google_target: bool,
    /// The target is percent-encoded before it is compared.
    pub encode_target: bool,
    /// An allow rule for `index.htm...` allows its folder too.
    pub index_html: bool,
    /// `/robots.txt` is always allowed.
    pub robots_txt_allowed: bool,
    /// Dot segments are removed from the target's path.
    pub remove_dot_segments: bool,
}

/// The profiles that this engine does.
pub static PROFILES: [Profile; 5] = [
    Profile {
        name: "rfc9309",
        abnf_only: false,
        line_limit_octets: 0,
        nul_ends_line: false,
        partial_bom: false,
        key_prefixes: false,
        typos: true,
        missing_colon: true,
        token_letters_only: false,
        agent_case_sensitive: false,
        any_pattern_start: false,
        empty_rule_matches: false,
        google_escaping: false,
        google_target: false,
        encode_target: false,
        index_html: false,
        robots_txt_allowed: true,
        remove_dot_segments: true,
    },
    Profile {
        name: "strict",
        abnf_only: true,
        line_limit_octets: 0,
        nul_ends_line: false,
        partial_bom: false,
        key_prefixes: false,
        typos: false,
        missing_colon: false,
        token_letters_only: false,
        agent_case_sensitive: false,
        any_pattern_start: false,
        empty_rule_matches: false,
        google_escaping: false,
        google_target: false,
        encode_target: false,
        index_html: false,
        robots_txt_allowed: true,
        remove_dot_segments: true,
    },
    Profile {
        name: "google2019",
        abnf_only: false,
        line_limit_octets: 0,
        nul_ends_line: false,
        partial_bom: false,
        key_prefixes: false,
        typos: false,
        missing_colon: false,
        token_letters_only: false,
        agent_case_sensitive: true,
        any_pattern_start: false,
        empty_rule_matches: false,
        google_escaping: false,
        google_target: false,
        encode_target: false,
        index_html: false,
        robots_txt_allowed: true,
        remove_dot_segments: true,
    },
    Profile {
        name: "google",
        abnf_only: false,
        line_limit_octets: 16_663,
        nul_ends_line: true,
        partial_bom: true,
        key_prefixes: true,
        typos: true,
        missing_colon: true,
        token_letters_only: true,
        agent_case_sensitive: false,
        any_pattern_start: true,
        empty_rule_matches: true,
        google_escaping: true,
        google_target: true,
        encode_target: false,
        index_html: true,
        robots_txt_allowed: false,
        remove_dot_segments: false,
    },
    Profile {
        name: "googlebot",
        abnf_only: false,
        line_limit_octets: 16_663,
        nul_ends_line: true,
        partial_bom: true,
        key_prefixes: true,
        typos: true,
        missing_colon: true,
        token_letters_only: true,
        agent_case_sensitive: false,
        any_pattern_start: true,
        empty_rule_matches: true,
        google_escaping: true,
        google_target: true,
        encode_target: true,
        index_html: true,
        robots_txt_allowed: true,
        remove_dot_segments: false,
    },
];

/// Spellings of the user-agent key.
pub static USER_AGENT: [&[u8]; 3] = [b"user-agent", b"useragent", b"user agent"];
/// Spellings of the allow key.
pub static ALLOW: [&[u8]; 1] = [b"allow"];
/// Spellings of the disallow key.
pub static DISALLOW: [&[u8]; 6] = [
    b"disallow",
    b"dissallow",
    b"dissalow",
    b"disalow",
    b"diasllow",
    b"disallaw",
];
/// Spellings of the sitemap key.
pub static SITEMAP: [&[u8]; 2] = [b"sitemap", b"site-map"];
