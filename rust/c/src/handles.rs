//! What handles point to.

use std::str;
use std::sync::OnceLock;

use canfetch::{Agent, AgentRules, RobotsTxt};

use crate::constants::{CANFETCH_STAR_APPLIES, CANFETCH_STAR_DEFAULT, CANFETCH_STAR_IGNORED};
use crate::status::Status;
use crate::verdict::Verdict;

/// A parsed robots.txt. Threads can share it: see canfetch_parse().
pub struct Robots {
    parsed: RobotsTxt,
    sitemaps: OnceLock<Vec<Box<str>>>,
}

impl Robots {
    pub(crate) fn new(parsed: RobotsTxt) -> Self {
        Self { parsed, sitemaps: OnceLock::new() }
    }

    pub(crate) fn allows(&self, agent: &Agent, url: &[u8]) -> Result<bool, Status> {
        self.parsed.allows(agent, url).map_err(|_| Status::InvalidUrl)
    }

    pub(crate) fn sitemaps(&self) -> &[Box<str>] {
        self.sitemaps.get_or_init(|| self.parsed.sitemaps().map(Into::into).collect())
    }
}

/// The rules of a file that apply to one agent. Threads can share it: see canfetch_rules().
pub struct Rules {
    rules: AgentRules,
    group_line: u32,
}

impl Rules {
    pub(crate) fn new(robots: &Robots, agent: &Agent) -> Self {
        let rules = robots.parsed.rules_for(agent);
        let group_line = rules.user_agent_lines().first().copied().unwrap_or(0);
        Self { rules, group_line }
    }

    pub(crate) fn allows(&self, url: &[u8]) -> Result<bool, Status> {
        self.rules.allows(url).map_err(|_| Status::InvalidUrl)
    }

    /// Its pattern is in the content, which all rules of a file share with the file.
    pub(crate) fn decide(&self, url: &[u8]) -> Result<Verdict, Status> {
        let verdict = self.rules.decide(url).map_err(|_| Status::InvalidUrl)?;
        Ok(Verdict::new(verdict, self.group_line))
    }

    pub(crate) fn explain(&self, url: &[u8]) -> Result<String, Status> {
        Ok(self.rules.explain(url).map_err(|_| Status::InvalidUrl)?.to_string())
    }

    /// The delay in seconds, or -1.
    pub(crate) fn crawl_delay(&self) -> f64 {
        self.rules.crawl_delay().map_or(-1.0, |delay| delay.as_secs_f64())
    }
}

/// Returns the agent with one product token.
pub fn agent(token: &[u8]) -> Result<Agent, Status> {
    Agent::new(text(token)?).map_err(|_| Status::InvalidAgent)
}

/// Returns a token or a header, which are UTF-8.
pub fn text(bytes: &[u8]) -> Result<&str, Status> {
    str::from_utf8(bytes).map_err(|_| Status::InvalidAgent)
}

/// Sets whether the groups for `*` apply, by one of the constants.
pub fn with_star(agent: Agent, star: i32) -> Result<Agent, Status> {
    match star {
        CANFETCH_STAR_DEFAULT => Ok(agent),
        CANFETCH_STAR_IGNORED => Ok(agent.with_star(false)),
        CANFETCH_STAR_APPLIES => Ok(agent.with_star(true)),
        _ => Err(Status::InvalidNumber),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_can_share_handles() {
        fn shared<T: Send + Sync>() {}
        shared::<Robots>();
        shared::<Rules>();
    }
}
