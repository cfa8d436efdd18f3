//! `Counter`: a number that several threads increment at once.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The number of threads that have a part of their own.
const THREADS: usize = 15;

/// A part, on a line of the cache of its own, and on the one that processors read with it.
#[derive(Default)]
#[repr(align(128))]
struct Part(AtomicU64);

/// A counter. The first `THREADS` threads write to their own parts, and never wait for each other.
#[derive(Default)]
pub struct Counter {
    parts: Box<[Part; THREADS]>,
    /// The part of all other threads.
    shared: AtomicU64,
}

impl Counter {
    /// Adds 1. `thread` is a number that no other running thread has.
    #[inline]
    pub fn increment_by(&self, thread: usize) {
        match self.parts.get(thread) {
            // No other thread writes it.
            Some(Part(count)) => count.store(count.load(Relaxed) + 1, Relaxed),
            None => self.increment(),
        }
    }

    /// Adds 1.
    pub fn increment(&self) {
        self.shared.fetch_add(1, Relaxed);
    }

    /// Returns the number.
    pub fn get(&self) -> u64 {
        self.parts.iter().fold(self.shared.load(Relaxed), |sum, part| sum + part.0.load(Relaxed))
    }
}
