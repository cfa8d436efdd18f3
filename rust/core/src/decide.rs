//! The decision (RFC 9309 section 2.2.2): whether a target may be fetched, and which rule decides.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::groups::Groups;
use crate::matcher::walk::{self, Match};
use crate::matcher::{Index, Listing, Query, Texts};
use crate::tables::Profile;

/// Decisions after which the index is built. Building it takes as long as 8 (100 rules) to 15 (2,000 rules) plain walks.
pub const DECISIONS_BEFORE_INDEX: u32 = 16;

/// What decides a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// `/robots.txt` itself is allowed (section 2.2.2).
    RobotsTxt,
    /// No group applies to the agent.
    NoGroup,
    /// No rule matches.
    NoMatch,
    /// An allow rule decides.
    AllowRule,
    /// A disallow rule decides.
    DisallowRule,
    /// An empty rule matches, which allows.
    EmptyRule,
}

impl Reason {
    /// The name of the reason, such as `disallow-rule`. It is the value of `canfetch.Reason` in Python.
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

    /// Whether a target with this reason may be fetched.
    pub fn allows(self) -> bool {
        self != Self::DisallowRule
    }

    /// The reason of a verdict whose deciding rule, and whether it allows, is `found`.
    fn of(found: Option<(Match, bool)>) -> Self {
        match found {
            None => Self::NoMatch,
            Some((Match { specificity: 0, .. }, _)) => Self::EmptyRule,
            Some((_, true)) => Self::AllowRule,
            Some((_, false)) => Self::DisallowRule,
        }
    }
}

/// The outcome of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The reason.
    pub reason: Reason,
    /// The deciding rule.
    pub rule: Option<Match>,
}

/// A verdict with every rule that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The verdict, as [`RuleSet::decide`] returns it.
    pub verdict: Verdict,
    /// The matching rules in order of precedence. If a rule decides, it is the first of them.
    pub matches: Vec<Match>,
}

/// A file and its profile: the input of every decision apart from the selected rules.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// The bytes of the file.
    pub content: &'a [u8],
    /// Its groups.
    pub groups: &'a Groups,
    /// The parsing profile.
    pub profile: &'static Profile,
}

/// The rules of one selection of groups, shared by all agents with the same selection.
#[derive(Debug)]
pub struct RuleSet {
    groups: Box<[u32]>,
    rule_count: usize,
    decisions: AtomicU32,
    /// The first half of the index, until the index is built. If threads decide at once, it may be built twice.
    texts: Mutex<Option<Texts>>,
    index: OnceLock<Index>,
    explanations: AtomicU32,
    listing: OnceLock<Listing>,
}

impl RuleSet {
    /// Creates the rule set of some groups, in ascending order.
    pub fn new(selected: &[u32], groups: &Groups) -> Self {
        let rule_count = selected.iter().map(|&group| groups.rules_of(group).len()).sum();
        Self {
            groups: selected.into(),
            rule_count,
            decisions: AtomicU32::new(0),
            texts: Mutex::default(),
            index: OnceLock::new(),
            explanations: AtomicU32::new(0),
            listing: OnceLock::new(),
        }
    }

    /// The selected groups.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// The number of rules in these groups.
    pub fn rule_count(&self) -> usize {
        self.rule_count
    }

    /// Builds the index if a batch of `decisions` is worth it.
    pub fn expect(&self, file: File<'_>, decisions: usize) {
        if decisions > DECISIONS_BEFORE_INDEX as usize {
            self.index(file);
        }
    }

    /// Returns whether the target may be fetched.
    #[inline]
    pub fn allows(&self, file: File<'_>, target: &[u8]) -> bool {
        self.decide(file, target).reason.allows()
    }

    /// Reads what every decision by the index reads first. Called for several sets of rules before decisions by them, so
    /// that the processor waits for the memory of all of them at once.
    #[inline]
    pub fn touch(&self) -> u32 {
        self.index.get().map_or(0, Index::touch)
    }

    /// Whether the index is built.
    pub fn is_indexed(&self) -> bool {
        self.index.get().is_some()
    }

    /// Returns whether the target may be fetched, if the index is built. Reads nothing but this set of rules.
    #[inline]
    pub fn allows_by_index(&self, profile: &Profile, target: &[u8]) -> Option<bool> {
        let index = self.index.get()?;
        // Without groups, the index is empty and allows all targets.
        let is_robots_txt = profile.robots_txt_allowed && target == b"/robots.txt";
        Some(is_robots_txt || index.allows(&Query::new(target)))
    }

    /// Returns whether the target may be fetched, and the deciding rule.
    #[inline]
    pub fn decide(&self, file: File<'_>, target: &[u8]) -> Verdict {
        if let Some(reason) = self.reason_without_rules(file.profile, target) {
            return Verdict { reason, rule: None };
        }
        let query = Query::new(target);
        let found = match self.index.get() {
            Some(index) => index.best(&query),
            None => self.best_before_index(file, &query),
        };
        Verdict { reason: Reason::of(found), rule: found.map(|(rule, _)| rule) }
    }

    /// Returns whether the target may be fetched, and all matching rules.
    #[inline]
    pub fn explain(&self, file: File<'_>, target: &[u8]) -> Explanation {
        let query = Query::new(target);
        let matches = match (self.listing.get(), self.index.get()) {
            (Some(listing), Some(index)) => listing.all(index, &query),
            _ => self.all_before_listing(file, &query),
        };
        if let Some(reason) = self.reason_without_rules(file.profile, target) {
            return Explanation { verdict: Verdict { reason, rule: None }, matches };
        }
        let rule = matches.first().copied();
        let found = rule.map(|rule| (rule, file.groups.rules().at(rule.rule as usize).allow()));
        Explanation { verdict: Verdict { reason: Reason::of(found), rule }, matches }
    }

    /// The reason of a verdict that depends on no rule.
    #[inline]
    fn reason_without_rules(&self, profile: &Profile, target: &[u8]) -> Option<Reason> {
        if profile.robots_txt_allowed && target == b"/robots.txt" {
            Some(Reason::RobotsTxt)
        } else if self.groups.is_empty() {
            Some(Reason::NoGroup)
        } else {
            None
        }
    }

    /// The memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.groups)
            + self.index.get().map_or(0, Index::memory_bytes)
            + self.listing.get().map_or(0, Listing::memory_bytes)
    }

    #[cold]
    fn best_before_index(&self, file: File<'_>, query: &Query<'_>) -> Option<(Match, bool)> {
        let decisions = self.decisions.fetch_add(1, Relaxed);
        if decisions > DECISIONS_BEFORE_INDEX {
            return self.index(file).best(query);
        }
        if decisions == DECISIONS_BEFORE_INDEX {
            // Two decisions share the work, so that none of them takes long with a hostile file.
            let texts = Texts::new(file.groups, &self.groups, file.content, file.profile);
            *self.texts.lock().unwrap_or_else(PoisonError::into_inner) = Some(texts);
        }
        walk::best(file.groups, &self.groups, file.content, file.profile, query)
    }

    #[cold]
    fn all_before_listing(&self, file: File<'_>, query: &Query<'_>) -> Vec<Match> {
        if self.explanations.fetch_add(1, Relaxed) >= DECISIONS_BEFORE_INDEX {
            let index = self.index(file);
            return self.listing.get_or_init(|| Listing::new(index)).all(index, query);
        }
        walk::all(file.groups, &self.groups, file.content, file.profile, query)
    }

    fn index(&self, file: File<'_>) -> &Index {
        self.index.get_or_init(|| {
            let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner).take();
            Index::of(texts.unwrap_or_else(|| Texts::new(file.groups, &self.groups, file.content, file.profile)))
        })
    }
}
