//! Verdicts: whether an agent may fetch a URL, and why.

use std::fmt;

use super::rule::{Match, Rule};
use super::text::display_text;
use crate::decide::Reason;

/// Whether an agent may fetch a URL, and the rule that decides.
///
/// ```
/// use canfetch::{Agent, Reason, RobotsTxt};
///
/// let robots = RobotsTxt::parse("User-agent: *\nDisallow: /private\nAllow: /private/press");
/// let agent = Agent::new("ExampleBot")?;
/// let verdict = robots.decide(&agent, "https://example.com/private/notes")?;
/// assert!(!verdict.is_allowed());
/// assert_eq!(verdict.reason(), Reason::DisallowRule);
/// assert_eq!(verdict.line(), Some(2));
/// assert_eq!(verdict.to_string(), "disallowed: line 2, Disallow: /private");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict<'a> {
    reason: Reason,
    decided_by: Option<Match<'a>>,
}

impl<'a> Verdict<'a> {
    pub(super) fn new(reason: Reason, decided_by: Option<Match<'a>>) -> Self {
        Self { reason, decided_by }
    }

    /// Whether the agent may fetch the URL.
    pub fn is_allowed(self) -> bool {
        self.reason.allows()
    }

    /// What decides.
    pub fn reason(self) -> Reason {
        self.reason
    }

    /// The deciding rule, if a rule decides.
    pub fn rule(self) -> Option<Rule<'a>> {
        self.decided_by.map(Match::rule)
    }

    /// The line of the deciding rule, from 1.
    pub fn line(self) -> Option<u32> {
        self.rule().map(Rule::line)
    }

    /// The deciding rule with its specificity.
    pub fn decided_by(self) -> Option<Match<'a>> {
        self.decided_by
    }
}

impl fmt::Display for Verdict<'_> {
    /// Writes the verdict and its reason on one line.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answer = if self.is_allowed() { "allowed" } else { "disallowed" };
        match (self.rule(), self.reason) {
            (Some(rule), _) => write!(formatter, "{answer}: line {}, {rule}", rule.line()),
            (None, Reason::RobotsTxt) => write!(formatter, "{answer}: /robots.txt is always allowed"),
            (None, Reason::NoGroup) => write!(formatter, "{answer}: no group applies"),
            (None, _) => write!(formatter, "{answer}: no rule matches"),
        }
    }
}

/// A verdict with every rule that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation<'a> {
    verdict: Verdict<'a>,
    matches: Vec<Match<'a>>,
    target: Vec<u8>,
}

impl<'a> Explanation<'a> {
    pub(super) fn new(verdict: Verdict<'a>, matches: Vec<Match<'a>>, target: Vec<u8>) -> Self {
        Self { verdict, matches, target }
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict<'a> {
        self.verdict
    }

    /// The matching rules in order of precedence. If a rule decides, it is the first.
    pub fn matches(&self) -> &[Match<'a>] {
        &self.matches
    }

    /// The normalized path and query that patterns are compared with.
    pub fn target(&self) -> &[u8] {
        &self.target
    }
}

impl fmt::Display for Explanation<'_> {
    /// Writes the verdict and the target, and the other rules that match.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.verdict, display_text(&self.target))?;
        let others = self.matches.iter().skip(usize::from(self.verdict.rule().is_some()));
        for other in others {
            write!(formatter, "\nalso matched: line {}, {}", other.rule().line(), other.rule())?;
        }
        Ok(())
    }
}
