//! `canfetch._native`: the native engine, with the same interface as the Python engine.
//!
//! * `contract` has the classes of `canfetch.core.contract`. Calls with many URLs release the interpreter's lock.
//! * `origin_table` has the table of cached origins of `canfetch.client.origin_table`, which every decision of a client
//!   reads. A call finds the origin of the URL, compares the time, and decides by the rules of the client's agent. It
//!   returns nothing if more is needed, such as a fetch. `fresh_answers` finds nearly all answers without a lock, and without
//!   writes to memory that threads share. Therefore the time of use of an origin only advances when a state is added or
//!   looked up.
//! * `columns` decides columns of files, agents and URLs, and `arrow` reads and returns them.
//! * `refinement` and `comparison` answer the questions of `canfetch.compare`.

#![deny(unsafe_code)] // Except in `arrow::interface`.

mod arrow;
mod columns;
mod comparison;
mod contract;
mod counter;
mod file_contents;
mod fresh_answers;
mod origin_table;
mod refinement;
mod rule_objects;
mod tokens;
mod urls;

/// The native engine; `canfetch.core` decides when it is used.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    use canfetch::engine::{
        locate, profile,
        tables::{MAX_BYTES_LIMIT, PROFILES, Profile},
        target,
    };
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;
    use pyo3::types::{PyBytes, PyTuple};

    #[pymodule_export]
    use super::arrow::column::Column;
    #[pymodule_export]
    use super::arrow::table::Table;
    #[pymodule_export]
    use super::arrow::values::{build_column, read_values};
    #[pymodule_export]
    use super::columns::kernel::Kernel;
    #[pymodule_export]
    use super::comparison::TargetDomain;
    #[pymodule_export]
    use super::contract::{BoundRules, CompiledFile};
    use super::file_contents::FileContents;
    #[pymodule_export]
    use super::origin_table::OriginTable;
    #[pymodule_export]
    use super::refinement::{Refinement, differing_target};
    use super::tokens::with_tokens;
    use super::urls::{invalid_url, url_bytes};

    /// The version of the interface that both engines share.
    #[pymodule_export]
    const CONTRACT: u32 = 5;

    /// Compiles a file that is already transcoded and truncated. Never fails on its content.
    #[pyfunction]
    #[pyo3(signature = (content, profile_name, /))]
    fn compile_file(content: &Bound<'_, PyBytes>, profile_name: &str) -> PyResult<CompiledFile> {
        let profile = checked_profile(content, profile_name)?;
        Ok(CompiledFile::new(FileContents::new(content, profile)))
    }

    /// Returns whether an agent may fetch a URL, for a file that is not needed again. The arguments are those of
    /// `compile_file` and `bind`.
    #[pyfunction]
    #[pyo3(signature = (content, profile_name, tokens, star_applies, url, /))]
    fn allows_once(
        content: &Bound<'_, PyBytes>,
        profile_name: &str,
        tokens: &Bound<'_, PyTuple>,
        star_applies: bool,
        url: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let profile = checked_profile(content, profile_name)?;
        let bytes = url_bytes(url, None)?;
        let Some(located) = locate(&bytes) else { return Err(invalid_url(url, None)) };
        let target = target(&bytes, located.path, profile);
        with_tokens(tokens, |tokens| {
            canfetch::engine::allows_once(content.as_bytes(), profile, tokens, star_applies, &target)
        })
    }

    fn checked_profile(content: &Bound<'_, PyBytes>, profile_name: &str) -> PyResult<&'static Profile> {
        let Some(profile) = profile(profile_name) else {
            return Err(PyValueError::new_err(format!("unsupported profile {profile_name:?}")));
        };
        if content.as_bytes().len() > MAX_BYTES_LIMIT {
            return Err(PyValueError::new_err("file too large for the native engine: expected at most 512 MiB"));
        }
        Ok(profile)
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("PROFILES", PyTuple::new(module.py(), PROFILES.iter().map(|profile| profile.name))?)
    }
}
