//! Values that callers read and write.

use std::ffi::{CStr, c_char};
use std::ptr;

use canfetch::Match;

/// Bytes of the caller, which need no NUL byte at the end.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Text {
    /// The bytes.
    pub data: *const c_char,
    /// Their number.
    pub length: usize,
}

/// What decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Reason {
    /// No decision, because the call failed.
    Undecided = 0,
    /// `/robots.txt` itself is allowed.
    RobotsTxt = 1,
    /// No group applies to the agent.
    NoGroup = 2,
    /// No rule matches.
    NoMatch = 3,
    /// An allow rule decides.
    AllowRule = 4,
    /// A disallow rule decides.
    DisallowRule = 5,
    /// An empty rule matches, which allows.
    EmptyRule = 6,
}

impl Reason {
    /// Returns the name of a number that may be a reason: that of `canfetch::Reason`.
    pub(crate) fn name(number: i32) -> &'static CStr {
        match number {
            0 => c"undecided",
            1 => c"robots-txt",
            2 => c"no-group",
            3 => c"no-match",
            4 => c"allow-rule",
            5 => c"disallow-rule",
            6 => c"empty-rule",
            _ => c"unknown reason",
        }
    }
}

impl From<canfetch::Reason> for Reason {
    fn from(reason: canfetch::Reason) -> Self {
        match reason {
            canfetch::Reason::RobotsTxt => Self::RobotsTxt,
            canfetch::Reason::NoGroup => Self::NoGroup,
            canfetch::Reason::NoMatch => Self::NoMatch,
            canfetch::Reason::AllowRule => Self::AllowRule,
            canfetch::Reason::DisallowRule => Self::DisallowRule,
            canfetch::Reason::EmptyRule => Self::EmptyRule,
        }
    }
}

/// Whether an agent may fetch a URL, and why.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Verdict {
    /// Whether the agent may fetch the URL. After an error it is false.
    pub allowed: bool,
    /// Whether the deciding rule is an allow rule.
    pub is_allow_rule: bool,
    /// What decides.
    pub reason: Reason,
    /// The line of the deciding rule from 1, or 0 if no rule decides.
    pub line: u32,
    /// The first user-agent line that names the agent, or `*` if the groups for `*` apply. It counts from 1, and is 0 if no
    /// group applies. The deciding rule may be in a later group.
    pub group_line: u32,
    /// The length in bytes of the canonical pattern. In most profiles, the highest one decides.
    pub specificity: u32,
    /// The value of the deciding rule as written, or NULL. It need not be UTF-8, and no NUL byte follows. The bytes belong
    /// to the file or rules that the call was made with, and are valid until they are closed.
    pub pattern: *const c_char,
    /// The number of bytes of the pattern.
    pub pattern_length: usize,
}

impl Verdict {
    /// The verdict of a call that failed.
    pub(crate) const NONE: Self = Self {
        allowed: false,
        is_allow_rule: false,
        reason: Reason::Undecided,
        line: 0,
        group_line: 0,
        specificity: 0,
        pattern: ptr::null(),
        pattern_length: 0,
    };

    pub(crate) fn new(verdict: canfetch::Verdict<'_>, group_line: u32) -> Self {
        let rule = verdict.rule();
        Self {
            allowed: verdict.is_allowed(),
            is_allow_rule: rule.is_some_and(canfetch::Rule::is_allow),
            reason: verdict.reason().into(),
            line: verdict.line().unwrap_or(0),
            group_line,
            specificity: verdict.decided_by().map_or(0, Match::specificity),
            pattern: rule.map_or(ptr::null(), |rule| rule.pattern().as_ptr().cast()),
            pattern_length: rule.map_or(0, |rule| rule.pattern().len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_the_name_that_the_crate_gives_it() {
        use canfetch::Reason::{AllowRule, DisallowRule, EmptyRule, NoGroup, NoMatch, RobotsTxt};
        for reason in [RobotsTxt, NoGroup, NoMatch, AllowRule, DisallowRule, EmptyRule] {
            assert_eq!(Reason::name(Reason::from(reason) as i32).to_str(), Ok(reason.name()));
        }
        assert_eq!(Reason::name(Reason::Undecided as i32), c"undecided");
        assert_eq!((Reason::name(7), Reason::name(-1)), (c"unknown reason", c"unknown reason"));
    }
}
