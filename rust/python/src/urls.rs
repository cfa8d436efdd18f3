//! URLs at the edge: the octets of a `str` or `bytes`, borrowed where they can be.

use std::borrow::Cow;

use pyo3::exceptions::{PyRuntimeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// The octets of a URL; `None` for what is neither `str` nor `bytes`.
#[inline]
pub fn octets<'a>(url: &'a Bound<'_, PyAny>) -> PyResult<Option<Cow<'a, [u8]>>> {
    if let Ok(text) = url.cast::<PyString>() {
        match text.to_str() {
            Ok(text) => Ok(Some(Cow::Borrowed(text.as_bytes()))),
            Err(error) => encode_surrogates(text, error).map(|octets| Some(Cow::Owned(octets))),
        }
    } else if let Ok(octets) = url.cast::<PyBytes>() {
        Ok(Some(Cow::Borrowed(octets.as_bytes())))
    } else {
        Ok(None)
    }
}

/// A `str` with lone surrogates: those that stand for undecodable octets become these again, the others are encoded as
/// any code point is. Nothing raises.
#[cold]
fn encode_surrogates(text: &Bound<'_, PyString>, error: PyErr) -> PyResult<Vec<u8>> {
    if !error.is_instance_of::<PyUnicodeEncodeError>(text.py()) {
        return Err(error);
    }
    let encoded = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
    let mut rest = encoded.cast::<PyBytes>()?.as_bytes();
    let mut octets = Vec::with_capacity(rest.len());
    while let Some((&first, after)) = rest.split_first() {
        // U+DC80 to U+DCBF, and U+DCC0 to U+DCFF.
        let (octet, read) = match rest {
            [0xED, 0xB2, octet, ..] => (*octet, 3),
            [0xED, 0xB3, octet, ..] => (octet + 0x40, 3),
            _ => (first, 1),
        };
        octets.push(octet);
        rest = &after[read - 1..];
    }
    Ok(octets)
}

/// The error for a URL that cannot be asked about. Python words it, so that both engines say the same.
#[cold]
pub fn rejection(url: &Bound<'_, PyAny>, index: Option<usize>) -> PyErr {
    let asked =
        url.py().import("canfetch.core.targets").and_then(|targets| targets.call_method1("reject", (url, index)));
    match asked {
        Err(error) => error,
        Ok(_) => PyRuntimeError::new_err("canfetch.core.targets.reject accepted a URL that the native engine rejects"),
    }
}
