//! Why a call ends early.

use pyo3::PyErr;

use crate::arrow::Invalid;

/// Why a call ends early. It is turned into an exception when no lock is held, because that needs the interpreter.
pub enum Failure {
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
