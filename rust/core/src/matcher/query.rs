//! A target in the forms that texts of rules are compared with.

use std::cell::OnceCell;

use super::haystack::Haystack;
use super::segments::matches;
use crate::pattern::{Entry, Form};
use crate::percent::form_b;

/// A target in form (a), and in form (b) if a rule needs it.
#[derive(Debug)]
pub struct Query<'t> {
    a: Haystack<'t>,
    b: OnceCell<Haystack<'static>>,
}

impl<'t> Query<'t> {
    /// Wraps a target in form (a).
    #[inline]
    pub fn new(target: &'t [u8]) -> Self {
        Self { a: Haystack::new(target), b: OnceCell::new() }
    }

    /// The target in form (a).
    #[inline]
    pub fn a(&self) -> &Haystack<'t> {
        &self.a
    }

    /// The target in form (b).
    pub fn b(&self) -> &Haystack<'static> {
        self.b.get_or_init(|| {
            let mut b = Vec::with_capacity(self.a.bytes().len() + 16);
            form_b(self.a.bytes(), &mut b);
            Haystack::new(b)
        })
    }

    /// Whether a text of a rule matches.
    pub fn matches(&self, entry: Entry<'_>) -> bool {
        match entry.form {
            Form::A => matches(entry.text, &self.a),
            Form::B => matches(entry.text, self.b()),
        }
    }
}
