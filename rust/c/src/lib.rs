//! The C interface of canfetch. `docs/c.md` describes it, and `include/canfetch.h` is generated from it.
//!
//! C passes pointers, so this crate contains unsafe code: it reads the caller's bytes, writes results, and hands out
//! handles. `boundary` has the functions that do this, with the checks that are possible: null pointers, alignment and
//! lengths. The rest is the public interface of the crate `canfetch`, which forbids unsafe code.
//!
//! After a change of a function, `make c-header` writes the header, and `tests/c_library/programs/arguments.c` calls the
//! function with invalid arguments.
//!
//! No panic leaves a function: `status::call` turns it into a status.
// The comments are those of the header, which is C.
#![allow(clippy::doc_markdown)]
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

mod boundary;
mod constants;
mod file;
mod handles;
mod rules;
mod status;
mod verdict;

pub use constants::*;
pub use file::*;
pub use handles::{Robots, Rules};
pub use rules::*;
pub use status::Status;
pub use verdict::{Reason, Text, Verdict};
