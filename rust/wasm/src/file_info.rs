//! The groups and lines that a profile reads in a file, and the agents whose group has a line.

use crate::document::Reading;
use crate::failure::Failure;
use crate::input::Agent;
use crate::output::{Output, filled};

/// What a line is. The numbers are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum LineKind {
    /// Blank, a comment, invalid, or a rule outside groups.
    Nothing = 0,
    UserAgent = 1,
    Allow = 2,
    Disallow = 3,
    Sitemap = 4,
    Other = 5,
}

/// Writes the sizes, the groups, and the kind and the group of each line:
///
/// * the bytes that are read, the bytes past the limit, the encoding, the first line that is not read or 0, and the
///   number of lines;
/// * the number of groups, and for each the number of its rules, the number of its user-agent lines, and their lines and
///   tokens;
/// * for each line its group from 1, or 0; and then for each line its kind.
pub fn write(reading: Reading<'_>, out: &mut Output) -> Result<u32, Failure> {
    let (source, groups) = (reading.source, reading.compiled.groups());
    let line_count = source.line_count();
    out.clear(line_count as usize * 5)?;
    out.number(source.content.len() as u32);
    out.number(source.tail_bytes as u32);
    out.number(source.encoding as u32);
    out.number(source.first_unread_line());
    out.number(line_count);
    out.number(groups.len() as u32);
    for group in 0..groups.len() as u32 {
        out.number(groups.rules_of(group).len() as u32);
        let agents = groups.agents_of(group);
        out.number(agents.len() as u32);
        for agent in agents.iter() {
            out.number(agent.line);
            out.bytes(agent.token.of(&source.content));
        }
    }
    let mut kinds = filled(LineKind::Nothing as u8, line_count as usize)?;
    let mut owners = filled(0, line_count as usize)?;
    for_each_record(reading, |line, kind, group| {
        let at = line as usize - 1;
        if let (Some(kind_of_line), Some(owner)) = (kinds.get_mut(at), owners.get_mut(at)) {
            *kind_of_line = kind as u8;
            *owner = group.map_or(0, |group| group + 1);
        }
    });
    for owner in owners {
        out.number(owner);
    }
    out.raw(&kinds);
    Ok(line_count)
}

/// Writes the kind of a line, its group from 1 or 0, and for each agent 1 if it reads the line, otherwise 0.
///
/// All agents read a sitemap. An invalid agent reads nothing.
pub fn write_readers(reading: Reading<'_>, line: u32, agents: &[Agent], out: &mut Output) -> Result<u32, Failure> {
    out.clear(agents.len() + 8)?;
    let mut record = (LineKind::Nothing, None);
    for_each_record(reading, |other, kind, group| {
        if other == line {
            record = (kind, group);
        }
    });
    let (kind, group) = record;
    out.number(kind as u32);
    out.number(group.map_or(0, |group| group + 1));
    for agent in agents {
        let reads = agent.is_valid()
            && match group {
                _ if kind == LineKind::Sitemap => true,
                None => false,
                Some(group) => {
                    let selection = reading.compiled.select(reading.content(), &agent.tokens, agent.star_applies);
                    selection.groups.contains(&group)
                }
            };
        out.raw(&[u8::from(reads)]);
    }
    Ok(agents.len() as u32)
}

/// Writes the records that are neither user-agent lines nor rules, and returns their number.
pub fn write_others(reading: Reading<'_>, out: &mut Output) -> Result<u32, Failure> {
    let content = reading.content();
    let others = reading.compiled.others(content);
    out.clear(others.len() * 20)?;
    for other in others {
        out.number(other.line());
        out.number(other.group().map_or(0, |group| group + 1));
        out.number(u32::from(other.is_sitemap()));
        out.bytes(other.key.of(content));
        out.bytes(other.value.of(content));
    }
    Ok(others.len() as u32)
}

fn for_each_record(reading: Reading<'_>, mut take: impl FnMut(u32, LineKind, Option<u32>)) {
    let groups = reading.compiled.groups();
    for agent in groups.agents().iter() {
        take(agent.line, LineKind::UserAgent, Some(agent.group));
    }
    for group in 0..groups.len() as u32 {
        for rule in groups.rules().range(groups.rules_of(group)).iter() {
            take(rule.line(), if rule.allow() { LineKind::Allow } else { LineKind::Disallow }, Some(group));
        }
    }
    for other in reading.compiled.others(reading.content()) {
        if other.is_sitemap() {
            take(other.line(), LineKind::Sitemap, None);
        } else {
            take(other.line(), LineKind::Other, other.group());
        }
    }
}
