//! The error for a column that cannot be read.

use std::borrow::Cow;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Why a column cannot be read. Raised as `canfetch.errors.InvalidColumn`.
#[derive(Debug)]
pub enum Invalid {
    /// The text describes the invalid data.
    Found(Cow<'static, str>),
    /// The offsets of a result have 32 bits.
    LargeResult,
}

impl Invalid {
    /// Creates the error: what was found in place of a valid column.
    #[cold]
    pub fn new(found: impl Into<Cow<'static, str>>) -> Self {
        Self::Found(found.into())
    }

    fn message(self) -> String {
        match self {
            Self::Found(found) => format!("invalid Arrow data: {found}"),
            Self::LargeResult => {
                "the result has more than 2 GiB of text or items: pass fewer rows in each call, such as \
                 1,000,000 at a time"
                    .to_owned()
            }
        }
    }
}

impl From<Invalid> for PyErr {
    fn from(error: Invalid) -> Self {
        Python::attach(|py| {
            let class = py.import("canfetch.errors").and_then(|errors| errors.getattr("InvalidColumn"));
            let message = error.message();
            match class.and_then(|class| class.call1((message.as_str(),))) {
                Ok(error) => Self::from_value(error),
                Err(_) => PyRuntimeError::new_err(message),
            }
        })
    }
}
