//! Arrow columns: read from any library with the `PyCapsule` interface, and returned with it.
//!
//! * `interface` holds the structures of the C Data Interface and all unsafe code;
//! * `text` and `numbers` read columns, and check every offset, key and view that they follow; `validity` finds their
//!   nulls, and `types` names their types in messages;
//! * `lists` holds the columns that Python passes as lists, and `values` reads a column of either kind;
//! * `table` shows the columns of a table to Python;
//! * `array` holds what canfetch returns, and `column` exports it.

pub mod array;
mod bitmaps;
pub mod column;
mod interface;
mod invalid;
mod lists;
pub mod numbers;
pub mod table;
pub mod text;
mod types;
mod validity;
pub mod values;

pub use invalid::Invalid;
