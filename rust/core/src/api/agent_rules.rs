//! The rules of a file for one agent.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::agent::Agent;
use super::errors::InvalidUrl;
use super::parsed::Parsed;
use super::rule::Match;
use super::verdict::{Explanation, Verdict};
use crate::decide::RuleSet;
use crate::percent::unescape_literal;
use crate::select::Choice;
use crate::target::target;
use crate::tokens::STAR;
use crate::url::locate;

/// How the groups for an agent were selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Selection {
    /// A group names the first token of the agent.
    OwnToken,
    /// No group names the tokens before the one at this position, which a group names.
    Fallback(usize),
    /// No group names the agent, so the `*` groups apply.
    Star,
    /// No group applies, so everything is allowed.
    None,
}

/// The rules of a file that apply to one agent. Use it to check many URLs.
///
/// It shares the file with the [`RobotsTxt`](crate::RobotsTxt) that it is from and has no lifetime, so it can be kept in a map or sent to
/// another thread. The first decisions compare rule by rule. After 16 of them, an index is built, with which a decision
/// hardly depends on the number of rules.
///
/// ```
/// use canfetch::{Agent, RobotsTxt};
///
/// let robots = RobotsTxt::parse("User-agent: ExampleBot\nDisallow: /search\nCrawl-delay: 2");
/// let rules = robots.rules_for(&Agent::new("ExampleBot")?);
/// let mut allowed = ["/", "/search?q=a", "/about"].into_iter().filter(|url| rules.allows(url).unwrap_or(false));
/// assert_eq!(allowed.next(), Some("/"));
/// assert_eq!(allowed.next(), Some("/about"));
/// assert_eq!(rules.crawl_delay().map(|delay| delay.as_secs()), Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct AgentRules {
    parsed: Arc<Parsed>,
    agent: Agent,
    rules: Arc<RuleSet>,
    choice: Choice,
}

impl AgentRules {
    pub(super) fn new(parsed: Arc<Parsed>, agent: Agent) -> Self {
        let selection = parsed.select(agent.engine_tokens(), agent.star_applies());
        let rules = parsed.compiled.rule_set(&selection.groups);
        Self { parsed, agent, rules, choice: selection.choice }
    }

    /// Returns whether the agent may fetch a URL. Its fragment is ignored.
    ///
    /// # Errors
    ///
    /// The URL is neither absolute, nor `//host/path`, nor a path that starts with `/`.
    #[inline]
    pub fn allows(&self, url: impl AsRef<[u8]>) -> Result<bool, InvalidUrl> {
        self.allows_bytes(url.as_ref())
    }

    fn allows_bytes(&self, url: &[u8]) -> Result<bool, InvalidUrl> {
        let located = locate(url).ok_or_else(|| InvalidUrl::new(url))?;
        let file = self.parsed.file();
        let target = target(url, located.path, file.profile);
        let indexed = self.rules.allows_by_index(file.profile, &target);
        Ok(indexed.unwrap_or_else(|| self.rules.allows(file, &target)))
    }

    /// Decides whether the agent may fetch a URL, and returns the decision with its reason and the deciding rule.
    ///
    /// # Errors
    ///
    /// As for [`Self::allows`].
    pub fn decide(&self, url: impl AsRef<[u8]>) -> Result<Verdict<'_>, InvalidUrl> {
        self.parsed.decide(&self.rules, url.as_ref())
    }

    /// Decides as [`Self::decide`], and collects all rules that match. Slower if many rules match.
    ///
    /// # Errors
    ///
    /// As for [`Self::allows`].
    pub fn explain(&self, url: impl AsRef<[u8]>) -> Result<Explanation<'_>, InvalidUrl> {
        self.explain_bytes(url.as_ref())
    }

    fn explain_bytes(&self, url: &[u8]) -> Result<Explanation<'_>, InvalidUrl> {
        let located = locate(url).ok_or_else(|| InvalidUrl::new(url))?;
        let file = self.parsed.file();
        let target = target(url, located.path, file.profile);
        let found = self.rules.explain(file, &target);
        let decided_by = found.verdict.rule.map(|rule| Match::new(rule, file));
        let matches = found.matches.into_iter().map(|rule| Match::new(rule, file)).collect();
        let shown = if file.profile.literal_paths { unescape_literal(&target) } else { target.into_owned() };
        Ok(Explanation::new(Verdict::new(found.verdict.reason, decided_by), matches, shown))
    }

    /// The agent.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// How the groups were selected.
    pub fn selection(&self) -> Selection {
        match self.choice {
            Choice::OwnToken => Selection::OwnToken,
            Choice::Fallback(index) => Selection::Fallback(index),
            Choice::Star => Selection::Star,
            Choice::None => Selection::None,
        }
    }

    /// The positions in [`RobotsTxt::groups`](crate::RobotsTxt::groups) of the groups that apply, whose rules are merged.
    pub fn group_indices(&self) -> impl ExactSizeIterator<Item = usize> {
        self.rules.groups().iter().map(|&group| group as usize)
    }

    /// The lines of the user-agent lines that name the agent, from 1.
    pub fn user_agent_lines(&self) -> Vec<u32> {
        let token = match self.choice {
            Choice::OwnToken => self.agent.engine_tokens()[0].as_ref(),
            Choice::Fallback(index) => self.agent.engine_tokens()[index].as_ref(),
            Choice::Star => STAR,
            Choice::None => return Vec::new(),
        };
        self.parsed.compiled.lines_naming(&self.parsed.source.content, token, self.rules.groups())
    }

    /// The number of rules that apply.
    pub fn rule_count(&self) -> usize {
        self.rules.rule_count()
    }

    /// The longest valid Crawl-delay of the groups that apply. No standard defines the record.
    pub fn crawl_delay(&self) -> Option<Duration> {
        let delay = self.parsed.longest_delay(self.rules.groups());
        if delay.is_none() && self.parsed.file().profile.crawl_delay_of_star && self.agent.star_applies() {
            return self.parsed.longest_delay(&self.parsed.select(&[STAR], true).groups);
        }
        delay
    }
}

impl fmt::Debug for AgentRules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AgentRules")
            .field("agent", &self.agent)
            .field("profile", &self.parsed.profile)
            .field("rules", &self.rule_count())
            .finish_non_exhaustive()
    }
}
