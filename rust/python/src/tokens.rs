//! The product tokens of an agent as Python passes them: a tuple of `bytes`.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyTuple};

/// Calls `use_tokens` with the tokens; raises `TypeError` if one is not `bytes`.
#[inline]
pub fn with_tokens<R>(tokens: &Bound<'_, PyTuple>, use_tokens: impl FnOnce(&[&[u8]]) -> R) -> PyResult<R> {
    if tokens.len() == 1 {
        // The usual case, without the copies that a chain of tokens needs.
        let token = tokens.get_item(0)?;
        return Ok(use_tokens(&[token.cast::<PyBytes>()?.as_bytes()]));
    }
    let chain: Vec<PyBackedBytes> = tokens.extract()?;
    let chain: Vec<&[u8]> = chain.iter().map(AsRef::as_ref).collect();
    Ok(use_tokens(&chain))
}
