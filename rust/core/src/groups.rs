//! Groups (RFC 9309 section 2.1): user-agent lines and their rules, as spans of the file.
//!
//! A rule takes 12 bytes whatever its length. Lines need no allocation: groups are ranges of two flat lists.

use std::ops::Range;

use crate::abnf;
use crate::bytes::is_space;
use crate::lines::{end_of_line, end_of_text, end_of_value, first_line, next_line};
use crate::records::{self, Kind, Record, plain_key};
use crate::tables::Profile;
use crate::tokens::token_length;

/// A span of the file. 32 bits suffice for the largest file that is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn new((start, end): (usize, usize)) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The bytes of the span.
    #[inline]
    pub fn of(self, content: &[u8]) -> &[u8] {
        &content[self.start as usize..self.end as usize]
    }

    /// The number of bytes.
    #[inline]
    pub fn length(self) -> u32 {
        self.end - self.start
    }

    /// The offsets of the first byte and of the byte after the last.
    pub fn bounds(self) -> (usize, usize) {
        (self.start as usize, self.end as usize)
    }
}

/// An allow or disallow record in a group.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The value, as written.
    pub value: Span,
    line_and_allow: u32,
}

impl Rule {
    /// Whether this is an allow rule.
    #[inline]
    pub fn allow(self) -> bool {
        self.line_and_allow & 1 == 1
    }

    /// The line number, from 1.
    #[inline]
    pub fn line(self) -> u32 {
        self.line_and_allow >> 1
    }
}

/// A user-agent line.
#[derive(Clone, Copy, Debug)]
pub struct AgentLine {
    /// The product token; empty if the value has none.
    pub token: Span,
    /// The line number, from 1.
    pub line: u32,
    /// The group that it belongs to.
    pub group: u32,
}

/// A record that is neither a user-agent line nor a rule (section 2.2.4).
#[derive(Clone, Copy, Debug)]
pub struct OtherRecord {
    /// The key.
    pub key: Span,
    /// The value.
    pub value: Span,
    line_and_sitemap: u32,
    /// The number of its group counted from 1, or 0.
    groups_before: u32,
}

impl OtherRecord {
    /// The line number, from 1.
    pub fn line(self) -> u32 {
        self.line_and_sitemap >> 1
    }

    /// Whether this is a sitemap record.
    pub fn is_sitemap(self) -> bool {
        self.line_and_sitemap & 1 == 1
    }

    /// The index of its group, if it is in one.
    pub fn group(self) -> Option<u32> {
        self.groups_before.checked_sub(1)
    }
}

#[derive(Clone, Copy, Debug)]
struct GroupStart {
    agents: u32,
    rules: u32,
}

/// The groups, rules and other records of a file.
#[derive(Debug, Default)]
pub struct Groups {
    starts: Vec<GroupStart>,
    agents: Vec<AgentLine>,
    rules: Vec<Rule>,
    others: Vec<OtherRecord>,
}

impl Groups {
    /// Parses a file. Never fails: invalid lines are skipped.
    pub fn read(content: &[u8], profile: &Profile) -> Self {
        let mut reader = Reader::new(content.len());
        let mut start = first_line(content, profile);
        // Without a NUL in the file, its lines need not be searched for one.
        let whole_lines = !(profile.nul_ends_line && memchr::memchr(0, content).is_some());
        let plain = whole_lines && !profile.abnf_only && !profile.ignore_allow;
        let limit = match profile.max_line_bytes {
            0 => usize::MAX,
            limit => limit,
        };
        let mut line = 0;
        while start < content.len() {
            line += 1;
            if matches!(content[start], b'\n' | b'\r') {
                reader.blank_line(profile);
                start = next_line(content, start);
                continue;
            }
            if content[start] == b'#' {
                start = next_line(content, end_of_line(content, start));
                continue;
            }
            if plain {
                if let Some((kind, from)) = plain_key(content, start) {
                    let (value, end) = plain_value(content, from);
                    if end - start <= limit {
                        if matches!(kind, Kind::Allow | Kind::Disallow) {
                            reader.take_rule(line, kind, value);
                        } else {
                            reader.take(content, profile, line, Record { kind, key: (start, from - 1), value });
                        }
                        start = next_line(content, end);
                        continue;
                    }
                }
            }
            let end = end_of_line(content, start);
            let to = end_of_text(content, start, end, profile);
            let record = if profile.abnf_only { abnf::read } else { records::read };
            if let Some(record) = record(content, start, to, profile) {
                reader.take(content, profile, line, record);
            } else if content[start..to].iter().all(|&byte| is_space(byte)) {
                reader.blank_line(profile);
            }
            start = next_line(content, end);
        }
        reader.finish()
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether the file has no groups.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// All user-agent lines, in file order.
    pub fn agents(&self) -> &[AgentLine] {
        &self.agents
    }

    /// All rules, in file order.
    #[inline]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The records that are neither user-agent lines nor rules.
    pub fn others(&self) -> &[OtherRecord] {
        &self.others
    }

    /// The user-agent lines of a group.
    pub fn agents_of(&self, group: u32) -> &[AgentLine] {
        let start = |group: usize| self.starts.get(group).map_or(self.agents.len(), |start| start.agents as usize);
        &self.agents[start(group as usize)..start(group as usize + 1)]
    }

    /// The rules of a group, as a range of [`Self::rules`].
    #[inline]
    pub fn rules_of(&self, group: u32) -> Range<usize> {
        let start = |group: usize| self.starts.get(group).map_or(self.rules.len(), |start| start.rules as usize);
        start(group as usize)..start(group as usize + 1)
    }

    /// The memory held, in bytes, without the content of the file.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.agents) + size_of_val(&*self.rules) + size_of_val(&*self.others)
    }
}

/// Returns the value that begins at `from`, and the end of its line.
#[inline]
fn plain_value(content: &[u8], mut from: usize) -> ((usize, usize), usize) {
    while from < content.len() && matches!(content[from], b' ' | b'\t' | 0x0B | 0x0C) {
        from += 1;
    }
    let stop = end_of_value(content, from);
    let end = if content.get(stop) == Some(&b'#') { end_of_line(content, stop) } else { stop };
    let mut to = stop;
    while to > from && is_space(content[to - 1]) {
        to -= 1;
    }
    ((from, to), end)
}

struct Reader {
    groups: Groups,
    in_group: bool,
    rule_seen: bool,
}

impl Reader {
    fn new(content: usize) -> Self {
        // A guess that avoids reallocation for small files. Excess capacity is released at the end.
        let rules = (content / 24).min(256);
        let mut groups = Groups::default();
        groups.rules.reserve(rules);
        Self { groups, in_group: false, rule_seen: true }
    }

    fn take(&mut self, content: &[u8], profile: &Profile, line: u32, record: Record) {
        match record.kind {
            Kind::Allow | Kind::Disallow => self.take_rule(line, record.kind, record.value),
            Kind::UserAgent => self.take_agent(content, profile, line, record.value),
            Kind::Sitemap | Kind::Other => self.take_other(line, record),
        }
    }

    #[inline]
    fn take_rule(&mut self, line: u32, kind: Kind, value: (usize, usize)) {
        self.rule_seen = true;
        if self.in_group {
            let line_and_allow = line << 1 | u32::from(kind == Kind::Allow);
            self.groups.rules.push(Rule { value: Span::new(value), line_and_allow });
        }
    }

    fn take_agent(&mut self, content: &[u8], profile: &Profile, line: u32, (start, end): (usize, usize)) {
        let groups = &mut self.groups;
        if self.rule_seen {
            groups.starts.push(GroupStart { agents: groups.agents.len() as u32, rules: groups.rules.len() as u32 });
            (self.in_group, self.rule_seen) = (true, false);
        }
        groups.agents.push(AgentLine {
            token: Span::new((start, start + token_length(&content[start..end], profile))),
            line,
            group: groups.starts.len() as u32 - 1,
        });
    }

    /// Handles a blank line, which ends a group in some profiles.
    #[inline]
    fn blank_line(&mut self, profile: &Profile) {
        if profile.blank_line_ends_group {
            (self.in_group, self.rule_seen) = (false, true);
        }
    }

    /// Adds another record, which never ends a group (section 2.2.4).
    fn take_other(&mut self, line: u32, record: Record) {
        self.groups.others.push(OtherRecord {
            key: Span::new(record.key),
            value: Span::new(record.value),
            line_and_sitemap: line << 1 | u32::from(record.kind == Kind::Sitemap),
            groups_before: if self.in_group { self.groups.starts.len() as u32 } else { 0 },
        });
    }

    fn finish(self) -> Groups {
        let Groups { starts, agents, rules, others } = self.groups;
        Groups { starts: fitted(starts), agents: fitted(agents), rules: fitted(rules), others: fitted(others) }
    }
}

/// Releases excess capacity, unless copying costs more than the few spare elements.
fn fitted<T>(mut list: Vec<T>) -> Vec<T> {
    if list.capacity() > list.len() * 5 / 4 + 16 {
        list.shrink_to_fit();
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    type Shape<'o> = (Vec<&'o [u8]>, Vec<(bool, &'o [u8], u32)>);

    fn shape<'c>(content: &'c [u8], name: &str) -> Vec<Shape<'c>> {
        let groups = Groups::read(content, profile(name));
        (0..groups.len() as u32)
            .map(|group| {
                (
                    groups.agents_of(group).iter().map(|agent| agent.token.of(content)).collect(),
                    groups.rules()[groups.rules_of(group)]
                        .iter()
                        .map(|rule| (rule.allow(), rule.value.of(content), rule.line()))
                        .collect(),
                )
            })
            .collect()
    }

    #[test]
    fn rfc9309_2_1_a_group_ends_at_the_user_agent_line_after_a_rule() {
        let content = b"Disallow: /lost\nUser-agent: a\nUser-agent: b\n\nCrawl-delay: 1\nuser-agent: c\nallow: /x#y\r\nUser-Agent:d";
        assert_eq!(
            shape(content, "rfc9309"),
            vec![(vec![&b"a"[..], b"b", b"c"], vec![(true, &b"/x"[..], 7)]), (vec![&b"d"[..]], vec![]),]
        );
    }

    #[test]
    fn rfc9309_2_2_4_other_records_have_a_group() {
        let content = b"Sitemap: s\nuser-agent: *\nHost: h # c\n";
        let groups = Groups::read(content, profile("rfc9309"));
        let seen: Vec<_> = groups
            .others()
            .iter()
            .map(|other| {
                (other.line(), other.is_sitemap(), other.key.of(content), other.value.of(content), other.group())
            })
            .collect();
        assert_eq!(seen, vec![(1, true, &b"Sitemap"[..], &b"s"[..], None), (3, false, b"Host", b"h", Some(0))]);
    }

    #[test]
    fn original1994_a_blank_line_ends_a_group() {
        let content = b"user-agent: a\n \t\r\nuser-agent: b\nallow: /1\ndisallow: /2\n#\ndisallow: /3\n\ndisallow: /4";
        let disallowed = [(false, &b"/2"[..], 5), (false, b"/3", 7)];
        let allowed = [&[(true, &b"/1"[..], 4)], &disallowed[..]].concat();
        assert_eq!(shape(content, "yandex"), vec![(vec![&b"a"[..]], vec![]), (vec![b"b"], allowed)]);
        let shape = shape(content, "original1994");
        assert_eq!(shape, vec![(vec![&b"a"[..]], vec![]), (vec![b"b"], disallowed.to_vec())]);
    }

    #[test]
    fn google_a_long_line_is_cut() {
        let mut content = b"user-agent: *\ndisallow: /".to_vec();
        content.resize(20_000, b'a');
        let google = Groups::read(&content, profile("google"));
        assert_eq!(google.rules()[0].value.of(&content).len(), 16_663 - "disallow: ".len());
        let rfc9309 = Groups::read(&content, profile("rfc9309"));
        assert_eq!(rfc9309.rules()[0].value.of(&content).len(), 20_000 - "user-agent: *\ndisallow: ".len());
    }

    #[test]
    fn google_a_nul_ends_its_line() {
        let content = b"user-agent: *\ndisallow: /a\0b\nallow: /c";
        assert_eq!(shape(content, "google")[0].1, vec![(false, &b"/a"[..], 2), (true, b"/c", 3)]);
        assert_eq!(shape(content, "rfc9309")[0].1[0].1, b"/a\0b");
    }
}
