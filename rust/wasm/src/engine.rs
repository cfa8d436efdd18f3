//! The state of the module: open files, the targets and agents of the matrix, and the buffers.

use canfetch::engine::tables::{DEFAULT_MAX_BYTES, MAX_BYTES_LIMIT, PROFILES};
use canfetch::engine::{locate, target};

use crate::document::{Document, Reading};
use crate::failure::Failure;
use crate::input::{Agent, Input, Target};
use crate::output::Output;
use crate::{explanation, file_info, matrix};

/// The largest input, in bytes.
pub const INPUT_LIMIT: usize = 1 << 26;
/// The maximum number of open files.
pub const DOCUMENTS_LIMIT: usize = 1024;
/// The maximum number of cells of one call.
pub const CELLS_LIMIT: usize = 1 << 22;
/// A larger input buffer is freed after use.
const RETAINED_INPUT: usize = 1 << 20;

/// All state of the module.
#[derive(Debug, Default)]
pub struct Engine {
    input: Vec<u8>,
    output: Output,
    /// In the order of their handles.
    documents: Vec<(u32, Box<Document>)>,
    last_handle: u32,
    targets: Vec<Target>,
    agents: Vec<Agent>,
}

impl Engine {
    /// Returns an input buffer with this many bytes, or nothing if that is too large.
    pub fn input(&mut self, length: u32) -> Option<&mut [u8]> {
        let length = length as usize;
        self.input.clear();
        if length > INPUT_LIMIT || self.input.try_reserve(length).is_err() {
            return None;
        }
        self.input.resize(length, 0);
        Some(&mut self.input)
    }

    /// The output of the last call.
    pub fn output(&self) -> &[u8] {
        self.output.as_bytes()
    }

    /// Writes the names of the profiles, in the order of their indices.
    pub fn profiles(&mut self) -> Result<u32, Failure> {
        self.output.clear(0)?;
        for profile in &PROFILES {
            self.output.bytes(profile.name.as_bytes());
        }
        Ok(PROFILES.len() as u32)
    }

    /// Opens the file in the input, and returns its handle.
    pub fn open(&mut self, max_bytes: u32) -> Result<u32, Failure> {
        let content = self.take_input();
        if !(DEFAULT_MAX_BYTES..=MAX_BYTES_LIMIT).contains(&(max_bytes as usize)) {
            return Err(Failure::InvalidLimit);
        }
        if self.documents.len() == DOCUMENTS_LIMIT {
            return Err(Failure::TooLarge);
        }
        // Positive as a signed number, and not in use after an overflow.
        loop {
            self.last_handle = if self.last_handle == i32::MAX as u32 { 1 } else { self.last_handle + 1 };
            if let Err(at) = position(&self.documents, self.last_handle) {
                let document = Box::new(Document::new(content, max_bytes as usize));
                self.documents.insert(at, (self.last_handle, document));
                return Ok(self.last_handle);
            }
        }
    }

    /// Closes a file.
    pub fn close(&mut self, handle: u32) -> Result<u32, Failure> {
        let at = position(&self.documents, handle).map_err(|_| Failure::UnknownDocument)?;
        self.documents.remove(at);
        Ok(0)
    }

    /// Binds a file to the agent in the input, and returns the number of these rules for `decide`.
    ///
    /// Writes how the groups were selected, the index of the token that selected them, the number of rules in these
    /// groups, and the indices of the groups.
    pub fn bind(&mut self, handle: u32, profile: u32) -> Result<u32, Failure> {
        let input = self.take_input();
        let mut input = Input(&input);
        let agent = input.agent()?;
        input.end()?;
        if !agent.is_valid() {
            return Err(Failure::InvalidAgent);
        }
        let at = position(&self.documents, handle).map_err(|_| Failure::UnknownDocument)?;
        let document = &mut self.documents[at].1;
        let reading = document.read(profile).ok_or(Failure::UnknownProfile)?;
        let selection = reading.compiled.select(reading.content(), &agent.tokens, agent.star_applies);
        let rules = reading.compiled.rule_set(&selection.groups);
        self.output.clear(0)?;
        explanation::write_choice(&selection, &mut self.output);
        self.output.number(rules.rule_count() as u32);
        self.output.numbers(&selection.groups);
        document.bind(profile, rules).ok_or(Failure::TooLarge)
    }

    /// Decides on the URL in the input, which has no length before it, with the rules of `bind`.
    ///
    /// Returns the line of the deciding rule, or 0, times 8, plus the number of the reason. Writes no output.
    pub fn decide(&mut self, handle: u32, rules: u32) -> Result<u32, Failure> {
        // Not copied: this is the call that hosts make for each URL.
        let url = std::mem::take(&mut self.input);
        let answer = document(&self.documents, handle).and_then(|document| {
            let (reading, rules) = document.bound(rules).ok_or(Failure::UnknownRules)?;
            let path = locate(&url).ok_or(Failure::InvalidTarget)?.path;
            let file = reading.file();
            let verdict = rules.decide(file, &target(&url, path, file.profile));
            let line = verdict.rule.map_or(0, |found| file.groups.rules().at(found.rule as usize).line());
            Ok(line << 3 | explanation::reason_number(verdict.reason))
        });
        if url.capacity() <= RETAINED_INPUT {
            self.input = url;
        }
        answer
    }

    /// Writes the records that are neither user-agent lines nor rules: line, group from 1 or 0, whether it is a sitemap,
    /// key and value. Returns their number.
    pub fn others(&mut self, handle: u32, profile: u32) -> Result<u32, Failure> {
        let reading = read(&self.documents, handle, profile)?;
        file_info::write_others(reading, &mut self.output)
    }

    /// Replaces the targets, and writes the status of each: 0 for a path, 1 for a URL with an authority, 2 if invalid.
    pub fn set_targets(&mut self) -> Result<u32, Failure> {
        let input = self.take_input();
        self.targets = Input(&input).list(Input::target)?;
        self.output.clear(self.targets.len())?;
        for target in &self.targets {
            let status = target.located.map_or(2, |located| u8::from(located.has_authority));
            self.output.raw(&[status]);
        }
        Ok(self.targets.len() as u32)
    }

    /// Replaces the agents, and writes whether each is valid: 1 or 0.
    pub fn set_agents(&mut self) -> Result<u32, Failure> {
        let input = self.take_input();
        self.agents = Input(&input).list(Input::agent)?;
        self.output.clear(self.agents.len())?;
        for agent in &self.agents {
            self.output.raw(&[u8::from(agent.is_valid())]);
        }
        Ok(self.agents.len() as u32)
    }

    /// Writes the line and the mark of each cell, for some of the targets and all agents.
    pub fn matrix(&mut self, handle: u32, profile: u32, first: u32, count: u32) -> Result<u32, Failure> {
        let targets = rows(&self.targets, self.agents.len(), first, count)?;
        let reading = read(&self.documents, handle, profile)?;
        matrix::write(reading, targets, &self.agents, &mut self.output)
    }

    /// Writes for each cell whether the verdict of any of the profiles in `others`, one bit each, differs from that of
    /// `profile`.
    pub fn differences(
        &mut self,
        handle: u32,
        profile: u32,
        others: u32,
        first: u32,
        count: u32,
    ) -> Result<u32, Failure> {
        let targets = rows(&self.targets, self.agents.len(), first, count)?;
        if others.checked_shr(PROFILES.len() as u32).unwrap_or(0) != 0 {
            return Err(Failure::UnknownProfile);
        }
        let document = document(&self.documents, handle)?;
        let chosen = document.read(profile).ok_or(Failure::UnknownProfile)?;
        let others = (0..PROFILES.len() as u32).filter(|other| others >> other & 1 == 1 && *other != profile);
        let others: Vec<_> = others.filter_map(|other| document.read(other)).collect();
        matrix::write_differences(chosen, &others, targets, &self.agents, &mut self.output)
    }

    /// Explains the verdict on the target and the agent in the input.
    pub fn explain(&mut self, handle: u32, profile: u32) -> Result<u32, Failure> {
        let (target, agent) = self.take_cell()?;
        let reading = read(&self.documents, handle, profile)?;
        explanation::write(reading, &target, &agent, &mut self.output)
    }

    /// Writes the reason and the line of each profile for the target and the agent in the input.
    pub fn readings(&mut self, handle: u32) -> Result<u32, Failure> {
        let (target, agent) = self.take_cell()?;
        let document = document(&self.documents, handle)?;
        explanation::write_readings(document, &target, &agent, &mut self.output)
    }

    /// Writes the groups of a file, and the kind and the group of each line.
    pub fn info(&mut self, handle: u32, profile: u32) -> Result<u32, Failure> {
        let reading = read(&self.documents, handle, profile)?;
        file_info::write(reading, &mut self.output)
    }

    /// Writes which of the agents in the input read a line.
    pub fn readers(&mut self, handle: u32, profile: u32, line: u32) -> Result<u32, Failure> {
        let input = self.take_input();
        let agents = Input(&input).list(Input::agent)?;
        let reading = read(&self.documents, handle, profile)?;
        file_info::write_readers(reading, line, &agents, &mut self.output)
    }

    fn take_cell(&mut self) -> Result<(Target, Agent), Failure> {
        let input = self.take_input();
        let mut input = Input(&input);
        let cell = (input.target()?, input.agent()?);
        input.end()?;
        Ok(cell)
    }

    /// Returns the input, so that a second call does not read it again.
    fn take_input(&mut self) -> Vec<u8> {
        if self.input.capacity() > RETAINED_INPUT {
            return std::mem::take(&mut self.input);
        }
        let input = self.input.clone();
        self.input.clear();
        input
    }
}

/// Returns where the file with this handle is, or where it would be inserted.
fn position(documents: &[(u32, Box<Document>)], handle: u32) -> Result<usize, usize> {
    documents.binary_search_by_key(&handle, |&(open, _)| open)
}

fn document(documents: &[(u32, Box<Document>)], handle: u32) -> Result<&Document, Failure> {
    let at = position(documents, handle).map_err(|_| Failure::UnknownDocument)?;
    Ok(&documents[at].1)
}

fn read(documents: &[(u32, Box<Document>)], handle: u32, profile: u32) -> Result<Reading<'_>, Failure> {
    document(documents, handle)?.read(profile).ok_or(Failure::UnknownProfile)
}

fn rows(targets: &[Target], agents: usize, first: u32, count: u32) -> Result<&[Target], Failure> {
    let (first, count) = (first as usize, count as usize);
    let end = first.checked_add(count).ok_or(Failure::TooLarge)?;
    let rows = targets.get(first..end).ok_or(Failure::TooLarge)?;
    match rows.len().checked_mul(agents) {
        Some(cells) if cells <= CELLS_LIMIT => Ok(rows),
        _ => Err(Failure::TooLarge),
    }
}
