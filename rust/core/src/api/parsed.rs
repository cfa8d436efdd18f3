//! A parsed file and its bytes, which `RobotsTxt` and `AgentRules` share.

use std::time::Duration;

use super::crawl_delay;
use super::errors::InvalidUrl;
use super::profiles::Profile;
use super::rule::Match;
use super::verdict::Verdict;
use crate::compiled::CompiledFile;
use crate::decide::{File, RuleSet};
use crate::select::Selection;
use crate::source::Source;
use crate::target::target;
use crate::url::locate;

pub struct Parsed {
    pub source: Source,
    pub profile: Profile,
    pub compiled: CompiledFile,
}

impl Parsed {
    pub fn new(content: Vec<u8>, profile: Profile, max_bytes: usize) -> Self {
        let flags = profile.flags();
        let source = Source::new(content, flags.utf16, max_bytes);
        let compiled = CompiledFile::new(&source.content, flags);
        Self { source, profile, compiled }
    }

    #[inline]
    pub fn file(&self) -> File<'_> {
        self.compiled.file(&self.source.content)
    }

    pub fn select<T: AsRef<[u8]>>(&self, tokens: &[T], star_applies: bool) -> Selection {
        self.compiled.select(&self.source.content, tokens, star_applies)
    }

    pub fn decide(&self, rules: &RuleSet, url: &[u8]) -> Result<Verdict<'_>, InvalidUrl> {
        let located = locate(url).ok_or_else(|| InvalidUrl::new(url))?;
        let file = self.file();
        let found = rules.decide(file, &target(url, located.path, file.profile));
        Ok(Verdict::new(found.reason, found.rule.map(|rule| Match::new(rule, file))))
    }

    /// The longest valid Crawl-delay of some groups, in ascending order.
    pub fn longest_delay(&self, groups: &[u32]) -> Option<Duration> {
        let content = &self.source.content;
        let own = self.compiled.others(content).iter().filter(|other| {
            let is_delay = other.key.of(content).eq_ignore_ascii_case(crawl_delay::KEY);
            is_delay && other.group().is_some_and(|group| groups.binary_search(&group).is_ok())
        });
        own.filter_map(|other| crawl_delay::parse(other.value.of(content))).max()
    }

    /// The memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() - size_of::<CompiledFile>() + self.source.content.capacity() + self.compiled.memory_bytes()
    }
}
