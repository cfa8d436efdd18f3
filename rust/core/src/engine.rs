//! The parts of the engine, for `rust/python`, `rust/wasm` and `rust/fuzz`.
//!
//! The engine returns the same answers as the Python engine, which is the readable reference, but uses faster data
//! structures.
//!
//! # Parsing
//!
//! `reader` parses a file into the spans of `groups`, without copying and without an allocation for each line:
//!
//! * `lines` finds the ends of lines in blocks of 64 bytes;
//! * `preamble` skips the lines before the first group, so that web pages cost little;
//! * `records` recognises the usual keys with a few comparisons, and defines the result for all other lines;
//! * `packed` stores all lists of a file in one allocation.
//!
//! Only user-agent lines and rules are read at first. [`read_others`] reads the other records, which most callers never
//! need, in a second pass.
//!
//! # Decisions
//!
//! `select` finds the groups for an agent. `compiled` holds the rule sets: agents with the same groups share one. The
//! number of cached sets and their total number of rules are limited, so that thousands of agents with thousands of
//! shared rules take linear time. `pattern` and `target` convert rules and URLs to their canonical forms.
//!
//! `matcher` finds the rules that match a target. The first [`DECISIONS_BEFORE_INDEX`] decisions walk over the rules.
//! Then an index is built: rules are ranked by precedence, and their literal heads are in a radix trie. Rules with
//! wildcards belong to the trie node of their head, or are found by their rarest three bytes in a row if the head is weak.
//! A second index, which is built in the same way, finds all rules that match, for explanations.
//!
//! `path_records` finds the most specific of other records with a path, which are matched like rules. [`matched_spans`]
//! returns the parts of a target that a rule matches.
//!
//! # Comparison
//!
//! [`compare`] finds the shortest target on which several lists of rules decide in a certain way.
//!
//! # Limits
//!
//! There is no Python, no I/O, no clock and no backtracking. A decision takes at most time proportional to the bytes of
//! the rules times the bytes of the target.
//!
//! # Example
//!
//! ```
//! use canfetch::engine::{CompiledFile, locate, profile, target};
//!
//! let content = b"User-agent: *\nDisallow: /private\nAllow: /private/door";
//! let file = CompiledFile::new(content, profile("rfc9309").unwrap());
//! let selection = file.select(content, &["ExampleBot"], true);
//! let rules = file.rule_set(&selection.groups);
//! let url = b"https://example.com/private/room?x#y";
//! let target = target(url, locate(url).unwrap().path, file.profile());
//! assert!(!rules.allows(file.file(content), &target));
//! ```

pub use crate::compiled::{CompiledFile, allows_once, profile};
pub use crate::decide::{DECISIONS_BEFORE_INDEX, Explanation, File, Reason, RuleSet, Verdict};
pub use crate::groups::{AgentLine, Groups, OtherRecord, Rule, Span};
pub use crate::matched_spans::matched_spans;
pub use crate::matcher::walk::Match;
pub use crate::packed::List;
pub use crate::path_records::PathRecords;
pub use crate::percent::unescape_literal;
pub use crate::reader::read_others;
pub use crate::select::{Choice, Selection};
pub use crate::sorting::sort_by_key;
pub use crate::source::{Encoding, Source};
pub use crate::target::target;
pub use crate::url::{Located, has_origin, locate};

/// Exact comparison.
pub mod compare {
    pub use crate::compare::*;
}

/// The texts of rules.
pub mod pattern {
    pub use crate::pattern::*;
}

/// Profiles, limits and spellings.
pub mod tables {
    pub use crate::tables::*;
}
