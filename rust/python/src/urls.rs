//! URLs as Python passes them: `str` or `bytes`, borrowed where possible, or URL objects of other libraries.

use std::borrow::Cow;

use pyo3::exceptions::{PyRuntimeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// Returns the bytes of a URL; raises `TypeError` if it is neither `str` nor `bytes` nor a URL object.
///
/// `index` is the position of the URL in a batch, for the error message.
#[inline]
pub fn url_bytes<'a>(url: &'a Bound<'_, PyAny>, index: Option<usize>) -> PyResult<Cow<'a, [u8]>> {
    match text_bytes(url)? {
        Some(bytes) => Ok(bytes),
        None => object_bytes(url, index).map(Cow::Owned),
    }
}

/// Returns the UTF-8 bytes of a `str`; `None` for another type and for a `str` with lone surrogates.
#[inline]
pub fn str_bytes<'a>(text: &'a Bound<'_, PyAny>) -> Option<&'a [u8]> {
    text.cast::<PyString>().ok()?.to_str().ok().map(str::as_bytes)
}

/// Returns the bytes of a `str` or `bytes`; `None` for another type.
#[inline]
pub fn text_bytes<'a>(text: &'a Bound<'_, PyAny>) -> PyResult<Option<Cow<'a, [u8]>>> {
    if let Ok(text) = text.cast::<PyString>() {
        match text.to_str() {
            Ok(text) => Ok(Some(Cow::Borrowed(text.as_bytes()))),
            Err(error) => encode_surrogates(text, error).map(|bytes| Some(Cow::Owned(bytes))),
        }
    } else if let Ok(bytes) = text.cast::<PyBytes>() {
        Ok(Some(Cow::Borrowed(bytes.as_bytes())))
    } else {
        Ok(None)
    }
}

/// Returns the bytes of a URL object. Python code decides which objects are URLs.
#[cold]
fn object_bytes(url: &Bound<'_, PyAny>, index: Option<usize>) -> PyResult<Vec<u8>> {
    let urls = url.py().import("canfetch.core.urls")?;
    urls.call_method1("url_bytes", (url, index))?.extract()
}

/// Encodes a `str` with lone surrogates, like `encode_text` in Python: U+DC80 to U+DCFF become the bytes that they
/// escape, and other surrogates are encoded like any code point. Never raises.
#[cold]
fn encode_surrogates(text: &Bound<'_, PyString>, error: PyErr) -> PyResult<Vec<u8>> {
    if !error.is_instance_of::<PyUnicodeEncodeError>(text.py()) {
        return Err(error);
    }
    let encoded = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
    let mut rest = encoded.cast::<PyBytes>()?.as_bytes();
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some((&first, after)) = rest.split_first() {
        // U+DC80 to U+DCBF, and U+DCC0 to U+DCFF.
        let (byte, read) = match rest {
            [0xED, 0xB2, byte, ..] => (*byte, 3),
            [0xED, 0xB3, byte, ..] => (byte + 0x40, 3),
            _ => (first, 1),
        };
        bytes.push(byte);
        rest = &after[read - 1..];
    }
    Ok(bytes)
}

/// Returns the error for an invalid URL. Python creates it, so that both engines raise the same message.
#[cold]
pub fn invalid_url(url: &Bound<'_, PyAny>, index: Option<usize>) -> PyErr {
    let urls = url.py().import("canfetch.core.urls");
    match urls.and_then(|urls| urls.call_method1("validate_url", (url, index))) {
        Err(error) => error,
        Ok(_) => {
            PyRuntimeError::new_err("the engines differ: the Python engine accepts a URL that the native one rejects")
        }
    }
}
