//! The verdicts on many targets for many agents.

use std::borrow::Cow;
use std::sync::Arc;

use canfetch::engine::{RuleSet, Verdict, target};

use crate::document::Reading;
use crate::failure::Failure;
use crate::input::{Agent, Target};
use crate::output::{Output, filled};

/// No rule decides, so the target is allowed.
const NONE: u8 = 0;
/// A rule allows the target.
const ALLOWED: u8 = 1;
/// A rule disallows the target.
const BLOCKED: u8 = 2;
/// There is no verdict, because the target or the agent is invalid.
const INVALID: u8 = 3;

/// Writes the line numbers of the deciding rules, 0 without one, and then the marks, both row by row.
pub fn write(reading: Reading<'_>, targets: &[Target], agents: &[Agent], out: &mut Output) -> Result<u32, Failure> {
    let cells = targets.len() * agents.len();
    out.clear(cells * 5)?;
    let mut lines = filled(0, cells)?;
    let mut marks = filled(INVALID, cells)?;
    let rules = reading.file().groups.rules();
    for_each_verdict(reading, targets, agents, |cell, verdict| {
        lines[cell] = verdict.rule.map_or(0, |found| rules.at(found.rule as usize).line());
        marks[cell] = match verdict {
            Verdict { rule: None, .. } => NONE,
            Verdict { reason, .. } if reason.allows() => ALLOWED,
            Verdict { .. } => BLOCKED,
        };
    });
    for line in lines {
        out.number(line);
    }
    out.raw(&marks);
    Ok(cells as u32)
}

/// Writes for each cell 1 if the verdict of another profile differs, otherwise 0.
pub fn write_differences(
    chosen: Reading<'_>,
    others: &[Reading<'_>],
    targets: &[Target],
    agents: &[Agent],
    out: &mut Output,
) -> Result<u32, Failure> {
    let cells = targets.len() * agents.len();
    out.clear(cells)?;
    let mut allowed = filled(false, cells)?;
    for_each_verdict(chosen, targets, agents, |cell, verdict| allowed[cell] = verdict.reason.allows());
    let mut differs = filled(0, cells)?;
    for &other in others {
        for_each_verdict(other, targets, agents, |cell, verdict| {
            differs[cell] |= u8::from(verdict.reason.allows() != allowed[cell]);
        });
    }
    out.raw(&differs);
    Ok(cells as u32)
}

/// Calls `take` with the index of each cell that has a verdict.
fn for_each_verdict(reading: Reading<'_>, targets: &[Target], agents: &[Agent], mut take: impl FnMut(usize, Verdict)) {
    let file = reading.file();
    let normalised: Vec<Option<Cow<'_, [u8]>>> =
        targets.iter().map(|row| row.located.map(|located| target(&row.url, located.path, file.profile))).collect();
    // Agents with the same groups have the same verdicts.
    let mut columns: Vec<(Arc<RuleSet>, Vec<usize>)> = Vec::new();
    for (column, agent) in agents.iter().enumerate().filter(|(_, agent)| agent.is_valid()) {
        let selection = reading.compiled.select(file.content, &agent.tokens, agent.star_applies);
        match columns.iter_mut().find(|(rules, _)| rules.groups() == selection.groups) {
            Some((_, same)) => same.push(column),
            None => columns.push((reading.compiled.rule_set(&selection.groups), vec![column])),
        }
    }
    for (rules, same) in columns {
        rules.expect(file, targets.len());
        for (row, target) in normalised.iter().enumerate() {
            let Some(target) = target else { continue };
            let verdict = rules.decide(file, target);
            for column in &same {
                take(row * agents.len() + column, verdict);
            }
        }
    }
}
