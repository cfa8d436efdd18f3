//! `Column`: what canfetch returns, for any library that reads Arrow data.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

use super::array::Array;
use super::interface::{array_capsule, schema_capsule, stream_capsule};

/// A column that canfetch returns. Any library with the `PyCapsule` interface can read it, any number of times.
#[pyclass(frozen, module = "canfetch._native")]
pub struct Column {
    array: Arc<Array>,
}

impl Column {
    /// Wraps an array.
    pub fn new(array: Array) -> Self {
        Self { array: Arc::new(array) }
    }
}

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.array.length
    }

    /// Returns the rows as Python objects.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.array.values(py, 0..self.array.length)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.array)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // Converting to the requested type is optional, and consumers convert it anyway.
        drop(requested_schema);
        Ok((schema_capsule(py, &self.array)?, array_capsule(py, &self.array)?))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        stream_capsule(py, &self.array)
    }
}
