//! Contents as they are parsed. Python transcodes and truncates them, which most do not need.

use std::sync::Arc;

use canfetch::engine::tables::Profile;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The profile and the size limit of all files.
#[derive(Clone, Copy)]
pub struct Decoder {
    /// The parsing profile.
    pub profile: &'static Profile,
    /// The number of bytes that are parsed.
    pub max_bytes: usize,
}

impl Decoder {
    /// Whether content is transcoded or truncated before it is parsed.
    pub fn needs_decoding(self, content: &[u8]) -> bool {
        content.len() > self.max_bytes || matches!(content.first(), Some(0xFE | 0xFF))
    }

    /// Returns the content as it is parsed.
    pub fn decode(self, py: Python<'_>, content: &[u8]) -> PyResult<Arc<[u8]>> {
        if !self.needs_decoding(content) {
            return Ok(content.into());
        }
        let profile = py.import("canfetch.core.profiles")?.call_method1("get_profile", (self.profile.name,))?;
        let arguments = (PyBytes::new(py, content), profile, self.max_bytes);
        let source = py.import("canfetch.core.source")?.call_method1("decode_source", arguments)?;
        Ok(source.getattr("content")?.cast::<PyBytes>()?.as_bytes().into())
    }
}
