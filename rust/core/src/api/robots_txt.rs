//! A parsed file.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::agent::Agent;
use super::agent_rules::AgentRules;
use super::errors::InvalidUrl;
use super::group::Group;
use super::parsed::Parsed;
use super::profiles::Profile;
use super::record::Record;
use super::text::display_text;
use super::verdict::Verdict;
use crate::tables::DEFAULT_MAX_BYTES;
use crate::target::target;
use crate::url::locate;

/// Parses a file and decides once: whether an agent may fetch a URL, as RFC 9309 specifies.
///
/// It does not keep the file. [`RobotsTxt`] is faster for several decisions.
///
/// ```
/// let agent = canfetch::Agent::new("ExampleBot")?;
/// assert!(!canfetch::allows(b"User-agent: *\nDisallow: /a", &agent, "https://example.com/a")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The URL is neither absolute, nor `//host/path`, nor a path that starts with `/`.
pub fn allows(content: impl AsRef<[u8]>, agent: &Agent, url: impl AsRef<[u8]>) -> Result<bool, InvalidUrl> {
    let (content, url) = (content.as_ref(), url.as_ref());
    if content.len() > DEFAULT_MAX_BYTES || matches!(content, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) {
        return RobotsTxt::parse(content).allows(agent, url);
    }
    let located = locate(url).ok_or_else(|| InvalidUrl::new(url))?;
    let profile = Profile::default().flags();
    let target = target(url, located.path, profile);
    Ok(crate::compiled::allows_once(content, profile, agent.engine_tokens(), agent.star_applies(), &target))
}

/// A parsed robots.txt. A clone shares everything, so it is cheap.
///
/// Threads can share it. It caches the rules of up to 64 agents with different groups, with the indexes that many decisions build.
///
/// The caller fetches the file and knows its origin: a file decides for every URL, because only
/// the path and the query of a URL are compared with its rules.
///
/// ```
/// use canfetch::{Agent, RobotsTxt};
///
/// let robots = RobotsTxt::parse("User-agent: *\nDisallow: /private");
/// let agent = Agent::new("ExampleBot")?;
/// assert!(robots.allows(&agent, "https://example.com/public")?);
/// assert!(!robots.allows(&agent, "https://example.com/private/room")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct RobotsTxt {
    parsed: Arc<Parsed>,
}

impl RobotsTxt {
    /// Parses a file as RFC 9309 specifies, of which at most 500 KiB are read. Invalid lines are skipped: no content fails.
    ///
    /// An owned `Vec<u8>` or `String` is not copied. UTF-16 with a byte order mark is converted to UTF-8.
    pub fn parse(content: impl Into<Vec<u8>>) -> Self {
        Self::parse_with(content.into(), Profile::default(), DEFAULT_MAX_BYTES)
    }

    pub(super) fn parse_with(content: Vec<u8>, profile: Profile, max_bytes: usize) -> Self {
        Self { parsed: Arc::new(Parsed::new(content, profile, max_bytes)) }
    }

    /// Returns whether an agent may fetch a URL. Its fragment is ignored.
    ///
    /// # Errors
    ///
    /// The URL is neither absolute, nor `//host/path`, nor a path that starts with `/`.
    pub fn allows(&self, agent: &Agent, url: impl AsRef<[u8]>) -> Result<bool, InvalidUrl> {
        self.decide(agent, url).map(Verdict::is_allowed)
    }

    /// Decides whether an agent may fetch a URL, and returns the decision with its reason and the deciding rule.
    ///
    /// # Errors
    ///
    /// As for [`Self::allows`].
    pub fn decide(&self, agent: &Agent, url: impl AsRef<[u8]>) -> Result<Verdict<'_>, InvalidUrl> {
        let selection = self.parsed.select(agent.engine_tokens(), agent.star_applies());
        self.parsed.decide(&self.parsed.compiled.rule_set(&selection.groups), url.as_ref())
    }

    /// Returns the rules that apply to an agent. Use it to check many URLs.
    pub fn rules_for(&self, agent: &Agent) -> AgentRules {
        AgentRules::new(Arc::clone(&self.parsed), agent.clone())
    }

    /// The groups as written, in file order.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = Group<'_>> {
        let file = self.parsed.file();
        (0..file.groups.len() as u32).map(move |index| Group::new(file, index))
    }

    /// The records that are neither user-agent lines nor rules, in file order. The first call parses the file again.
    ///
    /// This includes records that state preferences on the use of content, such as `Content-Signal` and `Content-Usage`.
    ///
    /// ```
    /// let robots = canfetch::RobotsTxt::parse("User-agent: *\nContent-Signal: ai-train=no\nAllow: /");
    /// let record = robots.records().next().unwrap();
    /// assert_eq!((record.key(), record.value()), (&b"Content-Signal"[..], &b"ai-train=no"[..]));
    /// assert_eq!((record.line(), record.group()), (2, Some(0)));
    /// ```
    pub fn records(&self) -> impl ExactSizeIterator<Item = Record<'_>> {
        let content = self.content();
        self.parsed.compiled.others(content).iter().map(move |&other| Record::new(other, content))
    }

    /// The values of all sitemap records, in file order. Invalid UTF-8 and control characters are percent-encoded.
    ///
    /// ```
    /// let robots = canfetch::RobotsTxt::parse("Sitemap: https://example.com/sitemap.xml");
    /// assert!(robots.sitemaps().eq(["https://example.com/sitemap.xml"]));
    /// ```
    pub fn sitemaps(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let sitemaps = self.records().filter(|record| record.is_sitemap() && !record.value().is_empty());
        sitemaps.map(|record| display_text(record.value()))
    }

    /// The longest valid Crawl-delay of the groups that apply to an agent. No standard defines the record.
    pub fn crawl_delay(&self, agent: &Agent) -> Option<Duration> {
        self.rules_for(agent).crawl_delay()
    }

    /// The profile that the file was parsed with.
    pub fn profile(&self) -> Profile {
        self.parsed.profile
    }

    /// The bytes that were parsed: in UTF-8, and cut at the last line end within the limit.
    pub fn content(&self) -> &[u8] {
        &self.parsed.source.content
    }

    /// The number of bytes past the limit, which are ignored.
    pub fn ignored_bytes(&self) -> usize {
        self.parsed.source.tail_bytes
    }

    /// The memory held in bytes, including the content and the rules of agents.
    pub fn memory_bytes(&self) -> usize {
        self.parsed.memory_bytes()
    }
}

impl fmt::Debug for RobotsTxt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups = self.parsed.compiled.groups().len();
        formatter
            .debug_struct("RobotsTxt")
            .field("profile", &self.profile())
            .field("bytes", &self.content().len())
            .field("groups", &groups)
            .finish_non_exhaustive()
    }
}
