//! The structures of the interface, and their owner.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow::invalid::Invalid;

#[repr(C)]
pub struct Schema {
    pub format: *const c_char,
    pub name: *const c_char,
    pub metadata: *const c_char,
    pub flags: i64,
    pub n_children: i64,
    pub children: *mut *mut Schema,
    pub dictionary: *mut Schema,
    pub release: Option<unsafe extern "C" fn(*mut Schema)>,
    pub private_data: *mut c_void,
}

#[repr(C)]
pub struct ArrayStruct {
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    pub n_buffers: i64,
    pub n_children: i64,
    pub buffers: *mut *const c_void,
    pub children: *mut *mut ArrayStruct,
    pub dictionary: *mut ArrayStruct,
    pub release: Option<unsafe extern "C" fn(*mut ArrayStruct)>,
    pub private_data: *mut c_void,
}

#[repr(C)]
pub struct Stream {
    pub get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    pub get_next: Option<unsafe extern "C" fn(*mut Stream, *mut ArrayStruct) -> c_int>,
    pub get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    pub release: Option<unsafe extern "C" fn(*mut Stream)>,
    pub private_data: *mut c_void,
}

/// A structure of the interface: it is released once, by its last owner.
pub trait Released: Sized {
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
pub struct Owned<T: Released>(pub Box<T>);

impl<T: Released> Owned<T> {
    pub fn empty() -> Self {
        Self(Box::new(T::EMPTY))
    }

    /// Moves the structure out of a capsule, which then releases nothing.
    pub fn from_capsule(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<Self> {
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
