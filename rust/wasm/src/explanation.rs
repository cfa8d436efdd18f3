//! Why a target may or may not be fetched, and what each profile decides.

use canfetch::engine::tables::PROFILES;
use canfetch::engine::{Choice, Reason, Selection, matched_spans, target, unescape_literal};

use crate::document::{Document, Reading};
use crate::failure::Failure;
use crate::input::{Agent, Target};
use crate::output::Output;

const STAR: &[u8] = b"*";
/// The index of no token.
const NO_TOKEN: u32 = u32::MAX;

/// Writes the explanation of a verdict:
///
/// * the reason, how the groups were selected, the index of the token that selected them, whether the first match
///   decides, and the number of rules in these groups;
/// * the user-agent lines that selected them, and the user-agent lines for `*` if other groups were selected;
/// * the target as it is compared;
/// * the rules that match in order of precedence: line, whether it allows, specificity, value, and the spans of the
///   target that it matches.
pub fn write(reading: Reading<'_>, url: &Target, agent: &Agent, out: &mut Output) -> Result<u32, Failure> {
    let path = checked(url, agent)?;
    out.clear(0)?;
    let file = reading.file();
    let selection = reading.compiled.select(file.content, &agent.tokens, agent.star_applies);
    let rules = reading.compiled.rule_set(&selection.groups);
    let compared = target(&url.url, path, file.profile);
    let explanation = rules.explain(file, &compared);

    out.number(reason_number(explanation.verdict.reason));
    write_choice(&selection, out);
    out.number(u32::from(explanation.verdict.rule.is_some()));
    write_group_lines(reading, &selection, agent, out);
    let is_literal = file.profile.literal_paths;
    if is_literal {
        out.bytes(&unescape_literal(&compared));
    } else {
        out.bytes(&compared);
    }
    out.number(explanation.matches.len() as u32);
    for found in &explanation.matches {
        let rule = file.groups.rules().at(found.rule as usize);
        out.number(rule.line());
        out.number(u32::from(rule.allow()));
        out.number(found.specificity);
        out.bytes(rule.value.of(file.content));
        let spans = matched_spans(file, found.rule, &compared);
        out.number(spans.len() as u32);
        for at in spans.into_iter().flat_map(|span| [span.start, span.end]) {
            let shown = if is_literal { unescape_literal(&compared[..at]).len() } else { at };
            out.number(shown as u32);
        }
    }
    Ok(explanation.matches.len() as u32)
}

/// Writes the reason of each profile, and the line of the deciding rule or 0.
pub fn write_readings(document: &Document, url: &Target, agent: &Agent, out: &mut Output) -> Result<u32, Failure> {
    let path = checked(url, agent)?;
    out.clear(PROFILES.len() * 8)?;
    for index in 0..PROFILES.len() as u32 {
        let reading = document.read(index).ok_or(Failure::UnknownProfile)?;
        let file = reading.file();
        let selection = reading.compiled.select(file.content, &agent.tokens, agent.star_applies);
        let compared = target(&url.url, path, file.profile);
        let verdict = reading.compiled.rule_set(&selection.groups).decide(file, &compared);
        out.number(reason_number(verdict.reason));
        out.number(verdict.rule.map_or(0, |found| file.groups.rules().at(found.rule as usize).line()));
    }
    Ok(PROFILES.len() as u32)
}

/// Returns where the path of the target begins.
fn checked(url: &Target, agent: &Agent) -> Result<usize, Failure> {
    let located = url.located.ok_or(Failure::InvalidTarget)?;
    if agent.is_valid() { Ok(located.path) } else { Err(Failure::InvalidAgent) }
}

/// The number of a reason in the output.
pub fn reason_number(reason: Reason) -> u32 {
    match reason {
        Reason::RobotsTxt => 0,
        Reason::NoGroup => 1,
        Reason::NoMatch => 2,
        Reason::AllowRule => 3,
        Reason::DisallowRule => 4,
        Reason::EmptyRule => 5,
    }
}

/// Writes how the groups were selected, and the index of the token that selected them.
pub fn write_choice(selection: &Selection, out: &mut Output) {
    let (choice, token) = match selection.choice {
        Choice::OwnToken => (0, 0),
        Choice::Fallback(index) => (1, index as u32),
        Choice::Star => (2, NO_TOKEN),
        Choice::None => (3, NO_TOKEN),
    };
    out.number(choice);
    out.number(token);
}

fn write_group_lines(reading: Reading<'_>, selection: &Selection, agent: &Agent, out: &mut Output) {
    let lines = |token: &[u8], groups: &[u32]| reading.compiled.lines_naming(reading.content(), token, groups);
    let token = match selection.choice {
        Choice::OwnToken => agent.tokens.first(),
        Choice::Fallback(index) => agent.tokens.get(index),
        Choice::Star | Choice::None => None,
    };
    if let Some(token) = token {
        out.numbers(&lines(token, &selection.groups));
        let all: Vec<u32> = (0..reading.compiled.groups().len() as u32).collect();
        out.numbers(&lines(STAR, &all));
    } else {
        out.numbers(&lines(STAR, &selection.groups));
        out.numbers(&[]);
    }
}
