//! The groups that apply to an agent (RFC 9309 section 2.2.1).

use std::cmp::Ordering;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::groups::Groups;
use crate::tables::Profile;
use crate::tokens::STAR;

/// How the groups were selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A group names the agent's own token.
    OwnToken,
    /// A group names the token with this index in the agent's chain.
    Fallback(usize),
    /// No group names the agent, so the groups for `*` apply.
    Star,
    /// No group applies to the agent.
    None,
}

/// The groups that apply to an agent. Their rules are merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// How the groups were selected.
    pub choice: Choice,
    /// The indices of the groups, in ascending order.
    pub groups: Vec<u32>,
}

/// With at least this many user-agent lines, and after this many selections, the lines are sorted by token. Selecting
/// every agent of a file then takes no quadratic time.
const MANY_LINES: usize = 32;
const MANY_SELECTIONS: u32 = 8;

/// The user-agent lines sorted by token, once sorting pays.
#[derive(Debug, Default)]
pub struct Directory {
    selections: AtomicU32,
    sorted: OnceLock<Box<[u32]>>,
}

impl Directory {
    /// Selects the groups of the first token that any group names, or else those of `*` if it applies.
    pub fn select<T: AsRef<[u8]>>(
        &self,
        groups: &Groups,
        content: &[u8],
        profile: &Profile,
        tokens: &[T],
        star_applies: bool,
    ) -> Selection {
        for (index, token) in tokens.iter().enumerate() {
            let token = token.as_ref();
            let named = self.groups_of(groups, content, profile, token);
            if !named.is_empty() {
                let choice = match index {
                    _ if token == STAR => Choice::Star,
                    0 => Choice::OwnToken,
                    index => Choice::Fallback(index),
                };
                return Selection { choice, groups: named };
            }
        }
        if star_applies {
            let for_star = self.groups_of(groups, content, profile, STAR);
            if !for_star.is_empty() {
                return Selection { choice: Choice::Star, groups: for_star };
            }
        }
        Selection { choice: Choice::None, groups: Vec::new() }
    }

    fn groups_of(&self, groups: &Groups, content: &[u8], profile: &Profile, token: &[u8]) -> Vec<u32> {
        let agents = groups.agents();
        let mut found = Vec::new();
        let is_sortable = !profile.substring_tokens || token == STAR;
        if !is_sortable || agents.len() < MANY_LINES || self.selections.fetch_add(1, Relaxed) < MANY_SELECTIONS {
            let naming = agents.iter().filter(|agent| names(agent.token.of(content), token, profile));
            found.extend(naming.map(|agent| agent.group));
        } else {
            let sorted = self.sorted.get_or_init(|| sort(groups, content));
            let name = |line: u32| agents.at(line as usize).token.of(content);
            let first = sorted.partition_point(|&line| order(name(line), token) == Ordering::Less);
            found.extend(
                sorted[first..]
                    .iter()
                    .take_while(|&&line| same_token(name(line), token))
                    .map(|&line| agents.at(line as usize).group),
            );
        }
        // In file order already. A group that names the token twice counts once.
        found.dedup();
        if profile.ignore_empty_groups {
            found.retain(|&group| !groups.rules_of(group).is_empty());
        }
        if profile.first_group_only {
            found.truncate(1);
        }
        found
    }
}

/// Whether a user-agent line with the token `named` applies to `token`, which may be `*`.
pub fn names(named: &[u8], token: &[u8], profile: &Profile) -> bool {
    if profile.substring_tokens && token != STAR { contains(named, token) } else { same_token(named, token) }
}

fn sort(groups: &Groups, content: &[u8]) -> Box<[u32]> {
    let name = |line: u32| groups.agents().at(line as usize).token.of(content);
    let mut lines: Vec<u32> = (0..groups.agents().len() as u32).collect();
    lines.sort_unstable_by(|&one, &other| order(name(one), name(other)).then(one.cmp(&other)));
    lines.into()
}

#[inline]
fn same_token(one: &[u8], other: &[u8]) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// Whether a value contains a name, compared case-insensitively in ASCII.
fn contains(value: &[u8], name: &[u8]) -> bool {
    value.windows(name.len()).any(|part| part.eq_ignore_ascii_case(name))
}

fn order(one: &[u8], other: &[u8]) -> Ordering {
    one.iter().map(u8::to_ascii_lowercase).cmp(other.iter().map(u8::to_ascii_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::read_groups;
    use crate::testing::profile;

    const FILE: &[u8] =
        b"User-agent: Foo\nUser-agent: foo\nAllow: /1\nUser-agent: *\nAllow: /2\nUser-agent: FOO\nUser-agent: Bar";

    fn select(tokens: &[&[u8]], star_applies: bool, name: &str) -> (Choice, Vec<u32>) {
        let profile = profile(name);
        let groups = read_groups(FILE, profile);
        let selection = Directory::default().select(&groups, FILE, profile, tokens, star_applies);
        (selection.choice, selection.groups)
    }

    #[test]
    fn rfc9309_2_2_1_tokens_are_case_insensitive_and_their_groups_merge() {
        assert_eq!(select(&[b"fOO"], true, "rfc9309"), (Choice::OwnToken, vec![0, 2]));
        assert_eq!(select(&[b"foo"], true, "google2019"), (Choice::OwnToken, vec![0, 2]));
    }

    #[test]
    fn rfc9309_2_2_1_star_applies_to_agents_without_a_group() {
        assert_eq!(select(&[b"baz"], true, "rfc9309"), (Choice::Star, vec![1]));
        assert_eq!(select(&[b"baz"], false, "rfc9309"), (Choice::None, vec![]));
        assert_eq!(select(&[b"*"], false, "rfc9309"), (Choice::Star, vec![1]));
        assert_eq!(select(&[b"baz", b"bar"], true, "rfc9309"), (Choice::Fallback(1), vec![2]));
    }

    #[test]
    fn draft1996_the_first_value_that_contains_the_name_wins() {
        let profile = profile("draft1996");
        let content = b"User-agent: c\n\nUser-agent: Foo, Bar/1\nAllow: /1\n\nUser-agent: *\nAllow: /2\n\nUser-agent: bar\nAllow: /3";
        let groups = read_groups(content, profile);
        let choose = |token: &[u8]| {
            let selection = Directory::default().select(&groups, content, profile, &[token], true);
            (selection.choice, selection.groups)
        };
        assert_eq!(choose(b"BAR"), (Choice::OwnToken, vec![1]));
        assert_eq!(choose(b"c"), (Choice::Star, vec![2]));
        assert_eq!(choose(b"barbaz"), (Choice::Star, vec![2]));
    }

    #[test]
    fn the_sorted_directory_agrees_with_a_plain_search() {
        let mut file = Vec::new();
        for number in 0..200 {
            file.extend(
                format!("User-agent: Bot{}\nAllow: /{number}\nUser-agent: bOT{}\n", number % 60, number % 7).bytes(),
            );
        }
        let profile = profile("rfc9309");
        let groups = read_groups(&file, profile);
        let sorted = Directory::default();
        for round in 0..3 {
            for number in 0..70 {
                let token = format!("boT{number}");
                let walk = Directory::default().select(&groups, &file, profile, &[&token], true);
                assert_eq!(sorted.select(&groups, &file, profile, &[&token], true), walk, "{round} {token}");
            }
        }
    }
}
