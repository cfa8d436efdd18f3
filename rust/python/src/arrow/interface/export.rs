//! Arrow data for other libraries.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::structures::{ArrayStruct, Owned, Released, Schema, Stream};
use crate::arrow::array::{Array, Data};

const NULLABLE: i64 = 2;

fn signed(count: usize) -> i64 {
    // A length in memory always fits.
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The memory that an exported schema owns.
struct SchemaParts {
    format: CString,
    name: CString,
    children: Vec<*mut Schema>,
}

/// The memory that an exported array owns.
struct ArrayParts {
    /// Keeps the memory of the buffers.
    _array: Arc<Array>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrayStruct>,
}

fn export_schema(array: &Array, name: &CStr) -> Schema {
    let (format, children): (CString, Vec<_>) = match &array.data {
        Data::Bool(_) => (c"b".into(), Vec::new()),
        Data::Int32(_) => (c"i".into(), Vec::new()),
        Data::Int64(_) => (c"l".into(), Vec::new()),
        Data::Float64(_) => (c"g".into(), Vec::new()),
        Data::Text { .. } => (c"u".into(), Vec::new()),
        Data::List { items, .. } => (c"+l".into(), vec![export_schema(items, c"item")]),
        Data::Struct(fields) => (c"+s".into(), fields.iter().map(|(name, field)| export_schema(field, name)).collect()),
    };
    let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
    let mut parts = Box::new(SchemaParts { format, name: name.into(), children });
    Schema {
        format: parts.format.as_ptr(),
        name: parts.name.as_ptr(),
        flags: NULLABLE,
        n_children: signed(parts.children.len()),
        children: parts.children.as_mut_ptr(),
        release: Some(release_schema),
        private_data: Box::into_raw(parts).cast(),
        ..Schema::EMPTY
    }
}

unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: consumers call this once, with a schema of `export_schema`. Children may have been moved out.
    unsafe {
        let parts = Box::from_raw((*schema).private_data.cast::<SchemaParts>());
        for &child in &parts.children {
            let mut child = Box::from_raw(child);
            if let Some(release) = child.release {
                release(&raw mut *child);
            }
        }
        (*schema).release = None;
    }
}

fn export_array(array: &Arc<Array>) -> ArrayStruct {
    let validity: *const c_void = array.validity.as_ref().map_or(ptr::null(), |bits| bits.as_ptr().cast());
    let mut buffers = vec![validity];
    let mut children = Vec::new();
    match &array.data {
        Data::Bool(bits) => buffers.push(bits.as_ptr().cast()),
        Data::Int32(numbers) => buffers.push(numbers.as_ptr().cast()),
        Data::Int64(numbers) => buffers.push(numbers.as_ptr().cast()),
        Data::Float64(numbers) => buffers.push(numbers.as_ptr().cast()),
        Data::Text { offsets, bytes } => buffers.extend([offsets.as_ptr().cast(), bytes.as_ptr().cast()]),
        Data::List { offsets, items } => {
            buffers.push(offsets.as_ptr().cast());
            children.push(export_array(items));
        }
        Data::Struct(fields) => children.extend(fields.iter().map(|(_, field)| export_array(field))),
    }
    let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
    let mut parts = Box::new(ArrayParts { _array: Arc::clone(array), buffers, children });
    ArrayStruct {
        length: signed(array.length),
        null_count: signed(array.null_count),
        n_buffers: signed(parts.buffers.len()),
        n_children: signed(parts.children.len()),
        buffers: parts.buffers.as_mut_ptr(),
        children: parts.children.as_mut_ptr(),
        release: Some(release_array),
        private_data: Box::into_raw(parts).cast(),
        ..ArrayStruct::EMPTY
    }
}

unsafe extern "C" fn release_array(array: *mut ArrayStruct) {
    // SAFETY: consumers call this once, with an array of `export_array`. Children may have been moved out.
    unsafe {
        let parts = Box::from_raw((*array).private_data.cast::<ArrayParts>());
        for &child in &parts.children {
            let mut child = Box::from_raw(child);
            if let Some(release) = child.release {
                release(&raw mut *child);
            }
        }
        (*array).release = None;
    }
}

/// A stream of one array.
struct StreamParts {
    array: Arc<Array>,
    sent: bool,
}

unsafe extern "C" fn stream_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: consumers pass a stream of `stream_capsule` and a place for the schema.
    unsafe {
        let parts = &*(*stream).private_data.cast::<StreamParts>();
        out.write(export_schema(&parts.array, c""));
    }
    0
}

unsafe extern "C" fn stream_next(stream: *mut Stream, out: *mut ArrayStruct) -> c_int {
    // SAFETY: as above.
    unsafe {
        let parts = &mut *(*stream).private_data.cast::<StreamParts>();
        out.write(if parts.sent { ArrayStruct::EMPTY } else { export_array(&parts.array) });
        parts.sent = true;
    }
    0
}

unsafe extern "C" fn stream_error_text(_: *mut Stream) -> *const c_char {
    ptr::null()
}

unsafe extern "C" fn release_stream(stream: *mut Stream) {
    // SAFETY: consumers call this once, with a stream of `stream_capsule`.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<StreamParts>()));
        (*stream).release = None;
    }
}

/// Returns a capsule whose structure is released unless a consumer moves it out.
fn capsule<'py, T: Released + Send + 'static>(
    py: Python<'py>,
    value: T,
    name: &'static CStr,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value_and_destructor(py, value, name, |value, _| drop(Owned(Box::new(value))))
}

/// Returns the capsule of `__arrow_c_schema__`.
pub fn schema_capsule<'py>(py: Python<'py>, array: &Array) -> PyResult<Bound<'py, PyCapsule>> {
    capsule(py, export_schema(array, c""), c"arrow_schema")
}

/// Returns the capsule of an array, for `__arrow_c_array__`.
pub fn array_capsule<'py>(py: Python<'py>, array: &Arc<Array>) -> PyResult<Bound<'py, PyCapsule>> {
    capsule(py, export_array(array), c"arrow_array")
}

/// Returns the capsule of `__arrow_c_stream__`.
pub fn stream_capsule<'py>(py: Python<'py>, array: &Arc<Array>) -> PyResult<Bound<'py, PyCapsule>> {
    let parts = Box::new(StreamParts { array: Arc::clone(array), sent: false });
    let stream = Stream {
        get_schema: Some(stream_schema),
        get_next: Some(stream_next),
        get_last_error: Some(stream_error_text),
        release: Some(release_stream),
        private_data: Box::into_raw(parts).cast(),
    };
    capsule(py, stream, c"arrow_array_stream")
}
