//! Errors of callers. Content of a file is never an error.

use std::error::Error;
use std::fmt;

use super::text::shortened;
use crate::tables::{DEFAULT_MAX_BYTES, MAX_BYTES_LIMIT};

/// A URL that is neither absolute, nor `//host/path`, nor a path that starts with `/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidUrl {
    url: Box<str>,
}

impl InvalidUrl {
    #[cold]
    pub(super) fn new(url: &[u8]) -> Self {
        Self { url: shortened(url) }
    }
}

impl fmt::Display for InvalidUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = "expected an absolute URL, '//host/path', or a path starting with '/'";
        write!(formatter, "invalid URL '{}': {expected}", self.url)
    }
}

impl Error for InvalidUrl {}

/// A product token that no user-agent line can name, or an agent without tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidAgent {
    problem: AgentProblem,
    text: Box<str>,
}

/// What is wrong with an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AgentProblem {
    Token,
    NoTokens,
    NoTokenInHeader,
}

impl InvalidAgent {
    #[cold]
    pub(super) fn new(problem: AgentProblem, text: &str) -> Self {
        Self { problem, text: shortened(text.as_bytes()) }
    }
}

impl fmt::Display for InvalidAgent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.text;
        match self.problem {
            AgentProblem::Token => {
                let expected = "expected a name such as 'ExampleBot' without white space, '/' and control characters";
                write!(formatter, "invalid product token '{text}': {expected}")
            }
            AgentProblem::NoTokens => {
                write!(formatter, "no product tokens: expected at least one, such as 'ExampleBot'")
            }
            AgentProblem::NoTokenInHeader => {
                write!(formatter, "no product token in the User-Agent header '{text}': expected that of a crawler")
            }
        }
    }
}

impl Error for InvalidAgent {}

/// A limit on the bytes of a file that is below 500 KiB, which RFC 9309 requires, or above 512 MiB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidLimit {
    pub(super) max_bytes: usize,
}

impl fmt::Display for InvalidLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { max_bytes } = self;
        write!(formatter, "invalid max_bytes {max_bytes}: expected {DEFAULT_MAX_BYTES} to {MAX_BYTES_LIMIT}")
    }
}

impl Error for InvalidLimit {}

/// A name that no [`Profile`](crate::Profile) has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownProfile {
    name: Box<str>,
}

impl UnknownProfile {
    #[cold]
    pub(super) fn new(name: &str) -> Self {
        Self { name: shortened(name.as_bytes()) }
    }
}

impl fmt::Display for UnknownProfile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "unknown profile '{}'", self.name)
    }
}

impl Error for UnknownProfile {}
