//! A file, read once: its groups, and the rule sets that agents asked for.

use std::sync::{Arc, Mutex, PoisonError};

use crate::decide::{File, RuleSet};
use crate::groups::Groups;
use crate::select::{Directory, Selection};
use crate::tables::{COMPILED_RULES_LIMIT, COMPILED_SETS_LIMIT, MAX_BYTES_LIMIT, PROFILES, Profile};

/// The profile of that name, if this engine does it.
pub fn profile(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.name == name)
}

/// A file's contents. The octets stay with the caller, who hands in the same ones each time.
#[derive(Debug)]
pub struct CompiledFile {
    profile: &'static Profile,
    groups: Groups,
    directory: Directory,
    sets: Mutex<Sets>,
}

#[derive(Debug, Default)]
struct Sets {
    kept: Vec<Arc<RuleSet>>,
    rules: usize,
}

impl CompiledFile {
    /// Reads a file; never fails on what it holds.
    ///
    /// # Panics
    /// If the file has more than [`MAX_BYTES_LIMIT`].
    pub fn new(content: &[u8], profile: &'static Profile) -> Self {
        assert!(content.len() <= MAX_BYTES_LIMIT, "a file over 512 MiB");
        Self {
            profile,
            groups: Groups::read(content, profile),
            directory: Directory::default(),
            sets: Mutex::default(),
        }
    }

    /// What the file says.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Everything that a decision needs beside the rule set.
    #[inline]
    pub fn file<'a>(&'a self, content: &'a [u8]) -> File<'a> {
        File { content, groups: &self.groups, profile: self.profile }
    }

    /// Whose reading it is.
    #[inline]
    pub fn profile(&self) -> &'static Profile {
        self.profile
    }

    /// The groups for an agent: its tokens in order, and whether `*` applies to it.
    pub fn select<T: AsRef<[u8]>>(&self, content: &[u8], tokens: &[T], star_applies: bool) -> Selection {
        self.directory.select(&self.groups, content, self.profile, tokens, star_applies)
    }

    /// The rules of those groups; the same set for the same groups, as long as it is kept: a file whose every agent
    /// selects other groups cannot make it grow.
    pub fn rule_set(&self, groups: &[u32]) -> Arc<RuleSet> {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = sets.kept.iter().find(|set| set.groups() == groups) {
            return Arc::clone(set);
        }
        let set = Arc::new(RuleSet::new(groups, &self.groups));
        sets.rules += set.rule_count();
        if sets.kept.len() == COMPILED_SETS_LIMIT || sets.rules > COMPILED_RULES_LIMIT {
            sets.kept.clear();
            sets.rules = set.rule_count();
        }
        sets.kept.push(Arc::clone(&set));
        set
    }

    /// Octets held, the file's own not counted.
    pub fn memory_bytes(&self) -> usize {
        let sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        size_of::<Self>() + self.groups.memory_bytes() + sets.kept.iter().map(|set| set.memory_bytes()).sum::<usize>()
    }
}
