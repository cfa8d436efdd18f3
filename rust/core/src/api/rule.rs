//! Rules, and matches of rules.

use std::fmt;

use super::text::display_text;
use crate::{decide, groups, matcher::walk};

/// An allow or disallow rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rule<'a> {
    allow: bool,
    pattern: &'a [u8],
    line: u32,
}

impl<'a> Rule<'a> {
    pub(super) fn new(rule: groups::Rule, content: &'a [u8]) -> Self {
        Self { allow: rule.allow(), pattern: rule.value.of(content), line: rule.line() }
    }

    /// Whether this is an allow rule.
    pub fn is_allow(self) -> bool {
        self.allow
    }

    /// The value as written, without surrounding white space. It need not be UTF-8.
    pub fn pattern(self) -> &'a [u8] {
        self.pattern
    }

    /// The line number, from 1.
    pub fn line(self) -> u32 {
        self.line
    }
}

impl fmt::Display for Rule<'_> {
    /// Writes the rule as a line of a file. Invalid UTF-8 and control characters are percent-encoded.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = if self.allow { "Allow" } else { "Disallow" };
        write!(formatter, "{key}: {}", display_text(self.pattern))
    }
}

/// A rule that matches a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Match<'a> {
    rule: Rule<'a>,
    specificity: u32,
}

impl<'a> Match<'a> {
    pub(super) fn new(found: walk::Match, file: decide::File<'a>) -> Self {
        let rule = file.groups.rules().at(found.rule as usize);
        Self { rule: Rule::new(rule, file.content), specificity: found.specificity }
    }

    /// The rule.
    pub fn rule(self) -> Rule<'a> {
        self.rule
    }

    /// The length in bytes of the canonical pattern. In most profiles, the match with the highest specificity decides.
    pub fn specificity(self) -> u32 {
        self.specificity
    }
}
