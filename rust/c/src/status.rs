//! The result of a call.

use std::ffi::CStr;
use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of a call. canfetch_status_message() describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// The call succeeded.
    Ok = 0,
    /// A required pointer is NULL, or not aligned for its type.
    InvalidPointer = 1,
    /// A length or a number is out of range.
    InvalidNumber = 2,
    /// The URL is neither absolute, nor `//host/path`, nor a path that starts with `/`.
    InvalidUrl = 3,
    /// The agent has no product token, or an invalid one.
    InvalidAgent = 4,
    /// No profile has this name.
    UnknownProfile = 5,
    /// The text does not fit into the buffer.
    BufferTooSmall = 6,
    /// The list has no entry with this index.
    NoSuchEntry = 7,
    /// There is not enough memory for the file.
    OutOfMemory = 8,
    /// A defect in the library. The handles stay valid.
    InternalError = 9,
}

impl Status {
    const ALL: [Self; 10] = [
        Self::Ok,
        Self::InvalidPointer,
        Self::InvalidNumber,
        Self::InvalidUrl,
        Self::InvalidAgent,
        Self::UnknownProfile,
        Self::BufferTooSmall,
        Self::NoSuchEntry,
        Self::OutOfMemory,
        Self::InternalError,
    ];

    /// Returns the description of a number that may be a status.
    pub(crate) fn message(number: i32) -> &'static CStr {
        let Some(status) = Self::ALL.into_iter().find(|&status| status as i32 == number) else {
            return c"unknown status";
        };
        match status {
            Self::Ok => c"success",
            Self::InvalidPointer => c"invalid pointer: expected one that is not NULL and is aligned for its type",
            Self::InvalidNumber => c"invalid number: a length, a limit or an option is out of range",
            Self::InvalidUrl => c"invalid URL: expected an absolute URL, '//host/path', or a path starting with '/'",
            Self::InvalidAgent => {
                c"invalid agent: expected a product token such as 'ExampleBot' without white space, '/' and control characters"
            }
            Self::UnknownProfile => c"unknown profile: expected a name such as 'rfc9309' or 'google'",
            Self::BufferTooSmall => c"the buffer is too small: expected the length of the text and one byte",
            Self::NoSuchEntry => c"the list has no entry with this index",
            Self::OutOfMemory => c"not enough memory for the file",
            Self::InternalError => c"internal error: a defect in canfetch",
        }
    }
}

/// Runs the body of a function. A panic, which is a defect, becomes a status.
pub fn call(body: impl FnOnce() -> Result<(), Status>) -> Status {
    // No file and no thread has state that a panic leaves half written: what they cache is complete, absent, or cleared
    // before its next use.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(status)) => status,
        Err(payload) => {
            // Its destructor might panic as well.
            forget(payload);
            Status::InternalError
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_status() {
        assert_eq!(call(|| panic!("a defect")), Status::InternalError);
        assert_eq!(call(|| Err(Status::InvalidUrl)), Status::InvalidUrl);
        assert_eq!(call(|| Ok(())), Status::Ok);
    }

    #[test]
    fn a_payload_that_panics_when_it_is_dropped_is_a_status() {
        struct Payload;
        impl Drop for Payload {
            fn drop(&mut self) {
                panic!("a second defect");
            }
        }
        assert_eq!(call(|| std::panic::panic_any(Payload)), Status::InternalError);
    }

    #[test]
    fn each_status_has_a_message_of_its_own() {
        let mut messages: Vec<_> = (-1..=10).map(Status::message).collect();
        assert_eq!((messages[0], messages[11]), (c"unknown status", c"unknown status"));
        messages.sort();
        messages.dedup();
        assert_eq!(messages.len(), Status::ALL.len() + 1);
    }
}
