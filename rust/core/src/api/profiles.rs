//! Generated from tables/protocol.toml by tools/generate_tables.py: edit that file, not this one.

/// One way to read a robots.txt, such as that of RFC 9309 or of Google's parser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// RFC 9309, and Google's published semantics where the RFC is silent. The default.
    #[default]
    Rfc9309,
    /// Only the grammar of RFC 9309: all other lines are ignored.
    Strict,
    /// Google's specification of 2019/20: misspelt keys and lines without a colon are ignored.
    Google2019,
    /// Google's C++ parser: the same verdict and the same matching line for every input.
    Google,
    /// Google's C++ parser as Googlebot uses it: the URL is percent-encoded first, and `/robots.txt` is always allowed.
    Googlebot,
    /// Bing's documentation, and RFC 9309 where it is silent.
    Bing,
    /// Yandex's documentation, and RFC 9309 where it is silent: blank lines end groups.
    Yandex,
    /// The Internet draft of 1996: only the first group that names the crawler applies, and its first matching rule decides.
    Draft1996,
    /// The standard of 1994: groups end at blank lines, only disallow is a rule, and paths are compared as written.
    Original1994,
}

impl Profile {
    /// Every profile.
    pub const ALL: &[Self] = &[
        Self::Rfc9309,
        Self::Strict,
        Self::Google2019,
        Self::Google,
        Self::Googlebot,
        Self::Bing,
        Self::Yandex,
        Self::Draft1996,
        Self::Original1994,
    ];
}
