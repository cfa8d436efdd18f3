//! The public interface of the crate.

mod agent;
mod agent_rules;
mod crawl_delay;
mod errors;
mod group;
mod headers;
mod options;
mod parsed;
mod profile;
#[rustfmt::skip]
#[allow(clippy::doc_markdown)] // Generated, with the texts of tables/protocol.toml.
mod profiles;
mod record;
mod robots_txt;
mod rule;
mod text;
mod verdict;

pub use agent::Agent;
pub use agent_rules::{AgentRules, Selection};
pub use errors::{InvalidAgent, InvalidLimit, InvalidUrl, UnknownProfile};
pub use group::{Group, UserAgent};
pub use options::ParseOptions;
pub use profiles::Profile;
pub use record::Record;
pub use robots_txt::{RobotsTxt, allows};
pub use rule::{Match, Rule};
pub use verdict::{Explanation, Verdict};
