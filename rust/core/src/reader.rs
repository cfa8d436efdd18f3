//! The reader of a file: it assigns each line to a group (RFC 9309 section 2.1).

use std::cell::RefCell;
use std::ops::Range;

use crate::abnf;
use crate::bytes::{is_space, skip_spaces, strip};
use crate::groups::{AgentLine, GroupStart, Groups, OtherRecord, Rule, Span};
use crate::lines::{Stops, end_of_text, first_line};
use crate::packed::pack;
use crate::records::{self, Kind, Record, plain_key};
use crate::tables::Profile;
use crate::tokens::token_length;

thread_local! {
    /// Reused, so that parsing a small file allocates nothing but its result.
    static READER: RefCell<Reader> = const { RefCell::new(Reader::new()) };
}

/// Parses a file. Never fails: invalid lines are skipped.
pub fn read(content: &[u8], profile: &Profile) -> Groups {
    READER.with_borrow_mut(|reader| {
        reader.clear();
        reader.read(content, profile);
        reader.finish()
    })
}

/// The largest number of rules for which the lists of a reader are kept.
const KEPT_RULES: usize = 2048;

struct Reader {
    starts: Vec<GroupStart>,
    agents: Vec<AgentLine>,
    rules: Vec<Rule>,
    others: Vec<OtherRecord>,
    in_group: bool,
    rule_seen: bool,
}

impl Reader {
    const fn new() -> Self {
        Self {
            starts: Vec::new(),
            agents: Vec::new(),
            rules: Vec::new(),
            others: Vec::new(),
            in_group: false,
            rule_seen: true,
        }
    }

    fn clear(&mut self) {
        self.starts.clear();
        self.agents.clear();
        self.rules.clear();
        self.others.clear();
        (self.in_group, self.rule_seen) = (false, true);
    }

    fn read(&mut self, content: &[u8], profile: &Profile) {
        let mut start = first_line(content, profile);
        // Without a NUL in the file, its lines need not be searched for one.
        let whole_lines = !(profile.nul_ends_line && memchr::memchr(0, content).is_some());
        let plain = whole_lines && !profile.abnf_only && !profile.ignore_allow;
        let limit = match profile.max_line_bytes {
            0 => usize::MAX,
            limit => limit,
        };
        let mut stops = Stops::new(content, start);
        let mut line = 0;
        while start < content.len() {
            line += 1;
            let stop = stops.next_stop();
            let end = stops.end_of_line(stop);
            if start == end {
                self.blank_line(profile);
            } else if start < stop {
                let plain = if plain && end - start <= limit { plain_key(content, start) } else { None };
                match plain {
                    Some((kind @ (Kind::Allow | Kind::Disallow), from)) => {
                        self.take_rule(line, kind, strip(content, from, stop, is_space));
                    }
                    Some((kind, from)) => {
                        let value = strip(content, from, stop, is_space);
                        self.take(content, profile, line, Record { kind, key: (start, from - 1), value });
                    }
                    None => self.read_line(content, profile, line, start..end, stop),
                }
            }
            start = stops.next_line(end);
        }
    }

    /// Reads a line that may have any form. Its comment begins at `stop`, if it has one.
    fn read_line(&mut self, content: &[u8], profile: &Profile, line: u32, span: Range<usize>, stop: usize) {
        let to = end_of_text(content, span.start, span.end, profile);
        if profile.abnf_only {
            if let Some(record) = abnf::read(content, span.start, to, profile) {
                self.take(content, profile, line, record);
            } else if content[span.start..to].iter().all(|&byte| is_space(byte)) {
                self.blank_line(profile);
            }
            return;
        }
        let end = stop.min(to);
        let start = strip(content, skip_spaces(&content[..end], span.start), end, is_space).0;
        if start < end {
            if let Some(record) = records::read(content, start, end, profile) {
                self.take(content, profile, line, record);
            }
        } else if to <= stop {
            self.blank_line(profile);
        }
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
            self.rules.push(Rule { value: Span::new(value), line_and_allow });
        }
    }

    fn take_agent(&mut self, content: &[u8], profile: &Profile, line: u32, (start, end): (usize, usize)) {
        if self.rule_seen {
            self.starts.push(GroupStart { agents: self.agents.len() as u32, rules: self.rules.len() as u32 });
            (self.in_group, self.rule_seen) = (true, false);
        }
        self.agents.push(AgentLine {
            token: Span::new((start, start + token_length(&content[start..end], profile))),
            line,
            group: self.starts.len() as u32 - 1,
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
        self.others.push(OtherRecord {
            key: Span::new(record.key),
            value: Span::new(record.value),
            line_and_sitemap: line << 1 | u32::from(record.kind == Kind::Sitemap),
            groups_before: if self.in_group { self.starts.len() as u32 } else { 0 },
        });
    }

    fn finish(&mut self) -> Groups {
        let (rules, agents) = (3 * self.rules.len(), 4 * self.agents.len());
        let (starts, others) = (2 * self.starts.len(), 6 * self.others.len());
        let mut words = Vec::with_capacity(rules + agents + starts + others);
        pack(&self.rules, &mut words);
        pack(&self.agents, &mut words);
        pack(&self.starts, &mut words);
        pack(&self.others, &mut words);
        if self.rules.capacity() > KEPT_RULES || self.agents.capacity() + self.others.capacity() > KEPT_RULES {
            *self = Self::new();
        }
        Groups::from_words(words.into(), rules, agents, starts)
    }
}
