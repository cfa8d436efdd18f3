//! Groups, as written.

use super::rule::Rule;
use crate::decide::File;

/// A group: user-agent lines and the rules after them. Groups with the same token are merged only for an agent.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    file: File<'a>,
    index: u32,
}

impl<'a> Group<'a> {
    pub(super) fn new(file: File<'a>, index: u32) -> Self {
        Self { file, index }
    }

    /// The user-agent lines.
    pub fn user_agents(self) -> impl ExactSizeIterator<Item = UserAgent<'a>> {
        let agents = self.file.groups.agents_of(self.index).iter();
        agents.map(move |agent| UserAgent { token: agent.token.of(self.file.content), line: agent.line })
    }

    /// The rules, including those that match nothing.
    pub fn rules(self) -> impl ExactSizeIterator<Item = Rule<'a>> {
        let groups = self.file.groups;
        let rules = groups.rules().range(groups.rules_of(self.index)).iter();
        rules.map(move |rule| Rule::new(rule, self.file.content))
    }
}

/// A user-agent line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UserAgent<'a> {
    token: &'a [u8],
    line: u32,
}

impl<'a> UserAgent<'a> {
    /// The product token as written, or empty.
    pub fn token(self) -> &'a [u8] {
        self.token
    }

    /// The line number, from 1.
    pub fn line(self) -> u32 {
        self.line
    }
}
