//! `Kernel`: decisions on columns, with files that are compiled once and kept between calls.

use std::ffi::CString;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use canfetch::engine::profile;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use super::agents::Chain;
use super::block::{Block, Need, TOUCHED_ROWS, Toucher};
use super::decoder::Decoder;
use super::file_entry::FileEntry;
use super::first_contents::check_contents;
use super::loader::{self, Plan, check_id_kind};
use super::results::{Allowed, Decisions, Matrix, Results};
use super::rows::Rows;
use super::tables::Tables;
use super::usages::{Caches, Usages};
use crate::arrow::Invalid;
use crate::arrow::column::Column;
use crate::arrow::table::Table;
use crate::arrow::values::{Argument, Chunks};

/// Rows that are decided between two chances for other threads to add files.
const LOCKED_ROWS: usize = 4096;
/// Blocks and rows between two checks for Ctrl-C.
const BLOCKS_BETWEEN_SIGNALS: usize = 16;
const ROWS_BETWEEN_SIGNALS: usize = 1 << 19;

/// Compiled files and agents, and decisions on columns of them. Safe to use from several threads at once.
#[pyclass(frozen, module = "canfetch._native")]
pub struct Kernel {
    decoder: Decoder,
    memory_limit: usize,
    resolve_agents: Py<PyAny>,
    /// Called with contents that may be names.
    warn_about_names: Option<Py<PyAny>>,
    /// Whether rows contain the files.
    by_content: bool,
    tables: RwLock<Tables>,
    usages: Caches,
}

/// A chain of product tokens, as Python passes it.
type ChainTuple = (Vec<Vec<u8>>, bool);

/// The agents of a call.
enum Agents {
    Column(Argument),
    Chains(Vec<Chain>),
}

impl Kernel {
    /// The tables, until another thread wants to change them.
    fn read(&self) -> RwLockReadGuard<'_, Tables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Tables> {
        self.tables.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn run<R: Results>(
        &self,
        py: Python<'_>,
        files: &Bound<'_, PyAny>,
        agents: &Agents,
        urls: &Bound<'_, PyAny>,
        mut results: R,
    ) -> PyResult<Column> {
        let (files, urls) = (Argument::from_object(files)?, Argument::from_object(urls)?);
        let file_chunks = if self.by_content { files.chunks()? } else { files.ids()? };
        let url_chunks = urls.chunks()?;
        let (agent_chunks, chains) = match agents {
            Agents::Column(column) => (Some(column.chunks()?), [].as_slice()),
            Agents::Chains(chains) => (None, chains.as_slice()),
        };
        let mut rows =
            Rows::new(&file_chunks, agent_chunks.as_ref(), &url_chunks, self.by_content, results.column_length())?;
        self.check_files(py, &file_chunks)?;
        let mut state = State { row: 0, generation: None };
        let mut block = Block::default();
        while state.row < rows.length {
            match py.detach(|| self.blocks(&mut rows, chains, &mut state, &mut block, &mut results))? {
                Need::Nothing => py.check_signals()?,
                Need::Content(content) => self.add_decoded(py, content)?,
                Need::Agents(names) => self.add_agents(py, &names)?,
            }
        }
        Ok(Column::new(results.into_array(py)?))
    }

    /// Checks a column of contents or IDs before rows are decided.
    fn check_files(&self, py: Python<'_>, files: &Chunks<'_>) -> PyResult<()> {
        match files {
            _ if !self.by_content => Ok(check_id_kind(files, py.detach(|| self.read().id_kinds()))?),
            Chunks::Text(contents) => check_contents(py, self.warn_about_names.as_ref(), contents),
            Chunks::Integers(_) => Ok(()),
        }
    }

    /// Decides blocks of rows until the interpreter is needed.
    fn blocks<'a, R: Results>(
        &self,
        rows: &mut Rows<'_, 'a>,
        chains: &[Chain],
        state: &mut State,
        block: &mut Block<'a>,
        results: &mut R,
    ) -> Result<Need<'a>, Failure> {
        let first = state.row;
        for _ in 0..BLOCKS_BETWEEN_SIGNALS {
            if state.row - first >= ROWS_BETWEEN_SIGNALS {
                break;
            }
            match self.block(rows, chains, state, block, results)? {
                Need::Nothing if state.row < rows.length => self.make_room(),
                Need::Content(content) if !self.decoder.needs_decoding(content) => {
                    let content: Arc<[u8]> = content.into();
                    self.add_content(Arc::clone(&content), content);
                }
                need => return Ok(need),
            }
        }
        Ok(Need::Nothing)
    }

    /// Decides rows up to one whose file or agent is new.
    fn block<'a, R: Results>(
        &self,
        rows: &mut Rows<'_, 'a>,
        chains: &[Chain],
        state: &mut State,
        block: &mut Block<'a>,
        results: &mut R,
    ) -> Result<Need<'a>, Failure> {
        let mut tables = self.read();
        if state.generation != Some(tables.generation) {
            let numbers = loop {
                let known = chains.iter().map(|chain| tables.agents.number_of_chain(chain));
                if let Some(numbers) = known.collect::<Option<Vec<_>>>() {
                    break numbers;
                }
                drop(tables);
                self.write().add_chains(chains, self.memory_limit);
                tables = self.read();
            };
            rows.forget(numbers);
            results.forget(&tables);
            state.generation = Some(tables.generation);
        }
        let need = block.gather(rows, &tables, state.row)?;
        block.sort();
        results.begin(state.row, block.rows().len());
        let mut toucher = Toucher::default();
        let mut decided = 0;
        loop {
            let next = &block.order()[decided..block.order().len().min(decided + LOCKED_ROWS)];
            let ready = &next[..results.ready(&tables, block, next)];
            let mut has_room = true;
            for near in ready.chunks(TOUCHED_ROWS) {
                toucher.touch(&tables, near);
                for &place in near {
                    results.decide(&tables, place.position(), block.placed(place), rows.chains());
                }
                decided += near.len();
                has_room = tables.rules_memory() <= self.memory_limit;
                if !has_room {
                    break;
                }
            }
            if decided == block.order().len() && !results.is_waiting() {
                break;
            }
            drop(tables);
            if !has_room {
                // Within a block, because the rules that a block needs may be much longer than its files.
                self.write().forget_rules();
            }
            if results.is_waiting() {
                Python::attach(|py| results.fetch(py))?;
            }
            tables = self.read();
            if !has_room {
                results.forget(&tables);
            }
            if state.generation != Some(tables.generation) {
                // The numbers of files and agents have changed: the block is decided again.
                return Ok(Need::Nothing);
            }
        }
        results.finish(&tables, block)?;
        state.row += block.rows().len();
        Ok(need)
    }

    /// Forgets agents or files if they use too much memory.
    fn make_room(&self) {
        if !self.read().has_room(self.memory_limit) {
            self.write().make_room(self.memory_limit);
        }
    }

    fn add_content(&self, key: Arc<[u8]>, content: Arc<[u8]>) {
        let entry = FileEntry::new(content, self.decoder.profile);
        // Outside the lock.
        entry.compiled();
        self.write().add_content(key, entry, self.memory_limit);
    }

    #[cold]
    fn add_decoded(&self, py: Python<'_>, content: &[u8]) -> PyResult<()> {
        let decoded = self.decoder.decode(py, content)?;
        py.detach(|| self.add_content(content.into(), decoded));
        Ok(())
    }

    /// Replaces all files.
    fn replace_tables(&self, mut tables: Tables) {
        let mut current = self.write();
        tables.generation = current.generation + 1;
        tables.file_generation = current.file_generation + 1;
        *current = tables;
    }

    #[cold]
    fn add_agents(&self, py: Python<'_>, names: &[&[u8]]) -> PyResult<()> {
        let list = PyList::new(py, names.iter().map(|name| PyBytes::new(py, name)))?;
        let chains: Vec<Option<ChainTuple>> = self.resolve_agents.call1(py, (list,))?.extract(py)?;
        let chains = chains.into_iter().map(|chain| chain.map(Chain::from));
        py.detach(|| self.write().add_agents(names.iter().zip(chains), self.memory_limit));
        Ok(())
    }

    fn agents(agent: &Bound<'_, PyAny>) -> PyResult<Agents> {
        if agent.is_instance_of::<PyTuple>() {
            return Ok(Agents::Chains(vec![agent.extract::<ChainTuple>()?.into()]));
        }
        Argument::from_object(agent).map(Agents::Column)
    }
}

/// The progress of a call.
struct State {
    row: usize,
    generation: Option<u64>,
}

/// Why a call ends early. It is turned into an exception when no lock is held, because that needs the interpreter.
enum Failure {
    /// A column is invalid.
    Invalid(Invalid),
    /// Python raised.
    Raised(PyErr),
}

impl From<Invalid> for Failure {
    fn from(error: Invalid) -> Self {
        Self::Invalid(error)
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Invalid(error) => error.into(),
            Failure::Raised(error) => error,
        }
    }
}

#[pymethods]
impl Kernel {
    /// Creates a kernel that keeps about `memory_limit` bytes of compiled files between blocks of rows.
    ///
    /// `resolve_agents` returns for each name the tokens of the agent and whether `*` applies to it, or `None` if it is
    /// invalid. With `by_id`, files are loaded once, and rows name them by ID. `warn_about_names` is called with the first
    /// contents of a column if each of them may be a name.
    #[new]
    #[pyo3(signature = (profile_name, max_bytes, memory_limit, resolve_agents, by_id, warn_about_names, /))]
    fn new(
        profile_name: &str,
        max_bytes: usize,
        memory_limit: usize,
        resolve_agents: Py<PyAny>,
        by_id: bool,
        warn_about_names: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let Some(profile) = profile(profile_name) else {
            return Err(PyValueError::new_err(format!("unsupported profile {profile_name:?}")));
        };
        let tables = RwLock::new(if by_id { Tables::by_id(profile) } else { Tables::by_content(profile) });
        let usages = Caches::default();
        Ok(Self {
            decoder: Decoder { profile, max_bytes },
            memory_limit,
            resolve_agents,
            warn_about_names,
            by_content: !by_id,
            tables,
            usages,
        })
    }

    /// Loads files: their IDs and contents, two columns of the same length.
    #[pyo3(signature = (ids, contents, /))]
    fn load(&self, py: Python<'_>, ids: &Bound<'_, PyAny>, contents: &Bound<'_, PyAny>) -> PyResult<()> {
        let tables = loader::load(self.decoder, self.warn_about_names.as_ref(), py, ids, contents)?;
        self.replace_tables(tables);
        Ok(())
    }

    /// Returns a table of Arrow data as this kernel reads it.
    #[staticmethod]
    fn open_table(table: &Bound<'_, PyAny>) -> PyResult<Table> {
        Table::new(table)
    }

    /// Loads files from two columns of a table, by their names. A `plan` has the source of each row, and contents that
    /// are not in the table.
    #[pyo3(signature = (table, id_name, content_name, plan, /))]
    fn load_table(
        &self,
        py: Python<'_>,
        table: &Table,
        id_name: &str,
        content_name: &str,
        plan: Option<Plan>,
    ) -> PyResult<()> {
        let names = (id_name, content_name);
        let tables = loader::load_table(self.decoder, self.warn_about_names.as_ref(), py, table, names, plan)?;
        self.replace_tables(tables);
        Ok(())
    }

    /// Whether the IDs of the files are texts.
    fn has_text_ids(&self, py: Python<'_>) -> bool {
        py.detach(|| self.read().id_kinds().0)
    }

    /// The number of files that are loaded or cached.
    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| self.read().files.len())
    }

    /// Returns whether each URL may be fetched: a column of booleans.
    #[pyo3(signature = (file, agent, url, /))]
    fn allows(
        &self,
        py: Python<'_>,
        file: &Bound<'_, PyAny>,
        agent: &Bound<'_, PyAny>,
        url: &Bound<'_, PyAny>,
    ) -> PyResult<Column> {
        self.run(py, file, &Self::agents(agent)?, url, Allowed::default())
    }

    /// Returns the verdicts: a column of structs.
    #[pyo3(signature = (file, agent, url, /))]
    fn decide(
        &self,
        py: Python<'_>,
        file: &Bound<'_, PyAny>,
        agent: &Bound<'_, PyAny>,
        url: &Bound<'_, PyAny>,
    ) -> PyResult<Column> {
        self.run(py, file, &Self::agents(agent)?, url, Decisions::default())
    }

    /// Returns whether each URL may be fetched by each agent: a column of structs with a boolean for each name.
    #[pyo3(signature = (file, names, chains, url, /))]
    fn matrix(
        &self,
        py: Python<'_>,
        file: &Bound<'_, PyAny>,
        names: Vec<String>,
        chains: Vec<ChainTuple>,
        url: &Bound<'_, PyAny>,
    ) -> PyResult<Column> {
        let names = names.into_iter().map(CString::new).collect::<Result<Vec<_>, _>>()?;
        let chains = chains.into_iter().map(Chain::from).collect();
        self.run(py, file, &Agents::Chains(chains), url, Matrix::new(names))
    }

    /// Returns the preferences on a use of content: a column of structs. A purpose is one of `UsagePurpose` in Python.
    #[pyo3(signature = (file, agent, url, purpose, /))]
    fn usage(
        &self,
        py: Python<'_>,
        file: &Bound<'_, PyAny>,
        agent: &Bound<'_, PyAny>,
        url: &Bound<'_, PyAny>,
        purpose: &Bound<'_, PyAny>,
    ) -> PyResult<Column> {
        let usages = Usages::new(py, self.decoder.profile, purpose, &self.usages)?;
        self.run(py, file, &Self::agents(agent)?, url, usages)
    }

    /// Forgets all files that rows contain, and all agents.
    fn clear(&self, py: Python<'_>) {
        self.usages.clear();
        py.detach(|| {
            let mut tables = self.write();
            tables.forget_files();
            tables.forget_agents();
        });
    }

    /// The memory of the files and agents that can be forgotten, in bytes.
    #[getter]
    fn memory_bytes(&self, py: Python<'_>) -> usize {
        py.detach(|| self.read().memory())
    }
}
