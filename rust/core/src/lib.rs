//! The native engine of canfetch: the Robots Exclusion Protocol (RFC 9309) from bytes to verdicts.
//!
//! It returns the same answers as the Python engine, which is the readable reference, but uses faster data structures:
//!
//! * `groups` parses a file into spans, without copying and without an allocation for each line;
//! * `select` finds the groups for an agent, and `compiled` holds the rule sets that agents share;
//! * `pattern` and `target` convert rules and URLs to their canonical forms;
//! * `compare` finds the shortest target on which several lists of rules decide in a certain way;
//! * `matcher` compares them: the first URLs by a plain walk over the rules, later ones through an index;
//! * `path_records` finds the most specific of other records with a path, which are matched like rules.
//!
//! No Python, no I/O, no clock, no backtracking. A decision takes at most time proportional to the bytes of the rules
//! times the bytes of the target.
//!
//! ```
//! use canfetch_core::{CompiledFile, locate, profile, target};
//!
//! let content = b"User-agent: *\nDisallow: /private\nAllow: /private/door";
//! let file = CompiledFile::new(content, profile("rfc9309").unwrap());
//! let selection = file.select(content, &["ExampleBot"], true);
//! let rules = file.rule_set(&selection.groups);
//! let url = b"https://example.com/private/room?x#y";
//! let target = target(url, locate(url).unwrap().path, file.profile());
//! assert!(!rules.allows(file.file(content), &target));
//! ```
#![forbid(unsafe_code)]

mod abnf;
mod bytes;
mod canonical;
pub mod compare;
mod compiled;
mod decide;
mod groups;
mod lines;
mod matched_spans;
mod matcher;
mod packed;
mod path_records;
pub mod pattern;
mod percent;
mod preamble;
mod reader;
mod records;
mod select;
#[rustfmt::skip]
#[allow(clippy::doc_markdown)] // Generated, with the texts of tables/protocol.toml.
pub mod tables;
mod target;
#[cfg(test)]
mod testing;
mod tokens;
mod url;

pub use compiled::{CompiledFile, allows_once, profile};
pub use decide::{DECISIONS_BEFORE_INDEX, Explanation, File, Reason, RuleSet, Verdict};
pub use groups::{AgentLine, Groups, OtherRecord, Rule, Span};
pub use matched_spans::matched_spans;
pub use matcher::walk::Match;
pub use packed::List;
pub use path_records::PathRecords;
pub use percent::unescape_literal;
pub use reader::read_others;
pub use select::{Choice, Selection};
pub use target::target;
pub use url::{Located, has_origin, locate};
