//! The native engine of canfetch: the Robots Exclusion Protocol (RFC 9309) from octets to verdicts.
//!
//! It says what the Python engine says, which is the readable statement of the protocol and the oracle; here the same
//! answers come from other data structures:
//!
//! * `groups` reads a file into spans, without copying and without allocating for a line;
//! * `select` finds the groups for an agent, `compiled` keeps the rule sets that agents share;
//! * `pattern` and `target` bring both sides to their canonical forms;
//! * `matcher` compares them: at first by a plain walk, then through an index.
//!
//! No Python, no I/O, no clock, no backtracking: what a site writes costs at most its octets times those of the target.
//!
//! ```
//! use canfetch_core::{CompiledFile, locate, profile, target};
//!
//! let octets = b"User-agent: *\nDisallow: /private\nAllow: /private/door";
//! let file = CompiledFile::new(octets, profile("rfc9309").unwrap());
//! let selection = file.select(octets, &["ExampleBot"], true);
//! let rules = file.rule_set(&selection.groups);
//! let url = b"https://example.com/private/room?x#y";
//! let target = target(url, locate(url).unwrap().path, file.profile());
//! assert!(!rules.allows(file.file(octets), &target));
//! ```
#![forbid(unsafe_code)]

mod abnf;
mod bytes;
mod compiled;
mod decide;
mod groups;
mod lines;
mod matcher;
pub mod pattern;
mod percent;
mod records;
mod select;
#[rustfmt::skip]
#[allow(clippy::doc_markdown)] // Generated: its words are those of tables/protocol.toml.
pub mod tables;
mod target;
#[cfg(test)]
mod testing;
mod tokens;
mod url;

pub use compiled::{CompiledFile, profile};
pub use decide::{DECISIONS_BEFORE_INDEX, Explanation, File, Reason, RuleSet, Verdict};
pub use groups::{AgentLine, Groups, OtherRecord, Rule, Span};
pub use matcher::walk::Match;
pub use percent::unescape_literal;
pub use select::{Choice, Selection};
pub use target::target;
pub use url::{Located, has_origin, locate};
