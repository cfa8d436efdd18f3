//! The native engine for browsers: a C interface over the crate `canfetch`, compiled to WebAssembly.
//!
//! The host writes the input of a call into a buffer of the module and reads the output from another one. It passes
//! numbers, but never pointers, so an invalid argument cannot cause undefined behaviour. Every function returns a
//! negative number, a `Failure`, if an argument is invalid. `page/src/engine/engine-module.ts` is
//! the other side of this interface.
//!
//! Functions that start with `canfetch_` are exported. They are called as follows:
//!
//! 1. `canfetch_input(length)` returns the address of an input buffer with this many bytes.
//! 2. `canfetch_open`, `canfetch_set_targets` and so on read the input, and store or compute something.
//! 3. `canfetch_output()` and `canfetch_output_length()` return the address and the length of the output.
//!
//! All numbers in buffers are unsigned, with 32 bits in little-endian order. Bytes of variable length, such as URLs, are
//! preceded by their length. An address is valid until the next call.

mod document;
mod engine;
mod explanation;
mod exports;
mod failure;
mod file_info;
mod input;
mod matrix;
mod output;

pub use exports::*;
