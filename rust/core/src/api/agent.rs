//! Agents: one or more product tokens to try in order, and whether the `*` groups apply.

use std::str::FromStr;
use std::sync::Arc;

use super::errors::{AgentProblem, InvalidAgent};
use super::headers::product_token;
use crate::tables::STAR_IGNORERS;

/// A crawler: the product token that user-agent lines name, or several tokens to try in order.
///
/// The groups of the first token that has any apply, or else the `*` groups. Tokens are compared case-insensitively in
/// ASCII. A clone shares the tokens, so it is cheap.
///
/// ```
/// use canfetch::Agent;
///
/// let own = Agent::new("ExampleBot")?;
/// let chain = Agent::chain(["Googlebot-Image", "Googlebot"])?;
/// assert_eq!(chain.tokens().collect::<Vec<_>>(), ["Googlebot-Image", "Googlebot"]);
/// // A User-Agent header is not a product token.
/// assert!(Agent::new("ExampleBot/1.0 (+https://example.com/bot)").is_err());
/// # Ok::<(), canfetch::InvalidAgent>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Agent {
    tokens: Arc<[Token]>,
    star_applies: bool,
}

/// A valid product token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Token(Box<str>);

impl AsRef<[u8]> for Token {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl Agent {
    /// Returns the agent with one product token.
    ///
    /// The `*` groups apply unless the token is the name of a crawler that ignores them, such as `AdsBot-Google`.
    ///
    /// # Errors
    ///
    /// The token is empty, or contains white space, `/` or a control character.
    pub fn new(token: &str) -> Result<Self, InvalidAgent> {
        Self::chain([token])
    }

    /// Returns an agent with several product tokens, in the order in which they are tried.
    ///
    /// # Errors
    ///
    /// There is no token, or one is invalid.
    pub fn chain<T: AsRef<str>>(tokens: impl IntoIterator<Item = T>) -> Result<Self, InvalidAgent> {
        let tokens: Result<Arc<[_]>, _> = tokens.into_iter().map(|token| checked(token.as_ref())).collect();
        let tokens = tokens?;
        let first = tokens.first().ok_or_else(|| InvalidAgent::new(AgentProblem::NoTokens, ""))?;
        let star_applies = !STAR_IGNORERS.iter().any(|name| name.eq_ignore_ascii_case(&first.0));
        Ok(Self { tokens, star_applies })
    }

    /// Returns the crawler that a User-Agent header identifies.
    ///
    /// A crawler knows its own token. This is for other programs, such as those that read access logs.
    ///
    /// ```
    /// let header = "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)";
    /// assert_eq!(canfetch::Agent::from_user_agent(header), canfetch::Agent::new("ExampleBot"));
    /// ```
    ///
    /// # Errors
    ///
    /// The header does not identify a crawler, for example because it is a browser's.
    pub fn from_user_agent(header: &str) -> Result<Self, InvalidAgent> {
        Self::new(&product_token(header).ok_or_else(|| InvalidAgent::new(AgentProblem::NoTokenInHeader, header))?)
    }

    /// Sets whether the `*` groups apply if no token has a group.
    #[must_use]
    pub fn with_star(self, star_applies: bool) -> Self {
        Self { star_applies, ..self }
    }

    /// The product tokens, in the order in which they are tried.
    pub fn tokens(&self) -> impl ExactSizeIterator<Item = &str> {
        self.tokens.iter().map(|token| &*token.0)
    }

    /// Whether the `*` groups apply if no token has a group.
    pub fn star_applies(&self) -> bool {
        self.star_applies
    }

    /// The tokens as the engine takes them.
    pub(super) fn engine_tokens(&self) -> &[Token] {
        &self.tokens
    }
}

impl FromStr for Agent {
    type Err = InvalidAgent;

    /// Returns the agent with one product token.
    fn from_str(token: &str) -> Result<Self, InvalidAgent> {
        Self::new(token)
    }
}

fn checked(token: &str) -> Result<Token, InvalidAgent> {
    let is_invalid = |byte| byte <= b' ' || matches!(byte, b'/' | 0x7F);
    if token.is_empty() || token.bytes().any(is_invalid) {
        return Err(InvalidAgent::new(AgentProblem::Token, token));
    }
    Ok(Token(token.into()))
}
