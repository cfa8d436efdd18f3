//! Decisions on columns: many files, agents and URLs in one call, without the interpreter.
//!
//! * `tables` holds the compiled files and the agents, which calls share;
//! * `agents` numbers the agents, and `token_rules` finds the rules of any number of them in a file;
//! * `file_entry` is one compiled file with the rules of each agent;
//! * `rows` finds the file, the agent and the URL of a row;
//! * `block` orders the rows of a block by their files;
//! * `results` collects the answers;
//! * `usages` collects those on the usage of content, with the statements of `statements` for each of the `purposes`;
//! * `first_contents` finds columns of names in the place of contents;
//! * `outcomes` are the rows that no rule decides;
//! * `loader` loads files with their IDs, and `decoder` transcodes and truncates contents;
//! * `kernel` connects them.

mod agents;
mod block;
mod decoder;
mod file_entry;
mod first_contents;
pub mod hashing;
pub mod kernel;
mod loader;
mod lookup;
mod outcomes;
mod purposes;
mod results;
mod rows;
mod rule_texts;
mod short_values;
mod statements;
mod tables;
mod token_rules;
mod usages;
