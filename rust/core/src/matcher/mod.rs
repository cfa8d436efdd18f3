//! Comparison of a target with the rules of one selection: by a plain walk over the rules, or through an index.

#[cfg(test)]
mod agreement;
mod forest;
mod grams;
pub mod haystack;
mod index;
mod listing;
mod needle;
mod query;
pub mod segments;
mod successors;
mod suffixes;
mod texts;
mod trie;
pub mod walk;

pub use index::Index;
pub use listing::Listing;
pub use query::Query;
pub use texts::Texts;
