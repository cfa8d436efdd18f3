//! Records that are neither user-agent lines nor rules.

use crate::groups::OtherRecord;

/// A record that is neither a user-agent line nor a rule, such as `Sitemap`, `Crawl-delay` or `Content-Signal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record<'a> {
    key: &'a [u8],
    value: &'a [u8],
    line: u32,
    group: Option<u32>,
    is_sitemap: bool,
}

impl<'a> Record<'a> {
    pub(super) fn new(other: OtherRecord, content: &'a [u8]) -> Self {
        Self {
            key: other.key.of(content),
            value: other.value.of(content),
            line: other.line(),
            group: other.group(),
            is_sitemap: other.is_sitemap(),
        }
    }

    /// The key as written. Keys are compared case-insensitively.
    pub fn key(self) -> &'a [u8] {
        self.key
    }

    /// The value as written, without comment and surrounding white space.
    pub fn value(self) -> &'a [u8] {
        self.value
    }

    /// The line number, from 1.
    pub fn line(self) -> u32 {
        self.line
    }

    /// The position in [`RobotsTxt::groups`](crate::RobotsTxt::groups) of the group that the record is in. A sitemap
    /// applies to the whole file, wherever it is.
    pub fn group(self) -> Option<usize> {
        self.group.map(|group| group as usize)
    }

    /// Whether this is a sitemap record, in any accepted spelling.
    pub fn is_sitemap(self) -> bool {
        self.is_sitemap
    }
}
