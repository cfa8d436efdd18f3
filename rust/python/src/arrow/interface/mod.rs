//! The Arrow C Data Interface: the only modules with unsafe code.
//!
//! Memory of other libraries is reached through `import`, which validates every claim that can be validated: counts,
//! lengths, offsets and null pointers. The size of a buffer is not part of the interface, so a producer has to be trusted
//! that its buffers are as long as its lengths and offsets require. All other modules are safe code that works on byte
//! slices and checks each offset, key and view before it uses them.
//!
//! Source: <https://arrow.apache.org/docs/format/CDataInterface.html>, with the stream and `PyCapsule` interfaces.
#![allow(unsafe_code)]

mod export;
mod import;
mod structures;

pub use export::{array_capsule, schema_capsule, stream_capsule};
pub use import::{Imported, Node, SchemaNode};
