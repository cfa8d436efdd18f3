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

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

pub use export::{array_capsule, schema_capsule, stream_capsule};
pub use import::{Imported, Node, SchemaNode};

use super::Invalid;

#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct ArrayStruct {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrayStruct,
    dictionary: *mut ArrayStruct,
    release: Option<unsafe extern "C" fn(*mut ArrayStruct)>,
    private_data: *mut c_void,
}

#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut ArrayStruct) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// A structure of the interface: it is released once, by its last owner.
trait Released: Sized {
    /// A structure that was released.
    const EMPTY: Self;
    fn release(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
    fn is_released(&self) -> bool {
        self.release().is_none()
    }
}

macro_rules! released {
    ($type:ty, $empty:expr) => {
        impl Released for $type {
            const EMPTY: Self = $empty;
            fn release(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
                self.release
            }
        }
        // SAFETY: the interface allows the release callback to be called from any thread, and only the owner calls it.
        unsafe impl Send for $type {}
        // SAFETY: the structures are not modified while they are shared.
        unsafe impl Sync for $type {}
    };
}

released!(
    Schema,
    Self {
        format: ptr::null(),
        name: ptr::null(),
        metadata: ptr::null(),
        flags: 0,
        n_children: 0,
        children: ptr::null_mut(),
        dictionary: ptr::null_mut(),
        release: None,
        private_data: ptr::null_mut(),
    }
);
released!(
    ArrayStruct,
    Self {
        length: 0,
        null_count: 0,
        offset: 0,
        n_buffers: 0,
        n_children: 0,
        buffers: ptr::null_mut(),
        children: ptr::null_mut(),
        dictionary: ptr::null_mut(),
        release: None,
        private_data: ptr::null_mut(),
    }
);
released!(
    Stream,
    Self { get_schema: None, get_next: None, get_last_error: None, release: None, private_data: ptr::null_mut() }
);

/// An owned structure of the interface. The address is stable, as some producers require.
struct Owned<T: Released>(Box<T>);

impl<T: Released> Owned<T> {
    fn empty() -> Self {
        Self(Box::new(T::EMPTY))
    }

    /// Moves the structure out of a capsule, which then releases nothing.
    fn from_capsule(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<Self> {
        let capsule = capsule.cast::<PyCapsule>()?;
        let mut source = capsule.pointer_checked(Some(name))?.cast::<T>();
        if !source.is_aligned() {
            return Err(Invalid::new("a capsule with a misaligned pointer").into());
        }
        // SAFETY: the name of the capsule states the type, the pointer is aligned and not null, and a capsule has one
        // consumer. The source is marked as released, so that its owner does not release it, too.
        let source = unsafe { source.as_mut() };
        let owned = Self(Box::new(std::mem::replace(source, T::EMPTY)));
        if owned.0.is_released() {
            return Err(Invalid::new("a capsule that was consumed before").into());
        }
        Ok(owned)
    }
}

impl<T: Released> Drop for Owned<T> {
    fn drop(&mut self) {
        if let Some(release) = self.0.release() {
            // SAFETY: the structure was not released before, and is not used again.
            unsafe { release(&raw mut *self.0) };
        }
    }
}
