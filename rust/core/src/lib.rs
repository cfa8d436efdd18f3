//! Whether a crawler may fetch a URL, and why: the Robots Exclusion Protocol (RFC 9309).
//!
//! ```
//! use canfetch::{Agent, RobotsTxt};
//!
//! let robots = RobotsTxt::parse("User-agent: *\nDisallow: /private\nAllow: /private/press");
//! let agent = Agent::new("ExampleBot")?;
//! assert!(robots.allows(&agent, "https://example.com/private/press/2026")?);
//!
//! let verdict = robots.decide(&agent, "https://example.com/private/notes")?;
//! assert_eq!(verdict.to_string(), "disallowed: line 2, Disallow: /private");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! | --- | --- |
//! | check one URL | [`RobotsTxt::allows`], or [`allows`] without keeping the file |
//! | check many URLs for one agent | [`RobotsTxt::rules_for`] |
//! | learn why | [`RobotsTxt::decide`], or [`AgentRules::explain`] with all rules that match |
//! | read a file as Google, Bing or Yandex do | [`ParseOptions`] with a [`Profile`] |
//! | wait between requests | [`RobotsTxt::crawl_delay`] |
//! | find sitemaps and other records | [`RobotsTxt::sitemaps`], [`RobotsTxt::records`] |
//!
//! Content of a file is never an error, and a caller's mistake always is: a string that is not a URL, or that is not a
//! product token.
//!
//! # Limits
//!
//! The crate does no I/O and reads no clock. It does not fetch robots.txt: the crawler does, and it decides what a status
//! code means (RFC 9309 section 2.3.1). At most 500 KiB of a file are read, unless [`ParseOptions::max_bytes`] is higher.
//!
//! Parsing takes time and memory linear in the size of the file. There is no backtracking: a decision takes at most time
//! proportional to the bytes of the agent's rules times the bytes of the URL, and usually much less.
//!
//! # Features
//!
//! There are none for users. `engine` is for other parts of this project, and what it adds may change in any release.
#![forbid(unsafe_code)]
// Without the feature, parts that only the Python package and the tester page use are not reached.
#![cfg_attr(not(feature = "engine"), allow(dead_code))]

mod abnf;
mod api;
mod bytes;
mod canonical;
#[cfg(feature = "engine")]
mod compare;
mod compiled;
mod decide;
#[cfg(feature = "engine")]
#[doc(hidden)]
pub mod engine;
mod groups;
mod lines;
#[cfg(feature = "engine")]
mod matched_spans;
mod matcher;
mod packed;
#[cfg(feature = "engine")]
mod path_records;
mod pattern;
mod percent;
mod preamble;
mod reader;
mod records;
mod select;
mod sorting;
mod source;
#[rustfmt::skip]
#[allow(clippy::doc_markdown)] // Generated, with the texts of tables/protocol.toml.
mod tables;
mod target;
#[cfg(test)]
mod testing;
mod tokens;
mod url;

pub use api::{
    Agent, AgentRules, Explanation, Group, InvalidAgent, InvalidLimit, InvalidUrl, Match, ParseOptions, Profile,
    Record, RobotsTxt, Rule, Selection, UnknownProfile, UserAgent, Verdict, allows,
};
pub use decide::Reason;

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
