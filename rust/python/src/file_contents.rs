//! A parsed file together with its bytes.

use canfetch::engine::{CompiledFile as Compiled, File, tables::Profile};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A parsed file and its bytes. Rules and records are spans of the bytes.
pub struct FileContents {
    content: Py<PyBytes>,
    compiled: Compiled,
}

impl FileContents {
    /// Parses a file.
    pub fn new(content: &Bound<'_, PyBytes>, profile: &'static Profile) -> Self {
        Self { compiled: Compiled::new(content.as_bytes(), profile), content: content.clone().unbind() }
    }

    /// The bytes of the file.
    #[inline]
    pub fn bytes<'a>(&'a self, py: Python<'_>) -> &'a [u8] {
        self.content.as_bytes(py)
    }

    /// The parsed file.
    #[inline]
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// The parsed file with its bytes, as decisions need it.
    #[inline]
    pub fn file<'a>(&'a self, py: Python<'_>) -> File<'a> {
        self.compiled.file(self.bytes(py))
    }

    /// The parsing profile.
    #[inline]
    pub fn profile(&self) -> &'static Profile {
        self.compiled.profile()
    }
}
