//! Exact comparison: the shortest targets on which one or two lists of rules decide in a certain way.
//!
//! The answers are those of `canfetch.compare` in Python, which passes the patterns, the decisions of each list and the
//! possible targets as tables.
//!
//! * `question` answers questions about one or two lists by refinement, and `refinement` holds their patterns;
//! * `search` finds targets of several patterns byte by byte, and `direct` those that need no search;
//! * `describe` finds the rules that describe a difference;
//! * `rule_lists` compares lists that have most of their rules in common.
//!
//! A [`Refinement`] keeps the patterns of two files for all questions about them. A `budget` limits the steps and not
//! the time, so that a question always has the same answer. The limit is higher than that of the Python engine, which
//! takes about 50 times as long.

mod budget;
mod describe;
mod direct;
mod domain;
mod pattern_index;
mod patterns;
mod question;
mod refinement;
mod rule_lists;
mod search;

pub use budget::{Budget, TooLarge};
pub use describe::{Candidate, Description};
pub use domain::{DEAD, Domain, Form, Targets};
pub use patterns::Pattern;
pub use question::Question;
pub use refinement::Refinement;
pub use rule_lists::{RuleText, differing_target};
