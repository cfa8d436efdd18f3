//! The decision (RFC 9309 section 2.2.2): may this target be fetched, and which rule says so.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::groups::Groups;
use crate::matcher::walk::{self, Match};
use crate::matcher::{Index, Query};
use crate::tables::Profile;

/// Questions after which the index pays: making it takes as long as 8 (100 rules) to 15 (2,000 rules) plain walks.
pub const QUESTIONS_BEFORE_INDEX: u32 = 16;

/// Why a verdict is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// `/robots.txt` itself is allowed (section 2.2.2).
    RobotsTxt,
    /// No group speaks to the agent.
    NoGroup,
    /// No rule matches.
    NoMatch,
    /// An allow rule decided.
    AllowRule,
    /// A disallow rule decided.
    DisallowRule,
    /// A rule without octets matched, and decides nothing.
    EmptyRule,
}

impl Reason {
    /// The reason's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::RobotsTxt => "robots-txt",
            Self::NoGroup => "no-group",
            Self::NoMatch => "no-match",
            Self::AllowRule => "allow-rule",
            Self::DisallowRule => "disallow-rule",
            Self::EmptyRule => "empty-rule",
        }
    }

    /// Whether it allows.
    pub fn allows(self) -> bool {
        self != Self::DisallowRule
    }
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Why.
    pub reason: Reason,
    /// The deciding rule.
    pub rule: Option<Match>,
}

/// What a file says, and who reads it: what every decision needs beside the rules selected.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// The file.
    pub octets: &'a [u8],
    /// What it says.
    pub groups: &'a Groups,
    /// Whose reading it is.
    pub profile: &'static Profile,
}

/// The rules of one selection of groups, shared by every agent that selects the same.
#[derive(Debug)]
pub struct RuleSet {
    groups: Box<[u32]>,
    rule_count: usize,
    questions: AtomicU32,
    index: OnceLock<Index>,
}

impl RuleSet {
    /// The rules of these groups of a file, ascending.
    pub fn new(selected: &[u32], groups: &Groups) -> Self {
        let rule_count = selected.iter().map(|&group| groups.rules_of(group).len()).sum();
        Self { groups: selected.into(), rule_count, questions: AtomicU32::new(0), index: OnceLock::new() }
    }

    /// The groups.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// How many rules these groups have.
    pub fn rule_count(&self) -> usize {
        self.rule_count
    }

    /// Tells that so many questions come at once.
    pub fn expect(&self, file: File<'_>, questions: usize) {
        if questions > QUESTIONS_BEFORE_INDEX as usize && self.index.get().is_none() {
            self.build(file);
        }
    }

    /// Whether the target may be fetched.
    #[inline]
    pub fn allows(&self, file: File<'_>, target: &[u8]) -> bool {
        self.decide(file, target).reason.allows()
    }

    /// Whether the target may be fetched, and why.
    #[inline]
    pub fn decide(&self, file: File<'_>, target: &[u8]) -> Verdict {
        if file.profile.robots_txt_allowed && target == b"/robots.txt" {
            return Verdict { reason: Reason::RobotsTxt, rule: None };
        }
        if self.groups.is_empty() {
            return Verdict { reason: Reason::NoGroup, rule: None };
        }
        let query = Query::new(target);
        let found = match self.index.get() {
            Some(index) => index.best(&query),
            None => self.walk(file, &query),
        };
        let reason = match found {
            None => Reason::NoMatch,
            Some((Match { specificity: 0, .. }, _)) => Reason::EmptyRule,
            Some((_, true)) => Reason::AllowRule,
            Some((_, false)) => Reason::DisallowRule,
        };
        Verdict { reason, rule: found.map(|(rule, _)| rule) }
    }

    /// Every rule that matches the target, the deciding one first.
    pub fn matched(&self, file: File<'_>, target: &[u8]) -> Vec<Match> {
        walk::all(file.groups, &self.groups, file.octets, file.profile, &Query::new(target))
    }

    /// Octets held.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.groups) + self.index.get().map_or(0, Index::memory_bytes)
    }

    #[cold]
    fn walk(&self, file: File<'_>, query: &Query<'_>) -> Option<(Match, bool)> {
        if self.questions.fetch_add(1, Relaxed) >= QUESTIONS_BEFORE_INDEX {
            return self.build(file).best(query);
        }
        walk::best(file.groups, &self.groups, file.octets, file.profile, query)
    }

    #[cold]
    fn build(&self, file: File<'_>) -> &Index {
        self.index.get_or_init(|| Index::new(file.groups, &self.groups, file.octets, file.profile))
    }
}
