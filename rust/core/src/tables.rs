//! Generated from tables/protocol.toml by tools/generate_tables.py: edit that file, not this one.

/// Whose reading of the file: a frozen set of flags.
#[derive(Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Profile {
    /// The name by which callers choose it.
    pub name: &'static str,
    /// A line outside the grammar of RFC 9309 section 2.2 is ignored; an invalid user-agent line names nobody.
    pub abnf_only: bool,
    /// Octets of a line that count; the rest of the line is dropped. 0: no limit but the file's.
    pub line_limit_octets: usize,
    /// A NUL octet ends its line early. Otherwise it makes the rule that holds it void.
    pub nul_ends_line: bool,
    /// The first one or two octets of a byte order mark are skipped at the start, too.
    pub partial_bom: bool,
    /// A file that begins with a UTF-16 byte order mark is transcoded to UTF-8.
    pub utf16: bool,
    /// A key is known by its beginning: `DisallowAITraining` is a disallow.
    pub key_prefixes: bool,
    /// The misspelt keys that Google's parser accepts are accepted.
    pub typos: bool,
    /// White space stands for the colon where a line is exactly two runs of other octets.
    pub missing_colon: bool,
    /// A user-agent line's product token ends at the first octet that is no letter, hyphen or underscore.
    pub token_letters_only: bool,
    /// Product tokens are compared with regard to letter case.
    pub agent_case_sensitive: bool,
    /// Any value is a pattern. Otherwise a rule whose value begins with neither `/` nor `*` is void.
    pub any_pattern_start: bool,
    /// A rule without a value matches every target with no octets, and its line is reported.
    pub empty_rule_matches: bool,
    /// In rules, hex digits of escapes become upper-case and octets over 0x7F are encoded, and nothing else; otherwise a rule is compared in the two canonical forms.
    pub google_escaping: bool,
    /// The target is cut from the URL as written, as Google's parser cuts it.
    pub google_target: bool,
    /// The target's octets that no URI holds are encoded, and hex digits of escapes become upper-case.
    pub encode_target: bool,
    /// `Allow: /d/index.html` also allows exactly `/d/`.
    pub index_html: bool,
    /// `/robots.txt` is always allowed.
    pub robots_txt_allowed: bool,
    /// Dot segments are removed from the target's path, never from a rule.
    pub remove_dot_segments: bool,
}

/// Source: RFC 9309 section 2.5.
pub const PARSE_OCTETS_LIMIT: usize = 512_000;
/// Source: ours: three octets for one, in two forms, are still counted in 32 bits.
pub const MOST_OCTETS_LIMIT: usize = 536_870_912;
/// Source: ours: bounds what thousands of agents of one file can make it keep.
pub const COMPILED_SETS_LIMIT: usize = 64;
/// Source: ours: the same bound, for agents that each choose many rules; one agent's are always kept.
pub const COMPILED_RULES_LIMIT: usize = 65_536;

/// The spellings of a user-agent key; the first is the record's name.
pub const USER_AGENT_SPELLINGS: [&[u8]; 3] = [
    b"user-agent",
    b"useragent",
    b"user agent",
];
/// The spellings of a allow key; the first is the record's name.
pub const ALLOW_SPELLINGS: [&[u8]; 1] = [
    b"allow",
];
/// The spellings of a disallow key; the first is the record's name.
pub const DISALLOW_SPELLINGS: [&[u8]; 6] = [
    b"disallow",
    b"dissallow",
    b"dissalow",
    b"disalow",
    b"diasllow",
    b"disallaw",
];
/// The spellings of a sitemap key; the first is the record's name.
pub const SITEMAP_SPELLINGS: [&[u8]; 2] = [
    b"sitemap",
    b"site-map",
];

/// Every profile of both engines.
pub static PROFILES: [Profile; 5] = [
    Profile {
        name: "rfc9309",
        abnf_only: false,
        line_limit_octets: 0,
        nul_ends_line: false,
        partial_bom: false,
        utf16: true,
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
        utf16: true,
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
        utf16: true,
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
        utf16: false,
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
        utf16: false,
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
