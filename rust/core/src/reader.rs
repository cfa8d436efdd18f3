//! The reader of a file: it assigns each line to a group (RFC 9309 section 2.1).

use std::cell::RefCell;
use std::ops::Range;

use crate::abnf;
use crate::bytes::{is_space, skip_blanks, skip_spaces, strip, strip_value};
use crate::groups::{AgentLine, GroupStart, Groups, OtherRecord, Rule, Span};
use crate::lines::{Stops, end_of_text, first_line};
use crate::packed::Packed;
use crate::preamble::skip_preamble;
use crate::records::{self, Kind, Record, plain_key};
use crate::tables::Profile;
use crate::tokens::token_length;

thread_local! {
    /// Reused, so that parsing a small file allocates nothing but its result.
    static READER: RefCell<Reader> = const { RefCell::new(Reader::new()) };
}

/// Parses the groups of a file. Never fails: invalid lines are skipped.
pub fn read_groups(content: &[u8], profile: &Profile) -> Groups {
    READER.with_borrow_mut(|reader| {
        reader.clear();
        let (start, lines) = skip_preamble(content, first_line(content, profile));
        reader.read(content, profile, start, lines);
        reader.finish()
    })
}

/// Parses the records that are neither user-agent lines nor rules.
pub fn read_others(content: &[u8], profile: &Profile) -> Box<[OtherRecord]> {
    let mut reader = Reader::new();
    reader.others = Some(Vec::new());
    reader.read(content, profile, first_line(content, profile), 0);
    reader.others.unwrap_or_default().into()
}

/// The largest number of rules for which the lists of a reader are kept.
const KEPT_RULES: usize = 2048;

struct Reader {
    starts: Vec<[u32; 2]>,
    agents: Vec<[u32; 4]>,
    rules: Vec<[u32; 3]>,
    /// `None` if only groups are read: most other lines are then skipped after their first byte.
    others: Option<Vec<OtherRecord>>,
    in_group: bool,
    rule_seen: bool,
}

impl Reader {
    const fn new() -> Self {
        Self {
            starts: Vec::new(),
            agents: Vec::new(),
            rules: Vec::new(),
            others: None,
            in_group: false,
            rule_seen: true,
        }
    }

    /// Reads the lines from `start` on. There are `line` lines before them.
    fn read(&mut self, content: &[u8], profile: &Profile, mut start: usize, mut line: u32) {
        // Without a NUL in the file, its lines need not be searched for one.
        let whole_lines = !(profile.nul_ends_line && memchr::memchr(0, content).is_some());
        let plain = whole_lines && !profile.abnf_only && !profile.ignore_allow;
        let limit = if profile.max_line_bytes == 0 { usize::MAX } else { profile.max_line_bytes };
        // The length of lines that are read here if they begin with a usual key.
        let plain_limit = if plain { limit } else { 0 };
        let groups_only = self.others.is_none();
        let mut stops = Stops::new(content, start);
        while start < content.len() {
            line += 1;
            let stop = stops.next_stop();
            let end = stops.end_of_line(stop);
            let may_be_plain = content[start] >= b'A' && stop - start <= plain_limit;
            let key = if may_be_plain { plain_key(content, start) } else { None };
            if let Some((kind, from)) = key {
                let value = strip_value(content, from, stop);
                if kind == Kind::UserAgent {
                    self.take_agent(content, profile, line, value);
                } else {
                    self.take_rule(line, kind, value);
                }
            } else {
                let first = if groups_only { skip_blanks(content, start, stop) } else { start };
                if first == end {
                    self.blank_line(profile);
                } else if first < stop && !(groups_only && begins_no_group(content[first])) {
                    self.read_line(content, profile, line, start..end, stop);
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
            self.rules.push(Rule { value: Span::new(value), line_and_allow }.pack());
        }
    }

    fn take_agent(&mut self, content: &[u8], profile: &Profile, line: u32, (start, end): (usize, usize)) {
        if self.rule_seen {
            self.starts.push(GroupStart { agents: self.agents.len() as u32, rules: self.rules.len() as u32 }.pack());
            (self.in_group, self.rule_seen) = (true, false);
        }
        let agent = AgentLine {
            token: Span::new((start, start + token_length(&content[start..end], profile))),
            line,
            group: self.starts.len() as u32 - 1,
        };
        self.agents.push(agent.pack());
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
        let groups_before = if self.in_group { self.starts.len() as u32 } else { 0 };
        if let Some(others) = &mut self.others {
            others.push(OtherRecord {
                key: Span::new(record.key),
                value: Span::new(record.value),
                line_and_sitemap: line << 1 | u32::from(record.kind == Kind::Sitemap),
                groups_before,
            });
        }
    }

    /// Returns the groups, and frees the memory of a file with many rules. `clear` prepares the reader for the next file.
    fn finish(&mut self) -> Groups {
        let groups = Groups::from_lists(&self.rules, &self.agents, &self.starts);
        if self.rules.capacity() > KEPT_RULES || self.agents.capacity() > KEPT_RULES {
            *self = Self::new();
        }
        groups
    }

    /// Removes what the last file left, even if a panic ended its parsing.
    fn clear(&mut self) {
        self.starts.clear();
        self.agents.clear();
        self.rules.clear();
        (self.in_group, self.rule_seen) = (false, true);
    }
}

/// Whether a line that begins with this byte, after spaces and tabs, is neither a user-agent line nor a rule nor blank.
#[inline]
const fn begins_no_group(first: u8) -> bool {
    // Other white space and control characters are rare.
    first > b' ' && !matches!(first | 0x20, b'u' | b'a' | b'd')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiled::CompiledFile;
    use crate::tables::PROFILES;
    use crate::testing::{Dice, profile};

    type Shape<'o> = (Vec<&'o [u8]>, Vec<(bool, &'o [u8], u32)>);

    #[test]
    fn a_file_whose_parsing_ended_early_leaves_nothing_for_the_next_one() {
        let (content, profile) = (b"Disallow: /a\nUser-agent: a\nDisallow: /b\n", profile("rfc9309"));
        READER.with_borrow_mut(|reader| reader.read(content, profile, 0, 0));
        let groups = read_groups(content, profile);
        assert_eq!((groups.len(), groups.rules().iter().count()), (1, 1));
    }

    fn shape<'c>(content: &'c [u8], name: &str) -> Vec<Shape<'c>> {
        let groups = read_groups(content, profile(name));
        (0..groups.len() as u32)
            .map(|group| {
                (
                    groups.agents_of(group).iter().map(|agent| agent.token.of(content)).collect(),
                    groups
                        .rules()
                        .range(groups.rules_of(group))
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
        let file = CompiledFile::new(content, profile("rfc9309"));
        let seen: Vec<_> = file
            .others(content)
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
        let google = read_groups(&content, profile("google"));
        assert_eq!(google.rules().at(0).value.of(&content).len(), 16_663 - "disallow: ".len());
        let rfc9309 = read_groups(&content, profile("rfc9309"));
        assert_eq!(rfc9309.rules().at(0).value.of(&content).len(), 20_000 - "user-agent: *\ndisallow: ".len());
    }

    #[test]
    fn google_a_nul_ends_its_line() {
        let content = b"user-agent: *\ndisallow: /a\0b\nallow: /c";
        assert_eq!(shape(content, "google")[0].1, vec![(false, &b"/a"[..], 2), (true, b"/c", 3)]);
        assert_eq!(shape(content, "rfc9309")[0].1[0].1, b"/a\0b");
    }

    #[test]
    fn groups_are_the_same_whether_other_records_are_read() {
        const PARTS: [&[u8]; 30] = [
            b"user-agent: a",
            b"User-Agent:*",
            b"USERAGENT b",
            b"allow: /a",
            b"Disallow:/b",
            b"disallow /c",
            b"dissalow: /",
            b"sitemap: s",
            b"Site-map s",
            b"crawl-delay: 1",
            b"<a href=\"/\">",
            b"# c",
            b"#",
            b":",
            b" ",
            b"\t",
            b"        ",
            b"\x0B",
            b"\0",
            b"\x01",
            b"\x7F",
            b"\xA0",
            b"\xEF\xBB\xBF",
            b"\n",
            b"\n",
            b"\n",
            b"\n\n",
            b"\r\n",
            b"\r",
            b"\x85",
        ];
        let mut dice = Dice::new(9309);
        for _ in 0..3000 {
            // Often with many lines before the first group.
            let preamble = dice.below(60);
            let count = preamble + dice.below(30);
            let mut part = |at| dice.pick(if at < preamble { &PARTS[3..] } else { &PARTS }).to_vec();
            let content: Vec<u8> = (0..count).flat_map(&mut part).collect();
            for profile in &PROFILES {
                let mut complete = Reader::new();
                complete.others = Some(Vec::new());
                complete.read(&content, profile, first_line(&content, profile), 0);
                let (complete, groups) = (complete.finish(), read_groups(&content, profile));
                assert_eq!(format!("{groups:?}"), format!("{complete:?}"), "{} {content:?}", profile.name);
            }
        }
    }
}
