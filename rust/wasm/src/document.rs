//! An open file: its bytes, and what each profile reads in them.

use std::cell::OnceCell;

use canfetch::engine::tables::PROFILES;
use canfetch::engine::{CompiledFile, File, Source};

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
}

impl Document {
    /// Opens a file.
    pub fn new(content: Vec<u8>, max_bytes: usize) -> Self {
        Self { content, max_bytes, sources: Default::default(), compiled: Default::default() }
    }

    /// Returns the file as the profile with this index reads it; `None` if the profile does not exist.
    pub fn read(&self, profile: u32) -> Option<Reading<'_>> {
        let flags = PROFILES.get(profile as usize)?;
        let source = self.sources[usize::from(flags.utf16)]
            .get_or_init(|| Source::new(self.content.clone(), flags.utf16, self.max_bytes));
        let compiled = self.compiled[profile as usize].get_or_init(|| CompiledFile::new(&source.content, flags));
        Some(Reading { source, compiled })
    }
}
