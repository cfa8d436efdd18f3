//! A parsed file: its groups, and the rule sets of its agents.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::decide::{File, RuleSet};
use crate::groups::{Groups, OtherRecord};
use crate::reader;
use crate::select::{Directory, Selection, names};
use crate::tables::{COMPILED_RULES_LIMIT, COMPILED_SETS_LIMIT, MAX_BYTES_LIMIT, PROFILES, Profile};

/// Returns the profile with this name, if the engine supports it.
pub fn profile(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.name == name)
}

/// Parses a file for a single decision: whether an agent may fetch a target. Keeps nothing.
///
/// # Panics
/// If the file has more than [`MAX_BYTES_LIMIT`].
pub fn allows_once<T: AsRef<[u8]>>(
    content: &[u8],
    profile: &'static Profile,
    tokens: &[T],
    star_applies: bool,
    target: &[u8],
) -> bool {
    assert!(content.len() <= MAX_BYTES_LIMIT, "a file over 512 MiB");
    let groups = reader::read_groups(content, profile);
    let selection = Directory::default().select(&groups, content, profile, tokens, star_applies);
    RuleSet::new(&selection.groups, &groups).allows(File { content, groups: &groups, profile }, target)
}

/// A parsed file. The caller keeps the bytes, and passes the same bytes to every call.
#[derive(Debug)]
pub struct CompiledFile {
    profile: &'static Profile,
    groups: Groups,
    /// The records that are neither user-agent lines nor rules, which most callers never need.
    others: OnceLock<Box<[OtherRecord]>>,
    directory: Directory,
    sets: Mutex<Sets>,
}

#[derive(Debug, Default)]
struct Sets {
    shared: Vec<Arc<RuleSet>>,
    rules: usize,
}

impl CompiledFile {
    /// Parses a file. Never fails on its content.
    ///
    /// # Panics
    /// If the file has more than [`MAX_BYTES_LIMIT`].
    pub fn new(content: &[u8], profile: &'static Profile) -> Self {
        assert!(content.len() <= MAX_BYTES_LIMIT, "a file over 512 MiB");
        Self {
            profile,
            groups: reader::read_groups(content, profile),
            others: OnceLock::new(),
            directory: Directory::default(),
            sets: Mutex::default(),
        }
    }

    /// The groups of the file.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The records that are neither user-agent lines nor rules, in file order. The first call parses the file again.
    pub fn others(&self, content: &[u8]) -> &[OtherRecord] {
        self.others.get_or_init(|| reader::read_others(content, self.profile))
    }

    /// The file with its bytes, as decisions need it.
    #[inline]
    pub fn file<'a>(&'a self, content: &'a [u8]) -> File<'a> {
        File { content, groups: &self.groups, profile: self.profile }
    }

    /// The parsing profile.
    #[inline]
    pub fn profile(&self) -> &'static Profile {
        self.profile
    }

    /// Selects the groups for an agent: its tokens in order, and whether `*` applies to it.
    pub fn select<T: AsRef<[u8]>>(&self, content: &[u8], tokens: &[T], star_applies: bool) -> Selection {
        self.directory.select(&self.groups, content, self.profile, tokens, star_applies)
    }

    /// Returns the numbers of the user-agent lines in these groups that apply to a token, which may be `*`.
    pub fn lines_naming(&self, content: &[u8], token: &[u8], groups: &[u32]) -> Vec<u32> {
        let agents = groups.iter().flat_map(|&group| self.groups.agents_of(group).iter());
        let naming = agents.filter(|agent| names(agent.token.of(content), token, self.profile));
        naming.map(|agent| agent.line).collect()
    }

    /// Returns the rule set of some groups. Sets are shared between calls, in bounded number.
    pub fn rule_set(&self, groups: &[u32]) -> Arc<RuleSet> {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = sets.shared.iter().find(|set| set.groups() == groups) {
            return Arc::clone(set);
        }
        let set = Arc::new(RuleSet::new(groups, &self.groups));
        sets.rules += set.rule_count();
        if sets.shared.len() == COMPILED_SETS_LIMIT || sets.rules > COMPILED_RULES_LIMIT {
            sets.shared.clear();
            sets.rules = set.rule_count();
        }
        sets.shared.push(Arc::clone(&set));
        set
    }

    /// Forgets the shared rule sets.
    pub fn forget_rules(&mut self) {
        self.sets = Mutex::default();
    }

    /// The memory of the shared rule sets, in bytes.
    pub fn rules_memory_bytes(&self) -> usize {
        let sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        sets.shared.iter().map(|set| set.memory_bytes()).sum()
    }

    /// The memory held, in bytes, without the content of the file.
    pub fn memory_bytes(&self) -> usize {
        let others = self.others.get().map_or(0, |others| size_of_val(&**others));
        size_of::<Self>() + self.groups.memory_bytes() + others + self.rules_memory_bytes()
    }
}
