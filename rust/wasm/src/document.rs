//! An open file: its bytes, and what each profile reads in them.

use std::cell::OnceCell;
use std::sync::Arc;

use canfetch::engine::tables::PROFILES;
use canfetch::engine::{CompiledFile, File, RuleSet, Source};

/// The maximum number of rule sets that a file is bound to. A host that needs more opens the file again.
pub const BOUND_LIMIT: usize = 1024;

/// A file as one profile reads it.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'d> {
    /// The bytes that are parsed.
    pub source: &'d Source,
    /// The parsed file.
    pub compiled: &'d CompiledFile,
}

impl Reading<'_> {
    /// The bytes that are parsed.
    pub fn content(&self) -> &[u8] {
        &self.source.content
    }

    /// The file as decisions need it.
    pub fn file(&self) -> File<'_> {
        self.compiled.file(self.content())
    }
}

/// An open file. It is parsed for a profile when that is first used.
#[derive(Debug)]
pub struct Document {
    content: Vec<u8>,
    max_bytes: usize,
    /// Without and with support for UTF-16.
    sources: [OnceCell<Source>; 2],
    compiled: [OnceCell<CompiledFile>; PROFILES.len()],
    /// The profiles and the rules of the agents for which decisions are made.
    bound: Vec<(u32, Arc<RuleSet>)>,
}

impl Document {
    /// Opens a file.
    pub fn new(content: Vec<u8>, max_bytes: usize) -> Self {
        Self { content, max_bytes, sources: Default::default(), compiled: Default::default(), bound: Vec::new() }
    }

    /// Returns the file as the profile with this index reads it; `None` if the profile does not exist.
    pub fn read(&self, profile: u32) -> Option<Reading<'_>> {
        let flags = PROFILES.get(profile as usize)?;
        let source = self.sources[usize::from(flags.utf16)]
            .get_or_init(|| Source::new(self.content.clone(), flags.utf16, self.max_bytes));
        let compiled = self.compiled[profile as usize].get_or_init(|| CompiledFile::new(&source.content, flags));
        Some(Reading { source, compiled })
    }

    /// Keeps rules for decisions, and returns their number; `None` if the file has too many already.
    pub fn bind(&mut self, profile: u32, rules: Arc<RuleSet>) -> Option<u32> {
        let same = |bound: &(u32, Arc<RuleSet>)| bound.0 == profile && Arc::ptr_eq(&bound.1, &rules);
        if let Some(at) = self.bound.iter().position(same) {
            return Some(at as u32);
        }
        if self.bound.len() == BOUND_LIMIT {
            return None;
        }
        self.bound.push((profile, rules));
        Some(self.bound.len() as u32 - 1)
    }

    /// Returns the rules with this number, and the file as their profile reads it.
    pub fn bound(&self, number: u32) -> Option<(Reading<'_>, &RuleSet)> {
        let (profile, rules) = self.bound.get(number as usize)?;
        Some((self.read(*profile)?, rules))
    }
}
