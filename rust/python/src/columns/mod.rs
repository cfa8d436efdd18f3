//! Decisions on columns: many files, agents and URLs in one call, without the interpreter.
//!
//! Files, agents and rules have numbers. A call looks them up once for each value of a dictionary, in tables that all
//! calls share and whose memory is limited. Calls read the tables under a shared lock. A row whose file or agent is new
//! ends its block, so that the file is compiled outside the lock. The new agents of the next rows are validated together.
//!
//! A file has rules for each token that its lines name and for `*`. The hash of an agent's token finds them, so that the
//! memory of a file does not depend on the number of agents.
//!
//! With thousands of files, a decision mostly waits for memory. Therefore the targets of each file are copied to adjacent
//! memory while the columns of a block are read. The rows of a file are decided one after the other. The indexes of the next
//! rows are read together before the decisions.
//!
//! For `usage`, Python reads the records of a file once for each selection of groups, and returns their paths with the
//! texts of their statements. The kernel matches the paths with the target of each row, or looks up the answer if no record
//! depends on the path.
//!
//! * `tables` holds the compiled files and the agents, which calls share;
//! * `agents` numbers the agents, and `token_rules` finds the rules of any number of them in a file;
//! * `file_entry` is one compiled file with the rules of each agent;
//! * `rows` finds the file, the agent and the URL of a row;
//! * `block` orders the rows of a block by their files;
//! * `results` collects the answers;
//! * `usages` collects the answers about the usage of content, with the statements of `statements` for each purpose;
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
