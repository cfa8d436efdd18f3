//! Groups (RFC 9309 section 2.1): user-agent lines and their rules, as spans of the file.
//!
//! A rule takes 12 bytes whatever its length. Groups are ranges of two flat lists, and all lists are one allocation.

use std::ops::Range;

use crate::packed::{List, Packed};

/// A span of the file. 32 bits suffice for the largest file that is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    pub(crate) fn new((start, end): (usize, usize)) -> Self {
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
    pub(crate) line_and_allow: u32,
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

impl Packed<3> for Rule {
    #[inline]
    fn pack(self) -> [u32; 3] {
        [self.value.start, self.value.end, self.line_and_allow]
    }

    #[inline]
    fn unpack([start, end, line_and_allow]: [u32; 3]) -> Self {
        Self { value: Span { start, end }, line_and_allow }
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

impl Packed<4> for AgentLine {
    #[inline]
    fn pack(self) -> [u32; 4] {
        [self.token.start, self.token.end, self.line, self.group]
    }

    #[inline]
    fn unpack([start, end, line, group]: [u32; 4]) -> Self {
        Self { token: Span { start, end }, line, group }
    }
}

/// A record that is neither a user-agent line nor a rule (section 2.2.4).
#[derive(Clone, Copy, Debug)]
pub struct OtherRecord {
    /// The key.
    pub key: Span,
    /// The value.
    pub value: Span,
    pub(crate) line_and_sitemap: u32,
    /// The number of its group counted from 1, or 0.
    pub(crate) groups_before: u32,
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

/// Where the user-agent lines and the rules of a group begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupStart {
    pub(crate) agents: u32,
    pub(crate) rules: u32,
}

impl Packed<2> for GroupStart {
    #[inline]
    fn pack(self) -> [u32; 2] {
        [self.agents, self.rules]
    }

    #[inline]
    fn unpack([agents, rules]: [u32; 2]) -> Self {
        Self { agents, rules }
    }
}

/// The groups and rules of a file.
#[derive(Debug)]
pub struct Groups {
    /// The words of all lists: rules, user-agent lines and group starts.
    words: Box<[u32]>,
    /// Where each list but the first begins.
    agents: u32,
    starts: u32,
}

impl Groups {
    /// Joins the words of the rules, the user-agent lines and the group starts.
    pub(crate) fn from_lists(rules: &[[u32; 3]], agents: &[[u32; 4]], starts: &[[u32; 2]]) -> Self {
        let lists = [rules.as_flattened(), agents.as_flattened(), starts.as_flattened()];
        Self {
            words: lists.concat().into(),
            agents: lists[0].len() as u32,
            starts: (lists[0].len() + lists[1].len()) as u32,
        }
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.starts().len()
    }

    /// Whether the file has no groups.
    pub fn is_empty(&self) -> bool {
        self.starts().is_empty()
    }

    /// All rules, in file order.
    #[inline]
    pub fn rules(&self) -> List<'_, Rule, 3> {
        List::new(&self.words[..self.agents as usize])
    }

    /// All user-agent lines, in file order.
    #[inline]
    pub fn agents(&self) -> List<'_, AgentLine, 4> {
        List::new(&self.words[self.agents as usize..self.starts as usize])
    }

    #[inline]
    fn starts(&self) -> List<'_, GroupStart, 2> {
        List::new(&self.words[self.starts as usize..])
    }

    /// The user-agent lines of a group.
    pub fn agents_of(&self, group: u32) -> List<'_, AgentLine, 4> {
        let (starts, agents) = (self.starts(), self.agents());
        let start = |group: usize| starts.get(group).map_or(agents.len(), |start| start.agents as usize);
        agents.range(start(group as usize)..start(group as usize + 1))
    }

    /// The rules of a group, as a range of [`Self::rules`].
    #[inline]
    pub fn rules_of(&self, group: u32) -> Range<usize> {
        let starts = self.starts();
        let start = |group: usize| starts.get(group).map_or(self.rules().len(), |start| start.rules as usize);
        start(group as usize)..start(group as usize + 1)
    }

    /// The memory held, in bytes, without the content of the file.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.words)
    }
}
