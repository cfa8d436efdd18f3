//! `canfetch._native`: the native engine behind the contract that the Python engine keeps too.

mod bound_rules;
mod compiled_file;
mod urls;

/// The native engine; `canfetch.core` decides when it is used.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    use canfetch_core::{
        profile,
        tables::{MAX_BYTES_LIMIT, PROFILES},
    };
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;
    use pyo3::types::{PyBytes, PyTuple};

    #[pymodule_export]
    use super::bound_rules::BoundRules;
    #[pymodule_export]
    use super::compiled_file::CompiledFile;

    /// The version of the surface that both engines share.
    #[pymodule_export]
    const CONTRACT: u32 = 2;

    /// Reads a file, already transcoded and cut; never fails on what it holds.
    #[pyfunction]
    #[pyo3(signature = (octets, profile_name, /))]
    fn compile_file(octets: &Bound<'_, PyBytes>, profile_name: &str) -> PyResult<CompiledFile> {
        let Some(profile) = profile(profile_name) else {
            return Err(PyValueError::new_err(format!("the native engine does not do the profile {profile_name:?}")));
        };
        if octets.as_bytes().len() > MAX_BYTES_LIMIT {
            return Err(PyValueError::new_err("the native engine reads no file over 512 MiB"));
        }
        Ok(CompiledFile::new(octets, profile))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("PROFILES", PyTuple::new(module.py(), PROFILES.iter().map(|profile| profile.name))?)
    }
}
