//! The answers of origins that need no Python, for readers that take no lock.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use canfetch::engine::tables::Profile;
use canfetch::engine::{RuleSet, target};
use papaya::Guard;

use crate::columns::hashing::Hashing;

/// Answers by the names of origins.
///
/// They hold no Python objects, because a removed answer is dropped only after all threads that may read it.
#[derive(Default)]
pub struct FreshAnswers {
    by_name: papaya::HashMap<Box<[u8]>, FreshAnswer, Hashing>,
}

/// The answer of an origin for the agent of the client.
pub struct FreshAnswer {
    /// The start of the time in which it holds.
    pub valid_from: f64,
    /// The end of that time.
    pub next_fetch_at: f64,
    /// The rules, or that everything is allowed.
    pub decider: Decider,
    /// The time of the last use.
    pub last_used: AtomicU64,
}

/// The rules for the URLs of an origin, or that all of them are allowed.
pub enum Decider {
    /// Rules that have an index.
    Rules(Arc<RuleSet>, &'static Profile),
    /// Everything is allowed.
    Everything,
}

impl FreshAnswers {
    /// Calls a function with the answer of an origin, and with the number of this thread.
    #[inline]
    pub fn with<T>(&self, name: &[u8], read: impl FnOnce(&FreshAnswer, usize) -> Option<T>) -> Option<T> {
        let guard = self.by_name.guard();
        read(self.by_name.get(name, &guard)?, guard.thread_id())
    }

    /// Adds or replaces an answer.
    pub fn insert(&self, name: &[u8], answer: FreshAnswer) {
        self.by_name.pin().insert(name.into(), answer);
    }

    /// Removes an answer.
    pub fn remove(&self, name: &[u8]) {
        let guard = self.by_name.guard();
        if self.by_name.remove(name, &guard).is_some() {
            // Dropped now, and not with the next ones: its rules can take megabytes.
            guard.flush();
        }
    }

    /// Removes all answers.
    pub fn clear(&self) {
        let guard = self.by_name.guard();
        self.by_name.clear(&guard);
        guard.flush();
    }
}

impl FreshAnswer {
    /// Returns whether a URL may be fetched, if the answer holds now. The path of the URL begins at `path`.
    #[inline]
    pub fn allows(&self, url: &[u8], path: usize, now: f64) -> Option<bool> {
        if !(self.valid_from <= now && now < self.next_fetch_at) {
            return None;
        }
        match &self.decider {
            Decider::Rules(rules, profile) => rules.allows_by_index(profile, &target(url, path, profile)),
            Decider::Everything => Some(true),
        }
    }
}
